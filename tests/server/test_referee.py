"""One game's conduct, without a network: what each line does, and how each game ends."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.recorded import KINDS, PATIENT, SEALED, Kind, recorded
from sternhalma import BASES, OPTIONS, AtLimit, Game, Hole, Rules, RulesError, Seat, Terms
from sternhalma_server import course as course_module
from sternhalma_server import record
from sternhalma_server.announce import Table
from sternhalma_server.clock import MILLISECOND, SECOND, Lag, parse_clock
from sternhalma_server.flood import BURST, FloodGate
from sternhalma_server.framing import Line
from sternhalma_server.happening import Agreed, Evidence, Fall, Happening, Ply, Slip
from sternhalma_server.opening import opening_paths
from sternhalma_server.recording import record_of
from sternhalma_server.referee import Finished, Referee
from sternhalma_server.verdict import Reason

NAMES = ("zoe", "max", "ida", "kim", "ben", "eva")
ZOE, MAX, IDA = Seat(0), Seat(1), Seat(2)


def table(
    rules: str = "duel",
    players: int = 2,
    *,
    limit: int | None = None,
    at_limit: AtLimit | None = None,
    clock: str = "2s",
    opening: tuple[str, ...] = (),
    draws: bool = False,
    tries: int = 0,
    lag: Lag | None = None,
) -> Table:
    """Game 7 of the event cup."""
    parsed = Rules.parse(rules)
    return Table(
        event="cup",
        game="7",
        rules=parsed,
        terms=Terms.of(parsed, limit, at_limit),
        control=parse_clock(clock),
        bots=NAMES[:players],
        entries=NAMES[:players],
        versions=(None,) * players,
        seeds=tuple(range(players)),
        opening=opening,
        draws=draws,
        tries=tries,
        lag=lag,
    )


class Desk:
    """A referee and those who talk to it; the opening lines have been told already."""

    def __init__(
        self,
        sits: Table,
        *in_credit: Seat,
        epoch: int = 0,
        happened: list[Happening] | None = None,
    ) -> None:
        self.referee = Referee(sits, epoch=epoch, in_credit=in_credit)
        self.gates = [FloodGate() for _ in sits.bots]
        if happened is None:
            self.referee.begin()
        else:
            self.referee.resume(happened)
        self.opening = self.told()

    def told(self) -> list[tuple[Seat | None, str]]:
        """What has been told since, and to whom."""
        told, self.referee.outbox = self.referee.outbox, []
        return told

    def say(self, text: str, elapsed: int = 0, *, early: bool = False) -> list[str]:
        """The seat to move says *text*; what is told then."""
        self.hear(Line(text, elapsed, early=early))
        return [text for _, text in self.told()]

    def hear(self, line: Line, late: int = 0) -> None:
        """The seat to move, asked at 0, has sent *line*; it is read *late* after its stamp."""
        seat = self.referee.turn
        assert seat is not None
        self.referee.asked(0)
        self.referee.answer(seat, line, line.stamp + late, self.gates[seat])

    def say_early(self, text: str) -> list[str]:
        """The seat to move had said *text* before it was asked; what is told then."""
        seat = self.referee.turn
        assert seat is not None
        self.referee.early(seat, Line(text, 0, early=False), self.gates[seat])
        return [text for _, text in self.told()]

    def move(self, path: str | None = None, elapsed: int = 0, keys: str = "") -> list[str]:
        """The seat to move plays *path*, its first legal move if it is None."""
        game = self.referee.game
        if path is None:
            path = game.format_move(game.legal_moves()[0])
        return self.say(f"move 7 {self.referee.ply} {path}{keys}", elapsed)

    @property
    def finished(self) -> Finished:
        assert self.referee.finished is not None
        assert self.referee.turn is None
        return self.referee.finished


def test_every_seat_is_told_its_own_opening_line() -> None:
    lines = Desk(table(clock="60s+5x2s", draws=True, limit=9)).opening
    keys = "seats=A:zoe,D:max limit=9 at_limit=share clock=60s+5x2s"
    assert lines == [
        (ZOE, f"game 7 duel A {keys} seed=0 draws=yes"),
        (MAX, f"game 7 duel D {keys} seed=1 draws=yes"),
    ]


def test_the_question_carries_game_ply_time_and_position() -> None:
    referee = Desk(table()).referee
    assert referee.question(with_moves=False) == f"turn 7 1 2000 {referee.game}"


def test_without_a_clock_the_question_has_a_hyphen_for_the_time() -> None:
    assert Desk(table(clock="none")).referee.question(with_moves=False).startswith("turn 7 1 - ")


@pytest.mark.parametrize("rules", ["duel", "tara+long", "halma19"])
def test_the_question_lists_exactly_the_legal_moves(rules: str) -> None:
    referee = Desk(table(rules)).referee
    listed = referee.question(with_moves=True).partition(" moves=")[2].split(",")
    assert listed == [referee.game.format_move(move) for move in referee.game.legal_moves()]


def test_a_move_is_told_to_all_with_the_time_it_was_charged() -> None:
    desk = Desk(table())
    assert desk.move("d5-e5", 1_234_567) == ["moved 7 1 A d5-e5 charged=1.234 left=2000"]
    assert desk.referee.turn == MAX
    assert desk.referee.ply == 2


def test_the_short_form_of_a_chain_is_told_and_kept_with_every_landing() -> None:
    desk = Desk(table())
    desk.move("c5-e5")
    desk.move("n10-m10")
    (line,) = desk.move("a5-e7")
    assert line.startswith("moved 7 3 A a5-c5-e7 ")
    last = desk.referee.game.last
    assert last is not None
    assert len(last.path) == 3


def test_a_move_in_upper_case_is_told_and_kept_in_lower_case() -> None:
    desk = Desk(table())
    (line,) = desk.move("D5-E5")
    assert line.startswith("moved 7 1 A d5-e5 ")


def test_a_clock_with_increment_tells_what_is_left_for_the_next_move() -> None:
    desk = Desk(table(clock="3s+0.5s"))
    assert desk.move(elapsed=SECOND)[0].endswith(" charged=1000.000 left=2500")
    desk.move()
    assert desk.referee.question(with_moves=False).startswith("turn 7 3 2500 ")


def test_byo_yomi_periods_are_told_with_the_question_and_the_move() -> None:
    desk = Desk(table(clock="1s+3x2s"))
    assert desk.referee.question(with_moves=False).endswith(" 0,0 - periods=3")
    assert desk.move(elapsed=4 * SECOND)[0].endswith(" left=4000 periods=2")


# Evidence, and credit for the network.

LAG = Lag(per_move=50 * MILLISECOND, cap=200 * MILLISECOND)


def test_every_move_keeps_when_it_was_asked_for_answered_and_read() -> None:
    desk = Desk(table(), epoch=1_000_000)
    desk.hear(Line("move 7 1 d5-e5", 5000, early=False), late=700)
    ply = desk.referee.happened[-1]
    assert isinstance(ply, Ply)
    assert ply.evidence == Evidence(1_000_000, 1_005_000, 700, None)
    assert ply.charged == 5000, "that the server was late is not charged"


def test_who_was_asked_and_fell_leaves_how_long_he_was_waited_for() -> None:
    desk = Desk(table(), epoch=1_000_000)
    desk.referee.asked(0)
    desk.referee.flag(ZOE, 2_250_000_000)
    assert desk.finished.cause == Fall(
        ZOE, Reason.TIME, 1, None, 1_000_000, 2_250_000_000, 2 * SECOND
    )


def test_a_seat_in_credit_is_not_charged_for_its_lag() -> None:
    desk = Desk(table(lag=LAG), ZOE)
    (moved,) = desk.move(elapsed=150 * MILLISECOND)
    assert moved.endswith(" charged=0.000 left=2000 credit=150.000")
    desk.move()
    # What is left of the bucket, 50 ms, and the 50 ms that the first move earned.
    assert desk.move(elapsed=150 * MILLISECOND)[0].endswith(
        " charged=50.000 left=2000 credit=100.000"
    )


def test_a_seat_without_credit_is_charged_in_full() -> None:
    desk = Desk(table(lag=LAG), MAX)
    (moved,) = desk.move(elapsed=150 * MILLISECOND)
    assert moved.endswith(" charged=150.000 left=2000")


def test_credit_lets_an_answer_come_later_by_so_much_and_no_more() -> None:
    desk = Desk(table(lag=LAG), ZOE, MAX)
    assert desk.move(elapsed=2200 * MILLISECOND)[0].endswith(
        " charged=2000.000 left=2000 credit=200.000"
    )
    desk.move(elapsed=2200 * MILLISECOND + 1)
    assert lost(desk)[0] is Reason.TIME


def test_credit_is_told_with_the_game() -> None:
    assert " clock=2s lag=50/200 seed=0 " in Desk(table(lag=LAG), ZOE).opening[0][1]


@given(st.lists(st.integers(0, 3000), max_size=30))
def test_credit_never_exceeds_the_bucket_nor_what_a_move_took(times: list[int]) -> None:
    desk = Desk(table(lag=LAG, clock="1h+0s"), ZOE, MAX)
    bucket = LAG.cap
    for time in times:
        desk.move(elapsed=time * MILLISECOND)
        ply = desk.referee.happened[-1]
        assert isinstance(ply, Ply)
        assert ply.evidence is not None
        credit = ply.evidence.credit
        assert credit == min(bucket, time * MILLISECOND)
        assert ply.charged == time * MILLISECOND - credit
        bucket = min(LAG.cap, bucket - credit + LAG.per_move)
        desk.move()


# Every way to lose, each with its own reason.


def lost(desk: Desk) -> tuple[Reason, tuple[int, ...], Fall | None]:
    """How a game ended: reason, places, and whose doing, without the times of it."""
    result, cause = desk.finished.result, desk.finished.cause
    assert result is not None
    if cause is not None:
        cause = replace(cause, sent=None, waited=None, limit=None)
    return desk.finished.reason, result.places, cause


def test_an_illegal_move_loses_and_both_are_told_why() -> None:
    desk = Desk(table())
    assert desk.move("a5-e9") == [
        "error illegal a5-e9: no step and no chain of hops leads from a5 to e9",
        "over 7 illegal places=A:2,D:1 seat=A ply=1 line=move 7 1 a5-e9",
    ]
    assert lost(desk) == (Reason.ILLEGAL, (2, 1), Fall(ZOE, Reason.ILLEGAL, 1, "move 7 1 a5-e9"))


def test_a_pass_with_a_move_at_hand_is_illegal() -> None:
    desk = Desk(table())
    desk.move("pass")
    assert lost(desk)[0] is Reason.ILLEGAL


@pytest.mark.parametrize(
    "text",
    [
        "hello",
        "move 7 1",
        "move 7 one a5-e5",
        "move 7 1 a5",
        "move 7 1 a5-z9",
        "move 7 1 " + "-".join(["a5"] * 129),
        "login zoe",
        "watch all",
        "ping",
        "\x00",
    ],
)
def test_a_line_that_cannot_be_read_loses(text: str) -> None:
    desk = Desk(table())
    first, last = desk.say(text)
    assert first.startswith("error malformed expected ")
    assert last.startswith("over 7 malformed places=A:2,D:1 seat=A ply=1 line=")
    assert lost(desk)[:2] == (Reason.MALFORMED, (2, 1))


def test_a_line_with_a_fault_in_its_bytes_loses_and_its_quotation_is_cut() -> None:
    desk = Desk(table())
    line = Line("\xff" * 1024, 0, early=False, fault="expected a line of at most 1024 bytes")
    desk.hear(line)
    told = [text for _, text in desk.told()]
    assert told[0] == "error malformed expected a line of at most 1024 bytes"
    assert all(len(text) < 300 and text.isascii() for text in told)
    assert lost(desk)[0] is Reason.MALFORMED


def test_a_silent_player_loses_when_the_flag_falls() -> None:
    desk = Desk(table())
    desk.move()
    desk.referee.flag(MAX, 2 * SECOND)
    assert [text for _, text in desk.told()] == ["over 7 time places=A:1,D:2 seat=D ply=2"]
    assert lost(desk) == (Reason.TIME, (1, 2), Fall(MAX, Reason.TIME, 2, None))


def test_an_answer_in_the_last_nanosecond_counts() -> None:
    assert Desk(table()).move(elapsed=2 * SECOND)[0].endswith("charged=2000.000 left=2000")


def test_an_answer_one_nanosecond_late_loses_and_is_quoted() -> None:
    desk = Desk(table())
    desk.move("d5-e5", elapsed=2 * SECOND + 1)
    assert lost(desk) == (Reason.TIME, (2, 1), Fall(ZOE, Reason.TIME, 1, "move 7 1 d5-e5"))


def test_without_a_clock_no_answer_is_late() -> None:
    assert Desk(table(clock="none")).move(elapsed=10**18)[0].endswith(" left=-")


def test_a_connection_that_ends_loses() -> None:
    desk = Desk(table())
    desk.referee.disconnected(ZOE)
    assert lost(desk) == (Reason.DISCONNECT, (2, 1), Fall(ZOE, Reason.DISCONNECT, 1, None))


def test_bye_in_a_game_is_a_disconnect() -> None:
    desk = Desk(table())
    desk.say("bye")
    assert lost(desk)[0] is Reason.DISCONNECT


def test_too_many_lines_that_were_not_asked_for_lose() -> None:
    desk = Desk(table())
    for _ in range(BURST):
        assert desk.say("ping a") == ["pong a"]
    desk.say("ping a")
    assert lost(desk)[0] is Reason.FLOOD


@pytest.mark.parametrize(
    "text", ["ping a", "why", "pong a", "draw 7 9", "resign 8", "move 7 9 a5-e5", "move 8 1 a5-e5"]
)
def test_all_lines_that_answer_nothing_are_counted_alike(text: str) -> None:
    desk = Desk(table())
    for _ in range(BURST):
        desk.say(text)
    assert desk.referee.finished is None
    desk.say(text)
    assert lost(desk)[0] is Reason.FLOOD


def test_who_was_not_there_to_begin_with_loses_by_no_start() -> None:
    desk = Desk(table())
    desk.referee.absent(MAX)
    assert lost(desk) == (Reason.NO_START, (1, 2), Fall(MAX, Reason.NO_START, 1, None))


def test_who_resigns_loses_without_a_forfeit() -> None:
    desk = Desk(table())
    desk.say("resign 7")
    assert lost(desk) == (Reason.RESIGN, (2, 1), Fall(ZOE, Reason.RESIGN, 1, "resign 7"))
    assert not desk.finished.reason.is_forfeit


@pytest.mark.parametrize("reason", [Reason.SERVER_FAULT, Reason.ABORTED])
def test_a_void_game_has_no_places(reason: Reason) -> None:
    desk = Desk(table())
    desk.move()
    desk.referee.void(reason)
    assert [text for _, text in desk.told()] == [f"over 7 {reason} places=A:0,D:0"]
    assert desk.finished.result is None
    assert desk.finished.cause is None


def test_a_game_at_its_limit_ends_as_its_terms_say() -> None:
    desk = Desk(table(limit=1))
    desk.move()
    assert desk.move()[-1] == "over 7 share places=A:1,D:1"
    assert lost(desk) == (Reason.SHARE, (1, 1), None)


# Out of turn.


def test_a_move_begun_before_its_turn_is_noted_and_not_played() -> None:
    desk = Desk(table())
    note = "note early this move was begun before its turn was sent"
    assert desk.say_early("move 7 1 d5-e5") == [note]
    assert desk.say("move 7 1 d5-e5", early=True) == [note]
    assert desk.referee.ply == 1
    assert desk.referee.turn == ZOE


def test_an_answer_to_a_turn_that_is_over_is_noted_and_not_played() -> None:
    desk = Desk(table())
    desk.move()
    desk.move()
    assert desk.say("move 7 1 d5-e5") == ["note stale expected an answer to game 7 ply 3"]
    assert desk.referee.ply == 3


def test_a_doubled_answer_is_early_for_the_next_turn_and_not_played() -> None:
    desk = Desk(table())
    desk.move("d5-e5")
    desk.move()
    (note,) = desk.say_early("move 7 1 d5-e5")
    assert note.startswith("note early ")
    assert desk.referee.ply == 3


def test_a_move_of_another_game_is_stale() -> None:
    desk = Desk(table())
    assert desk.say("move 8 1 d5-e5") == ["note stale expected an answer to game 7 ply 1"]


def test_a_resignation_out_of_turn_takes_effect_at_the_next_turn() -> None:
    desk = Desk(table())
    desk.move()
    desk.say_early("resign 7")
    assert lost(desk) == (Reason.RESIGN, (1, 2), Fall(MAX, Reason.RESIGN, 2, "resign 7"))


def test_resigning_another_game_changes_nothing() -> None:
    desk = Desk(table())
    assert desk.say("resign 6") == []
    assert desk.say_early("resign 6") == []
    assert desk.referee.turn == ZOE


def test_a_ping_out_of_turn_is_answered() -> None:
    assert Desk(table()).say_early("ping a") == ["pong a"]


def test_why_in_a_game_says_who_is_to_move() -> None:
    assert Desk(table()).say("why") == ["why you are to move in game 7, ply 1"]


def test_garbage_before_the_turn_loses_at_the_turn() -> None:
    desk = Desk(table())
    desk.say_early("hello")
    assert lost(desk)[0] is Reason.MALFORMED


# Draws.


def test_an_offer_is_told_to_the_other_and_agreed_to_in_his_turn() -> None:
    desk = Desk(table(draws=True))
    desk.hear(Line("move 7 1 d5-e5 draw=offer", 0, early=False))
    assert desk.told()[1:] == [(MAX, "offer 7 A")]
    assert desk.say("draw 7 2") == ["over 7 agreement places=A:1,D:1"]
    assert lost(desk) == (Reason.AGREEMENT, (1, 1), None)
    assert desk.finished.happened[-1] == Agreed(2)


def test_an_offer_can_be_agreed_to_before_the_turn_is_sent() -> None:
    desk = Desk(table(draws=True))
    desk.move("d5-e5", keys=" draw=offer")
    desk.say_early("draw 7 2")
    assert lost(desk)[0] is Reason.AGREEMENT


def test_a_move_declines_an_offer_for_good() -> None:
    desk = Desk(table(draws=True))
    desk.move("d5-e5", keys=" draw=offer")
    desk.move()
    assert desk.say("draw 7 3") == ["note no-offer no draw is on offer"]


def test_a_move_that_declines_can_carry_an_offer_of_its_own() -> None:
    desk = Desk(table(draws=True))
    desk.move("d5-e5", keys=" draw=offer")
    assert desk.move(keys=" draw=offer")[-1] == "offer 7 D"
    desk.say("draw 7 3")
    assert lost(desk)[0] is Reason.AGREEMENT


def test_agreeing_without_an_offer_is_noted_and_the_game_goes_on() -> None:
    desk = Desk(table(draws=True))
    assert desk.say("draw 7 1") == ["note no-offer no draw is on offer"]
    assert desk.referee.turn == ZOE


def test_agreeing_at_another_ply_does_not_agree() -> None:
    desk = Desk(table(draws=True))
    desk.move("d5-e5", keys=" draw=offer")
    desk.say("draw 7 1")
    assert desk.referee.finished is None


def test_an_offer_where_no_draw_can_be_agreed_on_is_noted_and_the_move_played() -> None:
    desk = Desk(table())
    moved, note = desk.move("d5-e5", keys=" draw=offer")
    assert moved.startswith("moved 7 1 A d5-e5 ")
    assert note == "note no-draws this game knows no draw by agreement"
    assert desk.say("draw 7 2") == ["note no-offer no draw is on offer"]


# Tries.


def test_where_tries_are_allowed_a_wrong_answer_is_told_and_the_turn_stays() -> None:
    desk = Desk(table(tries=2))
    assert desk.move("a5-e9")[0].startswith("error illegal tries=1 a5-e9: ")
    assert desk.say("hello")[0].startswith("error malformed tries=0 expected ")
    assert desk.referee.turn == ZOE
    assert desk.move("d5-e5")[0].startswith("moved 7 1 A ")


def test_the_tries_are_for_the_whole_game_and_each_seat_has_its_own() -> None:
    desk = Desk(table(tries=1))
    desk.say("hello")
    desk.move()
    assert desk.say("hello")[0].startswith("error malformed tries=0 ")
    desk.move()
    desk.say("hello")
    assert lost(desk)[2] == Fall(ZOE, Reason.MALFORMED, 3, "hello")


def test_what_was_forgiven_is_kept() -> None:
    desk = Desk(table(tries=1))
    desk.move("a5-e9")
    assert desk.referee.happened == [Slip(ZOE, Reason.ILLEGAL, 1, "move 7 1 a5-e9")]


def test_the_clock_runs_on_over_a_try() -> None:
    desk = Desk(table(tries=1))
    desk.say("hello", elapsed=SECOND)
    desk.move(elapsed=2 * SECOND + 1)
    assert lost(desk)[0] is Reason.TIME


# Three and more.


def test_who_falls_among_three_is_out_and_the_others_play_on() -> None:
    desk = Desk(table("tara", 3))
    first, second = desk.move("a5-q13")
    assert first.startswith("error illegal ")
    assert second == "out 7 A illegal ply=1 line=move 7 1 a5-q13"
    assert desk.referee.turn == MAX
    assert desk.referee.ply == 1
    desk.move()
    assert desk.referee.turn == IDA


def test_the_last_one_left_wins_and_later_falls_rank_higher() -> None:
    desk = Desk(table("corner", 3))
    desk.say("resign 7")
    assert desk.say("bye") == ["over 7 disconnect places=A:3,C:2,E:1 seat=C ply=1 line=bye"]
    assert [fall.seat for fall in desk.finished.falls] == [ZOE, MAX]


def test_a_seat_that_is_not_to_move_can_go_out_and_the_turn_stays() -> None:
    desk = Desk(table("corner", 6))
    desk.referee.absent(Seat(3))
    assert desk.referee.turn == ZOE
    desk.move()
    desk.move()
    desk.move()
    assert desk.referee.turn == Seat(4)


def test_with_pairs_the_partner_goes_out_too() -> None:
    desk = Desk(table("corner+pairs", 4))
    assert desk.say("resign 7") == [
        "over 7 resign places=A:2,B:1,D:2,E:1 seat=A ply=1 line=resign 7"
    ]


def test_among_three_pairs_the_other_two_play_on() -> None:
    desk = Desk(table("corner+pairs", 6))
    desk.say("resign 7")
    turns = []
    for _ in range(5):
        turns.append(desk.referee.turn)
        desk.move()
    assert turns == [1, 2, 4, 5, 1]


def test_a_player_who_keeps_marbles_at_home_for_forty_turns_is_out() -> None:
    desk = Desk(table("corner+out40"))
    for _ in range(40):
        for there, back in (("d5-e5", "e5-d5"), ("n13-m13", "m13-n13")):
            if desk.referee.turn is not None:
                desk.move(there if desk.referee.game.position.letter_at(_hole(there)) else back)
    assert lost(desk) == (Reason.GOAL, (2, 1), None)
    assert desk.referee.ply == 80


def _hole(path: str) -> Hole:
    board = Rules.parse("corner").board
    return board.parse_hole(path.partition("-")[0])


# Plies that nobody is asked for.


def test_an_opening_is_told_to_all_and_the_first_turn_follows_it() -> None:
    paths = opening_paths(Game.new("duel"), 3, "seed")
    desk = Desk(table(opening=paths))
    letters = "ADA"
    told = [
        (None, f"moved 7 {ply} {letter} {path} by=opening")
        for ply, (letter, path) in enumerate(zip(letters, paths, strict=True), start=1)
    ]
    assert desk.opening[2:] == told
    assert desk.referee.turn == MAX
    assert desk.referee.ply == 4


def test_an_opening_counts_as_turns_had() -> None:
    desk = Desk(table(opening=opening_paths(Game.new("duel"), 3, "seed"), limit=2))
    desk.move()
    assert lost(desk)[0] is Reason.SHARE


def test_a_player_who_cannot_move_passes_without_being_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Sealed:
        """The engine, but every game begins with A unable to move."""

        @staticmethod
        def new(*_: object, **__: object) -> Game:
            return Game.load(SEALED, limit=9)

    monkeypatch.setattr(course_module, "Game", Sealed)
    desk = Desk(table("tara"))
    assert desk.opening[2:] == [(None, "moved 7 1 A pass by=rules")]
    assert desk.referee.turn == MAX
    lines = desk.move("i9-i8")
    assert lines[-1] == "moved 7 3 A pass by=rules"
    assert desk.referee.ply == 4


# Going on after the server was stopped.


def gone_on(desk: Desk) -> Desk:
    """Another referee that takes up the game of *desk* where it stands."""
    return Desk(desk.referee.table, ZOE, happened=desk.referee.happened)


def test_a_game_goes_on_with_position_clocks_and_tries_as_they_stood() -> None:
    kind = table(clock="3s+0.5s", tries=1, lag=LAG, opening=opening_paths(Game.new("duel"), 2, "a"))
    desk = Desk(kind, ZOE)
    desk.say("hello")
    desk.move(elapsed=SECOND)
    desk.move(elapsed=SECOND // 2)
    other = gone_on(desk)
    for one in (desk, other):
        assert one.referee.ply == 5
        assert str(one.referee.game) == str(desk.referee.game)
        assert one.referee.question(with_moves=True) == desk.referee.question(with_moves=True)
    assert other.move(elapsed=SECOND) == desk.move(elapsed=SECOND)
    assert [line.split(" ")[0] for _, line in other.opening] == ["game", "game"]
    other.move()
    other.say("hello")
    assert lost(other)[0] is Reason.MALFORMED


def test_a_game_goes_on_with_seats_that_were_out() -> None:
    desk = Desk(table("tara", 3))
    desk.say("resign 7")
    desk.move()
    other = gone_on(desk)
    assert other.referee.turn == IDA
    other.say("resign 7")
    assert lost(other)[:2] == (Reason.RESIGN, (3, 1, 2))


def test_an_offer_still_stands_when_the_game_goes_on() -> None:
    desk = Desk(table(draws=True))
    desk.move(keys=" draw=offer")
    other = gone_on(desk)
    other.say("draw 7 2")
    assert lost(other)[0] is Reason.AGREEMENT


@PATIENT
@given(st.integers(0, 2**32), st.integers(0, 12))
def test_a_game_that_goes_on_at_any_ply_ends_as_it_would_have(seed: int, stop: int) -> None:
    chance = Random(seed)
    desk = Desk(table("corner", 3, limit=4, clock="9s+1s"))
    other = gone_on(desk)
    while desk.referee.turn is not None:
        if len(desk.referee.happened) == stop:
            other = gone_on(desk)
        if chance.random() < 0.1:
            lines = desk.say("resign 7")
            assert other.say("resign 7") == lines
        else:
            moves = desk.referee.game.legal_moves()
            path = desk.referee.game.format_move(chance.choice(moves))
            elapsed = chance.randrange(SECOND)
            assert other.move(path, elapsed) == desk.move(path, elapsed)
    assert other.finished.last == desk.finished.last
    assert other.finished.happened == desk.finished.happened


# Whole games.


def every_rules() -> list[tuple[str, int]]:
    """Every rules id there is, with each number of players."""
    found: list[tuple[str, int]] = []
    for base in BASES:
        for size in range(len(OPTIONS[base]) + 1):
            for options in itertools.combinations(OPTIONS[base], size):
                try:
                    rules = Rules.parse("+".join([base, *sorted(options)]))
                except RulesError:
                    continue
                found += [(rules.id, players) for players in rules.players]
    return found


EVERY = every_rules()
# The tables of a rules id take most of the time: each option alone, the rest when there is time.
SOME = [(rules, players) for rules, players in EVERY if rules.count("+") < 2]


@pytest.mark.parametrize(("rules", "players"), SOME)
def test_a_game_under_every_option_ends_as_the_engine_says(rules: str, players: int) -> None:
    plays_like_the_engine(rules, players)


@pytest.mark.slow
@pytest.mark.parametrize(("rules", "players"), EVERY)
def test_a_game_under_every_rules_id_ends_as_the_engine_says(rules: str, players: int) -> None:
    plays_like_the_engine(rules, players)


def plays_like_the_engine(rules: str, players: int) -> None:
    """A random game, side by side in the referee and the engine."""
    chance = Random(f"{rules} {players}")
    desk = Desk(table(rules, players, limit=3))
    game = Game.new(rules, players, limit=3)
    while desk.referee.turn is not None:
        assert desk.referee.turn == game.turn
        move = chance.choice(game.legal_moves())
        game = game.play(move)
        desk.move(game.format_move(move))
    assert desk.finished.last == game
    assert desk.finished.result == game.result


def replayed(played: record.Record) -> Finished:
    """What a referee makes of the plies, falls and draws of *played*."""
    desk = Desk(
        table(played.rules, len(played.players), limit=played.limit, at_limit=played.at_limit)
    )
    referee, letters = desk.referee, [player.seat for player in played.players]
    falls: dict[Reason, Callable[[Seat], None]] = {
        Reason.TIME: lambda seat: referee.flag(seat, 0),
        Reason.DISCONNECT: referee.disconnected,
        Reason.FLOOD: referee.flooded,
        Reason.NO_START: referee.absent,
    }
    for event in played.happened:
        match event:
            case record.Ply(source=None):
                desk.move(event.path)
            case record.Ply():
                assert event.source == "rules"
            case record.Out():
                falls.get(event.reason, referee.disconnected)(Seat(letters.index(event.seat)))
            case record.Draw():
                pytest.fail("no draw is played here")
    return desk.finished


@PATIENT
@given(st.sampled_from(KINDS), st.integers(0, 2**32), st.sampled_from([0.0, 0.1, 0.3]))
def test_a_game_with_falls_ends_as_the_engine_says(kind: Kind, seed: int, fall: float) -> None:
    # The record is played by the engine alone, with seats going out in and out of their turn.
    played = recorded(kind, seed, fall=fall)
    finished = replayed(played)
    assert str(finished.last) == played.final
    assert finished.result is not None
    assert finished.result.places == played.places


@pytest.mark.parametrize("rules", ["tara", "duel", "corner+long", "corner+first+pairs"])
def test_a_game_that_reaches_the_goal_is_won_by_who_reached_it(rules: str) -> None:
    played = recorded(Kind(rules, 4 if "pairs" in rules else 2, 400), seed=5, forward=True)
    finished = replayed(played)
    assert finished.reason is Reason.GOAL
    assert finished.result is not None
    assert finished.result.places == played.places


def test_a_finished_game_holds_all_that_its_record_needs() -> None:
    desk = Desk(table("corner", 3, limit=2))
    desk.move(elapsed=5000)
    desk.say("resign 7")
    while desk.referee.turn is not None:
        desk.move()
    first = desk.finished.happened[0]
    assert isinstance(first, Ply)
    assert first.charged == 5000
    assert first.left == 2 * SECOND
    text = record.format_record(record_of(desk.finished))
    assert record.parse_record(text) == record_of(desk.finished)
