"""Run the parts and print what was counted.

Nothing here is asserted but what must never happen, and for that the exit status is 1.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from bench.peers import ROOT
from bench.soak.hostile import hostile
from bench.soak.hosting import SoakError
from bench.soak.kills import CYCLES, kills
from bench.soak.leagues import league, week
from bench.soak.loads import clocks, journal, short
from bench.soak.pages import pages
from bench.table import Row, format_table

KILLING = 480.0  # seconds at most


def main() -> int:
    """Read the command line, run the parts one after the other."""
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__)
    parser.add_argument("--only", default="", metavar="PART,...", help="of these parts")
    parser.add_argument("--kills", type=int, default=100, help="kills of a server")
    parser.add_argument(
        "--cycles", type=int, default=CYCLES, help="of 120 games an event that is killed"
    )
    parser.add_argument("--games", type=int, default=20_000, help="short games")
    parser.add_argument("--at-once", type=int, default=1000, help="games at once for the clocks")
    parser.add_argument("--moves", type=int, default=40_000, help="moves for the clocks")
    parser.add_argument("--rounds", type=int, default=5, help="of the journal's cost")
    parser.add_argument("--lines", type=int, default=1_000_000, help="hostile lines")
    parser.add_argument("--minutes", type=float, default=2.0, help="that a league is open")
    parser.add_argument("--viewers", type=int, default=200, help="of an event's pages")
    parser.add_argument("--week", type=float, default=7.0, help="minutes that a week takes")
    parser.add_argument("--keep", type=Path, help="a folder for what is played (default: none)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sternhalma-soak-") as name:
        folder = options.keep or Path(name)
        parts: Mapping[str, Callable[[], list[Row]]] = {
            "kills": lambda: kills(ROOT, folder, options.kills, KILLING, options.cycles),
            "short": lambda: short(folder, options.games),
            "clocks": lambda: clocks(folder, options.at_once, options.moves),
            "journal": lambda: journal(folder, options.rounds),
            "web": lambda: pages(folder, options.moves // 4, options.rounds, options.viewers),
            "hostile": lambda: hostile(folder, options.lines),
            "league": lambda: league(folder, options.minutes),
            "week": lambda: week(folder, options.week),
        }
        wanted = options.only.split(",") if options.only else list(parts)
        unknown = sorted(set(wanted) - parts.keys())
        if unknown:
            parser.error(f"expected parts out of {', '.join(parts)}, got {', '.join(unknown)}")
        status = 0
        for part in wanted:
            began = time.monotonic()
            try:
                rows = parts[part]()
            except SoakError as problem:
                print(f"{part}: {problem}", file=sys.stderr)
                status = 1
                continue
            took = time.monotonic() - began
            print(format_table(f"{part}, {took:.0f} s", "wanted", rows), flush=True)
            status |= any(row.ratio == "0" and row.figure != "0" for row in rows)
    return status


if __name__ == "__main__":
    sys.exit(main())
