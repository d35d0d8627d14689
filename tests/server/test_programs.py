"""Programs that the server starts: how they end, what is kept of them, and how they speak."""

from __future__ import annotations

import errno
import os
import resource
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Protocol

import pytest
import trio

from sternhalma_server import lifeline, programs
from sternhalma_server.lifeline import KEPT
from sternhalma_server.limits import Limits
from sternhalma_server.lookup import ProgramError, find_program
from sternhalma_server.programs import (
    Program,
    ScarcityError,
    start_program,
)
from sternhalma_server.transport import SocketTransport

ON_LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux")
ECHO = 'while read -r line; do echo "$line"; done'


class Start(Protocol):
    """Starts a program that does not outlive its test."""

    def __call__(self, *argv: str, stdio: bool = False, limits: Limits = ...) -> Program: ...


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    started: list[Program] = []

    def start(*argv: str, stdio: bool = False, limits: Limits | None = None) -> Program:
        program = start_program(
            argv, {"WORD": "said"}, tmp_path, stdio=stdio, limits=limits or Limits()
        )
        started.append(program)
        return program

    yield start
    for program in started:
        program.kill()
        if program.sock is not None:
            program.sock.close()


def state(pid: int | None) -> str:
    """The state of a process in a letter, as /proc has it; X for one that is not there."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "X"


def runs(pid: int) -> bool:
    """Whether there is such a process, ended ones that nobody has reaped left out."""
    return state(pid) not in "ZX"


async def printed(program: Program, text: str) -> None:
    """Return when the program has printed *text*; reading what is kept is all there is to it."""
    with trio.fail_after(10):
        while text not in program.output:
            await trio.sleep(0.005)


async def over(program: Program) -> None:
    with trio.fail_after(10):
        await program.listen()


@pytest.mark.parametrize(
    ("script", "fate"),
    [
        ("exit 0", "ended with status 0"),
        ("exit 3", "ended with status 3"),
        ("kill -KILL $$", "ended by SIGKILL"),
        ("kill -SEGV $$", "ended by SIGSEGV"),
        pytest.param("kill -40 $$", "ended by signal 40", marks=ON_LINUX),
    ],
)
async def test_a_program_that_has_ended_tells_how(start: Start, script: str, fate: str) -> None:
    program = start("sh", "-c", script)
    assert program.fate == "still running"
    await over(program)
    assert (program.ended, program.fate) == (True, fate)


async def test_the_environment_and_the_folder_are_the_ones_given(
    start: Start, tmp_path: Path
) -> None:
    program = start("sh", "-c", "echo $WORD; pwd; echo problem >&2")
    await over(program)
    assert program.output == f"said\n{tmp_path.resolve()}\nproblem\n"


async def test_python_is_the_one_that_the_server_runs_with(start: Start) -> None:
    program = start("python", "-c", "import sys; print(sys.prefix)")
    await over(program)
    assert program.output == f"{sys.prefix}\n"


async def test_a_name_with_a_slash_is_a_path_from_the_folder(start: Start, tmp_path: Path) -> None:
    script = tmp_path / "bin" / "bot"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\necho found\n")
    script.chmod(0o755)
    program = start("bin/bot")
    await over(program)
    assert program.output == "found\n"


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("no-such-program", "cannot start 'no-such-program': expected a program on the path"),
        ("./none", "cannot start './none': expected a program in"),
        ("./plain", "cannot start './plain': expected an executable file"),
    ],
)
def test_a_program_that_is_not_there_is_refused(
    start: Start, tmp_path: Path, word: str, said: str
) -> None:
    (tmp_path / "plain").write_text("#!/bin/sh\n")
    with pytest.raises(ProgramError, match=said):
        start(word)


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("sternhalma-bto", "; did you mean 'sternhalma-bot'?"),
        ("mybot", "; did you mean './mybot', the file in '{}'?"),
        ("mybot.py", "; did you mean 'python mybot.py', the file in '{}'?"),
        ("./mybto", "expected a program in '{}'; did you mean './mybot'?"),
        ("bin/b0t", "expected a program in '{}'; did you mean 'bin/bot'?"),
        ("none/b0t", "expected a program in '{}'"),
        ("nothing-like-it", "expected a program on the path, found none"),
    ],
)
def test_a_program_that_is_not_there_is_answered_with_what_may_be_meant(
    tmp_path: Path, word: str, meant: str
) -> None:
    for name in ("mybot", "mybot.py", "bin/bot"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    with pytest.raises(ProgramError) as refused:
        find_program(word, tmp_path)
    assert str(refused.value).endswith(meant.format(tmp_path))


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match=r"cannot start 'sh' in '.*none': .*No such file"):
        start_program(["sh"], {}, tmp_path / "none")


def fail_to_start(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Let the system refuse every new process."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("subprocess.Popen", refuse)


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM])
def test_what_the_machine_lacks_is_no_fault_of_the_program(
    start: Start, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    fail_to_start(monkeypatch, number)
    with pytest.raises(ScarcityError, match=f"cannot start 'sh' in .*{os.strerror(number)}"):
        start("sh")


def test_what_the_program_lacks_is_no_scarcity(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_to_start(monkeypatch, errno.EACCES)
    with pytest.raises(ProgramError, match="Permission denied"):
        start("sh")


def test_files_that_are_used_up_are_a_scarcity(start: Start) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    held = os.open(os.devnull, os.O_RDONLY)
    resource.setrlimit(resource.RLIMIT_NOFILE, (held, hard))
    try:
        with pytest.raises(ScarcityError, match="Too many open files"):
            start("sh", "-c", "exit 0")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        os.close(held)


async def test_a_program_that_ran_was_not_starved(start: Start) -> None:
    program = start("sh", "-c", "exit 1")
    assert not program.starved
    await over(program)
    assert not program.starved


async def test_a_file_that_the_system_does_not_run_was_not_starved(
    start: Start, tmp_path: Path
) -> None:
    (tmp_path / "bot").write_text("no program\n")
    (tmp_path / "bot").chmod(0o755)
    program = start("./bot")
    await over(program)
    assert not program.starved


@ON_LINUX
async def test_a_program_whose_supervisor_has_no_room_to_start_it_was_starved(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = Path(lifeline.__file__).read_text(encoding="utf-8")
    poor = tmp_path / "lifeline.py"
    shortage = "raise OSError(errno.ENOMEM, 'Cannot allocate memory')"
    poor.write_text(
        text.replace("import os\n", "import errno\nimport os\n", 1).replace(
            "os.execv(self._argv[0], self._argv)", shortage
        ),
        encoding="utf-8",
    )
    monkeypatch.setattr(lifeline, "__file__", str(poor))
    program = start("sh", "-c", "exit 0")
    await over(program)
    assert program.fate == "could not be started: Cannot allocate memory"
    assert program.starved


@pytest.mark.parametrize(
    ("text", "reason"),
    [("no program\n", "Exec format error"), ("#!/none\n", "No such file or directory")],
)
async def test_a_file_that_the_system_does_not_run_is_a_fate(
    start: Start, tmp_path: Path, text: str, reason: str
) -> None:
    (tmp_path / "bot").write_text(text)
    (tmp_path / "bot").chmod(0o755)
    program = start("./bot")
    await over(program)
    assert program.fate == f"could not be started: {reason}"
    assert program.pid is None


async def test_several_tasks_can_wait_for_the_end(start: Start) -> None:
    program = start("sh", "-c", "exit 0")
    with trio.fail_after(10):
        async with trio.open_nursery() as nursery:
            for _ in range(3):
                nursery.start_soon(program.listen)
    assert program.ended


async def test_a_program_that_prints_without_end_is_neither_held_up_nor_kept_whole(
    start: Start,
) -> None:
    size = 100_000_000
    program = start("sh", "-c", f"echo first; head -c {size} /dev/zero; echo; echo last")
    await over(program)
    assert program.fate == "ended with status 0"
    assert program.output.startswith("first\n")
    assert program.output.endswith("\nlast\n")
    assert program.dropped == len("first\n") + size + len("\nlast\n") - 2 * KEPT
    assert f"[... {program.dropped} bytes dropped ...]" in program.output


async def test_what_a_program_prints_can_be_read_while_it_runs(start: Start) -> None:
    program = start("sh", "-c", "echo so far; exec sleep 600")
    await printed(program, "so far\n")
    assert program.output == "so far\n"
    assert program.dropped == 0


async def test_bytes_that_are_no_text_are_shown_as_numbers(start: Start) -> None:
    program = start("printf", "\\377ok")
    await over(program)
    assert program.output == "\\xffok"


async def test_a_program_asked_to_end_may_tidy_up(start: Start) -> None:
    program = start(
        "sh", "-c", "trap 'echo tidy; exit 5' TERM; echo up; while :; do sleep 0.02; done"
    )
    await printed(program, "up")
    await program.stop()
    assert program.fate == "ended with status 5"
    assert program.output.endswith("\ntidy\n")


async def test_a_program_that_ignores_the_request_is_ended(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "PATIENCE", 0.2)
    program = start("sh", "-c", "trap '' TERM; echo up; while :; do sleep 0.02; done")
    await printed(program, "up")
    await program.stop()
    assert program.fate == "ended by SIGKILL"


async def test_whoever_waits_for_the_end_is_called_once_with_all_that_was_printed(
    tmp_path: Path,
) -> None:
    printed: list[str] = []
    program = start_program(
        ["sh", "-c", "echo last words"], {}, tmp_path, at_end=lambda p: printed.append(p.output)
    )
    await over(program)
    await program.stop()
    program.kill()
    assert printed == ["last words\n"]


async def test_a_stop_that_is_cancelled_ends_the_program_all_the_same(start: Start) -> None:
    program = start("sh", "-c", "trap '' TERM; echo up; while :; do sleep 0.02; done")
    await printed(program, "up")
    with trio.CancelScope() as scope:
        scope.cancel()
        await program.stop()
    await over(program)
    assert program.fate == "ended by SIGKILL"


@ON_LINUX
@pytest.mark.parametrize("rest", ["exit 0", "sleep 600"])
async def test_what_has_left_the_group_ends_with_the_program(start: Start, rest: str) -> None:
    program = start("sh", "-c", f"(setsid sleep 600 & echo $!; echo up); {rest}")
    await printed(program, "up")
    await program.stop()
    assert not runs(int(program.output.split()[0]))


async def test_a_signal_reaches_all_of_the_group(start: Start) -> None:
    wait = "while :; do sleep 0.02; done"
    child = f"trap 'echo child' USR1; echo up; {wait}"
    program = start("sh", "-c", f"trap 'echo parent' USR1; ({child}) & {wait}")
    await printed(program, "up")
    program.signal(signal.SIGUSR1)
    await printed(program, "child")
    await printed(program, "parent")


@ON_LINUX
async def test_a_program_that_is_held_can_be_ended(start: Start) -> None:
    program = start("sh", "-c", "echo up; exec sleep 600")
    await printed(program, "up")
    program.signal(signal.SIGSTOP)
    with trio.fail_after(5):
        while state(program.pid) != "T":
            await trio.sleep(0.005)
    program.kill()
    assert program.fate == "ended by SIGKILL"


@ON_LINUX
async def test_a_program_whose_supervisor_is_killed_is_ended(start: Start) -> None:
    program = start("sh", "-c", "echo $PPID $$ up; while :; do sleep 0.02; done")
    await printed(program, "up")
    supervisor, own = map(int, program.output.split()[:2])
    assert program.pid == own
    os.kill(supervisor, signal.SIGKILL)
    await over(program)
    assert program.fate == "ended with its supervisor"
    with trio.fail_after(5):
        while runs(own):
            await trio.sleep(0.005)


def test_a_program_can_be_ended_outside_the_loop(start: Start) -> None:
    program = start("sleep", "600")
    program.kill()
    assert program.fate == "ended by SIGKILL"


@pytest.mark.parametrize("stdio", [False, True])
async def test_a_program_gets_three_descriptors_and_no_more(start: Start, stdio: bool) -> None:
    start("sleep", "600", stdio=True)
    script = (
        "import os, sys\n"
        "for number in range(100):\n"
        "    try: print(number, file=sys.stderr) if os.fstat(number) else None\n"
        "    except OSError: pass\n"
    )
    program = start("python", "-S", "-c", script, stdio=stdio)
    await over(program)
    assert program.output.split() == ["0", "1", "2"]


# The C library keeps 32 and 33 to itself: whoever started us may have left them ignored,
# and neither we nor a program can ask for anything else.
RESERVED: Final = 1 << (32 - 1) | 1 << (33 - 1)


@ON_LINUX
async def test_signals_that_the_server_ignores_are_not_ignored_in_the_program(
    start: Start,
) -> None:
    program = start("grep", "SigIgn", "/proc/self/status")
    await over(program)
    name, ignored = program.output.split()
    assert name == "SigIgn:"
    assert int(ignored, 16) & ~RESERVED == 0


def transport(program: Program) -> SocketTransport:
    assert program.sock is not None
    return SocketTransport(program.sock, "bot", stamped=program.stamped)


async def received(line: SocketTransport) -> bytes:
    """A line, however many writes it was; less of it, or nothing, at the end."""
    data = b""
    with trio.fail_after(10):
        while not data.endswith(b"\n"):
            await line.wait_readable()
            more = line.receive()[0]
            if not more:
                break
            data += more
    return data


async def test_a_program_speaks_over_its_standard_streams(start: Start) -> None:
    program = start("sh", "-c", f"echo aside >&2; {ECHO}", stdio=True)
    line = transport(program)
    for word in (b"one\n", b"two\n"):
        line.send(word)
        assert await received(line) == word
    await printed(program, "aside\n")


@pytest.mark.parametrize(
    "argv",
    [
        ["python", "-c", "print(input(), flush=True)"],
        [
            "node",
            "-e",
            "process.stdin.once('data', d => {process.stdout.write(d); process.exit()})",
        ],
    ],
    ids=["python", "node"],
)
async def test_the_streams_suit_a_language(start: Start, argv: list[str]) -> None:
    try:
        program = start(*argv, stdio=True)
    except ProgramError as problem:
        pytest.skip(str(problem))
    line = transport(program)
    line.send(b"hello\n")
    assert await received(line) == b"hello\n"
    await over(program)


async def test_the_end_of_a_program_ends_its_speech_after_its_last_word(start: Start) -> None:
    program = start("sh", "-c", "echo last", stdio=True)
    line = transport(program)
    await over(program)
    assert await received(line) == b"last\n"
    assert await received(line) == b""


async def test_closing_the_connection_is_the_end_of_the_programs_input(start: Start) -> None:
    program = start("sh", "-c", f"{ECHO}; echo heard the end >&2", stdio=True)
    transport(program).close()
    await over(program)
    assert program.output == "heard the end\n"


@ON_LINUX
async def test_what_is_said_over_standard_streams_is_stamped_at_its_arrival(start: Start) -> None:
    program = start("sh", "-c", "read line; echo one; read line; echo two", stdio=True)
    line = transport(program)
    assert program.stamped
    line.send(b"\n")
    await received(line)  # a system that has stamped nothing yet may leave out the first
    line.send(b"\n")
    await over(program)
    read_late = time.monotonic_ns()
    data, stamp = line.receive()
    assert data == b"two\n"
    assert stamp < read_late


async def test_a_bot_that_speaks_after_the_goodbye_is_heard_to_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would not be if it were asked to end as soon as it had been told good-bye."""
    monkeypatch.setattr("sternhalma_server.programs.FAREWELL", 60.0)
    words = ["sh", "-c", "trap 'exit 3' TERM; sleep 0.2; echo to the end"]
    program = start_program(words, {}, tmp_path)
    await program.see_off()
    assert (program.output, program.was_stopped) == ("to the end\n", False)


async def test_a_bot_that_stays_after_the_goodbye_is_asked_to_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sternhalma_server.programs.FAREWELL", 0.05)
    program = start_program(["sleep", "60"], {}, tmp_path)
    await program.see_off()
    assert (program.ended, program.was_stopped) == (True, True)
