"""A sandbox without network for bots that speak over their standard streams, by bubblewrap.

The bot sees the machine's files, all read-only, an empty /tmp of its own, and only its own
processes. What the server's own Python runs from is seen wherever it is, so that sample bots run
from a checkout in /tmp. Three ways out had to be closed beside the network:

- A Unix socket can be connected to through a read-only mount, so /run is empty in there, and so is
  every folder the server names: its control socket would take commands from a bot of its own user.
- A connected TCP socket can be connected anew, to anybody (`connect` with AF_UNSPEC), and belongs
  to the network it was made in. The bot's own connection is therefore a Unix socket pair.
- Root's capabilities would undo the mounts: there are none in there, and its user namespace is not
  the machine's.

No --die-with-parent: the supervisor ends the sandbox, and with its first process all others in it.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

SPARE: Final = 2  # processes of bubblewrap's own beside the bot's
PROBE_SECONDS: Final = 10.0
_EMPTY: Final = (Path("/tmp"), Path("/run"))
_ISOLATION: Final = (
    *("--unshare-user", "--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts"),
    *("--cap-drop", "ALL", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
)


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A sandbox in which the folders *hidden* are empty, besides /tmp and /run."""

    hidden: tuple[Path, ...] = ()

    def wrap(self, argv: Sequence[str], folder: Path) -> list[str]:
        """The command that runs *argv* in *folder* in the sandbox; *argv* begins with a path."""
        home, empty = folder.resolve(), self._empty()
        mounts = {place: ["--tmpfs", str(place)] for place in empty}
        for place in (home, *_own_folders()):
            if any(outer in place.parents for outer in empty):
                mounts.setdefault(place, ["--ro-bind", str(place), str(place)])
        # A mount covers what lies below it, so outer ones come first.
        ordered = sorted(mounts, key=lambda place: len(place.parts))
        words = [word for place in ordered for word in mounts[place]]
        bwrap = shutil.which("bwrap") or "bwrap"
        return [bwrap, *_ISOLATION, *words, "--chdir", str(home), "--", *argv]

    def cover(self, program: Path, folder: Path) -> Path | None:
        """The empty folder in which *program* would not be seen; None where it is seen."""
        empty = self._empty()
        seen = {folder.resolve(), *_own_folders()}
        around = [place for place in {*empty, *seen} if place in program.parents]
        nearest = max(around, key=lambda place: len(place.parts), default=None)
        return nearest if nearest in empty else None

    def _empty(self) -> list[Path]:
        return [place.resolve() for place in (*_EMPTY, *self.hidden) if place.is_dir()]


def _own_folders() -> list[Path]:
    """Where the Python that runs here has itself and its modules from."""
    places = {Path(word).resolve() for word in (sys.prefix, sys.base_prefix, *sys.path) if word}
    return sorted(place for place in places if place.is_dir())


def sandbox_problem() -> str | None:
    """Why this machine cannot run sandboxes, in a sentence; None where it can, which is tried."""
    if not sys.platform.startswith("linux"):
        return f"a sandbox needs bubblewrap, which needs Linux, not {sys.platform}"
    if shutil.which("bwrap") is None:
        return "a sandbox needs bubblewrap, and there is no bwrap on the path"
    command = Sandbox().wrap(["/bin/sh", "-c", ":"], Path("/"))
    try:
        probe = subprocess.run(
            command, capture_output=True, text=True, timeout=PROBE_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        return f"bwrap does not run on this machine: {problem}"
    if probe.returncode:
        said = probe.stderr.strip().splitlines() or [f"status {probe.returncode}"]
        return f"bwrap cannot make a sandbox here, user namespaces may be switched off: {said[0]}"
    return None
