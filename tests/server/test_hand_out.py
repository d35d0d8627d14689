"""After an event is over its transcripts can be fetched, for as long as its host has said."""

from __future__ import annotations

import re
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from sternhalma_server import cli
from sternhalma_server.admission import token_digest

START = "import sys; from sternhalma_server.cli import main; sys.exit(main())"
EVENT = f"""\
name = "open"
rules = "duel"
players = 2
clock = "5s"
limit = 2
cycles = 2
budgets = {{ ready = "10ms" }}
bots = [
    {{ name = "Zoe", remote = true, token = "sha256:{token_digest("secret")}" }},
    {{ name = "max", command = "sternhalma-bot random" }},
]
"""
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "open.toml").write_text(EVENT, encoding="utf-8")
    monkeypatch.setenv("STERNHALMA_TOKEN", "secret")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@contextmanager
def lingering(folder: Path) -> Generator[tuple[subprocess.Popen[str], str]]:
    """The server of an event that is over and hands out transcripts, and its address."""
    command = [sys.executable, "-c", START, "run", "open.toml", "--port", "0", "--linger", "10h"]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            yield server, address_in(server.stdout)
        finally:
            server.kill()


def address_in(printed: IO[str]) -> str:
    heard = ""
    for line in printed:
        heard += line
        found = re.fullmatch(r"transcripts can be fetched from (\S+) port (\S+) for .*\n", line)
        if found:
            return f"{found[1]}:{found[2]}"
    raise AssertionError(f"expected to be told where transcripts are, got\n{heard}")


def test_who_has_lost_fetches_the_game_when_the_event_is_over(
    folder: Path, capsys: Captured
) -> None:
    with lingering(folder) as (server, address):
        assert cli.main(["transcript", address, "1", "--bot", "zoe"]) == 0
        fetched = capsys.readouterr().out
        assert "over 1 no-start places=A:2,D:1 seat=A" in fetched
        host, _, port = address.rpartition(":")
        with socket.create_connection((host, int(port))) as late, late.makefile() as heard:
            late.sendall(b"login Zoe token=secret\n")
            assert heard.readlines()[-1].startswith("bye event-over ")
        server.send_signal(signal.SIGINT)
        assert server.wait(60) == 1  # there were forfeits
    assert cli.main(["transcript", "results/open", "1", "--seat", "Zoe"]) == 0
    assert capsys.readouterr().out == fetched


def test_an_event_that_was_over_before_hands_out_its_transcripts_again(
    folder: Path, capsys: Captured
) -> None:
    assert cli.main(["run", "open.toml", "--port", "0"]) == 1
    with lingering(folder) as (_, address):
        assert cli.main(["transcript", address, "2", "--bot", "zoe"]) == 0


def test_a_number_that_is_no_game_is_answered_by_those_that_are(
    folder: Path, capsys: Captured
) -> None:
    with lingering(folder) as (_, address):
        assert cli.main(["transcript", address, "7", "--bot", "zoe"]) == 2
        sentence = "expected a game of Zoe that is over, got '7'"
        games = r"they are (?:2 \(no-start\), 1|1 \(no-start\), 2) \(no-start\)\n"
        said = capsys.readouterr().err
        assert re.search(re.escape(f": no-transcript: {sentence}; ") + games, said)
        assert cli.main(["transcript", address, "--bot", "zoe"]) == 2
        assert re.search(games, capsys.readouterr().err)
    assert cli.main(["transcript", "results/open", "7", "--seat", "A"]) == 2
    said = capsys.readouterr().err
    assert re.search(
        "expected a game of open that is over, got game 7; they are [12], [12]\n", said
    )
    assert cli.main(["transcript", "results/open", "--seat", "A"]) == 2
    said = capsys.readouterr().err
    assert re.search("expected a game that is over, got none; they are [12], [12]\n", said)


def test_where_nobody_listens_it_is_said_what_would_be_right(
    folder: Path, capsys: Captured
) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))  # and does not listen
        address = f"127.0.0.1:{probe.getsockname()[1]}"
        assert cli.main(["transcript", address, "1", "--bot", "zoe"]) == 2
    assert capsys.readouterr().err == (
        f"sternhalma transcript: {address}: expected a server that listens there, got nobody: are"
        " host and port those of the event, and is it not over? When it is, ask its host for the"
        " transcript\n"
    )


@pytest.mark.parametrize(
    ("problem", "sentence"),
    [
        (socket.gaierror(-2, "Name unknown"), "expected the name or address of a host, got: Name"),
        (TimeoutError("timed out"), "expected an answer within 60 s, got none"),
        (OSError(101, "Network is away"), "expected a server that can be reached, got: Network is"),
        (ssl.SSLError(1, "wrong version"), "expected a server that speaks TLS, got another: "),
    ],
)
def test_what_is_in_the_way_to_a_server_is_said_in_a_sentence(
    problem: OSError,
    sentence: str,
    folder: Path,
    capsys: Captured,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def dial(*_: object) -> socket.socket:
        raise problem

    monkeypatch.setattr(socket, "create_connection", dial)
    assert cli.main(["transcript", "a-host:7121", "1", "--bot", "zoe"]) == 2
    assert f"sternhalma transcript: a-host:7121: {sentence}" in capsys.readouterr().err


@pytest.mark.parametrize("greeting", ["bye tls this port speaks TLS\n", ""])
def test_a_server_that_wants_tls_is_spoken_to_in_tls(
    greeting: str, folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = socket.socketpair()
    with here, there:
        there.sendall(greeting.encode())
        there.shutdown(socket.SHUT_WR)
        monkeypatch.setattr(socket, "create_connection", lambda *_: here)
        assert cli.main(["transcript", "a-host:7121", "1", "--bot", "zoe"]) == 2
    got = repr(greeting.strip()) if greeting else "the end of the connection"
    assert capsys.readouterr().err == (
        "sternhalma transcript: a-host:7121: expected a server of version 1,"
        f" got {got}; --tls or --ca FILE speaks TLS\n"
    )


def test_a_port_that_is_none_is_bad_input(folder: Path, capsys: Captured) -> None:
    assert cli.main(["transcript", "localhost:70000", "1", "--bot", "zoe"]) == 2
    assert "expected HOST:PORT with --bot, got 'localhost:70000'" in capsys.readouterr().err


@pytest.mark.parametrize("length", ["soon", "10", "-1s"])
def test_a_length_that_is_none_is_bad_input(length: str, folder: Path, capsys: Captured) -> None:
    assert cli.main(["run", "open.toml", f"--linger={length}"]) == 2
    assert "argument --linger: expected a time such as " in capsys.readouterr().err
