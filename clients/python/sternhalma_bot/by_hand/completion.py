"""What the word that is being typed may become."""

from __future__ import annotations

from collections.abc import Sequence

import sternhalma
from sternhalma.board import holes_of
from sternhalma_bot.by_hand.picture import NONE
from sternhalma_bot.by_hand.typed import COMMANDS


def complete(before: str, word: str, game: sternhalma.Game | None) -> list[str]:
    """What *word* may become, with *before* to its left, in *game*, None where no move is wanted.

    A move grows hole by hole: first the marbles that can move, then where the one may go.
    """
    words = before.lower().split()
    word = word.lower()
    moves = [] if game is None else _moves(game, word)
    if words == ["offer"]:
        return _fitting(word, moves)
    return [] if words else _fitting(word, [*COMMANDS, *moves])


def _moves(game: sternhalma.Game, word: str) -> list[str]:
    name = game.rules.board.format_hole
    reach = game.reach()
    origin, dash, _ = word.partition("-")
    if not dash:
        return [name(hole) for hole in sorted(reach)]
    hole = game.rules.board.by_name.get(origin)
    targets = NONE if hole is None else reach.get(hole, NONE)
    return [f"{origin}-{name(target)}" for target in holes_of(targets)]


def _fitting(word: str, candidates: Sequence[str]) -> list[str]:
    return [candidate for candidate in candidates if candidate.startswith(word)]
