"""Steps about two connections at once, and about the end of the event."""

from __future__ import annotations

from typing import Final

from sternhalma import Game, Seat
from sternhalma_server.conformance.asking import Table
from sternhalma_server.conformance.bench import GOODBYE, Bench
from sternhalma_server.conformance.step import ADVISORY, Step
from sternhalma_server.conformance.subject import SLOT, Start
from sternhalma_server.conformance.talk import UnexpectedError


async def _two(bench: Bench) -> None:
    bench.need_program()
    first = await bench.seated()
    second = await bench.fresh(Start(SLOT + 1))
    try:
        login = await second.greet()
        if login.slot != SLOT + 1:
            raise UnexpectedError(f"slot={SLOT + 1}, as in STERNHALMA_SLOT", f"slot={login.slot}")
        await second.welcome()
        here = Table(bench.next_game(), Game.new("duel"), Seat(0))
        there = Table(bench.next_game(), Game.new("corner", 3), Seat(0))
        await first.say(here.opening(), here.turn(first))
        await second.say(there.opening(), there.turn(second))
        moved = there.play(await there.answer(second))
        await second.say(moved, there.over(), GOODBYE)
        moved = here.play(await here.answer(first))
        await first.say(moved, here.over())
    finally:
        second.close()


async def _fate(bench: Bench) -> str:
    bench.need_program()
    return await bench.stops(await bench.seated(), "event-over")


async def _goodbye(bench: Bench) -> None:
    await _fate(bench)


async def _status(bench: Bench) -> None:
    fate = await _fate(bench)
    if fate != "ended with status 0":
        raise UnexpectedError("a program that ends with status 0", f"one that {fate}")


STEPS: Final = (
    Step("slots", "two", "two programs play at once, each in its slot", _two),
    Step("end", "goodbye", "it ends when the event is over", _goodbye),
    Step("end", "status", "it then ends with status 0", _status, ADVISORY),
)
