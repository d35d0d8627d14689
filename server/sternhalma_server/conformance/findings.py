"""What a check has found, told to people and to programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from sternhalma_server.conformance.check import Checked
from sternhalma_server.conformance.step import ADVISORY, REQUIRED, Level, Outcome
from sternhalma_server.conformance.talk import Said
from sternhalma_server.wire import clean

SHOWN: Final = 160  # characters of a line for people
LAST: Final = 12  # lines of a conversation for people


def lines_of(outcome: Outcome) -> Iterator[str]:
    """A step for people: one line, and of a failed one what was said, expected and got."""
    step = outcome.step
    word = {"passed": "ok", "failed": "FAILED", "skipped": "skipped"}[outcome.result]
    if outcome.result == "failed" and step.level == ADVISORY:
        word = "advice"
    yield f"{word:7} {step.name:24} {step.what}"
    if outcome.result == "skipped":
        yield f"        {outcome.came}"
    if outcome.result != "failed":
        return
    left_out = len(outcome.said) - LAST
    if left_out > 0:
        yield f"        ... {left_out} more"
    for said in outcome.said[-LAST:]:
        yield f"        {said.at:7.3f} {said.side} {clean(said.text, SHOWN)}".rstrip()
    yield f"        expected {outcome.expected}"
    yield f"        got {outcome.came}"


def summary(checked: Checked) -> str:
    """How many steps have passed, in a sentence."""
    return f"{_counted(checked, REQUIRED)}; {_counted(checked, ADVISORY)}"


def facts(checked: Checked) -> dict[str, Any]:
    """All of it for programs; times are seconds since the step began."""
    return {
        "passed": checked.good,
        "summary": summary(checked),
        "steps": [_fact(outcome) for outcome in checked.outcomes],
    }


def _counted(checked: Checked, level: Level) -> str:
    passed, failed = checked.count(level, "passed"), checked.count(level, "failed")
    skipped = checked.count(level, "skipped")
    more = f", {skipped} skipped" if skipped else ""
    return f"{passed} of {passed + failed} {level} steps passed{more}"


def _fact(outcome: Outcome) -> dict[str, Any]:
    step = outcome.step
    fact: dict[str, Any] = {
        "name": step.name,
        "what": step.what,
        "level": step.level,
        "result": outcome.result,
        "conversation": [_said(said) for said in outcome.said],
    }
    if outcome.result == "failed":
        fact |= {"expected": outcome.expected, "came": outcome.came}
    if outcome.result == "skipped":
        fact["reason"] = outcome.came
    return fact


def _said(said: Said) -> dict[str, Any]:
    return {"at": round(said.at, 6), "from": _FROM[said.side], "text": said.text}


_FROM: Final = {"S": "server", "B": "bot", "-": "event"}
