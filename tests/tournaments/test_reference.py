"""The reference event: its file, and the tables that are kept of it."""

from __future__ import annotations

import re
from pathlib import Path

from sternhalma_bot.bots import SAMPLES
from sternhalma_server.settings import settings_of
from sternhalma_tournament.event import Event

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tournaments" / "reference"


def event() -> Event:
    path = FOLDER / "reference.toml"
    return settings_of(path.read_bytes(), path.name).event


def rows(name: str) -> dict[str, list[str]]:
    """The first table of the page *name*, by the name of the bot."""
    table = (FOLDER / name).read_text(encoding="utf-8").split("\n\n")[0]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    return {row[1]: row for row in cells[2:]}


def test_every_sample_bot_and_the_strong_one_play_in_it() -> None:
    assert sorted(bot.name for bot in event().bots) == sorted([*SAMPLES, "strong"])


def test_the_tables_that_are_kept_are_of_the_whole_event() -> None:
    games = (len(event().bots) - 1) * (event().cycles or 1)
    for name in ["standings.md", "ratings.md"]:
        assert set(rows(name)) == {bot.name for bot in event().bots}
    assert {int(row[3]) for row in rows("standings.md").values()} == {games}
    assert {int(row[4]) for row in rows("ratings.md").values()} == {games}


def test_the_strong_bot_is_rated_above_all_samples_and_chance_below() -> None:
    ratings = {name: int(row[2]) for name, row in rows("ratings.md").items()}
    assert max(ratings, key=ratings.__getitem__) == "strong"
    assert min(ratings, key=ratings.__getitem__) == "random"


def test_no_game_of_it_was_forfeited() -> None:
    column = re.split(r" *\| *", (FOLDER / "standings.md").read_text().splitlines()[0]).index(
        "faults"
    )
    assert all(row[column - 1] == "" for row in rows("standings.md").values())


def test_one_command_makes_it() -> None:
    recipe = (ROOT / "Makefile").read_text().split("\nreference:")[1].split("\n\n")[0]
    for part in ["reference.toml --again", "standings.md", "ratings.md", "clients/c/strong"]:
        assert part in recipe
