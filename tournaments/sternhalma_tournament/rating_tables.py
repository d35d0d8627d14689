"""Rating lists as text, in the manner of all tables: the same list gives the same bytes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sternhalma_tournament.rating_list import Listed, RatingList
from sternhalma_tournament.ratings import Mark, SeatAdvantage
from sternhalma_tournament.tables import (
    counts_text,
    csv_text,
    json_text,
    seats_json,
    seats_markdown,
)
from sternhalma_tournament.text import (
    counted,
    fixed_text,
    interval_text,
    markdown_table,
    percent_text,
)

_MARKS: Final[Mapping[Mark | None, str]] = {
    None: "",
    "anchor": "anchor",
    "won all": "won everything, how much stronger is unknown",
    "lost all": "lost everything, how much weaker is unknown",
    "apart": "no games connect it with group 1",
}


@dataclass(frozen=True, slots=True)
class Basis:
    """What a list was made from.

    *rules* are (rules id, players a game) with the number of rated games, *left_out* the numbers of
    games that were not rated by why; *forfeited* counts rated games that somebody forfeited.
    """

    games: int
    events: int
    rules: Sequence[tuple[str, int, int]]
    left_out: Sequence[tuple[str, int]]
    forfeited: int
    prior: float


def ratings_markdown(table: RatingList, basis: Basis) -> str:
    """The list; below it what it is made from, what seats are worth, and the superiority."""
    groups, marks = table.groups > 1, any(row.mark for row in table.rows)
    versions = any(row.version for row in table.rows)
    head = [*(["group"] if groups else []), "rank", "bot", *(["version"] if versions else [])]
    head += ["rating", "95 % interval", "games", "score", "above next"]
    head += ["mark"] if marks else []
    rows = [
        [
            *([str(row.group)] if groups else []),
            str(row.rank),
            row.bot,
            *([row.version or ""] if versions else []),
            fixed_text(row.rating, 0),
            interval_text(row.low, row.high),
            str(row.games),
            percent_text(None if row.score is None else float(row.score)),
            _likelihood(row.above_next),
            *([_MARKS[row.mark]] if marks else []),
        ]
        for row in table.rows
    ]
    align = "r" * groups + "rl" + "l" * versions + "rlrrr" + "l" * marks
    parts = [markdown_table(head, rows, align), _basis_text(basis)]
    if groups:
        parts.append(
            "No games connect the groups: each is rated and ranked by itself, and a rating says"
            " nothing about another group.\n"
        )
    if table.seat is not None:
        parts.append(_seat_text(table.seat))
    parts += [seats_markdown(scores) for _, scores in table.scores]
    if table.superiority:
        parts.append(_superiority_markdown(table))
    return "\n".join(parts)


def ratings_csv(table: RatingList) -> str:
    """One line a row; Elo with one decimal, shares as decimals."""
    head = ["group", "rank", "bot", "version", "rating", "low", "high"]
    head += ["games", "score", "above next", "mark"]
    return csv_text([head, *(list(map(_cell, _facts(row).values())) for row in table.rows)])


def superiority_csv(table: RatingList) -> str:
    """One line for every two rows in both orders: how likely the first is the stronger one."""
    lines: list[Sequence[str]] = [["bot", "version", "than bot", "than version", "superiority"]]
    for row, shares in zip(table.rows, table.superiority, strict=True):
        for other, share in zip(table.rows, shares, strict=True):
            if row is not other:
                names = (row.bot, row.version or "", other.bot, other.version or "")
                lines.append([*names, fixed_text(share, 4)])
    return csv_text(lines)


def ratings_json(table: RatingList, basis: Basis) -> str:
    """Everything in the list in a fixed order; numbers that are not whole are decimal texts."""
    return json_text(
        {
            "games": basis.games,
            "events": basis.events,
            "rules": [
                {"rules": rules, "players": players, "games": games}
                for rules, players, games in basis.rules
            ],
            "left_out": dict(basis.left_out),
            "forfeited": basis.forfeited,
            "prior": f"{basis.prior:g}",
            "rows": [_facts(row) for row in table.rows],
            "first_seat": None if table.seat is None else _seat_json(table.seat),
            "seats": [
                {"sides": sides, "seats": seats_json(scores)} for sides, scores in table.scores
            ],
            **({"superiority": _superiority_json(table)} if table.superiority else {}),
        }
    )


def _facts(row: Listed) -> dict[str, Any]:
    return {
        "group": row.group,
        "rank": row.rank,
        "bot": row.bot,
        "version": row.version,
        "rating": fixed_text(row.rating, 1) or None,
        "low": fixed_text(row.low, 1) or None,
        "high": fixed_text(row.high, 1) or None,
        "games": row.games,
        "score": None if row.score is None else fixed_text(float(row.score), 4),
        "above_next": fixed_text(row.above_next, 4) or None,
        "mark": row.mark,
    }


def _basis_text(basis: Basis) -> str:
    kinds = ", ".join(
        f"{rules} with {players} players" + (f" ({games})" if len(basis.rules) > 1 else "")
        for rules, players, games in basis.rules
    )
    lines = [f"{counted(basis.games, 'game')} of {counted(basis.events, 'event')}: {kinds}."]
    if basis.forfeited:
        lines.append(f"Forfeits count as lost, in {counted(basis.forfeited, 'game')}.")
    if basis.left_out:
        lines.append(f"Left out: {counts_text(basis.left_out)}.")
    return "\n".join(lines) + "\n"


def _seat_text(seat: SeatAdvantage) -> str:
    games = f"{counted(seat.games, 'game')} of two sides"
    if seat.elo is None:
        return f"What moving first is worth cannot be told from {games}.\n"
    return (
        f"Moving first is worth {fixed_text(seat.elo, 0)} points in {games}, 95 % interval"
        f" {interval_text(seat.low, seat.high)}.\n"
    )


def _seat_json(seat: SeatAdvantage) -> dict[str, Any]:
    return {
        "games": seat.games,
        "elo": fixed_text(seat.elo, 1) or None,
        "low": fixed_text(seat.low, 1) or None,
        "high": fixed_text(seat.high, 1) or None,
    }


def _superiority_markdown(table: RatingList) -> str:
    """How likely each row is stronger than each other one; columns have the rows' numbers."""
    numbers = [str(number) for number in range(1, len(table.rows) + 1)]
    rows = [
        [number, row.name, *(_likelihood(share) for share in shares)]
        for number, row, shares in zip(numbers, table.rows, table.superiority, strict=True)
    ]
    for number, cells in enumerate(rows):
        cells[number + 2] = "x"
    return markdown_table(["", "stronger than", *numbers], rows, "rl" + "r" * len(numbers))


def _superiority_json(table: RatingList) -> list[list[str | None]]:
    return [[fixed_text(share, 4) or None for share in shares] for shares in table.superiority]


def _likelihood(share: float | None) -> str:
    """A likelihood in percent; what is nearly sure is not called certain."""
    if share is not None and 0 < share < 1:
        if share > 0.9995:
            return "> 99.9 %"
        if share < 0.0005:
            return "< 0.1 %"
    return percent_text(share)


def _cell(value: object) -> str:
    return "" if value is None else str(value)
