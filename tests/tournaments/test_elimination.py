"""The equations of ratings, held against exact arithmetic on whole matrices."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from sternhalma_tournament.elimination import Elimination

Rows = list[list[Fraction]]


def triangle(size: int, seed: int, share: float) -> list[dict[int, float]]:
    """A positive matrix of whole numbers in which about *share* of the entries are not zero."""
    draw = random.Random(seed)
    rows: list[dict[int, float]] = [{index: 1.0} for index in range(size)]
    for one in range(size):
        for other in range(one):
            if draw.random() < share:
                weight = float(draw.randint(1, 9))
                rows[one][other] = -weight
                rows[one][one] += weight
                rows[other][other] += weight
    return rows


def whole(rows: list[dict[int, float]], free: list[int]) -> Rows:
    return [[Fraction(rows[max(a, b)].get(min(a, b), 0.0)) for b in free] for a in free]


def exactly_inverted(matrix: Rows) -> Rows:
    """Gauss and Jordan, in fractions."""
    size = len(matrix)
    work = [[*row, *(Fraction(i == j) for j in range(size))] for i, row in enumerate(matrix)]
    for column in range(size):
        pivot = next(row for row in range(column, size) if work[row][column])
        work[column], work[pivot] = work[pivot], work[column]
        work[column] = [entry / work[column][column] for entry in work[column]]
        for row in range(size):
            if row != column:
                factor = work[row][column]
                work[row] = [a - factor * b for a, b in zip(work[row], work[column], strict=True)]
    return [row[size:] for row in work]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.3, 1.0])
@pytest.mark.parametrize("seed", range(5))
def test_the_inverse_is_that_of_exact_arithmetic(seed: int, share: float) -> None:
    rows = triangle(14, seed, share)
    free = [index for index in range(14) if index % 5 != seed % 5]
    exact = exactly_inverted(whole(rows, free))
    found = Elimination(rows, free).inverse()
    assert [[pytest.approx(float(entry)) for entry in row] for row in exact] == found


@pytest.mark.parametrize("share", [0.0, 0.1, 0.3, 1.0])
@pytest.mark.parametrize("seed", range(5))
def test_what_is_solved_gives_the_right_side_again(seed: int, share: float) -> None:
    rows = triangle(14, seed, share)
    free = list(range(13, -1, -2))
    right = [float(index * index - 20) for index in free]
    found = Elimination(rows, free).solve(right)
    matrix = whole(rows, free)
    again = [sum(float(a) * x for a, x in zip(row, found, strict=True)) for row in matrix]
    assert again == pytest.approx(right)


def test_many_entries_that_met_only_one_are_not_dealt_with_densely() -> None:
    """Densely this would take hours, and a triangle of 200 million entries."""
    size = 20_000
    rows: list[dict[int, float]] = [{index: 2.0} for index in range(size)]
    rows.append(dict.fromkeys(range(size), -1.0) | {size: float(size)})
    found = Elimination(rows, range(size + 1)).solve([0.0] * size + [1.0])
    assert found[-1] == pytest.approx(2 / size)
    assert found[:-1] == pytest.approx([1 / size] * size)
