"""The process between the server and one bot: it ends the bot, and all it started, with the server.

A server that is killed cannot tidy up behind itself, so somebody else has to. The kernel's own
offer, PDEATHSIG, fires at the end of the *thread* that started the program, which for a server with
a pool of threads is any moment. So each bot gets a supervisor, run by path and importing nothing of
ours, to be quick and small:

    python -I -S lifeline.py [WORD=VALUE ...] -- PROGRAM [ARGUMENT ...]

Its standard input is the lifeline, a socket whose other end the server alone holds; its standard
output is a file for `Kept`. The server writes numbers of signals, a byte each, and the end of file
is the server's end. The supervisor writes lines back: `started PID`, `failed REASON`, `over COUNT`
(the bot had more tasks than it may), `ended STATUS` (negative for a signal). Words: `speech=FD`, a
socket that becomes the bot's standard input and output; `tasks=N`, the most processes and threads;
`RLIMIT_X=SOFT:HARD`, for `setrlimit`.

The bot leads a session of its own. What leaves its process group is caught all the same on Linux,
where the supervisor adopts the orphans among its descendants; elsewhere a grandchild that has
called `setsid` gets away.
"""

# No pathlib and no typing (so no Final): each takes a third of the time that all the rest takes.
# ruff: noqa: PTH123, PTH208

from __future__ import annotations

import os
import select
import signal
import sys
import time
from contextlib import suppress

KEPT = 4096  # bytes of output kept from the start, and as many from the end
COUNT_SECONDS = 0.25  # between two counts of a bot's tasks
_COUNTER = 8
_SIZE = _COUNTER + 2 * KEPT
_PR_SET_CHILD_SUBREAPER = 36


class Kept:
    """The head and the tail of a stream, in a file that another process may read meanwhile.

    The file is a counter of all bytes ever added, the first 4,096 of them, and a ring of the last
    4,096 beyond those, so it never grows. *file* is a descriptor.
    """

    def __init__(self, file: int) -> None:
        self._file = file
        self._total = 0

    @staticmethod
    def create(file: int) -> None:
        """Give *file* its size, so that a full disk is noticed here and not by the supervisor."""
        os.pwrite(file, bytes(_SIZE), 0)

    def add(self, data: bytes) -> None:
        """Take more of the stream."""
        head = data[: max(KEPT - self._total, 0)]
        if head:
            os.pwrite(self._file, head, _COUNTER + self._total)
        self._total += len(data)
        tail = data[len(head) :][-KEPT:]
        if tail:
            at = (self._total - len(tail)) % KEPT
            first, wrapped = tail[: KEPT - at], tail[KEPT - at :]
            os.pwrite(self._file, first, _COUNTER + KEPT + at)
            os.pwrite(self._file, wrapped, _COUNTER + KEPT)
        os.pwrite(self._file, self._total.to_bytes(_COUNTER, "little"), 0)

    def read(self) -> tuple[bytes, int, bytes]:
        """The head, how many bytes after it are lost, and the tail."""
        data = os.pread(self._file, _SIZE, 0)
        total = int.from_bytes(data[:_COUNTER], "little")
        head, ring = data[_COUNTER : _COUNTER + KEPT], data[_COUNTER + KEPT :]
        if total <= KEPT:
            return head[:total], 0, b""
        if total <= 2 * KEPT:
            return head, 0, ring[: total - KEPT]
        return head, total - 2 * KEPT, ring[total % KEPT :] + ring[: total % KEPT]


