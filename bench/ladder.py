"""How bots do against each other: in one process, without a server.

    python bench/ladder.py --games 100 --rules tara --players 2 lookahead greedy
    python bench/ladder.py --games 100 --clock 1s "./strong --stdio" lookahead

A bot is the name of a sample or, with a space or a slash in it, the command of a program that
speaks the protocol over its standard streams. Every game begins with random plies, and every such
opening is played once from each seating, so that bots without chance do not play one game over and
over. The first bot takes one seat, the others share the rest. A table says who won, how games ended
and what a move cost.

The clock is told and not enforced: a table says what the longest move took.
"""

from __future__ import annotations

import argparse
import random
import shlex
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import sternhalma as sh
from sternhalma_bot.bots import SAMPLES
from sternhalma_bot.clock import parse_clock
from sternhalma_bot.turn import Turn

Contender = Callable[[sh.Game, int], sh.Move]  # a game and a seed


def sample(name: str) -> Contender:
    """The sample bot called *name*, which is not told of any clock."""
    choose = SAMPLES[name].choose
    return lambda game, seed: choose(Turn.of(game, seed))


class Program:
    """A bot that is a program; one process plays all its games, one after the other."""

    def __init__(self, command: str, clock: str) -> None:
        self.clock = clock
        self.milliseconds = "-" if clock == "none" else str(round(1000 * parse_clock(clock).move))
        self.seed: int | None = None
        self.process = subprocess.Popen(
            shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.say("sternhalma 1 line=1024 login=10000 can=moves")
        self.hear("login")

    def __call__(self, game: sh.Game, seed: int) -> sh.Move:
        """Its move in *game*, which a new *seed* tells from the game before."""
        assert game.turn is not None
        if seed != self.seed:
            self.seed = seed
            letter = game.position.seats[game.turn][0]
            terms = f"limit={game.terms.limit} at_limit={game.terms.at_limit} clock={self.clock}"
            self.say(f"game 1 {game.position.rules.id} {letter} {terms} seed={seed} draws=no")
        self.say(f"turn 1 {game.ply} {self.milliseconds} {game}")
        return game.parse_move(self.hear("move")[3])

    def say(self, line: str) -> None:
        """Send one line."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def hear(self, word: str) -> list[str]:
        """The words of its next line, which begins with *word*."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        words = line.split()
        if not words or words[0] != word:
            sys.exit(f"expected a line with {word!r} from {self.process.args!r}, got {line!r}")
        return words


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
    contenders: dict[str, Contender]
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
            began = time.perf_counter()
            move = self.contenders[name](game, number * 10 + seat)
            took = time.perf_counter() - began
            game = game.play(move)
            score = self.scores.setdefault(name, Score())
            score.moves += 1
            score.time += took
            score.longest = max(score.longest, took)
        assert game.result is not None
        at_limit = min(game.position.counts) >= game.terms.limit
        self.ends["at the limit" if at_limit else game.result.end.name.lower()] += 1
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
        width = max(map(len, ["bot", *self.scores]))
        rows = [f"{'bot':{width}} games  first  points    ms/move  longest ms"]
        rows += [
            f"{name:{width}} {score.games:5} {score.first:6} {score.points / score.games:7.3f}"
            f" {1e3 * score.time / max(score.moves, 1):10.2f} {1e3 * score.longest:11.1f}"
            for name, score in sorted(self.scores.items())
        ]
        ends = ", ".join(f"{end} {count}" for end, count in self.ends.most_common())
        plies = sorted(self.plies)
        rows.append(f"ends: {ends}; plies: median {plies[len(plies) // 2]}, most {plies[-1]}")
        return "\n".join(rows)


def contender(text: str, clock: str) -> Contender:
    """The bot that *text* names; `ValueError` where there is none."""
    if text in SAMPLES:
        return sample(text)
    if " " in text or "/" in text:
        return Program(text, clock)
    raise ValueError(f"expected a sample bot ({', '.join(SAMPLES)}) or a command, got {text!r}")


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description="Play bots against each other.")
    parser.add_argument("first")
    parser.add_argument("others")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--rules", default="tara")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--opening", type=int, default=4, help="random plies at the beginning")
    parser.add_argument("--limit", type=int, help="turns for each player, else the rules' own")
    parser.add_argument(
        "--clock", default="1s", help="what programs are told: a time for each move"
    )
    options = parser.parse_args()
    try:
        rules = sh.Rules.parse(options.rules)
        rules.check_players(options.players)
        names = dict.fromkeys([options.first, options.others])
        contenders = {name: contender(name, options.clock) for name in names}
    except ValueError as error:
        parser.error(str(error))
    ladder = Ladder(rules, options.players, options.opening, options.limit, contenders)
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
