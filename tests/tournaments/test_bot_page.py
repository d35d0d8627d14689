import json
from fractions import Fraction

import pytest

from sternhalma_tournament.bot_page import (
    BotPage,
    VersionLine,
    bot_page,
    bot_page_json,
    bot_page_markdown,
)


def page() -> BotPage:
    return bot_page(
        "zoe",
        [
            VersionLine(None, 4, Fraction(1, 3), -300.2, -420.0, -180.0, 1, 9),
            VersionLine("1.9", 40, Fraction(5, 8), -0.2, -60.4, 60.4, 12, 301, 0.9876),
            VersionLine("1.10", 1, Fraction(1, 2), 55.0, None, None, 310, 310, None),
        ],
    )


def test_versions_stand_in_a_row_the_oldest_first() -> None:
    assert bot_page_markdown(page()) == (
        "# zoe\n"
        "\n"
        "3 versions, 45 games; rated 55 now.\n"
        "\n"
        "| version | games |  score | rating | 95 % interval | above the last | first game"
        " | last game |\n"
        "| ------- | ----: | -----: | -----: | ------------- | -------------: | ---------:"
        " | --------: |\n"
        "|         |     4 | 33.3 % |   -300 | -420 to -180  |                |          1"
        " |         9 |\n"
        "| 1.9     |    40 | 62.5 % |      0 | -60 to 60     |         98.8 % |         12"
        " |       301 |\n"
        "| 1.10    |     1 | 50.0 % |     55 |               |                |        310"
        " |       310 |\n"
    )


def test_the_version_it_plays_now_is_rated_with_its_interval() -> None:
    two = bot_page("zoe", page().versions[:2])
    assert "2 versions, 44 games; rated 0 now (-60 to 60)." in bot_page_markdown(two)


def test_a_bot_without_games_has_a_page_too() -> None:
    new = bot_page("zoe", [VersionLine("1", 0, None, None, None, None, None, None)])
    assert "1 version, 0 games.\n" in bot_page_markdown(new)
    assert "0 versions, 0 games.\n" in bot_page_markdown(bot_page("zoe", []))
    assert json.loads(bot_page_json(new))["versions"] == [
        {
            "version": "1",
            "games": 0,
            "score": None,
            "rating": None,
            "low": None,
            "high": None,
            "above_last": None,
            "first_game": None,
            "last_game": None,
        }
    ]


def test_the_json_holds_every_version() -> None:
    value = json.loads(bot_page_json(page()))
    assert [line["version"] for line in value["versions"]] == [None, "1.9", "1.10"]
    assert value["games"] == 45
    assert value["versions"][1] == {
        "version": "1.9",
        "games": 40,
        "score": "0.6250",
        "rating": "-0.2",
        "low": "-60.4",
        "high": "60.4",
        "above_last": "0.9876",
        "first_game": 12,
        "last_game": 301,
    }


def test_an_anchor_has_no_interval() -> None:
    given = bot_page("zoe", [VersionLine("1", 9, Fraction(1, 2), 1500.0, 1500.0, 1500.0, 1, 9)])
    assert "1 version, 9 games; rated 1500 now.\n" in bot_page_markdown(given)


def test_a_name_cannot_break_the_page() -> None:
    odd = bot_page("zoe\n# max", [VersionLine("a|b", 0, None, None, None, None, None, None)])
    assert bot_page_markdown(odd).startswith("# zoe # max\n\n")
    assert "| a\\|b " in bot_page_markdown(odd)


def test_a_version_stands_once() -> None:
    line = page().versions[1]
    with pytest.raises(ValueError, match=r"expected each version of 'zoe' once, got '1\.9' again"):
        bot_page("zoe", [line, line])
