"""The positions and games that the bench asks about, made from a seed.

    python -m bench.positions > bench/positions.txt

Two hundred positions each of three kinds, from the middle of games that go somewhere: of three
moves drawn the one that gains most ground is played, so marbles meet in the middle as they do when
bots play, which random moves alone do not bring about.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Final

import sternhalma as sh

FILE: Final = Path(__file__).with_name("positions.txt")
COUNT: Final = 200  # of each kind
KINDS: Final = (("tara", 2), ("tara", 6), ("halma19", 2))
TURNS_EACH: Final = (15, 30)  # turns a player before the position, at least and at most
DRAWN: Final = 3


def load(rules: str, seats: int, *, as_rules: str | None = None) -> list[sh.Position]:
    """The saved positions of one kind, read under other rules if *as_rules* says so."""
    positions: list[sh.Position] = []
    for line in FILE.read_text().splitlines():
        own, rest = line.split(" ", 1)
        if own == rules and rest.split(" ")[1].count(",") == seats - 1:
            positions.append(sh.parse_position(f"{as_rules or rules} {rest}"))
    return positions


def make() -> list[str]:
    """The texts of all positions, kind by kind."""
    return [make_one(rules, seats, number) for rules, seats in KINDS for number in range(COUNT)]


def make_one(rules: str, seats: int, number: int) -> str:
    """The text of the position of that number of one kind."""
    rng = random.Random(f"{rules}/{seats}/{number}")
    game = sh.Game.new(rules, seats)
    for _ in range(seats * rng.randint(*TURNS_EACH)):
        moves = game.legal_moves()
        seat = game.turn
        assert seat is not None
        after = [game.play(rng.choice(moves)) for _ in range(DRAWN)]
        game = min(after, key=lambda g: g.progress(seat).distance)
        assert not game.is_over
    return str(game)


def random_game(rules: str, plies: int) -> list[str]:
    """The full paths of a game of random moves that has not ended after *plies*."""
    rng = random.Random("random game")
    game = sh.Game.new(rules, limit=plies)
    paths: list[str] = []
    for _ in range(plies):
        game = game.play(rng.choice(game.legal_moves()))
        assert game.last is not None
        assert not game.is_over
        paths.append(game.format_move(game.last))
    return paths


if __name__ == "__main__":
    print("\n".join(make()))
