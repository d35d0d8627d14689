"""What a site takes to be served, and what is said where that is missing."""

from __future__ import annotations

import importlib.util
import socket
import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from server.kept import CUP, games_of, keep
from sternhalma_server import cli
from sternhalma_server.website import WebsiteError, check_installed, listen, url_of

CORE = ("feed", "following", "live_game", "pace", "places", "scene", "shelf", "site", "watcher")


def test_without_the_extra_it_is_said_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = importlib.util.find_spec

    def without(name: str) -> ModuleSpec | None:
        return None if name in {"starlette", "uvicorn"} else found(name)

    monkeypatch.setattr(importlib.util, "find_spec", without)
    with pytest.raises(WebsiteError, match=r"expected starlette, uvicorn.*pip install"):
        check_installed()
    keep(tmp_path / "cup", CUP, games_of(CUP))
    assert cli.main(["web", str(tmp_path / "cup"), "--port", "0"]) == cli.BAD_INPUT
    assert "the extra 'web'" in capsys.readouterr()[1]


def test_what_knows_no_network_needs_no_web_server() -> None:
    modules = ", ".join(f"sternhalma_server.web.{name}" for name in CORE)
    script = (
        f"import sys; sys.modules['starlette'] = sys.modules['uvicorn'] = None; import {modules}"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_an_address_is_told_as_a_browser_wants_it() -> None:
    with listen("127.0.0.1", 0) as sock:
        port = sock.getsockname()[1]
        assert url_of(sock, "127.0.0.1") == f"http://127.0.0.1:{port}/"
        assert url_of(sock, "0.0.0.0") == f"http://localhost:{port}/"
        assert url_of(sock, "::1") == f"http://[::1]:{port}/"
        assert url_of(sock, "league.example.org") == f"http://league.example.org:{port}/"


def test_an_address_that_cannot_be_listened_on_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(WebsiteError, match=f"cannot listen on 127.0.0.1 port {port}"):
            listen("127.0.0.1", port)
