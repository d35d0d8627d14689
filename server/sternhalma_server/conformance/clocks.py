"""Steps about clocks: none, periods, credit for the network, and next to no time."""

from __future__ import annotations

from typing import Final

import trio

from sternhalma import Game, Seat
from sternhalma_server.conformance.asking import Table, ask
from sternhalma_server.conformance.bench import Bench
from sternhalma_server.conformance.step import ADVISORY, Step
from sternhalma_server.conformance.talk import UnexpectedError

LOW: Final = 50  # milliseconds


async def _none(bench: Bench) -> None:
    await ask(
        await bench.seated(),
        Table(bench.next_game(), Game.new("duel"), Seat(0), clock="none", left="-"),
    )


async def _periods(bench: Bench) -> None:
    talk = await bench.seated()
    asked = Table(bench.next_game(), Game.new("duel"), Seat(0), clock="60s+5x2s", left="61500")
    await talk.say(asked.opening(), asked.turn(talk, " periods=5"))
    moved = asked.play(await asked.answer(talk), " periods=5")
    await talk.say(moved, asked.over())


async def _credit(bench: Bench) -> None:
    talk = await bench.seated()
    asked = Table(bench.next_game(), Game.new("duel"), Seat(0), clock="60s+0.5s", left="60000")
    await talk.say(asked.opening(" lag=50/200"), asked.turn(talk))
    moved = asked.play(await asked.answer(talk), " credit=48.125")
    await talk.say(moved, asked.over())


async def _ask_low(bench: Bench) -> float:
    talk = await bench.seated()
    asked = Table(bench.next_game(), Game.new("duel"), Seat(0), clock="60s+0s", left=str(LOW))
    await talk.say(asked.opening())
    began = trio.current_time()
    await talk.say(asked.turn(talk))
    move = await asked.answer(talk)
    taken = trio.current_time() - began
    await talk.say(asked.play(move), asked.over())
    return taken


async def _low(bench: Bench) -> None:
    await _ask_low(bench)


async def _in_time(bench: Bench) -> None:
    await _ask_low(bench)  # the first answer of a program may load what it needs
    taken = await _ask_low(bench)
    if taken * 1000 > LOW:
        raise UnexpectedError(f"an answer within {LOW} ms", f"one after {taken * 1000:.0f} ms")


STEPS: Final = (
    Step("clocks", "none", "a turn without a clock has '-' for the time", _none),
    Step("clocks", "periods", "a clock with periods", _periods),
    Step("clocks", "credit", "a game with credit for the network", _credit),
    Step("clocks", "low", f"with {LOW} ms left it still answers with a move", _low),
    Step("clocks", "in-time", f"with {LOW} ms left it answers in time", _in_time, ADVISORY),
)
