"""What a host is told of a game in one line, and when it asks a server to stop."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from server.conducted import table
from sternhalma import Seat
from sternhalma_server.cli import main, stop
from sternhalma_server.cli.progress import outcome
from sternhalma_server.referee import Finished, Referee


def over(referee: Referee) -> Finished:
    assert referee.finished is not None
    return referee.finished


def test_whose_fault_ended_a_game_stands_behind_the_reason() -> None:
    referee = Referee(table("tara"))
    referee.begin()
    referee.flag(Seat(0), 1)
    assert outcome(over(referee)) == "game 1: 1 max, 2 zoe (time of zoe, 0 plies)"


def test_who_goes_out_of_a_game_that_the_others_play_on_is_on_its_line_too() -> None:
    referee = Referee(table("tara", 3))
    referee.begin()
    referee.absent(Seat(1))
    referee.disconnected(Seat(0))
    line = "game 1: 1 Ida, 2 zoe, 3 max (disconnect of zoe, 0 plies; max out by no-start)"
    assert outcome(over(referee)) == line


@pytest.mark.parametrize(
    ("running", "sentence"),
    [
        (0, "cup: stopping when 0 running games are over\n"),
        (1, "cup: stopping when 1 running game is over\n"),
        (2, "cup: stopping when 2 running games are over\n"),
    ],
)
def test_a_server_that_is_asked_to_stop_says_how_many_games_it_waits_for(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    running: int,
    sentence: str,
) -> None:
    def ask(root: Path, request: Mapping[str, Any]) -> dict[str, Any]:
        return {"event": "cup", "running": running}

    monkeypatch.setattr(stop, "ask", ask)
    assert main(["stop", "results/cup"]) == 0
    assert capsys.readouterr().out == sentence
