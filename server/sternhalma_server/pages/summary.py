"""An event added up for its pages: its tables, what each bot did, and what each game came to.

All of it is read in one go through the records; the pages of games are made in a second one, so
that an event of many thousand games needs no more memory than its tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from sternhalma_server.outcome import outcome_of
from sternhalma_server.record import Out, Record, parse_record
from sternhalma_server.results import Results
from sternhalma_server.rulings import enter, links, rulings_of, settings_in
from sternhalma_server.settings import Settings
from sternhalma_server.store import Store, StoredEvent, StoredGame
from sternhalma_server.telling import Telling
from sternhalma_server.underway import Underway, games_under_way
from sternhalma_server.usage import Usages
from sternhalma_server.verdict import Reason
from sternhalma_tournament.amendments import Amendment, Rulings
from sternhalma_tournament.crosstable import crosstable, crosstable_markdown
from sternhalma_tournament.entries import Entry
from sternhalma_tournament.pages import entry_page, page_markdown
from sternhalma_tournament.scores import GameResult
from sternhalma_tournament.standings import Standings, standings_of
from sternhalma_tournament.tally import Tally

_LADDER: Final = "ladder"


@dataclass(frozen=True, slots=True)
class GameLine:
    """A game in a list of games: who sat where and was placed how."""

    number: int
    seats: tuple[tuple[str, str, int], ...]  # the letter, the bot, the place (0 in a void game)
    reason: Reason
    plies: int
    at: int | None = None  # when its first question was asked, wall time in nanoseconds

    @property
    def bots(self) -> list[str]:
        """Who played."""
        return [bot for _, bot, _ in self.seats]


@dataclass(frozen=True, slots=True)
class Forfeit:
    """Who forfeited which game, why, and when which ply was to be played."""

    bot: str
    reason: Reason
    game: int
    ply: int


@dataclass(slots=True)
class Seen:
    """What was seen in the records of an event while they were added up."""

    usages: Usages = field(default_factory=Usages)
    games: list[GameLine] = field(default_factory=list[GameLine])
    forfeits: list[Forfeit] = field(default_factory=list[Forfeit])
    versions: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])

    def watch(self, record: Record) -> None:
        """See one more record."""
        self.usages.add(record)
        bots = {player.seat: player.bot for player in record.players}
        seats = tuple(
            (player.seat, player.bot, place)
            for player, place in zip(record.players, record.places, strict=True)
        )
        at = Telling(record).start
        self.games.append(GameLine(record.game, seats, record.reason, record.ply, at))
        for player in record.players:
            if player.version is not None:
                versions = self.versions.setdefault(player.bot, {})
                versions[player.version] = versions.get(player.version, 0) + 1
        for one in record.happened:
            if isinstance(one, Out) and one.reason.is_forfeit:
                self.forfeits.append(Forfeit(bots[one.seat], one.reason, record.game, one.ply))


@dataclass(frozen=True, slots=True)
class Summary:
    """An event: `table` is the text of its standings, None for a ladder, which has none.

    `planned` is how many games there are to be, those that are over included; None for a ladder,
    or where nobody has counted. `versions` are those each bot has told, with the games of each.
    """

    stored: StoredEvent
    settings: Settings
    head: str
    entries: Sequence[Entry]
    standings: Standings
    tally: Tally
    table: str | None
    rulings: Sequence[Amendment]
    usages: Usages
    games: Sequence[GameLine]
    forfeits: Sequence[Forfeit]
    running: Sequence[Underway] = ()
    planned: int | None = None
    versions: Mapping[str, Mapping[str, int]] = field(default_factory=dict[str, dict[str, int]])

    @property
    def is_ladder(self) -> bool:
        """Whether this is a ladder, in which nobody has a rank but by the league's ratings."""
        return self.table is None

    @property
    def crosstable(self) -> str:
        """Who scored what against whom, as Markdown."""
        return crosstable_markdown(crosstable(self.standings, self.tally))

    def entry_text(self, name: str) -> str:
        """The page of an entry, as Markdown."""
        return page_markdown(entry_page(name, self.standings, self.tally))

    def forfeits_by_bot(self) -> Mapping[tuple[str, Reason], list[Forfeit]]:
        """The forfeits of each bot for each reason, those with most first."""
        found: dict[tuple[str, Reason], list[Forfeit]] = {}
        for forfeit in self.forfeits:
            found.setdefault((forfeit.bot, forfeit.reason), []).append(forfeit)
        order = sorted(found, key=lambda key: (-len(found[key]), key))
        return {key: found[key] for key in order}


