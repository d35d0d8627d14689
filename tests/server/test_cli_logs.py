"""Log lines for machines: one line each, whatever bots say, with event, game and bot."""

from __future__ import annotations

import io
import json
import logging
import re
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sternhalma_server.cli.logs import LogProgress, log_lines, log_sentence
from sternhalma_server.sentence import Sentence, about

PROGRAM = Path(sys.executable).with_name("sternhalma")

EVENT = """\
name = "cup"
rules = "tara"
players = 2
clock = "5s"
limit = 5
[budgets]
start = "500ms"
[[bots]]
name = "random"
command = "sternhalma-bot random"
[[bots]]
name = "gone"
command = "false"
"""


@pytest.fixture(autouse=True)
def _as_before() -> Generator[None]:
    """Logging is the process's: what a test sets up is taken back."""
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


def words(line: str) -> dict[str, str]:
    """The keys and values of a line of them."""
    found = re.findall(r'([a-z]+)=("(?:[^"\\]|\\.)*"|[^\s"]+)(?: |$)', line)
    assert "".join(f"{key}={value} " for key, value in found).strip() == line
    return {key: str(json.loads(value)) if value.startswith('"') else value for key, value in found}


def test_a_sentence_says_what_it_is_about() -> None:
    sentence = Sentence("zoe (slot 2) ended", bot="zoe", slot=2)
    assert sentence == "zoe (slot 2) ended"
    assert about(sentence) == {"bot": "zoe", "slot": "2"}
    assert about("the disk is full") == {}


def test_what_the_host_is_told_is_a_line_of_keys_and_values() -> None:
    stream = io.StringIO()
    log_lines("keyvalue", stream)
    LogProgress("cup").tell(Sentence("game 12: no room", game="12"))
    log_sentence("stopping")
    first, second = map(words, stream.getvalue().splitlines())
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", first.pop("time"))
    assert first == {
        "level": "info",
        "event": "cup",
        "game": "12",
        "message": "game 12: no room",
    }
    assert second["message"] == "stopping"


@pytest.mark.parametrize("form", ["keyvalue", "json"])
@given(said=st.text())
def test_a_record_is_one_line_and_keeps_every_character(form: str, said: str) -> None:
    stream = io.StringIO()
    log_lines(form, stream)
    log_sentence(Sentence(said, bot=said or "zoe"))
    lines = stream.getvalue().split("\n")
    assert lines[1:] == [""]
    facts = json.loads(lines[0]) if form == "json" else words(lines[0])
    assert facts["message"] == said
    assert facts["bot"] == (said or "zoe")


def test_the_servers_own_failures_come_with_their_traceback_in_a_field() -> None:
    stream = io.StringIO()
    log_lines("json", stream)
    try:
        raise RuntimeError("a fault")
    except RuntimeError:
        logging.getLogger("sternhalma_server.director").exception("game %d failed", 3)
    facts = json.loads(stream.getvalue())
    assert (facts["level"], facts["message"]) == ("error", "game 3 failed")
    assert facts["traceback"].endswith("RuntimeError: a fault")


def test_nobody_who_reads_is_no_reason_to_fail(capsys: pytest.CaptureFixture[str]) -> None:
    class Gone(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    log_lines("json", Gone())
    log_sentence("nobody hears this")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("form", ["keyvalue", "json"])
def test_every_line_of_an_event_names_it_and_games_name_their_bots(
    form: str, tmp_path: Path
) -> None:
    (tmp_path / "cup.toml").write_text(EVENT, encoding="utf-8")
    played = subprocess.run(
        [PROGRAM, "run", "cup.toml", "--log", form],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert played.returncode == 1
    assert played.stdout.endswith("1 game, results in results/cup\n")
    lines = [line for line in played.stderr.splitlines() if "ended with faults" not in line]
    facts = [json.loads(line) if form == "json" else words(line) for line in lines]
    assert {one["event"] for one in facts} == {"cup"}
    (over,) = [one for one in facts if "reason" in one]
    assert (over["level"], over["game"], over["bot"]) == ("warning", "1", "gone")
    assert set(over["bots"].split(",")) == {"random", "gone"}
    assert any(one.get("bot") == "gone" and one.get("slot") == "1" for one in facts)
