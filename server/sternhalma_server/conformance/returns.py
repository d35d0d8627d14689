"""Steps about connections that end in the middle of a game, and about coming back."""

from __future__ import annotations

from typing import Final

from sternhalma import Game, Seat
from sternhalma_server.conformance.asking import Table
from sternhalma_server.conformance.bench import Bench
from sternhalma_server.conformance.step import ADVISORY, Step
from sternhalma_server.conformance.subject import ENDS_WITHIN, Start
from sternhalma_server.conformance.talk import Talk, UnexpectedError

KEY: Final = "k3y-before"
BACK_WITHIN: Final = 5.0  # seconds


async def _broken(bench: Bench) -> tuple[Talk, Table]:
    """A connection that has ended in the middle of a `turn` line of the bot."""
    talk = await bench.fresh(Start(secret=False))  # so that it has to come back with the key
    await talk.greet()
    await talk.welcome(KEY)
    asked = Table(bench.next_game(), Game.new("duel").play("d5-e5").play("n10-m9"), Seat(0))
    half = f"{asked.opening()}\n{asked.turn(talk)}"
    await talk.say_pieces([half[: len(half) - 20].encode()], None)
    lines = await talk.heard(0.2)
    talk.close()
    if lines:
        raise UnexpectedError("nothing, half a line is none", repr(lines[0]))
    return talk, asked


async def _cut(bench: Bench) -> None:
    await _broken(bench)
    back = await bench.again(1.0)
    if back is not None:
        back.close()
    elif bench.subject.is_program and await bench.subject.fate(ENDS_WITHIN) is None:
        raise UnexpectedError("the bot to come back or to end", "neither")


async def _back(bench: Bench, *, earlier: bool) -> None:
    talk, asked = await _broken(bench)
    before = talk.login
    assert before is not None
    back = await bench.again(BACK_WITHIN)
    if back is None:
        raise UnexpectedError(f"the bot to come back within {BACK_WITHIN:g} s", "no connection")
    login = await back.greet()
    if (login.name, login.slot) != (before.name, before.slot):
        raise UnexpectedError(
            f"the same name and slot, {before.name} and {before.slot}",
            f"{login.name} and {login.slot}",
        )
    if before.token is None and login.key != KEY:
        raise UnexpectedError(f"key={KEY}, the key of the last welcome", f"key={login.key}")
    await back.welcome(KEY)
    if earlier:
        asked.game = Game.new("duel")
    asked.left = "7250"
    await back.say(asked.opening(), asked.turn(back))
    moved = asked.play(await asked.answer(back))
    await back.say(moved, asked.over())
    bench.keep(back)


async def _restated(bench: Bench) -> None:
    await _back(bench, earlier=False)


async def _earlier(bench: Bench) -> None:
    await _back(bench, earlier=True)


async def _taken_over(bench: Bench) -> None:
    bench.need_program()
    talk = await bench.fresh()
    await talk.greet()
    await talk.welcome(KEY)
    await talk.say(Table(bench.next_game(), Game.new("duel"), Seat(1)).opening())
    await bench.stops(talk, "taken-over")


STEPS: Final = (
    Step(
        "returns",
        "cut",
        "when its connection is cut in the middle of a line it comes back or ends",
        _cut,
    ),
    Step(
        "returns",
        "restated",
        "it comes back and answers the turn it is told again",
        _restated,
        ADVISORY,
    ),
    Step("returns", "earlier", "it comes back and believes an earlier ply", _earlier, ADVISORY),
    Step(
        "returns", "taken-over", "it stops when another connection has taken its place", _taken_over
    ),
)
