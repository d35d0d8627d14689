"""The games of a store as ratings want them: who met, in which version, and who came where.

The host's rulings count: a correction as it was made, and what was annulled or expunged is left
out, like a void game. A version is rated, not a name: a program that was changed is another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import msgspec

from sternhalma_server.outcome import Outcome, read_outcome
from sternhalma_server.rulings import rulings_of, settings_in
from sternhalma_server.store import Store, StoreError
from sternhalma_tournament.amendments import Annulment, Rulings
from sternhalma_tournament.ratings import versioned
from sternhalma_tournament.scores import GameResult

VOID: Final = "void"
ANNULLED: Final = "annulled"
EXPUNGED: Final = "expunged"

_Game = tuple[int, Outcome]


@dataclass(frozen=True, slots=True)
class RatedGame:
    """One game; `sides` and `places` go by side in turn order, partners being one side.

    A side is the name of its entry with the version that played, as `versioned` joins them.
    `left_out` says why the game is not to be rated, None for one that is; `forfeited` whether
    anybody forfeited it.
    """

    number: int
    event: str
    rules: str
    players: int
    sides: tuple[str, ...]
    places: tuple[int, ...]
    forfeited: bool
    left_out: str | None


def rated_games(store: Store, events: Iterable[str]) -> Iterator[RatedGame]:
    """All games of *events* (their names) in *store*, those too that are not to be rated.

    Raises `StoreError` for an event that the store does not hold, and `ValueError` for a game or a
    ruling in it that makes no sense.
    """
    for name in events:
        stored = store.event(name)
        if stored is None:
            raise StoreError(f"{store.path}: expected an event of the store, got {name!r}")
        rules = settings_in(store, stored).event.rules
        rulings = Rulings.of(rulings_of(store, stored.id))
        games = (
            (one.game, read_outcome(one.outcome, one.record)) for one in store.outcomes(stored.id)
        )
        for number, outcome in _with_versions(games):
            yield _rated(name, rules, number, outcome, rulings)


def _with_versions(games: Iterable[_Game]) -> Iterator[_Game]:
    """*games*, whoever did not come to one having the version that it plays otherwise.

    That is the one it played last, or where it came later only, first.
    """
    known: dict[str, str | None] = {}
    waiting: list[_Game] = []
    for number, outcome in games:
        away = _away(outcome)
        before = len(known)
        seated = zip(outcome.bots, outcome.versions, strict=True)
        known |= {bot: version for bot, version in seated if bot not in away}
        if waiting and len(known) > before:
            told = [game for game in waiting if _away(game[1]) <= known.keys()]
            waiting = [game for game in waiting if not _away(game[1]) <= known.keys()]
            yield from (_completed(game, known) for game in told)
        if not away:
            yield number, outcome
        elif away <= known.keys():
            yield _completed((number, outcome), known)
        else:
            waiting.append((number, outcome))
    yield from (_completed(game, known) for game in waiting)


def _away(outcome: Outcome) -> set[str]:
    """Who may not have come: it has no version, and has forfeited."""
    seated = zip(outcome.bots, outcome.versions, outcome.forfeits, strict=True)
    return {bot for bot, version, forfeit in seated if version is None and forfeit is not None}


def _completed(game: _Game, known: Mapping[str, str | None]) -> _Game:
    number, outcome = game
    seated = zip(outcome.bots, outcome.versions, strict=True)
    versions = tuple(version or known.get(bot) for bot, version in seated)
    return number, msgspec.structs.replace(outcome, versions=versions)


def _rated(event: str, rules: str, number: int, outcome: Outcome, rulings: Rulings) -> RatedGame:
    played = outcome.result(number)
    counted = next(rulings.apply([played]), None)
    result = played if counted is None else counted
    places = result.places_by_entry()
    if outcome.entries == outcome.bots:  # no pairs: the usual case, at a third of the price
        sides = tuple(map(versioned, outcome.bots, outcome.versions))
    else:
        sides = tuple([_side(entry, outcome) for entry in places])
    return RatedGame(
        number=number,
        event=event,
        rules=rules,
        players=len(outcome.bots),
        sides=sides,
        places=tuple(places.values()),
        forfeited=any(result.forfeits),
        left_out=_left_out(counted, rulings),
    )


def _left_out(counted: GameResult | None, rulings: Rulings) -> str | None:
    """Why a game is not rated of which *counted* is left after the rulings."""
    if counted is None:
        return EXPUNGED
    if counted.scored:
        return None
    return ANNULLED if isinstance(rulings.games.get(counted.number), Annulment) else VOID


def _side(entry: str, outcome: Outcome) -> str:
    """The name of *entry* with its version, or with those of its bots."""
    seated = zip(outcome.entries, outcome.bots, outcome.versions, strict=True)
    versions = {bot: version for name, bot, version in seated if name == entry}
    if not any(versions.values()):
        return entry
    return versioned(entry, "+".join(version or "-" for version in versions.values()))
