"""When an event is believed to end: by how fast its games have ended lately."""

from __future__ import annotations

from collections import deque
from datetime import UTC, datetime, timedelta
from typing import Final

WINDOW: Final = 600.0  # seconds that are looked back on
_ENOUGH: Final = 10.0  # seconds that have to be seen before anything is believed


class Pace:
    """How many games of an event were over at which moment, in seconds of the caller's clock."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def see(self, now: float, over: int) -> None:
        """So many games are *over* now."""
        if self._seen and self._seen[-1][1] == over:
            return
        self._seen.append((now, over))
        # What is left spans the window, so that a slow event has a pace too.
        while len(self._seen) > 2 and self._seen[1][0] < now - WINDOW:
            self._seen.popleft()

    def left(self, now: float, planned: int) -> float | None:
        """Seconds until *planned* games are over, None where that cannot be said."""
        if not self._seen:
            return None
        began, before = self._seen[0]
        over = self._seen[-1][1]
        if over <= before or now - began < _ENOUGH:
            return None
        return max(0.0, (now - began) / (over - before) * (planned - over))


def progress(
    over: int, planned: int | None, running: int | None, left: float | None, today: datetime
) -> str:
    """How far an event is, in a sentence; *running* is None where no server is there to say."""
    whole = "" if planned is None else f" of {planned}"
    sentence = f"{over}{whole} games over"
    if running is None:
        return f"{sentence}; no server plays on now"
    sentence += f", {running} running"
    if left is None or planned is None or over >= planned:
        return sentence
    end = (today + timedelta(seconds=left)).astimezone(UTC)
    day = "" if end.date() == today.astimezone(UTC).date() else f" on {end:%Y-%m-%d}"
    return f"{sentence}; the end is expected in {_duration(left)}, about {end:%H:%M} UTC{day}"


def _duration(seconds: float) -> str:
    """A length of time as one says it.

    >>> _duration(5), _duration(400), _duration(8000)
    ('less than a minute', '7 minutes', '2.2 hours')
    """
    minutes = round(seconds / 60)
    if seconds < 60:
        return "less than a minute"
    if minutes < 90:
        return f"{minutes} minute{'s' if minutes > 1 else ''}"
    return f"{seconds / 3600:.1f} hours"
