"""Positions as text: six fields between single spaces, `rules board seats turn counts done`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from sternhalma.board import LETTERS, Board, Mask, NotationError
from sternhalma.position import Position
from sternhalma.rules import Rules, RulesError
from sternhalma.seating import Seat, Seating, seating

FIELDS: Final = ("rules", "board", "seats", "turn", "counts", "done")
_LETTER_OF_DIGIT: Final = str.maketrans(dict(zip("0123456", f".{LETTERS}", strict=True)))
_CODES: Final = LETTERS.encode()
_EMPTY: Final = ord(".")
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)
_RUN: Final = re.compile(r"[1-9][0-9]?|[A-F.]", re.ASCII)


class PositionError(NotationError):
    """A text that is no position; says which field, what was expected and what came."""


def format_position(position: Position, board: str | None = None) -> str:
    """The text of *position*; `parse_position` reads it back.

    *board* is its board field if it is known already (`BoardText`).
    """
    table = position.seating
    names = table.names
    turn = "-" if position.turn is None else names[position.turn]
    if position.finished or position.out:
        finished = ["=".join([names[seat] for seat in group]) for group in position.finished]
        out = [f"!{names[seat]}" for group in position.out for seat in group]
        done = ",".join(finished + out)
    else:
        done = "-"
    return (
        f"{table.rules.id} {board or format_board(position)} {table.text}"
        f" {turn} {','.join(map(str, position.counts))} {done}"
    )


def format_board(position: Position) -> str:
    """The board field of *position*: rows from the north, marbles as letters, empties as runs."""
    board = position.seating.board
    cells = _cells(len(board.coordinates), _digits(position))
    return "/".join([_format_row(cells[span]) for span in board.row_spans])


def _digits(position: Position) -> int:
    """The whole board as one number: a hexadecimal digit for each hole, the number of its colour.

    Read as hexadecimal, the binary digits of a set become one digit for each hole. Times the number
    of its colour, and added up, they are the board: this costs the same however many marbles there
    are.
    """
    digits = 0
    for number, marbles in enumerate(position.marbles, start=1):
        if marbles:
            digits += number * int(f"{marbles:b}", 16)
    return digits


def _cells(size: int, digits: int) -> str:
    """A character for each of *size* holes, as `_digits` has them."""
    return f"{digits:0{size}x}"[::-1].translate(_LETTER_OF_DIGIT)


class BoardText:
    """The board field of a game's positions, kept up to date row by row.

    A move changes one colour and two rows at most, so this costs a fraction of `format_board`.
    """

    __slots__ = ("_board", "_cells", "_marbles", "_rows", "_text")

    def __init__(self) -> None:
        self._board: Board | None = None
        self._marbles: tuple[Mask, ...] = ()
        self._cells = bytearray()  # a character for each hole
        self._rows: list[str] = []
        self._text = ""

    def of(self, position: Position) -> str:
        """The board field of *position*; quick if it is a move away from the last one asked for."""
        marbles, before = position.marbles, self._marbles
        if marbles is before:
            return self._text
        board = position.seating.board
        self._marbles = marbles
        if board is not self._board:
            return self._write_anew(position, board)
        # The other colours are not only equal, they are the same numbers still.
        changed = [colour for colour, own in enumerate(marbles) if own is not before[colour]]
        if len(changed) != 1:
            return self._write_anew(position, board)
        cells, rows = self._cells, self._rows
        (colour,) = changed
        own = marbles[colour]
        letter = _CODES[colour]
        rest = own ^ before[colour]
        touched: set[int] = set()
        while rest:
            hole = rest.bit_length() - 1
            rest ^= 1 << hole
            cells[hole] = letter if own >> hole & 1 else _EMPTY
            touched.add(board.row_of[hole])
        for row in touched:
            rows[row] = _row_of(bytes(cells[board.row_spans[row]]))
        self._text = "/".join(rows)
        return self._text

    def _write_anew(self, position: Position, board: Board) -> str:
        self._board = board
        self._cells = bytearray(_cells(len(board.coordinates), _digits(position)), "ascii")
        # The rows of all games are the same strings: a game has 17 of them, and few are its own.
        self._rows = [_row_of(bytes(self._cells[span])) for span in board.row_spans]
        self._text = "/".join(self._rows)
        return self._text


@lru_cache(maxsize=65536)
def _row_of(cells: bytes) -> str:
    return _format_row(cells.decode())


@lru_cache(maxsize=65536)
def _format_row(cells: str) -> str:
    return re.sub(r"\.+", lambda run: str(len(run.group())), cells)


def parse_position(text: str, *, puzzle: bool = False) -> Position:
    """The position written *text*; `format_position` writes it.

    A *puzzle* may have any number of marbles; otherwise each colour has what its rules say, or
    fewer once it is out. Raises `PositionError` naming the field.
    """
    fields = text.split(" ")
    if len(fields) != len(FIELDS):
        raise PositionError(
            f"expected {len(FIELDS)} fields between single spaces ({' '.join(FIELDS)}),"
            f" got {len(fields)} in {_cut(text)}"
        )
    rules_id, board, seats, turn, counts, done = fields
    try:
        rules = Rules.parse(rules_id)
    except RulesError as error:
        raise PositionError(f"in the rules field: {error}") from None
    table = _parse_seats(rules, seats)
    finished, out = _parse_done(table, done)
    position = Position(
        seating=table,
        marbles=_parse_board(table, board),
        turn=_parse_turn(table, turn),
        counts=_parse_counts(table, counts),
        finished=finished,
        out=out,
    )
    if position.turn is not None and position.turn in position.gone:
        raise PositionError(f"in the turn field: {turn!r} is finished or out and has no turn")
    if not puzzle:
        _check_marbles(position)
    return position


def _parse_seats(rules: Rules, text: str) -> Seating:
    tables = [seating(rules, players) for players in rules.players]
    for table in tables:
        if ",".join(table.letters) == text:
            return table
    allowed = " or ".join(repr(",".join(table.letters)) for table in tables)
    raise PositionError(f"in the seats field: expected {allowed}, got {_cut(text)}")


def _parse_board(table: Seating, text: str) -> tuple[Mask, ...]:
    board = table.board
    rows = text.split("/")
    if len(rows) != len(board.rows):
        raise PositionError(
            f"in the board field: expected {len(board.rows)} rows between '/', got {len(rows)}"
        )
    marbles = [0] * len(board.letters)
    for number, (row, holes) in enumerate(zip(rows, board.rows, strict=True), start=1):
        where = f"in the board field, row {number} from the north"
        cells = _parse_row(row, where)
        if len(cells) != len(holes):
            raise PositionError(
                f"{where}: expected {len(holes)} holes, got {len(cells)} in {_cut(row)}"
            )
        for hole, letter in zip(holes, cells, strict=True):
            if letter == ".":
                continue
            if letter not in table.owners:
                raise PositionError(
                    f"{where}: expected marbles of {''.join(sorted(table.owners))}, got {letter!r}"
                )
            marbles[board.letters.index(letter)] |= 1 << hole
    return tuple(map(Mask, marbles))


def _parse_row(row: str, where: str) -> str:
    cells: list[str] = []
    at = 0
    while at < len(row):
        found = _RUN.match(row, at)
        if found is None:
            raise PositionError(
                f"{where}: expected letters A-F, '.' and counts without leading zeros,"
                f" got {_cut(row)}"
            )
        at = found.end()
        if found.group().isdigit():
            if at < len(row) and row[at].isdigit():
                raise PositionError(f"{where}: expected a count of at most 16, got {_cut(row)}")
            cells.append("." * int(found.group()))
        else:
            cells.append(found.group())
    return "".join(cells)


def _parse_turn(table: Seating, text: str) -> Seat | None:
    if text == "-":
        return None
    return _seat(table, text, "turn")


def _seat(table: Seating, text: str, field: str) -> Seat:
    names = [group[0] for group in table.letters]
    if text not in names:
        raise PositionError(
            f"in the {field} field: expected a seat, one of {', '.join(names)}, got {_cut(text)}"
        )
    return Seat(names.index(text))


def _parse_counts(table: Seating, text: str) -> tuple[int, ...]:
    words = text.split(",")
    if len(words) != table.players or not all(_NUMBER.fullmatch(word) for word in words):
        raise PositionError(
            f"in the counts field: expected {table.players} numbers of turns between ',',"
            f" without leading zeros, got {_cut(text)}"
        )
    return tuple(map(int, words))


def _parse_done(
    table: Seating, text: str
) -> tuple[tuple[tuple[Seat, ...], ...], tuple[tuple[Seat, ...], ...]]:
    finished: list[tuple[Seat, ...]] = []
    out: list[Seat] = []
    for word in text.split(",") if text != "-" else []:
        if word.startswith("!"):
            out.append(_seat(table, word[1:], "done"))
        elif out:
            raise PositionError(f"in the done field: expected those out last, got {_cut(text)}")
        else:
            level = tuple(_seat(table, name, "done") for name in word.split("="))
            if list(level) != sorted(level):
                raise PositionError(
                    "in the done field: expected level seats in the order of turns,"
                    f" got {_cut(word)}"
                )
            finished.append(level)
    everybody = [seat for group in finished for seat in group] + out
    if len(set(everybody)) != len(everybody):
        raise PositionError(f"in the done field: expected each seat once, got {_cut(text)}")
    return tuple(finished), _units_out(table, out, text)


def _units_out(table: Seating, out: list[Seat], text: str) -> tuple[tuple[Seat, ...], ...]:
    groups: list[tuple[Seat, ...]] = []
    while out:
        unit = table.units[out[0]]
        if tuple(out[: len(unit)]) != unit:
            raise PositionError(
                f"in the done field: expected partners to go out together, in the order of turns,"
                f" got {_cut(text)}"
            )
        groups.append(unit)
        out = out[len(unit) :]
    return tuple(groups)


def _check_marbles(position: Position) -> None:
    out = {seat for group in position.out for seat in group}
    expected = position.rules.marbles
    for letter, seat in position.seating.owners.items():
        board: Board = position.seating.board
        count = position.marbles[board.letters.index(letter)].bit_count()
        if count != expected and not (seat in out and count < expected):
            raise PositionError(
                f"in the board field: expected {expected} marbles of {letter}, got {count}"
            )


def _cut(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:60] + "...")
