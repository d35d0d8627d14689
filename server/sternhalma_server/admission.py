"""Who may log in: the bots of an event, their tokens and their slots."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Collection, Iterable, Mapping
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


@dataclass(frozen=True, slots=True)
class Admitted:
    """A login that may be seated.

    `name` is as the event spells it, `key` the new key of a bot without a token, None for others;
    `takes_over` whether the name and slot are in use and this login proved to be the same bot.
    """

    name: str
    key: str | None
    takes_over: bool


def token_digest(token: str) -> str:
    """The SHA-256 of a token's UTF-8 text, in hex, as event files keep it."""
    return hashlib.sha256(token.encode()).hexdigest()


class Admission:
    """Decides about logins. Names are compared without regard to case.

    *new_key* makes a random key: what a bot without a token proves with that it is itself again.
    *versions* are those that bots have played this event with before; None where bots may change
    theirs, since a server has more than one event.
    """

    def __init__(
        self,
        bots: Iterable[Known],
        new_key: Callable[[], str],
        versions: Mapping[str, str | None] | None,
    ) -> None:
        self._known = {bot.name.lower(): bot for bot in bots}
        self._new_key = new_key
        self._keys: dict[tuple[str, int], str] = {}  # digests, by name and slot
        # By name, fixed by the first login.
        self._versions = None if versions is None else dict(versions)

    def invite(self, bot: Known) -> None:
        """Know one more bot from now on."""
        self._known[bot.name.lower()] = bot

    def dismiss(self, name: str) -> None:
        """Know a bot no more."""
        self._known.pop(name.lower(), None)

    def vouch(self, name: str, token: str | None) -> str | Refusal:
        """The bot called *name*, as the event spells it, if the *token* is its own.

        A bot without a token has nothing to prove itself by once it has gone.
        """
        known = self._known.get(name.lower())
        if known is None:
            # A program that the server starts plays here as well, but proves itself by nothing.
            sentence = "expected a bot that plays here and has a token of its own"
            return Refusal("unknown-name", f"{sentence}, got {quote(name)}")
        if known.token_sha256 is None or not _proves(token, known.token_sha256):
            return Refusal("bad-token", f"expected the token of {known.name!r}")
        return known.name

    def admit(self, login: Login, connected: Collection[tuple[str, int]]) -> Admitted | Refusal:
        """Admit *login*, or say why not; *connected* are the names and slots in use."""
        known = self._known.get(login.name.lower())
        if known is None:
            got = quote(login.name)
            return Refusal("unknown-name", f"expected a bot that plays here, got {got}")
        if known.token_sha256 is not None and not _proves(login.token, known.token_sha256):
            return Refusal("bad-token", f"expected the token of {known.name!r}")
        if login.slot > known.slots:
            sentence = f"expected slot 1 to {known.slots} for {known.name!r}, got {login.slot}"
            return Refusal("slot", sentence)
        seat = (known.name, login.slot)
        takes_over = seat in connected
        if takes_over and known.token_sha256 is None and not _proves(login.key, self._keys[seat]):
            sentence = f"{known.name!r} slot {login.slot} is connected already"
            return Refusal("in-use", f"{sentence}; its key= is needed to take it over")
        if self._versions is not None:
            first = self._versions.setdefault(known.name, login.version)
            if first != login.version:
                sentence = f"expected version {first or 'none'} as before in this event"
                return Refusal("version", f"{sentence}, got {login.version or 'none'}")
        key = None
        if known.token_sha256 is None:
            # Whoever has shown the key keeps it: the welcome that tells a new one may get lost.
            knows_key = seat in self._keys and _proves(login.key, self._keys[seat])
            key = login.key if knows_key else self._new_key()
            self._keys[seat] = token_digest(key or "")
        return Admitted(known.name, key, takes_over)


def _proves(secret: str | None, digest: str) -> bool:
    # Compared as digests and in constant time: a wrong secret teaches nothing about the right one,
    # whatever its length.
    return hmac.compare_digest(token_digest(secret or ""), digest)
