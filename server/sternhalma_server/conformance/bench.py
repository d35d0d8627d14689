"""Where a bot stands while it is checked: connections to it, kept from step to step.

Starting a program takes longer than most steps, so a connection on which all went well serves the
next step too, as the connections of a league serve many games.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import trio

from sternhalma_server.conformance.subject import ENDS_WITHIN, SLOT, USUAL, Start, Subject
from sternhalma_server.conformance.talk import Said, Side, SkippedError, Talk, UnexpectedError

KEY: Final = "k3y-1"
GOODBYE: Final = "bye event-over the event has ended, thank you for playing"


@dataclass(slots=True)
class Bench:
    """The bot of *subject*, which has *patience* seconds for an answer.

    `said` is the conversation of the step that is tried, `before` the last line of the step before
    where this one goes on with its connection.
    """

    subject: Subject
    patience: float
    said: list[Said] = field(default_factory=list[Said])
    before: Said | None = None
    _talk: Talk | None = None
    _talks: list[Talk] = field(default_factory=list[Talk])
    _began: float = 0.0
    _games: int = 0

    def begin(self) -> None:
        """A step begins."""
        self.before = self.said[-1] if self.said and self._talk is not None else None
        self.said = []
        self._began = trio.current_time()

    def note(self, side: Side, text: str) -> None:
        """Something was said, or has happened (`-`)."""
        self.said.append(Said(trio.current_time() - self._began, side, text))

    def happened(self, text: str) -> None:
        """Something has happened to the program, or to what it was sent."""
        self.note("-", text)

    def next_game(self) -> str:
        """A name for one more game."""
        self._games += 1
        return str(self._games)

    async def fresh(self, start: Start = USUAL) -> Talk:
        """A new connection, to which nothing has been said yet; see `Start`."""
        if start.slot == SLOT:
            await self.leave()
            self.begin()
        if self.subject.is_program:
            self.happened("the program is started")
        return self._begin(await self.subject.connect(start))

    async def seated(self) -> Talk:
        """A connection that is logged in and in no game."""
        talk = self._talk
        if talk is None or talk.is_over:
            talk = await self.fresh()
            await talk.greet()
            await talk.welcome(KEY)
            self._talk = talk
        return talk

    async def again(self, seconds: float) -> Talk | None:
        """The connection with which the bot comes back by itself within *seconds*, if it does."""
        stream = await self.subject.again(seconds)
        if stream is None:
            return None
        self.happened("the bot connects again")
        return self._begin(stream)

    def _begin(self, stream: trio.SocketStream) -> Talk:
        talk = Talk(stream, self.note, self.patience)
        self._talks.append(talk)
        return talk

    def keep(self, talk: Talk) -> None:
        """Go on with *talk* in the next step: the bot is logged in and in no game."""
        self._talk = talk

    async def leave(self) -> None:
        """Say good-bye on the connection that is kept, and end whatever runs."""
        talk, self._talk = self._talk, None
        if talk is not None and not talk.is_over:
            try:
                await talk.say(GOODBYE)
                await talk.ended(0.5)
            except UnexpectedError:
                pass  # it has gone before
        await self.abandon()

    async def stops(self, talk: Talk, code: str) -> str:
        """End the connection behind a `bye` of *code*; how the program then ends by itself.

        Raises `UnexpectedError` for one that runs on or comes back.
        """
        sentence = "the sentence that people are shown"
        await talk.say(f"bye {code} {sentence}")
        await talk.ended(0.2)
        talk.close()
        expected = f"the bot to stop at 'bye {code}'"
        if await self.again(0.5) is not None:
            raise UnexpectedError(expected, "it dialled in again")
        fate = await self.subject.fate(ENDS_WITHIN)
        if fate is None:
            raise UnexpectedError(expected, f"its program runs on {ENDS_WITHIN:g} s later")
        self.happened(f"the program {fate}")
        return fate

    def need_program(self) -> None:
        """Raise `SkippedError` for a bot that dials in by itself."""
        if not self.subject.is_program:
            raise SkippedError("only of a program that is started can this be told")

    async def abandon(self) -> None:
        """End everything without a word, after a step that has failed."""
        self._talk = None
        for talk in self._talks:
            talk.close()
        self._talks.clear()
        await self.subject.dismiss()
