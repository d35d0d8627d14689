"""A whole bot for Sternhalma: copy this file, make `choose` better, and play.

    python one_file_bot.py HOST PORT NAME

A server that starts its bots itself tells them the same in STERNHALMA_HOST, STERNHALMA_PORT,
STERNHALMA_NAME, STERNHALMA_SLOT and STERNHALMA_TOKEN. The lines are explained in protocol.md.
"""

import os
import random
import socket
import sys


def choose(moves: list[str], position: str, rng: random.Random) -> str:  # noqa: ARG001
    """One of *moves*, the legal ones; *rng* says the same again if the same turn comes again."""
    return rng.choice(moves)


def play(server: socket.socket, login: str) -> str:
    """Log in, answer every turn, and return the reason with which the server says goodbye."""
    seed = ""
    for line in server.makefile(encoding="utf-8", newline="\n"):
        match line.split():
            case ["sternhalma", "1", *_]:
                answer = login
            case ["game", *words]:
                seed = next((word for word in words if word.startswith("seed=")), "")
                continue
            case ["turn", game, ply, _, *words]:
                position = " ".join(words[:6])  # tara A/AA/AAA/AAAA/13/... A,D A 0,0 -
                moves = next(word[6:].split(",") for word in words if word.startswith("moves="))
                rng = random.Random(f"{seed} {ply}")
                answer = f"move {game} {ply} {choose(moves, position, rng)}"
            case ["ping", word]:
                answer = f"pong {word}"
            case ["error", *_]:
                print(line, end="", file=sys.stderr)  # what was sent cannot be played
                continue
            case ["bye", *reason]:
                return " ".join(reason)
            case _:
                continue  # whatever else the server says, a bot may ignore
        server.sendall(f"{answer}\n".encode())  # at once: an answer in a buffer loses on time
    return "the connection ended without a goodbye"


def told(word: str) -> str:
    return os.environ.get(f"STERNHALMA_{word}", "")


if __name__ == "__main__":
    given = sys.argv[1:] or [told("HOST"), told("PORT"), told("NAME")]
    if len(given) != 3 or "" in given:
        sys.exit("usage: one_file_bot.py HOST PORT NAME")
    token = f" token={told('TOKEN')}" if told("TOKEN") else ""
    with socket.create_connection((given[0], int(given[1]))) as server:
        server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        farewell = play(server, f"login {given[2]} slot={told('SLOT') or 1} moves=yes{token}")
    sys.exit(None if farewell.startswith("event-over") else farewell)
