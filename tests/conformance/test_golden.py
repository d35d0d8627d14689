"""The golden conversations, held with every client and with what they are derived from."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
import trio

from conformance.golden import GOLDEN, derived
from conformance.test_clients import CLIENTS, client
from sternhalma import Game
from sternhalma_server.conformance import StartedBot, listen
from sternhalma_server.conformance.repetition import Repeated, repeat
from sternhalma_server.conversation import parse_conversation

BOT = Path(__file__).with_name("bad_bots.py")
FILES = sorted((GOLDEN / "bot").glob("*.txt"))
# What a bot may leave out and plays a whole league all the same.
OPTIONAL = {"tries", "coming-back", "ping"}


def held(path: Path, argv: list[str], folder: Path) -> Repeated:
    conversation = parse_conversation(path.read_text(encoding="utf-8"))

    async def run() -> Repeated:
        listener = listen(0)
        try:
            return await repeat(conversation, StartedBot(argv, folder, listener, 20), 5)
        finally:
            listener.socket.close()

    return trio.run(run)


@pytest.mark.parametrize("name", sorted(derived()))
def test_a_file_is_what_it_is_derived_from(name: str) -> None:
    assert (GOLDEN / name).read_text(encoding="utf-8") == derived()[name]


def test_every_conversation_of_the_protocol_page_has_a_file_and_no_file_is_left_over() -> None:
    there = {f"server/{path.name}" for path in (GOLDEN / "server").glob("*")}
    assert there == {name for name in derived() if name.startswith("server/")}
    assert len(there) >= 6


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_kit_says_what_a_golden_conversation_expects(path: Path, tmp_path: Path) -> None:
    repeated = held(path, ["sternhalma-bot", "random"], tmp_path)
    assert repeated.difference is None, repeated.difference


@pytest.mark.parametrize("language", CLIENTS)
def test_a_client_says_what_golden_conversations_expect(language: str, tmp_path: Path) -> None:
    argv = client(language, tmp_path)
    for path in FILES:
        if path.stem not in OPTIONAL:
            repeated = held(path, argv, tmp_path)
            assert repeated.difference is None, (path.stem, repeated.difference)


@pytest.mark.parametrize("wrong", ["memory", "illegal"])
def test_a_bot_that_is_wrong_says_something_else(wrong: str, tmp_path: Path) -> None:
    files = {"memory": "opening", "illegal": "rules-halma13"}
    path = GOLDEN / "bot" / f"{files[wrong]}.txt"
    repeated = held(path, [sys.executable, str(BOT), wrong], tmp_path)
    assert repeated.difference is not None


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_the_server_says_to_a_bot_can_be_said_and_asks_for_legal_moves(path: Path) -> None:
    conversation = parse_conversation(path.read_text(encoding="utf-8"))
    known: set[str] = set()
    game = None
    for one in conversation.lines:
        words = set(re.findall(r"<[a-z]+>", one.text))
        if one.side == "B":
            known |= words
            if (found := re.search(r"\{(.*)\}", one.text)) is not None:
                assert game is not None
                legal = [game.format_move(move) for move in game.legal_moves()]
                assert found[1].split(",") == legal
        else:
            assert words <= known
            assert "..." not in one.text
            if one.text.startswith("turn "):
                game = Game.load(" ".join(one.text.split(" ")[4:10]))
                assert one.text.split(" ")[2] == str(game.ply)
