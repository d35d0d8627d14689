"""Whether bots can come in: the port, and the certificate where connections are encrypted."""

from __future__ import annotations

import ipaddress
import ssl
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from sternhalma_server.doctor.demand import Demand
from sternhalma_server.doctor.finding import Finding, bad, good, note
from sternhalma_server.listener import Listener, ListenError
from sternhalma_server.tls import TlsError, server_context

SOON: Final = timedelta(days=14)


def examine(demand: Demand) -> Iterator[Finding]:
    """Find out whether the door of *demand* can be opened."""
    yield port(demand.host, demand.port)
    if demand.tls is not None:
        yield certificate(demand.folder / demand.tls.cert, demand.folder / demand.tls.key)
    elif not _is_near(demand.host):
        yield note(
            "encryption",
            f"none on {demand.host}, tokens can be read on their way",
            "a certificate in [tls], or a proxy that has one",
        )


def port(host: str, number: int) -> Finding:
    """Whether *number* can be listened on at *host*."""
    try:
        with closing(Listener(host, number)) as listener:
            return good("port", f"{listener.host} port {listener.port} is free")
    except ListenError as problem:
        return bad("port", str(problem), "another --port, or whoever listens there to end")


def certificate(cert: Path, key: Path) -> Finding:
    """Whether *cert* and *key* belong together and hold for a while."""
    try:
        ends = valid_until(server_context(cert, key), cert)
    except (TlsError, OSError) as problem:
        said = getattr(problem, "verify_message", "") or str(problem)
        return bad("certificate", f"{cert}: {said}", "a certificate that holds, and its key")
    found = f"{cert} holds until {ends:%Y-%m-%d}"
    if ends - datetime.now(UTC) < SOON:
        return bad("certificate", found, "a new one now: bots refuse one that has run out")
    return good("certificate", found)


def valid_until(server: ssl.SSLContext, cert: Path) -> datetime:
    """Until when the certificate of *server* holds, which the file *cert* has.

    The two ends of a connection are made, in memory: a client knows the dates of its peer, and an
    `ssl.SSLError` is what it has against them.
    """
    trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    trusting.check_hostname = False
    trusting.verify_flags |= ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN
    trusting.load_verify_locations(cert)
    up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = trusting.wrap_bio(down, up)
    peer = server.wrap_bio(up, down, server_side=True)
    for end in (client, peer, client):
        with suppress(ssl.SSLWantReadError):
            end.do_handshake()
    facts = client.getpeercert()
    assert facts is not None
    return datetime.fromtimestamp(ssl.cert_time_to_seconds(str(facts["notAfter"])), UTC)


def _is_near(host: str) -> bool:
    """Whether only programs of this machine reach *host*."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
