"""Steps about whole games: seats, openings, offers, and the many ways in which games end."""

from __future__ import annotations

from typing import Final

from sternhalma import Game, Seat
from sternhalma_server.conformance.asking import Table, ask, table
from sternhalma_server.conformance.bench import Bench
from sternhalma_server.conformance.step import ADVISORY, Step
from sternhalma_server.conformance.talk import Talk, UnexpectedError
from sternhalma_server.wire import AgreeDraw, MoveMade

# One step short of a full target, with the bot to move.
NEARLY: Final = "duel D/DD/DDD/1DDD/4D8/12/11/10/9/10/11/12/4A8/1AAA/AAA/AA/A A,D A 60,60 -"
SILENCE: Final = 0.5  # seconds in which nothing is to be said


async def _play(talk: Talk, played: Table) -> None:
    """Play to the end: the bot in its seat, first moves in all others."""
    await talk.say(played.opening())
    told: list[str] = []
    while played.game.turn is not None:
        if played.game.must_pass:
            told.append(played.play("pass", by="rules"))
        elif played.game.turn == played.seat:
            await talk.say(*told, played.turn(talk))
            told = [played.play(await played.answer(talk))]
        else:
            told.append(played.play(played.game.legal_moves()[0]))
    await talk.say(*told, played.over())


async def _first_seat(bench: Bench) -> None:
    game = Game.new("duel", limit=6)
    await _play(await bench.seated(), Table(bench.next_game(), game, Seat(0)))


async def _second_seat(bench: Bench) -> None:
    game = Game.new("tara", limit=5)
    await _play(await bench.seated(), Table(bench.next_game(), game, Seat(1)))


async def _six(bench: Bench) -> None:
    game = Game.new("tara", 6, limit=3)
    await _play(await bench.seated(), Table(bench.next_game(), game, Seat(4)))


async def _opaque(bench: Bench) -> None:
    game = Game.new("duel", limit=2)
    await _play(await bench.seated(), Table("Cup.2026/0017~a", game, Seat(0)))


async def _opening(bench: Bench) -> None:
    talk = await bench.seated()
    asked = Table(bench.next_game(), Game.new("corner"), Seat(1))
    opening = asked.opening()
    plies = [asked.play(asked.game.legal_moves()[n], by="opening") for n in (3, 9, 5)]
    await talk.say(opening, *plies, asked.turn(talk))
    moved = asked.play(await asked.answer(talk))
    await talk.say(moved, asked.over())


async def _out(bench: Bench) -> None:
    talk = await bench.seated()
    asked = Table(bench.next_game(), Game.new("corner", 3), Seat(2))
    told = [asked.opening(), asked.play(asked.game.legal_moves()[2])]
    asked.game = asked.game.drop(Seat(1))
    told.append(f"out {asked.name} C time ply=2 line=move {asked.name} 1 c6-c7 turn 1 1 - x")
    await talk.say(*told, asked.turn(talk))
    moved = asked.play(await asked.answer(talk))
    await talk.say(moved, asked.over())


async def _offer(bench: Bench) -> None:
    talk = await bench.seated()
    game = Game.new("duel").play("d5-e5")
    asked = Table(bench.next_game(), game, Seat(1), draws=True)
    await talk.say(asked.opening(), f"offer {asked.name} A", asked.turn(talk))
    expected = f"'move {asked.name} 2 PATH' or 'draw {asked.name} 2'"
    message = await talk.message(expected)
    match message:
        case MoveMade(name, 2) | AgreeDraw(name, 2) if name == asked.name:
            await talk.say(asked.over("agreement"))
        case _:
            raise UnexpectedError(expected, repr(message))


async def _unmoved(bench: Bench) -> None:
    talk = await bench.seated()
    ended = Table(bench.next_game(), Game.new("duel"), Seat(1))
    await talk.say(ended.opening(), f"over {ended.name} resign places=A:2,D:1 seat=A ply=1")
    await _ask_start(bench, talk)


async def _ask_start(bench: Bench, talk: Talk) -> None:
    await ask(talk, Table(bench.next_game(), Game.new("tara"), Seat(0)))


async def _too_late(bench: Bench) -> None:
    talk = await bench.seated()
    late, asked = (Table(bench.next_game(), Game.new("duel"), Seat(0)) for _ in range(2))
    lost = f"over {late.name} time places=A:2,D:1 seat=A ply=1"
    note = f"note stale expected an answer to game {asked.name} ply 1"
    await talk.say(late.opening(), late.turn(talk), lost, asked.opening(), note, asked.turn(talk))
    move = await asked.answer(talk, ignoring=[late.name])
    await talk.say(asked.play(move), asked.over())


async def _goal(bench: Bench) -> None:
    talk = await bench.seated()
    asked = table(bench.next_game(), NEARLY)
    await talk.say(asked.opening(), asked.turn(talk))
    moved = asked.play(await asked.answer(talk))
    await talk.say(moved, asked.over())
    await _ask_start(bench, talk)


async def _lost(bench: Bench) -> None:
    talk = await bench.seated()
    asked = table(bench.next_game(), NEARLY)
    asked.seat = Seat(1)
    opening = asked.opening()
    await talk.say(opening, asked.play("m9-n10"), asked.over("goal"))
    await _ask_start(bench, talk)


async def _tries(bench: Bench) -> None:
    talk = await bench.seated()
    asked = Table(bench.next_game(), Game.new("duel"), Seat(0))
    await talk.say(asked.opening(), asked.turn(talk))
    await asked.answer(talk)
    await talk.say("error illegal tries=2 the step wants to see another answer")
    moved = asked.play(await asked.answer(talk))
    await talk.say(moved, asked.over())


async def _quiet(bench: Bench) -> None:
    talk = await bench.seated()
    await _ask_start(bench, talk)
    lines = await talk.heard(SILENCE)
    if lines or talk.is_over:
        came = f"{lines[0]!r}" if lines else "the end of the connection"
        raise UnexpectedError(f"silence for {SILENCE:g} s between games", came)


async def _same(bench: Bench) -> None:
    talk = await bench.seated()
    name, game = bench.next_game(), Game.new("halma13")
    moves = [await ask(talk, Table(name, game, Seat(0))) for _ in range(3)]
    if len(set(moves)) > 1:
        came = ", ".join(map(game.format_move, moves))
        raise UnexpectedError("one answer to the same seed and the same turn", came)


STEPS: Final = (
    Step("games", "first-seat", "a whole game is played in the first seat", _first_seat),
    Step("games", "second-seat", "a whole game is played in the second seat", _second_seat),
    Step("games", "six", "a whole game of six players is played", _six),
    Step("games", "opaque", "the name of a game is any word", _opaque),
    Step("games", "opening", "a game may begin with plies that nobody was asked for", _opening),
    Step("games", "out", "a game goes on when another player is out", _out),
    Step("games", "offer", "an offer of a draw is answered, with a move or with 'draw'", _offer),
    Step("games", "unmoved", "a game may end before the first move", _unmoved),
    Step("games", "too-late", "a game that is over is left, whatever it waited for", _too_late),
    Step("games", "goal", "it goes on after a game in which it was one step from the end", _goal),
    Step("games", "lost", "it goes on after a game that another has won", _lost),
    Step("games", "tries", "after 'error ... tries=2' it answers again", _tries, ADVISORY),
    Step("games", "quiet", "between games it says nothing", _quiet, ADVISORY),
    Step("games", "same", "the same seed and the same turn have the same answer", _same, ADVISORY),
)
