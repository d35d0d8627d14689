"""The shape of a knockout: who is drawn where, what a match is called, what came out in the end."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

from sternhalma_tournament.standings import Row, Standings
from sternhalma_tournament.text import decimal_text, markdown_table, points_text_of_half

THIRD_PLACE: Final = "match for the third place"


@dataclass(frozen=True, slots=True)
class MatchState:
    """A match as a bracket shows it.

    `entries` are None where they are not known yet; `half_points` go with them; `winner` is None
    until it is decided, and `decided_by` then "points", "forfeits", "seeding", "walkover" or "bye".
    """

    round: int
    name: str
    entries: tuple[str | None, ...]
    half_points: tuple[int, ...]
    games: int
    winner: str | None
    decided_by: str | None


def rounds_for(entries: int, sides: int) -> int:
    """The rounds of a knockout; ValueError for a number of entries that cannot be divided.

    >>> rounds_for(8, 2), rounds_for(5, 2), rounds_for(16, 4)
    (3, 3, 2)
    """
    rounds = 1
    while sides**rounds < entries:
        rounds += 1
    if entries < sides or (sides > 2 and sides**rounds != entries):
        allowed = "2 or more" if sides == 2 else f"{sides}, {sides**2}, {sides**3}, ..."
        raise ValueError(f"expected {allowed} entries for a knockout, got {entries!r}")
    return rounds


def seeding(sides: int, rounds: int) -> tuple[int, ...]:
    """Numbers of entries, from 0, as they are drawn: the best two meet in the final at the
    earliest.

    >>> seeding(2, 3)
    (0, 7, 3, 4, 1, 6, 2, 5)
    """
    order = [0]
    for _ in range(rounds):
        size = len(order)
        order = [
            step * size + (seed if step % 2 == 0 else size - 1 - seed)
            for seed in order
            for step in range(sides)
        ]
    return tuple(order)


def match_name(rounds: int, sides: int, round_: int, place: int) -> str:
    """What match *place* (from 0) of *round_* (from 0) is called.

    >>> match_name(3, 2, 1, 0), match_name(3, 2, 2, 0), match_name(5, 2, 0, 3)
    ('semi-final 1', 'final', 'round 1, match 4')
    """
    to_go = rounds - 1 - round_
    if to_go == 0:
        return "final"
    if sides == 2 and to_go <= 2:
        return f"{('semi', 'quarter')[to_go - 1]}-final {place + 1}"
    return f"round {round_ + 1}, match {place + 1}"


@dataclass(frozen=True, slots=True)
class Stage:
    """Entries on one place, by name, and the match or round that put them below those above."""

    names: tuple[str, ...]
    decided_by: str | None


def stages_of(matches: Sequence[MatchState]) -> list[Stage]:
    """From the top: whoever is still in, and then who left later before who left earlier.

    Who left in one round shares a place; the losers of the final, and of the match for the third
    place, are ordered by their points in it.
    """
    last = max(match.round for match in matches)
    final = next(m for m in matches if m.round == last and m.name != THIRD_PLACE)
    third = next((m for m in matches if m.name == THIRD_PLACE), None)
    stages: list[Stage] = []
    out: set[str] = set()
    for match in matches:
        out.update(_losers(match))
    inside = {name for match in matches for name in match.entries if name is not None} - out
    if final.winner is not None:
        inside = {final.winner}
    stages.append(Stage(tuple(sorted(inside)), None))
    stages += _ordered(final, _round_name(final))
    for round_ in range(last - 1, 0, -1):
        here = [match for match in matches if match.round == round_]
        losers = {name for match in here for name in _losers(match)}
        if not losers:
            continue
        decided_by = _round_name(here[0])
        if round_ == last - 1 and third is not None and third.winner is not None:
            stages.append(Stage((third.winner,), decided_by))
            stages += _ordered(third, THIRD_PLACE)
        else:
            stages.append(Stage(tuple(sorted(losers)), decided_by))
    return stages


def final_places(matches: Sequence[MatchState]) -> list[tuple[int, str]]:
    """Ranks and names, the best first (`stages_of`)."""
    ranks: list[tuple[int, str]] = []
    for stage in stages_of(matches):
        rank = len(ranks) + 1
        ranks += [(rank, name) for name in stage.names]
    return ranks


def knockout_standings(table: Standings, matches: Sequence[MatchState]) -> Standings:
    """*table* with the places of a knockout: what counts there is how far somebody came.

    Whoever is not ranked stays without a rank; no tie-break is asked.
    """
    by_name = {row.entry: replace(row, tie_breaks=()) for row in table.rows}
    rows: list[Row] = []
    for stage in stages_of(matches):
        names = [name for name in stage.names if by_name[name].rank is not None]
        rank = len(rows) + 1
        for place, name in enumerate(names):
            decided_by = stage.decided_by if place == 0 and rank > 1 else None
            rows.append(replace(by_name[name], rank=rank, decided_by=decided_by))
    rows += [row for row in by_name.values() if row.rank is None]
    return replace(table, rows=tuple(rows), tie_breaks=())


def bracket_json(matches: Iterable[MatchState]) -> list[dict[str, Any]]:
    """All matches as JSON values, names and points in the same order."""
    return [
        {
            "match": match.name,
            "round": match.round,
            "entries": match.entries,
            "points": [decimal_text(Fraction(half, 2)) for half in match.half_points],
            "games": match.games,
            "winner": match.winner,
            "decided_by": match.decided_by,
        }
        for match in matches
    ]


def bracket_markdown(matches: Iterable[MatchState]) -> str:
    """All matches with their points and what decided them."""
    rows = [
        [
            match.name,
            " - ".join(name or "?" for name in match.entries),
            " - ".join(map(points_text_of_half, match.half_points)) if match.games else "",
            str(match.games),
            match.winner or "",
            match.decided_by or "",
        ]
        for match in matches
    ]
    return markdown_table(
        ["match", "entries", "points", "games", "winner", "decided by"], rows, "lllrll"
    )


def _losers(match: MatchState) -> list[str]:
    """Who is out by *match*; the match for the third place puts nobody out."""
    if match.winner is None or match.name == THIRD_PLACE:
        return []
    return [name for name in match.entries if name is not None and name != match.winner]


def _ordered(match: MatchState, decided_by: str) -> list[Stage]:
    """All but the winner of *match* by their points in it; nobody as long as it is not decided."""
    if match.winner is None:
        return []
    points: dict[int, list[str]] = {}
    for name, half in zip(match.entries, match.half_points, strict=True):
        if name is not None and name != match.winner:
            points.setdefault(half, []).append(name)
    return [Stage(tuple(sorted(points[half])), decided_by) for half in sorted(points, reverse=True)]


def _round_name(match: MatchState) -> str:
    """What all matches of the round of *match* are called."""
    if "," in match.name:
        return match.name.partition(",")[0]
    return match.name.rstrip(" 0123456789")
