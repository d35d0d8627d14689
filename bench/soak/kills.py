"""A server that is killed again and again, and an event that must not notice.

The bots are the sample in C, which answers from seed and turn alone and is made to think a little;
so an event has one right outcome, and an undisturbed run of it says which.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bench.soak.hosting import Server, SoakError
from bench.table import Row

from sternhalma_server.record import Ply, parse_record
from sternhalma_server.store import Store

PARALLEL: Final = 8
BOTS: Final = 16  # twice as many as play at once: the spread of games stays small by itself
LIMIT: Final = 30  # turns each
CYCLES: Final = 5  # of 120 games
LATEST: Final = 2.5  # seconds from a server's listening to its end, at most
EARLY: Final = 0.15  # the part of servers that are killed while they start, which comes on top
ENOUGH: Final = 240.0  # seconds for an event that is left alone
TABLES: Final = ("standings.md", "standings.csv", "standings.json")
_GAME: Final = re.compile(r"^\[\d+/\d+\] game (\d+):", re.MULTILINE)

# Moves of a game, place of each seat, reason.
Outcome = tuple[tuple[str, ...], tuple[int, ...], str]


@dataclass(slots=True)
class Tally:
    """What was counted."""

    kills: int = 0
    events: int = 0
    finished: int = 0
    begun: int = 0  # games that a kill found running
    early: int = 0  # kills before the server listened
    lost: int = 0
    changed: int = 0
    doubled: int = 0
    different: int = 0
    unequal_tables: int = 0
    unverified: int = 0
    left_running: int = 0
    longest_stop: float = 0.0
    problems: list[str] = field(default_factory=list[str])


def event_file(bot: Path, cycles: int) -> str:
    """An event in which all bots are the program *bot*."""
    bots = "".join(f'\n[[bots]]\nname = "c{n}"\ncommand = ["{bot}"]\n' for n in range(BOTS))
    return (
        f'name = "kills"\nrules = "tara"\nplayers = 2\nclock = "60s"\nlimit = {LIMIT}\nseed = 7\n'
        f"opening = 2\nparallel = {PARALLEL}\ncycles = {cycles}\n{bots}"
    )


def sluggish_bot(root: Path, folder: Path) -> Path:
    """The sample bot in C, with a thought before each line it sends."""
    program = folder / "sluggish"
    sources = [root / "clients" / "c" / "sternhalma_bot.c", root / "bench" / "soak" / "sluggish.c"]
    compiler = ["cc", "-O2", "-Wl,--wrap=send", "-o", str(program)]
    subprocess.run([*compiler, *map(str, sources)], check=True)
    return program


def kills(root: Path, folder: Path, wanted: int, seconds: float, cycles: int = CYCLES) -> list[Row]:
    """Kill servers *wanted* times, for *seconds* at most; what came of it."""
    event = folder / "kills.toml"
    event.write_text(event_file(sluggish_bot(root, folder), cycles))
    right = folder / "undisturbed"
    with Server(event, right, folder / "undisturbed.txt") as server:
        if server.process.wait(ENOUGH):
            raise SoakError(f"expected an event without faults, {server.said.read_text()[-2000:]}")
    outcomes = {game: outcome for game, (_, outcome) in _finished(right).items()}
    tally = Tally()
    chance = random.Random(f"kills {wanted}")
    until = time.monotonic() + seconds
    while tally.kills < wanted and time.monotonic() < until:
        out = folder / f"killed-{tally.events}"
        _play(event, out, chance, tally, wanted, until)
        _compare(out, right, outcomes, tally)
        tally.events += 1
    for problem in tally.problems[:20]:
        print(f"kills: {problem}", file=sys.stderr)
    return _rows(tally, wanted)


def _play(
    event: Path, out: Path, chance: random.Random, tally: Tally, wanted: int, until: float
) -> None:
    """Play *event* to its end, through all the kills it takes."""
    before: dict[int, tuple[str, Outcome]] = {}
    while True:
        said = out.with_name(f"{out.name}.txt")
        with Server(event, out, said) as server:
            if tally.kills >= wanted or time.monotonic() > until:
                server.process.wait(ENOUGH)
            else:
                _let_live(server, chance)
            killed = server.process.poll() is None
            at = time.monotonic()
            server.kill()
            status = server.process.returncode
            left = server.left_running()
            tally.longest_stop = max(tally.longest_stop, time.monotonic() - at)
        tally.left_running += len(left)
        if killed:
            listened = "listening" in said.read_text()
            tally.kills += listened
            tally.early += not listened
        before = _check(out, said.read_text(), before, tally)
        if not killed:
            if status:
                tally.problems.append(f"{out.name}: status {status}, {said.read_text()[-1000:]!r}")
            return


def _let_live(server: Server, chance: random.Random) -> None:
    """Wait for a random time in the life of *server*; it may have ended by then."""
    seconds = chance.uniform(0, LATEST)
    if chance.random() < EARLY:
        seconds /= 5
    else:
        with suppress(SoakError):  # it has ended, which is seen below
            server.port()
    with suppress(subprocess.TimeoutExpired):
        server.process.wait(seconds)


def _check(
    out: Path, said: str, before: Mapping[int, tuple[str, Outcome]], tally: Tally
) -> dict[int, tuple[str, Outcome]]:
    """Hold the store against what was there *before*, and against what the server had *said*."""
    if not (out / "store.sqlite").exists():
        return {}
    now = _finished(out, tally)
    told = {int(number) for number in _GAME.findall(said)}
    lost = sorted((before.keys() | told) - now.keys())
    again = sorted(told & before.keys())
    changed = [game for game in before.keys() & now.keys() if before[game] != now[game]]
    for what, games in (("lost", lost), ("told again", again), ("changed", changed)):
        if games:
            tally.problems.append(f"{out.name}: games {games} were {what}")
    tally.lost += len(lost)
    tally.doubled += len(again)
    tally.changed += len(changed)
    return now


def _finished(out: Path, tally: Tally | None = None) -> dict[int, tuple[str, Outcome]]:
    """The games that are stored in the folder *out*: digest and outcome."""
    found: dict[int, tuple[str, Outcome]] = {}
    with Store.read(out / "store.sqlite") as store:
        for event in store.events():
            for game in store.finished_games(event.id):
                if tally is not None and game.game in found:
                    tally.doubled += 1
                record = parse_record(game.record)
                moves = tuple(ply.path for ply in record.happened if isinstance(ply, Ply))
                found[game.game] = game.digest, (moves, record.places, str(record.reason))
            if tally is not None:
                tally.begun += len(store.running_lines(event.id))
    return found


def _compare(out: Path, right: Path, outcomes: Mapping[int, Outcome], tally: Tally) -> None:
    """Hold a finished event against the undisturbed one."""
    found = {game: outcome for game, (_, outcome) in _finished(out).items()}
    tally.finished += len(found)
    different = [game for game in outcomes if found.get(game) != outcomes[game]]
    different += sorted(found.keys() - outcomes.keys())
    tally.different += len(different)
    unequal = [name for name in TABLES if (out / name).read_bytes() != (right / name).read_bytes()]
    tally.unequal_tables += len(unequal)
    if different or unequal:
        tally.problems.append(f"{out.name}: games {different}, tables {unequal} are different")
    run = "import sys; from sternhalma_server.cli import main; sys.exit(main())"
    words = [sys.executable, "-c", run, "verify", str(out)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        tally.unverified += 1
        tally.problems.append(f"{out.name}: {done.stderr[:2000]}")


def _rows(tally: Tally, wanted: int) -> list[Row]:
    asked = "" if tally.kills >= wanted else f" of {wanted}, time was up"
    return [
        Row(f"kill -9 with {PARALLEL} games at once", f"{tally.kills:,}{asked}"),
        Row("kills of servers that did not listen yet, on top", f"{tally.early:,}"),
        Row("running games that were found after them and went on", f"{tally.begun:,}"),
        Row("events that were killed and completed", f"{tally.events:,}"),
        Row("finished games", f"{tally.finished:,}"),
        *_zeros(
            {
                "finished games lost": tally.lost,
                "finished games changed": tally.changed,
                "finished games doubled": tally.doubled,
                "games unlike the undisturbed ones": tally.different,
                "tables unlike the undisturbed ones": tally.unequal_tables,
                "events that verify refuses": tally.unverified,
                "processes left running 2 s after a kill": tally.left_running,
            }
        ),
        Row("longest until all of a server's programs were gone", f"{tally.longest_stop:.2f} s"),
    ]


def _zeros(counts: Mapping[str, int]) -> Sequence[Row]:
    return [Row(what, f"{count:,}", "0") for what, count in counts.items()]
