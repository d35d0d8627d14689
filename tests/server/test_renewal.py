"""A certificate that is renewed under a running server is what newcomers are shown."""

from __future__ import annotations

import signal
import ssl
from contextlib import suppress
from pathlib import Path

import pytest
import trio
import trustme

from sternhalma_server.app import stop_signals
from sternhalma_server.renewal import follow_certificate
from sternhalma_server.tls import server_context


def renew(cert: Path, key: Path) -> bytes:
    """Write a new certificate and its key; the certificate as a peer sees it."""
    made = trustme.CA().issue_cert("localhost")
    key.write_bytes(made.private_key_pem.bytes())
    cert.write_bytes(made.cert_chain_pems[0].bytes())
    return ssl.PEM_cert_to_DER_cert(made.cert_chain_pems[0].bytes().decode())


def shown(server: ssl.SSLContext) -> bytes | None:
    """The certificate that a newcomer is shown, between two ends in memory."""
    trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = trusting.wrap_bio(down, up)
    peer = server.wrap_bio(up, down, server_side=True)
    for end in (client, peer, client):
        with suppress(ssl.SSLWantReadError):
            end.do_handshake()
    return client.getpeercert(binary_form=True)


async def test_newcomers_are_shown_the_new_certificate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sternhalma_server.renewal.EVERY", 0.01)
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    first = renew(cert, key)
    context = server_context(cert, key)
    told: list[str] = []
    assert shown(context) == first
    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(follow_certificate, context, cert, key, told.append)
            await trio.sleep(0.05)
            key.write_bytes(b"no key\n")
            while not told:
                await trio.sleep(0.01)
            assert told[0].startswith("the new certificate cannot be used, going on with the one")
            assert shown(context) == first
            second = renew(cert, key)
            while shown(context) != second:
                await trio.sleep(0.01)
            nursery.cancel_scope.cancel()
    assert told[-1] == f"a new certificate, from {cert}"


def test_a_terminal_that_is_closed_asks_a_server_to_stop_unless_it_was_told_to_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(signal, "getsignal", lambda _: signal.SIG_DFL)
    assert signal.SIGHUP in stop_signals()
    monkeypatch.setattr(signal, "getsignal", lambda _: signal.SIG_IGN)
    assert stop_signals() == [signal.SIGINT, signal.SIGTERM]
