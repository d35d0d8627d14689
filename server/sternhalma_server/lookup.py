"""Where the program of a command is, and what was meant where there is none.

A word without a slash is looked for on the path, with one it is a file from the folder of the event
file. Whoever mixes the two up, or mistypes, should hear of it before a game is played.
"""

from __future__ import annotations

import difflib
import os
import shutil
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


class ProgramError(Exception):
    """A program that cannot be started; says which and why."""


def find_program(word: str, folder: Path) -> Path:
    """The file that *word*, the first of a command, names for a program in *folder*.

    Raises `ProgramError`, with the word that may have been meant.
    """
    if "/" not in word:
        path = search_path()
        found = shutil.which(word, path=path)
        if found is None:
            meant = _meant_on_path(word, path, folder)
            raise ProgramError(
                f"cannot start {word!r}: expected a program on the path, found none{meant}"
            )
        return Path(found).absolute()
    folder = folder.absolute()
    program = folder / word
    if not program.is_file():
        meant = _meant(word, (f"{word.rpartition('/')[0]}/{name}" for name in _names(program)))
        raise ProgramError(f"cannot start {word!r}: expected a program in {str(folder)!r}{meant}")
    if not os.access(program, os.X_OK):
        raise ProgramError(f"cannot start {word!r}: expected an executable file (chmod +x)")
    return program


def search_path() -> str:
    """The path that programs are looked for on and are given: the folder of this Python first."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])


def _meant_on_path(word: str, path: str, folder: Path) -> str:
    """What a *word* that is no program on *path* may mean: first of all a file of *folder*."""
    if (folder / word).is_file():
        words = f"python {word}" if word.endswith(".py") else f"./{word}"
        return f"; did you mean {words!r}, the file in {str(folder.absolute())!r}?"
    return _meant(word, (name for at in path.split(os.pathsep) for name in _names(Path(at, word))))


def _meant(word: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.75)
    return f"; did you mean {near[0]!r}?" if near else ""


def _names(beside: Path) -> list[str]:
    """The names of the files in the folder of *beside*, in an order."""
    with suppress(OSError):
        return sorted(path.name for path in beside.parent.iterdir() if path.is_file())
    return []
