"""A check of one bot against protocol.md, over the wire.

A scripted server holds some sixty short conversations with the bot (`STEPS`), many of them odd in
ways in which a real server is odd only once in a long league: lines in pieces, words nobody knows,
a connection cut in the middle of a move. Each step says what was sent, what came, and what was
expected.
"""

from sternhalma_server.conformance.check import STEPS, Checked, check
from sternhalma_server.conformance.findings import facts, lines_of, shared, summary
from sternhalma_server.conformance.step import ADVISORY, REQUIRED, Level, Outcome, Result, Step
from sternhalma_server.conformance.subject import DialingBot, StartedBot, Subject, listen
from sternhalma_server.conformance.talk import Said, SkippedError, UnexpectedError

__all__ = [
    "ADVISORY",
    "REQUIRED",
    "STEPS",
    "Checked",
    "DialingBot",
    "Level",
    "Outcome",
    "Result",
    "Said",
    "SkippedError",
    "StartedBot",
    "Step",
    "Subject",
    "UnexpectedError",
    "check",
    "facts",
    "lines_of",
    "listen",
    "shared",
    "summary",
]
