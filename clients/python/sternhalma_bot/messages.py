"""The server's messages as values; `protocol.parse_message` makes them from lines.

What a message may lack is None here, or empty. Times are in milliseconds, as on the wire.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Greeting:
    """`sternhalma VERSION`: the server's first line."""

    version: int
    line: int | None = None  # bytes a line from a bot may have
    login: int | None = None  # milliseconds until the login must be complete
    can: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Welcome:
    """`welcome NAME`: the login was accepted; `key` is what to come back with."""

    name: str
    slot: int | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Game:
    """`game GAME RULES SEAT`: a game begins, or goes on after a reconnect.

    `seats` are letters and names in the order of turns.
    """

    id: str
    rules: str
    seat: str
    seats: tuple[tuple[str, str], ...] = ()
    limit: int | None = None
    at_limit: str | None = None
    clock: str | None = None
    seed: int = 0
    draws: bool = False
    lag: str | None = None
    undo: bool = False  # moves may be taken back


@dataclass(frozen=True, slots=True)
class Turn:
    """`turn GAME PLY MS POSITION`: a move is wanted. `milliseconds` is None without a clock."""

    game: str
    ply: int
    milliseconds: int | None
    position: str
    moves: tuple[str, ...] = ()
    periods: int | None = None  # of byo-yomi, within `milliseconds`


@dataclass(frozen=True, slots=True)
class Moved:
    """`moved GAME PLY SEAT PATH`: somebody, perhaps this bot, has moved; times in milliseconds."""

    game: str
    ply: int
    seat: str
    path: str
    charged: float | None = None
    left: int | None = None
    by: str | None = None
    credit: float | None = None
    periods: int | None = None


@dataclass(frozen=True, slots=True)
class Out:
    """`out GAME SEAT REASON`: a player of three or more has gone out."""

    game: str
    seat: str
    reason: str


@dataclass(frozen=True, slots=True)
class Over:
    """`over GAME REASON`: the game has ended; `places` by letter, shared places share a number."""

    game: str
    reason: str
    places: tuple[tuple[str, int], ...] = ()
    seat: str | None = None
    ply: int | None = None
    line: str | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """`offer GAME SEAT`: a player offers a draw."""

    game: str
    seat: str


@dataclass(frozen=True, slots=True)
class Note:
    """`note CODE SENTENCE`: something without consequence."""

    code: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Error:
    """`error CODE SENTENCE`: an answer that was no good; `tries` is how many are left, if any."""

    code: str
    sentence: str
    tries: int | None = None


@dataclass(frozen=True, slots=True)
class Ping:
    """`ping WORD`: wants a pong."""

    word: str


@dataclass(frozen=True, slots=True)
class Pong:
    """`pong WORD`: the answer to a ping."""

    word: str


@dataclass(frozen=True, slots=True)
class Why:
    """`why SENTENCE`: what the server is waiting for."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Bye:
    """`bye CODE SENTENCE`: the last line."""

    code: str
    sentence: str


Message = (
    Greeting
    | Welcome
    | Game
    | Turn
    | Moved
    | Out
    | Over
    | Offer
    | Note
    | Error
    | Ping
    | Pong
    | Why
    | Bye
)
