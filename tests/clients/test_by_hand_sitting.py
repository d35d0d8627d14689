"""A person at the table, without a table: lines from both sides in, text and lines out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import sternhalma
from sternhalma_bot.by_hand.sitting import Sitting, Wants
from sternhalma_bot.core import Core
from sternhalma_bot.turn import Turn

GREETING = "sternhalma 1\nwelcome you slot=1 key=k\n"
GAME = (
    "game 7 duel A seats=A:you,D:max limit=200 at_limit=share clock=none seed=1 draws=yes undo=yes"
)
PATHS = ("d5-e5", "n13-m13", "e5-f5", "m13-l13")


def first(turn: Turn) -> sternhalma.Move:
    """The advice of somebody who plays the first move there is."""
    return turn.game.legal_moves()[0]


HYPHENS = "expected holes with one hyphen between them, as in d5-e5, got "


class Evening:
    """A person in seat A of a game of duel, and the server."""

    def __init__(self, game: str = GAME, *, colour: bool = False) -> None:
        self.sitting = Sitting(Core("you"), first, colour=colour)
        self.game = sternhalma.Game.new("duel")
        self.hear(*GREETING.splitlines(), game)
        self.sent()

    def hear(self, *lines: str) -> str:
        """What is shown when the server says *lines*."""
        self.sitting.receive("".join(f"{line}\n" for line in lines).encode())
        return self.sitting.shown()

    def type(self, *lines: str) -> str:
        """What is shown when the person types *lines*."""
        for line in lines:
            self.sitting.typed(line)
        return self.sitting.shown()

    def wants(self) -> Wants:
        """Whom to listen to next."""
        return self.sitting.wants

    def sent(self) -> list[str]:
        """What has been sent since."""
        return self.sitting.outgoing().decode().splitlines()

    def turn(self, game: str = "7", left: str = "-") -> str:
        """The server asks for a move in the game as it stands."""
        return self.hear(f"turn {game} {self.game.ply} {left} {self.game}")

    def moved(self, *paths: str, game: str = "7") -> str:
        """The server tells moves."""
        told = ""
        for path in paths:
            letter, ply = "AD"[self.game.turn or 0], self.game.ply
            self.game = self.game.play(path)
            told += self.hear(f"moved {game} {ply} {letter} {path} charged=1 left=-")
        return told


@pytest.fixture
def evening() -> Evening:
    return Evening()


@pytest.fixture
def asked(evening: Evening) -> Evening:
    evening.turn()
    return evening


def test_the_server_is_listened_to_until_a_move_is_wanted(evening: Evening) -> None:
    assert evening.wants() is Wants.SERVER
    shown = evening.turn()
    assert evening.wants() is Wants.PERSON
    assert evening.sitting.prompt == "A, ply 1> "
    assert "          d5 A A A A d8\n" in shown
    assert shown.endswith("A you: 0 home, 110 steps to go\nD max: 0 home, 110 steps to go\n")


def test_what_may_be_typed_is_told_once() -> None:
    evening = Evening("ping a")
    introduction = "type a move such as d5-e5, a hole to see where its marble may go, or help\n"
    assert evening.hear(GAME).endswith(introduction)
    evening.hear("over 7 goal places=A:1,D:2")
    evening.type("")
    assert introduction not in evening.hear(GAME.replace("game 7", "game 8"))


def test_a_square_board_names_its_holes_otherwise() -> None:
    evening = Evening("game 7 halma19 A seats=A:you,C:max limit=9 at_limit=share clock=none")
    evening.game = sternhalma.Game.new("halma19")
    evening.turn()
    for typed in ["q3", "z9", "a1-p17"]:
        name = typed.split("-")[-1]
        sentence = (
            f"there is no hole {name}: they go from a1 to p16, files a to p and ranks 1 to 16"
        )
        assert evening.type(typed) == f"{sentence}\n"


def test_a_game_is_opened_with_who_plays_whither() -> None:
    evening = Evening()
    shown = evening.hear(GAME.replace("7", "8").replace("duel A", "corner+3c A"))
    assert "game 8: corner+3c, 200 turns each; A you, D max\n" in shown
    assert (
        "you play A from the north to the south, C from the south-east to the north-west, "
        "E from the south-west to the north-east\n"
    ) in shown


def test_a_move_is_sent_for_the_turn_that_asked(asked: Evening) -> None:
    assert asked.type("D5-E5") == ""
    assert asked.sent() == ["move 7 1 d5-e5"]
    assert asked.wants() is Wants.SERVER
    assert asked.moved("d5-e5", "n13-m13") == "A you: d5-e5\nD max: n13-m13\n"


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("c5-e9", "c5-e9: no step and no chain of hops leads from c5 to e9\nc5 may go to e5, e7\n"),
        ("a5-b5", "a5-b5: b5 is taken by a marble of A\n"),
        ("n13-m13", "n13-m13: expected a marble of A on n13, there is a marble of D\n"),
        ("d5-z9", "there is no hole z9: rows go from a to q, as beside the board\n"),
        ("z9", "there is no hole z9: rows go from a to q, as beside the board\n"),
        ("d9", "there is no hole d9: row d has d5 to d8\n"),
        ("a1", "there is no hole a1: row a has a5\n"),
        ("d5 e5", f"{HYPHENS}'d5 e5'\n"),
        ("d5e5", f"{HYPHENS}'d5e5'\n"),
        ("d5, e5", f"{HYPHENS}'d5, e5'\n"),
        ("d5 - e5", f"{HYPHENS}'d5 - e5'\n"),
        ("d5-", f"{HYPHENS}'d5-'\n"),
        ("-e5", f"{HYPHENS}'-e5'\n"),
        ("d5--e5", f"{HYPHENS}'d5--e5'\n"),
        ("d5-x", "there is no hole x: rows go from a to q, as beside the board\n"),
        ("xx", "expected a move or a command, got 'xx'\n"),
        ("hnit", "expected a move or a command, got 'hnit', did you mean 'hint'?\n"),
        ("draw", "no draw is on offer\n"),
        ("next", "that is for a replay: type replay first\n"),
        ("3", "that is for a replay: type replay first\n"),
        ("undo", "there is no move of yours to take back\n"),
        ("offer", "expected offer and a move, such as: offer d5-e5\n"),
        ("undo all", "expected undo, or undo and a number of moves\n"),
    ],
)
def test_what_cannot_be_done_is_said_and_not_sent(asked: Evening, line: str, shown: str) -> None:
    assert asked.type(line) == shown
    assert asked.sent() == []
    assert asked.wants() is Wants.PERSON


def test_a_marble_is_shown_where_it_may_go(asked: Evening) -> None:
    shown = asked.type("c5")
    assert " e1 . . . . * . * . . . . . . e13\n" in shown
    assert shown.endswith("\nc5 may go to e5, e7\n")
    assert asked.type("e5") == "e5 is empty\n"
    assert asked.type("a5") == "the marble in a5 has no move now\n"
    assert asked.type("n13") == "the marble in n13 is D's\n"


def test_all_moves_are_listed_a_marble_a_line(asked: Evening) -> None:
    assert asked.type("moves").splitlines()[0] == "c5: e5 e7"
    assert len(asked.type("moves").splitlines()) == 7


def test_a_hint_is_a_move_in_full(asked: Evening) -> None:
    assert asked.type("hint") == "lookahead would play c5-e5\n"


def test_only_the_moves_of_the_person_are_taken_back() -> None:
    evening = Evening()
    for path in PATHS:
        evening.moved(path)
    evening.turn()
    evening.type("undo")
    assert evening.sent() == ["undo 7 3"]


def test_several_moves_are_taken_back_at_once() -> None:
    evening = Evening()
    for path in PATHS:
        evening.moved(path)
    evening.turn()
    assert evening.type("undo 3") == "expected at most 2 moves to take back, got 3\n"
    evening.type("undo 2")
    assert evening.sent() == ["undo 7 1"]


def test_a_game_taken_back_goes_on_without_a_pause_and_with_its_story() -> None:
    evening = Evening()
    evening.moved(*PATHS)
    evening.turn()
    evening.type("undo")
    assert evening.hear("over 7 aborted places=A:0,D:0") == ""
    assert evening.wants() is Wants.SERVER
    shown = evening.hear(GAME.replace("game 7", "game 8"))
    assert shown == "taken back; the game goes on as game 8\n"
    evening.game = sternhalma.Game.new("duel").play("d5-e5").play("n13-m13")
    evening.turn("8")
    evening.type("undo")
    assert evening.sent() == ["undo 7 3", "undo 8 1"]


def test_a_server_that_takes_nothing_back_is_not_asked_to() -> None:
    evening = Evening(GAME.replace("undo=yes", "undo=no"))
    evening.moved(*PATHS)
    evening.turn()
    assert evening.type("undo") == "this server does not offer to take moves back\n"
    assert evening.sent() == []


def test_a_server_that_refuses_to_take_back_leaves_the_turn_open() -> None:
    evening = Evening()
    evening.moved(*PATHS)
    evening.turn()
    evening.type("undo")
    evening.sent()
    assert evening.hear("error illegal tries=9 no") == "illegal: no\n"
    assert evening.wants() is Wants.PERSON
    evening.type("f5-g5")
    assert evening.sent() == ["move 7 5 f5-g5"]


def test_a_draw_is_offered_with_a_move_and_agreed_to_instead_of_one(asked: Evening) -> None:
    said = "you offer a draw: to agree all others have to, before the next move\n"
    assert asked.type("offer d5-e5") == said
    assert asked.sent() == ["move 7 1 d5-e5 draw=offer"]
    asked.moved("d5-e5", "n13-m13")
    shown = asked.hear("offer 7 D")
    assert shown == "D max offers a draw: type draw to agree, or move to decline\n"
    asked.turn()
    asked.type("draw")
    assert asked.sent() == ["draw 7 3"]


def test_a_draw_is_not_offered_where_there_is_none() -> None:
    evening = Evening(GAME.replace("draws=yes", "draws=no"))
    evening.turn()
    assert evening.type("offer d5-e5") == "this game knows no draw by agreement\n"
    assert evening.sent() == []


def test_a_resignation_ends_in_a_pause_that_enter_ends(asked: Evening) -> None:
    asked.type("resign")
    assert asked.sent() == ["resign 7"]
    shown = asked.hear("over 7 resign places=A:2,D:1 seat=A ply=1 line=resign 7")
    assert "game 7 is over: A you resigned; places: 1 D max, 2 A you\n" in shown
    assert asked.wants() is Wants.PERSON
    # There was no move, so there is nothing to walk through.
    choices = "the game is over: type quit to leave, or Enter to go on\n"
    assert [asked.type(line) for line in ["d5-e5", "xx", "99"]] == [choices] * 3
    # The next game waits behind the pause.
    assert asked.hear(GAME.replace("game 7", "game 8")) == ""
    assert asked.turn("8") == ""
    shown = asked.type("")
    assert "game 8: duel" in shown
    asked.type("c5-e5")
    assert asked.sent() == ["move 8 1 c5-e5"]


def test_with_a_clock_the_next_game_does_not_wait() -> None:
    evening = Evening(GAME.replace("clock=none", "clock=2s"))
    evening.hear("over 7 goal places=A:1,D:2")
    assert evening.wants() is Wants.SERVER
    evening.hear(GAME.replace("game 7", "game 8"))
    evening.turn("8", left="75200")
    assert evening.sitting.prompt == "A, ply 1, 1:15 left> "


def test_a_late_move_is_not_sent_once_the_game_is_over(asked: Evening) -> None:
    asked.hear("over 7 time places=A:2,D:1 seat=A ply=1")
    asked.type("d5-e5")
    assert asked.sent() == []


def test_a_wrong_answer_is_quoted_in_the_end() -> None:
    evening = Evening()
    shown = evening.hear("over 7 illegal places=A:1,D:2 seat=D ply=2 line=move 7 2 a1-a2")
    said = "D max played no legal move, 'move 7 2 a1-a2'; places: 1 A you, 2 D max\n"
    assert f"game 7 is over: {said}" in shown


@pytest.mark.parametrize(
    ("over", "said"),
    [
        ("goal places=A:1,D:2", "the goal is reached; places: 1 A you, 2 D max"),
        ("agreement places=A:1,D:1", "a draw was agreed on; places: 1 A you, 1 D max"),
        ("time places=A:1,D:2 seat=D ply=2", "D max ran out of time; places: 1 A you, 2 D max"),
        ("aborted places=A:0,D:0", "it was broken off"),
        ("boredom places=A:1,D:2 seat=D", "D max boredom; places: 1 A you, 2 D max"),
    ],
)
def test_the_end_of_a_game_is_told_in_words(over: str, said: str) -> None:
    assert f"game 7 is over: {said}\n" in Evening().hear(f"over 7 {over}")


def test_every_reason_of_the_protocol_has_words() -> None:
    page = (Path(__file__).parents[2] / "protocol.md").read_text(encoding="utf-8")
    table = page.split("| reason | the game ended because |")[1].split("\n\n")[0]
    reasons = re.findall(r"`([a-z-]+)`", table)
    assert len(reasons) == 13
    for reason in reasons:
        by_itself = Evening().hear(f"over 7 {reason} places=A:1,D:2")
        caused = Evening().hear(f"over 7 {reason} places=A:1,D:2 seat=D")
        # Each is one or the other.
        assert f"over: {reason}" not in by_itself or f"D max {reason};" not in caused


def test_whoever_goes_out_is_told_and_the_position_follows() -> None:
    evening = Evening("game 7 corner A seats=A:you,C:ida,E:kim limit=200 at_limit=share clock=none")
    shown = evening.hear("out 7 A resign ply=1", "moved 7 1 C j14-j13 charged=1 left=-")
    assert shown == "A you are out: resigned\nC ida: j14-j13\n"
    assert evening.hear("out 7 C resign ply=2") == "C ida is out: resigned\n"


def test_a_pass_and_an_opening_are_told_as_what_they_are(evening: Evening) -> None:
    assert evening.hear("moved 7 1 A d5-e5 by=opening") == "A you: d5-e5, by the opening\n"
    sealed = "A/DD/D1D/4/13/12/11/4DD4/4DDD2/10/11/12/13/AAAA/AAA/AA/D"
    evening.hear(
        f"game 8 tara A seats=A:you,D:max clock=none\nturn 8 3 - tara {sealed} A,D A 1,1 -"
    )
    assert evening.hear("moved 8 3 A pass by=rules") == "A you have no move and pass\n"


class TestReplay:
    """Walking through a game, during it and afterwards."""

    @pytest.fixture
    def over(self) -> Evening:
        evening = Evening()
        evening.moved(*PATHS)
        evening.hear("over 7 aborted places=A:0,D:0")
        return evening

    def test_it_goes_step_by_step_from_the_start(self, over: Evening) -> None:
        assert over.type("replay").endswith(
            "\nply 0 of 4: the start\ntype next (or Enter), back, a ply from 0 to 4, or end\n"
        )
        assert over.type("next").endswith("\nply 1 of 4: A you: d5-e5\n")
        assert over.type("").endswith("\nply 2 of 4: D max: n13-m13\n")
        assert over.type("back").endswith("\nply 1 of 4: A you: d5-e5\n")
        assert over.sitting.prompt == "replay 1/4> "

    @pytest.mark.parametrize(
        ("number", "at"), [("3", "ply 3 of 4: A you: e5-f5"), ("0", "ply 0 "), ("4", "ply 4 of 4")]
    )
    def test_a_number_goes_to_a_ply(self, over: Evening, number: str, at: str) -> None:
        assert f"\n{at}" in over.type("replay", number)

    def test_it_shows_the_board_as_it_was(self, over: Evening) -> None:
        assert " e1 . . . . A . . . . . . . . e13\n" in over.type("replay", "1")
        assert "  f2 . . . A . . . . . . . . f13\n" in over.type("3")

    def test_it_ends_where_it_began(self, over: Evening) -> None:
        assert over.type("replay", "end").startswith("\n")
        assert over.wants() is Wants.PERSON
        over.type("")
        assert over.wants() is Wants.SERVER

    def test_other_commands_are_answered_with_those_there_are(self, over: Evening) -> None:
        over.type("replay")
        choices = "next (or Enter), back, a ply from 0 to 4, or end"
        assert over.type("hint") == f"this is a replay: type {choices}\n"
        assert over.type("d5-e5") == f"this is a replay: type {choices}\n"
        assert over.type("xx") == f"expected {choices}, got 'xx'\n"

    def test_a_ply_that_was_never_had_is_named_and_goes_nowhere(self, over: Evening) -> None:
        over.type("replay", "2")
        assert over.type("99") == "there is no ply 99: the last is 4\n"
        assert over.sitting.prompt == "replay 2/4> "

    def test_in_a_game_it_goes_back_to_the_move_that_is_wanted(self) -> None:
        evening = Evening()
        evening.moved(*PATHS)
        evening.turn()
        evening.type("replay", "1")
        assert evening.sent() == []
        assert evening.type("end").endswith("D max: 0 home, 108 steps to go\n")
        evening.type("f5-g5")
        assert evening.sent() == ["move 7 5 f5-g5"]

    def test_to_quit_it_in_a_game_is_not_to_lose_the_game(self) -> None:
        evening = Evening()
        evening.moved(*PATHS)
        evening.turn()
        shown = evening.type("replay", "1", "quit")
        assert shown.endswith("the replay is ended; quit once more leaves, and loses the game\n")
        assert (evening.sent(), evening.wants()) == ([], Wants.PERSON)
        evening.type("f5-g5")
        assert evening.sent() == ["move 7 5 f5-g5"]

    def test_to_quit_it_when_the_game_is_over_is_to_leave(self, over: Evening) -> None:
        over.type("replay", "quit")
        assert over.wants() is Wants.NOBODY

    def test_help_tells_what_there_is_in_a_replay(self, over: Evening) -> None:
        over.type("replay")
        lines = over.type("help").splitlines()
        words = [line.split()[0] for line in lines]
        assert words == ["next", "back", "7", "board", "end", "help", "quit"]
        for word in words[:4]:
            assert "this is a replay" not in over.type(word)

    def test_a_game_that_was_taken_back_to_its_start_is_none_to_walk_through(self) -> None:
        evening = Evening()
        evening.moved(*PATHS)
        evening.turn()
        evening.type("undo 2")
        evening.hear("over 7 aborted places=A:0,D:0", GAME.replace("game 7", "game 8"))
        evening.game = sternhalma.Game.new("duel")
        evening.turn("8")
        assert evening.type("replay") == "there is no game to walk through yet\n"

    def test_there_is_none_before_the_first_move(self, asked: Evening) -> None:
        assert asked.type("replay") == "there is no game to walk through yet\n"

    def test_a_whole_game_is_walked_through_after_moves_were_taken_back(self) -> None:
        evening = Evening()
        evening.moved(*PATHS)
        evening.turn()
        evening.type("undo")
        evening.hear("over 7 aborted places=A:0,D:0", GAME.replace("game 7", "game 8"))
        evening.game = sternhalma.Game.new("duel").play("d5-e5").play("n13-m13")
        evening.turn("8")
        evening.type("c5-d5")
        evening.moved("c5-d5", game="8")
        evening.hear("over 8 resign places=A:1,D:2 seat=D ply=4 line=resign 8")
        assert evening.type("replay", "3").endswith("\nply 3 of 3: A you: c5-d5\n")
        assert evening.type("1").endswith("\nply 1 of 3: A you: d5-e5\n")


def test_a_game_restated_after_a_break_keeps_its_story() -> None:
    evening = Evening()
    evening.moved(*PATHS)
    evening.turn()
    evening.sitting.reconnect(evening.sitting.core.again())
    assert evening.sitting.shown() == "the connection has broken; trying to come back\n"
    assert evening.wants() is Wants.SERVER
    evening.hear(*GREETING.splitlines(), GAME)
    assert evening.sent() == ["login you slot=1 key=k"]
    assert " e1 . . . . . . . . . . . . . e13\n" in evening.turn()
    evening.type("undo")
    assert evening.sent() == ["undo 7 3"]


def test_a_game_that_was_joined_late_is_shown_as_the_turn_has_it(evening: Evening) -> None:
    evening.game = evening.game.play("d5-e5").play("n13-m13")
    assert " e1 . . . . A . . . . . . . . e13\n" in evening.turn()
    evening.type("e5-f5")
    assert evening.sent() == ["move 7 3 e5-f5"]


def test_who_quits_says_so_and_nobody_is_listened_to(asked: Evening) -> None:
    asked.type("quit")
    assert asked.sent() == ["bye"]
    assert asked.wants() is Wants.NOBODY


def test_after_the_goodbye_there_is_a_last_look_at_the_game() -> None:
    evening = Evening(GAME.replace("clock=none", "clock=2s"))
    evening.moved(*PATHS)
    evening.hear("over 7 goal places=A:1,D:2", "bye event-over thank you for playing")
    assert evening.wants() is Wants.SERVER
    evening.sitting.finish()
    assert evening.wants() is Wants.PERSON
    assert "ply 4 of 4" in evening.type("replay", "4", "end")
    evening.type("")
    assert evening.wants() is Wants.NOBODY
    assert evening.sent() == []


def test_who_has_looked_already_is_not_asked_again() -> None:
    evening = Evening()
    evening.moved(*PATHS)
    evening.hear("over 7 goal places=A:1,D:2", "bye event-over thank you for playing")
    assert evening.type("").endswith("the server says goodbye: thank you for playing\n")
    evening.sitting.finish()
    assert evening.wants() is Wants.NOBODY


@pytest.mark.parametrize(
    ("before", "word", "expected"),
    [
        ("", "h", ["hint", "help"]),
        ("", "c", ["c5", "c6", "c7"]),
        ("", "c5-", ["c5-e5", "c5-e7"]),
        ("", "C5-E7", ["c5-e7"]),
        ("offer ", "c5-e", ["c5-e5", "c5-e7"]),
        ("offer ", "h", []),
        ("d5-e5 ", "", []),
        ("", "z9-", []),
        ("", "a5-", []),
    ],
)
def test_a_word_is_completed(asked: Evening, before: str, word: str, expected: list[str]) -> None:
    assert asked.sitting.complete(before, word) == expected


def test_where_no_move_is_wanted_only_commands_are_completed(evening: Evening) -> None:
    assert evening.sitting.complete("", "c") == []
    assert evening.sitting.complete("", "re") == ["resign", "replay"]


def test_every_command_of_the_help_is_understood(asked: Evening) -> None:
    lines = asked.type("help").splitlines()
    assert lines == asked.type("?").splitlines()
    for line in lines:
        word = line.split("  ")[0].removesuffix(" [N]")
        assert "expected a move or a command" not in Evening().type(word)


def test_colours_mark_the_marbles_and_the_last_move() -> None:
    evening = Evening(colour=True)
    evening.moved("d5-e5")
    shown = evening.hear(f"turn 7 2 - {evening.game}")
    assert "\x1b[7;1;31mA\x1b[0m" in shown  # the marble that has moved
    assert "\x1b[7;31m.\x1b[0m" in shown  # where it came from
    assert "\x1b[1;36mD\x1b[0m" in shown
