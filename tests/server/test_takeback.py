"""Taking back: which game it ends, what is kept of it, and who may not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from server.conducted import table
from sternhalma import Seat
from sternhalma_server.announce import Table, game_line
from sternhalma_server.clock import SECOND
from sternhalma_server.flood import BURST, FloodGate
from sternhalma_server.framing import Line
from sternhalma_server.happening import Ply
from sternhalma_server.takeback import ForgivingReferee, TakenBack
from sternhalma_server.verdict import Reason

DUEL = replace(table("duel", game=7), undo=True)


class Desk:
    """A forgiving referee and the seats of its game."""

    def __init__(self, sits: Table = DUEL) -> None:
        self.referee = ForgivingReferee(sits)
        self.gate = FloodGate()
        self.referee.begin()
        self.referee.outbox.clear()

    def say(self, text: str, *, early: bool = False) -> list[str]:
        """The seat to move says *text*; what is told then."""
        referee = self.referee
        seat = referee.turn
        assert seat is not None
        if early:
            referee.early(seat, Line(text, 0, early=True), self.gate)
        else:
            if referee.asked_at is None:
                referee.asked(0)
            referee.answer(seat, Line(text, 0, early=False), 0, self.gate)
        told, referee.outbox = [line for _, line in referee.outbox], []
        return told

    def play(self, *paths: str) -> None:
        """Each seat in turn plays its path."""
        for path in paths:
            self.say(f"move 7 {self.referee.ply} {path}")

    @property
    def taken_back(self) -> TakenBack:
        """What became of the game."""
        assert isinstance(self.referee.finished, TakenBack)
        return self.referee.finished


@pytest.mark.parametrize("early", [False, True])
def test_a_move_taken_back_ends_the_game_as_aborted_without_places(early: bool) -> None:
    desk = Desk()
    desk.play("d5-e5", "n13-m13")
    assert desk.say("undo 7 1", early=early) == ["over 7 aborted places=A:0,D:0"]
    assert desk.referee.turn is None
    assert desk.taken_back.reason is Reason.ABORTED
    assert desk.taken_back.result is None


def test_what_was_played_before_the_move_is_kept() -> None:
    desk = Desk()
    desk.play("d5-e5", "n13-m13", "e5-f5", "m13-l13")
    desk.say("undo 7 3")
    kept = desk.taken_back.kept
    assert [event.path for event in kept if isinstance(event, Ply)] == ["d5-e5", "n13-m13"]


def test_a_seat_that_went_out_before_the_move_stays_out() -> None:
    desk = Desk(replace(table("corner", 3, game=7), undo=True))
    desk.say("resign 7")
    ply = desk.referee.ply
    for _ in range(2):
        game = desk.referee.game
        desk.play(game.format_move(game.legal_moves()[0]))
    desk.say(f"undo 7 {ply}")
    assert desk.taken_back.kept == desk.taken_back.falls
    assert [fall.reason for fall in desk.taken_back.falls] == [Reason.RESIGN]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("undo 7 2", "error illegal tries=3 expected the ply of an earlier move of yours, got 2"),
        ("undo 7 3", "error illegal tries=3 expected the ply of an earlier move of yours, got 3"),
        (
            "undo 7 01",
            "error malformed tries=2 expected the ply of the turn in 'undo', a number, got '01'",
        ),
        ("undo 7", "error malformed tries=2 expected 'undo GAME PLY', got 'undo 7'"),
        ("undo 8 1", "note stale this is game 7, ply 3"),
    ],
)
def test_what_cannot_be_taken_back_is_said_and_the_turn_stays_open(line: str, said: str) -> None:
    desk = Desk(replace(DUEL, tries=3))
    desk.play("d5-e5", "n13-m13")
    assert desk.say(line) == [said]
    assert desk.say("move 7 3 e5-f5")[0].startswith("moved 7 3 A e5-f5 ")


def test_an_undo_that_comes_when_the_clock_has_run_out_takes_nothing_back() -> None:
    desk = Desk(replace(table("duel", game=7, clock="2s"), undo=True))
    desk.play("d5-e5", "n13-m13")
    referee = desk.referee
    referee.asked(0)
    late = 2 * SECOND + 1
    referee.answer(Seat(0), Line("undo 7 1", late, early=False), late, desk.gate)
    assert referee.finished is not None
    assert referee.finished.reason is Reason.TIME


def test_an_opening_ply_is_nobodys_move_to_take_back() -> None:
    desk = Desk(replace(DUEL, opening=("d5-e5", "n13-m13")))
    assert desk.say("undo 7 1")[0].startswith("error illegal ")


def test_who_only_says_undo_floods() -> None:
    desk = Desk()
    for _ in range(BURST):
        desk.say("undo 7 1")
    assert desk.say("undo 7 1") == ["over 7 flood places=A:2,D:1 seat=A ply=1 line=undo 7 1"]


def test_the_opening_line_says_where_moves_may_be_taken_back() -> None:
    assert game_line(DUEL, "AD", Seat(0)).endswith(" draws=no undo=yes")
    assert "undo" not in game_line(replace(DUEL, undo=False), "AD", Seat(0))
