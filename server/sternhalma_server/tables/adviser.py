"""Hints: a sample bot that is asked over the line protocol what it would play.

It is seated like any bot, and each question is a game of one turn to it. So it needs no door of its
own, thinks in its own process, and a hint holds up nobody.
"""

from __future__ import annotations

from typing import Final

import trio

from sternhalma import Game, format_position
from sternhalma_server.crew import Crew
from sternhalma_server.programs import ScarcityError
from sternhalma_server.seats import Holder, Lobby

ADVISER: Final = "adviser"
SAMPLE: Final = "lookahead"
THOUGHT: Final = 2000  # milliseconds it is told to have; it uses half of them, usually far less
PATIENCE: Final = 20.0  # seconds for an answer, on a machine that is busy
WAITING: Final = 8  # hints that may be waited for at once


class NoHintError(Exception):
    """There is no hint now; says why in one sentence."""


class Adviser:
    """Asks the adviser of *crew*, one question at a time."""

    def __init__(self, crew: Crew, lobby: Lobby, address: tuple[str, int]) -> None:
        self._crew = crew
        self._lobby = lobby
        self._address = address
        self._lock = trio.Lock()
        self._asked = 0

    async def advise(self, game: Game) -> str:
        """The path that the adviser would play in *game*, which is running. Raises `NoHintError`.

        Legal it is as far as the engine says so; whoever plays it is judged like anybody.
        """
        if self._lock.statistics().tasks_waiting >= WAITING:
            raise NoHintError("expected fewer who want a hint at once, try again later")
        async with self._lock:
            with trio.move_on_after(PATIENCE):
                return await self._ask(game)
        raise NoHintError(f"expected an answer of the adviser within {PATIENCE:g} s, got none")

    async def _ask(self, game: Game) -> str:
        try:
            holder = await self._crew.seat(ADVISER, 1, self._lobby, self._address)
        except ScarcityError as problem:
            raise NoHintError(str(problem)) from None
        if holder is None:
            raise NoHintError("the adviser cannot be started")
        self._asked += 1
        name = f"hint/{self._asked}"
        await self._lobby.claim(holder, name)
        try:
            path = await _answer(holder, name, game)
        finally:
            holder.connection.send(f"over {name} aborted\n")
            self._lobby.release(holder)
        move = game.parse_move(path)
        return game.format_move(game.resolve(move))


async def _answer(holder: Holder, name: str, game: Game) -> str:
    """Put the question of *game* to the adviser; the path it answers."""
    position, terms = game.position, game.terms
    seat = position.turn
    assert seat is not None
    letters = [group[0] for group in position.seats]
    seats = ",".join(f"{letter}:{ADVISER}" for letter in letters)
    connection = holder.connection
    connection.send(
        f"game {name} {game.rules.id} {letters[seat]} seats={seats} limit={terms.limit}"
        f" at_limit={terms.at_limit} clock=none seed=1 draws=no\n"
        f"turn {name} {game.ply} {THOUGHT} {format_position(position)}\n"
    )
    expected = f"move {name} {game.ply} "
    while connection.ended is None:
        while (line := connection.next_line()) is not None:
            if line.text.startswith(expected):
                return line.text[len(expected) :].split(" ")[0]
        await connection.transport.wait_readable()
        connection.read()
    raise NoHintError(f"the adviser has gone: {connection.ended}")
