"""A sentence for the host that knows what it is about.

People read the sentence, and whoever collects log lines from many servers wants the bot and the
game of it as well. So the sentence is a text wherever it goes, and says what it is about to whom
asks.
"""

from __future__ import annotations


class Sentence(str):
    """A text about a *bot* on a *slot*, a *game*, an *event*, as far as they are given."""

    __slots__ = ("about",)

    about: dict[str, str]

    def __new__(
        cls, text: str, *, event: str = "", game: str = "", bot: str = "", slot: int | None = None
    ) -> Sentence:
        sentence = super().__new__(cls, text)
        named = {
            "event": event,
            "game": game,
            "bot": bot,
            "slot": "" if slot is None else str(slot),
        }
        sentence.about = {key: value for key, value in named.items() if value}
        return sentence


def about(sentence: str) -> dict[str, str]:
    """What *sentence* is about: `event`, `game`, `bot` and `slot`, those that are known."""
    return dict(sentence.about) if isinstance(sentence, Sentence) else {}
