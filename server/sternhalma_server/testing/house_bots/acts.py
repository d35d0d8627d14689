"""What the house bots do, each one thing that bots have been seen to do to their servers.

An act comes in, does wrong, and stays until the server has had enough or the bot is ended from
outside; nothing an act does is an error of its own. All but the chosen wrong is done right, so that
the server's verdict can only be about that.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import trio

from sternhalma_server.testing.house_bots.door import Door, Visit
from sternhalma_server.verdict import Reason

DRIP: Final = 1.0  # seconds between two bytes
FLOOD: Final = 200  # lines at once
TOO_LATE: Final = 0.1  # seconds after the flag has fallen
UNCLOCKED: Final = 5.0  # seconds for a move that nobody clocks
SOON: Final = 0.02  # seconds until an honest bot comes back
MEGABYTE: Final = b"x" * 1_000_000
GARBAGE: Final = (
    b"I think, therefore I move\n",
    b"\x00\x00\x00move\x00\n",
    b"\xff\xfe\xc3\x28 d5-e5\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n",  # the beginning of a TLS handshake
    MEGABYTE,
)
BREAKS: Final = 30  # times that the reconnecter goes away, before it plays on like others

Act = Callable[[Door], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class HouseBot:
    """A misbehaving bot: what it does, in words and in deed, and what may become of it.

    `verdicts` are the reasons for which it may go out of its games, none for one that must not go
    out at all; `by_clock` whether only a clock ends a game with it.
    """

    act: Act
    summary: str
    verdicts: frozenset[Reason]
    by_clock: bool = False


@dataclass(frozen=True, slots=True)
class _Turn:
    """A `turn` line taken apart."""

    game: str
    ply: str
    left: str
    moves: tuple[str, ...]

    def move(self, path: str) -> str:
        return f"move {self.game} {self.ply} {path}"

    @property
    def good(self) -> str:
        """A right answer: one of the moves, the same whenever the turn comes again."""
        chance = random.Random(f"{self.game} {self.ply}")
        return self.move(chance.choice(self.moves))


def _turn(line: str) -> _Turn:
    _, game, ply, left, *words = line.split(" ")
    moves = next((word[6:] for word in words if word.startswith("moves=")), "pass")
    return _Turn(game, ply, left, tuple(moves.split(",")))


async def _next_turn(visit: Visit) -> _Turn:
    return _turn(await visit.peer.find("turn ..."))


async def silent(door: Door) -> None:
    """Log in and listen."""
    visit = await door.enter()
    await visit.peer.end()


async def drip(door: Door) -> None:
    """A byte a second, and no line end."""
    visit = await door.knock()
    line = f"{door.login} version=".encode()
    async with trio.open_nursery() as nursery:

        async def drop() -> None:
            with suppress(OSError):  # what the server has said by then is heard below
                for number in range(900):
                    await visit.peer.send_bytes(line[number : number + 1] or b"x")
                    await trio.sleep(DRIP)

        nursery.start_soon(drop)
        rest = await visit.peer.end()
        door.note(f"heard {rest[-1] if rest else 'nothing'}")
        nursery.cancel_scope.cancel()


async def illegal(door: Door) -> None:
    """Answer with a marble that stays where it is, whatever tries there are."""
    visit = await door.enter()
    turn = None
    while True:
        line = await visit.peer.receive()
        if line.startswith("turn "):
            turn = _turn(line)
        elif turn is None or not line.startswith("error illegal tries="):
            continue
        await visit.peer.send(turn.move("i9-i9"))


async def flooder(door: Door) -> None:
    """Talk, and never answer."""
    visit = await door.enter()
    while True:
        await _next_turn(visit)
        await visit.peer.send(*["ping flood"] * FLOOD)


async def dropper(door: Door) -> None:
    """Go away in the first turn, and live on."""
    visit = await door.enter()
    await _next_turn(visit)
    visit.peer.close()
    door.note("went away")
    await trio.sleep_forever()


async def crasher(door: Door) -> None:
    """Go away in the first turn, and end."""
    visit = await door.enter()
    await _next_turn(visit)
    visit.end.abort()
    door.note("crashed")


async def reconnecter(door: Door) -> None:
    """Break the connection before, behind and in the middle of answers, and come back each time."""
    visit = await door.enter()
    for way in range(BREAKS):
        turn = await _next_turn(visit)
        match way % 4:
            case 1:
                await visit.peer.send(turn.good)
            case 2:
                await visit.peer.send_bytes(turn.good[:-3].encode())
            case 3:
                # The old connection stays open: the new one takes its place.
                await visit.peer.send(turn.good)
                visit = await door.enter()
                continue
            case _:
                pass
        if way % 8 < 4:
            visit.peer.close()
        else:
            visit.end.abort()
        visit = await door.enter()
    while True:
        await visit.peer.send((await _next_turn(visit)).good)


async def deaf(door: Door) -> None:
    """Log in without listening, and never listen."""
    visit = await door.knock()
    await visit.peer.send(door.login)
    await trio.sleep_forever()


async def babbler(door: Door) -> None:
    """Answer with bytes that mean nothing, other ones in each game."""
    visit = await door.enter()
    game = "?"
    while True:
        line = await visit.peer.receive()
        if line.startswith("turn "):
            game = _turn(line).game
        elif not line.startswith("error malformed tries="):
            continue
        number = zlib.crc32(game.encode()) + len(visit.peer.heard)
        # The line end is for the megabyte before, which would swallow this.
        await visit.peer.send_bytes(b"\n" + GARBAGE[number % len(GARBAGE)])


async def half_closer(door: Door) -> None:
    """Answer one turn, end the outgoing direction, and listen on."""
    visit = await door.enter()
    await visit.peer.send((await _next_turn(visit)).good)
    visit.end.finish()
    door.note("half closed")
    await visit.peer.end()


async def late(door: Door) -> None:
    """Answer every turn right, just too late."""
    visit = await door.enter()
    credit = 0.0
    while True:
        line = await visit.peer.receive()
        if line.startswith("game "):
            credit = _credit(line)
        elif line.startswith("turn "):
            turn = _turn(line)
            left = UNCLOCKED if turn.left == "-" else int(turn.left) / 1000 + credit + TOO_LATE
            await trio.sleep(left)
            await visit.peer.send(turn.good)


def _credit(game_line: str) -> float:
    """The most that a `game` line's `lag=50/200` gives, in seconds."""
    lag = next((word for word in game_line.split(" ") if word.startswith("lag=")), "lag=0/0")
    return int(lag.partition("/")[2]) / 1000


