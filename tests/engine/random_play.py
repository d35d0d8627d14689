"""Random games in which the engine and the naive rules are held against each other every ply.

Everything follows from a seed, so that a failure names the seed and the line of play that led to
it.  Games begin at the start, close to the finish or anywhere at all, because only some of them
would otherwise come to finishes, late rules and blocked marbles within a few plies.
"""

from random import Random

from engine.both import EngineGame
from engine.naive import AtLimit, NaiveGame
from engine.naive_board import Hole, hole_name


def choose_start(rng: Random, rules_id: str, players: int, limit: int) -> tuple[str, bool]:
    """A position to begin at, and whether it is a puzzle."""
    game = NaiveGame.start(rules_id, players)
    kind = rng.choice(["start", "late", "late", "full", "full", "spoilt", "anywhere", "crowded"])
    if kind != "start":
        game.marbles = {}
        scatter(rng, game, kind)
    if kind != "start" or rng.random() < 0.3:
        near_limit = [0, max(0, limit - 3), limit - 1]
        base = rng.choice([n for n in (3, 17, 28, 29, 37, 38, 43) if n < limit] + near_limit)
        if kind == "full" and game.variant == "tara":
            base = rng.choice([28, 29, 30])
        game.counts = [base + rng.randint(0, 1) for _ in game.seats]
        game.turn = rng.randrange(players)
    puzzle = kind in ("spoilt", "anywhere", "crowded", "full")
    if puzzle and rng.random() < 0.4:
        choose_done(rng, game)
    return game.position_text(), puzzle


