"""What a bot's author wants to see on one page: against whom, from where, how it ended."""

from dataclasses import dataclass
from fractions import Fraction

from sternhalma_tournament.standings import Row, SeatAdvantage, Standings, seat_advantage
from sternhalma_tournament.tables import counts_text, json_text, seats_json, seats_markdown
from sternhalma_tournament.tally import Tally
from sternhalma_tournament.text import counted, decimal_text, markdown_table, points_text


@dataclass(frozen=True, slots=True)
class OpponentRow:
    """Games against one opponent; with more than two seats a game is won by the better place."""

    opponent: str
    games: int
    won: int
    level: int
    lost: int
    half_points: int


@dataclass(frozen=True, slots=True)
class EntryPage:
    """One entry's event; `mean_plies` is None before its first game."""

    row: Row
    opponents: tuple[OpponentRow, ...]
    seats: tuple[SeatAdvantage, ...]
    mean_plies: Fraction | None


def entry_page(entry: str, standings: Standings, tally: Tally) -> EntryPage:
    """The page of *entry*, opponents in the order of *standings*; ValueError for a stranger."""
    row = next((row for row in standings.rows if row.entry == entry), None)
    if row is None:
        raise ValueError(f"expected an entry of the event, got {entry!r}")
    score = tally.scores[entry]
    most = len(tally.sides) - 1
    return EntryPage(
        row=row,
        opponents=tuple(
            _opponent(tally, entry, other.entry)
            for other in standings.rows
            if tally.meetings(entry, other.entry).games
        ),
        seats=tuple(seat_advantage(side, sums, most) for side, sums in sorted(score.sides.items())),
        mean_plies=Fraction(score.plies, score.games) if score.games else None,
    )


def page_markdown(page: EntryPage) -> str:
    """The page as Markdown."""
    row = page.row
    rank = "not ranked" if row.rank is None else f"rank {row.rank}"
    lines = [
        f"# {row.entry}",
        "",
        f"- {rank}, {points_text(row.points)} points from {counted(row.games, 'game')}",
        f"- forfeits: {counts_text(row.forfeits) or 'none'}",
    ]
    if page.mean_plies is not None:
        lines.append(f"- mean length of a game: {decimal_text(page.mean_plies)} plies")
    rows = [
        [
            against.opponent,
            str(against.games),
            str(against.won),
            str(against.level),
            str(against.lost),
            points_text(Fraction(against.half_points, 2)),
        ]
        for against in page.opponents
    ]
    head = ["opponent", "games", "won", "level", "lost", "points"]
    tables = [markdown_table(head, rows, "lrrrrr"), seats_markdown(page.seats)]
    return "\n".join(["\n".join(lines) + "\n", *(table for table in tables if table)])


def page_json(page: EntryPage) -> str:
    """The page as JSON; points and means are decimal texts."""
    row = page.row
    return json_text(
        {
            "entry": row.entry,
            "rank": row.rank,
            "points": decimal_text(row.points),
            "games": row.games,
            "forfeits": dict(row.forfeits),
            "mean_plies": None if page.mean_plies is None else decimal_text(page.mean_plies),
            "opponents": [
                {
                    "opponent": against.opponent,
                    "games": against.games,
                    "won": against.won,
                    "level": against.level,
                    "lost": against.lost,
                    "points": decimal_text(Fraction(against.half_points, 2)),
                }
                for against in page.opponents
            ],
            "seats": seats_json(page.seats),
        }
    )


def _opponent(tally: Tally, entry: str, other: str) -> OpponentRow:
    met = tally.meetings(entry, other)
    return OpponentRow(other, met.games, met.won, met.level, met.lost, met.half_points)
