"""What tells one program from another: a digest of the files that its command names.

On many machines a command is one text and many programs. A bot that is older on one of them would
play under the name of the newer one, so the digest is looked at wherever the bot is to play, and
stands in the record of each game.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from sternhalma_server.lookup import find_program
from sternhalma_tournament.event import Bot


def fingerprint(argv: Sequence[str], folder: Path) -> str:
    """The digest of the program that *argv* starts in *folder*.

    It is the SHA-256 of a line for the program and for each other word that is a file from there:
    the SHA-256 of the file, two spaces, the word. Raises `ProgramError`.
    """
    return _fingerprint(argv, folder, {})


def fingerprints(bots: Iterable[Bot], folder: Path) -> dict[str, str]:
    """The fingerprints of the programs of *bots* by name; each file is read once.

    Raises `ProgramError`.
    """
    known: dict[Path, str] = {}
    return {bot.name: _fingerprint(bot.argv, folder, known) for bot in bots}


def _fingerprint(argv: Sequence[str], folder: Path, known: dict[Path, str]) -> str:
    lines = [(find_program(argv[0], folder), argv[0])]
    for word in argv[1:]:
        with suppress(OSError):  # a word too long for a name, a folder that is not to be looked in
            if (folder / word).is_file():
                lines.append((folder / word, word))
    text = "".join(f"{_digest(path, known)}  {word}\n" for path, word in lines)
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def _digest(path: Path, known: dict[Path, str]) -> str:
    if path not in known:
        with path.open("rb") as file:
            known[path] = hashlib.file_digest(file, "sha256").hexdigest()
    return known[path]
