"""Ratings over the games of stores: which games count, and the list they come to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from sternhalma_server.rated import RatedGame
from sternhalma_tournament.plackett_luce import FinishingOrder
from sternhalma_tournament.rating_list import RatingList, rating_list
from sternhalma_tournament.rating_tables import Basis
from sternhalma_tournament.ratings import Ratings, rate

FORFEITED: Final = "forfeited"


@dataclass(frozen=True, slots=True)
class Choice:
    """Which games are rated: None or False for no such condition."""

    rules: str | None = None
    players: int | None = None
    without_forfeits: bool = False

    def reason(self, game: RatedGame) -> str | None:
        """Why *game* is left out; None if it is rated."""
        if self.rules not in {None, game.rules}:
            return "of other rules"
        if self.players not in {None, game.players}:
            return "of other players a game"
        if game.left_out is None and game.forfeited and self.without_forfeits:
            return FORFEITED
        return game.left_out


@dataclass(slots=True)
class RatedGames:
    """The games that are rated, equal ones counted, and what was left out.

    `first` and `last` are the first and the last game of each version, as `EVENT/NUMBER`; versions
    are in the order of their first games.
    """

    choice: Choice = field(default_factory=Choice)
    orders: Counter[FinishingOrder] = field(default_factory=Counter[FinishingOrder])
    left_out: Counter[str] = field(default_factory=Counter[str])
    first: dict[str, str] = field(default_factory=dict[str, str])
    last: dict[str, str] = field(default_factory=dict[str, str])
    _rules: Counter[tuple[str, int]] = field(default_factory=Counter[tuple[str, int]])
    _events: set[str] = field(default_factory=set[str])
    _forfeited: int = 0

    def add(self, game: RatedGame, where: str = "") -> None:
        """Count a game of a store that *where* names."""
        reason = self.choice.reason(game)
        if reason is not None:
            self.left_out[reason] += 1
            return
        self.orders[FinishingOrder(game.sides, game.places)] += 1
        self._rules[game.rules, game.players] += 1
        self._events.add(f"{where}/{game.event}")
        self._forfeited += game.forfeited
        name = f"{game.event}/{game.number}"
        for side in game.sides:
            self.first.setdefault(side, name)
            self.last[side] = name

    @property
    def names(self) -> list[str]:
        """Everybody who is rated, a version each."""
        return sorted({name for order in self.orders for name in order.entries})

    def rate(self, prior: float, anchors: Mapping[str, float]) -> Ratings:
        """The ratings, *anchors* being given. Raises `RatingError`."""
        return rate(self.orders, prior=prior, anchors=anchors, seat_advantage=True)

    def basis(self, prior: float) -> Basis:
        """What they are made from."""
        return Basis(
            games=self.orders.total(),
            events=len(self._events),
            rules=[(*kind, count) for kind, count in sorted(self._rules.items())],
            left_out=sorted(self.left_out.items()),
            forfeited=self._forfeited,
            prior=prior,
        )

    def table(
        self, ratings: Ratings, *, all_versions: bool = False, superiority: bool = False
    ) -> RatingList:
        """The list of *ratings*, made from these games."""
        return rating_list(ratings, self.orders, all_versions=all_versions, superiority=superiority)


def gather(games: Iterable[RatedGame]) -> RatedGames:
    """All of *games* that can be rated."""
    gathered = RatedGames()
    for game in games:
        gathered.add(game)
    return gathered
