"""Charts as SVG: the time of every move of a game, ratings with intervals, a rating over time.

Times of moves go from microseconds to minutes, so their axis is logarithmic; each seat has a lane
of its own, since six colours in one lane are six too many. All charts are narrow, so that they can
be read on a phone, and bring no colours: the page's style sheet has them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10
from typing import Final

WIDTH: Final = 480
_LEFT: Final = 62
_RIGHT: Final = 470
_LANE: Final = 74  # a lane with the space below it
_TALL: Final = 58
_ROW: Final = 40  # a rating with its name above it
_TICKS: Final = 6
_HISTORY: Final = 220  # the height of a rating over time
_MILLISECOND: Final = 1_000_000  # nanoseconds


@dataclass(frozen=True, slots=True)
class Spent:
    """What a move was charged, in nanoseconds; `fell` marks a flag that fell."""

    ply: int
    seat: str
    charged: int
    fell: bool = False


@dataclass(frozen=True, slots=True)
class Interval:
    """A rating and the bounds of its interval, in Elo; None for what is not known."""

    name: str
    rating: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Dated:
    """A rating at a moment, with the bounds of its interval; *label* says when in words."""

    at: float
    label: str
    rating: float | None
    low: float | None
    high: float | None


def time_chart(spent: Sequence[Spent], seats: Mapping[str, str], plies: int) -> str:
    """The time of every move, a lane for each of *seats* (its letter and who sat there).

    Empty where no time was measured.
    """
    times = [one.charged / _MILLISECOND for one in spent]
    if not any(times):
        return ""
    low = max(-3, floor(log10(min(time for time in times if time))))
    high = max(low + 1, ceil(log10(max(times))))
    height = _LANE * len(seats) + 24
    title = "Time used for each move, in milliseconds, by ply"
    lines = [*_frame(height, title, "times")]
    for lane, (seat, bot) in enumerate(seats.items()):
        base = lane * _LANE + _TALL + 14
        lines += _lane(base, seat, bot, low, high)
        own = [one for one in spent if one.seat == seat]
        lines += _bars(own, base, seat, plies, low, high)
    lines.append(_words(_LEFT, height - 6, "ply 1", "start"))
    lines.append(_words(_RIGHT, height - 6, f"ply {plies}", "end"))
    return "".join(f"{line}\n" for line in [*lines, "</svg>"])


def interval_chart(rows: Sequence[Interval], title: str, key: str) -> str:
    """A line for each of *rows*: the rating as a dot, its 95 % interval as a bar.

    What has no bound goes on to the edge with dashes. Empty where nothing has a rating.
    """
    known = [
        value for row in rows for value in (row.rating, row.low, row.high) if value is not None
    ]
    if not known:
        return ""
    ticks = _ticks(min(known), max(known))
    first, last = ticks[0], ticks[-1]

    def across(elo: float) -> float:
        return _LEFT / 2 + (_RIGHT - _LEFT / 2) * (elo - first) / (last - first)

    height = _ROW * len(rows) + 30
    lines = [*_frame(height, title, key)]
    for tick in ticks:
        lines.append(_rule(across(tick), 4, across(tick), height - 22))
        anchor = "end" if tick == last else "middle"
        lines.append(_words(across(tick), height - 6, str(tick), anchor))
    for number, row in enumerate(rows):
        y = number * _ROW + 34
        lines.append(_words(4, y - 14, row.name, "start", "name"))
        if row.rating is None:
            lines.append(_words(4, y + 4, "not known", "start"))
            continue
        low = across(first if row.low is None else row.low)
        high = across(last if row.high is None else row.high)
        kind = "span open" if row.low is None or row.high is None else "span"
        dot = across(row.rating)
        lines.append(f'<path class="{kind}" d="M{_text(low)} {y}H{_text(high)}"/>')
        lines.append(f'<circle class="dot" cx="{_text(dot)}" cy="{y}" r="5"/>')
    return "".join(f"{line}\n" for line in [*lines, "</svg>"])


def history_chart(rows: Sequence[Dated], title: str, key: str) -> str:
    """A rating over time, from the left: its dots joined, with the 95 % interval of each as a bar.

    Empty where there are fewer than two ratings.
    """
    known = [row for row in rows if row.rating is not None]
    if len(known) < 2:
        return ""
    bounds = [value for row in known for value in (row.rating, row.low, row.high)]
    ticks = _ticks(
        min(value for value in bounds if value is not None),
        max(value for value in bounds if value is not None),
    )
    first, last = ticks[0], ticks[-1]
    began, ended = known[0].at, known[-1].at
    bottom = _HISTORY - 30

    def spot(at: float, elo: float) -> tuple[float, float]:
        share = (at - began) / (ended - began) if ended > began else 0.5
        x = _LEFT + 8 + (_RIGHT - _LEFT - 16) * share
        return x, bottom - (bottom - 14) * (elo - first) / (last - first)

    lines = [*_frame(_HISTORY, title, key)]
    for tick in ticks:
        _, y = spot(began, tick)
        lines += [_rule(_LEFT, y, _RIGHT, y), _words(_LEFT - 6, y + 4, str(tick), "end")]
    for row in known:
        low = spot(row.at, first if row.low is None else row.low)
        high = spot(row.at, last if row.high is None else row.high)
        kind = "span open" if row.low is None or row.high is None else "span"
        way = f"M{_text(low[0])} {_text(low[1])}V{_text(high[1])}"
        lines.append(f'<path class="{kind}" d="{way}"/>')
    dots = [spot(row.at, row.rating or 0.0) for row in known]
    joined = " L".join(f"{_text(x)} {_text(y)}" for x, y in dots)
    lines.append(f'<path class="rule joined" d="M{joined}"/>')
    lines += [f'<circle class="dot" cx="{_text(x)}" cy="{_text(y)}" r="4"/>' for x, y in dots]
    lines.append(_words(_LEFT, _HISTORY - 8, known[0].label, "start"))
    lines.append(_words(_RIGHT, _HISTORY - 8, known[-1].label, "end"))
    return "".join(f"{line}\n" for line in [*lines, "</svg>"])


def _frame(height: int, title: str, key: str) -> Iterator[str]:
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 {WIDTH} {height}"'
        f' role="img" aria-labelledby="{key}-title">'
    )
    yield f'<title id="{key}-title">{escape(title)}</title>'


def _lane(base: int, seat: str, bot: str, low: int, high: int) -> Iterator[str]:
    """The rules of a lane, a power of ten each, with who sat there."""
    for power in range(low, high + 1):
        y = base - _TALL * (power - low) / (high - low)
        yield _rule(_LEFT, y, _RIGHT, y)
        if power in {low, high}:
            yield _words(_LEFT - 6, y + 4, _scale(power), "end")
    yield _words(4, base - _TALL / 2 + 4, seat, "start", "name")
    yield f"<desc>{escape(f'{seat} is {bot}')}</desc>"


def _bars(
    own: Sequence[Spent], base: int, seat: str, plies: int, low: int, high: int
) -> Iterator[str]:
    wide = (_RIGHT - _LEFT) / max(plies, 1)

    def spot(one: Spent) -> tuple[float, float]:
        time = one.charged / _MILLISECOND
        share = (log10(time) - low) / (high - low) if time else 0.0
        return _LEFT + (one.ply - 0.5) * wide, base - max(1.0, _TALL * min(1.0, share))

    # One path of upright strokes: a bar each would make the page of a long game twice as long.
    strokes = "".join(f"M{_text(x)} {base}V{_text(y)}" for x, y in map(spot, own))
    if strokes:
        width = _text(max(0.7, min(10.0, 0.7 * wide)))
        yield f'<path class="bars {seat.lower()}" stroke-width="{width}" d="{strokes}"/>'
    for one in own:
        if one.fell:
            x, y = spot(one)
            yield _words(x, max(12.0, y - 2), "flag fell", "end", "fall")


def _ticks(low: float, high: float) -> list[int]:
    """Round numbers from below *low* to above *high*, at most so many."""
    for step in (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 100_000):
        first, last = floor(low / step), ceil(high / step)
        if last - first < _TICKS:
            if first == last:  # one rating only: it stands in the middle
                first, last = first - 1, last + 1
            return [step * number for number in range(first, last + 1)]
    raise ValueError(f"expected ratings in Elo, got {low!r} to {high!r}")


def _scale(power: int) -> str:
    """A power of ten of milliseconds in words."""
    return f"{10 ** (power - 3)} s" if power >= 3 else f"{10.0**power:g} ms"


def _rule(x: float, y: float, to_x: float, to_y: float) -> str:
    return f'<path class="rule" d="M{_text(x)} {_text(y)}L{_text(to_x)} {_text(to_y)}"/>'


def _words(x: float, y: float, text: str, anchor: str, kind: str = "scale") -> str:
    return (
        f'<text class="{kind}" x="{_text(x)}" y="{_text(y)}" text-anchor="{anchor}">'
        f"{escape(text)}</text>"
    )


def _text(number: float) -> str:
    """A number with at most one decimal."""
    return f"{number:.1f}".removesuffix(".0")
