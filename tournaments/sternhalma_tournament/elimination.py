"""Systems of linear equations as ratings have them: symmetric, positive, and mostly zeros.

Two entries that never met leave a zero in the information matrix. A league of months has hundreds
of versions, each of which has met a few dozen others, so most of the matrix is zero, and a dense
factorization would cost the cube of the number of versions for nothing. Here the row with the
fewest entries is always eliminated next (minimum degree: Tinney and Walker 1967), which keeps the
zeros that can be kept; what is left when nearly all entries of the rest are filled is factorized
densely (Cholesky), where a sum over whole rows is several times faster than one by one.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from operator import mul
from typing import Final

Vector = list[float]
Triangle = Sequence[dict[int, float]]  # row i: the entries (i, j) with j <= i that may not be zero

DENSE: Final = 0.5  # of the columns left: rows fuller than that are better dealt with densely


@dataclass(frozen=True, slots=True)
class _Pivot:
    """A row that was eliminated: its diagonal, and by column what it subtracts from the others."""

    index: int
    diagonal: float
    factors: dict[int, float]


class Elimination:
    """A symmetric positive definite matrix, the *free* rows and columns of *triangle*, factorized.

    Vectors and inverses are in the order of *free*.
    """

    def __init__(self, triangle: Triangle, free: Sequence[int]) -> None:
        self._free = tuple(free)
        self._pivots: list[_Pivot] = []
        rows = _mirrored(triangle, free)
        fewest = [(len(row), index) for index, row in rows.items()]
        heapify(fewest)
        while rows:
            entries, index = heappop(fewest)
            if index not in rows or entries != len(rows[index]):
                continue  # the row has changed since, and stands there once more
            if entries > DENSE * len(rows):
                break
            pivot = _eliminate(rows, index)
            for other in pivot.factors:
                heappush(fewest, (len(rows[other]), other))
            self._pivots.append(pivot)
        self._rest = sorted(rows)
        self._factor = _cholesky(rows, self._rest)

    def solve(self, right: Sequence[float]) -> Vector:
        """The x that the matrix takes to *right*."""
        values = dict(zip(self._free, right, strict=True))
        for pivot in self._pivots:
            part = values[pivot.index]
            for other, factor in pivot.factors.items():
                values[other] -= factor * part
        ends = _solve(self._factor, [values[index] for index in self._rest])
        values.update(zip(self._rest, ends, strict=True))
        for pivot in reversed(self._pivots):
            part = values[pivot.index] / pivot.diagonal
            for other, factor in pivot.factors.items():
                part -= factor * values[other]
            values[pivot.index] = part
        return [values[index] for index in self._free]

    def inverse(self) -> list[Vector]:
        """The inverse of the matrix."""
        place = {index: number for number, index in enumerate(self._rest)}
        rows = _inverse(self._factor)  # in the order of places, which grow with every pivot
        for pivot in reversed(self._pivots):  # Takahashi, Fagan and Chen 1973, without gaps
            row = [0.0] * len(rows)
            own = 1 / pivot.diagonal
            for other, factor in pivot.factors.items():
                column = rows[place[other]]
                row = [so_far - factor * entry for so_far, entry in zip(row, column, strict=True)]
            for other, factor in pivot.factors.items():
                own -= factor * row[place[other]]
            for earlier, entry in zip(rows, row, strict=True):
                earlier.append(entry)
            place[pivot.index] = len(rows)
            rows.append([*row, own])
        places = [place[index] for index in self._free]
        return [[rows[one][other] for other in places] for one in places]


def _mirrored(triangle: Triangle, free: Sequence[int]) -> dict[int, dict[int, float]]:
    """The free rows, whole: what stands at (i, j) stands at (j, i) as well."""
    rows: dict[int, dict[int, float]] = {index: {} for index in free}
    for index in free:
        row = rows[index]
        for other, entry in triangle[index].items():
            if other in rows:
                row[other] = rows[other][index] = entry
    return rows


def _eliminate(rows: dict[int, dict[int, float]], index: int) -> _Pivot:
    """Take the row *index* out of *rows*, and what it has to do with the others too."""
    pivot = rows.pop(index)
    diagonal = pivot.pop(index)
    factors = {other: entry / diagonal for other, entry in pivot.items()}
    for other, factor in factors.items():
        row = rows[other]
        del row[index]
        for column, entry in pivot.items():
            row[column] = row.get(column, 0.0) - factor * entry
    return _Pivot(index, diagonal, factors)


def _cholesky(rows: dict[int, dict[int, float]], indices: Sequence[int]) -> list[Vector]:
    """The lower triangle whose square is the matrix of *rows*."""
    factor: list[Vector] = []
    for index in indices:
        entries, row = rows[index], Vector()
        for other, column in zip(factor, indices, strict=False):
            row.append((entries.get(column, 0.0) - sum(map(mul, row, other))) / other[-1])
        row.append(math.sqrt(entries[index] - sum(map(mul, row, row))))
        factor.append(row)
    return factor


def _solve(factor: Sequence[Vector], right: Sequence[float]) -> Vector:
    """The x with (factor times its transpose) x = *right*."""
    values: Vector = []
    for row, value in zip(factor, right, strict=True):
        values.append((value - sum(map(mul, row, values))) / row[-1])
    for number in range(len(factor) - 1, -1, -1):
        values[number] /= factor[number][number]
        part = values[number]
        for other in range(number):
            values[other] -= factor[number][other] * part
    return values


def _inverse(factor: Sequence[Vector]) -> list[Vector]:
    """The inverse of (factor times its transpose)."""
    size = len(factor)
    columns: list[Vector] = []  # of the inverse of the factor, zeros above the diagonal left out
    for start in range(size):
        column = [1 / factor[start][start]]
        for row in factor[start + 1 :]:
            column.append(-sum(map(mul, row[start:], column)) / row[-1])
        columns.append(column)
    inverse = [[0.0] * size for _ in range(size)]
    for one in range(size):
        for other in range(one + 1):
            entry = sum(map(mul, columns[other][one - other :], columns[one]))
            inverse[one][other] = inverse[other][one] = entry
    return inverse
