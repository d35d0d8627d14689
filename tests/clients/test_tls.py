"""The kit speaks TLS: against a real server with a certificate made for the test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import trustme

BOTS = Path(sys.executable).parent


def _event(folder: Path) -> None:
    ca = trustme.CA()
    certificate = ca.issue_cert("127.0.0.1")
    ca.cert_pem.write_to_path(str(folder / "ca.pem"))
    certificate.private_key_pem.write_to_path(str(folder / "key.pem"))
    certificate.cert_chain_pems[0].write_to_path(str(folder / "cert.pem"))
    (folder / "event.toml").write_text(
        'name = "safe"\nrules = "tara"\nplayers = 2\nclock = "5s"\nlimit = 5\n'
        '[tls]\ncert = "cert.pem"\nkey = "key.pem"\n'
        '[[bots]]\nname = "far"\nremote = true\n'
        '[[bots]]\nname = "near"\ncommand = "sternhalma-bot random"\n',
        encoding="utf-8",
    )


def test_a_bot_of_the_kit_plays_over_tls_against_a_local_program_without(tmp_path: Path) -> None:
    _event(tmp_path)
    out = tmp_path / "results"
    server = subprocess.Popen(
        [BOTS / "sternhalma", "run", "event.toml", "--out", out, "--port", "0"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        port = server.stdout.readline().split()[-1]
        arguments = ["random", "--name", "far", "--port", port, "--ca", "ca.pem"]
        bot = subprocess.run(
            [BOTS / "sternhalma-bot", *arguments], cwd=tmp_path, timeout=60, check=False
        )
        assert bot.returncode == 0
        assert server.wait(timeout=60) == 0
    finally:
        server.kill()
        server.communicate()
    assert "far" in (out / "standings.md").read_text(encoding="utf-8")


def test_a_file_without_certificates_is_refused_in_a_sentence(tmp_path: Path) -> None:
    empty = tmp_path / "empty.pem"
    empty.write_text("nothing\n", encoding="utf-8")
    arguments = ["random", "--port", "7121", "--ca", str(empty)]
    done = subprocess.run(
        [BOTS / "sternhalma-bot", *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert f"expected certificates in PEM in '{empty}'" in done.stderr
