"""Records of games that were really played: by chance, or by whoever gets nearer to the target."""

from __future__ import annotations

from random import Random
from typing import Final, NamedTuple

from hypothesis import HealthCheck, settings

from sternhalma import AtLimit, Game, Move
from sternhalma_server.record import Draw, Evidence, Happening, Out, Player, Ply, Record
from sternhalma_server.verdict import Reason, reason_of

# A cannot move: its marbles at home are locked in, the others may not leave their target.
SEALED: Final = "tara A/DD/D1D/4/13/12/11/4DD4/4DDD2/10/11/12/13/AAAA/AAA/AA/D A,D A 0,0 -"
# For laws whose examples are whole games: a busy machine must not make them fail.
PATIENT: Final = settings(
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
NAMES: Final = ("zoe", "max", "Ida", "b.4", "n-1", "kim")
VOID: Final = (Reason.SERVER_FAULT, Reason.ABORTED)
FORFEITS: Final = tuple(reason for reason in Reason if reason.puts_out)


class Kind(NamedTuple):
    """What is played: rules, players, turns each, and how those unfinished are placed."""

    rules: str
    players: int
    limit: int
    at_limit: AtLimit | None = None


KINDS: Final = (
    Kind("tara", 2, 4),
    Kind("duel", 2, 5),
    Kind("corner", 3, 4, "progress"),
    Kind("corner+pairs", 4, 3),
    Kind("tara+long", 6, 2),
    Kind("corner+3c", 2, 3),
    Kind("halma13", 4, 3),
    Kind("halma19+out40", 2, 3, "progress"),
)


def recorded(
    kind: Kind,
    seed: int,
    *,
    fall: float = 0.0,
    draw_at: int | None = None,
    void_at: int | None = None,
    event: str = "cup",
    number: int = 17,
    opening: int = 0,
    bots: tuple[str, ...] = NAMES,
    entries: tuple[str, ...] = NAMES,
    forward: bool = False,
    position: str | None = None,
) -> Record:
    """The record of one game, a function of its arguments.

    In every turn somebody goes out with probability *fall*.
    """
    chance = Random(seed)
    game = Game.new(kind.rules, kind.players, limit=kind.limit, at_limit=kind.at_limit)
    if position is not None:
        game = Game.load(position, limit=kind.limit, at_limit=kind.at_limit)
    start = game
    letters = [group[0] for group in game.position.seats]
    happened: list[Happening] = []
    dropped: Reason | None = None
    while game.result is None:
        if void_at == game.ply:
            break
        if draw_at == game.ply:
            happened.append(Draw(game.ply))
            game = game.agree()
        elif chance.random() < fall:
            seat = chance.choice(game.position.active)
            dropped = chance.choice(FORFEITS)
            line = chance.choice([None, "", "resign 17", "move 17 1 a5-\\xe4  "])
            evidence: Evidence = (("charged", "2000.001"),) if dropped is Reason.TIME else ()
            happened.append(Out(letters[seat], dropped, game.ply, evidence, line))
            game = game.drop(seat)
        else:
            dropped = None
            game = _turn(game, letters, chance, happened, opening=opening, forward=forward)
    result = game.result
    return Record(
        event=event,
        game=number,
        rules=kind.rules,
        limit=game.terms.limit,
        at_limit=game.terms.at_limit,
        clock="2s",
        players=tuple(
            Player(letter, bots[seat], chance.choice([None, "1.0", "2.1-rc+5"]), entries[seat])
            for seat, letter in enumerate(letters)
        ),
        start=str(start),
        happened=tuple(happened),
        reason=chance.choice(VOID) if result is None else reason_of(result.end, dropped),
        places=(0,) * kind.players if result is None else result.places,
        ply=game.ply - 1,
        final=str(game),
    )


def _turn(
    game: Game,
    letters: list[str],
    chance: Random,
    happened: list[Happening],
    *,
    opening: int,
    forward: bool,
) -> Game:
    assert game.turn is not None
    moves = game.legal_moves()
    move = _forward(game, moves, chance) if forward else chance.choice(moves) if moves else None
    after = game.play("pass" if move is None else move)
    assert after.last is not None
    path, seat = after.format_move(after.last), letters[game.turn]
    if game.ply <= opening:
        happened.append(Ply(game.ply, seat, path, "opening"))
    elif move is None:
        happened.append(Ply(game.ply, seat, path, "rules"))
    else:
        spent = (("charged", f"{chance.randrange(2000)}.{chance.randrange(1000):03}"),)
        later = chance.choice([(), (("credit", "0.5"), ("late", "0"))])
        happened.append(Ply(game.ply, seat, path, None, (*spent, ("left", "2000"), *later)))
    return after


def _forward(game: Game, moves: list[Move], chance: Random) -> Move | None:
    if not moves:
        return None
    seat = game.turn
    assert seat is not None

    def left(move: Move) -> tuple[int, int]:
        progress = game.play(move).progress(seat)
        return progress.distance, -progress.home

    best = min(map(left, moves))
    return chance.choice([move for move in moves if left(move) == best])
