"""Handing a bot over the wire what it was told and said in a game that is over.

Whoever fetches is no bot in the lobby: it asks for one game, is sent it as fast as it reads, and is
sent away. The store is read and the game gone through in a thread, one at a time, so that games
that are played wait for none of it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import trio

from sternhalma_server.archive import STORE
from sternhalma_server.chronicle import Chronicle, chronicle_in, there_are
from sternhalma_server.connection import Connection
from sternhalma_server.conversation import format_conversation
from sternhalma_server.rulings import stored_event
from sternhalma_server.session import Session
from sternhalma_server.store import Store, StoreError
from sternhalma_server.transport import Transport

NO_GAME: Final = "?"  # the name of no game: who asks for it is told which there are
PLACES: Final = 16  # transcripts that are handed over at once
WITHIN: Final = 60.0  # seconds in which one has to be taken


class Library:
    """The games of the store in the folder *root*, for those who played them."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._fetching = 0
        self._thread = trio.CapacityLimiter(1)

    async def attend(
        self, connection: Connection, session: Session, bot: str, game: str, seat: str | None
    ) -> None:
        """Hand *bot*, which has proved to be it, its transcript of *game*; closes the *session*.

        Nobody else reads the connection or sends over it; to close it is left to the caller.
        """
        if self._fetching >= PLACES:
            session.close("full", f"expected at most {PLACES} transcripts at once, try again later")
            return
        self._fetching += 1
        try:
            with trio.move_on_after(WITHIN) as scope:
                try:
                    text = await trio.to_thread.run_sync(
                        self._read, bot, game, seat, limiter=self._thread, abandon_on_cancel=True
                    )
                except (ValueError, StoreError) as problem:
                    session.close("no-transcript", str(problem))
                    return
                await _send(connection.transport, f"welcome transcript\n{text}".encode())
                session.close("transcript-over", "that is all of it")
            if scope.cancelled_caught:
                session.close("slow", f"expected it to be read within {WITHIN:g} s")
        except (OSError, trio.ClosedResourceError):
            connection.ended = "the peer went away"
        finally:
            self._fetching -= 1

    def _read(self, bot: str, game: str, seat: str | None) -> str:
        """The transcript as text. Raises `ValueError`, `StoreError`."""
        with Store.read(self._root / STORE) as store:
            chronicle = _found(store, game)
            if chronicle is None or bot not in chronicle.seats.values():
                event = game.rpartition("/")[0]
                events = [one for one in store.events() if event in {"", one.name}]
                got = "none" if game == NO_GAME else repr(game)
                missing = f"expected a game of {bot} that is over, got {got}"
                raise ValueError(f"{missing}; {there_are(store, events or store.events(), bot)}")
        seats = [letter for letter, name in chronicle.seats.items() if name == bot]
        if seat is None and len(seats) > 1:
            raise ValueError(f"expected seat= with one of {', '.join(seats)}, got none")
        if seat is not None and seat not in seats:
            raise ValueError(f"expected seat={seats[0]}, the seat of {bot}, got seat={seat}")
        return format_conversation(chronicle.told_to(seat or seats[0]))


def _found(store: Store, game: str) -> Chronicle | None:
    """The game that the wire calls *game*, None if there is none that is over."""
    event, _, number = game.rpartition("/")
    if not (number.isdecimal() and number.isascii() and len(number) < 10):
        return None
    stored = store.event(event) if store.league is not None else stored_event(store)
    if stored is None or (store.league is None and event):
        return None
    return chronicle_in(store, stored, int(number))


async def _send(transport: Transport, data: bytes) -> None:
    """Hand over *data* as the peer takes it. Raises `OSError`."""
    view = memoryview(data)
    while view:
        try:
            view = view[transport.send(bytes(view[:65536])) :]
        except BlockingIOError:
            await transport.wait_writable()
        else:
            await trio.lowlevel.checkpoint()
