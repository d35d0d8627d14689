"""Whole events as a server leaves them in a results folder, played without bots and at once."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Final

import msgspec

from server.conducted import CALM, Chances, conducted
from sternhalma import Game
from sternhalma_server.announce import Table
from sternhalma_server.archive import STORE, create_archive, write_record, write_tables
from sternhalma_server.audit import audit
from sternhalma_server.opening import opening_of
from sternhalma_server.record import Record, format_record
from sternhalma_server.results import Results, result_of
from sternhalma_server.settings import Settings, settings_of
from sternhalma_server.store import Decision, FinishedGame, State, Store
from sternhalma_tournament.amendments import Amendment, format_amendment, parse_amendment
from sternhalma_tournament.entries import bots_by_seat
from sternhalma_tournament.formats import apply_amendment, scheduler_of
from sternhalma_tournament.schedule import Pairing
from sternhalma_tournament.scheduler import bye_result
from sternhalma_tournament.scores import BYE, GameResult

Link = Record | Decision

SAID = "A 1764451826.000001 ping hello\n"  # beside the moves of every game

CUP = b"""\
# A comment that decides nothing.
name = "cup"
rules = "corner"
players = 2
clock = "2s"
limit = 3
cycles = 2
seed = 5
opening = 1

[[bots]]
name = "zoe"
remote = true

[[bots]]
name = "max"
command = "max --fast"

[[bots]]
name = "Ida"
remote = true
"""

TRIO = b"""\
name = "trio"
rules = "corner"
players = 3
clock = "3s+0.5s"
limit = 4
lag = { per_move = "20ms", cap = "500ms" }
bots = [
    { name = "a", remote = true },
    { name = "b", remote = true },
    { name = "c", remote = true },
    { name = "d", remote = true },
]
"""


def event_text(format_: str, bots: int, more: str = "") -> bytes:
    """The file of a small event of *bots* remote bots, two at a game."""
    names = ",\n".join(f'    {{ name = "b{number}", remote = true }}' for number in range(bots))
    return (
        f'name = "event"\nformat = "{format_}"\nrules = "corner"\nplayers = 2\nclock = "2s"\n'
        f"limit = 2\nopening = 1\n{more}\nbots = [\n{names},\n]\n"
    ).encode()


def table_of(settings: Settings, pairing: Pairing) -> Table:
    """The game of *pairing* as it is set up; every bot has one version throughout the event."""
    event, entries = settings.event, {entry.name: entry for entry in settings.entries}
    sides = tuple(entries[name] for name in pairing.entries)
    bots = bots_by_seat(sides, event.players)
    terms = settings.terms
    start = Game.new(settings.rules, event.players, limit=terms.limit, at_limit=terms.at_limit)
    return Table(
        event=event.name,
        game=str(pairing.number),
        rules=settings.rules,
        terms=terms,
        control=settings.control,
        bots=bots,
        entries=tuple(pairing.entries[seat % len(sides)] for seat in range(event.players)),
        versions=tuple(f"{len(bot)}.0" for bot in bots),
        seeds=(0,) * event.players,
        opening=opening_of(start, event.opening, event.seed, pairing.opening),
        draws=event.draws,
        tries=event.tries,
        lag=settings.lag,
    )


def played(
    source: bytes,
    seed: int = 1,
    *,
    chances: Chances = CALM,
    rulings: Sequence[tuple[int, Amendment]] = (),
    most: int = 1_000_000,
) -> list[Link]:
    """What the event of the file *source* comes to, in the order in which it comes.

    Several games run at once, and which bots are free is drawn by lot. Each of *rulings* is made
    when so many results are there.
    """
    settings = settings_of(source, "event.toml")
    scheduler, chance = scheduler_of(settings.event), Random(seed)
    remote = [bot.name for bot in settings.event.bots if bot.remote]
    links: list[Link] = []
    running: list[Pairing] = []
    to_rule = list(rulings)
    while len(links) < most:
        while to_rule and to_rule[0][0] <= len(links):
            ruling = to_rule.pop(0)[1]
            apply_amendment(scheduler, ruling)
            links.append(Decision("ruling", format_amendment(ruling)))
        busy = [bot for pairing in running for bot in pairing.entries]
        free = {bot.name: 2 - busy.count(bot.name) for bot in settings.event.bots}
        for name in chance.sample(sorted(free), chance.randrange(len(free) // 2)):
            free[name] = 0
        pairing = scheduler.next(free)
        if pairing is not None and len(running) < 4:
            if len(pairing.entries) == 1:
                bye = bye_result(pairing)
                links.append(Decision(BYE, msgspec.json.encode(bye).decode()))
                scheduler.finish(bye)
                continue
            scheduler.start(pairing)
            running.append(pairing)
            if chance.random() < 0.5:
                continue
        if not running:
            if scheduler.done:
                break
            continue
        over = running.pop(chance.randrange(len(running)))
        table = table_of(settings, over)
        credited = [seat for seat, bot in enumerate(table.bots) if bot in remote]
        record = conducted(table, seed + over.number, in_credit=credited, chances=chances)
        links.append(record)
        scheduler.finish(result_of(record))
    return links


def games_of(source: bytes, *, chances: Chances = CALM) -> list[Record]:
    """The records of the event's games by number."""
    records = [link for link in played(source, chances=chances) if isinstance(link, Record)]
    return sorted(records, key=lambda record: record.game)


