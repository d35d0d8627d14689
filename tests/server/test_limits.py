"""What a bot may use: the limits as the supervisor gets them, and that they bind."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import trio

from sternhalma_server.limits import Limits, can_count
from sternhalma_server.programs import Program, start_program

ON_LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux")
COUNTING = pytest.mark.skipif(not can_count(), reason="this kernel does not list children")


async def ended(argv: list[str], limits: Limits) -> Program:
    """The program, seen through to its end, which comes by itself."""
    program = start_program(argv, {}, Path.cwd(), limits=limits)
    with trio.fail_after(10):
        await program.listen()
    return program


@pytest.mark.parametrize("name", ["memory_mb", "processes", "files", "cpu_seconds"])
def test_a_limit_of_nothing_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"expected {name} of at least 1, got 0"):
        Limits(**{name: 0})


def test_no_limits_are_no_words() -> None:
    assert Limits().words() == []
    assert Limits().describe() == "bots are not limited"


@ON_LINUX
@COUNTING
def test_limits_are_described_in_a_sentence() -> None:
    assert Limits(512, 32, 64, 600).describe() == (
        "each process of a bot may hold 512 MiB of memory, have 64 files open and use 600 s of "
        "processor time; a bot with more than 32 processes and threads is ended"
    )


@COUNTING
def test_processes_that_are_not_the_bots_own_are_not_on_its_account() -> None:
    assert Limits(processes=5).words(spare=2) == ["tasks=7"]


def test_a_count_that_is_not_to_be_had_is_admitted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sternhalma_server.limits.can_count", lambda: False)
    limits = Limits(processes=5)
    assert limits.words() == []
    assert limits.describe() == "processes are not counted on this system and not limited"


@ON_LINUX
async def test_a_bot_over_its_memory_is_refused_more() -> None:
    allocate = ["python", "-S", "-c", "x = bytearray(200_000_000); print('got it')"]
    refused = await ended(allocate, Limits(memory_mb=100))
    assert refused.fate == "ended with status 1"
    assert "MemoryError" in refused.output
    assert (await ended(allocate, Limits(memory_mb=400))).output == "got it\n"


async def test_a_bot_over_its_open_files_is_refused_more() -> None:
    program = await ended(
        ["python", "-S", "-c", "kept = [open('/dev/null') for _ in range(100)]"], Limits(files=40)
    )
    assert program.fate == "ended with status 1"
    assert "Too many open files" in program.output


async def test_a_bot_over_its_processor_time_is_ended_by_name() -> None:
    program = await ended(["sh", "-c", "while :; do :; done"], Limits(cpu_seconds=1))
    assert program.fate == "ended by SIGXCPU"


@COUNTING
async def test_a_bot_over_its_processes_is_ended_with_all_of_them() -> None:
    family = ["sh", "-c", "for i in 1 2 3 4 5 6 7; do sleep 600 & done; wait"]
    program = await ended(family, Limits(processes=4))
    assert program.fate == "was ended, it had 8 processes and threads"


@COUNTING
async def test_threads_and_what_has_left_the_group_count_as_processes() -> None:
    script = (
        "import threading, time, subprocess\n"
        "subprocess.Popen(['sleep', '600'], start_new_session=True)\n"
        "for _ in range(3): threading.Thread(target=time.sleep, args=(600,)).start()\n"
    )
    program = await ended(["python", "-c", script], Limits(processes=4))
    assert program.fate == "was ended, it had 5 processes and threads"


@COUNTING
async def test_a_bot_within_its_limits_is_left_alone() -> None:
    program = await ended(
        ["sh", "-c", "sleep 0.6 & sleep 0.6; wait; echo done"],
        Limits(memory_mb=100, processes=3, files=20, cpu_seconds=5),
    )
    assert (program.fate, program.output) == ("ended with status 0", "done\n")


async def test_a_limit_above_the_servers_own_does_not_raise_it() -> None:
    script = "import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE)[1])"
    import resource

    own = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    program = await ended(["python", "-c", script], Limits(files=2**40))
    assert program.output == f"{own}\n"
