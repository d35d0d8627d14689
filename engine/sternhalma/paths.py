"""Written paths: whether one is legal, why not, and the one that records keep.

The check itself is quick and lives with the hot part; the words are found only for a path that
failed, by going over it again slowly.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from sternhalma.board import Board, Hole, Mask
from sternhalma.move import IllegalMoveError, Move, format_move
from sternhalma.movegen import Moves, can_move, moves_for, moves_of_seats
from sternhalma.position import Position
from sternhalma.rules import Lock
from sternhalma.seating import Seat

QUOTED: Final = 60  # characters of a path that a reason begins with


def resolve(position: Position, move: Move) -> Move:
    """The full path of *move* by the seat whose turn it is.

    A short form becomes the shortest legal way, a longer path stays as it is. Raises
    `IllegalMoveError` with the reason.
    """
    seat = position.turn
    if seat is None:
        raise IllegalMoveError("expected no move, the game is over")
    path = move.path
    if not path:
        if can_move(position, seat):
            raise IllegalMoveError(
                "expected a move, got 'pass': passing is for those who cannot move"
            )
        return move
    marbles = position.marbles
    bit = 1 << path[0]
    for moves in moves_of_seats(position.seating)[seat]:
        if marbles[moves.lane.colour] & bit:
            break
    else:
        raise _not_own(position, seat, move)
    occupied = sum(marbles)
    if moves.allows(occupied, path):
        return move
    if len(path) == 2:
        full = _shortest(moves, position.seating.board, occupied, move.origin, move.target)
        if full is not None:
            return Move(full)
    written = format_move(position.seating.board, move)
    if len(written) > QUOTED:  # the reason says which hop, and has to be read as well
        written = f"{written[:QUOTED].rpartition('-')[0]}-..."
    raise IllegalMoveError(f"{written}: {_reason(position, moves, move)}")


def find_path(position: Position, origin: Hole, target: Hole) -> Move | None:
    """The canonical path of the legal move from *origin* to *target*, None if there is none."""
    lane = position.lane_at(origin)
    if lane is None:
        return None
    moves = moves_for(position.seating)[lane.colour]
    path = _shortest(moves, position.seating.board, position.occupied, origin, target)
    return None if path is None else Move(path)


def _shortest(
    moves: Moves, board: Board, occupied: int, origin: Hole, target: Hole
) -> tuple[Hole, ...] | None:
    """The fewest landings from *origin* to *target*, None where no move leads there.

    Among equally short chains the first hop that differs decides by the order of the board's
    directions: the queue below keeps the chains of each length in that order.
    """
    start = 1 << origin
    if not moves.ends(origin) >> target & 1 or occupied >> target & 1:
        return None
    if board.neighbours[origin] >> target & 1:
        return (origin, target)
    others = occupied ^ start
    free = ~occupied
    before: dict[Hole, Hole] = {}
    queue = [origin]
    for hole in queue:
        landings = moves.hops(others, 1 << hole) & free
        if not landings:
            continue
        free &= ~landings
        for landing in _in_order(board, hole, landings):
            before[landing] = hole
            queue.append(landing)
        if target in before:
            path = [target]
            while path[-1] != origin:
                path.append(before[path[-1]])
            return tuple(reversed(path))
    return None


def _in_order(board: Board, hole: Hole, landings: int) -> Iterator[Hole]:
    for ray in board.rays[hole]:
        for landing in ray[1::2]:
            if landings >> landing & 1:
                yield landing


def _not_own(position: Position, seat: Seat, move: Move) -> IllegalMoveError:
    """What to say where *move* takes no marble of *seat*."""
    board = position.seating.board
    letter = position.letter_at(move.origin)
    there = "an empty hole" if letter is None else f"a marble of {letter}"
    mine = position.seats[seat]
    return IllegalMoveError(
        f"{format_move(board, move)}: expected a marble of {mine} on"
        f" {board.format_hole(move.origin)}, there is {there}"
    )


def _reason(position: Position, moves: Moves, move: Move) -> str:
    """Why *move*, which failed, is illegal: the first thing that is wrong with it."""
    board, path = position.seating.board, move.path
    name = board.format_hole
    others = Mask(position.occupied ^ 1 << path[0])
    if len(path) == 2:
        return _reason_short(position, moves, board, path)
    for number, (hole, landing) in enumerate(pairwise(path), start=1):
        problem = _hop_problem(board, moves, others, hole, landing)
        if problem:
            return f"hop {number}, {name(hole)}-{name(landing)}: {problem}"
        if not moves.revisits and landing in path[:number]:
            return f"hop {number}: the chain has already been on {name(landing)}"
    if path[0] == path[-1]:
        return "a move may not end where it began"
    return _end_problem(position, moves, path[0], path[-1])


def _reason_short(position: Position, moves: Moves, board: Board, path: tuple[Hole, ...]) -> str:
    name = board.format_hole
    origin, target = path
    if origin == target:
        return "a move may not end where it began"
    letter = position.letter_at(target)
    if letter is not None:
        return f"{name(target)} is taken by a marble of {letter}"
    if not moves.ends(origin) >> target & 1:
        return _end_problem(position, moves, origin, target)
    return f"no step and no chain of hops leads from {name(origin)} to {name(target)}"


def _end_problem(position: Position, moves: Moves, origin: Hole, target: Hole) -> str:
    board, lane = position.seating.board, moves.lane
    name = board.format_hole
    if position.rules.lock is not Lock.NONE and lane.target >> origin & 1:
        return f"{name(origin)} is in the target, so the move must end there, not on {name(target)}"
    return f"a move may not end on {name(target)}, in a point that is neither start nor target"


def _hop_problem(board: Board, moves: Moves, others: Mask, hole: Hole, landing: Hole) -> str | None:
    """What is wrong with one hop of a chain, None if nothing."""
    name = board.format_hole
    ray = next((ray for ray in board.rays[hole] if landing in ray), None)
    if ray is None:
        return "not along a line"
    distance = ray.index(landing) + 1
    if distance == 1:
        return "a step cannot be part of a chain"
    if distance % 2 or (distance > 2 and not moves.long):
        return (
            "a hop lands as far behind the marble as it started before it"
            if moves.long
            else ("a hop goes over one neighbour into the hole right behind it")
        )
    if others >> landing & 1:
        return f"{name(landing)} is taken"
    over = ray[distance // 2 - 1]
    if not others >> over & 1:
        return f"there is no marble on {name(over)} to hop over"
    blocked = next((h for h in ray[:distance] if h != over and others >> h & 1), None)
    if blocked is not None:
        return f"{name(blocked)} is in the way"
    if landing not in moves.ways[hole]:
        return f"{name(hole)} is in the target, which a marble does not leave again"
    return None
