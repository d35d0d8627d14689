"""A stranger's terminal: runs what a page shows, and holds what comes against what is shown.

`...` on a page stands for text that differs from run to run; on a line of its own it stands for
any number of lines.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from docs.pages import ROOT, Block, commands

PORT: Final = "7121"  # what the pages say; here each server gets a free port instead
SITE: Final = "8080"  # and for the pages of a site
SECONDS: Final = 30.0
_OPEN: Final = re.compile(r": (?:listening|open) on \S+ port")  # an event's server, or a league's
_CLONED: Final = ("LICENSE", "Makefile", "bench", "clients", "docs", "tests", "tournaments")


class Shell:
    """Commands run one after the other in *folder*, which looks like a clone of the repository."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.site = free_port()
        self._status = 0
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        kept = {key: value for key, value in os.environ.items() if "STERNHALMA" not in key}
        told = {"PATH": path, "COLUMNS": "80", "STERNHALMA_PORT": str(self.port)}
        self._environment = {**kept, **told}
        for name in _CLONED:
            (folder / name).symlink_to(ROOT / name)

    def run(self, line: str, seconds: float = SECONDS) -> tuple[int, str]:
        """The exit status of the command *line*, and what it prints on output and error.

        It may take so many *seconds*.
        """
        # `echo $?` asks for the status of the command before, which another bash has run.
        command = f"(exit {self._status}); {self._placed(line)}"
        with self._start(command) as process:
            printed, _ = process.communicate(timeout=seconds)
        self._status = process.returncode
        printed = printed.replace(f":{self.site}/", f":{SITE}/")
        return self._status, printed.replace(f"port {self.port}", f"port {PORT}")

    def play(self, block: Block) -> None:
        """Run the commands of *block*; AssertionError where one prints or ends otherwise."""
        shown = commands(block)
        for number, command in enumerate(shown):
            if command.line.startswith("nc "):
                converse(self.port, command.output)
                continue
            status, printed = self.run(command.line)
            expect(command.output, printed, f"{block.where}: $ {command.line}")
            asked = [following.line for following in shown[number + 1 : number + 2]] == ["echo $?"]
            assert asked or status == 0, f"{block.where}: $ {command.line}\nstatus {status}"

    @contextmanager
    def hosting(self, line: str) -> Generator[subprocess.Popen[str]]:
        """Let the server that *line* starts run meanwhile."""
        with self._start(f"exec {self._placed(line)} --port {self.port}") as server:
            assert server.stdout is not None
            heard = ""
            while not _OPEN.search(heard):
                said = server.stdout.readline()
                assert said, f"$ {line}\n{heard}"
                heard += said
            try:
                yield server
            finally:
                self._stop(server)

    def _placed(self, line: str) -> str:
        """*line* with the ports of this shell."""
        return line.replace(PORT, str(self.port)).replace(SITE, str(self.site))

    def _stop(self, server: subprocess.Popen[str]) -> None:
        for patience in (0.2, SECONDS):  # asked once it finishes its games, asked twice it ends
            server.send_signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                server.communicate(timeout=patience)
                return
        raise AssertionError(f"expected the server to end, got {server.args!r} running on")

    def _start(self, command: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )


def converse(port: int, conversation: str) -> None:
    """Type the lines of *conversation* that begin with `> `, as with `nc`; expect the others."""
    with (
        socket.create_connection(("127.0.0.1", port), timeout=SECONDS) as server,
        server.makefile(encoding="utf-8", newline="\n") as heard,
    ):
        for line in conversation.splitlines():
            if line.startswith("> "):
                server.sendall(f"{line[2:]}\n".encode())
            else:
                expect(line, heard.readline(), "in the conversation")


def expect(shown: str, printed: str, where: str) -> None:
    """Hold what was *printed* against what is *shown*."""
    pattern = "".join(map(_pattern, shown.splitlines()))
    text = "".join(f"{line.rstrip()}\n" for line in printed.splitlines())
    assert re.fullmatch(pattern, text), f"{where}\nexpected\n{shown}\ngot\n{printed}"


def _pattern(line: str) -> str:
    if line == "...":
        return r"(?:.*\n)*?"
    return ".*".join(map(re.escape, line.rstrip().split("..."))) + r"\n"


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
