"""Check the results folder of an event.

The store is checked first: its hash chain, and every record in it against the engine, the clocks,
the event file and the schedule; then every other file against what the store adds up to, byte for
byte. Each thing wrong is a line on standard error, and the exit status is then 1. A server may run
meanwhile: what has finished is checked.

Whoever keeps the head that is printed can prove later, with --head, whether anything before it was
changed.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Final

from sternhalma_server.archive import EVENT, STORE
from sternhalma_server.audit import Findings, audit
from sternhalma_server.cli import CLEAN, FAILED
from sternhalma_server.cli.league_folder import charter_in
from sternhalma_server.cli.parser import BadInputError
from sternhalma_server.league_audit import LeagueFindings, audit_league
from sternhalma_server.store import Store, StoreError
from sternhalma_server.yearbook import check_yearbook
from sternhalma_tournament.text import counted

_SHOWN: Final = 20  # problems, of however many there are
_HEAD: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("folder", metavar="DIR", type=Path, help="the results folder")
    parser.add_argument(
        "--head", metavar="HEX", help="fail unless this head, kept earlier, is still in the chain"
    )
    parser.add_argument("--json", action="store_true", help="answer in JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print what was found; the exit status."""
    folder: Path = arguments.folder
    _check_folder(folder)
    head = None if arguments.head is None else _kept_head(arguments.head, folder)
    league = _league(folder, head)
    if league is not None:
        return _show_league(folder, league, as_json=arguments.json)
    try:
        findings = audit(folder, head)
    except StoreError as error:
        findings = Findings(problems=[str(error)])
    if arguments.json:
        print(json.dumps(_facts(findings)))
    else:
        _print(folder, findings)
    return FAILED if findings.problems else CLEAN


def _league(folder: Path, head: str | None) -> LeagueFindings | None:
    """What is found in a league's folder; None if it is no league's."""
    if not (folder / STORE).exists():
        return None
    try:
        with Store.read(folder / STORE) as store:
            if store.league is None:
                return None
            found = audit_league(folder, store, head)
            charter = charter_in(folder)
            try:
                checked = check_yearbook(folder, store, charter)
            except ValueError as error:
                found.problems.append(f"ratings and season: {error}")
            else:
                found.problems += checked.problems
                found.notes += checked.notes
            return found
    except StoreError as error:
        return LeagueFindings(problems=[str(error)])


def _show_league(folder: Path, found: LeagueFindings, *, as_json: bool) -> int:
    if as_json:
        events = {name: _facts(findings) for name, findings in found.events.items()}
        facts = {"events": events, "problems": found.problems, "notes": found.notes}
        print(json.dumps(facts))
        return CLEAN if found.whole else FAILED
    for problem in found.problems:
        print(f"sternhalma verify: {problem}", file=sys.stderr)
    for name, findings in found.events.items():
        print(f"{name}:")
        _print(folder, findings)
    for note in found.notes:
        print(note)
    return CLEAN if found.whole else FAILED


def _check_folder(folder: Path) -> None:
    if not folder.is_dir():
        raise BadInputError(f"expected a results folder, got {str(folder)!r}, which is none")
    if not any((folder / name).exists() for name in (STORE, EVENT, "games")):
        raise BadInputError(
            f"expected a results folder, with {STORE} or {EVENT} in it, got {str(folder)!r}"
        )


def _kept_head(text: str, folder: Path) -> str:
    head = text.lower()
    if not _HEAD.fullmatch(head):
        raise BadInputError(f"argument --head: expected 64 hexadecimal digits, got {text[:80]!r}")
    if not (folder / STORE).exists():
        raise BadInputError(
            f"argument --head: expected a folder with {STORE} in it, got {str(folder)!r}"
        )
    return head


def _facts(findings: Findings) -> dict[str, object]:
    return {
        "head": findings.head,
        "games": findings.games,
        "tables": findings.tables,
        "scheduled": findings.scheduled,
        "left": findings.left,
        "begun": findings.begun,
        "problems": findings.problems,
        "notes": findings.notes,
    }


def _print(folder: Path, findings: Findings) -> None:
    if findings.head is not None:
        print(f"head {findings.head}")
    for problem in findings.problems[:_SHOWN]:
        print(f"sternhalma verify: {problem}", file=sys.stderr)
    if findings.problems:
        count = counted(len(findings.problems), "problem")
        more = len(findings.problems) - _SHOWN
        shown = f", {more} of them not shown" if more > 0 else ""
        print(f"sternhalma verify: {count} in {folder}{shown}", file=sys.stderr)
        return
    print(f"verified {counted(findings.games, 'game')}, {counted(findings.tables, 'table')}")
    for note in findings.notes:
        print(note)
    if findings.left:
        begun = f", {findings.begun} of them begun" if findings.begun else ""
        print(f"{counted(findings.left, 'game')} of the event not played{begun}")
