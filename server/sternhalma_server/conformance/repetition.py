"""A conversation held once more with a bot: does it say the same again?

The server's lines are said as they are written, whatever the bot answers; its lines are compared
with those that are written, and the first that differs ends it. A bot whose answers depend on
nothing but the seed and the turn repeats every game of its league at home.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import trio

from sternhalma import Game
from sternhalma_server.clock import SECOND
from sternhalma_server.conformance.subject import NAME, Start, StartedBot
from sternhalma_server.conformance.talk import Side, Talk, UnexpectedError
from sternhalma_server.conversation import Conversation, Utterance, fill, match
from sternhalma_server.wire import clean

KEY: Final = "k3y-1"
BACK_WITHIN: Final = 5.0  # seconds
PATTERNS: Final = "patterns"  # the keyword of conversations with `...` and `<word>` in them
_POSITION: Final = slice(4, 10)  # the words of a `turn` line that are the position


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a bot said something else: at `line` of the text, behind `told`."""

    line: int
    told: str
    expected: str
    came: str


@dataclass(frozen=True, slots=True)
class Repeated:
    """How many lines of the bot were the same, and the first that was not, if one was not."""

    same: int
    difference: Difference | None = None


async def repeat(
    conversation: Conversation, bot: StartedBot, patience: float, *, timing: bool = False
) -> Repeated:
    """Hold *conversation* with *bot*, which has *patience* seconds for an answer.

    With *timing* the server's lines are said no sooner after the line before than they were. Raises
    `ProgramError`, `ScarcityError` if the program cannot be started.
    """
    repetition = _Repetition(conversation, bot, patience, timing=timing)
    try:
        return await repetition.hold()
    finally:
        with trio.CancelScope(shield=True):
            repetition.close()
            await bot.dismiss()


class _Repetition:
    def __init__(
        self, conversation: Conversation, bot: StartedBot, patience: float, *, timing: bool
    ) -> None:
        lines = conversation.lines
        self._lines = lines
        self._bot = bot
        self._patience = patience
        self._timing = timing
        self._is_pattern = conversation.head.get(PATTERNS) == "yes"
        # The conversation of a game says nothing of the login before it.
        self._logs_in = not (lines and lines[0].text.startswith("sternhalma "))
        self._name = conversation.head.get("seat", f"A {NAME}").partition(" ")[2] or NAME
        self._words: Mapping[str, str] = {}
        self._talk: Talk | None = None
        self._said: list[str] = []  # by the server, and not sent yet

    async def hold(self) -> Repeated:
        """Go through all lines, until the bot says something else."""
        same, told, before = 0, "", None
        for utterance in self._lines:
            try:
                match utterance.side:
                    case "S":
                        await self._pause(before, utterance)
                        told = fill(utterance.text, self._words)
                        self._said.append(told)
                    case "B":
                        came = await self._hear(utterance.text)
                        if not self._is_same(utterance.text, came):
                            expected = fill(utterance.text, self._words)
                            return Repeated(same, Difference(utterance.line, told, expected, came))
                        same += 1
                    case "=":
                        await self._again()
            except UnexpectedError as problem:
                difference = Difference(utterance.line, told, problem.expected, problem.came)
                return Repeated(same, difference)
            before = utterance
        await self._send()
        return Repeated(same)

    def close(self) -> None:
        """End the connection."""
        if self._talk is not None:
            self._talk.close()

    async def _pause(self, before: Utterance | None, utterance: Utterance) -> None:
        if not self._timing or before is None or before.at is None or utterance.at is None:
            return
        if utterance.at > before.at:
            await self._send()
            await trio.sleep((utterance.at - before.at) / SECOND)

    async def _hear(self, expected: str) -> str:
        talk = await self._send()
        line = await talk.hear(repr(fill(expected, self._words)))
        if talk.login is None and line.startswith("login "):
            talk.take_login(line)
        return line

    def _is_same(self, text: str, came: str) -> bool:
        if not self._is_pattern:
            return text in {came, clean(came)}  # a league keeps lines as it would quote them
        found = match(text, came, self._words)
        self._words = {**self._words, **(found or {})}
        return found is not None

    async def _send(self) -> Talk:
        """Say what is due, over a connection that is made if there is none."""
        talk = self._talk or await self._connect()
        if self._said:
            lines, self._said = self._said, []
            await talk.say(*(_with_moves(line) if talk.wants_moves else line for line in lines))
        return talk

    async def _connect(self) -> Talk:
        stream = await self._bot.connect(Start(name=self._name))
        return await self._begin(stream)

    async def _begin(self, stream: trio.SocketStream) -> Talk:
        talk = self._talk = Talk(stream, _forget, self._patience)
        if self._logs_in:
            await talk.greet()
            await talk.welcome(KEY)
        return talk

    async def _again(self) -> None:
        """End the connection, and have the bot make another."""
        talk = await self._send()
        talk.close()
        stream = await self._bot.again(BACK_WITHIN)
        if stream is None:
            raise UnexpectedError(f"the bot to come back within {BACK_WITHIN:g} s", "it did not")
        await self._begin(stream)


def _forget(side: Side, text: str) -> None:
    """Nobody asks what was said."""


def _with_moves(line: str) -> str:
    """A `turn` line with the legal moves, which a conversation may leave out."""
    words = line.split(" ")
    if words[0] != "turn" or any(word.startswith("moves=") for word in words):
        return line
    game = Game.load(" ".join(words[_POSITION]))
    return f"{line} moves={','.join(map(game.format_move, game.legal_moves()))}"
