"""A bot that is wrong in one way, to see whether a check finds out: `python bad_bots.py WRONG`."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator

WRONGS = (
    "none",
    "packets",
    "illegal",
    "slotless",
    "stubborn",
    "endless",
    "memory",
    "mute",
    "unflushed",
    "one-game",
)


def told(word: str) -> str:
    return os.environ.get(f"STERNHALMA_{word}", "")


def lines(server: socket.socket, wrong: str) -> Iterator[str]:
    """The server's lines; *wrong* `packets` takes the end of a packet for that of a line."""
    unread = b""
    while data := server.recv(1 << 17):
        if wrong == "packets":
            yield from data.decode().splitlines()
            continue
        *complete, unread = (unread + data).split(b"\n")
        yield from (line.decode() for line in complete)


def play(server: socket.socket, wrong: str) -> None:
    slot = "" if wrong == "slotless" else f" slot={told('SLOT')}"
    last = ""
    for line in lines(server, wrong):
        answer = ""
        match line.split(" "):
            case ["sternhalma", *_]:
                answer = f"login {told('NAME')}{slot} token={told('TOKEN')} moves=yes"
            case ["turn", game, ply, _, *words]:
                moves = next((w[6:].split(",") for w in words if w.startswith("moves=")), [""])
                path = moves[0]
                if wrong == "illegal":  # it knows the first holes of the star and no rules
                    path = "d5-e5"
                if wrong == "memory":  # it has its own idea of the ply
                    ply = str(int(last or "-1") + 2)
                last = ply
                answer = f"move {game} {ply} {path}"
            case ["over", *_] if wrong == "one-game":
                return
            case ["over", *_]:
                last = ""
            case ["bye", *_] if wrong == "endless":
                while True:
                    server.recv(1)
                    os.read(0, 1)
            case ["bye", *_] if wrong != "stubborn":
                return
        if wrong == "unflushed" and answer.startswith("move "):  # it waits for more to send at once
            continue
        if answer:
            server.sendall(answer.encode() if wrong == "mute" else f"{answer}\n".encode())


if __name__ == "__main__":
    while True:
        with socket.create_connection((told("HOST"), int(told("PORT")))) as connection:
            play(connection, sys.argv[1])
        if sys.argv[1] != "stubborn":
            break
