"""Chance that anybody can repeat: numbers that follow from a text and from nothing else.

The standard generator is not promised to stay the same between Python versions, and a schedule or
an opening must be the same on every machine for ever. SplitMix64 (Steele, Lea and Flood, 2014) is
ten lines and is seeded here from SHA-256 of the text that names the purpose.
"""

import hashlib
from collections.abc import MutableSequence
from typing import TypeVar

_MASK = 2**64 - 1

T = TypeVar("T")


class Chance:
    """A stream of repeatable random numbers."""

    __slots__ = ("_state",)

    def __init__(self, key: str) -> None:
        self._state = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big")

    def bits(self) -> int:
        """The next 64 bits."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return mixed ^ (mixed >> 31)

    def below(self, bound: int) -> int:
        """A whole number from 0 to *bound* - 1, all equally likely; *bound* is at most 2**64."""
        if not 0 < bound <= 2**64:
            raise ValueError(f"expected a bound from 1 to 2**64, got {bound!r}")
        # Values of the incomplete last stretch are thrown away, else small numbers would be
        # likelier.
        limit = 2**64 - 2**64 % bound
        while (value := self.bits()) >= limit:
            pass
        return value % bound

    def unit(self) -> float:
        """A number from 0 up to but not including 1, in steps of 2**-53."""
        return (self.bits() >> 11) * 2.0**-53

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Put *items* in random order, all orders equally likely."""
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]
