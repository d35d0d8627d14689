"""Words: reading those of a command line, and writing sentences that know what was meant."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn


class BadInputError(Exception):
    """What the user gave cannot be used; the text is one sentence for standard error."""


class Parser(argparse.ArgumentParser):
    """A parser that raises `BadInputError` instead of leaving, and suggests what was meant."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **options
        )

    def parse(self, words: Sequence[str]) -> argparse.Namespace | None:
        """The arguments in *words*; None if they asked for help, which is printed.

        What stands behind `--` is the `command` of a parser that has a default for it, whatever it
        looks like. Raises `BadInputError`.
        """
        command: Sequence[str] = ()
        if self.get_default("command") is not None and "--" in words:
            at = list(words).index("--")
            words, command = words[:at], words[at + 1 :]
        try:
            arguments, unknown = self.parse_known_intermixed_args(self._joined(words))
        except SystemExit:
            return None
        if command:
            arguments.command = tuple(command)
        for word in unknown:
            self._refuse(word)
        return arguments

    def _joined(self, words: Sequence[str]) -> list[str]:
        """*words* with each option's value joined to it by `=` where it begins with a hyphen.

        For argparse such a word is an option, whatever stands before it, and `--forfeits -,time` or
        `--reason -5` would need the `=` of whoever types it.
        """
        known = {text for action in self._actions for text in action.option_strings}
        taking = {
            text
            for action in self._actions
            for text in action.option_strings
            if action.nargs is None and text.startswith("--")
        }
        joined: list[str] = []
        for word in words:
            option = joined[-1] if joined else ""
            if option in taking and word.startswith("-") and word.partition("=")[0] not in known:
                joined[-1] = f"{option}={word}"
            else:
                joined.append(word)
        return joined

    def error(self, message: str) -> NoReturn:
        """Raise `BadInputError`; argparse calls this."""
        raise BadInputError(f"{self.prog}: {message}")

    def _refuse(self, word: str) -> NoReturn:
        option = word.partition("=")[0]
        if not option.startswith("-"):
            self.error(f"expected no more arguments, got {word!r}")
        options = [text for action in self._actions for text in action.option_strings]
        self.error(unknown("option", option, options))


def unknown(what: str, word: str, known: Iterable[str]) -> str:
    """The sentence for a *word* that is none of *known*, with the one that was meant if it is near.

    >>> unknown("option", "--agian", ["--again", "--json"])
    "unknown option '--agian', did you mean --again?"
    """
    choice = list(known)
    near = difflib.get_close_matches(word, choice, n=1)
    meant = f"did you mean {near[0]}?" if near else f"expected one of {', '.join(choice)}"
    return f"unknown {what} {word[:60]!r}, {meant}"


def whole_number(text: str) -> int:
    """The type of an argument that is a whole number from 1 up."""
    if not (text.isdecimal() and text.isascii() and len(text) < 10 and int(text) > 0):
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, got {text[:40]!r}")
    return int(text)
