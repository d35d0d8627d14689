"""Every choice that tells one rule set from another, as one frozen value.

A rules id is a base (`tara`, `duel`, `corner`, `halma13`, `halma19`) and options behind `+`,
sorted and each once. Nothing else in the engine asks for the name of a rule set: it asks for the
choice that matters there.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal

from sternhalma.board import HALMA13, HALMA19, STAR, Board

AtLimit = Literal["share", "progress"]


class RulesError(ValueError):
    """A rules id, option, combination or number of players that is not played here."""


class Lock(enum.Enum):
    """What binds a marble that has reached its target."""

    NONE = enum.auto()
    ENDS = enum.auto()  # a move that begins in the target ends in the target
    LANDINGS = enum.auto()  # once in the target, every later landing is in the target


class Ends(enum.Enum):
    """Where a move may end."""

    ANYWHERE = enum.auto()
    OWN_POINTS = enum.auto()  # in no point, or in the marble's own start point or target


class Filling(enum.Enum):
    """Whose marbles count, besides the player's own, towards filling a target."""

    OWN = enum.auto()
    HOST_LATER = enum.auto()  # those whose start point it is, once all have had 30 turns
    ANY = enum.auto()  # anybody's, but a partner's


@dataclass(frozen=True, slots=True)
class Rules:
    """One rule set. Make it with `Rules.parse`; `id` is its text.

    `players` are the allowed numbers of players, `marbles` how many each colour has, `limit` the
    default number of turns for each player, `at_limit` how those unfinished at the limit are
    placed, `clear_by` the own turn by which the start point must be left (None: no such rule),
    `colours` how many colours a player has, `first_ends` whether the first finisher ends the game.
    """

    id: str
    board: Board
    players: tuple[int, ...]
    marbles: int
    lock: Lock
    ends: Ends
    filling: Filling
    limit: int
    at_limit: AtLimit = "share"
    revisits: bool = True
    long: bool = False
    clear_by: int | None = None
    pairs: bool = False
    fifteen: bool = False
    colours: int = 1
    first_ends: bool = False
    draws: bool = False

    @property
    def base(self) -> str:
        """The id without its options."""
        return self.id.partition("+")[0]

    @property
    def options(self) -> tuple[str, ...]:
        """The options of the id."""
        return tuple(self.id.split("+")[1:])

    @staticmethod
    def parse(text: str) -> Rules:
        """The rule set with the id *text*. Raises `RulesError` naming what is allowed.

        >>> Rules.parse("corner+long").players
        (2, 3, 4, 6)
        """
        return _parse(text)

    def check_players(self, players: int) -> None:
        """Raise `RulesError` unless these rules are played by *players* players."""
        if players not in self.players:
            allowed = _listed([str(n) for n in self.players])
            raise RulesError(f"expected {allowed} players for {self.id!r}, got {players}")


HOST_COUNTS_AFTER: Final = 30  # turns had by every player still in

BASES: Final[Mapping[str, Rules]] = {
    "tara": Rules(
        id="tara",
        board=STAR,
        players=(2, 3, 4, 6),
        marbles=10,
        lock=Lock.ENDS,
        ends=Ends.OWN_POINTS,
        filling=Filling.HOST_LATER,
        limit=200,
        at_limit="progress",
        revisits=False,
        first_ends=True,
    ),
    "duel": Rules(
        id="duel",
        board=STAR,
        players=(2,),
        marbles=10,
        lock=Lock.NONE,
        ends=Ends.ANYWHERE,
        filling=Filling.OWN,
        limit=200,
        revisits=False,
        first_ends=True,
        draws=True,
    ),
    "corner": Rules(
        id="corner",
        board=STAR,
        players=(2, 3, 4, 6),
        marbles=10,
        lock=Lock.LANDINGS,
        ends=Ends.ANYWHERE,
        filling=Filling.ANY,
        limit=200,
    ),
    "halma13": Rules(
        id="halma13",
        board=HALMA13,
        players=(2, 4),
        marbles=13,
        lock=Lock.LANDINGS,
        ends=Ends.ANYWHERE,
        filling=Filling.ANY,
        limit=400,
    ),
    "halma19": Rules(
        id="halma19",
        board=HALMA19,
        players=(2,),
        marbles=19,
        lock=Lock.LANDINGS,
        ends=Ends.ANYWHERE,
        filling=Filling.ANY,
        limit=400,
    ),
}

# Which options go with which base, in the order of the id.
OPTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "tara": ("long",),
    "duel": (),
    "corner": ("15", "2c", "3c", "first", "long", "out40", "pairs", "through"),
    "halma13": ("first", "long", "out40", "pairs", "through"),
    "halma19": ("first", "long", "out40"),
}

# Options that say the same thing differently: at most one of them in an id.
EXCLUSIVE: Final = ("15", "2c", "3c", "pairs")


def _with_option(rules: Rules, option: str) -> Rules:
    match option:
        case "long":
            return replace(rules, long=True)
        case "through":
            return replace(rules, ends=Ends.OWN_POINTS)
        case "out40":
            return replace(rules, clear_by=40, filling=Filling.OWN)
        case "pairs":
            return replace(rules, pairs=True, players=tuple(n for n in rules.players if n >= 4))
        case "15":
            return replace(rules, fifteen=True, marbles=15, players=(2,))
        case "2c" | "3c":
            return replace(rules, colours=int(option[0]), players=(2,))
        case "first":
            return replace(rules, first_ends=True)
        case _:
            raise AssertionError(option)


@lru_cache(maxsize=1024)
def _parse(text: str) -> Rules:
    base, *options = text.split("+")
    if base not in BASES:
        raise RulesError(f"expected a rules id {_listed(list(BASES))}, got {base[:40]!r}")
    allowed = OPTIONS[base]
    for option in options:
        if option not in allowed:
            choice = f"one of {', '.join(allowed)}" if allowed else "no option"
            raise RulesError(f"expected {choice} behind {base!r}, got {option[:40]!r}")
    right = "+".join([base, *sorted(set(options))])
    if text != right:
        raise RulesError(f"expected options sorted and each once, {right!r}, got {text[:100]!r}")
    clash = [option for option in options if option in EXCLUSIVE]
    if len(clash) > 1:
        raise RulesError(
            f"expected at most one of {', '.join(EXCLUSIVE)} behind {base!r},"
            f" got {' and '.join(clash)}"
        )
    rules = BASES[base]
    for option in options:
        rules = _with_option(rules, option)
    return replace(rules, id=text)


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
