"""The engine behind the text-level surface of `NaiveGame`, so that one test can ask both.

Also the small helpers that tests of both need: a position text from a list of marbles.
"""

from collections.abc import Sequence
from typing import Protocol, Self

import sternhalma as sh
from engine.naive import AtLimit, NaiveGame, Result
from engine.naive_board import Hole, naive_board
from engine.naive_text import Fields, write_position


class TextGame(Protocol):
    """What the tests ask of either implementation."""

    @classmethod
    def load(
        cls,
        text: str,
        puzzle: bool = False,
        limit: int | None = None,
        at_limit: AtLimit | None = None,
    ) -> Self: ...
    @classmethod
    def start(
        cls, rules_id: str, players: int, limit: int | None = None, at_limit: AtLimit | None = None
    ) -> Self: ...
    def has_ended(self) -> bool: ...
    def moves(self) -> set[tuple[str, str]]: ...
    def is_legal_path(self, path: Sequence[str]) -> bool: ...
    def full_path(self, origin_name: str, end_name: str) -> list[str]: ...
    def play(self, move: str) -> None: ...
    def drop(self, seat: int) -> None: ...
    def agree(self) -> None: ...
    def home_and_distance(self, seat: int) -> tuple[int, int]: ...
    def position_text(self) -> str: ...
    def result(self) -> Result | None: ...
    def perft(self, depth: int) -> int: ...


class EngineGame:
    """`sternhalma.Game` with the surface of `NaiveGame`."""

    def __init__(self, game: sh.Game) -> None:
        self.game = game

    @classmethod
    def load(
        cls,
        text: str,
        puzzle: bool = False,
        limit: int | None = None,
        at_limit: AtLimit | None = None,
    ) -> Self:
        return cls(sh.Game.load(text, puzzle=puzzle, limit=limit, at_limit=at_limit))

    @classmethod
    def start(
        cls, rules_id: str, players: int, limit: int | None = None, at_limit: AtLimit | None = None
    ) -> Self:
        return cls(sh.Game.new(rules_id, players=players, limit=limit, at_limit=at_limit))

    def has_ended(self) -> bool:
        return self.game.turn is None

    def moves(self) -> set[tuple[str, str]]:
        listed = [self.game.format_move(move) for move in self.game.legal_moves()]
        pairs = {(origin, end) for origin, _, end in (text.partition("-") for text in listed)}
        assert len(pairs) == len(listed), "a move is listed twice"
        return pairs

    def is_legal_path(self, path: Sequence[str]) -> bool:
        try:
            move = self.game.parse_move("-".join(path))
        except sh.NotationError:
            return False
        return self.game.is_legal(move)

    def full_path(self, origin_name: str, end_name: str) -> list[str]:
        board = self.game.position.rules.board
        ends = board.parse_hole(origin_name), board.parse_hole(end_name)
        found = self.game.find_path(*ends)
        assert found is not None
        written = self.game.format_move(found)
        short = self.game.parse_move(f"{origin_name}-{end_name}")
        assert self.game.format_move(self.game.resolve(short)) == written
        return written.split("-")

    def play(self, move: str) -> None:
        self.game = self.game.play(move)

    def drop(self, seat: int) -> None:
        self.game = self.game.drop(sh.Seat(seat))

    def agree(self) -> None:
        self.game = self.game.agree()

    def home_and_distance(self, seat: int) -> tuple[int, int]:
        progress = self.game.progress(sh.Seat(seat))
        return progress.home, progress.distance

    def position_text(self) -> str:
        return sh.format_position(self.game.position)

    def result(self) -> Result | None:
        result = self.game.result
        if result is None:
            return None
        return (
            result.end.name.lower(),
            tuple(result.places),
            tuple(result.home),
            tuple(result.distance),
        )

    def perft(self, depth: int) -> int:
        return sh.perft(self.game.position, depth)


BOTH: list[type[TextGame]] = [EngineGame, NaiveGame]


def position(
    rules_id: str,
    marbles: str,
    *,
    seats: str = "A,D",
    turn: str = "A",
    counts: str = "",
    done: str = "-",
) -> str:
    """The position text with *marbles* given as `A i9; D i10 j11`, all other holes empty."""
    board = naive_board(rules_id.split("+", maxsplit=1)[0])
    held: dict[Hole, str] = {}
    for colour in marbles.split(";"):
        letter, *names = colour.split()
        held |= {board.by_name[name]: letter for name in names}
    letters = seats.split(",")
    fields = Fields(rules_id, letters, held, None, [0] * len(letters), [], [])
    words = write_position(fields).split(" ")
    return " ".join([*words[:3], turn, counts or words[4], done])
