"""How fast the engine is, beside a published one in pure Python on the same positions.

    python -m bench.engine [--rounds N]

Runs where the peer is installed; `python -m bench` sees to that.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from bench.peer import NAME, Peer, expected
from bench.positions import load
from bench.table import Row, each, format_table
from bench.timing import Contestant, alternate

import sternhalma as sh
from sternhalma.movegen import can_move, count_moves, moves_for
from sternhalma.paths import resolve

PEER: Final = "peer"
DEPTH: Final = 3  # of perft
# The title of each set, the kind of position that is saved, and the rules it is read under.
SETS: Final = (
    ("tara", "tara", 2, "tara"),
    ("duel", "tara", 2, "duel"),
    ("corner", "tara", 2, "corner"),
    ("corner+long", "tara", 2, "corner+long"),
    ("tara, six seats", "tara", 6, "tara"),
    ("halma19", "halma19", 2, "halma19"),
)

# A move generator and its two masks.
Hot = tuple[Callable[[int, int], list[tuple[int, int]]], int, int]


def check(peer: Peer, positions: Sequence[sh.Position]) -> Row:
    """Whether the peer is asked for the same thing, and how many moves that is.

    Raises `ValueError` where it gives another set than its rules make with our tables.
    """
    theirs = ours = 0
    for position in positions:
        pairs = peer.pairs(peer.moves(*peer.cells(position)))
        if pairs != expected(position):
            raise ValueError(f"expected the peer's moves to follow its rules at {position}")
        theirs += len(pairs)
        turn = position.turn
        assert turn is not None
        ours += count_moves(position, turn)
    count = len(positions)
    return Row(
        "moves a position: duel; the peer, who hops over others' marbles only",
        f"{ours / count:.1f}; {theirs / count:.1f}",
    )


def generators(peer: Peer) -> tuple[list[Contestant], list[Row]]:
    """Full sets of moves: by masks, as the public list, and by the peer."""
    contestants: list[Contestant] = []
    checked: list[Row] = []
    for title, saved, seats, rules in SETS:
        positions = load(saved, seats, as_rules=rules)
        games = [sh.Game.from_position(position) for position in positions]
        hot = [_hot(position) for position in positions]
        contestants.append(Contestant(f"{title}: masks", partial(_masks, hot), len(hot)))
        contestants.append(Contestant(f"{title}: legal_moves", partial(_lists, games), len(games)))
        if title == "duel":
            checked.append(check(peer, positions))
            cells = [peer.cells(position) for position in positions]
            contestants.append(Contestant(PEER, partial(_peers, peer, cells), len(cells)))
            contestants.append(Contestant(f"{title}: pairs", partial(_pairs, hot), len(hot)))
    return contestants, checked


def small_questions() -> list[Contestant]:
    """What a referee asks: about one path, about passing, and a whole turn with its text."""
    positions = load("tara", 2)
    games = [sh.Game.from_position(position) for position in positions]
    chains = [max(map(_path_of(game), game.legal_moves()), key=_length) for game in games]
    asked = list(zip(positions, chains, strict=True))
    texts = [(game, game.format_move(move)) for game, move in zip(games, chains, strict=True)]
    perft = sh.perft(positions[0], DEPTH)
    return [
        Contestant("a written path checked", partial(_resolved, asked), len(asked)),
        Contestant("whether any move exists", partial(_movable, positions), len(positions)),
        Contestant("a move read and played", partial(_played, texts), len(texts)),
        Contestant("a position written", partial(_written, positions), len(positions)),
        Contestant("perft, a node", partial(sh.perft, positions[0], DEPTH), perft),
    ]


def _hot(position: sh.Position) -> Hot:
    turn = position.turn
    assert turn is not None
    colour = position.seating.lanes_of[turn][0].colour
    moves = moves_for(position.seating)[colour]
    return moves.destinations, position.occupied, position.marbles[colour]


def _masks(hot: Sequence[Hot]) -> None:
    for destinations, occupied, marbles in hot:
        destinations(occupied, marbles)


def _pairs(hot: Sequence[Hot]) -> None:
    for destinations, occupied, marbles in hot:
        pairs: list[tuple[int, int]] = []
        for origin, reach in destinations(occupied, marbles):
            hole = origin.bit_length() - 1
            rest = reach
            while rest:
                low = rest & -rest
                rest ^= low
                pairs.append((hole, low.bit_length() - 1))


def _lists(games: Sequence[sh.Game]) -> None:
    for game in games:
        game.legal_moves()


def _peers(peer: Peer, cells: Sequence[tuple[list[int], int]]) -> None:
    for board, player in cells:
        peer.moves(board, player)


def _path_of(game: sh.Game) -> Callable[[sh.Move], sh.Move]:
    return game.resolve


def _length(move: sh.Move) -> int:
    return len(move.path)


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
    contestants, checked = generators(Peer())
    times = alternate([*contestants, *small_questions()], options.rounds)
    peer = times.pop(PEER)
    rows = [Row(NAME, each(peer), "1.0"), *checked]
    generated = {contestant.name for contestant in contestants}
    rows += [
        Row(name, each(took), f"{peer / took:.1f}" if name in generated else "")
        for name, took in times.items()
    ]
    print(format_table("engine: all moves of a position, 200 positions", "times the peer", rows))


if __name__ == "__main__":
    main()
