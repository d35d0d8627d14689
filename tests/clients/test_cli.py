"""The command `sternhalma-bot`."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

import pytest

from clients.fake_server import FakeServer, Table
from sternhalma_bot import seat
from sternhalma_bot.cli import main


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for word in ["HOST", "PORT", "NAME", "SLOT", "TOKEN"]:
        monkeypatch.delenv(f"STERNHALMA_{word}", raising=False)


def status(*arguments: str) -> object:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    return ended.value.code


def test_a_sample_plays_under_its_own_name() -> None:
    with FakeServer([Table()]) as server:
        assert status("random", "--port", str(server.port)) == 0
    assert server.login == ["login", "random", "slot=1"]


def test_options_say_who_it_is() -> None:
    with FakeServer() as server:
        arguments = ["--port", str(server.port), "--name", "zoe", "--slot", "2"]
        assert status("random", *arguments, "--host", "127.0.0.1", "--bot-version", "1.0") == 0
    assert server.login == ["login", "zoe", "slot=2", "version=1.0"]


def test_the_environment_says_what_options_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeServer() as server:
        for word, value in [
            ("HOST", "127.0.0.1"),
            ("PORT", str(server.port)),
            ("NAME", "zoe"),
            ("SLOT", "5"),
            ("TOKEN", "secret"),
        ]:
            monkeypatch.setenv(f"STERNHALMA_{word}", value)
        assert status("random", "--name", "max") == 0
    assert server.login == ["login", "max", "slot=5", "token=secret"]


def test_a_token_is_read_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("secret\n")
    with FakeServer() as server:
        port = str(server.port)
        assert status("random", "--port", port, "--token-file", str(tmp_path / "token")) == 0
    assert server.login[-1] == "token=secret"


def test_a_token_as_an_argument_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("random", "--port", "1", "--token", "secret") == 2
    assert "STERNHALMA_TOKEN or a --token-file" in capsys.readouterr().err


def test_a_mistyped_sample_gets_the_right_one_suggested(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("randmo", "--port", "1") == 2
    assert "got 'randmo', did you mean 'random'?" in capsys.readouterr().err


def test_a_mistyped_option_gets_the_right_one_suggested(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("random", "--prot", "1") == 2
    assert "'--prot', did you mean '--port'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "expected a sample bot: random"),
        (["random"], "expected the server's port, as --port or in STERNHALMA_PORT"),
        (["random", "--port", "x"], "expected a number from 1 to 65535 for port, got 'x'"),
        (["random", "--port", "65536"], "got '65536'"),
        (["random", "--port", "1", "--slot", "65"], "from 1 to 64 for slot, got '65'"),
        (["random", "--port", "1", "--name", "x y"], "got 'x y'"),
        (["random", "--port", "1", "--bot-version", "a b"], "got 'a b'"),
        (["random", "--port", "1", "--slot", "60", "--connections", "6"], "from 1 to 5 for conn"),
        (["random", "--port", "1", "--token-file", "/nowhere"], "token file that can be read"),
    ],
)
def test_bad_input_is_told_with_status_two(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status(*arguments) == 2
    assert sentence in capsys.readouterr().err


def test_the_samples_can_be_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("--list") == 0
    assert capsys.readouterr().out.startswith("random ")


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("--version") == 0
    assert capsys.readouterr().out.startswith("sternhalma-bot 0.")


def test_a_bot_of_ones_own_is_seated_alike(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        seat(lambda turn: turn.game.legal_moves()[0], ["--port", "1"])
    assert ended.value.code == 2
    assert "expected the bot's name" in capsys.readouterr().err


def test_several_connections_are_several_slots_and_the_worst_end_counts() -> None:
    logins: list[str] = []

    def serve(farewells: list[str]) -> None:
        for farewell in farewells:
            connection, _ = listener.accept()
            with connection, connection.makefile() as stream:
                connection.sendall(b"sternhalma 1\n")
                logins.append(stream.readline())
                connection.sendall(f"{farewell}\n".encode())

    for farewells, expected in [
        (["bye event-over thanks", "bye event-over thanks"], 0),
        (["bye event-over thanks", "bye in-use that slot is connected already"], 1),
    ]:
        logins.clear()
        with socket.create_server(("127.0.0.1", 0)) as listener:
            thread = threading.Thread(target=serve, args=(farewells,))
            thread.start()
            port = str(listener.getsockname()[1])
            assert status("random", "--port", port, "--slot", "3", "--connections", "2") == expected
            thread.join()
        assert sorted(logins) == ["login random slot=3\n", "login random slot=4\n"]
