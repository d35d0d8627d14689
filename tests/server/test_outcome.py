"""Outcomes: a game in short says what its record says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.recorded import KINDS, PATIENT, Kind, recorded
from sternhalma_server.outcome import format_outcome, outcome_of, read_outcome
from sternhalma_server.record import Out, format_record


@PATIENT
@given(st.sampled_from(KINDS), st.integers(0, 100), st.sampled_from([0.0, 0.2]))
def test_an_outcome_is_read_back_and_follows_from_the_record(
    kind: Kind, seed: int, fall: float
) -> None:
    record = recorded(kind, seed, fall=fall)
    outcome = outcome_of(record)
    assert read_outcome(format_outcome(outcome), None) == outcome
    assert read_outcome(None, format_record(record)) == outcome
    fell = {one.seat for one in record.happened if isinstance(one, Out) and one.reason.is_forfeit}
    assert {
        player.seat
        for player, forfeit in zip(record.players, outcome.forfeits, strict=True)
        if forfeit
    } == fell
    assert outcome.result(record.game).places == record.places


def test_a_text_that_is_no_outcome_is_refused() -> None:
    with pytest.raises(ValueError, match=r"expected an outcome, got '\[\]'"):
        read_outcome("[]", None)
