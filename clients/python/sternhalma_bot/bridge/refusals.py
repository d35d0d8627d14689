"""What the server holds against lines of the program, in words for whoever wrote it.

A program is told of it as well, but many a first one reads nothing but `turn`. The server answers
lines in order and does not say which one it means, so those that have had no answer are kept.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from sternhalma_bot.messages import Error, Message, Moved, Note, Over, Pong, Why

KEPT: Final = 64  # lines without an answer; more at once are a flood
SHOWN: Final = 120  # characters of one


class Refusals:
    """The lines of the program that have had no answer yet, on one connection after the other."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=KEPT)

    def connect(self) -> None:
        """Forget what another connection was sent."""
        self._lines.clear()

    def sent(self, line: bytes) -> None:
        """*line* has been handed on to the server."""
        text = line.decode("utf-8", "replace").removesuffix("\n")
        if text and text.split(" ")[0] != "pong":  # which are never answered
            self._lines.append(text)

    def heard(self, message: Message, seat: str | None) -> str | None:
        """What there is to say about *message* of the server; the program plays *seat*."""
        match message:
            case Error(code, sentence, tries):
                left = "" if tries is None else f", {tries} {'try' if tries == 1 else 'tries'} left"
                return f"the server refused {self._next()} as {code}: {sentence}{left}"
            case Note("unfinished", sentence):  # of a line that is not complete
                return f"the server said: {sentence}"
            case Note(code, sentence):
                return f"the server said of {self._next()}: {code}, {sentence}"
            case Pong() | Why():
                self._drop(type(message).__name__.lower().replace("pong", "ping"))
            case Moved(game, ply, mover) if mover == seat:
                self._drop(f"move {game} {ply}")
            case Over(game):
                for word in ("resign", "draw", "undo"):
                    self._drop(f"{word} {game}")
            case _:
                pass
        return None

    def _next(self) -> str:
        if not self._lines:
            return "a line"
        text = self._lines.popleft()
        return ascii(text if len(text) <= SHOWN else f"{text[:SHOWN]}...")

    def _drop(self, beginning: str) -> None:
        """Forget the first line with that *beginning*, which has had its answer."""
        for line in self._lines:
            if f"{line} ".startswith(f"{beginning} "):
                self._lines.remove(line)
                return
