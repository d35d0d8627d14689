"""Check the results folder of an event.

Every record is played again by the engine and held against its digest, the event file and the
schedule; the list of results and all tables are derived again from the records and compared byte
for byte. Each thing wrong is a line on standard error, and the exit status is then 1.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from sternhalma_server.archive import EVENT
from sternhalma_server.audit import Findings, audit
from sternhalma_server.cli import CLEAN, FAILED
from sternhalma_server.cli.parser import BadInputError, counted


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("folder", metavar="DIR", type=Path, help="the results folder")
    parser.add_argument("--json", action="store_true", help="answer in JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print what was found; the exit status."""
    folder: Path = arguments.folder
    if not folder.is_dir():
        raise BadInputError(f"expected a results folder, got {str(folder)!r}, which is none")
    if not (folder / EVENT).exists() and not (folder / "games").exists():
        raise BadInputError(
            f"expected a results folder, with {EVENT} and games in it, got {str(folder)!r}"
        )
    findings = audit(folder)
    if arguments.json:
        print(json.dumps(_facts(findings)))
    else:
        _print(folder, findings)
    return FAILED if findings.problems else CLEAN


def _facts(findings: Findings) -> dict[str, object]:
    return {
        "games": findings.games,
        "tables": findings.tables,
        "scheduled": findings.scheduled,
        "problems": list(findings.problems),
    }


def _print(folder: Path, findings: Findings) -> None:
    for problem in findings.problems:
        print(f"sternhalma verify: {problem}", file=sys.stderr)
    if findings.problems:
        count = counted(len(findings.problems), "problem")
        print(f"sternhalma verify: {count} in {folder}", file=sys.stderr)
        return
    print(f"verified {counted(findings.games, 'game')}, {counted(findings.tables, 'table')}")
    left = findings.scheduled - findings.games
    if left:
        print(f"{counted(left, 'game')} of the event not played")
