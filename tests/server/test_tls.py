"""TLS over any transport: the same lines, the same ends and the same stamps as without it."""

from __future__ import annotations

import errno
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import ExitStack, asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Final

import pytest
import trio
import trustme
from cryptography.hazmat.primitives import serialization
from hypothesis import given, settings
from hypothesis import strategies as st
from trio.testing import MockClock, wait_all_tasks_blocked

from sternhalma_server.clock import MILLISECOND, SECOND
from sternhalma_server.connection import Connection, Courier
from sternhalma_server.testing import (
    ScriptedPeer,
    dial,
    first_moves,
    memory_pair,
    memory_server,
    remote_event,
)
from sternhalma_server.tls import HandshakeError, TlsError, TlsTransport, server_context
from sternhalma_server.transport import SocketTransport, Transport, stamp_arrivals

CA: Final = trustme.CA()
HOST: Final = "host.example"
CERT: Final = CA.issue_cert(HOST, "127.0.0.1")
PLAIN: Final = b"bye tls expected a TLS handshake, this port speaks TLS\n"

openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs the openssl command")


def write_pem(folder: Path, cert: trustme.LeafCert = CERT) -> tuple[Path, Path]:
    """The files of *cert*: its chain and its key."""
    chain, key = folder / "cert.pem", folder / "key.pem"
    chain.write_bytes(b"".join(blob.bytes() for blob in cert.cert_chain_pems))
    key.write_bytes(cert.private_key_pem.bytes())
    return chain, key


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> ssl.SSLContext:
    """The server's side."""
    return server_context(*write_pem(tmp_path_factory.mktemp("tls")))


@cache
def client_context(latest: ssl.TLSVersion = ssl.TLSVersion.TLSv1_3) -> ssl.SSLContext:
    """A bot's side, as a bot's author makes it."""
    context = ssl.create_default_context()
    context.maximum_version = latest
    CA.configure_trust(context)
    return context


async def agreed(*ends: TlsTransport) -> None:
    """Let *ends* shake hands."""
    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            for end in ends:
                nursery.start_soon(end.handshake)


async def tls_pair(context: ssl.SSLContext, capacity: int = 65536) -> tuple[TlsTransport, ...]:
    """A client and the server's end for it in memory, which have agreed."""
    here, there = memory_pair(capacity=capacity)
    pair = TlsTransport(here, client_context(), HOST), TlsTransport(there, context)
    await agreed(*pair)
    return pair


class Network:
    """A client, the server's end for it, and everything between them moved by hand."""

    def __init__(self, context: ssl.SSLContext) -> None:
        here, self.near = memory_pair()
        self.far, there = memory_pair()
        self.client = TlsTransport(here, client_context(), HOST)
        self.server = TlsTransport(there, context)

    async def agree(self) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.client.handshake)
            nursery.start_soon(self.server.handshake)
            for _ in range(2):
                await wait_all_tasks_blocked()
                self.far.send(self.sent())
                await wait_all_tasks_blocked()
                self.near.send(take(self.far))

    def sent(self) -> bytes:
        """What the client has sent and nobody has carried on."""
        return take(self.near)


def take(transport: Transport) -> bytes:
    try:
        return transport.receive()[0]
    except BlockingIOError:
        return b""


async def arrived(transport: Transport) -> bytes:
    """What comes next."""
    with trio.fail_after(5):
        while True:
            await transport.wait_readable()
            try:
                return transport.receive()[0]
            except BlockingIOError:
                continue


class NoCourier(Courier):
    """For connections that nothing is sent over."""

    def __init__(self) -> None:
        """No nursery is needed."""


def listening(end: TlsTransport) -> Connection:
    return Connection(end, NoCourier())


def cut(connection: Connection) -> list[str]:
    """The lines that can be read."""
    while connection.read():
        pass
    lines: list[str] = []
    while (line := connection.next_line()) is not None:
        lines.append(line.text)
    return lines


