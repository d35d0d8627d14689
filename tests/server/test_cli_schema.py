"""The schema of event files: what editors check by is what the server accepts."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

import pytest

from docs.pages import ROOT
from sternhalma_server.cli import main
from sternhalma_tournament.event import Event

Captured = pytest.CaptureFixture[str]


def schema(capsys: Captured) -> dict[str, Any]:
    assert main(["schema"]) == 0
    facts: dict[str, Any] = json.loads(capsys.readouterr().out)
    return facts


def test_the_schema_names_every_key_and_nothing_else(capsys: Captured) -> None:
    facts = schema(capsys)
    event = facts["$defs"]["Event"]
    assert facts["$ref"] == "#/$defs/Event"
    assert set(event["properties"]) == set(Event.__struct_fields__)
    assert event["additionalProperties"] is False
    assert set(event["required"]) == {"name", "rules", "players", "clock", "bots"}


def test_the_events_that_ship_have_only_keys_of_the_schema(capsys: Captured) -> None:
    facts = schema(capsys)
    event, bot = facts["$defs"]["Event"], facts["$defs"]["Bot"]
    paths = sorted((ROOT / "tournaments" / "events").glob("*.toml"))
    assert len(paths) >= 10
    for path in paths:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        assert set(table) <= set(event["properties"])
        assert set(event["required"]) <= set(table)
        assert re.search(event["properties"]["name"]["pattern"], table["name"])
        for its in table["bots"]:
            assert set(its) <= set(bot["properties"])


def test_the_schema_takes_no_arguments(capsys: Captured) -> None:
    assert main(["schema", "x"]) == 2
    assert capsys.readouterr().err == "sternhalma schema: expected no more arguments, got 'x'\n"