class Supervisor:
    """Watches one bot from its start to the end of the last process it has started."""

    def __init__(self, options: dict[str, str], argv: list[str]) -> None:
        self._options = options
        self._argv = argv
        self._kept = Kept(1)
        self._tasks = int(options.get("tasks", 0))
        self._output, self._printed = os.pipe()
        self._awake, wake = os.pipe()
        os.set_blocking(self._output, False)
        os.set_blocking(self._awake, False)
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, wake_up)
        self._bot = 0
        self._status: int | None = None

    def run(self) -> int:
        """Run the bot to its end; its status, as a shell would give it."""
        adopt_orphans()  # first of all: a quick bot's orphans would be init's
        if not self._start():
            return 127
        try:
            self._watch()
        finally:
            self._end()
        assert self._status is not None
        self._report(f"ended {self._status}")
        return self._status if self._status >= 0 else 128 - self._status

    def _start(self) -> bool:
        failure, told = os.pipe()
        self._bot = os.fork()
        if not self._bot:
            try:
                self._become_bot()
            except Exception as problem:
                reason = getattr(problem, "strerror", None) or repr(problem)
                os.write(told, reason.encode())
            finally:
                os._exit(127)
        os.close(told)
        os.close(self._printed)
        if "speech" in self._options:
            os.close(int(self._options["speech"]))  # the bot's own end of file must be seen
        refusal = os.read(failure, 1024)  # the end of file is a successful exec
        os.close(failure)
        if refusal:
            os.waitpid(self._bot, 0)
            self._report(f"failed {refusal.decode()}")
            return False
        self._report(f"started {self._bot}")
        return True

    def _become_bot(self) -> None:
        os.setsid()
        # What is ignored stays so through exec: Python ignores two signals, and whoever started the
        # server may have had it ignore more, as shells do for what runs in the background.
        for number in signal.valid_signals():
            if signal.getsignal(number) is signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)
        if "speech" in self._options:
            speech = int(self._options["speech"])
            os.dup2(speech, 0)
            os.dup2(speech, 1)
            os.close(speech)
        else:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(self._printed, 1)
        os.dup2(self._printed, 2)
        for word, value in self._options.items():
            if word.startswith("RLIMIT_"):
                set_limit(word, *map(int, value.split(":")))
        os.execv(self._argv[0], self._argv)

    def _watch(self) -> None:
        """Return when the bot has ended, or has to."""
        sources = [0, self._awake, self._output]
        pause = COUNT_SECONDS if self._tasks else None
        counted = time.monotonic()
        self._reap()
        while self._status is None:
            ready, _, _ = select.select(sources, [], [], pause)
            if self._awake in ready:
                if set(os.read(self._awake, 4096)) - {signal.SIGCHLD}:
                    return
                self._reap()
            if self._output in ready and not self._listen():
                sources.remove(self._output)
            if 0 in ready and not self._obey():
                return
            if self._tasks and time.monotonic() >= counted + COUNT_SECONDS:
                counted = time.monotonic()
                if (count := count_tasks(os.getpid())) > self._tasks:
                    self._report(f"over {count}")
                    return

    def _obey(self) -> bool:
        """Pass signals on from the server; whether the bot may live."""
        try:
            numbers = os.read(0, 4096)
        except ConnectionError:  # the server's end was closed with reports in it
            return False
        if not numbers or signal.SIGKILL in numbers:
            return False
        for number in numbers:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._bot, number)
        return True

    def _listen(self) -> bool:
        """Keep what has been printed; whether there may be more."""
        try:
            data = os.read(self._output, 65536)
        except BlockingIOError:
            return True
        self._kept.add(data)
        return bool(data)

    def _reap(self) -> bool:
        """Take note of processes that have ended; whether any child is left."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if not pid:
                return True
            self._note(pid, status)

    def _note(self, pid: int, status: int) -> None:
        if pid == self._bot:
            self._status = os.waitstatus_to_exitcode(status)

    def _end(self) -> None:
        """End the bot and all that it has started."""
        # A whole group dies at once, however fast it forks.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._bot, signal.SIGKILL)
        while self._status is None:
            self._note(*os.waitpid(-1, 0))
        while self._reap():
            for pid in children():
                end_group(pid)
            with suppress(ChildProcessError):
                self._note(*os.waitpid(-1, 0))
        with suppress(BlockingIOError):
            while data := os.read(self._output, 65536):
                self._kept.add(data)

    def _report(self, line: str) -> None:
        with suppress(OSError):  # nobody is there to read it
            os.write(0, f"{line}\n".encode())


def wake_up(*_: object) -> None:
    """Do nothing at a signal: its number is in the pipe that `signal.set_wakeup_fd` was given."""


def adopt_orphans() -> None:
    """Become the parent of descendants that lose theirs, where the system can do that."""
    if sys.platform.startswith("linux"):
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def set_limit(name: str, soft: int, hard: int) -> None:
    """Set a resource limit, or keep the one in force where that is lower."""
    import resource

    limit: int = getattr(resource, name)
    ceiling = resource.getrlimit(limit)[1]
    if ceiling != resource.RLIM_INFINITY:
        hard = min(hard, ceiling)
    resource.setrlimit(limit, (min(soft, hard), hard))


def children() -> list[int]:
    """The pids of this process's children, those that have ended and are not reaped included.

    /proc/PID/task/TID/children would be quicker, but may leave out some while others come and go.
    """
    own = os.getpid()
    found: list[int] = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
                # The program's name may hold spaces and brackets, its end is the last bracket.
                if int(file.read().rpartition(b")")[2].split()[1]) == own:
                    found.append(int(name))
    return found


def end_group(pid: int) -> None:
    """End a child of this process with the whole process group it is in, unless that is our own."""
    with suppress(ProcessLookupError, PermissionError):
        group = os.getpgid(pid)
        if group != os.getpgid(0):
            os.killpg(group, signal.SIGKILL)
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def count_tasks(pid: int) -> int:
    """How many processes and threads the descendants of *pid* are, itself not counted."""
    count, parents = 0, [pid]
    while parents:
        parent = parents.pop()
        with suppress(OSError):
            tasks = os.listdir(f"/proc/{parent}/task")
            count += len(tasks) if parent != pid else 0
            for task in tasks:
                with open(f"/proc/{parent}/task/{task}/children", "rb") as file:
                    parents += map(int, file.read().split())
    return count


def main(words: list[str]) -> int:
    """Run the program after `--` as the words before it say."""
    at = words.index("--")
    options = dict(word.split("=", 1) for word in words[:at])
    return Supervisor(options, words[at + 1 :]).run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
