"""What a bot may use of its machine, so that a leak in one bot is not the end of an event.

The limits are the kernel's own, set on the bot before it runs, except the number of processes. What
was tried:

- Memory is RLIMIT_DATA: what a process may write to, whether it has written yet or not. node 20
  runs from 128 MB, java 17 from 512 MB (256 MB with -Xmx128m). Under RLIMIT_AS, which counts
  addresses, node fails at 512 MB or hangs at its start, and java fails at 2 GB.
- RLIMIT_NPROC counts all that the *user* runs, not what the bot has started, and does not bind root
  at all. So the bot's supervisor counts its processes and threads, four times a second, and ends
  it. A burst between two counts is not refused.
- A process that runs beneath a limit gives it to each process that it starts, as a whole.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

_MEBIBYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that a bot may use; None is no limit of ours.

    *memory_mb* (MiB), *files* (open at once) and *cpu_seconds* (processor time over its whole life)
    bind each of its processes, *processes* counts all processes and threads together. Raises
    `ValueError` for a limit below 1.
    """

    memory_mb: int | None = None
    processes: int | None = None
    files: int | None = None
    cpu_seconds: int | None = None

    def __post_init__(self) -> None:
        for name in ("memory_mb", "processes", "files", "cpu_seconds"):
            value: int | None = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"expected {name} of at least 1, got {value!r}")

    def words(self, *, spare: int = 0) -> list[str]:
        """These limits as the supervisor reads them; *spare* processes are not the bot's own."""
        words: list[str] = []
        if self.memory_mb is not None:
            size = self.memory_mb * _MEBIBYTE
            words.append(f"RLIMIT_DATA={size}:{size}")
        if self.files is not None:
            words.append(f"RLIMIT_NOFILE={self.files}:{self.files}")
        if self.cpu_seconds is not None:
            # At the soft limit SIGXCPU, which says what happened; at the hard one SIGKILL.
            words.append(f"RLIMIT_CPU={self.cpu_seconds}:{self.cpu_seconds + 1}")
        if self.processes is not None and can_count():
            words.append(f"tasks={self.processes + spare}")
        return words

    def describe(self) -> str:
        """What is limited and what is not, in a sentence for the host.

        >>> Limits(cpu_seconds=600).describe()
        'each process of a bot may use 600 s of processor time'
        """
        each = [
            (self.memory_mb, "hold {} MiB of memory"),
            (self.files, "have {} files open"),
            (self.cpu_seconds, "use {} s of processor time"),
        ]
        said = [text.format(value) for value, text in each if value is not None]
        parts = [f"each process of a bot may {_enumerate(said)}"] if said else []
        if self.processes is not None:
            parts.append(
                f"a bot with more than {self.processes} processes and threads is ended"
                if can_count()
                else "processes are not counted on this system and not limited"
            )
        if self.memory_mb is not None and not sys.platform.startswith("linux"):
            parts.append("this system may not hold bots to their memory")
        return "; ".join(parts) or "bots are not limited"


def can_count() -> bool:
    """Whether this system tells a process's children, which counting processes needs."""
    own = os.getpid()
    return Path(f"/proc/{own}/task/{own}/children").exists()


def _enumerate(parts: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
