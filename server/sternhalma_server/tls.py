"""TLS between a transport and whoever uses it, without giving up the kernel's stamps.

The usual way is to wrap the socket, and then nobody can read it together with the stamp of the
packet. Here the bytes are read as without TLS, stamp and all, and deciphered in memory
(`ssl.MemoryBIO`): text has the stamp of the read that completed its record. Nothing waits except
the handshake, which a caller bounds by its deadline for the login.
"""

from __future__ import annotations

import errno
import os
import ssl
from contextlib import suppress
from pathlib import Path
from typing import Final, NoReturn

import trio

from sternhalma_server.transport import RECEIVE, Transport
from sternhalma_server.wire import bye

RECORD: Final = 16384  # bytes of text in one record at most
# What a peer may send without saying anything. OpenSSL works for every change of keys and every
# wish to negotiate again, and no line is counted for it; so a byte of text earns more than any
# record costs around it, and who sends only what earns nothing comes to an end.
ALLOWANCE: Final = 65536  # bytes
EARNED: Final = 32  # bytes, by each byte of text

_HANDSHAKE: Final = b"\x16"  # the first byte of whoever speaks TLS
_PLAIN: Final = bye("tls", "expected a TLS handshake, this port speaks TLS").encode() + b"\n"


class TlsError(ValueError):
    """A certificate or a key that cannot be used; says which and why."""


class HandshakeError(OSError):
    """A peer that no TLS connection could be agreed on with."""


def server_context(cert: Path, key: Path) -> ssl.SSLContext:
    """What a server needs for TLS 1.2 and later. Raises `TlsError`.

    *cert* is a PEM file with its certificate and those up to the authority, *key* its private key.
    """
    _check_readable("certificate", cert)
    _check_readable("key", key)
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cert)
    except ssl.SSLError:
        raise TlsError(f"expected a certificate in PEM, got none in {str(cert)!r}") from None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # Bots stay connected, so taking up an earlier session gains nothing; and without tickets the
    # server has nothing to say between the handshake and its greeting.
    context.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_TICKET
    context.num_tickets = 0

    def passphrase() -> NoReturn:
        # Left to itself OpenSSL asks for it at the terminal, which a server may not have.
        raise TlsError(f"expected a key without a passphrase, got one with it in {str(key)!r}")

    try:
        context.load_cert_chain(cert, key, passphrase)
    except ssl.SSLError as problem:
        raise _key_error(cert, key, problem) from None
    return context


def _key_error(cert: Path, key: Path, problem: ssl.SSLError) -> TlsError:
    """What is wrong with *key*, or with how it goes with *cert*, which is a certificate."""
    # OpenSSL has no certificate for a key of another kind (RSA and elliptic curves), only for one
    # of the same kind it compares.
    if problem.reason in {"KEY_VALUES_MISMATCH", "KEY_TYPE_MISMATCH", "NO_CERTIFICATE_ASSIGNED"}:
        expected = f"expected the key that belongs to the certificate {str(cert)!r}"
        return TlsError(f"{expected}, got another in {str(key)!r}")
    if b"PRIVATE KEY-----" not in key.read_bytes():
        return TlsError(f"expected a private key in PEM, got none in {str(key)!r}")
    if not problem.reason:  # its PEM reader says nothing but where in its source it gave up
        return TlsError(f"expected a private key in PEM, got a damaged one in {str(key)!r}")
    got = f"got {_reason(problem)!r} for {str(cert)!r} and {str(key)!r}"
    return TlsError(f"expected a certificate and a key that OpenSSL takes, {got}")


def _check_readable(what: str, path: Path) -> None:
    try:
        path.read_bytes()
    except OSError as problem:
        raise TlsError(
            f"expected the TLS {what} in a file that can be read,"
            f" got {str(path)!r}: {problem.strerror}"
        ) from None


