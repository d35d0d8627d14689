"""What bots did with their turns, from records."""

from __future__ import annotations

from random import Random

import pytest

from server.kept import CUP, games_of
from sternhalma import Rules
from sternhalma_server.record import Ply
from sternhalma_server.usage import Extreme, Usage, Usages, jumps_of, usage_json, usage_row


@pytest.mark.parametrize(
    ("path", "jumps"),
    [("pass", 0), ("d5-e5", 0), ("c5-e5", 1), ("b6-d8-f8", 2), ("b6-d8-f8-h8", 3)],
)
def test_jumps_are_counted_and_steps_are_not(path: str, jumps: int) -> None:
    assert jumps_of(path, Rules.parse("tara").board) == jumps


def test_every_move_of_a_bot_is_counted_once_in_whatever_order() -> None:
    records = games_of(CUP)
    inorder, shuffled = Usages(), Usages()
    for record in records:
        inorder.add(record)
    Random(7).shuffle(records)
    for record in records:
        shuffled.add(record)
    assert shuffled.by_bot == inorder.by_bot
    moves = sum(isinstance(p, Ply) and p.source is None for r in records for p in r.happened)
    assert sum(usage.moves for usage in inorder.by_bot.values()) == moves


def test_the_longest_is_named_with_its_game_and_ply() -> None:
    records = games_of(CUP)
    usages = Usages()
    for record in records:
        usages.add(record)
    charges = [
        (ply.charged or 0, record.game, ply.number)
        for record in records
        for ply in record.happened
        if isinstance(ply, Ply)
        and ply.source is None
        and {p.seat: p.bot for p in record.players}[ply.seat] == "zoe"
    ]
    most = max(charge for charge, _, _ in charges)
    assert usages.by_bot["zoe"].longest == Extreme(
        *min(charge for charge in charges if charge[0] == most)
    )
    assert usages.by_bot["zoe"].charged == sum(charge for charge, _, _ in charges)


def test_a_bot_that_never_moved_has_an_empty_line() -> None:
    usage = Usage()
    assert usage_row("zoe", usage) == ["zoe", "0", "", "", "", "0", ""]
    assert usage_json(usage)["mean_ms"] is None
