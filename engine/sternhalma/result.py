"""How a game ended, and who has which place."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from sternhalma.position import Position
from sternhalma.rules import AtLimit, Filling, Rules, RulesError
from sternhalma.seating import Seat


class End(enum.Enum):
    """What ended a game."""

    GOAL = "goal"  # enough players have finished
    LAST = "last"  # all others have gone out
    PROGRESS = "progress"  # the limit, or a round of passes: placed by how far they came
    SHARE = "share"  # the same, and the unfinished share a place
    AGREEMENT = "agreement"  # a draw that all players still in agreed on


@dataclass(frozen=True, slots=True)
class Terms:
    """What an event may set: turns for each player, and how those unfinished then are placed."""

    limit: int
    at_limit: AtLimit

    @staticmethod
    def of(rules: Rules, limit: int | None, at_limit: AtLimit | None) -> Terms:
        """The terms for *rules*, None taking what they say. Raises `RulesError`."""
        if limit is not None and limit < 1:
            raise RulesError(f"expected a limit of at least 1 turn each, got {limit}")
        if at_limit not in {None, "share", "progress"}:
            raise RulesError(f"expected at_limit 'share' or 'progress', got {at_limit!r}")
        if rules.at_limit == "progress" and at_limit == "share":
            raise RulesError(f"expected at_limit 'progress' for {rules.id!r}, got 'share'")
        return Terms(rules.limit if limit is None else limit, at_limit or rules.at_limit)

    @property
    def at_limit_end(self) -> End:
        """How a game ends that reaches the limit."""
        return End.PROGRESS if self.at_limit == "progress" else End.SHARE


@dataclass(frozen=True, slots=True)
class Result:
    """The end of a game, per seat: places (1 is best, level ones share: 1, 2, 2, 4) and how far
    each came, marbles home and steps left for the others."""

    end: End
    places: tuple[int, ...]
    home: tuple[int, ...]
    distance: tuple[int, ...]


Unit = tuple[Seat, ...]  # a pair, or one seat alone


def place(position: Position, terms: Terms, end: End) -> Result:
    """The result of a game that ends at *position* because of *end*.

    Finished players come first, in their order; then those still in; those out last, the later out
    the higher. Partners are placed together, as late as the later of the two.
    """
    levels = [
        *_finished(position),
        *_unfinished(position, shared=end is End.AGREEMENT or terms.at_limit == "share"),
        *([unit] for unit in reversed(position.out)),
    ]
    places = [0] * position.seating.players
    next_place = 1
    for level in levels:
        for unit in level:
            for seat in unit:
                places[seat] = next_place
        next_place += len(level)
    shares = [position.progress(seat) for seat in position.seating.seats]
    return Result(
        end=end,
        places=tuple(places),
        home=tuple(
            _home(position, seat, places[seat], share.home) for seat, share in enumerate(shares)
        ),
        distance=tuple(share.distance for share in shares),
    )


def _finished(position: Position) -> list[list[Unit]]:
    """The units of which every seat has finished, level ones together."""
    levels: list[list[Unit]] = []
    finished: set[Seat] = set()
    for group in position.finished:
        finished.update(group)
        placed = [unit for level in levels for unit in level]
        complete = dict.fromkeys(position.seating.units[seat] for seat in group)
        level = [unit for unit in complete if finished.issuperset(unit) and unit not in placed]
        if level:
            levels.append(level)
    return levels


def _unfinished(position: Position, *, shared: bool) -> list[list[Unit]]:
    """The units still in: all on one level, or by how far they have come."""
    units = list(dict.fromkeys(position.seating.units[seat] for seat in position.active))
    if shared:
        return [units] if units else []
    keys = {unit: position.unit_progress(unit[0]).key for unit in units}
    return [[unit for unit in units if keys[unit] == key] for key in sorted(set(keys.values()))]


def _home(position: Position, seat: int, its_place: int, home: int) -> int:
    # In `tara` the winner's target is full, even if some of its holes hold the host's marbles; the
    # source shows ten for the winner and the true count for everybody else.
    finished = any(seat in group for group in position.finished)
    if position.rules.filling is Filling.HOST_LATER and its_place == 1 and finished:
        return position.rules.marbles
    return home
