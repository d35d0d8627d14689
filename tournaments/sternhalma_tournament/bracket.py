"""The shape of a knockout: who is drawn where, what a match is called, what came out in the end."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from sternhalma_tournament.text import markdown_table, points_text_of_half

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


def final_places(matches: Sequence[MatchState]) -> list[tuple[int, str]]:
    """Ranks and names once every match is decided: who left in one round shares a rank.

    The losers of the final, and of the match for the third place, are ordered by their points in
    it.
    """
    ranks: list[tuple[int, str]] = []
    last = max(match.round for match in matches)
    for final in (True, False):
        for match in matches:
            third = match.name == THIRD_PLACE
            if match.round == last and third != final:
                ranks += _ranked(match, len(ranks) + 1)
    for round_ in range(last - 1, 0, -1):
        placed = {name for _, name in ranks}
        out = [
            name
            for match in matches
            if match.round == round_
            for name in match.entries
            if name is not None and name != match.winner and name not in placed
        ]
        ranks += [(len(ranks) + 1, name) for name in sorted(out)]
    return ranks


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


def _ranked(match: MatchState, first: int) -> list[tuple[int, str]]:
    scores = dict(zip(match.entries, match.half_points, strict=True))
    names = [name for name in match.entries if name is not None]
    names.sort(key=lambda name: (name != match.winner, -scores[name], name))
    keys = [(name != match.winner, scores[name]) for name in names]
    return [(first + keys.index(key), name) for key, name in zip(keys, names, strict=True)]
