"""A conversation held once more with a bot: does it say the same again?

The server's lines are said as they are written, whatever the bot answers; its lines are compared
with those that are written, and the first that differs ends it. A bot whose answers depend on
nothing but the seed and the turn repeats every game of its league at home, and every loss: where it
was silent or had gone, it is waited for (`loss`). What it had said too late for another game, or
too early, it may say again or not (`leftover`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import trio

from sternhalma import Game
from sternhalma_server.clock import SECOND
from sternhalma_server.conformance.leftover import begun_before, leftovers
from sternhalma_server.conformance.loss import Act, Ending, Loss, Reaction, loss_of
from sternhalma_server.conformance.subject import NAME, Start, StartedBot
from sternhalma_server.conformance.talk import ENDED, Side, Talk, UnexpectedError
from sternhalma_server.conversation import Conversation, Utterance, fill, match
from sternhalma_server.wire import MoveMade, Ping, Pong, Why, WireError, clean, parse_message

KEY: Final = "k3y-1"
LOGIN_WITHIN: Final = 10.0  # seconds at least, however short an answer may take
BACK_WITHIN: Final = 5.0  # seconds
ENDING: Final = 2.0  # seconds for a program whose connection has ended to end as well
PATTERNS: Final = "patterns"  # the keyword of conversations with `...` and `<word>` in them
_POSITION: Final = slice(4, 10)  # the words of a `turn` line that are the position


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a bot said something else: at `line` of the text, behind `told`.

    `why` is how it comes that nobody can say that again, if so.
    """

    line: int
    told: str
    expected: str
    came: str
    why: str | None = None


@dataclass(frozen=True, slots=True)
class Fate:
    """How the bot's program `ended`, None if it still ran, and what it had `printed`."""

    ended: str | None
    printed: str


@dataclass(frozen=True, slots=True)
class Repeated:
    """How many lines of the bot were the same, and the first that was not, if one was not.

    `ending` is the loss of the game if the conversation shows one and was held so far; `program` is
    what became of the program that went away or did not answer. `left_over` are the lines that
    answered nothing and were not said again.
    """

    same: int
    difference: Difference | None = None
    ending: Ending | None = None
    program: Fate | None = None
    left_over: tuple[Utterance, ...] = ()

    @property
    def is_same(self) -> bool:
        """Whether all went as it had gone, a loss included."""
        return self.difference is None and (self.ending is None or self.ending.is_same is True)


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
        self._loss = loss_of(conversation)
        self._game = conversation.head.get("game")
        self._leftovers = leftovers(conversation)
        self._left_over: list[Utterance] = []  # and not said again so far
        self._same = 0
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
        self._asked = -math.inf  # when the last question was sent

    async def hold(self) -> Repeated:
        """Go through all lines, until the bot says something else."""
        repeated = await self._hold()
        return replace(repeated, left_over=tuple(self._left_over))

    async def _hold(self) -> Repeated:
        told, before = "", None
        loss = self._loss
        for place, utterance in enumerate(self._lines):
            try:
                if loss is not None and loss.is_open and place == loss.place:
                    return await self._lose(loss)
                if loss is not None and place in loss.passed_over:
                    continue
                if place in self._leftovers:
                    self._left_over.append(utterance)
                    continue
                match utterance.side:
                    case "S":
                        await self._pause(before, utterance)
                        told = fill(utterance.text, self._words)
                        self._said.append(told)
                    case "B":
                        came = await self._hear(utterance.text)
                        while not (is_same := self._is_same(utterance.text, came)):
                            if not self._counts_left_over(came):
                                break
                            came = await self._hear(utterance.text)
                        if not is_same:
                            return Repeated(self._same, self._difference(utterance, told, came))
                        self._same += 1
                    case "=":
                        await self._again()
            except UnexpectedError as problem:
                difference = Difference(utterance.line, told, problem.expected, problem.came)
                program = None
                if self._talk is not None:  # else what came tells of it
                    gone = self._talk.is_over or problem.came == ENDED
                    program = await self._fate(gone=gone)
                return Repeated(self._same, difference, program=program)
            before = utterance
        await self._send()
        return Repeated(self._same, ending=None if loss is None else Ending(loss))

    def _counts_left_over(self, came: str) -> bool:
        """Count *came* if it is one of the lines that answered nothing; whether it is."""
        for one in self._left_over:
            if self._is_same(one.text, came):
                self._left_over.remove(one)
                self._same += 1
                return True
        return False

    def _difference(self, utterance: Utterance, told: str, came: str) -> Difference:
        expected = fill(utterance.text, self._words)
        why = begun_before(expected, came, self._game)
        return Difference(utterance.line, told, expected, came, why)

    async def _lose(self, loss: Loss) -> Repeated:
        """See what the bot does where it lost, at a question that it had not answered."""
        assert loss.turn is not None
        question = self._lines[loss.turn]
        talk = self._talk or await self._connect()
        began = trio.current_time()
        act: Act = "answer"
        text = ""
        try:
            await self._send()
            began = self._asked
            text = await self._answer(talk, question.text.split(" ")[1:3])
        except UnexpectedError as problem:
            text = talk.unended.rstrip()
            if talk.is_over or problem.came == ENDED:
                act = "end"
            elif problem.came.startswith("nothing"):
                act = "half" if text else "silence"
            else:
                text = problem.came
        after = trio.current_time() - began if act in {"answer", "end"} else self._patience
        ending = Ending(loss, question, Reaction(act, after, text))
        program = None if act == "answer" else await self._fate(gone=act == "end")
        return Repeated(self._same + (text == loss.late), ending=ending, program=program)

    async def _answer(self, talk: Talk, asked: Sequence[str]) -> str:
        """What the bot says to the question *asked*, the words of game and ply: lines that answer
        nothing are passed over."""
        while True:
            line = await talk.hear("an answer")
            try:
                message = parse_message(line)
            except WireError:
                return line
            match message:
                case Ping(word):
                    await talk.say(f"pong {word}")
                case Why():
                    await talk.say("why you are to move")
                case Pong():
                    continue
                case MoveMade(game, ply) if [game, str(ply)] != asked:
                    self._counts_left_over(line)
                case _:
                    return line

    async def _fate(self, *, gone: bool) -> Fate:
        """What has become of the program; one whose connection has *gone* may need a moment."""
        ended = await self._bot.fate(ENDING if gone else 0)
        return Fate(ended, self._bot.printed)

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
            if any(line.startswith("turn ") for line in lines):
                self._asked = trio.current_time()
        return talk

    async def _connect(self) -> Talk:
        stream = await self._bot.connect(Start(name=self._name))
        return await self._begin(stream)

    async def _begin(self, stream: trio.SocketStream) -> Talk:
        talk = self._talk = Talk(stream, _forget, max(self._patience, LOGIN_WITHIN))
        talk.is_lenient = True
        if self._logs_in:
            await talk.greet()
            await talk.welcome(KEY)
        talk.patience = self._patience
        return talk

    async def _again(self) -> None:
        """End the connection, and have the bot make another."""
        talk = await self._send()
        talk.close()
        stream = await self._bot.again(BACK_WITHIN)
        if stream is None:
            raise UnexpectedError(
                f"the bot to come back within {BACK_WITHIN:g} s", "no other connection"
            )
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
