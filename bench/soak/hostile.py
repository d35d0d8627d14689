"""A million hostile lines, at the door and in games, while honest bots play.

Half of the lines are sent without a login, by connections that come and go; half by bots that are
logged in and have their turn, in an event that forgives them many. The honest bots must win or lose
by the rules alone. They always play the first move of the list, so that the texts of positions, of
which the server remembers many, do not make its memory grow.
"""

from __future__ import annotations

import re
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import trio
from bench.soak.hostility import Hostility
from bench.soak.hosting import Server
from bench.table import Row

from sternhalma_server.record import Out, Slip, parse_record
from sternhalma_server.store import Store
from sternhalma_server.testing import LONG, ScriptedPeer, SocketEnd, dial
from sternhalma_server.verdict import Reason

HONEST: Final = 3
HOSTILE: Final = 3
SLOTS: Final = 3
TRIES: Final = 1000  # forgiven in a game, so that a game takes many lines
AT_THE_DOOR: Final = 40  # connections without a login at once
KNOCK: Final = 5  # lines of such a connection: the first is refused, the rest comes behind it
BURST: Final = 60  # lines of a bot at once
THOUGHT: Final = 0.005  # seconds of an honest bot for a move
SETTLED: Final = 0.2  # the part of the lines after which memory counts
SECONDS: Final = 540.0
_TURN: Final = re.compile(rb"^turn (\S+) (\S+) ", re.MULTILINE)


@dataclass(slots=True)
class Tally:
    """What was sent, and how much memory the server had when a part of it was sent."""

    wanted: int
    door: int = 0
    play: int = 0
    logins: int = 0
    connections: int = 0
    dropped: int = 0  # connections of honest bots
    settled: int = 0
    ended: int = 0

    @property
    def sent(self) -> int:
        """All lines."""
        return self.door + self.play


EVENT: Final = (
    'name = "hostile"\nrules = "duel"\nplayers = 2\nclock = "30s"\nlimit = 60\nparallel = 12\n'
    f"spread = 1000\ntries = {TRIES}\ncycles = 20000\n"
    "budgets = { ready = '5s', reconnect = '2s' }\n"
    + "".join(
        f'\n[[bots]]\nname = "{name}"\nremote = true\nconnections = {SLOTS}\n'
        for name in (
            *(f"good{number}" for number in range(HONEST)),
            *(f"bad{number}" for number in range(HOSTILE)),
        )
    )
)


def hostile(folder: Path, lines: int) -> list[Row]:
    """Send *lines* lines, half at the door and half in games; what came of it."""
    event, out = folder / "hostile.toml", folder / "hostile"
    event.write_text(EVENT)
    tally = Tally(lines)
    with Server(event, out, folder / "hostile.txt") as server:
        trio.run(_attack, server, server.port(), tally)
        tally.ended = server.memory
        crashed = server.process.poll() is not None
        server.stop()
    return _rows(tally, out, server.said.read_text(), crashed=crashed)


async def _attack(server: Server, port: int, tally: Tally) -> None:
    with trio.move_on_after(SECONDS):
        async with trio.open_nursery() as nursery:
            for number in range(AT_THE_DOOR):
                nursery.start_soon(_knock, port, Hostility(f"door {number}"), tally)
            for slot in range(1, SLOTS + 1):
                for number in range(HONEST):
                    nursery.start_soon(_stand, port, f"good{number}", slot, tally)
                for number in range(HOSTILE):
                    name = f"bad{number}"
                    hostility = Hostility(f"{name} {slot}")
                    nursery.start_soon(_play, port, name, slot, hostility, tally)
            while tally.sent < tally.wanted and server.process.poll() is None:
                await trio.sleep(0.2)
                if not tally.settled and tally.sent > SETTLED * tally.wanted:
                    tally.settled = server.memory
            nursery.cancel_scope.cancel()


async def _stand(port: int, name: str, slot: int, tally: Tally) -> None:
    """Be honest, and count it if the server ends the connection for all that."""
    end = await dial("127.0.0.1", port)
    try:
        peer = ScriptedPeer(end, LONG)
        await peer.login(name, f"slot={slot} moves=yes")
        while True:
            turn = await peer.find("turn ...")
            await trio.sleep(THOUGHT)
            await peer.answer(turn)
            peer.heard.clear()
    except (EOFError, OSError):
        tally.dropped += 1
    finally:
        end.close()


