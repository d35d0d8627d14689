"""One league as the soak has it: its servers one after the other, its bots, and what its host does.

Everything that a host does is done by the command line, as a host does it.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Final

import trio
from bench.soak.guests import Diary, Guest
from bench.soak.hosting import Server
from bench.soak.league_checks import stored_games
from bench.soak.league_plan import GONE, OF_GONE, SLOTS, Life, Plan, Shape, Tally, plans

COMMAND: Final = "import sys; from sternhalma_server.cli import main; sys.exit(main())"
CHURN: Final = 1.5  # seconds between two comings or goings
AWAY: Final = (0.2, 3.0)  # seconds
AGAIN_SEEN: Final = 0.3  # seconds in which a bot that was removed tries again
SETTLE: Final = 240.0  # seconds for the events to end, when nobody comes or goes any more
SETTLED: Final = 0.4  # of a server's life, then its memory is taken for the first time
ENDING: Final = 90.0  # seconds for a server that was asked to stop


class LeagueRun:
    """One league of a *shape*, from its first server to the end of its last."""

    def __init__(self, folder: Path, minutes: float, shape: Shape, older: Path | None) -> None:
        self.folder = folder
        self.out = folder / "league"
        self.diary = Diary()
        self.tally = Tally()
        self._shape = shape
        self._older = older
        self.guests = [Guest(f"b{n:02}", n, SLOTS, self.diary) for n in range(shape.bots)]
        self.calm = {guest.name for guest in self.guests[shape.in_events :]}
        self._plans = plans(minutes, shape)
        self._seconds = 60 * minutes
        self._chance = random.Random(f"league {minutes}")
        self._life = 0
        self._port = 0
        self._began = 0.0
        self._hands = trio.Lock()  # whoever gives a command, or takes the server away
        self._churning = trio.CancelScope()
        self._settled = trio.Event()
        self._entered = trio.Event()  # an event has begun of which somebody is to be taken out

    def ask(self, *words: str) -> str:
        """What a command of `sternhalma` prints; a problem is noted if it fails."""
        done = subprocess.run(
            [sys.executable, "-c", COMMAND, *words], capture_output=True, text=True, check=False
        )
        if done.returncode:
            self.tally.problems.append(f"{' '.join(words)}: {done.stdout[-500:]} {done.stderr!r}")
        return done.stdout

    async def play(self) -> None:
        """Everything: one server after the other, and all that comes and goes meanwhile."""
        async with trio.open_nursery() as nursery:
            for number, life in enumerate(self._shape.lives):
                last = number == len(self._shape.lives) - 1
                self._life = number
                with self._serve() as server:
                    self._open(server.port())
                    if number == 0:
                        await self._begin(nursery)
                    else:
                        self._hands.release()
                    await self._live(server, life, last=last)
                if not last:
                    self.diary.cut()  # before the next server begins the ladder's first game
                    self.tally.told = self.diary.games
                    stored, begun = stored_games(self.out)
                    self.tally.kept |= stored
                    self.tally.begun += begun if life.end == "kill" else 0
            nursery.cancel_scope.cancel()

    async def _begin(self, nursery: trio.Nursery) -> None:
        """Register the first bots, and have all that is to come come."""
        for guest in self.guests[: self._shape.bots - self._shape.late]:
            await self._register(guest)
            guest.come(nursery)
        self._began = trio.current_time()
        nursery.start_soon(self._churn, nursery)
        nursery.start_soon(self._settle, nursery)
        nursery.start_soon(self._take_out, nursery)
        nursery.start_soon(self._rest_the_ladder)
        for plan in self._plans:
            nursery.start_soon(self._hold, plan)

    async def _live(self, server: Server, life: Life, *, last: bool) -> None:
        """Let a server live its time, and end it as it is to end."""
        begun = (trio.current_time() - self._began) / self._seconds
        await self._until(begun + SETTLED * (life.until - begun))
        settled = server.memory
        await self._until(life.until)
        if last:
            await self._settled.wait()
            await self._events_closed()
            self.tally.seconds = trio.current_time() - self._began
        self.tally.memory.append((settled, server.memory))
        if last:
            await self._stop(server)
            return
        await self._hands.acquire()  # no command is under way, until the next server lives
        if life.end == "kill":
            server.kill()
            self.tally.kills += 1
        else:
            server.process.terminate()
            await self._ended(server)
            self.tally.stops += 1

    async def _rest_the_ladder(self) -> None:
        """Pause the ladder for a moment, beside events that go on."""
        await self._until(0.7)
        await self._command("event", "pause", "ladder")
        await self._until(0.73)
        self.diary.cut()
        await self._command("event", "start", "ladder")

    async def _settle(self, nursery: trio.Nursery) -> None:
        """Towards the end nobody comes or goes any more, and everybody is there."""
        await self._until(0.85)
        self._churning.cancel()
        await self._bring_all(nursery)
        self._settled.set()

    async def _until(self, part: float, seconds: float = 0) -> None:
        await trio.sleep_until(self._began + part * self._seconds + seconds)

    def _serve(self) -> Server:
        words = [sys.executable, "-c", COMMAND, "serve", str(self.folder / "league.toml")]
        words += ["--out", str(self.out), "--port", str(self._port)]
        said = self.folder / f"served-{self._life + 1}.txt"
        return Server(self.out, self.out, said, words, self._environment)

    @property
    def _environment(self) -> dict[str, str]:
        """What makes the older version of the program run, as long as it is its time."""
        if self._older is None or self._life >= self._shape.old_lives:
            return {}
        packages = ("engine", "server", "tournaments", "clients/python")
        return {"PYTHONPATH": os.pathsep.join(str(self._older / name) for name in packages)}

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
                argv,
                capture_stdout=True,
                capture_stderr=True,
                check=False,
                env=os.environ | self._environment,
            )
        if done.returncode and not fails:
            self.tally.problems.append(f"{command} {' '.join(words)}: {done.stderr.decode()!r}")
        return done.stdout.decode()

    async def _register(self, guest: Guest) -> None:
        # A command that is cut off may have been done, and its token would be known to nobody.
        with trio.CancelScope(shield=True):
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
        if plan.name == OF_GONE:
            self._entered.set()
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
        await self._entered.wait()
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

    async def _churn(self, nursery: trio.Nursery) -> None:
        """Let a bot come or go, again and again."""
        with self._churning:
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
        await self._ended(server)
        for said in sorted(self.folder.glob("served-*.txt")):
            if "Traceback" in (text := said.read_text()):
                self.tally.problems.append(f"{said.name}: {text[-3000:]}")

    async def _ended(self, server: Server) -> None:
        """Wait until a server has ended that was asked to."""
        with trio.move_on_after(ENDING):
            while server.process.poll() is None:
                await trio.sleep(0.1)
        if server.process.returncode != 0:
            self.tally.problems.append(f"expected status 0, got {server.process.returncode}")