async def honest(door: Door) -> None:
    """Play right, and come back whenever the connection breaks, until the server says good-bye."""
    while True:
        try:
            visit = await door.enter()
            while True:
                line = await visit.peer.receive()
                if line.startswith("turn "):
                    await visit.peer.send(_turn(line).good)
                elif line.startswith(("bye event-over ", "bye server-stops ")):
                    return
        except (EOFError, OSError):
            await trio.sleep(SOON)
        finally:
            door.leave()


HOUSE_BOTS: Final[Mapping[str, HouseBot]] = {
    "silent": HouseBot(
        silent, "logs in and never answers", frozenset({Reason.TIME}), by_clock=True
    ),
    "late": HouseBot(
        late, "answers when its time is over", frozenset({Reason.TIME}), by_clock=True
    ),
    "deaf": HouseBot(
        deaf,
        "never reads what it is sent",
        frozenset({Reason.TIME, Reason.DISCONNECT}),
        by_clock=True,
    ),
    "drip": HouseBot(
        drip, "sends its login a byte a second, without an end", frozenset({Reason.NO_START})
    ),
    "illegal": HouseBot(illegal, "plays moves that are none", frozenset({Reason.ILLEGAL})),
    "babbler": HouseBot(
        babbler,
        "sends garbage, NUL, bad UTF-8, a megabyte without a line end",
        frozenset({Reason.MALFORMED}),
    ),
    "flooder": HouseBot(flooder, "talks without end", frozenset({Reason.FLOOD})),
    "crasher": HouseBot(crasher, "crashes in its turn", frozenset({Reason.DISCONNECT})),
    "dropper": HouseBot(
        dropper, "goes away in its turn and lives on", frozenset({Reason.DISCONNECT})
    ),
    "half-closer": HouseBot(
        half_closer, "answers once, then only listens", frozenset({Reason.DISCONNECT})
    ),
    "reconnecter": HouseBot(
        reconnecter, "breaks its connection in every way and comes back", frozenset()
    ),
}


async def misbehave(kind: str, door: Door) -> None:
    """Do what the house bot *kind* does, until the server ends its connection.

    Raises `KeyError` for no such bot.
    """
    act = HOUSE_BOTS[kind].act
    try:
        await act(door)
    except EOFError:
        door.note("the server ended the connection")
    except OSError as problem:
        door.note(f"the connection is lost: {problem.strerror or problem}")
    finally:
        door.leave()