async def _knock(port: int, hostility: Hostility, tally: Tally) -> None:
    """Say hostile things instead of a login, again and again."""
    while tally.door < tally.wanted / 2:
        try:
            end = await dial("127.0.0.1", port)
        except OSError:
            await trio.sleep(0.05)
            continue
        tally.connections += 1
        try:
            lines = [hostility.line() for _ in range(KNOCK)]
            await _send(end, b"".join(lines))
            tally.door += KNOCK
            with trio.move_on_after(5):
                await _until_the_end(end)
        except OSError:
            pass
        finally:
            end.abort()  # no port is left waiting


async def _play(port: int, name: str, slot: int, hostility: Hostility, tally: Tally) -> None:
    """Log in and say hostile things in every turn, again and again."""
    key = b""
    while True:
        end = None
        try:
            end = await dial("127.0.0.1", port)
            await _send(end, f"login {name} slot={slot}".encode() + key + b"\n")
            tally.logins += 1
            async for data in _heard(end):
                found = re.search(rb"^welcome .*( key=\S+)", data, re.MULTILINE)
                key = found[1] if found else key
                turns = _TURN.findall(data)
                if turns or b"error " in data:
                    game, ply = (part.decode() for part in (turns or [(b"1", b"1")])[-1])
                    # The other half waits until the door has had its own.
                    while tally.play > tally.wanted / 2:
                        await trio.sleep(0.1)
                    await _send(end, b"".join(hostility.line(game, ply) for _ in range(BURST)))
                    tally.play += BURST
        except OSError:
            pass
        finally:
            if end is not None:
                end.close()
        await trio.sleep(0.01)


async def _send(end: SocketEnd, data: bytes) -> None:
    while data:
        try:
            data = data[end.send(data) :]
        except BlockingIOError:
            await end.wait_writable()


async def _heard(end: SocketEnd) -> AsyncIterator[bytes]:
    while True:
        await end.wait_readable()
        with suppress(BlockingIOError):
            data, _ = end.receive()
            if not data:
                return
            yield data


async def _until_the_end(end: SocketEnd) -> None:
    async for _ in _heard(end):
        pass


def _rows(tally: Tally, out: Path, said: str, *, crashed: bool) -> list[Row]:
    games, wrong, slips, reasons = _verdicts(out)
    growth = 100 * (tally.ended / tally.settled - 1) if tally.settled else float("nan")
    if wrong or crashed or "Traceback" in said:
        print(f"hostile: {wrong[:5]} {said[-3000:]}", file=sys.stderr)
    return [
        Row("hostile lines at the door", f"{tally.door:,}"),
        Row("... over so many connections", f"{tally.connections:,}"),
        Row("hostile lines of bots in games", f"{tally.play:,}"),
        Row("... of these forgiven", f"{slips:,}"),
        Row("... after so many logins", f"{tally.logins:,}"),
        Row("games that ended meanwhile", f"{games:,}"),
        Row("... forfeited by hostile bots", ", ".join(f"{n} {why}" for why, n in reasons.items())),
        Row(
            "memory with a fifth of the lines sent, at the end",
            f"{tally.settled / 2**20:.1f}, {tally.ended / 2**20:.1f} MiB",
        ),
        Row(
            "... it grew by (with 2 kB for each finished game)",
            f"{growth:+.1f} %",
            "10 %",
        ),
        Row("verdicts against honest bots", f"{len(wrong)}", "0"),
        Row("connections of honest bots ended", f"{tally.dropped}", "0"),
        Row("crashes of the server", f"{int(crashed)}", "0"),
        Row("exceptions in what it printed", f"{said.count('Traceback')}", "0"),
    ]


def _verdicts(out: Path) -> tuple[int, list[str], int, Mapping[str, int]]:
    """Games, what went wrong for honest bots, slips, and reasons of forfeits by hostile ones."""
    games, slips = 0, 0
    wrong: list[str] = []
    reasons: dict[str, int] = {}
    with Store.read(out / "store.sqlite") as store:
        (event,) = store.events()
        for stored in store.finished_games(event.id):
            record = parse_record(stored.record)
            games += 1
            bots = {player.seat: player.bot for player in record.players}
            slips += sum(isinstance(event, Slip) for event in record.happened)
            for happening in record.happened:
                if isinstance(happening, Slip | Out) and bots[happening.seat].startswith("good"):
                    wrong.append(f"game {record.game}: {happening}")
                elif isinstance(happening, Out):
                    reasons[happening.reason] = reasons.get(happening.reason, 0) + 1
            if record.reason is Reason.SERVER_FAULT:
                wrong.append(f"game {record.game}: {record.reason}")
    return games, wrong, slips, dict(sorted(reasons.items()))
