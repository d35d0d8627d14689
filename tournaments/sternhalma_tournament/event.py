"""The event file: everything that decides an event before its first move.

An event must follow from its file alone, so that anybody who holds the file can say who plays
whom, from which seat, with which seed. What a single value may be stands here, beside the value;
what values must have to do with each other is checked where a file is read (`event_file`).
"""

import shlex
from typing import Annotated, Any, Final, Literal, get_args

import msgspec
from msgspec import Meta

from sternhalma_tournament.entries import Entry
from sternhalma_tournament.hosting import BotLimits, Budgets, LagCredit, Tls
from sternhalma_tournament.sprt import Model, Sprt
from sternhalma_tournament.tiebreaks import (
    DEFAULT_TIE_BREAKS,
    TIE_BREAKS,
    TieBreak,
)

Format = Literal["round-robin", "gauntlet", "match", "swiss", "knockout", "ladder"]
LEAGUE_FORMATS: Final[tuple[Format, ...]] = get_args(Format)
# A ladder has no end, so it takes a league to run one.
FORMATS: Final[tuple[Format, ...]] = LEAGUE_FORMATS[:-1]
# All games of these are known before the first move.
SCHEDULED: Final[tuple[Format, ...]] = ("round-robin", "gauntlet", "match")
LADDER_SPREAD: Final = 10  # without a schedule, games of different lengths need more room

# `$` alone would let a line feed at the end pass in Python; the lookahead means the same in JSON
# Schema.
_END = r"$(?!\n)"

Slug = Annotated[
    str,
    Meta(
        pattern=rf"^[A-Za-z0-9][A-Za-z0-9._-]{{0,63}}{_END}",
        description="1 to 64 of A-Z, a-z, 0-9, dot, underscore, hyphen; first a letter or digit",
    ),
]
BotName = Annotated[
    str,
    Meta(
        pattern=rf"^[A-Za-z0-9][A-Za-z0-9._-]{{0,31}}{_END}",
        description="1 to 32 of A-Z, a-z, 0-9, dot, underscore, hyphen; first a letter or digit",
    ),
]
Token = Annotated[
    str,
    Meta(
        pattern=rf"^sha256:[0-9a-f]{{64}}{_END}",
        description="'sha256:' and 64 lower-case hexadecimal digits",
    ),
]


class Bot(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One `[[bots]]` table: a program to start, or a name that dials in."""

    name: BotName
    command: Annotated[
        str | tuple[str, ...] | None,
        Meta(description="a command as one string or as a list of strings"),
    ] = None
    remote: Annotated[bool, Meta(description="true for a bot that dials in, or false")] = False
    stdio: Annotated[
        bool, Meta(description="true for a program that speaks over standard streams, or false")
    ] = False
    sandbox: Annotated[bool, Meta(description="true to hold the program in a sandbox")] = False
    token: Token | None = None
    connections: Annotated[int, Meta(ge=1, description="games at once at most, from 1")] | None = (
        None
    )

    @property
    def argv(self) -> tuple[str, ...]:
        """The command's words; empty for a remote bot."""
        if self.command is None:
            return ()
        return tuple(shlex.split(self.command)) if isinstance(self.command, str) else self.command


class Pair(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One `[[pairs]]` table: two bots that play as partners under one name."""

    name: BotName
    bots: Annotated[tuple[str, str], Meta(description="a list of two names of bots")]


class SprtTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The `[sprt]` table: by how much the first entry of a match is stronger, as two claims."""

    elo0: Annotated[float, Meta(description="a number of Elo points")]
    elo1: Annotated[float, Meta(description="a number of Elo points")]
    alpha: Annotated[float, Meta(description="an error rate between 0 and 1")] = 0.05
    beta: Annotated[float, Meta(description="an error rate between 0 and 1")] = 0.05
    model: Annotated[Model, Meta(description="'logistic' or 'normalized'")] = "normalized"

    @property
    def test(self) -> Sprt:
        """The test itself. Raises `SprtError`."""
        return Sprt(self.elo0, self.elo1, self.alpha, self.beta, self.model)


class Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A whole event file, which has passed every check that needs no board (`parse_event`)."""

    name: Slug
    rules: Annotated[str, Meta(min_length=1, description="a rules id such as 'tara+long'")]
    players: Annotated[Literal[2, 3, 4, 6], Meta(description="2, 3, 4 or 6 players a game")]
    format: Annotated[Format, Meta(description=f"one of {', '.join(FORMATS)}")] = "round-robin"
    cycles: Annotated[int, Meta(ge=1, description="a whole number from 1")] = 1
    rounds: Annotated[int, Meta(ge=1, description="rounds, from 1")] | None = None
    challengers: Annotated[
        tuple[str, ...], Meta(description="a list of names of entries, one or more")
    ] = ()
    games: Annotated[int, Meta(ge=1, description="games a match, from 1")] | None = None
    third_place: Annotated[bool, Meta(description="true or false")] = True
    sprt: Annotated[SprtTable, Meta(description="an [sprt] table")] | None = None
    spread: Annotated[int, Meta(ge=1, description="games anybody may be ahead, from 1")] = 2
    clock: Annotated[str, Meta(min_length=1, description="a clock such as '2s' or '60s+0.5s'")]
    limit: Annotated[int, Meta(ge=1, description="turns a player, from 1")] | None = None
    at_limit: Annotated[
        Literal["share", "progress"] | None, Meta(description="'share' or 'progress'")
    ] = None
    seed: Annotated[
        int, Meta(ge=0, le=2**63 - 1, description="a whole number from 0 to 9223372036854775807")
    ] = 0
    opening: Annotated[int, Meta(ge=0, description="random plies before a game, from 0")] = 0
    parallel: Annotated[int, Meta(ge=1, description="games at once, from 1")] | None = None
    draws: Annotated[bool, Meta(description="true or false")] = False
    tries: Annotated[
        int, Meta(ge=0, description="forgiven answers a game and seat, a whole number from 0")
    ] = 0
    tie_breaks: Annotated[
        tuple[TieBreak, ...], Meta(description=f"a list of {', '.join(TIE_BREAKS)}")
    ] = DEFAULT_TIE_BREAKS
    budgets: Annotated[Budgets, Meta(description="a [budgets] table")] = Budgets()
    lag: Annotated[LagCredit, Meta(description="a [lag] table")] | None = None
    tls: Annotated[Tls, Meta(description="a [tls] table")] | None = None
    limits: Annotated[BotLimits, Meta(description="a [limits] table")] = BotLimits()
    bots: Annotated[tuple[Bot, ...], Meta(description="at least two [[bots]] tables")]
    pairs: Annotated[tuple[Pair, ...], Meta(description="[[pairs]] tables")] = ()


def event_schema() -> dict[str, Any]:
    """The JSON Schema of an event file, for editors that complete and check while one types."""
    schema = msgspec.json.schema(Event)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | schema


def sides_of(event: Event) -> int:
    """How many entries meet in a game: one a seat, or with the option pairs one every two seats."""
    return event.players // 2 if plays_in_pairs(event) else event.players


def entries_of(event: Event) -> tuple[Entry, ...]:
    """The entries in the order of the file: the pairs where pairs are named, else the bots."""
    if event.pairs:
        return tuple(Entry(pair.name, pair.bots) for pair in event.pairs)
    return tuple(Entry(bot.name, (bot.name,)) for bot in event.bots)


def plays_in_pairs(event: Event) -> bool:
    """Whether partners play together under one name."""
    return "pairs" in event.rules.split("+")[1:]