def keep_files(root: Path, source: bytes, links: Sequence[Link]) -> None:
    """The folder of the event with everything that is derived, and no store."""
    create_archive(root, source)
    results = Results(settings_of(source, "event.toml").event)
    for link in links:
        if isinstance(link, Record):
            write_record(root, link)
            results.add(link)
        elif link.kind == BYE:
            results.add_bye(msgspec.json.decode(link.text, type=GameResult))
        else:
            results.amend(parse_amendment(link.text))
    write_tables(root, results.files())


def keep_store(
    root: Path,
    source: bytes,
    links: Sequence[Link],
    *,
    state: State = "closed",
    running: str = "",
) -> None:
    """The store of the event in the folder; *running* are lines of the journal."""
    settings = settings_of(source, "event.toml")
    root.mkdir(exist_ok=True)
    with Store.open(root / STORE) as store:
        event = store.add_event(settings.event.name, source)
        results = [
            FinishedGame(link.game, format_record(link), SAID) if isinstance(link, Record) else link
            for link in links
        ]
        store.write(event, running, results)
        store.set_state(event, state)


def keep(root: Path, source: bytes, links: Sequence[Link], *, state: State = "closed") -> None:
    """The whole folder of the event."""
    keep_files(root, source, links)
    keep_store(root, source, links, state=state)


def forge(root: Path, number: int, record: Record | str) -> None:
    """Put another record into the store in place of game *number*, and leave the chain as it is."""
    text = record if isinstance(record, str) else format_record(record)
    change(root, "UPDATE game SET record = ? WHERE number = ?", text, number)


def change(root: Path, statement: str, *values: object) -> None:
    """Change the store behind the server's back."""
    with sqlite3.connect(root / STORE) as connection:
        for kind in ("game", "amendment"):
            connection.execute(f"DROP TRIGGER IF EXISTS {kind}_is_final")
        connection.execute(statement, values)
    connection.close()


LINKS: Final = tuple(played(CUP))  # the games of the cup, in another order than their numbers


def game(number: int) -> Record:
    """A game of the cup."""
    return next(link for link in LINKS if isinstance(link, Record) and link.game == number)


def signed(record: Record, old: str, new: str) -> str:
    """The text of *record* with one thing in it changed, and a digest that says so."""
    body = format_record(record).rpartition("sha256")[0]
    assert body.count(old) == 1
    body = body.replace(old, new)
    return f"{body}sha256 {hashlib.sha256(body.encode()).hexdigest()}\n"


def problem(root: Path, kept: str | None = None) -> str:
    """The one thing that is wrong with a folder."""
    (found,) = audit(root, kept).problems
    return found
