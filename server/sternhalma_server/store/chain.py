"""The hash chain of an event: one value that stands for every result, in the order they came.

The first value is the SHA-256 of the event file. Each result and each amendment makes the next one
from the value before and from its own bytes, so whoever kept the head of the chain can prove that
nothing before it was changed, taken out or put in. All it takes to follow the chain is SHA-256:

    head of no results          SHA-256(event file)
    head after a result         SHA-256(head before, SHA-256(record))
    head after an amendment     SHA-256(head before, SHA-256("amend KIND\\nTEXT"))

where values are chained as their 32 bytes and texts are UTF-8. The text of a record begins with
another word than `amend`, so that neither can be taken for the other.
"""

from __future__ import annotations

import hashlib


def digest_of(text: str) -> str:
    """The SHA-256 of *text*, in hexadecimal, as `sha256sum` prints it for a file with that text."""
    return hashlib.sha256(text.encode()).hexdigest()


def first_link(source: bytes) -> str:
    """The head of the chain of an event without results: the SHA-256 of its event file."""
    return hashlib.sha256(source).hexdigest()


def next_link(before: str, digest: str) -> str:
    """The value after *before* for what has the SHA-256 *digest*, all in hexadecimal."""
    return hashlib.sha256(bytes.fromhex(before) + bytes.fromhex(digest)).hexdigest()


def amendment_digest(kind: str, text: str) -> str:
    """What an amendment adds to the chain."""
    return digest_of(f"amend {kind}\n{text}")
