"""The golden conversations that follow from something else: a page, or the rules.

`python -m conformance.golden`, in the folder of the tests, writes them anew; a test holds what is
there against what would be written.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sternhalma import Game
from sternhalma_server.conformance.positions import positions_by_rules
from sternhalma_server.conversation import Conversation, Utterance, format_conversation
from sternhalma_server.testing import Transcript, read_transcripts

ROOT: Final = Path(__file__).parents[2]
GOLDEN: Final = ROOT / "tests" / "golden"
GREETING: Final = "sternhalma 1 line=1024 login=10000 can=moves,draw,watch"
BASES: Final = ("tara", "duel", "corner", "halma13", "halma19")


def derived() -> dict[str, str]:
    """The text of each file, by its path from the folder of all of them."""
    page = (ROOT / "protocol.md").read_text(encoding="utf-8")
    files = {f"server/{one.name}.txt": for_servers(one) for one in read_transcripts(page)}
    return files | {f"bot/rules-{base}.txt": for_bots(base) for base in BASES}


def for_servers(transcript: Transcript) -> str:
    """A conversation of protocol.md, with which a server can be tried."""
    head = {"title": f"{transcript.name}, from protocol.md", "patterns": "yes"}
    said = (Utterance(side, text) for side, text in transcript.lines)
    return format_conversation(Conversation(tuple(said), head))


def for_bots(base: str) -> str:
    """Positions by all rules of one kind, with the moves that are legal there."""
    head = {"title": f"positions by the rules of {base}, each a game of its own", "patterns": "yes"}
    return format_conversation(Conversation(tuple(_asked(base)), head))


def _asked(base: str) -> Iterator[Utterance]:
    yield Utterance("S", GREETING)
    yield Utterance("B", "login <name>...")
    yield Utterance("S", "welcome <name> slot=1 key=k3y-1")
    number = 0
    for rules, positions in positions_by_rules().items():
        if rules.partition("+")[0] != base:
            continue
        for text in positions:
            number += 1
            yield from _question(number, text)
    yield Utterance("S", "bye event-over the event has ended, thank you for playing")


def _question(number: int, text: str) -> Iterator[Utterance]:
    game = Game.load(text)
    assert game.turn is not None
    letters = [group[0] for group in game.position.seats]
    seats = ",".join(f"{letter}:bot{seat}" for seat, letter in enumerate(letters, start=1))
    terms = game.terms
    yield Utterance(
        "S",
        f"game {number} {game.rules.id} {letters[game.turn]} seats={seats} limit={terms.limit}"
        f" at_limit={terms.at_limit} clock=10s seed={number} draws=no",
    )
    yield Utterance("S", f"turn {number} {game.ply} 10000 {game}")
    moves = ",".join(map(game.format_move, game.legal_moves()))
    yield Utterance("B", f"move {number} {game.ply} {{{moves}}}")
    places = ",".join(f"{letter}:0" for letter in letters)
    yield Utterance("S", f"over {number} aborted places={places}")


if __name__ == "__main__":
    for name, content in derived().items():
        (GOLDEN / name).write_text(content, encoding="utf-8")