def scatter(rng: Random, game: NaiveGame, kind: str) -> None:
    letters = "".join(game.seats)
    holes = sorted(game.board.holes)
    rng.shuffle(holes)
    if kind == "anywhere":
        for letter in letters:
            for _ in range(rng.randint(0, 45 // len(letters) + 4)):
                game.marbles[holes.pop()] = letter
    elif kind == "crowded":
        for hole in holes[rng.choice([0, 0, 1, 2, 5]) :]:
            game.marbles[hole] = rng.choice(letters)
    elif kind == "full":
        fill(rng, game)
    else:
        for letter in letters:
            near_the_target(rng, game, letter, loose=rng.randint(1, 4))
        for letter in letters if kind == "spoilt" else "":
            for hole in rng.sample(sorted(game.full_target(letter)), rng.randint(0, 3)):
                game.marbles[hole] = rng.choice(letters)


def near_the_target(rng: Random, game: NaiveGame, letter: str, loose: int) -> None:
    """All marbles of *letter* in its target but *loose* ones, which stand a little way off."""
    target = sorted(game.full_target(letter))
    rng.shuffle(target)
    held = [hole for hole in target if hole not in game.marbles][: max(0, len(target) - loose)]
    outside = sorted(game.board.holes - set(target) - set(game.marbles))
    outside.sort(key=lambda hole: game.steps[letter][hole] + rng.random() * 6)
    held += outside[: len(target) - len(held)]
    game.marbles |= dict.fromkeys(held, letter)


def fill(rng: Random, game: NaiveGame) -> None:
    """Every target full or nearly so, in part by marbles of others, level more often than not."""
    letters = "".join(game.seats)
    left = {letter: len(game.full_target(letter)) for letter in letters}
    strangers = rng.randint(0, 2)
    hosts_only = rng.random() < 0.6
    for letter in letters:
        target = sorted(game.full_target(letter))
        rng.shuffle(target)
        for _ in range(strangers):
            host = game.board.opposite(letter) if hosts_only else rng.choice(letters)
            if left.get(host, 0) > 0:
                game.marbles[target.pop()] = host
                left[host] -= 1
        for hole in target[: left[letter] - rng.choice([0, 0, 0, 1])]:
            game.marbles[hole] = letter
            left[letter] -= 1
    # The rest of each colour stands in the middle of the board, as far from home as the others'.
    for letter in letters:
        free = sorted(set(game.board.holes) - set(game.marbles))
        free = [h for h in free if not any(h in game.full_target(other) for other in letters)]
        nearest = rng.choice([1, 1, 3])
        free.sort(key=lambda hole: abs(game.steps[letter][hole] - nearest))
        game.marbles |= dict.fromkeys(free[: left[letter]], letter)


def choose_done(rng: Random, game: NaiveGame) -> None:
    """Some are finished or out already, and somebody else has the turn."""
    for unit in game.units():
        fate = rng.random()
        if fate < 0.25:
            game.out += unit
            if rng.random() < 0.5:  # out long ago: the turns they lack are waited for no more
                game.counts = [n // 2 if i in unit else n for i, n in enumerate(game.counts)]
        elif fate < 0.6:
            ended = rng.sample(unit, rng.randint(1, len(unit)))
            if game.finished and rng.random() < 0.3:
                game.finished[-1] = sorted([*game.finished[-1], *ended])
            else:
                game.finished.append(sorted(ended))
    left = game.seats_in()
    if left:
        game.turn = rng.choice(left)
    else:
        game.out, game.finished = [], []


def choose_terms(rng: Random, rules_id: str) -> tuple[int | None, AtLimit | None]:
    limit = rng.choice([5, 20, 45, 45, None, None])
    choices: list[AtLimit | None] = [None, "progress"]
    if not rules_id.startswith("tara"):
        choices.append("share")
    return limit, rng.choice(choices)


class SideBySide:
    """One game in both implementations."""

    def __init__(self, seed: str, rules_id: str, players: int) -> None:
        self.rng = Random(seed)
        limit, at_limit = choose_terms(self.rng, rules_id)
        text, self.puzzle = choose_start(self.rng, rules_id, players, limit or 200)
        self.line = [f"seed {seed!r}, limit {limit}, at_limit {at_limit}", text]
        self.naive = NaiveGame.load(text, self.puzzle, limit, at_limit)
        self.engine = EngineGame.load(text, self.puzzle, limit, at_limit)

    def run(self, plies: int) -> None:
        """Play up to *plies* turns; an assertion fails where the two differ."""
        self.compare()
        while not self.naive.has_ended() and plies:
            plies -= 1
            self.compare_paths()
            self.take_turn()
            self.compare()
        if self.naive.has_ended():
            assert self.engine.moves() == set(), self.line

    def compare(self) -> None:
        naive, engine = self.naive, self.engine
        assert engine.position_text() == naive.position_text(), self.line
        assert engine.result() == naive.result(), self.line
        assert engine.moves() == naive.moves(), self.line
        assert engine.has_ended() == naive.has_ended(), self.line
        assert engine.game.ply == sum(naive.counts) + 1, self.line
        seat = self.rng.randrange(len(naive.seats))
        assert engine.home_and_distance(seat) == naive.home_and_distance(seat), self.line

    def take_turn(self) -> None:
        rng, naive = self.rng, self.naive
        chance = rng.random()
        if chance < (0.015 if len(naive.seats) == 2 else 0.03):
            seat = rng.choice(naive.seats_in())
            self.line.append(f"drop {seat}")
            naive.drop(seat)
            self.engine.drop(seat)
        elif chance < 0.025 and naive.variant == "duel":
            self.line.append("agree")
            naive.agree()
            self.engine.agree()
        else:
            move = self.choose_move()
            self.line.append(move)
            naive.play(move)
            self.engine.play(move)

    def choose_move(self) -> str:
        """A move that gains ground more often than not, in its short or its full form."""
        moves = sorted(self.naive.reachable())
        if not moves:
            return "pass"
        self.rng.shuffle(moves)
        if self.rng.random() < 0.8:
            origin, end = max(moves, key=self.gain)
        else:
            origin, end = moves[0]
        names = hole_name(origin), hole_name(end)
        path = self.naive.full_path(*names)
        assert self.engine.full_path(*names) == path, (self.line, names)
        return "-".join(path if self.rng.random() < 0.5 else names)

    def gain(self, move: tuple[Hole, Hole]) -> int:
        steps = self.naive.steps[self.naive.marbles[move[0]]]
        return steps[move[0]] - steps[move[1]]

    def compare_paths(self) -> None:
        """Written paths, legal and illegal, and the pass."""
        for _ in range(3):
            path = self.random_path()
            legal = self.naive.is_legal_path(path)
            assert self.engine.is_legal_path(path) == legal, (self.line, path)
        can_pass = not self.naive.moves()
        assert self.engine.game.is_legal(self.engine.game.parse_move("pass")) == can_pass, self.line

    def random_path(self) -> list[str]:
        """A walk of hops by some marble, often one that goes wrong at some hole."""
        rng, naive = self.rng, self.naive
        everywhere = sorted(naive.board.holes)
        movers = naive.own_holes(naive.turn or 0) or everywhere
        origin = rng.choice(sorted(naive.marbles) if rng.random() < 0.1 else movers)
        walk = [origin]
        for _ in range(rng.randint(1, 6)):
            landings = naive.hops(origin, walk[-1])
            if not landings:
                break
            walk.append(rng.choice(landings))
        if len(walk) == 1 or rng.random() < 0.15:
            near = [naive.board.along(walk[-1], step, 1) for step in naive.board.directions]
            walk.append(rng.choice([hole for hole in near if hole is not None]))
        if rng.random() < 0.15:
            walk[rng.randrange(len(walk))] = rng.choice(everywhere)
        if rng.random() < 0.1:
            walk = [walk[0], walk[-1]]
        return [hole_name(hole) for hole in walk]
