"""The conversation without a connection, held against the golden ones: the kit needs no socket.

The files are read here by what docs/conversations.md says of them, as a kit in any other language
would read them.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import sternhalma as sh
from sternhalma_bot.core import Core
from sternhalma_bot.messages import Error, Turn

FOLDER = Path(__file__).parents[1] / "golden" / "bot"


def lines(path: Path) -> list[tuple[str, str]]:
    """Who says what in the file *path*."""
    first, *rest = path.read_text(encoding="utf-8").splitlines()
    assert first == "sternhalma-conversation 1"
    said = [line.split(" ", 2) for line in rest if re.match("[SB=] ", line)]
    return [(side, text) for side, _, text in said]


def pattern(text: str, words: dict[str, str]) -> str:
    """The regular expression of a line of the bot."""
    parts: list[str] = []
    for part in re.split(r"(\.\.\.|<[a-z]+>|\{[^}]*\})", text):
        if part == "...":
            parts.append(".*")
        elif part.startswith("{"):
            ways = [r"(-[a-q]\d+)*-".join(move.split("-")) for move in part[1:-1].split(",")]
            parts.append(f"({'|'.join(ways)})")
        elif part.startswith("<") and part not in words:
            parts.append(f"(?P<{part[1:-1]}>[^ ]+)")
        else:
            parts.append(re.escape(words.get(part, part)))
    return "".join(parts)


def answer(core: Core) -> None:
    """Play the last legal move there is, where a move is wanted."""
    if core.turn is not None:
        game = sh.Game.load(core.turn.position)
        core.answer(game.format_move(game.legal_moves()[-1]))


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_the_core_says_what_a_golden_conversation_expects(path: Path) -> None:
    core, words, heard = Core("zoe"), dict[str, str](), b""
    for side, text in lines(path):
        if side == "=":
            core = core.again()
        elif side == "S":
            parts = re.split(r"(<[a-z]+>)", text)
            line = "".join(words.get(part, part) for part in parts)
            for message in core.receive(f"{line}\n".encode()):
                if isinstance(message, Turn | Error):
                    answer(core)
            heard += core.outgoing()
        else:
            came, _, heard = heard.partition(b"\n")
            found = re.fullmatch(pattern(text, words), came.decode())
            assert found is not None, f"expected {text!r}, got {came!r}"
            words |= {f"<{word}>": said for word, said in found.groupdict().items()}
    assert heard == b""