async def test_lines_go_both_ways(context: ssl.SSLContext) -> None:
    client, server = await tls_pair(context)
    assert server.send(b"sternhalma 1\n") == 13
    assert await arrived(client) == b"sternhalma 1\n"
    assert client.send(b"login zoe\n") == 10
    assert await arrived(server) == b"login zoe\n"
    with pytest.raises(BlockingIOError):
        server.receive()


async def test_between_the_ends_nobody_reads_along(context: ssl.SSLContext) -> None:
    network = Network(context)
    await network.agree()
    network.client.send(b"login zoe token=secret\n")
    assert b"secret" not in network.sent()


async def test_records_that_arrived_together_are_read_together(context: ssl.SSLContext) -> None:
    client, server = await tls_pair(context)
    client.send(b"one ")
    client.send(b"two")
    assert await arrived(server) == b"one two"


async def test_peer_and_clock_are_those_of_the_transport_below(
    context: ssl.SSLContext, autojump_clock: MockClock
) -> None:
    _, there = memory_pair("bot", "host")
    await trio.sleep(3)
    server = TlsTransport(there, context)
    assert (server.peer, server.now()) == ("bot", 3 * SECOND)


async def test_text_has_the_stamp_of_the_read_that_completed_its_record(
    context: ssl.SSLContext,
) -> None:
    network = Network(context)
    await network.agree()
    network.client.send(b"move 1 1 d5-e5\n")
    record = network.sent()
    network.far.deliver(record[:-1], 1000)
    with pytest.raises(BlockingIOError):
        network.server.receive()
    network.far.deliver(record[-1:], 7000)
    assert network.server.receive() == (b"move 1 1 d5-e5\n", 7000)


async def test_what_follows_in_part_is_left_for_later(context: ssl.SSLContext) -> None:
    network = Network(context)
    await network.agree()
    network.client.send(b"one\n")
    first = network.sent()
    network.client.send(b"two\n")
    second = network.sent()
    network.far.deliver(first + second[:9], 1000)
    assert network.server.receive() == (b"one\n", 1000)
    network.far.deliver(second[9:], 2000)
    assert network.server.receive() == (b"two\n", 2000)


async def test_text_that_came_with_the_handshake_is_there_without_another_byte(
    context: ssl.SSLContext, autojump_clock: MockClock
) -> None:
    here, there = memory_pair()
    client, server = TlsTransport(here, client_context(), HOST), TlsTransport(there, context)

    async def log_in() -> None:
        await client.handshake()
        client.send(b"login zoe\n")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(log_in)
        nursery.start_soon(server.handshake)
    await trio.sleep(1)
    with trio.fail_after(1):
        await server.wait_readable()
    assert server.receive() == (b"login zoe\n", 0)


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.sampled_from(["a\n", "moved 1 2 D n10-m10\n", "x" * 20000 + "\n"]), max_size=3),
    st.integers(100, 30000),
)
def test_everything_sent_arrives_in_order_however_little_is_taken_at_once(
    context: ssl.SSLContext, texts: list[str], capacity: int
) -> None:
    wanted = "".join(texts).encode()

    async def main() -> bytes:
        client, server = await tls_pair(context, capacity)
        got = b""
        async with trio.open_nursery() as nursery:
            connection = Connection(server, Courier(nursery))
            for text in texts:
                connection.send(text)
            while len(got) < len(wanted):
                got += await arrived(client)
        return got

    assert trio.run(main) == wanted


