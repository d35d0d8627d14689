"""Every sample bot and every client that people copy keeps the whole protocol."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import trio

from clients.toolchains import LANGUAGES, built
from docs.pages import files
from sternhalma_bot.bots import SAMPLES
from sternhalma_server.conformance import (
    REQUIRED,
    STEPS,
    Checked,
    DialingBot,
    StartedBot,
    Step,
    check,
    lines_of,
    listen,
)

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "clients"
NEEDED = [step for step in STEPS if step.level == REQUIRED]
KIT = [step for step in STEPS if step.family in {"login", "returns", "games", "end"}]


CLIENTS = (*LANGUAGES, "ten lines")


def client(language: str, folder: Path) -> list[str]:
    """The command of a client that people copy, made ready in *folder*."""
    if language != "ten lines":
        return built(language, folder)
    (folder / "mybot.py").write_text(files("README.md")["mybot.py"], encoding="utf-8")
    return [sys.executable, "mybot.py"]


def wrongs(checked: Checked) -> str:
    return "\n".join(
        line for outcome in checked.outcomes if outcome.is_wrong for line in lines_of(outcome)
    )


async def checked_program(
    argv: list[str], folder: Path, steps: list[Step], *, stdio: bool = False
) -> Checked:
    listener = None if stdio else listen(0)
    try:
        return await check(StartedBot(argv, folder, listener, 20.0), 20.0, steps)
    finally:
        if listener is not None:
            listener.socket.close()


@pytest.mark.parametrize(
    "sample", [pytest.param(s, marks=[] if s == "random" else pytest.mark.slow) for s in SAMPLES]
)
def test_a_sample_bot_passes_every_required_step(sample: str, tmp_path: Path) -> None:
    checked = trio.run(checked_program, ["sternhalma-bot", sample], tmp_path, NEEDED)
    assert checked.good, wrongs(checked)


def test_the_kit_passes_the_advisory_steps_too(tmp_path: Path) -> None:
    checked = trio.run(checked_program, ["sternhalma-bot", "random"], tmp_path, KIT)
    assert {outcome.result for outcome in checked.outcomes} == {"passed"}


# The languages that are compiled or slow to start are held to it in tests/clients, at leisure.
@pytest.mark.parametrize("language", ["python", "c", "javascript", "ten lines"])
def test_a_client_passes_every_required_step(language: str, tmp_path: Path) -> None:
    checked = trio.run(checked_program, client(language, tmp_path), tmp_path, NEEDED)
    assert checked.good, wrongs(checked)


def test_a_program_on_standard_streams_passes_every_required_step(tmp_path: Path) -> None:
    text = files("docs/events.md")["stdio_bot.py"]
    (tmp_path / "stdio_bot.py").write_text(text, encoding="utf-8")

    async def run() -> Checked:
        argv = [sys.executable, "stdio_bot.py"]
        return await checked_program(argv, tmp_path, NEEDED, stdio=True)

    checked = trio.run(run)
    assert checked.good, wrongs(checked)


def test_a_bot_that_dials_in_by_itself_can_be_checked() -> None:
    async def run() -> Checked:
        listener = listen(0)
        port = listener.socket.getsockname()[1]
        argv = [sys.executable, str(SOURCES / "python" / "one_file_bot.py")]

        async def dial_in() -> None:
            while True:
                await trio.run_process(
                    [*argv, "127.0.0.1", str(port), "zoe"], check=False, capture_stderr=True
                )

        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(dial_in)
                checked = await check(DialingBot(listener, 20.0), 20.0, NEEDED)
                nursery.cancel_scope.cancel()
        finally:
            listener.socket.close()
        return checked

    checked = trio.run(run)
    assert checked.good, wrongs(checked)
    skipped = {one.step.name for one in checked.outcomes if one.result == "skipped"}
    assert skipped == {
        "login.environment",
        "login.refused",
        "returns.taken-over",
        "slots.two",
        "end.goodbye",
    }
