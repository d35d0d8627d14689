"""A league that is open for minutes: bots come, go and change, events come and pause, servers end.

What must hold: no game that is over is lost, changed or played twice; nobody loses by time, since
all bots answer at once; nobody gets further ahead of anybody in the ladder than its spread allows;
every event has a full table in the end; and the whole store can be verified.
"""

from __future__ import annotations

import sys
from pathlib import Path

import trio
from bench.soak.league_checks import check_league
from bench.soak.league_plan import A_WEEK, AN_EVENING, LADDER, LEAGUE, SLOTS, SPREAD, Shape
from bench.soak.league_run import LeagueRun
from bench.soak.older import check_out_older
from bench.table import Row


def league(folder: Path, minutes: float) -> list[Row]:
    """Keep a league open for so many *minutes*, with a kill in the middle; what came of it."""
    return _played(folder, minutes, AN_EVENING, None)


def week(folder: Path, minutes: float) -> list[Row]:
    """The same with three times the bots, and a server that ends on each of seven days.

    It is brought up to date after the second one.
    """
    older = folder / "older"
    version = check_out_older(older)
    rows = _played(folder, minutes, A_WEEK, older if version else None)
    before = version or "none: no history here"
    return [Row("version of the first two days, before the upgrade", before), *rows]


def _played(folder: Path, minutes: float, shape: Shape, older: Path | None) -> list[Row]:
    (folder / "league.toml").write_text(LEAGUE)
    (folder / "ladder.toml").write_text(LADDER)
    run = LeagueRun(folder, minutes, shape, older)
    trio.run(run.play)
    tally = run.tally
    rows = check_league(run.out, run.diary, tally.kept, tally.told, SPREAD, run.calm, tally.seconds)
    for title in ("season", "ratings"):
        print(run.ask(title, str(run.out)))
    for problem in tally.problems[:20]:
        print(f"league: {problem}", file=sys.stderr)
    memory = ", ".join(f"{a / 2**20:.1f} to {b / 2**20:.1f}" for a, b in tally.memory)
    growth = max(b - a for a, b in tally.memory) / 2**20
    return [
        Row("bots, connections of each", f"{shape.bots}, {SLOTS}"),
        Row("commands given while the league was open", f"{tally.commands:,}"),
        Row(
            "bots registered, removed, gone for a moment, come as another version",
            f"{tally.joined}, {tally.removed}, {tally.left}, {tally.versions}",
        ),
        Row("events paused and started again, beside the ladder", f"{tally.pauses}"),
        Row("servers killed, and stopped for the next one", f"{tally.kills}, {tally.stops}"),
        Row("games that kill -9 found running", f"{tally.begun}"),
        *rows,
        Row("memory of each server, settled and in the end", f"{memory} MiB"),
        Row("... the most that one grew by", f"{growth:.1f} MiB"),
        Row("what went wrong otherwise", f"{len(tally.problems)}", "0"),
    ]
