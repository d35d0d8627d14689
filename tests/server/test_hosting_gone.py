"""A results folder that is taken away while its event is played: nothing can be promised then."""

from __future__ import annotations

from pathlib import Path

import pytest

from sternhalma_server.cli import main

# A bot that takes the results folder away in its second turn, in the way it is told to.
THIEF = """
import os, shutil, socket, sys
told = {k: os.environ["STERNHALMA_" + k] for k in ("HOST", "PORT", "NAME", "SLOT", "TOKEN")}
server = socket.create_connection((told["HOST"], int(told["PORT"])))
server.sendall("login {NAME} slot={SLOT} token={TOKEN} moves=yes\\n".format(**told).encode())
turns = 0
for line in server.makefile():
    word, *more = line.split()
    if word == "turn":
        turns += 1
        if turns == 2 and told["NAME"] == "thief":
            if sys.argv[1] == "delete":
                shutil.rmtree("out")
            elif sys.argv[1] == "move":
                os.rename("out", "elsewhere")
            else:
                os.unlink("out/store.sqlite")
                open("out/store.sqlite", "w").close()
        moves = next(w[6:] for w in more if w.startswith("moves=")).split(",")
        server.sendall(f"move {more[0]} {more[1]} {moves[0]}\\n".encode())
"""


@pytest.mark.parametrize("way", ["delete", "move", "replace"])
def test_it_is_told_in_one_sentence_and_the_event_stops_with_status_3(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], way: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot.py").write_text(THIEF, encoding="utf-8")
    (tmp_path / "event.toml").write_text(
        'name = "gone"\nrules = "duel"\nplayers = 2\ncycles = 50\nclock = "5s"\nbots = ['
        f'{{ name = "thief", command = "python bot.py {way}" }},'
        f' {{ name = "honest", command = "python bot.py {way}" }}]\n',
        encoding="utf-8",
    )
    assert main(["run", "event.toml", "--out", "out"]) == 3
    told = capsys.readouterr()
    assert told.err == (
        "out/store.sqlite: expected the store where it was opened, it is gone;"
        " nothing that is played can be kept; the event stops\n"
    )
    assert "[1/50]" not in told.out
