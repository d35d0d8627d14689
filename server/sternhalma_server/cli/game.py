"""Tell how a game went: who, by which rules, move by move, and why it ended so.

Each move comes with what it was charged, when it was asked for and when it was answered; a loss by
time comes with its evidence, one by a wrong move with what is wrong with it. What the host has
ruled about the game is told before its moves. A game that is still running is told as far as it has
come.
"""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import msgspec

from sternhalma_server.archive import BOTS, EVENT, STORE, read_record, record_name
from sternhalma_server.chronicle import wire_name
from sternhalma_server.cli import CLEAN
from sternhalma_server.cli.folder import game_in
from sternhalma_server.cli.parser import BadInputError, whole_number
from sternhalma_server.folders import event_folder
from sternhalma_server.record import Out, parse_record
from sternhalma_server.report import report, said_lines
from sternhalma_server.rulings import rulings_of, rulings_on, settings_in
from sternhalma_server.settings import settings_of
from sternhalma_server.store import Store, StoredEvent, StoreError
from sternhalma_server.telling import Telling, facts
from sternhalma_server.underway import game_under_way, late_in
from sternhalma_server.verdict import Reason
from sternhalma_tournament.amendments import Amendment

# What a bot does again where it is put the same questions.
REPEATED: Final = frozenset({Reason.ILLEGAL, Reason.MALFORMED, Reason.TIME, Reason.DISCONNECT})


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("folder", metavar="DIR", type=Path, help="the results folder")
    parser.add_argument("number", metavar="NUMBER", help="the number of the game")
    parser.add_argument(
        "--ply", metavar="N", type=_ply, help="tell it as far as ply N; 0 is the start"
    )
    parser.add_argument("--board", action="store_true", help="draw the board as it stood then")
    parser.add_argument(
        "--said", action="store_true", help="show what the seats said, with when it came"
    )
    parser.add_argument("--json", action="store_true", help="answer in JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print the report; the exit status."""
    try:
        told = _told(arguments.folder, _number(arguments.folder, arguments.number))
        telling, said = told.telling, told.said
        last = telling.record.ply
        if arguments.ply is not None and arguments.ply > last:
            raise BadInputError(f"argument --ply: expected 0 to {last}, got {arguments.ply}")
        if arguments.said and said is None:
            raise BadInputError(
                f"argument --said: expected a folder with {STORE} in it,"
                f" got {str(arguments.folder)!r}"
            )
        _print(replace(told, telling=replace(telling, upto=arguments.ply)), arguments)
    except (StoreError, ValueError) as error:
        raise BadInputError(f"{arguments.folder}: {error}") from None
    return CLEAN


def _number(folder: Path, word: str) -> int:
    try:
        return whole_number(game_in(folder, word))
    except argparse.ArgumentTypeError as error:
        raise BadInputError(f"argument NUMBER: {error}") from None


def _ply(text: str) -> int:
    if text == "0":
        return 0
    try:
        return whole_number(text)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(f"expected a ply from 0, got {text[:40]!r}") from None


def _print(told: _Told, arguments: argparse.Namespace) -> None:
    telling, said = told.telling, told.said or ""
    if arguments.json:
        ruled = [msgspec.to_builtins(ruling) for ruling in told.rulings]
        print(json.dumps(facts(telling, said if arguments.said else None) | {"rulings": ruled}))
        return
    lines = report(telling, told.rulings, board=arguments.board, said=said)
    if arguments.said:
        lines += ["", *said_lines(telling, said)]
    if told.said is not None and not telling.running:
        lines += _further(arguments.folder, arguments.number, telling)
    print("\n".join(lines))


def _further(folder: Path, number: str, telling: Telling) -> Iterator[str]:
    """Where whoever has forfeited the game can look further."""
    record, words = telling.record, shlex.join([str(folder), number])
    for out in telling.happened:
        if not isinstance(out, Out) or out.reason not in REPEATED:
            continue
        bot = next(player.bot for player in record.players if player.seat == out.seat)
        yield ""
        yield f"to look further into what {out.seat} {bot} did:"
        for path in sorted((folder / BOTS).glob(f"{bot}-[0-9]*.txt")):
            yield f"  {path} has what its program printed"
        yield f"  sternhalma transcript {words} --seat {out.seat} > game.txt"
        yield "  sternhalma replay game.txt -- COMMAND"


@dataclass(frozen=True, slots=True)
class _Told:
    """A game, the lines of its seats where there is a store, and the rulings that change what it
    counts."""

    telling: Telling
    said: str | None
    rulings: Sequence[Amendment] = ()


def _told(folder: Path, number: int) -> _Told:
    found = event_folder(folder)
    if found is not None:
        with Store.read(found.store) as store:
            return _stored(store, found.stored(store), number)
    if not (folder / record_name(number)).exists():
        raise BadInputError(
            f"expected a results folder, with {STORE} or {record_name(number)} in it,"
            f" got {str(folder)!r}"
        )
    try:
        record = read_record(folder / record_name(number))
    except OSError as error:
        raise BadInputError(
            f"{error.filename}: expected a record that can be read: {error.strerror}"
        ) from None
    try:
        settings = settings_of((folder / EVENT).read_bytes(), EVENT)
    except (OSError, ValueError):
        return _Told(Telling(record), None)  # only what the event credits is not known
    return _Told(Telling(record, lag=settings.lag), None)


def _stored(store: Store, stored: StoredEvent, number: int) -> _Told:
    settings = settings_in(store, stored)
    # Asked before, so that a game that ends in between is found in the second place.
    lines = store.running_lines(stored.id).get(number)
    game = store.game(stored.id, number)
    name = wire_name(store, stored, number)
    if game is not None:
        record = parse_record(game.record)
        entries = [player.entry for player in record.players]
        ruled = rulings_on(number, entries, rulings_of(store, stored.id))
        return _Told(Telling(record, lag=settings.lag, name=name), game.said, ruled)
    if lines is None:
        raise BadInputError(f"expected a game of {stored.name} that has begun, got game {number}")
    so_far = game_under_way(settings, late_in(store, stored.id), lines, name)
    return _Told(so_far.telling, so_far.said)
