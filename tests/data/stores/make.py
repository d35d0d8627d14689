"""Saves a store of today's version as vN.sqlite in this folder, for the tests of later versions.

What `fill` puts in is what every version can hold, so that all saved stores hold the same.

Run it once when a version is released, and never again for that version:

    python tests/data/stores/make.py
"""

from __future__ import annotations

from pathlib import Path

from sternhalma_server.store import FinishedGame, Store, schema


def fill(store: Store) -> None:
    """Put something of everything into *store*: two events, games over and under way."""
    cup = store.add_event("cup", b'name = "cup"\n')
    store.set_secret(cup, "zoe", "0123456789abcdef" * 4)
    store.set_state(cup, "running")
    store.write(cup, "1\tply 1\n2\tply 1\n1\tply 2\n", [])
    store.write(cup, "2\tply 2\n3\tply 1\n", [FinishedGame(1, "record of 1\n", "said in 1\n")])
    store.amend(cup, "withdrawn", "max\nhas gone home")
    store.write(cup, "", [FinishedGame(3, "record of 3\n", "said in 3\n")])
    league = store.add_event("league", b'name = "league"\n')
    store.write(league, "1\tply 1 of the league\n", [])


def main() -> None:
    """Write the file, unless it is there."""
    path = Path(__file__).with_name(f"v{len(schema.MIGRATIONS)}.sqlite")
    if path.exists():
        raise SystemExit(f"{path}: expected no such file, a released store is never changed")
    with Store.open(path) as store:
        fill(store)


if __name__ == "__main__":
    main()
