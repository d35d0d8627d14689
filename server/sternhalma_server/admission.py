"""Who may log in: the bots of an event, their tokens and their slots."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from sternhalma_server.wire import MAX_SLOT, Login, quote


@dataclass(frozen=True, slots=True)
class Known:
    """A bot that an event knows: the SHA-256 of its token in hex (None: no token is asked for) and
    how many connections it may have."""

    name: str
    token_sha256: str | None = None
    slots: int = MAX_SLOT


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a login is refused: a code of protocol.md and a sentence."""

    code: str
    sentence: str


def token_digest(token: str) -> str:
    """The SHA-256 of a token's UTF-8 text, in hex, as event files keep it."""
    return hashlib.sha256(token.encode()).hexdigest()


class Admission:
    """Decides about logins. Names are compared without regard to case."""

    def __init__(self, bots: Iterable[Known]) -> None:
        self._known = {bot.name.lower(): bot for bot in bots}
        self._versions: dict[str, str | None] = {}  # by lower-case name, fixed by the first login

    def name(self, login: Login) -> str:
        """The name as the event spells it, of a login that was admitted."""
        return self._known[login.name.lower()].name

    def version(self, name: str) -> str | None:
        """The version that *name* plays this event with, None if it named none."""
        return self._versions.get(name.lower())

    def admit(self, login: Login, connected: Collection[tuple[str, int]]) -> Refusal | None:
        """Admit *login*, or say why not; *connected* are the names and slots in use."""
        known = self._known.get(login.name.lower())
        if known is None:
            got = quote(login.name)
            return Refusal("unknown-name", f"expected one of the event's bots, got {got}")
        if known.token_sha256 is not None:
            # Compared as digests and in constant time: a wrong token teaches nothing about the
            # right one, whatever its length.
            digest = token_digest(login.token or "")
            if not hmac.compare_digest(digest, known.token_sha256):
                return Refusal("bad-token", f"expected the token of {known.name!r}")
        if login.slot > known.slots:
            sentence = f"expected slot 1 to {known.slots} for {known.name!r}, got {login.slot}"
            return Refusal("slot", sentence)
        if (known.name, login.slot) in connected:
            sentence = f"{known.name!r} slot {login.slot} is connected already"
            return Refusal("in-use", sentence)
        first = self._versions.setdefault(known.name.lower(), login.version)
        if first != login.version:
            sentence = f"expected version {first or 'none'} as before in this event"
            return Refusal("version", f"{sentence}, got {login.version or 'none'}")
        return None
