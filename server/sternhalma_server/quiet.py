"""Collections of Python's garbage that do not delay a referee."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

# Plies of running games are kept as small tuples, and the youngest of them would be looked at again
# every 700 objects; this often is often enough.
SELDOM: Final = (20_000, 20, 100)


@contextmanager
def seldom_collected() -> Generator[None]:
    """Leave what is here now out of collections, and collect the rest seldom.

    What is there when a server begins lives as long as it does. Kept out of collections, it does
    not make them long, and long collections are what delays a referee.
    """
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