@pytest.mark.parametrize("latest", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
async def test_hands_are_shaken_however_little_is_taken_at_once(
    context: ssl.SSLContext, latest: ssl.TLSVersion
) -> None:
    here, there = memory_pair(capacity=7)
    await agreed(TlsTransport(here, client_context(latest), HOST), TlsTransport(there, context))


async def test_what_did_not_go_is_not_counted_as_sent(context: ssl.SSLContext) -> None:
    client, server = await tls_pair(context, capacity=600)
    while True:
        try:
            assert server.send(b"a line\n") == 7
        except BlockingIOError:
            break
    got = await arrived(client)
    assert server.send(b"a line\nanother\n") == 15  # the first again: it was not taken
    rest = b""
    while not rest.endswith(b"another\n"):
        rest += await arrived(client)
    lines = (got + rest).splitlines()
    assert set(lines[:-1]) == {b"a line"}
    assert lines[-1] == b"another"


async def test_closing_is_an_end_for_the_other_side_and_stays_one(context: ssl.SSLContext) -> None:
    client, server = await tls_pair(context)
    server.send(b"bye event-over\n")
    server.close()
    server.close()
    assert [await arrived(client) for _ in range(3)] == [b"bye event-over\n", b"", b""]


async def test_the_good_bye_of_tls_is_an_end_though_the_stream_below_goes_on(
    context: ssl.SSLContext,
) -> None:
    network = Network(context)
    await network.agree()
    network.client.send(b"bye\n")
    network.client.close()
    network.far.send(network.sent())
    connection = listening(network.server)
    assert cut(connection) == ["bye"]
    assert connection.ended == "the bot closed the connection"
    with trio.fail_after(1):
        await network.server.wait_readable()


async def test_after_the_peers_good_bye_it_can_still_be_told_something(
    context: ssl.SSLContext,
) -> None:
    network = Network(context)
    await network.agree()
    network.client.close()
    network.far.send(network.sent())
    assert await arrived(network.server) == b""
    assert network.server.send(b"over 1 disconnect\n") == 18
    assert len(take(network.far)) > 18


async def test_a_stream_that_ends_without_a_good_bye_is_the_same_end(
    context: ssl.SSLContext,
) -> None:
    network = Network(context)
    await network.agree()
    network.client.send(b"ping a\nmove 1 1")
    network.far.send(network.sent())
    network.far.finish()
    connection = listening(network.server)
    assert cut(connection) == ["ping a"]
    assert connection.ended == "the bot closed the connection"


async def test_a_reset_below_is_a_reset(context: ssl.SSLContext) -> None:
    network = Network(context)
    await network.agree()
    network.far.abort()
    connection = listening(network.server)
    assert cut(connection) == []
    assert connection.ended == "connection lost: Connection reset by peer"


async def test_a_record_that_was_tampered_with_ends_the_connection_after_what_was_good(
    context: ssl.SSLContext,
) -> None:
    network = Network(context)
    await network.agree()
    network.client.send(b"ping a\n")
    good = network.sent()
    network.client.send(b"resign 1\n")
    bad = bytearray(network.sent())
    bad[-1] ^= 1
    network.far.send(good + bad)
    connection = listening(network.server)
    assert cut(connection) == ["ping a"]
    assert connection.ended is not None
    assert connection.ended.startswith("connection lost: TLS failed: ")
    with pytest.raises(OSError, match="TLS failed") as failure:
        network.server.receive()
    assert failure.value.errno == errno.EPROTO


async def test_plain_text_to_a_tls_port_gets_a_line_it_can_read_and_the_end(
    context: ssl.SSLContext,
) -> None:
    here, there = memory_pair()
    server = TlsTransport(there, context)
    here.send(b"login zoe\n")
    with pytest.raises(HandshakeError, match="no TLS handshake: "):
        await server.handshake()
    server.close()
    assert [here.receive()[0], here.receive()[0]] == [PLAIN, b""]


async def test_a_peer_that_waits_for_the_greeting_in_plain_text_is_told_at_the_deadline(
    context: ssl.SSLContext, autojump_clock: MockClock
) -> None:
    here, there = memory_pair()
    server = TlsTransport(there, context)
    with trio.move_on_after(10) as login:
        await server.handshake()
    assert login.cancelled_caught
    server.close()
    assert [here.receive()[0], here.receive()[0]] == [PLAIN, b""]


async def test_a_peer_that_stops_within_its_handshake_is_told_nothing_in_plain_text(
    context: ssl.SSLContext, autojump_clock: MockClock
) -> None:
    here, there = memory_pair()
    server = TlsTransport(there, context)
    here.send(b"\x16\x03\x01\x02\x00\x01")
    with trio.move_on_after(10) as login:
        await server.handshake()
    assert login.cancelled_caught
    server.close()
    assert here.receive()[0] == b""


async def test_a_peer_whose_handshake_nobody_has_read_is_told_nothing_in_plain_text(
    context: ssl.SSLContext,
) -> None:
    here, there = memory_pair()
    here.send(b"\x16\x03\x01")
    TlsTransport(there, context).close()
    assert here.receive()[0] == b""


async def test_a_peer_that_leaves_within_its_handshake_has_left(context: ssl.SSLContext) -> None:
    here, there = memory_pair()
    here.send(b"\x16\x03\x01")
    here.close()
    with pytest.raises(HandshakeError, match="the peer left during the TLS handshake"):
        await TlsTransport(there, context).handshake()


@pytest.mark.parametrize(
    ("trusting", "host", "reason"),
    [
        (False, HOST, "unable to get local issuer certificate"),
        (True, "elsewhere.example", "Hostname mismatch, certificate is not valid for"),
    ],
)
async def test_both_ends_fail_where_the_client_does_not_trust_the_certificate(
    context: ssl.SSLContext, trusting: bool, host: str, reason: str
) -> None:
    here, there = memory_pair()
    trust = client_context() if trusting else ssl.create_default_context()
    failed: list[str] = []

    async def fail(end: TlsTransport) -> None:
        with pytest.raises(HandshakeError) as failure:
            await end.handshake()
        failed.append(str(failure.value.strerror))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(fail, TlsTransport(here, trust, host))
        nursery.start_soon(fail, TlsTransport(there, context))
    assert failed[0].startswith(f"no TLS handshake: {reason}")
    assert failed[1].startswith("no TLS handshake: ")
    assert "alert" in failed[1]


async def test_before_the_handshake_nothing_is_sent_or_received(context: ssl.SSLContext) -> None:
    here, there = memory_pair()
    server = TlsTransport(there, context)
    for attempt in (server.receive, lambda: server.send(b"secret\n")):
        with pytest.raises(OSError, match="the TLS handshake is not complete"):
            attempt()
    with pytest.raises(BlockingIOError):
        here.receive()


async def test_after_close_nothing_is_sent_or_received_and_who_waits_is_woken(
    context: ssl.SSLContext,
) -> None:
    _, server = await tls_pair(context)
    async with trio.open_nursery() as nursery:

        async def wait() -> None:
            with pytest.raises(trio.ClosedResourceError):
                await server.wait_readable()

        nursery.start_soon(wait)
        await wait_all_tasks_blocked()
        server.close()
    for attempt in (server.receive, lambda: server.send(b"x")):
        with pytest.raises(OSError, match="Bad file descriptor"):
            attempt()


async def test_a_bot_with_tls_and_one_without_play_each_other(
    context: ssl.SSLContext, autojump_clock: MockClock
) -> None:
    async with memory_server(remote_event("zoe", "max", limit=5)) as server:
        here, there = memory_pair()
        client = TlsTransport(here, client_context(), HOST)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(server.lobby.serve, TlsTransport(there, context))
            await client.handshake()
            zoe = ScriptedPeer(client)
            await zoe.login("zoe")
            await server.seat("max")
            nursery.start_soon(first_moves, zoe)
            await server.ended()
        assert server.games[0].falls == []


async def test_the_lobby_tells_who_waits_in_plain_text_at_the_deadline_for_the_login(
    context: ssl.SSLContext, autojump_clock: MockClock
) -> None:
    async with memory_server(remote_event("zoe", "max")) as server:
        here, there = memory_pair()
        await server.lobby.serve(TlsTransport(there, context))
        assert trio.current_time() == 10
        assert here.receive()[0] == PLAIN


# Over real sockets: a listener as the server's, and clients that are none of ours.


@asynccontextmanager
async def served(
    context: ssl.SSLContext,
) -> AsyncGenerator[tuple[int, trio.MemoryReceiveChannel[TlsTransport]]]:
    """A port on which one connection is accepted, and where the server's end of it comes."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        stamped = stamp_arrivals(listener)
        send, receive = trio.open_memory_channel[TlsTransport](1)
        async with trio.open_nursery() as nursery:

            async def accept() -> None:
                await trio.lowlevel.wait_readable(listener)
                sock = stack.enter_context(listener.accept()[0])
                sock.setblocking(False)
                end = TlsTransport(SocketTransport(sock, "bot", stamped=stamped), context)
                await end.handshake()
                await send.send(end)

            nursery.start_soon(accept)
            yield listener.getsockname()[1], receive


Client = Callable[[int], list[bytes]]


def plain_bot(latest: ssl.TLSVersion) -> Client:
    """A bot with Python's own library only: says three lines, hears them back."""

    def play(port: int) -> list[bytes]:
        raw = socket.create_connection(("127.0.0.1", port), timeout=5)
        with client_context(latest).wrap_socket(raw, server_hostname="127.0.0.1") as bot:
            assert bot.version() == latest.name.replace("_", ".")
            with bot.makefile("rwb") as lines:
                heard: list[bytes] = []
                for line in (b"one\n", b"two\n", b"x" * 40000 + b"\n"):
                    lines.write(line)
                    lines.flush()
                    heard.append(lines.readline())
                return [*heard, lines.readline()]

    return play


@pytest.mark.parametrize("latest", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
async def test_a_bot_with_the_standard_library_is_served(
    context: ssl.SSLContext, latest: ssl.TLSVersion
) -> None:
    heard: list[bytes] = []
    async with served(context) as (port, ends), trio.open_nursery() as nursery:

        async def bot() -> None:
            heard.extend(await trio.to_thread.run_sync(plain_bot(latest), port))

        nursery.start_soon(bot)
        server = ScriptedPeer(await ends.receive())
        for _ in range(3):
            await server.send(await server.receive())
        server.close()
    assert [line[:4] for line in heard] == [b"one\n", b"two\n", b"xxxx", b""]
    assert len(heard[2]) == 40001


async def test_the_stamp_is_the_kernels_and_not_when_the_record_was_read(
    context: ssl.SSLContext,
) -> None:
    async with served(context) as (port, ends):
        client = TlsTransport(await dial("127.0.0.1", port), client_context(), "127.0.0.1")
        await client.handshake()
        server = await ends.receive()
        client.send(b"move 1 1 d5-e5\n")
        await server.wait_readable()
        sent = server.now()
        time.sleep(0.05)  # the kernel's clock cannot be made to jump; the server is busy elsewhere
        text, stamp = server.receive()
        client.close()
    assert text == b"move 1 1 d5-e5\n"
    assert stamp <= sent + MILLISECOND


@asynccontextmanager
async def openssl_client(port: int, version: str) -> AsyncGenerator[Callable[[bytes], None]]:
    """The openssl command as a client: a function that types at it.

    `R` asks to negotiate again, `K` for new keys; what is typed at once is one command.
    """
    client = subprocess.Popen(
        ["openssl", "s_client", version, "-connect", f"127.0.0.1:{port}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        bufsize=0,
    )
    stdin = client.stdin
    assert stdin is not None
    with client:
        try:
            yield lambda keys: (stdin.write(keys), None)[1]
        finally:
            client.kill()


async def nothing_whole(end: TlsTransport) -> None:
    """Take in something that is no text."""
    with trio.fail_after(5):
        await end.wait_readable()
    with pytest.raises(BlockingIOError):
        end.receive()


@openssl
async def test_a_peer_may_ask_for_new_keys(context: ssl.SSLContext) -> None:
    async with served(context) as (port, ends), openssl_client(port, "-tls1_3") as keyboard:
        end = await ends.receive()
        server = ScriptedPeer(end, patience=5)
        for word in ("a", "b"):
            keyboard(b"K\n")
            await nothing_whole(end)
            keyboard(f"ping {word}\n".encode())
            await server.expect(f"ping {word}")
            await server.send(f"pong {word}")


@openssl
async def test_a_peer_that_does_nothing_but_ask_for_new_keys_comes_to_an_end(
    context: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sternhalma_server.tls.ALLOWANCE", 2700)
    async with served(context) as (port, ends), openssl_client(port, "-tls1_3") as keyboard:
        end = await ends.receive()
        for _ in range(100):  # each asks in a record of 27 bytes
            keyboard(b"K\n")
            await nothing_whole(end)
        keyboard(b"K\n")
        await end.wait_readable()
        with pytest.raises(OSError, match="expected lines, got TLS records with nothing in them"):
            end.receive()


@openssl
async def test_to_negotiate_again_is_refused_and_the_connection_is_lost_like_any(
    context: ssl.SSLContext,
) -> None:
    async with served(context) as (port, ends), openssl_client(port, "-tls1_2") as keyboard:
        end = await ends.receive()
        connection = listening(end)
        keyboard(b"R\n")
        with trio.fail_after(5):
            while connection.ended is None:
                await end.wait_readable()
                connection.read()
    assert connection.ended.startswith("connection lost: TLS failed: ")


def test_a_servers_context_speaks_tls_1_2_and_later(context: ssl.SSLContext) -> None:
    assert context.minimum_version is ssl.TLSVersion.TLSv1_2


def refused(cert: Path, key: Path) -> str:
    with pytest.raises(TlsError) as failure:
        server_context(cert, key)
    return str(failure.value)


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    cert, key = write_pem(tmp_path)
    nowhere = tmp_path / "nowhere.pem"
    assert refused(nowhere, key) == (
        f"expected the TLS certificate in a file that can be read,"
        f" got {str(nowhere)!r}: No such file or directory"
    )
    assert refused(cert, nowhere).startswith("expected the TLS key in a file that can be read,")


@pytest.mark.parametrize("kind", trustme.KeyType)
def test_a_key_of_another_certificate_does_not_fit(tmp_path: Path, kind: trustme.KeyType) -> None:
    cert, _ = write_pem(tmp_path)
    other = tmp_path / "other.pem"
    other.write_bytes(CA.issue_cert(HOST, key_type=kind).private_key_pem.bytes())
    assert refused(cert, other) == (
        f"expected the key that belongs to the certificate {str(cert)!r}, got another in"
        f" {str(other)!r}"
    )


def test_what_is_no_certificate_and_what_is_no_key_is_said(tmp_path: Path) -> None:
    cert, key = write_pem(tmp_path)
    assert refused(key, key) == f"expected a certificate in PEM, got none in {str(key)!r}"
    assert refused(cert, cert) == f"expected a private key in PEM, got none in {str(cert)!r}"


def test_a_key_that_was_cut_off_is_damaged(tmp_path: Path) -> None:
    cert, key = write_pem(tmp_path)
    key.write_bytes(key.read_bytes()[:100])
    assert refused(cert, key) == f"expected a private key in PEM, got a damaged one in {str(key)!r}"


@openssl
def test_what_openssl_finds_too_weak_is_said_in_its_words(tmp_path: Path) -> None:
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    words = ["openssl", "req", "-x509", "-nodes", "-newkey", "rsa:512", "-subj", f"/CN={HOST}"]
    command = [*words, "-keyout", str(key), "-out", str(cert)]
    subprocess.run(command, check=True, capture_output=True, timeout=30)
    assert refused(cert, key) == (
        "expected a certificate and a key that OpenSSL takes, got 'ee key too small'"
        f" for {str(cert)!r} and {str(key)!r}"
    )


def test_a_key_behind_a_passphrase_is_refused_and_nobody_is_asked_for_it(tmp_path: Path) -> None:
    cert, key = write_pem(tmp_path)
    private = serialization.load_pem_private_key(key.read_bytes(), None)
    key.write_bytes(
        private.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(b"secret"),
        )
    )
    assert refused(cert, key) == (
        f"expected a key without a passphrase, got one with it in {str(key)!r}"
    )
