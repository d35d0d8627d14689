"""What a check has found, told to people and to programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from sternhalma_server.conformance.check import SILENCES, Checked
from sternhalma_server.conformance.step import ADVISORY, REQUIRED, Level, Outcome
from sternhalma_server.conformance.talk import Said
from sternhalma_server.explanation import FLUSHES
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
    count = len(checked.untried)
    untried = f"; {count} {'step' if count == 1 else 'steps'} not tried" if count else ""
    return f"{_counted(checked, REQUIRED)}; {_counted(checked, ADVISORY)}{untried}"


def shared(checked: Checked) -> Iterator[str]:
    """What several steps have failed by, each reason once, with the steps."""
    by_reason: dict[str, list[str]] = {}
    for outcome in checked.outcomes:
        if outcome.result == "failed":
            by_reason.setdefault(_reason(outcome), []).append(outcome.step.name)
    for reason, names in by_reason.items():
        if len(names) > 1:
            yield f"{len(names)} steps got {reason}"
            yield f"        {', '.join(names)}"
    if checked.untried and is_silent(checked):
        yield f"nothing came to {SILENCES} steps in a row, so the others are not tried"


def _reason(outcome: Outcome) -> str:
    """What a failed step got; of silence without how the lines were sent, which differs."""
    if not outcome.is_silence:
        return outcome.came
    silence = outcome.came.partition("; ")[0]
    return f"{silence}; {FLUSHES}" if FLUSHES in outcome.came else silence


def is_silent(checked: Checked) -> bool:
    """Whether the bot said nothing to so many steps in a row that no more were tried."""
    last = checked.outcomes[-SILENCES:]
    return len(last) == SILENCES and all(outcome.is_silence for outcome in last)


def facts(checked: Checked) -> dict[str, Any]:
    """All of it for programs; times are seconds since the step began."""
    return {
        "passed": checked.good,
        "summary": summary(checked),
        "steps": [_fact(outcome) for outcome in checked.outcomes],
        "not_tried": [step.name for step in checked.untried],
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
