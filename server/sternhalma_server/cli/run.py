"""Play an event: listen, start its local bots, wait for the others, write the results."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path
from typing import Final

import trio

from sternhalma_server.app import run_event
from sternhalma_server.archive import ArchiveError, clear_archive, create_archive
from sternhalma_server.cli.parser import BadInputError
from sternhalma_server.cli.progress import LineProgress, LiveProgress
from sternhalma_server.director import Summary
from sternhalma_server.keeping import FolderKeeper
from sternhalma_server.listener import Listener, ListenError
from sternhalma_server.results import Results
from sternhalma_server.settings import Settings, load_settings
from sternhalma_tournament.event import EventFileError
from sternhalma_tournament.roundrobin import schedule_of

PORT: Final = 7121  # what remote bots are told; an event of local bots takes any free port

_CLEAN: Final = 0
_FAULTS: Final = 1
_INTERRUPTED: Final = 3


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `run`."""
    parser.add_argument("event", type=Path, metavar="EVENT.toml", help="the event file")
    parser.add_argument("--out", type=Path, help="the results folder (default: results/NAME)")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on")
    parser.add_argument(
        "--port",
        type=int,
        help=f"the port to listen on (default: {PORT}, or any free one if all bots are local)",
    )
    parser.add_argument("--again", action="store_true", help="play anew, replacing old results")
    parser.add_argument("--json", action="store_true", help="print the standings as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Play the event; 0 if all went well, 1 if it ended with faults."""
    try:
        settings = load_settings(arguments.event)
    except EventFileError as error:
        raise BadInputError(str(error)) from None
    root: Path = arguments.out or Path("results") / settings.event.name
    if (root / "event.toml").exists():
        if not arguments.again:
            return _show_finished(root, settings.source, as_json=arguments.json)
        clear_archive(root)
    remote = any(bot.remote for bot in settings.event.bots)
    port = arguments.port if arguments.port is not None else PORT if remote else 0
    try:
        listener = Listener(arguments.host, port)
        create_archive(root, settings.source)
    except (ListenError, ArchiveError) as error:
        raise BadInputError(str(error)) from None
    print(f"{settings.event.name}: listening on {listener.host} port {listener.port}", flush=True)
    return trio.run(_play, settings, listener, root, arguments.json)


async def _play(settings: Settings, listener: Listener, root: Path, as_json: bool) -> int:
    keeper = FolderKeeper(root, Results(settings.event))
    total = len(schedule_of(settings.event))
    progress: LineProgress | LiveProgress
    if sys.stdout.isatty():
        progress = LiveProgress(total, [entry.name for entry in settings.entries])
    else:
        progress = LineProgress(total)
    played: list[Summary] = []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_cancel_on_signal, nursery.cancel_scope)
        with progress.shown():
            nursery.start_soon(keeper.run)
            played.append(await run_event(settings, listener, keeper, progress))
        nursery.cancel_scope.cancel()
    with trio.CancelScope(shield=True):
        await keeper.write_tables()
    if not played:
        print(f"interrupted, the games played so far are in {root}", file=sys.stderr)
        return _INTERRUPTED
    (summary,) = played
    _print_standings(root, as_json=as_json)
    print(f"{summary.games} games, results in {root}")
    if summary.clean:
        return _CLEAN
    print(faults(summary), file=sys.stderr)
    return _FAULTS


async def _cancel_on_signal(scope: trio.CancelScope) -> None:
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            scope.cancel()


def faults(summary: Summary) -> str:
    """The sentence that says what went wrong in an event."""
    parts = [
        f"{bot} forfeited {count} {'game' if count == 1 else 'games'} ({reason})"
        for (bot, reason), count in sorted(summary.forfeits.items())
    ]
    parts += [f"{bot} was withdrawn" for bot in summary.withdrawn]
    if summary.voids:
        parts.append(f"{summary.voids} void {'game' if summary.voids == 1 else 'games'}")
    return f"the event ended with faults: {'; '.join(parts)}"


def _show_finished(root: Path, source: bytes, *, as_json: bool) -> int:
    if (root / "event.toml").read_bytes() != source:
        raise BadInputError(
            f"{root}: expected results of this event file, got those of another one;"
            " choose another folder with --out, or replace them with --again"
        )
    if not (root / "standings.md").exists():
        raise BadInputError(f"{root}: the event was interrupted; play it anew with --again")
    _print_standings(root, as_json=as_json)
    print(f"finished before, results in {root}; --again plays it anew")
    return _CLEAN


def _print_standings(root: Path, *, as_json: bool) -> None:
    name = "standings.json" if as_json else "standings.md"
    print((root / name).read_text(encoding="utf-8"))
