"""A second, deliberately plain implementation of RULES.md to hold against the engine.

It imports nothing of the engine and shares no table with it.  Where the page can be read in two
ways, the reading taken is the most literal one; each is marked "Reading" beside its rule number.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from engine.naive_board import Hole, hole_name, naive_board
from engine.naive_text import (
    Fields,
    NaiveError,
    read_position,
    read_rules_id,
    seats_for,
    write_position,
)

AtLimit = Literal["share", "progress"]
Result = tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...]]

# Measured once for each board: random play begins thousands of games.
KNOWN_STEPS: dict[tuple[str, bool, str], dict[Hole, int]] = {}


class NaiveGame:
    """One game that changes in place; seats are numbered from 0 in turn order."""

    def __init__(
        self, fields: Fields, limit: int | None = None, at_limit: AtLimit | None = None
    ) -> None:
        self.rules_id = fields.rules_id
        self.variant, self.options = read_rules_id(fields.rules_id)
        self.board = naive_board(self.variant)
        self.seats = fields.seats
        self.marbles = dict(fields.marbles)
        self.turn = fields.turn
        self.counts = list(fields.counts)
        self.finished = [list(group) for group in fields.finished]
        self.out = list(fields.out)
        default = 400 if self.variant.startswith("halma") else 200
        self.limit = default if limit is None else limit
        # Reading of 14 and 15: in `tara` the places always go by 16, so that `at_limit`, which an
        # event chooses, is nothing to choose there.
        if self.variant == "tara" and at_limit == "share":
            raise NaiveError("the places of 'tara' go by progress")
        self.at_limit = "progress" if self.variant == "tara" else at_limit or "share"
        self.passed: set[int] = set()
        self.reason: str | None = None
        self.reached: set[tuple[Hole, Hole]] | None = None
        self.steps = {letter: self.steps_home(letter) for letter in self.board.letters}

    @classmethod
    def load(
        cls,
        text: str,
        puzzle: bool = False,
        limit: int | None = None,
        at_limit: AtLimit | None = None,
    ) -> "NaiveGame":
        """Rule 20: tested as in 13 before the first move, and no passes so far.

        Reading of 13 and 17: loading is not the end of anybody's own turn, so nobody goes out.
        Reading of "`-` when over": where nothing shows how the game ended, it was at the limit or
        by passes, which leave no mark in the text.
        """
        game = cls(read_position(text, puzzle), limit, at_limit)
        game.settle()
        if game.turn is None and game.reason is None:
            game.reason = game.at_limit
        game.hand_on()
        return game

    @classmethod
    def start(
        cls, rules_id: str, players: int, limit: int | None = None, at_limit: AtLimit | None = None
    ) -> "NaiveGame":
        variant, options = read_rules_id(rules_id)
        seats = seats_for(variant, options, players)
        fields = Fields(rules_id, seats, {}, 0, [0] * len(seats), [], [])
        game = cls(fields, limit, at_limit)
        for letter in "".join(seats):
            for hole in game.full_start(letter):
                game.marbles[hole] = letter
        return game

    # Points: the ten holes for starts and locks, all fifteen with `15` for filling and measuring.

    def full_start(self, letter: str) -> set[Hole]:
        point = self.board.points[letter]
        if "15" in self.options:
            named = {"A": "e5 e6 e7 e8 e9", "D": "m9 m10 m11 m12 m13"}.get(letter, "")
            return point | {self.board.by_name[name] for name in named.split()}
        return point

    def full_target(self, letter: str) -> set[Hole]:
        return self.full_start(self.board.opposite(letter))

    def steps_home(self, letter: str) -> dict[Hole, int]:
        """For every hole the distance of rule 16 for a marble of *letter*."""
        key = (self.variant, "15" in self.options, letter)
        if key not in KNOWN_STEPS:
            KNOWN_STEPS[key] = self.board.steps_to(self.full_target(letter))
        return KNOWN_STEPS[key]

    def lock(self, letter: str) -> set[Hole]:
        return self.board.points[self.board.opposite(letter)]

    # Who is who.

    def has_ended(self) -> bool:
        return self.turn is None

    def is_in(self, seat: int) -> bool:
        return seat not in self.out and not any(seat in group for group in self.finished)

    def seats_in(self) -> list[int]:
        return [seat for seat in range(len(self.seats)) if self.is_in(seat)]

    def units(self) -> list[list[int]]:
        """Who is placed together: each pair with `pairs`, else each seat alone."""
        everyone = range(len(self.seats))
        if "pairs" in self.options:
            half = len(self.seats) // 2
            return [[seat, seat + half] for seat in range(half)]
        return [[seat] for seat in everyone]

    def unit_of(self, seat: int) -> list[int]:
        return next(unit for unit in self.units() if seat in unit)

    # Moving (rules 5 to 11).

    def hops(self, empty: Hole, hole: Hole) -> list[Hole]:
        """The landings of one hop from *hole*, by direction; *empty* is the marble's origin."""

        def is_empty(place: Hole) -> bool:
            return place == empty or place not in self.marbles

        landings = []
        for ray in self.board.rays[hole]:
            longest = len(ray) // 2 if "long" in self.options else min(1, len(ray) // 2)
            for k in range(1, longest + 1):
                over, landing = ray[k - 1], ray[2 * k - 1]
                between = ray[: k - 1] + ray[k : 2 * k - 1]
                if not is_empty(over) and is_empty(landing) and all(map(is_empty, between)):
                    landings.append(landing)
        return landings

    def holds_lock(self, letter: str, before: Hole, landing: Hole) -> bool:
        """Rule 11 for one landing: `corner` and Halma never let a marble out of its target."""
        if self.variant in ("tara", "duel"):
            return True
        return before not in self.lock(letter) or landing in self.lock(letter)

    def may_end(self, letter: str, origin: Hole, end: Hole) -> bool:
        """Rules 8, 10 and 11 for the end of a move."""
        if end == origin:
            return False
        target = self.lock(letter)
        if self.variant == "tara" and origin in target and end not in target:
            return False
        if self.variant == "tara" or "through" in self.options:
            for owner, point in self.board.points.items():
                if end in point and owner not in (letter, self.board.opposite(letter)):
                    return False
        return True

    def ends_from(self, origin: Hole) -> set[Hole]:
        letter = self.marbles[origin]
        ends = set()
        for direction in self.board.directions:
            there = self.board.along(origin, direction, 1)
            if there is None or there in self.marbles:
                continue
            if self.holds_lock(letter, origin, there):
                ends.add(there)
        # Forbidding a second landing (rule 8) never changes what can be reached, so no path needs
        # to be remembered here.
        seen = {origin}
        waiting = [origin]
        while waiting:
            hole = waiting.pop()
            for landing in self.hops(origin, hole):
                if landing not in seen and self.holds_lock(letter, hole, landing):
                    seen.add(landing)
                    waiting.append(landing)
        return {end for end in ends | seen if self.may_end(letter, origin, end)}

    def own_holes(self, seat: int) -> list[Hole]:
        return [hole for hole, letter in self.marbles.items() if letter in self.seats[seat]]

    def reachable(self) -> set[tuple[Hole, Hole]]:
        if self.turn is None:
            return set()
        if self.reached is None:
            self.reached = {
                (origin, end)
                for origin in self.own_holes(self.turn)
                for end in self.ends_from(origin)
            }
        return self.reached

    def moves(self) -> set[tuple[str, str]]:
        """Every legal (from, to)."""
        return {(hole_name(origin), hole_name(end)) for origin, end in self.reachable()}

    def is_legal_path(self, path: Sequence[str]) -> bool:
        """Whether *path* may be written: two holes any way there, more of them hop by hop."""
        if any(name not in self.board.by_name for name in path) or not 2 <= len(path) <= 128:
            return False
        holes = [self.board.by_name[name] for name in path]
        origin, end = holes[0], holes[-1]
        if (origin, end) not in self.reachable():
            return False
        if len(holes) == 2:
            return True
        letter = self.marbles[origin]
        for before, landing in pairwise(holes):
            if landing not in self.hops(origin, before):
                return False
            if not self.holds_lock(letter, before, landing):
                return False
        if self.variant in ("tara", "duel"):
            return len(set(holes)) == len(holes)
        return True

    def full_path(self, origin_name: str, end_name: str) -> list[str]:
        """The path that records keep: fewest landings, then the first direction that differs."""
        origin, end = self.board.by_name[origin_name], self.board.by_name[end_name]
        assert (origin, end) in self.reachable()
        letter = self.marbles[origin]
        if any(self.board.along(origin, step, 1) == end for step in self.board.directions):
            return [origin_name, end_name]
        layer: dict[Hole, list[Hole]] = {origin: [origin]}
        seen = {origin}
        while end not in layer:
            following: dict[Hole, list[Hole]] = {}
            # A layer stands in the order of its paths and the hops in that of directions, so the
            # first path to a hole is the one to keep.
            for hole, path in layer.items():
                for landing in self.hops(origin, hole):
                    if landing not in seen and self.holds_lock(letter, hole, landing):
                        following.setdefault(landing, [*path, landing])
            seen |= set(following)
            layer = following
        return [hole_name(hole) for hole in layer[end]]

    def perft(self, depth: int) -> int:
        """The number of ways to play *depth* moves, blind to finishes and without passes."""
        turn = self.turn or 0
        still_in = self.seats_in()
        order = [s for s in still_in if s >= turn] + [s for s in still_in if s < turn]
        return self.count(depth, order)

    def count(self, depth: int, order: list[int]) -> int:
        if depth == 0:
            return 1
        moves = [(o, end) for o in self.own_holes(order[0]) for end in self.ends_from(o)]
        if depth == 1:
            return len(moves)
        total = 0
        for origin, end in moves:
            self.marbles[end] = self.marbles.pop(origin)
            total += self.count(depth - 1, order[1:] + order[:1])
            self.marbles[origin] = self.marbles.pop(end)
        return total

    # Finishing (rules 12 to 20).

    def fills(self, there: str, letter: str, thirty: bool) -> bool:
        """Rule 12: whether a marble *there* counts in the target of *letter*."""
        if there == letter:
            return True
        if any(there in self.seats[seat] for seat in self.out):
            return True  # rule 18, under every rule set and in whichever target it stands
        if self.variant == "duel":
            return False
        if self.variant == "tara":
            return thirty and there == self.board.opposite(letter)
        if "out40" in self.options:
            return False
        if "pairs" in self.options:
            return there != self.board.opposite(letter)
        return True

    def has_filled(self, seat: int) -> bool:
        thirty = all(self.counts[other] >= 30 for other in self.seats_in())
        for letter in self.seats[seat]:
            held = [self.marbles.get(hole) for hole in self.full_target(letter)]
            if letter not in held:
                return False
            if not all(there and self.fills(there, letter, thirty) for there in held):
                return False
        return True

    def home_and_distance(self, seat: int) -> tuple[int, int]:
        """Rule 16 for one seat; a marble is home in the target of its own letter."""
        home = distance = 0
        for hole in self.own_holes(seat):
            letter = self.marbles[hole]
            if hole in self.full_target(letter):
                home += 1
            else:
                distance += self.steps[letter][hole]
        return home, distance

    def measure(self, unit: list[int]) -> tuple[int, int]:
        """Rule 16 for a unit, as a key that sorts the better one first."""
        each = [self.home_and_distance(seat) for seat in unit]
        return -sum(home for home, _ in each), sum(distance for _, distance in each)

    def in_order_of_16(self, units: list[list[int]]) -> list[list[list[int]]]:
        """*units* in groups, better ones first, level ones together."""
        measures = sorted({tuple(self.measure(unit)) for unit in units})
        return [[unit for unit in units if self.measure(unit) == m] for m in measures]

    def put_out(self, seat: int) -> None:
        """Rule 18.

        Reading: only the player's own marbles are lifted, and only from the ten-hole point or
        camp that is the start of one of the player's letters.  A partner who had finished is
        from then on out and no longer a finisher.
        """
        for gone in self.unit_of(seat):
            starts = set[Hole]().union(*(self.board.points[s] for s in self.seats[gone]))
            for hole in self.own_holes(gone):
                if hole in starts:
                    del self.marbles[hole]
            self.out.append(gone)
            self.finished = [[s for s in group if s != gone] for group in self.finished]
        self.finished = [group for group in self.finished if group]

    def complete_units(self) -> list[list[int]]:
        return [
            unit
            for unit in self.units()
            if all(any(seat in group for group in self.finished) for seat in unit)
        ]

    def settle(self) -> None:
        """Rule 13's order once rule 17 is done: finishes, one left, the limit, the passes.

        Reading of 9, 13 and 15: somebody going out between turns runs through the same four.
        """
        finishing = [seat for seat in self.seats_in() if self.has_filled(seat)]
        # Reading of 16 with pairs: the pair's sums order its partners, who are thus level.
        by_measure: dict[tuple[int, int], list[int]] = {}
        for seat in finishing:
            by_measure.setdefault(self.measure(self.unit_of(seat)), []).append(seat)
        self.finished += [by_measure[key] for key in sorted(by_measure)]

        stops_at_first = self.variant in ("tara", "duel") or "first" in self.options
        units_left = [unit for unit in self.units() if any(self.is_in(seat) for seat in unit)]
        if stops_at_first and self.complete_units():
            self.reason = "goal"
        elif len(units_left) <= 1:
            # Reading: the page names no reason here; a finish that settles the game is "goal".
            self.reason = "goal" if finishing or not self.out else "last"
        elif all(self.counts[seat] >= self.limit for seat in self.seats_in()) or all(
            seat in self.passed for seat in self.seats_in()
        ):
            self.reason = self.at_limit

    def hand_on(self) -> None:
        """Give the turn to the next player still in, if the one who has it is not."""
        if self.reason is not None:
            self.turn = None
        while self.turn is not None and not self.is_in(self.turn):
            self.turn = (self.turn + 1) % len(self.seats)
        self.reached = None

    def play(self, move: str) -> None:
        """Play a path written `a5-c7-e7`, or `pass`."""
        if self.turn is None:
            raise NaiveError("the game is over")
        if move == "pass":
            if self.reachable():
                raise NaiveError("a pass with a move at hand")
            self.passed.add(self.turn)
        else:
            path = move.split("-")
            if not self.is_legal_path(path):
                raise NaiveError(f"illegal {move!r}")
            letter = self.marbles.pop(self.board.by_name[path[0]])
            self.marbles[self.board.by_name[path[-1]]] = letter
            self.passed = set()
        mover = self.turn
        self.counts[mover] += 1
        if self.is_late_at_home(mover):
            self.put_out(mover)
        self.settle()
        self.turn = (mover + 1) % len(self.seats)
        self.hand_on()

    def is_late_at_home(self, mover: int) -> bool:
        """Rule 17.

        Reading with `2c` and `3c`: any marble of the player's in any of the player's points.
        """
        if "out40" not in self.options or self.counts[mover] < 40:
            return False
        starts = set[Hole]().union(*(self.board.points[s] for s in self.seats[mover]))
        return any(hole in starts for hole in self.own_holes(mover))

    def drop(self, seat: int) -> None:
        """A resignation or forfeit (rule 18)."""
        if self.turn is None or not self.is_in(seat):
            raise NaiveError(f"seat {seat} cannot go out")
        self.put_out(seat)
        self.settle()
        self.hand_on()

    def agree(self) -> None:
        """Rule 19: the draw that all players still in have agreed to."""
        if self.variant != "duel" or self.turn is None:
            raise NaiveError("no draw by agreement here")
        self.reason = "agreement"
        self.hand_on()

    def position_text(self) -> str:
        return write_position(
            Fields(
                self.rules_id,
                self.seats,
                self.marbles,
                self.turn,
                self.counts,
                self.finished,
                self.out,
            )
        )

    def result(self) -> Result | None:
        """Reason, places, marbles home and distance left, each per seat; None while it runs."""
        if self.reason is None:
            return None
        places = [0] * len(self.seats)
        taken = 0
        for group in self.final_groups():
            for unit in group:
                for seat in unit:
                    places[seat] = taken + 1
            taken += len(group)
        shown = []
        for seat, place in enumerate(places):
            home, distance = self.home_and_distance(seat)
            finished = any(seat in group for group in self.finished)
            # Reading of 16: "the winner" of `tara` is a finisher in the first place, and only the
            # number home is shown otherwise than it is.
            if self.variant == "tara" and finished and place == 1:
                home = 10
            shown.append((home, distance))
        return (
            self.reason,
            tuple(places),
            tuple(home for home, _ in shown),
            tuple(distance for _, distance in shown),
        )

    def final_groups(self) -> list[list[list[int]]]:
        """The units from the best place to the worst, those on one place together."""
        if self.reason == "agreement":
            return [self.units()]
        complete = self.complete_units()
        groups = []
        for moment in self.finished:
            # A pair has finished when the later of its partners has.
            later = [
                unit
                for unit in complete
                if any(seat in moment for seat in unit)
                and not any(seat in after for seat in unit for after in self.after(moment))
            ]
            groups.append(later)
        left = [u for u in self.units() if u not in complete and not any(s in self.out for s in u)]
        groups += self.in_order_of_16(left) if self.at_limit == "progress" else [left]
        # Rule 18: the later out the higher, a pair out at one time.
        gone = [unit for unit in self.units() if unit[0] in self.out]
        gone.sort(key=lambda unit: self.out.index(unit[0]), reverse=True)
        return [group for group in groups if group] + [[unit] for unit in gone]

    def after(self, moment: list[int]) -> list[list[int]]:
        return self.finished[self.finished.index(moment) + 1 :]
