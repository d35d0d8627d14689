"""How the sample bots do against each other: in one process, without a server or a clock.

    python bench/ladder.py --games 100 --rules tara --players 2 lookahead greedy

Every game begins with random plies, and every such opening is played once from each seating, so
that bots without chance do not play one game over and over. The first bot takes one seat, the
others share the rest. A table says who won, how games ended and what a move cost.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import sternhalma as sh
from sternhalma_bot.bots import SAMPLES
from sternhalma_bot.turn import Turn


@dataclass
class Score:
    """What came of one bot's games. Points are out of one a game; times are in seconds."""

    games: int = 0
    first: int = 0  # alone in the first place
    points: float = 0.0
    moves: int = 0
    time: float = 0.0
    longest: float = 0.0


@dataclass
class Ladder:
    """The games of one call."""

    rules: sh.Rules
    players: int
    opening: int
    limit: int | None
    scores: dict[str, Score] = field(default_factory=dict)
    ends: Counter[str] = field(default_factory=Counter)
    plies: list[int] = field(default_factory=list)

    def play(self, number: int, seats: Sequence[str]) -> None:
        """One game. *number* decides the opening, *seats* who plays what."""
        game = self.open(number)
        while (seat := game.turn) is not None:
            if game.must_pass:
                game = game.play(sh.PASS)
                continue
            name = seats[seat]
            turn = Turn.of(game, seed=number * 10 + seat)
            began = time.perf_counter()
            move = SAMPLES[name].choose(turn)
            took = time.perf_counter() - began
            game = game.play(move)
            score = self.scores.setdefault(name, Score())
            score.moves += 1
            score.time += took
            score.longest = max(score.longest, took)
        assert game.result is not None
        self.ends[game.result.end.name.lower()] += 1
        self.plies.append(game.ply - 1)
        self.note(seats, game.result.places)

    def open(self, number: int) -> sh.Game:
        """The game after the random plies of opening *number*."""
        rng = random.Random(number)
        game = sh.Game.new(self.rules, self.players, limit=self.limit)
        for _ in range(self.opening):
            game = game.play(rng.choice(game.legal_moves()))
        return game

    def note(self, seats: Sequence[str], places: Sequence[int]) -> None:
        """Add the places of a game to the scores."""
        for name, place in zip(seats, places, strict=True):
            score = self.scores.setdefault(name, Score())
            beaten = sum(place < other for other in places)
            level = sum(place == other for other in places) - 1
            score.games += 1
            score.first += place == 1 and not level
            score.points += (beaten + level / 2) / (len(places) - 1)

    def table(self) -> str:
        """All that was counted, as text."""
        rows = ["bot         games  first  points    ms/move  longest ms"]
        rows += [
            f"{name:10} {score.games:6} {score.first:6} {score.points / score.games:7.3f}"
            f" {1e3 * score.time / max(score.moves, 1):10.2f} {1e3 * score.longest:11.1f}"
            for name, score in sorted(self.scores.items())
        ]
        ends = ", ".join(f"{end} {count}" for end, count in self.ends.most_common())
        plies = sorted(self.plies)
        rows.append(f"ends: {ends}; plies: median {plies[len(plies) // 2]}, most {plies[-1]}")
        return "\n".join(rows)


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description="Play sample bots against each other.")
    parser.add_argument("first", choices=list(SAMPLES))
    parser.add_argument("others", choices=list(SAMPLES))
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--rules", default="tara")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--opening", type=int, default=4, help="random plies at the beginning")
    parser.add_argument("--limit", type=int, help="turns for each player, else the rules' own")
    options = parser.parse_args()
    try:
        rules = sh.Rules.parse(options.rules)
        rules.check_players(options.players)
    except sh.RulesError as error:
        parser.error(str(error))
    ladder = Ladder(rules, options.players, options.opening, options.limit)
    for number in range(options.games):
        seats = [options.others] * options.players
        seats[number % options.players] = options.first
        ladder.play(number // options.players, seats)
        if sys.stderr.isatty():
            print(f"\r{number + 1}/{options.games}", end="", file=sys.stderr, flush=True)
    print(f"{rules.id}, {options.players} players, {options.opening} random plies")
    print(ladder.table())


if __name__ == "__main__":
    main()
