"""A match with a test, really played: it stops, it goes on after a stop, and it is verified."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import trio

from server.conducted import table
from sternhalma import Seat
from sternhalma_server.cli import main
from sternhalma_server.cli.progress import LeagueProgress, LineProgress, LiveProgress
from sternhalma_server.referee import Finished, Referee
from sternhalma_server.testing import remote_event
from sternhalma_tournament.sprt import Sprt
from sternhalma_tournament.trial import TrialState
from sternhalma_tournament.trial_text import trial_line
from tournaments.hosted import PATIENCE, Hosted, hosted, rows

CLAIMS: dict[str, str | int | bool] = {"elo0": 0, "elo1": 150, "model": "logistic"}
TEXT = remote_event(
    "ann", "bob", rules="tara", format="match", cycles=400, limit=2, parallel=3, opening=4,
    sprt=CLAIMS,
)  # fmt: skip


async def seated(event: Hosted) -> None:
    """Seat both bots on three connections each."""
    for name in ("ann", "bob"):
        for slot in (1, 2, 3):
            await event.seat(name, keys=f"moves=yes slot={slot}")


def standing(root: Path) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads((root / "standings.json").read_text("utf-8"))["sprt"]
    return facts


async def test_a_match_stops_by_its_test_and_is_verified(tmp_path: Path) -> None:
    async with hosted(tmp_path, TEXT) as event:
        await seated(event)
        assert (await event.ended()).complete
    facts = standing(tmp_path)
    played = len(rows(tmp_path))
    assert facts["verdict"] == "H0"
    assert 2 * facts["pairs"] <= played < 400
    assert played == 2 * facts["pairs"] + facts["uncounted_games"]
    assert main(["verify", str(tmp_path)]) == 0
    # The host was told of every step, the first one before the first game.
    trials = event.told.trials
    assert [trials[0].pairs, trials[-1].pairs] == [0, facts["pairs"]]
    assert trials[-1].verdict == "H0"
    assert len(trials) == played + 1
    assert event.told.total == event.told.over == played


async def test_a_match_that_was_stopped_goes_on_to_the_same_verdict(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    async with hosted(whole, TEXT) as event:
        await seated(event)
        await event.ended()
    half = standing(whole)["pairs"]
    async with hosted(parts, TEXT) as event:
        await seated(event)
        with trio.fail_after(PATIENCE):
            while event.told.over < half:
                await trio.sleep(0.001)
        assert await trio.to_thread.run_sync(main, ["stop", str(parts)]) == 0
        assert not (await event.ended()).complete
    before = standing(parts)
    assert before["verdict"] is None
    async with hosted(parts, TEXT) as event:
        await seated(event)
        assert (await event.ended()).complete
    assert event.told.trials[0].pairs == before["pairs"]
    assert main(["verify", str(parts)]) == 0
    same = ("verdict", "pairs", "counts", "llr", "void_pairs")
    assert {key: standing(parts)[key] for key in same} == {
        key: standing(whole)[key] for key in same
    }


def state(counts: tuple[int, ...], verdict: bool = False) -> TrialState:
    test = Sprt(0, 20)
    return TrialState(
        "ann", "bob", test, counts, 200, 0, 0, test.llr(counts), "H1" if verdict else None
    )


def a_game() -> Finished:
    referee = Referee(table("tara"))
    referee.begin()
    referee.flag(Seat(0), 1)
    assert referee.finished is not None
    return referee.finished


def test_lines_say_where_the_test_stands_behind_the_game_that_moved_it() -> None:
    stream = io.StringIO()
    progress = LineProgress("cup", stream)
    progress.planned(400)
    for trial in (state((0, 0, 0, 0, 0)), state((0, 0, 0, 0, 0)), state((0, 0, 0, 0, 1))):
        progress.tested(trial)
        progress.finished(a_game())
    lines = stream.getvalue().splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "[1/400] game 1",
        "cup",
        "[2/400] game 1",
        "[3/400] game 1",
        "cup",
    ]
    assert lines[1] == "cup: LLR 0.00 (-2.94 to 2.94) after 0 pairs, of 200 at most"
    assert lines[-1] == f"cup: {trial_line(state((0, 0, 0, 0, 1)))}"


def test_the_live_table_shows_where_the_test_stands() -> None:
    from rich.console import Console

    progress = LiveProgress("cup", ["ann", "bob"])
    console = Console(file=io.StringIO(), width=120)
    progress.tested(state((0, 1, 2, 3, 4)))
    console.print(progress._render())
    assert isinstance(console.file, io.StringIO)
    assert "after 10 pairs, of 200 at most" in console.file.getvalue()


def test_a_league_says_what_a_test_has_come_to_and_not_each_step() -> None:
    said: list[str] = []
    progress = LeagueProgress(said.append, "cup")
    for trial in (state((0, 0, 0, 0, 1)), state((0, 0, 0, 0, 2)), state((0, 0, 0, 0, 3), True)):
        progress.tested(trial)
    (line,) = said
    assert line.startswith("cup: LLR ")
    assert line.endswith(" after 3 pairs, H1 is accepted")
