"""Steps about lines and packets: pieces, several at once, and words that nobody has heard of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sternhalma import Game, Seat
from sternhalma_server.conformance.asking import Table
from sternhalma_server.conformance.bench import Bench
from sternhalma_server.conformance.step import ADVISORY, Step
from sternhalma_server.conformance.talk import Talk, UnexpectedError

LONGEST: Final = 65536  # bytes of a line of the server, its end included
_FIRST: Final = Seat(0)


def _start(bench: Bench) -> Table:
    return Table(bench.next_game(), Game.new("duel"), _FIRST)


async def _finish(talk: Talk, asked: Table) -> None:
    """Take the answer and end the game."""
    move = await asked.answer(talk)
    moved = asked.play(move)
    await talk.say(moved, asked.over())


async def _in_pieces(bench: Bench, size: int, pause: float) -> None:
    talk = await bench.seated()
    asked = _start(bench)
    text = f"{asked.opening()}\n{asked.turn(talk)}\n".encode()
    await talk.say_pieces(_cut(text, size), pause)
    await _finish(talk, asked)


def _cut(text: bytes, size: int) -> Sequence[bytes]:
    return [text[at : at + size] for at in range(0, len(text), size)]


async def _pieces(bench: Bench) -> None:
    await _in_pieces(bench, 61, 0.03)


async def _bytes(bench: Bench) -> None:
    await _in_pieces(bench, 1, 0.0)


async def _joined(bench: Bench) -> None:
    talk = await bench.seated()
    first, second = _start(bench), Table(bench.next_game(), Game.new("duel"), Seat(1))
    await talk.say(first.opening(), first.turn(talk))
    first_moved = first.play(await first.answer(talk))
    opening = second.opening()
    moved = second.play(second.game.legal_moves()[0])
    await talk.say(first_moved, first.over(), opening, moved, second.turn(talk))
    bench.happened("these five lines are sent in one packet")
    await _finish(talk, second)


async def _across(bench: Bench) -> None:
    talk = await bench.seated()
    asked = _start(bench)
    opening, turn = f"{asked.opening()}\n".encode(), f"{asked.turn(talk)}\n".encode()
    pieces = [opening[:7], opening[7:] + turn[:3], turn[3:-1], turn[-1:] + b"note early hello\n"]
    await talk.say_pieces(pieces, 0.03)
    await _finish(talk, asked)


async def _between(bench: Bench, *odd: str) -> None:
    """Ask with lines in between that change nothing."""
    talk = await bench.seated()
    asked = _start(bench)
    await talk.say(*odd, asked.opening(), *odd, asked.turn(talk), *odd)
    await _finish(talk, asked)


async def _unknown_messages(bench: Bench) -> None:
    await _between(bench, "weather fine", "turns 1 1", "Turn 1 1 1000", "game-over", "x=1 y=2")


async def _notes(bench: Bench) -> None:
    await _between(bench, "note early this move was begun before its turn was sent", "note hello")


async def _unknown_keys(bench: Bench) -> None:
    talk = await bench.seated()
    asked = _start(bench)
    more = " mood=good turn=1 x="
    await talk.say(asked.opening(more), asked.turn(talk, more, before=" tea=green"))
    moved = asked.play(await asked.answer(talk), more)
    await talk.say(moved, asked.play(asked.game.legal_moves()[0], more), asked.turn(talk, more))
    moved = asked.play(await asked.answer(talk), more)
    await talk.say(moved, asked.over(more=more))


async def _long(bench: Bench) -> None:
    line = "weather "
    await _between(bench, line + "x" * (LONGEST - 1 - len(line)))


async def _blank(bench: Bench) -> None:
    await _between(bench, "", "")


async def _crlf(bench: Bench) -> None:
    talk = await bench.seated()
    asked = _start(bench)
    await talk.say(f"{asked.opening()}\r", f"{asked.turn(talk)}\r")
    await _finish(talk, asked)


async def _ping(bench: Bench) -> None:
    talk = await bench.seated()
    await talk.say("ping still-there")
    await _pong(talk, "pong still-there")
    asked = Table(bench.next_game(), Game.new("duel"), Seat(1))
    await talk.say(asked.opening(), "ping 4711")
    await _pong(talk, "pong 4711")
    await talk.say(asked.play(asked.game.legal_moves()[0]), asked.turn(talk))
    await _finish(talk, asked)


async def _pong(talk: Talk, expected: str) -> None:
    line = await talk.hear(repr(expected), patience=2.0)
    if line != expected:
        raise UnexpectedError(repr(expected), repr(line))


STEPS: Final = (
    Step("lines", "pieces", "lines that come in pieces are put together", _pieces),
    Step("lines", "bytes", "lines that come byte by byte are put together", _bytes),
    Step("lines", "joined", "lines that come together are taken apart", _joined),
    Step("lines", "across", "a packet may end one line and begin the next", _across),
    Step("lines", "unknown-messages", "messages it does not know are ignored", _unknown_messages),
    Step("lines", "notes", "notes change nothing", _notes),
    Step("lines", "unknown-keys", "keys it does not know are ignored", _unknown_keys),
    Step("lines", "long", "a line of 65,536 bytes is read", _long),
    Step("lines", "blank", "blank lines are ignored", _blank, ADVISORY),
    Step("lines", "crlf", "lines that end in CR LF are read", _crlf, ADVISORY),
    Step("lines", "ping", "pings are answered", _ping, ADVISORY),
)
