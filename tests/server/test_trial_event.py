"""A match with a test in its results folder: in every table, checked by `verify`, ruled on."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from server.kept import Link, event_text, forge, keep, played
from sternhalma_server.audit import audit
from sternhalma_server.cli import main
from sternhalma_server.record import Record
from sternhalma_server.results import Results
from sternhalma_server.settings import settings_of
from sternhalma_server.store import Decision
from sternhalma_tournament.amendments import Annulment, Correction, format_amendment

Captured = pytest.CaptureFixture[str]
# Nearly all games of so few turns are level, which speaks for H0.
SOURCE = event_text(
    "match",
    2,
    "cycles = 400\nsprt = { elo0 = 0, elo1 = 200, alpha = 0.1, beta = 0.1, model = 'logistic' }",
)


@pytest.fixture(scope="module")
def links() -> list[Link]:
    return played(SOURCE)


def told(root: Path, capsys: Captured, *words: str) -> dict[str, Any]:
    assert main([*words, str(root), "--json"]) == 0
    facts: dict[str, Any] = json.loads(capsys.readouterr().out)["sprt"]
    return facts


def test_a_match_is_played_until_its_test_is_decided(links: list[Link]) -> None:
    results = Results(settings_of(SOURCE, "event.toml").event)
    for link in links:
        assert isinstance(link, Record)
        results.add(link)
    assert results.trial is not None
    assert results.trial.verdict == "H0"
    assert len(links) == 2 * results.trial.pairs + results.trial.uncounted < 100
    assert results.planned == len(links)


def test_the_verdict_is_in_the_standings(
    links: list[Link], tmp_path: Path, capsys: Captured
) -> None:
    keep(tmp_path, SOURCE, links)
    facts = told(tmp_path, capsys, "standings")
    assert (facts["verdict"], facts["tested"], facts["other"]) == ("H0", "b0", "b1")
    assert facts["pairs"] == sum(facts["counts"])
    assert main(["standings", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert text == (tmp_path / "standings.md").read_text("utf-8")
    assert "H0 is accepted.\n" in text
    assert "Interim" not in text


def test_a_match_that_goes_on_says_so(links: list[Link], tmp_path: Path, capsys: Captured) -> None:
    keep(tmp_path, SOURCE, links[:4], state="running")
    facts = told(tmp_path, capsys, "standings")
    assert facts["verdict"] is None
    assert main(["standings", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert "Interim table: 4 of 400 games" in text
    assert "of 200 at most.\n" in text


def test_an_audit_derives_the_verdict_again(links: list[Link], tmp_path: Path) -> None:
    keep(tmp_path, SOURCE, links)
    found = audit(tmp_path)
    assert (found.problems, found.left, found.scheduled) == ([], 0, len(links))
    table = tmp_path / "standings.md"
    table.write_text(table.read_text("utf-8").replace("H0 is", "H1 is"), encoding="utf-8")
    (problem,) = audit(tmp_path).problems
    assert problem.startswith("standings.md: line ")


def test_a_ruling_is_heeded_by_the_test(
    links: list[Link], tmp_path: Path, capsys: Captured
) -> None:
    records = [link for link in links if isinstance(link, Record)]
    wins = [
        Correction(
            reason="replayed by hand",
            number=record.game,
            places=tuple(1 if p.entry == "b0" else 2 for p in record.players),
        )
        for record in records
    ]
    made = [Decision("ruling", format_amendment(ruling)) for ruling in wins]
    keep(tmp_path, SOURCE, [*links, *made])
    facts = told(tmp_path, capsys, "standings")
    assert facts["counts"][:4] == [0, 0, 0, 0]
    assert facts["verdict"] != "H0"
    assert audit(tmp_path).problems == []


def test_an_annulled_game_takes_its_pair_out(
    links: list[Link], tmp_path: Path, capsys: Captured
) -> None:
    ruling = Decision("ruling", format_amendment(Annulment(reason="power cut", number=3)))
    keep(tmp_path, SOURCE, [*links, ruling], state="paused")
    facts = told(tmp_path, capsys, "standings")
    assert facts["void_pairs"] == 1
    assert main(["verify", str(tmp_path)]) == 0


def test_a_forged_result_of_the_match_is_found(links: list[Link], tmp_path: Path) -> None:
    keep(tmp_path, SOURCE, links)
    record = next(link for link in links if isinstance(link, Record) and link.game == 2)
    forge(tmp_path, 2, replace(record, places=(1, 2)))
    assert audit(tmp_path).problems
