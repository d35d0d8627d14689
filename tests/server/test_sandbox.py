"""The sandbox without network: what a bot sees in it, and that it ends like any other."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import trio

from sternhalma_server.limits import Limits
from sternhalma_server.lookup import ProgramError
from sternhalma_server.programs import Program, start_program
from sternhalma_server.sandbox import Sandbox, sandbox_problem
from sternhalma_server.transport import SocketTransport

PROBLEM = sandbox_problem()
SANDBOXED = pytest.mark.skipif(PROBLEM is not None, reason=PROBLEM or "")
LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="bubblewrap needs Linux")

Start = Callable[..., Program]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a program in a sandbox; it does not outlive its test."""
    with ExitStack() as stack:

        def start(
            *argv: str, hidden: tuple[Path, ...] = (), limits: Limits | None = None
        ) -> Program:
            program = start_program(
                argv,
                {},
                tmp_path,
                stdio=True,
                limits=limits or Limits(),
                sandbox=Sandbox(hidden),
            )
            assert program.sock is not None
            stack.enter_context(program.sock)
            stack.callback(program.kill)
            return program

        yield start


async def printed(program: Program) -> str:
    """What the program has printed on its standard error by its end."""
    with trio.fail_after(10):
        await program.listen()
    return program.output


@SANDBOXED
async def test_a_bot_in_a_sandbox_speaks(start: Start) -> None:
    program = start("sh", "-c", 'read -r line; echo "$line"')
    assert program.sock is not None
    line = SocketTransport(program.sock, "bot", stamped=program.stamped)
    line.send(b"hello\n")
    with trio.fail_after(10):
        await line.wait_readable()
    assert line.receive()[0] == b"hello\n"


@SANDBOXED
async def test_a_bot_in_a_sandbox_reaches_no_server_outside(start: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        script = f"import socket; socket.create_connection(('127.0.0.1', {port}))"
        program = start("python", "-c", script)
        assert "refused" in await printed(program)
    assert program.fate == "ended with status 1"


@SANDBOXED
async def test_the_connection_of_a_bot_in_a_sandbox_leads_nowhere_else(start: Start) -> None:
    # A TCP socket from outside could be connected anew with AF_UNSPEC, to anywhere.
    program = start(
        "python",
        "-c",
        "import socket, sys; print(socket.socket(fileno=0).family.name, file=sys.stderr)",
    )
    assert "AF_UNIX" in await printed(program)
    assert not program.stamped


@SANDBOXED
async def test_a_bot_in_a_sandbox_reads_its_folder_and_writes_nowhere_but_tmp(
    start: Start, tmp_path: Path
) -> None:
    (tmp_path / "book.txt").write_text("opening\n")
    script = "exec >&2; cat book.txt; touch new || echo kept; touch /tmp/new && ls /tmp"
    lines = (await printed(start("sh", "-c", script))).splitlines()
    assert lines[0] == "opening"
    assert "kept" in lines
    assert "new" in lines
    assert [place.name for place in tmp_path.iterdir()] == ["book.txt"]


@SANDBOXED
async def test_a_bot_in_a_sandbox_sees_no_processes_but_its_own(start: Start) -> None:
    pids = (await printed(start("sh", "-c", "echo /proc/[0-9]* >&2"))).split()
    assert len(pids) <= 3


@SANDBOXED
async def test_a_bot_in_a_sandbox_has_no_capabilities(start: Start) -> None:
    words = (await printed(start("sh", "-c", "grep CapEff /proc/self/status >&2"))).split()
    assert int(words[1], 16) == 0


@SANDBOXED
async def test_a_hidden_folder_is_empty_even_inside_the_bots_own(
    start: Start, tmp_path: Path
) -> None:
    store = tmp_path / "results"
    store.mkdir()
    with socket.socket(socket.AF_UNIX) as control:
        control.bind(str(store / "control"))
        control.listen()
        assert await printed(start("sh", "-c", "ls results >&2")) == "control\n"
        assert await printed(start("sh", "-c", "ls results >&2", hidden=(store,))) == ""


@SANDBOXED
async def test_a_program_that_the_sandbox_hides_is_refused(start: Start, tmp_path: Path) -> None:
    elsewhere = tmp_path.parent / f"{tmp_path.name}-elsewhere"
    elsewhere.mkdir()
    (elsewhere / "bot").write_text("#!/bin/sh\n")
    (elsewhere / "bot").chmod(0o755)
    with pytest.raises(ProgramError, match="a sandbox has nothing in"):
        start(str(elsewhere / "bot"), hidden=(elsewhere,))


@SANDBOXED
async def test_what_the_servers_python_runs_from_is_seen_wherever_it_is(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout = tmp_path.parent / f"{tmp_path.name}-checkout"
    (checkout / "bin").mkdir(parents=True)
    (checkout / "bin" / "bot").write_text("#!/bin/sh\ntouch $0.new || echo kept >&2\n")
    (checkout / "bin" / "bot").chmod(0o755)
    monkeypatch.setattr(sys, "prefix", str(checkout))
    assert "kept" in await printed(start(str(checkout / "bin" / "bot")))


def runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def below(pid: int) -> list[int]:
    """The descendants of a process, as Linux lists them."""
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    found = [int(word) for word in listed.read_text().split()] if listed.exists() else []
    return found + [deeper for child in found for deeper in below(child)]


@SANDBOXED
async def test_all_in_a_sandbox_ends_with_its_program(start: Start) -> None:
    program = start("sh", "-c", "trap '' TERM; setsid sleep 600 & echo up >&2; wait")
    with trio.fail_after(10):
        while program.output != "up\n":
            await trio.sleep(0.005)
    assert program.pid is not None
    inside = [program.pid, *below(program.pid)]
    assert len(inside) >= 3
    program.kill()
    with trio.fail_after(5):
        while any(map(runs, inside)):
            await trio.sleep(0.005)


@SANDBOXED
async def test_limits_bind_in_a_sandbox_and_leave_out_what_the_sandbox_itself_needs(
    start: Start,
) -> None:
    family = "sleep 1 & sleep 1 & wait; echo done >&2"
    assert await printed(start("sh", "-c", family, limits=Limits(processes=3))) == "done\n"
    program = start("sh", "-c", family, limits=Limits(processes=2))
    await printed(program)
    assert program.fate.startswith("was ended")


def test_a_sandbox_is_for_bots_that_speak_over_standard_streams(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected stdio=True with a sandbox"):
        start_program(["sh"], {}, tmp_path, sandbox=Sandbox())


@LINUX
def test_a_machine_without_bubblewrap_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert sandbox_problem() == "a sandbox needs bubblewrap, and there is no bwrap on the path"


@LINUX
def test_a_machine_without_user_namespaces_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho bwrap: No permissions to create new namespace >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert sandbox_problem() == (
        "bwrap cannot make a sandbox here, user namespaces may be switched off: "
        "bwrap: No permissions to create new namespace"
    )


def test_another_system_than_linux_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert sandbox_problem() == "a sandbox needs bubblewrap, which needs Linux, not darwin"
