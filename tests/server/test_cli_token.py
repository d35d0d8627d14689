"""Tokens: random, told once, and known to the event file by their digest only."""

from __future__ import annotations

import hashlib
import json
import re

import pytest

from sternhalma_server import cli
from sternhalma_tournament.event_file import parse_event

Captured = pytest.CaptureFixture[str]


def made(capsys: Captured) -> tuple[str, str]:
    assert cli.main(["token", "zoe"]) == 0
    token, line = capsys.readouterr().out.splitlines()
    return token, line


def test_a_token_comes_with_its_line_for_the_event_file(capsys: Captured) -> None:
    token, line = made(capsys)
    assert line == f'token = "sha256:{hashlib.sha256(token.encode("utf-8")).hexdigest()}"'
    event = f"""\
name = "cup"
rules = "tara"
players = 2
clock = "2s"
[[bots]]
name = "zoe"
remote = true
{line}
[[bots]]
name = "max"
command = "max"
"""
    assert parse_event(event.encode(), "cup.toml").bots[0].token == line[9:-1]


def test_a_token_fits_into_a_login_line_and_an_environment(capsys: Captured) -> None:
    for _ in range(50):
        token, _line = made(capsys)
        assert re.fullmatch(r"[A-Za-z0-9_-]{32}", token)


def test_no_token_is_made_twice(capsys: Captured) -> None:
    assert len({made(capsys) for _ in range(50)}) == 50


def test_a_token_is_told_to_programs_in_json(capsys: Captured) -> None:
    assert cli.main(["token", "--json", "zoe"]) == 0
    facts = json.loads(capsys.readouterr().out)
    digest = hashlib.sha256(facts["token"].encode()).hexdigest()
    assert facts == {"name": "zoe", "token": facts["token"], "event_file": f"sha256:{digest}"}


@pytest.mark.parametrize("name", ["", "-", "a b", "zoé", "x" * 33, ".hidden", "a\n"])
def test_a_token_needs_a_name_that_can_log_in(capsys: Captured, name: str) -> None:
    assert cli.main(["token", name]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        "sternhalma token: expected a name of 1 to 32 letters, digits, dots, underscores or"
        f" hyphens, the first a letter or digit, got {name[:60]!r}\n"
    )


def test_a_token_needs_a_name(capsys: Captured) -> None:
    assert cli.main(["token"]) == 2
    assert capsys.readouterr().err == (
        "sternhalma token: the following arguments are required: NAME\n"
    )


def test_a_name_too_many_is_refused(capsys: Captured) -> None:
    assert cli.main(["token", "zoe", "max"]) == 2
    assert capsys.readouterr().err == "sternhalma token: expected no more arguments, got 'max'\n"
