"""How fast the engine is, beside a published one in pure Python on the same positions.

    python -m bench.engine [--rounds N]

Runs where the peer is installed; `python -m bench` sees to that. The peer knows the star and short
hops only, so that under other rules there are more moves to find than it finds. There are two
ratios therefore: of the times for a position, and of the times for one of its moves.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from bench.peer import NAME, Peer, expected
from bench.positions import load
from bench.table import Row, each, format_table
from bench.timing import Contestant, alternate

import sternhalma as sh
from sternhalma.movegen import Moves, can_move, moves_for
from sternhalma.paths import resolve

PEER: Final = "peer"
DEPTH: Final = 3  # of perft
PASSES: Final = 5  # over all positions in a round, lest cold caches be what is measured
# The title of each set, the kind of position that is saved, and the rules it is read under.
SETS: Final = (
    ("duel", "tara", 2, "duel"),
    ("tara", "tara", 2, "tara"),
    ("corner", "tara", 2, "corner"),
    ("tara, six seats", "tara", 6, "tara"),
    ("tara+long", "tara", 2, "tara+long"),
    ("corner+long", "tara", 2, "corner+long"),
    ("halma19", "halma19", 2, "halma19"),
    ("halma19+long", "halma19", 2, "halma19+long"),
)

# The moves of the colour to move, and the masks of all marbles and of its own.
Hot = tuple[Moves, int, int]


@dataclass(frozen=True, slots=True)
class Listed:
    """Contestants that find all moves, and how many moves a position has for each, by name."""

    contestants: list[Contestant]
    moves: dict[str, float]


def check(peer: Peer, positions: Sequence[sh.Position]) -> float:
    """Whether the peer is asked for the same thing; how many moves a position it finds.

    Raises `ValueError` where it gives another set than its rules make with our tables.
    """
    theirs = 0
    for position in positions:
        pairs = peer.pairs(peer.moves(*peer.cells(position)))
        if pairs != expected(position):
            raise ValueError(f"expected the peer's moves to follow its rules at {position}")
        theirs += len(pairs)
    return theirs / len(positions)


def generators(peer: Peer) -> Listed:
    """Full sets of moves: by masks, as the public list, and by the peer."""
    listed = Listed([], {})

    def add(name: str, run: Callable[[], None], positions: int, moves: float) -> None:
        listed.contestants.append(_passes(name, run, positions))
        listed.moves[name] = moves

    for title, saved, seats, rules in SETS:
        positions = load(saved, seats, as_rules=rules)
        count = len(positions)
        games = [sh.Game.from_position(position) for position in positions]
        moves = sum(len(game.legal_moves()) for game in games) / count
        hot = [_hot(position) for position in positions]
        if title == "duel":
            cells = [peer.cells(position) for position in positions]
            add(PEER, partial(_peers, peer, cells), count, check(peer, positions))
        add(f"{title}: masks", partial(_masks, hot), count, moves)
        add(f"{title}: legal_moves", partial(_lists, games), count, moves)
    return listed


def small_questions() -> list[Contestant]:
    """What a referee asks: about one path, about passing, and a whole turn with its text."""
    positions = load("tara", 2)
    games = [sh.Game.from_position(position) for position in positions]
    chance = random.Random("paths")
    paths = [[game.resolve(move) for move in game.legal_moves()] for game in games]
    longest = [max(moves, key=_length) for moves in paths]
    chosen = {"any": [chance.choice(moves) for moves in paths], "the longest": longest}
    texts = [(game, game.format_move(move)) for game, move in zip(games, longest, strict=True)]
    perft = sh.perft(positions[0], DEPTH)
    contestants: list[Contestant] = []
    for which, moves in chosen.items():
        asked = list(zip(positions, moves, strict=True))
        for name, run in _checks(asked).items():
            written = f"a written path checked, {which}: {name}"
            contestants.append(_passes(written, run, len(asked)))
    return [
        *contestants,
        _passes("whether any move exists", partial(_movable, positions), len(positions)),
        _passes("a move read and played, the longest", partial(_played, texts), len(texts)),
        _passes("a position written", partial(_written, positions), len(positions)),
        Contestant("perft, a node", partial(sh.perft, positions[0], DEPTH), perft),
    ]


def _passes(name: str, run: Callable[[], None], positions: int) -> Contestant:
    def passes() -> None:
        for _ in range(PASSES):
            run()

    return Contestant(name, passes, PASSES * positions)


def _hot(position: sh.Position) -> Hot:
    turn = position.turn
    assert turn is not None
    colour = position.seating.lanes_of[turn][0].colour
    return moves_for(position.seating)[colour], position.occupied, position.marbles[colour]


def _masks(hot: Sequence[Hot]) -> None:
    for moves, occupied, marbles in hot:
        moves.destinations(occupied, marbles)


def _lists(games: Sequence[sh.Game]) -> None:
    for game in games:
        game.legal_moves()


def _peers(peer: Peer, cells: Sequence[tuple[list[int], int]]) -> None:
    for board, player in cells:
        peer.moves(board, player)


def _length(move: sh.Move) -> int:
    return len(move.path)


def _checks(asked: Sequence[tuple[sh.Position, sh.Move]]) -> dict[str, Callable[[], None]]:
    """The check of these paths where it is known whose marble moves, and the public call."""
    questions = [(*_hot(position)[:2], move.path) for position, move in asked]
    return {"the marble known": partial(_allowed, questions), "resolve": partial(_resolved, asked)}


def _allowed(questions: Sequence[tuple[Moves, int, tuple[sh.Hole, ...]]]) -> None:
    for moves, occupied, path in questions:
        moves.allows(occupied, path)


def _resolved(asked: Sequence[tuple[sh.Position, sh.Move]]) -> None:
    for position, move in asked:
        resolve(position, move)


def _movable(positions: Sequence[sh.Position]) -> None:
    for position in positions:
        assert position.turn is not None
        can_move(position, position.turn)


def _played(texts: Sequence[tuple[sh.Game, str]]) -> None:
    for game, text in texts:
        game.play(text)


def _written(positions: Sequence[sh.Position]) -> None:
    for position in positions:
        sh.format_position(position)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure the engine beside a published one.")
    parser.add_argument("--rounds", type=int, default=11)
    options = parser.parse_args()
    listed = generators(Peer())
    times = alternate([*listed.contestants, *small_questions()], options.rounds)
    peer, their_moves = times.pop(PEER), listed.moves[PEER]
    rows = [Row(f"{NAME}: {their_moves:.0f} moves", each(peer), "1.0   1.0")]
    for name, took in times.items():
        moves = listed.moves.get(name)
        if moves is None:
            rows.append(Row(name, each(took)))
        else:
            ratio = peer / took
            ratios = f"{ratio:<4.1f}  {ratio * moves / their_moves:.1f}"
            rows.append(Row(f"{name}: {moves:.0f} moves", each(took), ratios))
    title = "engine: all moves of a position, 200 positions"
    print(format_table(title, "times the peer: a position, a move", rows))


if __name__ == "__main__":
    main()
