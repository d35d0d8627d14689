"""Which of a bot's versions stands for it."""

import pytest

from sternhalma_tournament.plackett_luce import FinishingOrder
from sternhalma_tournament.ratings import latest, latest_versions, rate, split_version


def test_a_bots_line_is_its_latest_version() -> None:
    ratings = rate(
        FinishingOrder(pair, (1, 2))
        for pair in [("zoe@1.9", "max"), ("zoe@1.10", "max"), ("max", "ann@2")]
    )
    lines = latest(ratings)
    assert {bot: row.name for bot, row in lines.items()} == {
        "ann": "ann@2",
        "max": "max",
        "zoe": "zoe@1.10",
    }
    assert lines["zoe"] == ratings.row("zoe@1.10")


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("b", "b@0"),
        ("b@1.9", "b@1.10"),
        ("b@2.0-rc1", "b@2.0"),
        ("b@2.0-rc2", "b@2.0-rc10"),
        ("b@1.9", "b@2.0-rc1"),
        ("b@v9", "b@v10"),
        ("b@1", "b@1.1"),
        ("b@2024-05-01", "b@2024-11-01"),
    ],
)
def test_a_version_is_newer_by_its_numbers(older: str, newer: str) -> None:
    assert latest_versions([older, newer]) == latest_versions([newer, older]) == {"b": newer}


def test_only_the_first_at_sign_parts_bot_and_version() -> None:
    assert split_version("b@1@2") == ("b", "1@2")
