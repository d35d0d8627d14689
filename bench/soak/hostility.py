"""Lines that bots should not send, made by chance from a seed: broken, lying, endless, binary."""

from __future__ import annotations

import random
from typing import Final

_WORDS: Final = (
    "move",
    "resign",
    "draw",
    "ping",
    "pong",
    "why",
    "login",
    "watch",
    "turn",
    "game",
    "over",
    "MOVE",
    "moves=yes",
    "slot=0",
    "slot=65",
    "slot=\u0661",
    "token=",
    "key=x",
    "version=" + "1" * 40,
    "draw=offer",
    "draw=offer draw=offer",
    "1",
    "2",
    "0",
    "-1",
    "+1",
    "1e9",
    "99999999999999999999",
    "d5-e5",
    "n10-m10",
    "D5-E5",
    "a5-e9",
    "i9-i9",
    "i9",
    "d5-e5-",
    "pass",
    "--",
    "a5" + "-a5" * 300,
    "",
    " ",
    "\t",
    "\u00e9",
    "\u202e",
    "%s%n",
    "$(reboot)",
    "'; drop table game; --",
    "../../etc",
)
_PATHS: Final = ("d5-e5", "n10-m10", "D5-E5", "a5-e9", "i9-i9", "i9", "pass", "a5")
_BYTES: Final = (b"\0", b"\xff", b"\xfe", b"\r", b"\x1b[2J", b"\xc3\x28", b"\xed\xa0\x80", b"\x7f")
LONGEST: Final = 3000  # bytes, beyond what the protocol allows


class Hostility:
    """An endless supply of hostile lines; the same for the same seed."""

    def __init__(self, seed: str) -> None:
        self._chance = random.Random(seed)

    def line(self, game: str = "1", ply: str = "1") -> bytes:
        """One line with its end; it may be about ply *ply* of *game*."""
        chance = self._chance
        kind = chance.random()
        if kind < 0.35:
            line = " ".join(chance.choices(_WORDS, k=chance.randint(1, 6))).encode()
        elif kind < 0.55:
            path = "-".join(chance.choices(_PATHS, k=chance.randint(1, 4)))
            line = f"move {game} {ply} {path}".encode()
        elif kind < 0.75:
            line = self._broken(f"move {game} {ply} d5-e5".encode())
        elif kind < 0.98:
            line = chance.randbytes(chance.randint(1, 80)).replace(b"\n", b"?")
        elif kind < 0.9803:
            line = b"bye"  # rarely: it ends a game of lines that are forgiven
        else:
            line = bytes([chance.randrange(32, 127)]) * chance.randint(900, LONGEST)
        return line + (b"\r\n" if chance.random() < 0.1 else b"\n")

    def _broken(self, line: bytes) -> bytes:
        at = self._chance.randrange(len(line))
        match self._chance.randrange(4):
            case 0:
                return line[:at]
            case 1:
                return line[:at] + self._chance.choice(_BYTES) + line[at:]
            case 2:
                return line[:at] + line[at + 1 :]
            case _:
                return line + line[at:]
