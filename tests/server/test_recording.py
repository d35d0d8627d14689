"""From a game to its record and back: nothing is lost on the way that a record can say."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from server.conducted import CALM, EPOCH, Chances, Conduct, conducted, table
from server.recorded import PATIENT
from sternhalma import Seat
from sternhalma_server.announce import Table
from sternhalma_server.clock import MILLISECOND, SECOND, Lag
from sternhalma_server.flood import FloodGate
from sternhalma_server.framing import Line
from sternhalma_server.happening import Agreed, Evidence, Fall, Happening, Ply, Slip
from sternhalma_server.record import (
    format_happening,
    format_record,
    parse_happening,
    parse_record,
)
from sternhalma_server.recording import line_of, record_of, recorded, resumed
from sternhalma_server.referee import Referee
from sternhalma_server.replay import replay
from sternhalma_server.verdict import Reason

ROUGH = Chances(late=0.1, silent=0.1, wrong=0.1, gone=0.05, resigns=0.05, absent=0.1)
LETTERS = ("A", "C", "E")

games = st.builds(
    lambda seed, clock, players, tries, chances, turns: played(
        table(
            "corner",
            players,
            6,
            clock=clock,
            lag=Lag(20 * MILLISECOND, 500 * MILLISECOND),
            tries=tries,
            opening=1,
        ),
        seed,
        chances,
        turns,
    ),
    st.integers(0, 2**32),
    st.sampled_from(["none", "2s", "3s+0.5s", "1s+5x2s"]),
    st.sampled_from([2, 3]),
    st.integers(0, 1),
    st.sampled_from([CALM, ROUGH]),
    st.integers(0, 20),
)


def played(sits: Table, seed: int, chances: Chances, turns: int) -> Conduct:
    """A game that has gone on for some turns; the first seat plays over a network."""
    game = Conduct(sits, seed, in_credit=[0], chances=chances)
    game.play(turns)
    return game


def again(letters: Sequence[str], events: Sequence[Happening]) -> list[Happening]:
    """What a server that goes on reads out of the journal's lines."""
    lines = [line_of(letters, event) for event in events]
    return resumed(letters, [parse_happening(line) for line in lines])


@PATIENT
@given(games)
def test_what_happened_is_the_same_line_after_a_stop_and_after_a_hundred(game: Conduct) -> None:
    once = again(game.letters, game.referee.happened)
    assert [line_of(game.letters, event) for event in once] == [
        line_of(game.letters, event) for event in game.referee.happened
    ]
    assert again(game.letters, once) == once


@PATIENT
@given(games)
def test_the_quick_way_to_a_line_is_the_line(game: Conduct) -> None:
    for event in game.referee.happened:
        assert line_of(game.letters, event) == format_happening(recorded(game.letters, event))


@PATIENT
@given(games)
def test_a_record_holds_and_has_the_lines_that_the_journal_had(game: Conduct) -> None:
    game.play()
    assert game.referee.finished is not None
    record = record_of(game.referee.finished)
    assert parse_record(format_record(record)) == record
    replay(record)
    lines = format_record(record).splitlines()
    for number, event in enumerate(game.referee.happened):
        assert lines[record.line_of(number) - 1] == line_of(game.letters, event)


@PATIENT
@given(games, st.integers(0, 2**32))
def test_a_game_that_goes_on_after_a_stop_asks_for_the_same_turn(game: Conduct, seed: int) -> None:
    after = game.stopped(seed).referee
    assert after.game == game.referee.game
    assert (after.ply, after.turn) == (game.referee.ply, game.referee.turn)
    if after.turn is None:
        assert after.finished is not None
        assert game.referee.finished is not None
        assert record_of(after.finished) == record_of(game.referee.finished)
        return
    assert after.question(with_moves=True) == game.referee.question(with_moves=True)


EVENTS: dict[str, Happening] = {
    "1 A d5-e5 opening": Ply(1, Seat(0), "d5-e5", "opening"),
    "2 C pass rules": Ply(2, Seat(1), "pass", "rules"),
    "3 E k6-k7 charged=0.001 left=1999 sent=1.000002 received=1.000003 late=0.004": Ply(
        3,
        Seat(2),
        "k6-k7",
        None,
        1_999,
        1999 * MILLISECOND + 999_999,
        Evidence(SECOND + 2_000, SECOND + 3_999, 4_000),
    ),
    "4 A d5-e5 charged=0.000 left=- sent=1.000000 received=1.250000 late=0.000"
    " credit=250.000 draw=offer": Ply(
        4,
        Seat(0),
        "d5-e5",
        None,
        0,
        None,
        Evidence(SECOND, SECOND + 250 * MILLISECOND, 0, 250 * MILLISECOND),
        offers_draw=True,
    ),
    "out C time ply=5 sent=1.000000 waited=2000.001 limit=2000.000 line=too late": Fall(
        Seat(1), Reason.TIME, 5, "too late", SECOND, 2 * SECOND + 1_000, 2 * SECOND
    ),
    "out C no-start ply=1": Fall(Seat(1), Reason.NO_START, 1, None),
    "out C flood ply=2 sent=1.000000 line=": Fall(Seat(1), Reason.FLOOD, 2, "", SECOND),
    "slip E malformed ply=6 line=hello  world": Slip(Seat(2), Reason.MALFORMED, 6, "hello  world"),
    "draw agreed ply=7": Agreed(7),
}


def test_everything_that_can_happen_is_written_in_this_way() -> None:
    for line, event in EVENTS.items():
        assert line_of(LETTERS, event) == line
        (back,) = resumed(LETTERS, [parse_happening(line)])
        assert line_of(LETTERS, back) == line
        assert type(back) is type(event)


def test_a_fall_keeps_its_evidence_over_a_stop() -> None:
    fall = Fall(Seat(1), Reason.TIME, 5, None, SECOND, 2 * SECOND + 1_000, 2 * SECOND)
    assert again(LETTERS, [fall]) == [fall]


def test_times_are_wall_times() -> None:
    record = conducted(table("corner", 2, 1), 1)
    line = line_of(["A", "D"], resumed(["A", "D"], record.happened)[0])
    assert f"sent={EPOCH // SECOND}." in line


def test_what_a_bot_said_is_kept_printable() -> None:
    sits = table("corner", 2)
    referee = Referee(sits)
    referee.begin()
    referee.asked(0)
    referee.answer(Seat(0), Line("h\u00e9llo\t", 1, early=False), 1, FloodGate())
    assert referee.finished is not None
    text = format_record(record_of(referee.finished))
    assert "line=h\\xe9llo\\t\n" in text
    assert parse_record(text) == record_of(referee.finished)
