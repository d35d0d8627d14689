"""Play an event: listen, start its local bots, wait for the others, write the results.

An event that was stopped, by Ctrl-C or by a crash, goes on where it was when it is run again.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Final, cast

import trio

from sternhalma_server.archive import STORE, ArchiveError, clear_archive
from sternhalma_server.cli.file_kind import meant
from sternhalma_server.cli.lingering import add_linger_option, linger, tls_context
from sternhalma_server.cli.logs import FORMS, LOG_HELP, TEXT, LogProgress, log_lines
from sternhalma_server.cli.parser import BadInputError
from sternhalma_server.cli.progress import LineProgress, LiveProgress
from sternhalma_server.cli.spreading import Host, add_spread_options, folder_name, share, spread
from sternhalma_server.descriptors import raise_limit
from sternhalma_server.hosting import host_event, is_finished, past
from sternhalma_server.journal import StoreLostError
from sternhalma_server.listener import Listener, ListenError
from sternhalma_server.lock import LockedError, StoreLock
from sternhalma_server.lookup import ProgramError, find_program
from sternhalma_server.observer import Summary
from sternhalma_server.sandbox import sandbox_problem
from sternhalma_server.settings import Settings, load_settings
from sternhalma_server.store import StoreError
from sternhalma_server.tls import TlsError
from sternhalma_server.website import Website, WebsiteError, add_web_option, beside, website_at
from sternhalma_tournament.event import Bot
from sternhalma_tournament.reading import EventFileError
from sternhalma_tournament.text import counted

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
        type=port_number,
        help=f"the port to listen on (default: {PORT}, or any free one if all bots are local)",
    )
    parser.add_argument("--again", action="store_true", help="play anew, replacing old results")
    parser.add_argument("--json", action="store_true", help="print the standings as JSON")
    add_linger_option(parser)
    add_web_option(parser)
    add_spread_options(parser)
    parser.add_argument(
        "--log", choices=FORMS, default=TEXT, help=f"{LOG_HELP} (on standard error)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Play the event; 0 if all went well, 1 if it ended with faults, 3 if it was stopped."""
    try:
        return _run(arguments)
    except (
        EventFileError,
        ArchiveError,
        StoreError,
        LockedError,
        ListenError,
        TlsError,
        WebsiteError,
    ) as error:
        raise BadInputError(str(error)) from None


def _run(arguments: argparse.Namespace) -> int:
    try:
        settings = load_settings(arguments.event)
    except EventFileError as error:
        raise BadInputError(meant(arguments.event, error, league=False)) from None
    root: Path = arguments.out or Path("results") / folder_name(arguments, settings)
    remote = any(bot.remote for bot in settings.event.bots)
    port = arguments.port if arguments.port is not None else PORT if remote else 0
    if not arguments.again and is_finished(root, settings, arguments.shard):
        status = _show(
            past(root),
            root,
            f"finished before, results in {root}; --again plays it anew",
            as_json=arguments.json,
        )
        if arguments.linger is not None:
            with website_at(
                arguments.web, root, arguments.web_name, tables=arguments.tables
            ) as site:
                linger(arguments, settings, root, port, site)
        return status
    check_programs(settings.event.bots, settings.folder, arguments.event)
    problem = sandbox_problem() if any(bot.sandbox for bot in settings.event.bots) else None
    if problem is not None:
        raise BadInputError(f"{settings.event.name}: sandbox: {problem}")
    raise_limit()
    with (
        website_at(arguments.web, root, arguments.web_name, tables=arguments.tables) as site,
        spread(arguments, settings, root) as far,
    ):
        if far is not None:
            status = _run_anew(arguments, settings, far, root, site)
        else:
            with closing(Listener(arguments.host, port, tls_context(settings))) as listener:
                port = listener.port
                shard, programs = share(arguments, settings)
                here = partial(host_event, settings, listener, root, shard=shard, programs=programs)
                status = _run_anew(arguments, settings, here, root, site)
        if arguments.linger is not None and status in {_CLEAN, _FAULTS}:
            linger(arguments, settings, root, port, site)
    return status


