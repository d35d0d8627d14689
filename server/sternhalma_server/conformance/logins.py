"""Steps about the login: who speaks first, what is said, and being turned away."""

from __future__ import annotations

from typing import Final

import trio

from sternhalma_server.conformance.bench import Bench
from sternhalma_server.conformance.step import ADVISORY, Step
from sternhalma_server.conformance.subject import ENDS_WITHIN, NAME, SLOT, TOKEN
from sternhalma_server.conformance.talk import GREETING, Talk, UnexpectedError


async def _logged_in(bench: Bench, talk: Talk) -> None:
    await talk.welcome("k3y-1")
    bench.keep(talk)


async def _line(bench: Bench) -> None:
    talk = await bench.fresh()
    await talk.greet()
    await _logged_in(bench, talk)


async def _environment(bench: Bench) -> None:
    bench.need_program()
    login = (await bench.seated()).login
    assert login is not None
    expected = f"name {NAME}, slot {SLOT} and token {TOKEN}, as in STERNHALMA_NAME, _SLOT, _TOKEN"
    came = f"name {login.name}, slot {login.slot} and token {login.token}"
    if (login.name, login.slot, login.token) != (NAME, SLOT, TOKEN):
        raise UnexpectedError(expected, came)


async def _late_greeting(bench: Bench) -> None:
    talk = await bench.fresh()
    await trio.sleep(0.5)
    await talk.greet()
    await _logged_in(bench, talk)


async def _odd_greeting(bench: Bench) -> None:
    talk = await bench.fresh()
    text = f"{GREETING},tea colour=blue hello\n".encode()
    await talk.greet(text[:5], text[5:14], text[14:], pause=0.02)
    await _logged_in(bench, talk)


async def _odd_welcome(bench: Bench) -> None:
    talk = await bench.fresh()
    login = await talk.greet()
    await talk.say(f"welcome {login.name} mood=good slot={login.slot} key=k3y-2 hello")
    bench.keep(talk)


async def _refused(bench: Bench) -> str:
    bench.need_program()
    talk = await bench.fresh()
    await talk.greet()
    return await bench.stops(talk, "bad-token")


async def _stops(bench: Bench) -> None:
    await _refused(bench)


async def _refusal_told(bench: Bench) -> None:
    if await _refused(bench) == "ended with status 0":
        raise UnexpectedError("a status that tells of the refusal, other than 0", "status 0")


async def _no_greeting(bench: Bench) -> None:
    talk = await bench.fresh()
    talk.close()
    if not bench.subject.is_program:
        return
    if await bench.again(1.0) is None and await bench.subject.fate(ENDS_WITHIN) is None:
        raise UnexpectedError("the bot to end or to dial in again", "neither")


STEPS: Final = (
    Step("login", "line", "it connects, hears the greeting and logs in", _line),
    Step(
        "login", "environment", "name, slot and token are those it was started with", _environment
    ),
    Step("login", "late-greeting", "a greeting that comes late is waited for", _late_greeting),
    Step(
        "login", "odd-greeting", "a greeting in pieces, with words it does not know", _odd_greeting
    ),
    Step("login", "odd-welcome", "a welcome with words it does not know", _odd_welcome),
    Step("login", "refused", "it stops when it is refused", _stops),
    Step(
        "login",
        "refusal-told",
        "the status of its program tells of a refusal",
        _refusal_told,
        ADVISORY,
    ),
    Step(
        "login",
        "no-greeting",
        "a connection that ends before the greeting hangs nothing",
        _no_greeting,
    ),
)
