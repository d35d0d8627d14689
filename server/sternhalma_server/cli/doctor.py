"""Look at this machine, and say what would let a host down: clocks, disk, limits, sandbox, port.

With an event file or a league file it is held against what that asks for; without one against what
any league needs. Nothing is changed, and nothing is kept.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from sternhalma_server.cli import CLEAN, FAILED
from sternhalma_server.cli.file_kind import is_event_file, meant
from sternhalma_server.cli.parser import BadInputError
from sternhalma_server.cli.run import PORT, port_number
from sternhalma_server.doctor import capacity, clocks, disk, doorway, programs
from sternhalma_server.doctor.demand import Demand, of_event, of_league
from sternhalma_server.doctor.finding import Finding, Level
from sternhalma_server.league_settings import load_league
from sternhalma_server.settings import load_settings
from sternhalma_tournament.reading import EventFileError
from sternhalma_tournament.text import counted


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `doctor`."""
    parser.add_argument(
        "file", type=Path, nargs="?", metavar="FILE.toml", help="an event file or a league file"
    )
    parser.add_argument("--out", type=Path, help="the results folder (default: as 'run' has it)")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on")
    parser.add_argument(
        "--port", type=port_number, default=PORT, help="the port (default: %(default)s)"
    )
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print what is found; 0 if nothing has to be changed, 1 otherwise."""
    findings: list[Finding] = []
    for finding in _findings(_demand(arguments)):
        findings.append(finding)
        if not arguments.json:
            print(_line(finding), flush=True)
    bad = sum(finding.level is Level.BAD for finding in findings)
    if arguments.json:
        rows = [
            {"what": f.what, "level": f.level.value, "found": f.found, "advice": f.advice}
            for f in findings
        ]
        print(json.dumps(rows, indent=2))
    elif bad:
        print(f"{counted(bad, 'thing')} to change", file=sys.stderr)
    else:
        print("nothing to change")
    return FAILED if bad else CLEAN


def _findings(demand: Demand) -> Iterator[Finding]:
    return chain(
        capacity.examine(demand),
        clocks.examine(),
        disk.examine(demand.root),
        doorway.examine(demand),
        programs.examine(demand),
    )


def _line(finding: Finding) -> str:
    change = f"; right would be {finding.advice}" if finding.advice else ""
    return f"{finding.level.value:4}  {finding.what}: {finding.found}{change}"


def _demand(arguments: argparse.Namespace) -> Demand:
    """What the arguments ask of the machine. Raises `BadInputError`."""
    host, port = arguments.host, arguments.port
    out: Path | None = arguments.out
    where: Path | None = arguments.file
    if where is None:
        return Demand(host, port, out or Path("results"))
    try:
        if is_event_file(_read(where)):
            settings = load_settings(where)
            root = out or Path("results") / settings.event.name
            return of_event(settings, where, host, port, root)
        league = load_league(where)
    except EventFileError as problem:
        raise BadInputError(meant(where, problem, league=True)) from None
    root = out or Path("results") / league.charter.name
    return of_league(league.charter, where, host, port, root)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as problem:
        raise BadInputError(
            f"{path}: expected an event file or a league file: {problem.strerror}"
        ) from None
