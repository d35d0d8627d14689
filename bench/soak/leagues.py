"""A league that is open for minutes: bots come, go and change, events come and pause, and a kill.

Everything that a host does is done by the command line, as a host does it. What must hold: no game
that is over is lost, changed or played twice; nobody loses by time, since all bots answer at once;
nobody gets further ahead of anybody in the ladder than its spread allows; every event has a full
table in the end; and the whole store can be verified.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import trio
from bench.soak.guests import Diary, Guest
from bench.soak.hosting import Server
from bench.soak.league_checks import Stored, check_league, stored_games
from bench.table import Row

COMMAND: Final = "import sys; from sternhalma_server.cli import main; sys.exit(main())"
SLOTS: Final = 4  # one for each event, and one for the ladder
BOTS: Final = 20
LATE: Final = 4  # of these, which join later
IN_EVENTS: Final = 12  # the first ones; all others play the ladder only
GONE: Final = 7  # the number of the bot that is taken out of the league while it plays an event
CHURN: Final = 1.5  # seconds between two comings or goings
AWAY: Final = (0.2, 3.0)  # seconds
AGAIN_SEEN: Final = 0.3  # seconds in which a bot that was removed tries again
SETTLE: Final = 240.0  # seconds for the events to end, when nobody comes or goes any more
SPREAD: Final = 6
KILL: Final = 0.5  # of the time, then the server is killed

LEAGUE: Final = (
    'name = "soak"\nevents = ["ladder.toml"]\nparallel = 8\nseason = { points = [5, 3, 2, 1] }\n'
)
LADDER: Final = (
    'name = "ladder"\nformat = "ladder"\nrules = "tara"\nplayers = 2\nclock = "20s"\nlimit = 20\n'
    f'opening = 4\nparallel = 6\nspread = {SPREAD}\nbudgets = {{ restart = "10s" }}\n'
)
_EVENT: Final = (
    'rules = "tara"\nclock = "20s"\nlimit = 20\nat_limit = "progress"\nopening = 2\nparallel = 1\n'
    'budgets = { ready = "8s", restart = "10s" }\n'
)


@dataclass(frozen=True, slots=True)
class Plan:
    """An event: its file and who plays it; when it is added, started, paused and started again.

    Those are parts of the whole time, and seconds beyond.
    """

    name: str
    file: str
    bots: Sequence[int]
    add: float
    start: tuple[float, float]
    pause: float | None
    resume: float


def plans(minutes: float) -> list[Plan]:
    """The events of a league that is open for so many *minutes*.

    The one that is over soonest is started just before the kill.
    """
    everybody = f'name = "everybody"\nplayers = 2\ncycles = {2 * round(1.2 * minutes)}\n{_EVENT}'
    swiss = f'name = "swiss"\nformat = "swiss"\nplayers = 2\nrounds = 9\n{_EVENT}'
    odd = [number for number in range(IN_EVENTS) if number != GONE]  # somebody has a bye
    four = f'name = "four"\nplayers = 4\ncycles = {round(2 * minutes)}\n{_EVENT}'
    return [
        Plan("everybody", everybody, range(8), 0.03, (0.05, 0), 0.2, 0.27),
        Plan("swiss", swiss, odd, 0.1, (KILL, -2.5), None, 0),
        Plan(
            "four", four.replace("tara", "corner"), range(4, IN_EVENTS), 0.14, (0.16, 0), 0.3, 0.6
        ),
    ]


@dataclass(slots=True)
class Tally:
    """What was done, and how much memory the server had."""

    commands: int = 0
    joined: int = 0
    removed: int = 0
    left: int = 0
    versions: int = 0
    pauses: int = 0
    memory: list[int] = field(default_factory=list[int])
    killed: dict[tuple[str, int], Stored] = field(default_factory=dict[tuple[str, int], Stored])
    begun: int = 0  # games that the kill found running
    told: set[str] = field(default_factory=set[str])  # games whose end was told before the kill
    problems: list[str] = field(default_factory=list[str])
    seconds: float = 0.0


def league(folder: Path, minutes: float) -> list[Row]:
    """Keep a league open for so many *minutes*; what came of it."""
    (folder / "league.toml").write_text(LEAGUE)
    (folder / "ladder.toml").write_text(LADDER)
    run = _Run(folder, minutes)
    trio.run(run.play)
    rows = check_league(
        run.out, run.diary, run.tally.killed, run.tally.told, SPREAD, run.calm, run.tally.seconds
    )
    for title in ("season", "ratings"):
        print(run.ask(title, str(run.out)))
    tally = run.tally
    for problem in tally.problems[:20]:
        print(f"league: {problem}", file=sys.stderr)
    first, killed, again, ended = (size / 2**20 for size in tally.memory)
    return [
        Row("bots, connections of each", f"{BOTS}, {SLOTS}"),
        Row("commands given while the league was open", f"{tally.commands:,}"),
        Row(
            "bots registered, removed, gone for a moment, come as another version",
            f"{tally.joined}, {tally.removed}, {tally.left}, {tally.versions}",
        ),
        Row("events paused and started again, beside the ladder", f"{tally.pauses}"),
        Row("games that kill -9 found running", f"{tally.begun}"),
        *rows,
        Row("memory at a fifth, and when killed", f"{first:.1f}, {killed:.1f} MiB"),
        Row("memory of the next server when settled, at the end", f"{again:.1f}, {ended:.1f} MiB"),
        Row("what went wrong otherwise", f"{len(tally.problems)}", "0"),
    ]


class _Run:
    """One league, from its first server to the end of its last."""

    def __init__(self, folder: Path, minutes: float) -> None:
        self.folder = folder
        self.out = folder / "league"
        self.diary = Diary()
        self.tally = Tally()
        self.plans = plans(minutes)
        self.guests = [Guest(f"b{n:02}", n, SLOTS, self.diary) for n in range(BOTS)]
        self.calm = {guest.name for guest in self.guests[IN_EVENTS:]}
        self._seconds = 60 * minutes
        self._chance = random.Random(f"league {minutes}")
        self._servers = 0
        self._port = 0
        self._began = 0.0
        self._hands = trio.Lock()  # whoever gives a command, or takes the server away

    def ask(self, *words: str) -> str:
        """What a command of `sternhalma` prints; a problem is noted if it fails."""
        done = subprocess.run(
            [sys.executable, "-c", COMMAND, *words], capture_output=True, text=True, check=False
        )
        if done.returncode:
            self.tally.problems.append(f"{' '.join(words)}: {done.stdout[-500:]} {done.stderr!r}")
        return done.stdout

    async def play(self) -> None:
        """Everything: two servers, one after the other, and all that comes and goes meanwhile."""
        churn = trio.CancelScope()
        async with trio.open_nursery() as nursery:
            with self._serve() as server:
                self._open(server.port())
                for guest in self.guests[: BOTS - LATE]:
                    await self._register(guest)
                    guest.come(nursery)
                self._began = trio.current_time()
                nursery.start_soon(self._churn, nursery, churn)
                nursery.start_soon(self._take_out, nursery)
                for plan in self.plans:
                    nursery.start_soon(self._hold, plan)
                await self._until(0.2)
                self.tally.memory.append(server.memory)
                await self._until(KILL)
                await self._hands.acquire()  # no command is under way
                self.tally.memory.append(server.memory)
                server.kill()
            self.tally.told = self.diary.games
            self.tally.killed, self.tally.begun = stored_games(self.out)
            with self._serve() as server:
                self._open(server.port())
                self.diary.cut()
                self._hands.release()
                await self._until(0.6)
                self.tally.memory.append(server.memory)
                await self._until(0.7)
                await self._command("event", "pause", "ladder")
                await self._until(0.73)
                self.diary.cut()
                await self._command("event", "start", "ladder")
                await self._until(0.85)
                churn.cancel()
                await self._bring_all(nursery)
                await self._until(1)
                await self._events_closed()
                self.tally.seconds = trio.current_time() - self._began
                self.tally.memory.append(server.memory)
                await self._stop(server)
            nursery.cancel_scope.cancel()

    async def _until(self, part: float, seconds: float = 0) -> None:
        await trio.sleep_until(self._began + part * self._seconds + seconds)

    def _serve(self) -> Server:
        self._servers += 1
        words = [sys.executable, "-c", COMMAND, "serve", str(self.folder / "league.toml")]
        words += ["--out", str(self.out), "--port", str(self._port)]
        return Server(self.out, self.out, self.folder / f"served-{self._servers}.txt", words)

    def _open(self, port: int) -> None:
        self._port = port
        for guest in self.guests:
            guest.port = port

    async def _command(self, command: str, *words: str, fails: bool = False) -> str:
        """What a command about the league prints; a problem is noted if it *fails* and may not."""
        async with self._hands:
            self.tally.commands += 1
            argv = [sys.executable, "-c", COMMAND, command, str(self.out), *words]
            done = await trio.run_process(
                argv, capture_stdout=True, capture_stderr=True, check=False
            )
        if done.returncode and not fails:
            self.tally.problems.append(f"{command} {' '.join(words)}: {done.stderr.decode()!r}")
        return done.stdout.decode()

    async def _register(self, guest: Guest) -> None:
        printed = await self._command("register", guest.name, "--json")
        guest.token = json.loads(printed or '{"token": ""}')["token"]
        self.tally.joined += 1

    async def _hold(self, plan: Plan) -> None:
        """Add an event, enter its bots, and start it; pause it, and start it again."""
        await self._until(plan.add)
        path = self.folder / f"{plan.name}.toml"
        path.write_text(plan.file)
        await self._command("event", "add", str(path))
        await self._command("event", "open", plan.name)
        await self._command("event", "enter", plan.name, *(self.guests[n].name for n in plan.bots))
        await self._until(*plan.start)
        await self._command("event", "start", plan.name)
        if plan.pause is not None:
            await self._until(plan.pause)
            # On a quick machine it may be over.
            if await self._command("event", "pause", plan.name, fails=True):
                self.tally.pauses += 1
                await self._until(plan.resume)
                await self._command("event", "start", plan.name)

    async def _take_out(self, nursery: trio.Nursery) -> None:
        """Take a bot out of the league in the middle of an event, and let it come back."""
        guest = self.guests[GONE]
        await self._until(0.3)
        await self._remove(guest)
        await self._until(0.42)
        await self._register(guest)
        guest.come(nursery)

    async def _remove(self, guest: Guest) -> None:
        await self._command("register", guest.name, "--remove")
        await trio.sleep(AGAIN_SEEN)
        guest.leave()
        self.tally.removed += 1

    async def _churn(self, nursery: trio.Nursery, scope: trio.CancelScope) -> None:
        """Let a bot come or go, again and again."""
        with scope:
            while True:
                await trio.sleep(CHURN)
                guest = self._chance.choice(self.guests)
                if not guest.token:
                    await self._register(guest)
                    guest.come(nursery)
                elif guest.here and guest.name != self.guests[GONE].name:
                    await self._disturb(guest, nursery)

    async def _disturb(self, guest: Guest, nursery: trio.Nursery) -> None:
        kind = self._chance.random()
        if guest.name in self.calm and kind < 0.2:
            await self._remove(guest)
            await trio.sleep(self._chance.uniform(*AWAY))
            await self._register(guest)
        else:
            guest.leave()
            self.tally.left += 1
            await trio.sleep(self._chance.uniform(*AWAY))
            if guest.name in self.calm and kind < 0.6:
                guest.version += 1
                self.tally.versions += 1
        guest.come(nursery)

    async def _bring_all(self, nursery: trio.Nursery) -> None:
        for guest in self.guests:
            if not guest.token:
                await self._register(guest)
            if not guest.here:
                guest.come(nursery)

    async def _events_closed(self) -> None:
        """Wait until all events but the ladder are closed."""
        with trio.move_on_after(SETTLE):
            while True:
                listed = json.loads(await self._command("event", "list", "--json") or "[]")
                if all(one["state"] == "closed" for one in listed if one["name"] != "ladder"):
                    return
                await trio.sleep(2)
        self.tally.problems.append(f"events that do not end: {listed}")

    async def _stop(self, server: Server) -> None:
        await self._command("stop")
        with trio.move_on_after(60):
            while server.process.poll() is None:
                await trio.sleep(0.1)
        if server.process.returncode != 0:
            self.tally.problems.append(f"expected status 0, got {server.process.returncode}")
        for said in sorted(self.folder.glob("served-*.txt")):
            if "Traceback" in (text := said.read_text()):
                self.tally.problems.append(f"{said.name}: {text[-3000:]}")
