"""A league as its server leaves it in its folder: a ladder and an event, played without bots."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Final

from server.conducted import conducted
from server.kept import SAID
from sternhalma import Game
from sternhalma_server.announce import Table
from sternhalma_server.archive import STORE, create_archive, write_record, write_tables
from sternhalma_server.folders import EVENTS, LEAGUE
from sternhalma_server.opening import opening_of
from sternhalma_server.outcome import format_outcome, outcome_of
from sternhalma_server.record import Record, format_record
from sternhalma_server.results import Results, result_of
from sternhalma_server.settings import Settings, settings_of
from sternhalma_server.store import FinishedGame, Store
from sternhalma_server.yearbook import write_yearbook
from sternhalma_tournament.entries import Entry
from sternhalma_tournament.formats import scheduler_of
from sternhalma_tournament.ladder import LadderScheduler
from sternhalma_tournament.schedule import Pairing
from sternhalma_tournament.scheduler import Scheduler

BOTS: Final = ("zoe", "max", "Ida", "kim")
CHARTER: Final = b'name = "club"\nanchors = { zoe = 1500 }\nseason = { points = [3, 1] }\n'
LADDER: Final = (
    b'name = "ladder"\nformat = "ladder"\nrules = "corner"\nplayers = 2\nclock = "2s"\n'
    b"limit = 3\nseed = 5\nopening = 2\n"
)
CUP: Final = LADDER.replace(b"ladder", b"cup").replace(b'format = "cup"\n', b"cycles = 2\n") + (
    b"".join(b'[[bots]]\nname = "%s"\n' % bot.encode() for bot in BOTS)
)


def table_of(settings: Settings, pairing: Pairing, opening: str | None = None) -> Table:
    """The game of *pairing* as a league sets it up, with the key of another *opening* if given."""
    event, terms = settings.event, settings.terms
    start = Game.new(settings.rules, event.players, limit=terms.limit, at_limit=terms.at_limit)
    key = pairing.opening if opening is None else opening
    return Table(
        event=event.name,
        game=f"{event.name}/{pairing.number}",
        rules=settings.rules,
        terms=terms,
        control=settings.control,
        bots=pairing.entries,
        entries=pairing.entries,
        versions=tuple(f"{len(bot)}.0" for bot in pairing.entries),
        seeds=(0,) * event.players,
        opening=opening_of(start, event.opening, event.seed, key),
    )


def ladder_of(settings: Settings) -> LadderScheduler:
    """The ladder of all bots."""
    scheduler = LadderScheduler(settings.sides, 1, settings.event.spread, settings.event.seed)
    for bot in BOTS:
        scheduler.join(Entry(bot, (bot,)))
    return scheduler


def games_of(scheduler: Scheduler, settings: Settings, games: int, seed: int) -> Iterator[Record]:
    """The records of so many games in the order in which they end; several run at once."""
    chance = Random(seed)
    running: list[Pairing] = []
    for _ in range(games):
        while len(running) < 3:
            busy = [bot for pairing in running for bot in pairing.entries]
            pairing = scheduler.next({bot: 2 - busy.count(bot) for bot in BOTS})
            if pairing is None:
                break
            scheduler.start(pairing)
            running.append(pairing)
        over = running.pop(chance.randrange(len(running)))
        record = conducted(table_of(settings, over), seed + over.number)
        scheduler.finish(result_of(record))
        yield record


def ladder_games(games: int = 12, seed: int = 1) -> list[Record]:
    """Games of the ladder."""
    settings = settings_of(LADDER, "ladder.toml", league=True)
    return list(games_of(ladder_of(settings), settings, games, seed))


def cup_games(seed: int = 1) -> list[Record]:
    """All games of the cup."""
    settings = settings_of(CUP, "cup.toml", league=True)
    scheduler = scheduler_of(settings.event)
    return list(games_of(scheduler, settings, scheduler.games, seed))


def keep_league(root: Path, ladder: list[Record], cup: list[Record]) -> None:
    """The folder of a league that has been stopped, all that is derived included."""
    root.mkdir(exist_ok=True)
    (root / LEAGUE).write_bytes(CHARTER)
    with Store.open(root / STORE) as store:
        store.found_league("club")
        for source, records in ((LADDER, ladder), (CUP, cup)):
            event = settings_of(source, "event.toml", league=True).event
            number = store.add_event(event.name, source)
            store.write(number, "", [_finished(record) for record in records])
            store.set_state(number, "running" if event.format == "ladder" else "closed")
    folder = root / EVENTS / "cup"
    create_archive(folder, CUP)
    results = Results(settings_of(CUP, "cup.toml", league=True).event)
    for record in cup:
        write_record(folder, record)
        results.add(record)
    write_tables(folder, results.files())
    write_yearbook(root)


def _finished(record: Record) -> FinishedGame:
    return FinishedGame(
        record.game, format_record(record), SAID, format_outcome(outcome_of(record))
    )


def with_bots(record: Record, *bots: str) -> Record:
    """*record* as if *bots* had played it for its entries."""
    seats = zip(record.players, bots, strict=True)
    return replace(record, players=tuple(replace(player, bot=bot) for player, bot in seats))
