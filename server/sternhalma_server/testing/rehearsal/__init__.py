"""A rehearsal: a host's own settings, played with bots that misbehave in every way there is.

Everything that decides how long bots are waited for stays as the event file says: rules, clock,
budgets, parallel games, limits. Who plays is another field, see `field`; the results are nobody's.
"""

from sternhalma_server.testing.rehearsal.advice import advice_for
from sternhalma_server.testing.rehearsal.field import Field, RehearsalError, field_of
from sternhalma_server.testing.rehearsal.findings import Findings, Verdicts
from sternhalma_server.testing.rehearsal.stage import rehearse

__all__ = [
    "Field",
    "Findings",
    "RehearsalError",
    "Verdicts",
    "advice_for",
    "field_of",
    "rehearse",
]
