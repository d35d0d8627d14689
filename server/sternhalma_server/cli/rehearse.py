"""Play a copy of an event with bots that misbehave, and see what its settings make of them.

The rules, clock, budgets and limits of the event are kept. Its own programs play the honest part,
sample bots where it has none; results of the event are neither read nor written. The exit status
is 0 if every misbehaviour got the verdict it deserves and no honest bot forfeited, else 1.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import trio

from sternhalma_server.cli import CLEAN, FAILED, INTERRUPTED
from sternhalma_server.cli.parser import BadInputError, unknown, whole_number
from sternhalma_server.cli.run import check_programs
from sternhalma_server.clock import MILLISECOND
from sternhalma_server.listener import Listener, ListenError
from sternhalma_server.settings import Settings, load_settings
from sternhalma_server.testing.house_bots import HOUSE_BOTS
from sternhalma_server.testing.rehearsal import (
    Field,
    Findings,
    RehearsalError,
    Verdicts,
    advice_for,
    field_of,
    rehearse,
)
from sternhalma_server.tls import TlsError, server_context
from sternhalma_tournament.reading import EventFileError
from sternhalma_tournament.text import counted, markdown_table

GAMES = 1  # of each misbehaviour


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `rehearse`."""
    parser.add_argument("event", type=Path, metavar="EVENT.toml", help="the event file")
    parser.add_argument(
        "--games",
        type=whole_number,
        default=GAMES,
        help=f"games of each misbehaviour, at least (default: {GAMES})",
    )
    parser.add_argument(
        "--only", metavar="KIND,...", help=f"of the misbehaviours {', '.join(HOUSE_BOTS)}"
    )
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Hold the rehearsal and print what it has shown; the exit status."""
    try:
        settings = load_settings(arguments.event)
        check_programs(settings.event.bots, settings.folder, arguments.event)
        with tempfile.TemporaryDirectory(prefix="sternhalma-rehearsal-") as name:
            folder = Path(name)
            field = field_of(settings, arguments.games, _kinds(arguments.only), folder)
            findings = _hold(field, folder / "results", quiet=arguments.json)
    except (EventFileError, RehearsalError, ListenError, TlsError) as error:
        raise BadInputError(str(error)) from None
    advice = advice_for(settings, findings)
    if arguments.json:
        print(json.dumps({**findings.facts(), "advice": advice}, indent=2))
    else:
        _print(settings, findings, advice)
    if findings.good:
        return CLEAN
    return FAILED if findings.complete or findings.overrun else INTERRUPTED


def _kinds(only: str | None) -> Sequence[str]:
    if only is None:
        return tuple(HOUSE_BOTS)
    kinds = tuple(dict.fromkeys(only.split(",")))
    for kind in kinds:
        if kind not in HOUSE_BOTS:
            raise BadInputError(f"argument --only: {unknown('misbehaviour', kind, HOUSE_BOTS)}")
    return kinds


def _hold(field: Field, folder: Path, *, quiet: bool) -> Findings:
    context = None
    if field.settings.event.tls is not None:
        files, base = field.settings.event.tls, field.settings.folder
        context = server_context(base / files.cert, base / files.key)
    listener = Listener("127.0.0.1", 0, context)

    def say(sentence: str) -> None:
        if not quiet:
            print(sentence, flush=True)

    say(f"{counted(field.games, 'game')}, about {field.seconds:.0f} s")
    return trio.run(rehearse, field, listener, folder, say)


def _print(settings: Settings, findings: Findings, advice: Sequence[str]) -> None:
    head = ("misbehaviour", "games", "verdict", "held up", "")
    print()
    print(markdown_table(head, [_row(its) for its in findings.verdicts.values()], "lrlrl"))
    late = findings.late / MILLISECOND
    suffered = "none of them forfeited"
    if findings.forfeits:
        suffered = "; ".join(
            f"{bot} forfeited game {game} ({reason})" for bot, game, reason in findings.forfeits
        )
    print(f"honest: {', '.join(findings.field.honest)}; {suffered}")
    print(f"the server read moves up to {late:.1f} ms late, which is charged to nobody")
    if findings.voids:
        print(f"{counted(findings.voids, 'game')} void, by the server's own fault")
    for sentence in advice:
        print(f"advice: {sentence}")
    print(f"{settings.event.name}: {_judgement(findings)}")
    if not findings.good:
        for sentence in findings.told:
            print(sentence, file=sys.stderr)


def _row(its: Verdicts) -> Sequence[str]:
    verdicts = ", ".join(
        reason if count == its.games else f"{count} {reason}"
        for reason, count in sorted(its.reasons.items())
    )
    held = "" if its.longest is None else f"{its.longest:.1f} s"
    return (its.kind, str(its.games), verdicts or "not played", held, "" if its.right else "WRONG")


def _judgement(findings: Findings) -> str:
    if findings.good:
        return "every misbehaviour got its own verdict, and no honest bot forfeited"
    if findings.overrun:
        return "the rehearsal took far longer than its settings say, and was ended"
    if not findings.complete:
        return "the rehearsal was stopped before its end"
    return "not every misbehaviour was met as it should be, see above"
