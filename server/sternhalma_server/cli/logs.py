"""Log lines for machines: what the host is told, as key=value or as JSON, one line each.

Rotation is left to the system: lines go to standard output, where systemd's journal, a container's
engine or a pipe takes them. What goes wrong in the server's own code comes as such lines too, its
traceback in one field.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Final, TextIO

from sternhalma_server.announce import Table
from sternhalma_server.cli.progress import outcome, resumption
from sternhalma_server.referee import Finished
from sternhalma_server.sentence import about
from sternhalma_tournament.trial import TrialState
from sternhalma_tournament.trial_text import trial_line

TEXT: Final = "text"
KEY_VALUE: Final = "keyvalue"
JSON: Final = "json"
FORMS: Final = (TEXT, KEY_VALUE, JSON)
LOG_HELP: Final = "what is told: sentences, or lines of keys and values, or of JSON"

_PLAIN: Final = re.compile(r"[^\s\"=\\]+")
_log: Final = logging.getLogger("sternhalma")


class _Facts(logging.Formatter):
    """What a record says, by key, in the order in which it is written."""

    def facts(self, record: logging.LogRecord) -> dict[str, str]:
        """The keys and values of *record*; the message comes last."""
        moment = datetime.fromtimestamp(record.created, UTC)
        facts = {
            "time": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
        }
        known: Mapping[str, str] = getattr(record, "about", {})
        facts |= known
        facts["message"] = record.getMessage()
        if record.exc_info:
            facts["traceback"] = self.formatException(record.exc_info)
        return facts


class KeyValue(_Facts):
    """`time=... level=info event=cup game=12 message="..."`: values in quotes where they need them,
    with JSON's escapes, so that a record is one line whatever bots have said."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of *record*."""
        return " ".join(
            f"{key}={value if _PLAIN.fullmatch(value) else json.dumps(value)}"
            for key, value in self.facts(record).items()
        )


class Json(_Facts):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of *record*."""
        return json.dumps(self.facts(record))


class _Lines(logging.StreamHandler[TextIO]):
    """Writes lines as long as somebody reads them."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (logging's name)
        """Whoever read this may have gone away: that is no reason to end a league."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)


def log_lines(form: str, stream: TextIO | None = None) -> None:
    """From now on write what is logged to *stream* (standard output), in lines of *form*."""
    handler = _Lines(stream or sys.stdout)
    handler.setFormatter(Json() if form == JSON else KeyValue())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)


def log_sentence(sentence: str) -> None:
    """Log what the host is told."""
    _log.info("%s", sentence, extra={"about": about(sentence)})


class LogProgress:
    """What is logged of one event: every game that ends, and what the host should know."""

    def __init__(self, event: str) -> None:
        self._event = event
        self._said = ""  # of the trial, last

    def listening(self, host: str, port: int) -> None:
        """Log where the server listens."""
        self.tell(f"listening on {host} port {port}")

    def resumed(self, finished: int, running: int) -> None:
        """Log where the event goes on."""
        self.tell(resumption(finished, running))

    def planned(self, games: int) -> None:
        """How many games there are to be is no news."""

    def started(self, table: Table) -> None:
        """Log that a game begins."""
        self._log(logging.INFO, "begins", _of(table))

    def finished(self, finished: Finished) -> None:
        """Log how a game ended: as a warning if a bot went out in it, or it is void."""
        amiss = bool(finished.falls) or finished.reason.is_void
        facts = _of(finished.table) | {
            "reason": str(finished.reason),
            "plies": str(finished.last.ply - 1),
        }
        if finished.falls:
            fallen = dict.fromkeys(finished.table.bots[fall.seat] for fall in finished.falls)
            facts["bot"] = ",".join(fallen)
        self._log(logging.WARNING if amiss else logging.INFO, outcome(finished), facts)

    def tested(self, trial: TrialState) -> None:
        """Log what the test of a match has come to."""
        if trial_line(trial) != self._said:
            self._said = trial_line(trial)
            self.tell(self._said)

    def tell(self, sentence: str) -> None:
        """Log *sentence*."""
        self._log(logging.INFO, sentence, about(sentence))

    @contextmanager
    def shown(self) -> Generator[None]:
        """Nothing to set up, nothing to clear away."""
        yield

    def _log(self, level: int, sentence: str, facts: Mapping[str, str]) -> None:
        _log.log(level, "%s", sentence, extra={"about": {"event": self._event} | dict(facts)})


def _of(table: Table) -> dict[str, str]:
    return {"game": table.game, "bots": ",".join(table.bots)}
