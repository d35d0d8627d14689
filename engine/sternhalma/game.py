"""A game: a position, the terms it is played on, and how it ends.

Games are values. `play`, `drop`, `resign` and `agree` return the game after, so that taking back is
to keep the game before.

After a turn things are settled in this order, which decides who gets which place: the start rule
(`out40`) for the mover; who has finished, tested for everybody at once; whether only one is left;
the turn limit; a round of passes.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from sternhalma.board import Hole, Mask
from sternhalma.finishing import finishers
from sternhalma.move import IllegalMoveError, Move, format_move, parse_move
from sternhalma.movegen import can_move, seat_list, seat_moves
from sternhalma.notation import format_position, parse_position
from sternhalma.paths import find_path, resolve
from sternhalma.position import Position, Progress
from sternhalma.result import End, Result, Terms, place
from sternhalma.rules import AtLimit, Filling, Rules
from sternhalma.seating import Seat

_NOBODY: Final = frozenset[Seat]()


class Game(NamedTuple):
    """One game. Make it with `Game.new` or `Game.load`.

    `passed` are the seats that have passed since the last move, `last` is the full path played
    last, `result` is None while the game goes on.
    """

    position: Position
    terms: Terms
    passed: frozenset[Seat] = frozenset()
    last: Move | None = None
    result: Result | None = None

    @staticmethod
    def new(
        rules: Rules | str,
        players: int = 2,
        *,
        limit: int | None = None,
        at_limit: AtLimit | None = None,
    ) -> Game:
        """A game before its first turn. Raises `RulesError`.

        *limit* is the number of turns each may have, *at_limit* how those unfinished then are
        placed; None takes what the rules say.
        """
        if isinstance(rules, str):
            rules = Rules.parse(rules)
        return Game(Position.start(rules, players), Terms.of(rules, limit, at_limit))

    @staticmethod
    def load(
        text: str,
        *,
        puzzle: bool = False,
        limit: int | None = None,
        at_limit: AtLimit | None = None,
    ) -> Game:
        """The game that goes on from a position text. Raises `PositionError`.

        Whoever fills the target already has finished before the first move.
        """
        return Game.from_position(
            parse_position(text, puzzle=puzzle), limit=limit, at_limit=at_limit
        )

    @staticmethod
    def from_position(
        position: Position, *, limit: int | None = None, at_limit: AtLimit | None = None
    ) -> Game:
        """The game that goes on from *position*; see `load`."""
        terms = Terms.of(position.rules, limit, at_limit)
        return _settle(position, terms, frozenset(), None)

    def __str__(self) -> str:
        return format_position(self.position)

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self.position.rules

    @property
    def turn(self) -> Seat | None:
        """The seat to move, None when the game is over."""
        return self.position.turn

    @property
    def ply(self) -> int:
        """The number of the turn to be played, from 1."""
        return self.position.ply

    @property
    def is_over(self) -> bool:
        """Whether there is a result."""
        return self.result is not None

    @property
    def must_pass(self) -> bool:
        """Whether the seat to move has no move, so that its turn is a pass."""
        position = self.position
        return position.turn is not None and not can_move(position, position.turn)

    def legal_moves(self) -> list[Move]:
        """The moves of the seat to move in their short form, ascending; empty if it must pass.

        `find_path` gives the full path of one.
        """
        position = self.position
        return [] if position.turn is None else seat_list(position, position.turn)

    def reach(self) -> dict[Hole, Mask]:
        """For each marble that can move the set of holes where its move may end."""
        return {} if self.turn is None else dict(seat_moves(self.position, self.turn))

    def find_path(self, origin: Hole, target: Hole) -> Move | None:
        """The canonical full path of a legal move, None if there is none from there to there.

        Fewest landings; then the first hop that differs decides by the order of directions.
        """
        if self.turn is None or not self.position.own(self.turn) >> origin & 1:
            return None
        return find_path(self.position, origin, target)

    def parse_move(self, text: str) -> Move:
        """The move written *text*, legal or not. Raises `NotationError`."""
        return parse_move(self.rules.board, text)

    def format_move(self, move: Move) -> str:
        """The notation of *move*; `parse_move` reads it back."""
        return format_move(self.rules.board, move)

    def resolve(self, move: Move) -> Move:
        """The full path of a legal move. Raises `IllegalMoveError` with the reason."""
        return resolve(self.position, move)

    def is_legal(self, move: Move) -> bool:
        """Whether *move* may be played now."""
        try:
            resolve(self.position, move)
        except IllegalMoveError:
            return False
        return True

    def play(self, move: Move | str) -> Game:
        """The game after *move*. Raises `IllegalMoveError`, `NotationError` for a wrong text."""
        if isinstance(move, str):
            move = self.parse_move(move)
        position, terms = self.position, self.terms
        full = resolve(position, move)
        seating, _, mover, had, finished, out = position
        assert mover is not None
        counts = (*had[:mover], had[mover] + 1, *had[mover + 1 :])
        if full.path:
            marbles = position.moved(full.path[0], full.path[-1])
            passed = _NOBODY
        else:
            marbles = position.marbles
            passed = self.passed | {mover}
        after = Position(seating, marbles, position.following(mover), counts, finished, out)
        if not (passed or finished or out) and _goes_on(after, terms, mover, full.path[-1]):
            return Game(after, terms, passed, full)
        return _settle(after, terms, passed, full, mover=mover)

    def drop(self, seat: Seat) -> Game:
        """The game after *seat* has gone out: resigned, or been forfeited.

        Its marbles are lifted from its start point, the others stay where they are. With pairs its
        partner goes out with it. Raises `ValueError` if the game is over or the seat is not in it.
        """
        if self.is_over:
            raise ValueError(f"expected a running game to drop seat {seat} from, it is over")
        if seat not in self.position.active:
            raise ValueError(f"expected a seat still in, got {self.position.seats[seat]!r}")
        return _settle(_out(self.position, seat), self.terms, self.passed, self.last)

    def resign(self, seat: Seat) -> Game:
        """The game after *seat* has resigned; the same as `drop`."""
        return self.drop(seat)

    def agree(self) -> Game:
        """The game after all players still in have agreed on a draw, which only `duel` knows.

        Raises `ValueError` under other rules and when the game is over.
        """
        if not self.rules.draws:
            raise ValueError(f"expected rules with a draw by agreement, got {self.rules.id!r}")
        if self.is_over:
            raise ValueError("expected a running game to agree on, it is over")
        return _over(self.position, self.terms, End.AGREEMENT, self.passed, self.last)

    def progress(self, seat: Seat) -> Progress:
        """How far *seat* has come: marbles home, and steps left for the others."""
        return self.position.progress(seat)


def _out(position: Position, seat: Seat) -> Position:
    """*position* after *seat*, and its partner with it, has gone out."""
    unit = position.seating.units[seat]
    for member in unit:
        position = position.without(member, position.seating.starts[member])
    stay = (tuple(s for s in group if s not in unit) for group in position.finished)
    return position._replace(
        finished=tuple(group for group in stay if group),
        out=(*position.out, unit),
    )


def _goes_on(position: Position, terms: Terms, mover: Seat, target: Hole) -> bool:
    """Whether after a move of *mover* to *target*, with nobody finished or out, there is nothing to
    settle.

    So it is after almost every move, and is known much sooner than `_settle` can tell.
    """
    counts, seating = position.counts, position.seating
    clear_by = seating.rules.clear_by
    if min(counts) >= terms.limit or (clear_by is not None and counts[mover] >= clear_by):
        return False
    # What fills a target is a marble that lands in it, unless its host's begin to count.
    may_finish = seating.filled >> target & 1 or seating.rules.filling is Filling.HOST_LATER
    return not may_finish or not finishers(position)


def _settle(
    position: Position,
    terms: Terms,
    passed: frozenset[Seat],
    last: Move | None,
    *,
    mover: Seat | None = None,
) -> Game:
    """The game at *position*: after a turn of *mover*, or after a drop or loading (None)."""
    rules = position.rules
    before = position
    if mover is not None and rules.clear_by is not None:
        late = position.counts[mover] >= rules.clear_by
        if late and position.own(mover) & position.seating.starts[mover]:
            position = _out(position, mover)
    new = finishers(position)
    if new:
        position = position._replace(finished=position.finished + new)
    end = _end(position, terms, passed, finished=bool(new))
    if end is not None:
        return _over(position, terms, end, passed, last)
    if position.turn is None:  # loaded as over, with nothing left that says why
        return _over(position, terms, terms.at_limit_end, passed, last)
    if position is not before or mover is None:
        # Who goes out or finishes does not get the turn that was his.
        turn: Seat | None = position.turn
        while turn is not None and turn in position.gone:
            turn = position.following(turn)
        position = position._replace(turn=turn)
    return Game(position, terms, passed, last)


def _end(
    position: Position, terms: Terms, passed: frozenset[Seat], *, finished: bool
) -> End | None:
    """How the game ends at *position*, None if it goes on."""
    active = position.active
    if position.finished or position.out:
        units = position.seating.units
        gone = position.gone
        if position.rules.first_ends and any(
            gone.issuperset(units[seat]) for group in position.finished for seat in group
        ):
            return End.GOAL
        if len({units[seat] for seat in active}) <= 1:
            return End.GOAL if finished or not position.out else End.LAST
        fewest = min([position.counts[seat] for seat in active])
    else:
        fewest = min(position.counts)
    if fewest >= terms.limit or (passed and passed.issuperset(active)):
        return terms.at_limit_end
    return None


def _over(
    position: Position, terms: Terms, end: End, passed: frozenset[Seat], last: Move | None
) -> Game:
    return Game(position._replace(turn=None), terms, passed, last, place(position, terms, end))
