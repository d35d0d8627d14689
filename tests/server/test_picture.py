"""Boards as SVG: whole XML, everything in its place, and nothing of a title taken for markup."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docs.pages import blocks, commands
from sternhalma import Game, Hole, Position, Rules
from sternhalma_server import cli
from sternhalma_server.picture import board_sheet, description, picture, places

SVG = "{http://www.w3.org/2000/svg}"
Captured = pytest.CaptureFixture[str]

STARTS = [
    Position.start(Rules.parse(rules), players)
    for rules, players in [
        ("tara", 2),
        ("tara", 3),
        ("duel", 2),
        ("corner+pairs", 4),
        ("corner+15", 2),
        ("corner+3c", 2),
        ("tara", 6),
        ("halma13", 4),
        ("halma19", 2),
    ]
]
every_start = pytest.mark.parametrize("start", STARTS, ids=str)


def drawn(start: Position, title: str = "a title", **options: object) -> ElementTree.Element:
    return ElementTree.fromstring(picture(start, title, **options))  # type: ignore[arg-type]


@every_start
def test_every_hole_is_drawn_and_every_marble_bears_its_letter(start: Position) -> None:
    root = drawn(start)
    holes = [one for one in root.iter(f"{SVG}circle") if "hole" in one.get("class", "")]
    letters = [start.letter_at(Hole(hole)) for hole in range(len(holes))]
    marbles = [one for one in root.iter(f"{SVG}g") if "marble " in one.get("class", "")]
    assert len(holes) == len(start.seating.board.coordinates)
    assert Counter(one.findtext(f"{SVG}text") for one in marbles) == Counter(filter(None, letters))
    assert all(one.get("class") == f"marble {one[1].text}".lower() for one in marbles)


@every_start
def test_marbles_lie_in_their_holes_and_holes_do_not_touch(start: Position) -> None:
    board = start.seating.board
    spots = places(board)
    for hole, rays in enumerate(board.rays):
        for near in (ray[0] for ray in rays if ray):
            (x, y), (u, v) = spots[hole], spots[near]
            assert 39.9 <= ((x - u) ** 2 + (y - v) ** 2) ** 0.5 <= 56.6
    lying = re.findall(r"translate\(([\d.]+) ([\d.]+)\)", picture(start, ""))
    taken = [spot for hole, spot in enumerate(spots) if start.letter_at(Hole(hole))]
    assert [(float(x), float(y)) for x, y in lying] == taken


def test_what_is_shown_is_told_in_words() -> None:
    game = Game.new("tara", players=2).play("c5-e7")
    assert game.last is not None
    told = description(game.position, game.last.path)
    assert told.startswith("A on a5 b5 b6 c6 c7 d5 d6 d7 d8 e7. D on n10 ")
    assert told.endswith("q13. The last move went c5-e7.")
    root = drawn(game.position, path=game.last.path, key="one")
    named = [one.text for one in root if one.get("id") in {"one-title", "one-desc"}]
    assert named == ["a title", told]
    assert root.get("aria-labelledby") == "one-title one-desc"


def test_the_way_of_the_last_move_touches_all_its_landings() -> None:
    game = Game.new("tara", players=2)
    path = game.parse_move("c5-e7-e9").path
    (way,) = drawn(game.position, path=path).iter(f"{SVG}path")
    spots = places(game.position.seating.board)
    touched = [tuple(map(float, spot.split(" "))) for spot in way.get("d", "")[1:].split(" L")]
    assert touched == [spots[hole] for hole in path]


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff")))
def test_a_title_is_never_taken_for_markup(title: str) -> None:
    root = drawn(STARTS[0], title)
    assert (root[0].text or "") == title
    assert [one.tag for one in root.iter()] == [one.tag for one in drawn(STARTS[0]).iter()]


def test_only_a_picture_that_stands_alone_brings_colours() -> None:
    assert "<style>" not in picture(STARTS[0], "")
    alone = picture(STARTS[0], "", alone=True)
    assert board_sheet().strip() in alone
    assert "prefers-color-scheme: dark" in alone
    for text in (picture(STARTS[0], ""), alone):
        assert "style=" not in text
        assert re.findall(r"https?://[^\"]*", text) == ["http://www.w3.org/2000/svg"]


def contrast(first: str, second: str) -> float:
    """The contrast of two colours as the accessibility guidelines of the W3C measure it."""

    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted([luminance(first), luminance(second)], reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("letter", "abcdef")
def test_a_letter_can_be_read_on_its_marble(letter: str) -> None:
    sheet = board_sheet()
    marble = re.findall(rf"--marble-{letter}: (#\w+);", sheet)[0]
    special = re.findall(rf"\.marble\.{letter} text {{ fill: (#\w+);", sheet)
    ink = special or re.findall(r"\.marble text {{? ?fill: (#\w+);", sheet)
    assert contrast(marble, ink[0]) >= 4.5


def test_show_prints_a_whole_picture(capsys: Captured) -> None:
    assert cli.main(["show", "tara", "--players", "3", "--play", "d5-e5", "--svg"]) == 0
    shown, _ = capsys.readouterr()
    game = Game.new("tara", players=3).play("d5-e5")
    assert game.last is not None
    assert shown == picture(
        game.position, "tara, 3 players, C to move", path=game.last.path, alone=True
    )


def test_show_tells_the_position_after_a_move(capsys: Captured) -> None:
    assert cli.main(["show", "tara", "--play", "d5-e5"]) == 0
    assert str(Game.new("tara", players=2).play("d5-e5")) in capsys.readouterr()[0]


REFUSED = {
    ("tara", "--svg", "--json"): "expected one of --svg and --json, got both",
    ("-", "--svg"): "expected one position with --svg and --play, got standard input",
    ("tara", "--play", "a5-q13"): "a5-q13: q13 is taken by a marble of D",
}


@pytest.mark.parametrize("words", REFUSED)
def test_show_refuses_what_makes_no_picture(capsys: Captured, words: tuple[str, ...]) -> None:
    assert cli.main(["show", *words]) == 2
    assert REFUSED[words] in capsys.readouterr()[1]


def test_the_picture_of_the_front_page_is_what_its_command_prints(capsys: Captured) -> None:
    root = Path(__file__).parents[2]
    lines = [command.line for block in blocks("README.md") for command in commands(block)]
    (line,) = [line for line in lines if line.startswith("sternhalma show ") and "--svg" in line]
    words, _, name = line.removeprefix("sternhalma show ").rpartition(" > ")
    assert cli.main(["show", *words.replace("'", "").split()]) == 0
    assert capsys.readouterr()[0] == (root / "docs" / "images" / name).read_text(encoding="utf-8")
