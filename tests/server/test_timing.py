"""The times of a record: what clocks did holds, and whatever else does not."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from server.conducted import CALM, Chances, Conduct, conducted, table
from server.recorded import PATIENT
from sternhalma_server.announce import Table
from sternhalma_server.clock import MILLISECOND, SECOND, Lag
from sternhalma_server.record import Out, Ply, Record, RecordError, format_record, parse_record
from sternhalma_server.replay import replay
from sternhalma_server.timing import credit_left, length, moment, prove_times
from sternhalma_server.verdict import Reason

LAG = Lag(20 * MILLISECOND + 333, 500 * MILLISECOND)
ROUGH = Chances(late=0.04, silent=0.04, wrong=0.05, gone=0.03, resigns=0.02, absent=0.05)

tables = st.builds(
    table,
    rules=st.sampled_from(["corner", "tara"]),
    players=st.sampled_from([2, 3]),
    limit=st.integers(1, 8),
    clock=st.sampled_from(["none", "2s", "3s+0.5s", "1s+5x2s", "0s+3x700ms", "1ms", "40ms+1ms"]),
    lag=st.sampled_from([None, LAG, Lag(1, 1), Lag(0, MILLISECOND + 1)]),
    tries=st.integers(0, 1),
    opening=st.integers(0, 3),
)
seeds = st.integers(0, 2**32)
credited = st.sampled_from([(), (0,), (1,), (0, 1)])
chances = st.sampled_from([CALM, ROUGH])


def complaint(record: Record, lag: Lag | None = None) -> str:
    with pytest.raises(RecordError) as error:
        prove_times(record, lag)
    return str(error.value)


def altered(record: Record, number: int, **keys: str | None) -> Record:
    """*record* with other keys at happening *number*; None takes a key away."""
    happened = list(record.happened)
    before = happened[number]
    assert isinstance(before, Ply | Out)
    changed = {**dict(before.evidence), **keys}
    evidence = tuple((key, value) for key, value in changed.items() if value is not None)
    happened[number] = replace(before, evidence=evidence)
    return replace(record, happened=tuple(happened))


def keys_of(record: Record, number: int) -> dict[str, str]:
    happening = record.happened[number]
    assert isinstance(happening, Ply | Out)
    return dict(happening.evidence)


@PATIENT
@given(tables, seeds, credited, chances)
def test_what_a_referee_has_timed_holds(
    sits: Table, seed: int, in_credit: tuple[int, ...], likely: Chances
) -> None:
    record = conducted(sits, seed, in_credit=in_credit, chances=likely)
    replay(record)
    prove_times(parse_record(format_record(record)), sits.lag)


@PATIENT
@given(tables, seeds, credited, st.lists(st.integers(1, 4), max_size=4))
def test_what_a_referee_has_timed_holds_over_stops_of_the_server(
    sits: Table, seed: int, in_credit: tuple[int, ...], turns: list[int]
) -> None:
    game = Conduct(sits, seed, in_credit=in_credit)
    for number, some in enumerate(turns):
        if game.play(some) is not None:
            break
        game = game.stopped(seed + number + 1)
    record = game.play()
    assert record is not None
    prove_times(record, sits.lag)


TIMES = re.compile(r" (charged|left|sent|received|credit|limit)=(\d+)(?:\.(\d+))?")


@PATIENT
@given(tables, seeds, credited, st.data())
def test_a_time_that_was_altered_is_noticed(
    sits: Table, seed: int, in_credit: tuple[int, ...], data: st.DataObject
) -> None:
    record = conducted(sits, seed, in_credit=in_credit, chances=Chances(late=0.1))
    text = format_record(record)
    spots = [
        spot
        for line in re.finditer(r"^(?:\d+|out) .*$", text, re.MULTILINE)
        for spot in TIMES.finditer(text, line.start(), line.end())
        if not (spot[1] == "sent" and line[0].startswith("out"))
    ]
    assume(spots)
    spot = data.draw(st.sampled_from(spots))
    # Each move leaves a microsecond in which the clock may stand: so many must not hide a change.
    by = data.draw(st.sampled_from([-50_000, -50, 50, 50_000]))
    digits = len(spot[3] or "")
    number = int(spot[2] + (spot[3] or "")) + by
    assume(number >= 0)
    written = f"{number:0{digits + 1}d}"
    value = written if not digits else f"{written[:-digits]}.{written[-digits:]}"
    body = text[: spot.start()] + f" {spot[1]}={value}" + text[spot.end() :]
    body = body.rpartition("sha256 ")[0]
    complaint(parse_record(body + f"sha256 {_digest(body)}\n"), sits.lag)


def _digest(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()


RECORD = conducted(table("corner", 2, 2, clock="3s+0.5s"), seed=3)
CREDITED = conducted(table("corner", 2, 2, lag=LAG), seed=3, in_credit=[0, 1])
FALLEN = conducted(table("corner", 2, 9), seed=1, chances=Chances(late=0.3))
SILENT = conducted(table("corner", 2, 9, lag=LAG), 3, in_credit=[0, 1], chances=Chances(silent=0.3))


@pytest.mark.parametrize("key", ["charged", "left", "sent", "received", "late"])
def test_every_move_of_a_bot_has_its_times(key: str) -> None:
    assert complaint(altered(RECORD, 0, **{key: None})) == (
        f"game 1, line 9: expected charged, left, sent, received, late, got no {key!r}"
    )


def test_what_was_measured_is_charged_or_credited() -> None:
    keys = keys_of(CREDITED, 0)
    charged = length(keys["charged"]) + 3000
    changed = f"{charged // MILLISECOND}.{charged % MILLISECOND // 1000:03d}"
    elapsed = moment(keys["received"]) - moment(keys["sent"])
    assert complaint(altered(CREDITED, 0, charged=changed), LAG) == (
        f"game 1, line 9: expected the {elapsed // MILLISECOND}.{elapsed % MILLISECOND // 1000:03d}"
        f" ms from sent to received to be charged or credited, got {changed} and {keys['credit']}"
    )


def test_an_answer_before_its_question_is_noticed() -> None:
    sent = moment(keys_of(RECORD, 0)["sent"])
    early = f"{sent // SECOND - 1}.{sent % SECOND // 1000:06d}"
    said = complaint(altered(RECORD, 0, received=early))
    assert said.startswith("game 1, line 9: expected the -1000.000 ms from sent to received")


def test_what_is_left_follows_from_the_clock() -> None:
    left = int(keys_of(RECORD, 1)["left"])
    assert complaint(altered(RECORD, 1, left=str(left + 1))) == (
        f"game 1, line 10: expected left={left} by the clock, got '{left + 1}'"
    )
    assert complaint(altered(RECORD, 1, left="-")) == (
        f"game 1, line 10: expected left={left} by the clock, got '-'"
    )


def test_without_a_clock_nothing_is_left() -> None:
    record = conducted(table("corner", 2, 2, clock="none"), seed=3)
    assert complaint(altered(record, 0, left="5")) == (
        "game 1, line 9: expected left=- by the clock, got '5'"
    )


def test_a_move_that_took_longer_than_there_was_is_noticed() -> None:
    times = {"charged": "2000.001", "sent": "10.000000", "received": "12.000001"}
    record = conducted(table("corner", 2, 2), seed=3)
    assert complaint(altered(record, 0, **times)) == (
        "game 1, line 9: expected at most 2000.000 charged, the flag falls then, got 2000.001"
    )


def test_credit_is_what_the_bucket_held() -> None:
    times = {"charged": "100.000", "credit": "400.000", "sent": "1.000000", "received": "1.500000"}
    assert complaint(altered(CREDITED, 0, **times), LAG) == (
        "game 1, line 9: expected credit=500.000, got 400.000"
    )


def test_there_is_no_credit_where_the_event_gives_none() -> None:
    assert ": expected no credit in an event without lag, got " in complaint(CREDITED, None)


def test_a_ply_that_no_bot_played_has_no_times() -> None:
    record = conducted(table("corner", 2, 2, opening=1), seed=3)
    assert complaint(altered(record, 0, charged="1.000")) == (
        "game 1, line 9: expected no times of a ply by 'opening', got some"
    )


def fall_of(record: Record) -> int:
    (number,) = [at for at, happening in enumerate(record.happened) if isinstance(happening, Out)]
    return number


@pytest.mark.parametrize("key", ["sent", "waited", "limit"])
def test_a_fall_by_time_has_its_evidence(key: str) -> None:
    at = fall_of(FALLEN)
    assert complaint(altered(FALLEN, at, **{key: None})) == (
        f"game 1, line {FALLEN.line_of(at)}: expected sent, waited, limit, got no {key!r}"
    )


def test_a_clock_does_not_run_out_before_its_end() -> None:
    at = fall_of(FALLEN)
    assert keys_of(FALLEN, at)["limit"] == "2000.000"
    assert complaint(altered(FALLEN, at, waited="1999.999")) == (
        f"game 1, line {FALLEN.line_of(at)}: expected more than 2000.000 waited before a fall by"
        " time, got 1999.999"
    )
    prove_times(altered(FALLEN, at, waited="2000.000"), None)  # and a few nanoseconds


def test_a_clock_does_not_run_out_while_there_is_credit() -> None:
    at = fall_of(SILENT)
    last = SILENT.happened[at]
    assert isinstance(last, Out)
    credit = credit_left(SILENT, last.seat, LAG)
    assert credit is not None
    assert credit > 0
    assert ": expected more than 2" in complaint(altered(SILENT, at, waited="2000.001"), LAG)


def test_the_limit_of_a_fall_follows_from_the_clock() -> None:
    at = fall_of(FALLEN)
    assert complaint(altered(FALLEN, at, limit="1000.000")) == (
        f"game 1, line {FALLEN.line_of(at)}: expected limit=2000.000 by the clock, got 1000.000"
    )


def test_nobody_falls_by_time_without_a_clock() -> None:
    record = conducted(table("corner", 2, 9, clock="none"), 1, chances=Chances(resigns=0.3))
    at = fall_of(record)
    fall = record.happened[at]
    assert isinstance(fall, Out)
    times = (("sent", "1.000000"), ("waited", "2000.001"), ("limit", "2000.000"))
    forged = replace(fall, reason=Reason.TIME, evidence=times)
    happened = (*record.happened[:at], forged)
    assert complaint(replace(record, happened=happened)) == (
        f"game 1, line {record.line_of(at)}: expected no limit without a clock, got 2000.000"
    )


def test_the_credit_that_is_left_is_told_of_who_had_any() -> None:
    assert credit_left(RECORD, "A", LAG) is None
    assert credit_left(CREDITED, "A", LAG) is not None


@pytest.mark.parametrize("text", ["1", "1.5", "01.000000", "-1.000000", "1,000000", "1.0000000"])
def test_a_time_that_cannot_be_read_is_named(text: str) -> None:
    with pytest.raises(ValueError, match=r"^expected a moment such as '1764451826.123456', got "):
        moment(text)
    with pytest.raises(ValueError, match=r"^expected milliseconds such as '12.345', got "):
        length(text)
