"""Bytes to lines: where one message ends and the next begins, and no more.

The packet that completes a line carries the line's stamp. A line of which a byte had arrived before
the buffer was marked is begun early; it stays so however late it is completed.
"""

from __future__ import annotations

from typing import Final, NamedTuple

MAX_LINE: Final = 1024  # bytes, without the line end
NO_END: Final = "<no line feed>"  # behind what had come of a line, where that is evidence


class Line(NamedTuple):
    """One line from a peer.

    `stamp` is when the packet that completed it arrived (nanoseconds, the server's monotonic
    clock), `early` whether it was begun before the last `LineBuffer.mark`, `fault` what is wrong
    with its bytes, None for a good one; `text` is then only fit to be quoted.
    """

    text: str
    stamp: int
    early: bool
    fault: str | None = None


class LineBuffer:
    """Cuts what arrives on one connection into lines.

    `lines` are those that are complete, until all of them have been taken. A deque would be 700
    bytes for every connection, however little comes over it.
    """

    __slots__ = ("_begun_early", "_head", "_head_stamp", "_skipping", "_taken", "lines")

    def __init__(self) -> None:
        self._head = b""  # the line under way
        self._head_stamp = 0  # of the last of it
        self._begun_early = False
        self._skipping = False  # inside a line that was too long
        self.lines: list[Line] = []
        self._taken = 0  # how many of them

    def feed(self, data: bytes, stamp: int) -> None:
        """Take *data*, which arrived at *stamp*."""
        head = self._head
        if not head and not self._skipping and data.count(b"\n") == 1 and data[-1] == 10:
            # One whole line in one packet: almost every answer.
            self._add(data[:-1], stamp)
            return
        *complete, rest = (head + data).split(b"\n")
        for line in complete:
            if self._skipping:
                self._skipping = self._begun_early = False
            else:
                self._add(line, stamp)
        if self._skipping:
            rest = b""
        elif len(rest) > MAX_LINE + 1:  # one more for a CR
            self._add(rest, stamp)
            self._skipping = True
            rest = b""
        if not rest:
            self._begun_early = False
        self._head = rest
        self._head_stamp = stamp

    def _add(self, line: bytes, stamp: int) -> None:
        early, self._begun_early = self._begun_early, False
        if line.endswith(b"\r"):
            line = line[:-1]
        if not line:
            return
        if len(line) > MAX_LINE:
            text = line[:MAX_LINE].decode("utf-8", "replace")
            fault = f"expected a line of at most {MAX_LINE} bytes, got more"
            self.lines.append(Line(text, stamp, early, fault))
            return
        try:
            self.lines.append(Line(line.decode("utf-8"), stamp, early))
        except UnicodeDecodeError:
            text = line.decode("utf-8", "backslashreplace")
            self.lines.append(Line(text, stamp, early, "expected UTF-8"))

    def next(self) -> Line | None:
        """The next complete line, None if there is none yet."""
        lines, taken = self.lines, self._taken
        if not lines:
            return None
        line = lines[taken]
        if taken + 1 < len(lines):
            self._taken = taken + 1
        else:
            lines.clear()
            self._taken = 0
        return line

    def unfinished(self) -> Line | None:
        """What has come of a line without its line feed, None if nothing has: only to be quoted."""
        if not self._head:
            return None
        text = self._head.decode("utf-8", "backslashreplace")
        return Line(text, self._head_stamp, self._begun_early, "expected a line feed")

    def inherit(self, other: LineBuffer) -> None:
        """Put the whole lines of *other* before what is here, which was all begun too early.

        A line that was under way there will never be completed.
        """
        mine = [line._replace(early=True) for line in self.lines[self._taken :]]
        self.lines, self._taken = other.lines[other._taken :] + mine, 0
        other.lines, other._taken = [], 0
        self.mark()

    def mark(self) -> None:
        """From here on lines are in time: whatever is under way now was begun early."""
        if self._head or self._skipping:
            self._begun_early = True
