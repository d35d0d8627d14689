"""Keep a league open: its events and its ladder side by side, until it is stopped.

Bots are registered with 'sternhalma register', events are added and started with 'sternhalma
event', while the league is open or while it is not. Ctrl-C or 'sternhalma stop' lets the games end
that run, Ctrl-C once more breaks them off; the same command goes on with the league, and with every
game that was broken off, by a crash too.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import trio

from sternhalma_server.archive import ArchiveError
from sternhalma_server.cli import CLEAN, INTERRUPTED
from sternhalma_server.cli.file_kind import is_league_file, meant
from sternhalma_server.cli.folder import unusable
from sternhalma_server.cli.logs import FORMS, LOG_HELP, TEXT, LogProgress, log_lines, log_sentence
from sternhalma_server.cli.parser import BadInputError
from sternhalma_server.cli.progress import LeagueProgress
from sternhalma_server.cli.run import PORT, check_programs, loss_in, port_number
from sternhalma_server.descriptors import raise_limit
from sternhalma_server.journal import StoreLostError
from sternhalma_server.league import Observers, serve_league
from sternhalma_server.league_settings import LeagueSettings, load_league
from sternhalma_server.listener import Listener, ListenError
from sternhalma_server.lock import LockedError
from sternhalma_server.renewal import follow_certificate
from sternhalma_server.sandbox import sandbox_problem
from sternhalma_server.store import StoreError
from sternhalma_server.tls import TlsError, server_context
from sternhalma_server.website import WebsiteError, add_web_option, beside, website_at
from sternhalma_tournament.reading import EventFileError


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `serve`."""
    parser.add_argument("league", type=Path, metavar="LEAGUE.toml", help="the league file")
    parser.add_argument("--out", type=Path, help="the league's folder (default: results/NAME)")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on")
    parser.add_argument(
        "--port",
        type=port_number,
        default=PORT,
        help="the port to listen on, 0 for any free one (default: %(default)s)",
    )
    add_web_option(parser)
    parser.add_argument("--log", choices=FORMS, default=TEXT, help=LOG_HELP)


def run(arguments: argparse.Namespace) -> int:
    """Serve the league until it is stopped: 0 then, 3 if its store is taken away."""
    try:
        settings = load_league(arguments.league)
    except EventFileError as error:
        raise BadInputError(meant(arguments.league, error, league=True)) from None
    root: Path = arguments.out or Path("results") / settings.charter.name
    try:
        return _serve(arguments, settings, root)
    except (
        EventFileError,
        ArchiveError,
        StoreError,
        LockedError,
        ListenError,
        WebsiteError,
    ) as error:
        raise BadInputError(str(error)) from None
    except OSError as error:
        raise BadInputError(unusable(root, error)) from None


def _serve(arguments: argparse.Namespace, settings: LeagueSettings, root: Path) -> int:
    charter = settings.charter
    _check_events(settings, arguments.league)
    check_programs(charter.bots, settings.folder, arguments.league)
    problem = sandbox_problem() if any(bot.sandbox for bot in charter.bots) else None
    if problem is not None:
        raise BadInputError(f"{charter.name}: sandbox: {problem}")
    raise_limit()
    say: Callable[[str], None] = _say
    observers: Observers = partial(LeagueProgress, _say)
    if arguments.log != TEXT:
        log_lines(arguments.log)
        say, observers = log_sentence, LogProgress

    def listening(host: str, port: int) -> None:
        say(f"{charter.name}: open on {host} port {port}, its folder is {root}")

    def tell(sentence: str) -> None:
        say(f"{charter.name}: {sentence}")

    context, renew = None, None
    if charter.tls is not None:
        cert, key = (settings.folder / file for file in (charter.tls.cert, charter.tls.key))
        try:
            context = server_context(cert, key)
        except TlsError as error:
            raise BadInputError(f"{arguments.league}: tls: {error}") from None
        renew = partial(follow_certificate, context, cert, key, tell)
    with (
        website_at(arguments.web, root, arguments.web_name, tables=arguments.tables) as site,
        closing(Listener(arguments.host, arguments.port, context, renew)) as listener,
    ):
        play = partial(serve_league, settings, listener, root, say, observers, listening)
        try:
            trio.run(beside, site, tell, play)
        except (StoreLostError, ExceptionGroup) as error:
            lost = loss_in(error)
            if lost is None:
                raise
            print(f"{lost}; the league stops", file=sys.stderr)
            return INTERRUPTED
    say(f"{charter.name}: stopped, the same command goes on with it")
    return CLEAN


def _check_events(settings: LeagueSettings, where: Path) -> None:
    """Raise `BadInputError` for a file that the league file *where* names and that is not here."""
    for number, name in enumerate(settings.charter.events, start=1):
        file = settings.folder / name
        try:
            source = file.read_bytes()
        except OSError as error:
            raise BadInputError(
                f"{where}: events[{number}]: expected an event file that can be read, got"
                f" {name!r}: {error.strerror}"
            ) from None
        if is_league_file(source):
            raise BadInputError(
                f"{where}: events[{number}]: expected an event file, got {name!r}, a league file"
            )


def _say(sentence: str) -> None:
    # Whoever read this may have gone away: that is no reason to end a league.
    with suppress(OSError):
        print(sentence, file=sys.stdout, flush=True)
