"""Bytes to lines: the same lines however the network cuts them."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sternhalma_server.framing import MAX_LINE, Line, LineBuffer

# Line ends, halves of them, bytes that are no UTF-8, and text: what a stream of lines is made of.
PIECES = st.sampled_from(
    [b"\n", b"\r\n", b"\r", b"\0", b"\xff", b"\xc3", "é€".encode(), b"move 1 1 a5-e5", b" ", b"x"]
) | st.integers(MAX_LINE - 2, MAX_LINE + 3).map(lambda size: b"y" * size)
STREAMS = st.lists(PIECES, max_size=12).map(b"".join)


def lines_of(*packets: bytes) -> list[Line]:
    """The lines of *packets*, the n-th of which arrives at n."""
    buffer, lines = LineBuffer(), list[Line]()
    for stamp, packet in enumerate(packets):
        buffer.feed(packet, stamp)
        while (line := buffer.next()) is not None:
            lines.append(line)
    return lines


def cut(data: bytes, cuts: list[int]) -> list[bytes]:
    """*data* in pieces, none of them empty."""
    bounds = [0, *sorted({place % len(data) for place in cuts} - {0}), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(bounds)]


@given(STREAMS.filter(len), st.lists(st.integers(0, 5000)))
@example(b"a\r\nb\n", [2])
@example(b"y" * (MAX_LINE + 1) + b"\r\nb\n", [MAX_LINE + 1, MAX_LINE + 2])
def test_the_lines_are_the_same_however_the_bytes_are_cut(data: bytes, cuts: list[int]) -> None:
    whole = [(line.text, line.fault) for line in lines_of(data + b"\n")]
    pieces = [(line.text, line.fault) for line in lines_of(*cut(data, cuts), b"\n")]
    assert pieces == whole


@given(STREAMS)
def test_every_line_is_within_the_limit_or_has_a_fault(data: bytes) -> None:
    for line in lines_of(data + b"\n"):
        assert line.fault is not None or 0 < len(line.text.encode()) <= MAX_LINE
        assert "\n" not in line.text


@given(STREAMS.filter(len), st.lists(st.integers(0, 5000)))
def test_a_line_has_the_stamp_of_the_packet_that_completes_it(data: bytes, cuts: list[int]) -> None:
    packets = [*cut(data, cuts), b"\n"]
    # Overlong lines are the exception: they are told as soon as they are too long.
    lines = [line for line in lines_of(*packets) if line.fault is None]
    ends = [n for n, packet in enumerate(packets) for _ in range(packet.count(b"\n"))]
    texts = data.split(b"\n") if packets else []
    assert len(ends) == len(texts)
    expected = [end for end, text in zip(ends, texts, strict=True) if _is_good(text)]
    assert [line.stamp for line in lines] == expected


def _is_good(text: bytes) -> bool:
    text = text.removesuffix(b"\r")
    return 0 < len(text) <= MAX_LINE and text.decode(errors="replace").encode() == text


def test_crlf_that_is_split_over_two_packets_is_one_line_end() -> None:
    assert [line.text for line in lines_of(b"ping a\r", b"\nping b\r\n")] == ["ping a", "ping b"]


def test_a_bare_carriage_return_is_no_line_end() -> None:
    assert [line.text for line in lines_of(b"ping a\rping b\n")] == ["ping a\rping b"]


def test_only_one_carriage_return_belongs_to_the_line_end() -> None:
    assert [line.text for line in lines_of(b"ping a\r\r\n")] == ["ping a\r"]


def test_blank_lines_are_ignored() -> None:
    assert lines_of(b"\n\r\n", b"\r", b"\n", b"\n") == []


def test_half_a_line_is_no_line() -> None:
    assert lines_of(b"move 1 1 a5-e5") == []


def test_a_zero_byte_is_a_character_like_another() -> None:
    assert [line.text for line in lines_of(b"ping\0 a\n")] == ["ping\0 a"]


def test_bytes_that_are_not_utf_8_are_a_fault_of_their_line_alone() -> None:
    bad, good = lines_of(b"ping \xff\xfe\nping b\n")
    assert bad.fault == "expected UTF-8"
    assert bad.text == r"ping \xff\xfe"
    assert good == Line("ping b", 0, early=False)


def test_a_character_that_is_split_over_two_packets_is_whole() -> None:
    head, tail = "ping ü\n".encode().split(b"\xbc")
    assert [line.text for line in lines_of(head, b"\xbc" + tail)] == ["ping ü"]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_line_of_the_full_length_is_good(end: bytes) -> None:
    assert lines_of(b"x" * MAX_LINE + end) == [Line("x" * MAX_LINE, 0, early=False)]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_line_of_one_byte_more_has_a_fault(end: bytes) -> None:
    (line,) = lines_of(b"x" * (MAX_LINE + 1) + end)
    assert line.fault == "expected a line of at most 1024 bytes, got more"


def test_a_line_that_is_too_long_is_told_before_it_ends_and_once() -> None:
    packets = [b"x" * 1000] * 1000
    (line,) = lines_of(*packets)
    assert line.stamp == 1
    assert line.text == "x" * MAX_LINE


def test_what_follows_a_line_that_is_too_long_is_read() -> None:
    lines = lines_of(b"x" * 5000, b"x" * 100, b"xx\nping a\npi", b"ng b\n")
    assert [line.text for line in lines[1:]] == ["ping a", "ping b"]


@given(st.lists(st.one_of(PIECES, st.none()), max_size=12))
@example([b"x" * 2000, None, b"\nmove 1 1 ", b"a5-e5\n"])
@example([b"mov", None, b"e\n", b"move\n"])
@example([b"\r", None, b"\nx\n"])
def test_a_line_is_early_if_and_only_if_a_byte_of_it_came_before_the_mark(
    steps: list[bytes | None],
) -> None:
    buffer, lines = LineBuffer(), list[Line]()
    for step in [*steps, b"\n"]:
        if step is None:
            buffer.mark()
        else:
            buffer.feed(step, 0)
        while (line := buffer.next()) is not None:
            lines.append(line)
    good = [(line.text, line.early) for line in lines if line.fault is None]
    assert good == _early_by_hand(steps)


def _early_by_hand(steps: list[bytes | None]) -> list[tuple[str, bool]]:
    found: list[tuple[str, bool]] = []
    line, early = b"", False
    for step in [*steps, b"\n"]:
        if step is None:
            early = early or bool(line)
            continue
        for byte in step:
            if byte != 10:
                line += bytes([byte])
                continue
            if _is_good(line):
                found.append((line.removesuffix(b"\r").decode(), early))
            line, early = b"", False
    return found


# A connection that takes another one's place.


def test_the_whole_lines_of_the_connection_before_come_first_as_they_were() -> None:
    old, new = LineBuffer(), LineBuffer()
    old.feed(b"ping a\nping b\nmov", 1)
    new.feed(b"ping c\npi", 2)
    new.inherit(old)
    new.feed(b"ng d\nping e\n", 3)
    lines = [new.next() for _ in range(6)]
    assert lines == [
        Line("ping a", 1, early=False),
        Line("ping b", 1, early=False),
        Line("ping c", 2, early=True),
        Line("ping d", 3, early=True),
        Line("ping e", 3, early=False),
        None,
    ]
    assert old.next() is None


def test_what_has_no_line_feed_can_be_quoted_with_the_stamp_of_its_last_packet() -> None:
    buffer = LineBuffer()
    assert buffer.unfinished() is None
    for stamp, packet in enumerate([b"ping a\nmove 1 1", b" a5-", b"b\xff"], start=7):
        buffer.feed(packet, stamp)
    half = buffer.unfinished()
    assert half is not None
    assert (half.text, half.stamp) == ("move 1 1 a5-b\\xff", 9)
    assert half.fault is not None, "so that nobody takes it for a line"
    buffer.feed(b"\n", 10)
    assert buffer.unfinished() is None


def test_of_a_line_that_was_told_as_too_long_nothing_is_left_to_quote() -> None:
    buffer = LineBuffer()
    buffer.feed(b"x" * (MAX_LINE + 2), 1)
    buffer.feed(b"y", 2)
    assert buffer.unfinished() is None
