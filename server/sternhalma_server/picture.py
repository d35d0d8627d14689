"""A position as a picture that any browser shows: SVG.

Six colours are more than many eyes tell apart, so each marble bears its letter, and the colours
are those that differ for the colour-blind as well (the palette of Okabe and Ito). Colours are
properties of a style sheet, light and dark: a picture that stands alone brings the sheet with it,
one in a page leaves it to the page, whose content security policy may forbid styles inside. What
the picture shows is in its title and its description, for those who have it read to them.

Everything here has whole or rounded numbers, so that the same position gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Final

from sternhalma import STAR, Board, Hole, Position

STEP: Final = 40  # from a hole to the next one in its row
_ROW: Final = 34.64  # from a row of the star to the next: half the root of three steps
_HOLE: Final = 11  # radii
_MARBLE: Final = 17
_RING: Final = 19
_MARGIN: Final = 52  # from the middle of an outer hole to an edge where names stand
_BARE: Final = 28  # and to one where none do

# For each letter the colour of its marbles, and whether what is written on them is light.
_COLOURS: Final[Mapping[str, tuple[str, bool]]] = {
    "A": ("#e69f00", False),
    "B": ("#56b4e9", False),
    "C": ("#009e73", False),
    "D": ("#0072b2", True),
    "E": ("#f0e442", False),
    "F": ("#cc79a7", False),
}
_LIGHT: Final[Mapping[str, str]] = {
    "board": "#fbf7ef",
    "hole": "#ddd5c7",
    "ink": "#1c1a17",
    "quiet": "#6b645a",
    "rim": "#1c1a17",
    "way": "#b3261e",
}
_DARK: Final[Mapping[str, str]] = {
    "board": "#1d1b18",
    "hole": "#45403a",
    "ink": "#f3eee5",
    "quiet": "#aaa195",
    "rim": "#000000",
    "way": "#ff8a80",
}
_RULES: Final = """\
.board { background: var(--board); font-family: system-ui, sans-serif; }
.board .ground { fill: var(--board); }
.board .hole { fill: var(--hole); stroke: none; stroke-width: 3; }
.board .label { fill: var(--quiet); font-size: 13px; text-anchor: middle; }
.board .west { text-anchor: end; }
.board .east { text-anchor: start; }
.board .marble circle { stroke: var(--rim); stroke-width: 1.5; }
.board .marble text { fill: #111111; font-size: 19px; font-weight: 700; text-anchor: middle; }
.board .way { fill: none; stroke: var(--way); stroke-width: 5; stroke-linejoin: round; }
.board .way { stroke-linecap: round; }
.board .from, .board .to { fill: none; stroke: var(--way); stroke-width: 3; }
.board .from { stroke-dasharray: 5 4; }
"""


def picture(
    position: Position,
    title: str,
    *,
    path: Sequence[Hole] = (),
    alone: bool = False,
    key: str = "board",
    small: bool = False,
) -> str:
    """The text of an `svg` element: *position*, and the way of its last move along *path*.

    *title* is what the picture is called. With *alone* it is a whole file with its colours; else
    the page has `board_sheet` in a style sheet. *key* is to be another one for each picture of a
    page. A *small* one leaves out the names of holes.
    """
    board = position.seating.board
    spots = places(board)
    width = max(x for x, _ in spots) + _MARGIN
    height = max(y for _, y in spots) + (_BARE if board is STAR else _MARGIN)
    size = f'width="{_text(width)}" height="{_text(height)}" ' if alone else ""
    # A font's own middle differs from font to font; a third of its size below is near enough.
    frame = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="board" {size}'
        f'viewBox="0 0 {_text(width)} {_text(height)}" role="img"'
        f' aria-labelledby="{key}-title {key}-desc">'
    )
    lines = [
        frame,
        f'<title id="{key}-title">{escape(title)}</title>',
        f'<desc id="{key}-desc">{escape(description(position, path))}</desc>',
        *(["<style>", board_sheet().rstrip(), "</style>"] if alone else []),
        f'<rect class="ground" width="{_text(width)}" height="{_text(height)}" rx="16"/>',
        '<g class="holes">',
        *(_hole(position, Hole(number), spot) for number, spot in enumerate(spots)),
        "</g>",
        *([] if small else ['<g class="labels" aria-hidden="true">', *_labels(board), "</g>"]),
        '<g class="last">',
        *_way([spots[hole] for hole in path]),
        "</g>",
        '<g class="marbles" aria-hidden="true">',
        *_marbles(position, spots),
        "</g>",
        "</svg>",
    ]
    return "".join(f"{line}\n" for line in lines)


def board_sheet() -> str:
    """The style sheet of all pictures: colours by light and dark, then what is drawn how."""
    colours = [
        f"  --marble-{letter.lower()}: {colour};" for letter, (colour, _) in _COLOURS.items()
    ]
    letters = [
        f".marble.{letter.lower()} circle {{ fill: var(--marble-{letter.lower()}); }}"
        for letter in _COLOURS
    ]
    points = [
        f".hole.{letter.lower()} {{ stroke: var(--marble-{letter.lower()}); }}"
        for letter in _COLOURS
    ]
    light = [
        f".board .marble.{letter.lower()} text {{ fill: #ffffff; }}"
        for letter, (_, is_light) in _COLOURS.items()
        if is_light
    ]
    return "\n".join(
        [
            ":root {",
            "  color-scheme: light dark;",
            *colours,
            *(f"  --{name}: {colour};" for name, colour in _LIGHT.items()),
            "}",
            "@media (prefers-color-scheme: dark) {",
            "  :root {",
            *(f"    --{name}: {colour};" for name, colour in _DARK.items()),
            "  }",
            "}",
            _RULES + "\n".join(f".board {rule}" for rule in (*letters, *points)),
            *light,
            "",
        ]
    )


def places(board: Board) -> list[tuple[float, float]]:
    """The middle of each hole in the picture, from its upper left corner."""
    if board is STAR:
        # Half a step along a row is a column: the holes of a row stand between those of the next.
        columns = [2 * number - row for row, number in board.coordinates]
        west = min(columns)
        return [
            (_MARGIN + (column - west) * STEP / 2, round(_BARE + row * _ROW, 1))
            for column, (row, _) in zip(columns, board.coordinates, strict=True)
        ]
    north = max(rank for _, rank in board.coordinates)
    return [
        (_MARGIN + (file - 1) * STEP, _MARGIN + (north - rank) * STEP)
        for file, rank in board.coordinates
    ]


def description(position: Position, path: Sequence[Hole] = ()) -> str:
    """What the picture shows, in words: where the marbles of each letter are, and the last move."""
    board = position.seating.board
    standing: dict[str, list[str]] = {}
    for number, name in enumerate(board.names):
        letter = position.letter_at(Hole(number))
        if letter is not None:
            standing.setdefault(letter, []).append(name)
    sentences = [f"{letter} on {' '.join(standing[letter])}." for letter in sorted(standing)]
    if path:
        sentences.append(f"The last move went {'-'.join(board.names[hole] for hole in path)}.")
    return " ".join(sentences)


def _hole(position: Position, hole: Hole, spot: tuple[float, float]) -> str:
    points = position.seating.board.points
    kind = next((f" {p.lower()}" for p, holes in points.items() if holes >> hole & 1), "")
    return f'<circle class="hole{kind}" cx="{_text(spot[0])}" cy="{_text(spot[1])}" r="{_HOLE}"/>'


def _marbles(position: Position, spots: Sequence[tuple[float, float]]) -> Iterator[str]:
    for number, (x, y) in enumerate(spots):
        letter = position.letter_at(Hole(number))
        if letter is not None:
            yield (
                f'<g class="marble {letter.lower()}" transform="translate({_text(x)} {_text(y)})">'
                f'<circle r="{_MARBLE}"/><text y="6.5">{letter}</text></g>'
            )


def _labels(board: Board) -> Iterator[str]:
    """The names by which one finds a hole: on the star both ends of a row, on the square edges."""
    spots = places(board)
    for row in board.rows:
        (west, y), (east, _) = spots[row[0]], spots[row[-1]]
        first, last = board.names[row[0]], board.names[row[-1]]
        if board is not STAR:
            first = last = first[1:]
        yield _label(west - 22, y + 4.5, first, " west")
        yield _label(east + 22, y + 4.5, last, " east")
    if board is not STAR:
        for hole in board.rows[0]:
            yield _label(spots[hole][0], spots[hole][1] - 25, board.names[hole][0])
        for hole in board.rows[-1]:
            yield _label(spots[hole][0], spots[hole][1] + 34, board.names[hole][0])


def _label(x: float, y: float, text: str, side: str = "") -> str:
    return f'<text class="label{side}" x="{_text(x)}" y="{_text(y)}">{text}</text>'


def _way(spots: Sequence[tuple[float, float]]) -> Iterator[str]:
    if not spots:
        return
    points = " L".join(f"{_text(x)} {_text(y)}" for x, y in spots)
    yield f'<path class="way" d="M{points}"/>'
    for kind, (x, y) in (("from", spots[0]), ("to", spots[-1])):
        yield f'<circle class="{kind}" cx="{_text(x)}" cy="{_text(y)}" r="{_RING}"/>'


def _text(number: float) -> str:
    """A number with at most one decimal.

    >>> _text(40.0), _text(34.6)
    ('40', '34.6')
    """
    return f"{number:.1f}".removesuffix(".0")