class Account:
    """An event being added up: `read` takes what has come to it since, `summary` says how it is."""

    def __init__(self, store: Store, stored: StoredEvent) -> None:
        self.settings = settings_in(store, stored)
        self.source = stored.source
        self._place = 0
        self._seen = Seen()
        self._results: Results | None = None
        self._ladder: list[GameResult] = []
        if self.settings.event.format != _LADDER:
            self._results = Results(self.settings.event)

    @property
    def games(self) -> int:
        """How many games are over."""
        return len(self._seen.games)

    def read(self, store: Store, stored: StoredEvent) -> bool:
        """Take what *store* has more of; whether there was any. Raises `StoreError`, `ValueError`.

        What it raises for, it raises for again.
        """
        before = self._place
        for link in links(store, stored.id, self._place):
            if isinstance(link, StoredGame):
                self._enter(parse_record(link.record))
            elif self._results is not None:
                enter(self._results, link)
            self._place = link.place
        return self._place > before

    def summary(
        self, store: Store, stored: StoredEvent, running: Sequence[Underway] = ()
    ) -> Summary:
        """How the event stands; *running* are its games that are still played."""
        seen, results = self._seen, self._results
        rulings = rulings_of(store, stored.id)
        entries: list[Entry]
        if results is None:
            entries, standings, tally = self._ladder_standings(rulings)
            table, planned = None, None
        else:
            entries, standings, tally = results.entries, results.standings(), results.tally
            table, planned = results.table(standings), results.planned_games
        over = {game.number for game in seen.games}
        return Summary(
            stored=stored,
            settings=self.settings,
            head=store.head(stored.id),
            entries=entries,
            standings=standings,
            tally=tally,
            table=table,
            rulings=rulings,
            usages=seen.usages,
            games=sorted(seen.games, key=lambda game: game.number),
            forfeits=sorted(seen.forfeits, key=lambda one: (one.game, one.ply, one.bot)),
            running=[one for one in running if one.telling.record.game not in over],
            planned=planned,
            versions=seen.versions,
        )

    def _enter(self, record: Record) -> None:
        if self._results is None:
            self._ladder.append(outcome_of(record).result(record.game))
        else:
            self._results.add(record)
        self._seen.watch(record)

    def _ladder_standings(
        self, rulings: Sequence[Amendment]
    ) -> tuple[list[Entry], Standings, Tally]:
        """Who has played in a ladder and scored what against whom; nobody has a rank in it."""
        holding = Rulings.of(rulings)
        names = sorted({bot for game in self._seen.games for bot in game.bots})
        tally = Tally(names, holding.apply(self._ladder))
        table = standings_of(tally, (), holding)
        rows = tuple(replace(row, rank=None, decided_by=None) for row in table.rows)
        return [Entry(name, (name,)) for name in names], replace(table, rows=rows), tally


def summary_of(store: Store, stored: StoredEvent) -> Summary:
    """The event of *store* added up. Raises `StoreError`, `ValueError`."""
    account = Account(store, stored)
    # Read before those that are over, so that a game that ends in between is not missed.
    running = list(games_under_way(store, stored, account.settings))
    account.read(store, stored)
    return account.summary(store, stored, running)
