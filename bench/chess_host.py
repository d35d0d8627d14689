"""python-chess's engine module as a referee: the driving process's own time for a move.

    chess_host.py GAMES MOVES PROGRAM

Runs in the bench's own environment, where `chess` is. It plays *MOVES* moves in all, in games side
by side, each between two instances of *PROGRAM*, of 200 plies each, since the module sends the
whole game with every move. It prints the microseconds of its own processor time for a move, the
programs' left out.
"""

from __future__ import annotations

import asyncio
import importlib
import sys
import time
from typing import Any

chess: Any = importlib.import_module("chess")
engine: Any = importlib.import_module("chess.engine")

PLIES = 200


async def play(sides: list[Any], moves: int) -> None:
    """*moves* moves between the two programs *sides*."""
    limit = engine.Limit(time=2.0)
    board = chess.Board()
    for ply in range(moves):
        if ply % PLIES == 0:
            board = chess.Board()
        result = await sides[ply % 2].play(board, limit)
        board.push(result.move)


async def drive(games: int, moves: int, program: str) -> float:
    """Microseconds of processor time a move."""
    tables = [[(await engine.popen_uci(program))[1] for _ in range(2)] for _ in range(games)]
    each = max(1, moves // games)
    await asyncio.gather(*(play(table, max(1, each // 10)) for table in tables))
    before = time.process_time()
    await asyncio.gather(*(play(table, each) for table in tables))
    took = time.process_time() - before
    for table in tables:
        for program_of in table:
            await program_of.quit()
    return 1e6 * took / (each * games)


def main() -> None:
    """Play and print."""
    games, moves, program = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    print(asyncio.run(drive(games, moves, program)))


if __name__ == "__main__":
    main()
