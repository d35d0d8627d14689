"""The loss of a game in its conversation: at which question, and whether it comes about again.

A bot that went away, was silent or sent no line feed has left no line that could be compared. What
it did not do has to be seen once more: at home somebody waits for it at the same question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from sternhalma_server.conversation import Conversation, Utterance
from sternhalma_server.verdict import Reason
from sternhalma_server.wire import clean, quote
from sternhalma_tournament.text import counted

_FALL: Final = re.compile(
    r"(?:out (?P<game>\S+) (?P<seat>[A-F]) (?P<reason>\S+)"
    r"|over (?P<game_>\S+) (?P<reason_>\S+) places=\S+ seat=(?P<seat_>[A-F]))"
    r" ply=(?P<ply>[0-9]+)(?: line=(?P<line>.*))?"
)
_UNENDED: Final = "note unfinished expected a line feed behind "

Act = Literal["answer", "half", "silence", "end"]


@dataclass(frozen=True, slots=True)
class Loss:
    """How the bot of a conversation lost: by `reason`, at `ply`.

    `place` is where that is told among the lines, `turn` where the question stands, None if it was
    not asked, and `limit` the milliseconds that it had. It `is_open` if only time or the connection
    ran out on it: `late` is then its answer that came too late, `half` what had come of a line (as
    quoted), None for none, and `passed_over` are the lines that tell of these. `comebacks` is how
    often it had come back into that turn.
    """

    reason: Reason
    ply: int
    place: int
    turn: int | None = None
    limit: int | None = None
    is_open: bool = False
    late: str | None = None
    half: str | None = None
    passed_over: frozenset[int] = frozenset()
    comebacks: int = 0

    @property
    def there(self) -> str:
        """What the bot had done at that question."""
        had = "" if self.limit is None else f" within its {self.limit} ms"
        if self.late is not None:
            return f"it answered {quote(self.late, 60)}, but not{had}"
        if self.half is not None:
            return f"it had sent {self.half} and no line feed"
        if self.reason is Reason.TIME:
            return f"it gave no answer{had}"
        if self.comebacks:
            back = counted(self.comebacks, "time")
            return (
                f"its connection ended before it answered; it came back {back} and never answered"
            )
        return "its connection ended before it answered, and no answer came over another"


@dataclass(frozen=True, slots=True)
class Reaction:
    """What a bot did at a question, `after` seconds: it answered `text`, had sent so much of a
    line, was silent, or ended its connection."""

    act: Act
    after: float
    text: str = ""

    @property
    def here(self) -> str:
        """The same in words."""
        match self.act:
            case "answer":
                return f"it answered {quote(self.text, 60)} after {self.after * 1000:.0f} ms"
            case "half":
                return f"it sent {quote(self.text, 60)} and no line feed in {self.after:g} s"
            case "silence":
                return f"it gave no answer in {self.after:g} s"
            case "end":
                half = f", in the middle of {quote(self.text, 60)}" if self.text else ""
                return f"its connection ended after {self.after * 1000:.0f} ms{half}"

    def repeats(self, loss: Loss) -> bool | None:
        """Whether this is that *loss* again; None if it was not waited long enough to tell."""
        if loss.reason is Reason.DISCONNECT:
            return self.act == "end"
        if self.act == "end":
            return False
        is_late = loss.limit is None or self.after * 1000 > loss.limit
        if self.act == "answer":
            return is_late
        return True if is_late else None


def loss_of(conversation: Conversation) -> Loss | None:
    """How the bot of *conversation* lost by its own doing, None if it did not, or nothing says
    whose conversation it is."""
    letter = conversation.head.get("seat", "").partition(" ")[0]
    for place, one in enumerate(conversation.lines):
        fall = _FALL.fullmatch(one.text) if one.side == "S" else None
        if fall is None or (fall["seat"] or fall["seat_"]) != letter:
            continue
        game, reason = fall["game"] or fall["game_"], fall["reason"] or fall["reason_"]
        if reason not in set(Reason):
            return None
        question = f"turn {game} {fall['ply']} "
        lines = conversation.lines[:place]
        turn = next((n for n, line in enumerate(lines) if _says(line, "S", question)), None)
        loss = Loss(Reason(reason), int(fall["ply"]), place)
        if turn is None:
            return loss
        back = conversation.head.get("came-back", "")
        number = int(back) if back.isdecimal() and back.isascii() else 0
        return replace(_asked(loss, lines, turn, fall["line"]), comebacks=number)
    return None


def _says(line: Utterance, side: str, words: str) -> bool:
    return line.side == side and line.text.startswith(words)


def _asked(loss: Loss, lines: Sequence[Utterance], turn: int, last: str | None) -> Loss:
    """*loss* with what happened at the question, the line *turn* of *lines*; *last* is the bot's
    line that came too late, if one did."""
    left = lines[turn].text.split(" ")[3]
    behind = range(turn + 1, len(lines))
    late = [n for n in behind if lines[n].side == "B" and lines[n].text == last][-1:]
    halves = [n for n in behind if _says(lines[n], "S", _UNENDED)]
    is_open = loss.reason is Reason.TIME or (loss.reason is Reason.DISCONNECT and not _left(lines))
    return Loss(
        loss.reason,
        loss.ply,
        loss.place,
        turn,
        int(left) if left.isdecimal() else None,
        is_open=is_open,
        late=lines[late[-1]].text if late and is_open else None,
        half=lines[halves[-1]].text.removeprefix(_UNENDED) if halves else None,
        passed_over=frozenset([*late, *halves]) if is_open else frozenset(),
    )


def _left(lines: Sequence[Utterance]) -> bool:
    """Whether the bot had said that it leaves."""
    return any(_says(line, "B", "bye") for line in lines)


@dataclass(frozen=True, slots=True)
class Ending:
    """The *loss* of a conversation held once more, and the *reaction* of the bot at its *question*;
    without these it said again all that it had said, or had not come at all."""

    loss: Loss
    question: Utterance | None = None
    reaction: Reaction | None = None

    @property
    def is_same(self) -> bool | None:
        """Whether it has come about again; None if that cannot be told."""
        if self.reaction is None:
            return self.loss.reason is not Reason.NO_START
        return self.reaction.repeats(self.loss)

    def sentences(self, path: str) -> Iterator[str]:
        """All of it for people; *path* is the conversation's file."""
        loss, question, reaction = self.loss, self.question, self.reaction
        by = f"by {loss.reason} at ply {loss.ply}"
        if question is not None and reaction is not None:
            yield f"{path}, line {question.line}, behind {clean(question.text, 60)}"
            yield f"there {loss.there}"
            yield f"here {reaction.here}"
        elif loss.reason is Reason.NO_START:
            yield "there it had not logged in when its game began, here it has"
        match self.is_same:
            case True:
                yield f"the loss {by} is reproduced"
            case False:
                yield f"the loss {by} is not reproduced"
            case None:
                yield (
                    f"whether the loss {by} is reproduced is not known: its clock had"
                    f" {loss.limit} ms; --patience SECONDS waits longer"
                )
