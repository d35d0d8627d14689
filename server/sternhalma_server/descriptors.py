"""How many files and connections this process may have open at once."""

from __future__ import annotations

import resource
from typing import Final

# For the store, the programs' pipes, the listening sockets and whatever the system needs.
SPARE: Final = 64


def raise_limit() -> int:
    """Allow this process as many descriptors as the system lets it; how many that are."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    except (OSError, ValueError):  # macOS names a limit that it does not grant
        return soft
    return hard


def spare_for_strangers() -> int:
    """How many connections without a login fit beside everything else: half of what there is."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return 1 << 16
    return max(8, (soft - SPARE) // 2)