class TlsTransport:
    """TLS over another transport; nothing is sent or received before `handshake` has returned.

    It is the server's end, or with *host* the client's end, which expects that name in the
    certificate. Who was told by `send` that bytes did not go offers them again, first and
    unchanged: they may be on their way in cipher already.
    """

    __slots__ = (
        "_allowance",
        "_ended",
        "_established",
        "_failure",
        "_incoming",
        "_inner",
        "_is_closed",
        "_outgoing",
        "_owed",
        "_ready",
        "_speaks_tls",
        "_tls",
        "_unsent",
    )

    def __init__(self, inner: Transport, context: ssl.SSLContext, host: str | None = None) -> None:
        self._inner = inner
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._tls = context.wrap_bio(
            self._incoming, self._outgoing, server_side=host is None, server_hostname=host
        )
        self._speaks_tls = host is not None  # as far as is known; a client's peer is never told
        self._established = False
        self._is_closed = False
        self._ended = False  # nothing more comes
        self._failure: str | None = None  # why, unless the peer has ended
        self._allowance = ALLOWANCE
        self._ready: tuple[bytes, int] | None = None  # text that came with the handshake
        self._unsent = b""  # cipher that has not been taken
        self._owed = 0  # bytes of text in it

    @property
    def peer(self) -> str:
        """The peer's address, for people."""
        return self._inner.peer

    def now(self) -> int:
        """The time in nanoseconds on the clock of the stamps."""
        return self._inner.now()

    async def handshake(self) -> None:
        """Agree with the peer on keys. Raises `HandshakeError`, or the `OSError` of what is below.

        It waits as long as the peer lets it wait: bound it.
        """
        stamp = 0
        while not self._shake_hands():
            await self._pass_all_on()
            await self._inner.wait_readable()
            try:
                data, stamp = self._inner.receive()
            except BlockingIOError:
                continue
            if not data:
                raise HandshakeError(errno.ECONNRESET, "the peer left during the TLS handshake")
            self._speaks_tls = self._speaks_tls or data[:1] == _HANDSHAKE
            self._incoming.write(data)
        await self._pass_all_on()
        self._established = True
        if text := self._decipher():
            self._ready = text, stamp

    def receive(self) -> tuple[bytes, int]:
        """Text that has arrived and the stamp of the read that completed it; b"" at the end."""
        self._check_established()
        if self._ready is not None:
            ready, self._ready = self._ready, None
            return ready
        text, stamp = b"", self.now()
        if not self._ended:
            data, stamp = self._inner.receive()
            text = self._take(data)
        if text or (self._ended and self._failure is None):
            return text, stamp
        if self._failure is not None:
            raise OSError(errno.EPROTO, self._failure)
        raise BlockingIOError(errno.EAGAIN, "no whole record has arrived")

    def send(self, data: bytes) -> int:
        """Hand over as much of *data* as goes; how many bytes went."""
        self._check_established()
        sent = 0
        try:
            if self._owed:
                self._pass_on()
                sent, self._owed = self._owed, 0
            while sent < len(data):
                self._owed = self._tls.write(data[sent : sent + RECORD])
                self._pass_on()
                sent, self._owed = sent + self._owed, 0
        except BlockingIOError:
            if not sent:
                raise
        except ssl.SSLError as problem:
            raise OSError(errno.EPROTO, f"TLS failed: {_reason(problem)}") from None
        return sent

    async def wait_readable(self) -> None:
        """Return when `receive` has something to say, or part of a record has arrived."""
        if (self._ready is not None or self._ended) and not self._is_closed:
            await trio.lowlevel.checkpoint()
        else:
            await self._inner.wait_readable()

    async def wait_writable(self) -> None:
        """Return when `send` can take something."""
        await self._inner.wait_writable()

    def close(self) -> None:
        """End both directions, with a word to the peer in what it can read."""
        if not self._is_closed:
            self._is_closed = True
            with suppress(OSError):
                if self._established and self._failure is None:
                    with suppress(ssl.SSLError):  # it wants to read the peer's good-bye
                        self._tls.unwrap()
                    self._pass_on()
                elif not self._established and not self._hears_tls():
                    self._inner.send(_PLAIN)
        self._inner.close()

    def _hears_tls(self) -> bool:
        """Whether the peer speaks TLS, by what it has sent; a silent one waits for plain text."""
        if not self._speaks_tls:
            with suppress(BlockingIOError):
                self._speaks_tls = self._inner.receive()[0][:1] == _HANDSHAKE
        return self._speaks_tls

    def _shake_hands(self) -> bool:
        """A step of the handshake; whether it was the last."""
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            return False
        except ssl.SSLError as problem:
            if self._speaks_tls:  # an alert means nothing to others
                with suppress(OSError):
                    self._pass_on()
            sentence = f"no TLS handshake: {_reason(problem)}"
            raise HandshakeError(errno.EPROTO, sentence) from None
        return True

    def _take(self, data: bytes) -> bytes:
        """The text that *data* completes, b"" if none."""
        if not data:
            # Without TLS's own good-bye a line may lack its end, and then it is no line anyway.
            self._ended = True
            return b""
        self._incoming.write(data)
        text = self._decipher()
        earned = self._allowance + EARNED * len(text) - len(data)
        self._allowance = min(ALLOWANCE, earned)
        if earned < 0 and not self._ended:
            self._ended = True
            self._failure = "expected lines, got TLS records with nothing in them"
        return text

    def _decipher(self) -> bytes:
        """All text whose records are whole; notes if it is the last."""
        parts: list[bytes] = []
        try:
            while part := self._tls.read(RECEIVE):
                parts.append(part)
            self._ended = True
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLZeroReturnError:
            self._ended = True
        except ssl.SSLError as problem:
            self._ended = True
            self._failure = f"TLS failed: {_reason(problem)}"
        if self._outgoing.pending:
            # An alert, or new keys: what does not go now goes before the next text.
            with suppress(OSError):
                self._pass_on()
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _pass_on(self) -> None:
        """Hand the cipher on. Raises `BlockingIOError` while some is left, and `OSError`."""
        self._unsent += self._outgoing.read()
        while self._unsent:
            self._unsent = self._unsent[self._inner.send(self._unsent) :]

    async def _pass_all_on(self) -> None:
        while True:
            try:
                return self._pass_on()
            except BlockingIOError:
                await self._inner.wait_writable()

    def _check_established(self) -> None:
        if self._is_closed:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        if not self._established:
            raise OSError(errno.ENOTCONN, "the TLS handshake is not complete")


def _reason(problem: ssl.SSLError) -> str:
    """OpenSSL's reason as words: it comes as `WRONG_VERSION_NUMBER`, or for people already."""
    if isinstance(problem, ssl.SSLCertVerificationError):
        return problem.verify_message
    return str(problem.reason or problem.strerror or problem).replace("_", " ").lower()