def check_programs(bots: Iterable[Bot], folder: Path, where: Path) -> None:
    """Raise `BadInputError` for a command in the file *where* whose program is not here.

    A bot of that command would miss game after game, and its event be played for nothing.
    """
    for number, bot in enumerate(bots, start=1):
        if not bot.remote:
            try:
                find_program(bot.argv[0], folder)
            except ProgramError as problem:
                raise BadInputError(f"{where}: bots[{number}].command: {problem}") from None


def _run_anew(
    arguments: argparse.Namespace,
    settings: Settings,
    host: Host,
    root: Path,
    site: Website | None,
) -> int:
    """Have *host* play the event, now that nothing stands in the way; *site* runs beside it."""
    if arguments.again and root.exists():
        with StoreLock(root / STORE):
            clear_archive(root)
    progress: LineProgress | LiveProgress | LogProgress
    if arguments.log != TEXT:
        log_lines(arguments.log, sys.stderr)
        progress = LogProgress(settings.event.name)
    elif sys.stdout.isatty() and not arguments.json:
        progress = LiveProgress(settings.event.name, [entry.name for entry in settings.entries])
    else:
        stream = sys.stderr if arguments.json else sys.stdout
        progress = LineProgress(settings.event.name, stream)
    try:
        with progress.shown():
            play = partial(host, progress)
            summary = trio.run(beside, site, progress.tell, play)
    except (StoreLostError, ExceptionGroup) as error:
        lost = loss_in(error)
        if lost is None:
            raise
        print(f"{lost}; the event stops", file=sys.stderr)
        return _INTERRUPTED
    if not summary.complete:
        sentence = f"stopped, the same command goes on with the event; results in {root}"
        print(sentence, file=sys.stderr if arguments.json else sys.stdout, flush=True)
        return _INTERRUPTED
    return _show(
        summary,
        root,
        f"{counted(summary.games, 'game')}, results in {root}",
        as_json=arguments.json,
    )


def loss_in(error: BaseException) -> StoreLostError | None:
    """The loss of the store, if *error* is nothing else."""
    found: StoreLostError | None = None
    left = [error]
    while left:
        one = left.pop()
        if isinstance(one, BaseExceptionGroup):
            left += cast("BaseExceptionGroup[BaseException]", one).exceptions
        elif isinstance(one, StoreLostError):
            found = one
        else:
            return None
    return found


def _show(summary: Summary, root: Path, sentence: str, *, as_json: bool) -> int:
    """Print the standings and what went wrong, and return the exit status."""
    name = "standings.json" if as_json else "standings.md"
    print((root / name).read_text(encoding="utf-8"), end="" if as_json else "\n")
    print(sentence, file=sys.stderr if as_json else sys.stdout, flush=True)
    if summary.clean:
        return _CLEAN
    print(faults(summary), file=sys.stderr)
    return _FAULTS


def port_number(text: str) -> int:
    """The type of an argument that is a port to listen on, 0 for any free one."""
    if not (text.isdecimal() and text.isascii() and len(text) < 6 and int(text) < 65536):
        raise argparse.ArgumentTypeError(f"expected a port from 0 to 65535, got {text[:40]!r}")
    return int(text)


def faults(summary: Summary) -> str:
    """The sentence that says what went wrong in an event."""
    parts = [
        f"{bot} forfeited {counted(count, 'game')} ({reason})"
        for (bot, reason), count in sorted(summary.forfeits.items())
    ]
    parts += [f"{bot} was withdrawn" for bot in summary.withdrawn]
    if summary.voids:
        parts.append(f"{counted(summary.voids, 'void game')}")
    if summary.replayed:
        parts.append(f"{counted(summary.replayed, 'game')} played again after the server failed")
    return f"the event ended with faults: {'; '.join(parts)}"
