"""The examples of docs/rules.md and docs/records.md, held against the program."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from sternhalma import (
    BASES,
    OPTIONS,
    Game,
    IllegalMoveError,
    Mask,
    Position,
    Rules,
    format_position,
)
from sternhalma.board import STAR, holes_of
from sternhalma_server import cli, record_lines
from sternhalma_server.archive import EVENT, STORE, SUMS
from sternhalma_server.clock import MILLISECOND, Lag
from sternhalma_server.record import parse_record
from sternhalma_server.replay import replay
from sternhalma_server.results import RESULTS, TABLES
from sternhalma_server.timing import FALL_KEYS, MOVE_KEYS, prove_times

DOCS = Path(__file__).parents[2] / "docs"
RULES = (DOCS / "rules.md").read_text(encoding="utf-8")
RECORDS = (DOCS / "records.md").read_text(encoding="utf-8")

Case = tuple[str, str, str, bool]


def rows(text: str) -> list[list[str]]:
    """The cells of every row of every table in *text*."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def cases() -> list[Case]:
    """(rules id, marbles, path, whether it is legal) of the tables of cases."""
    found: list[Case] = []
    rules: list[str] = []
    for cells in rows(RULES.partition("## Cases")[2]):
        if cells[0] == "marbles":
            rules = [cell.strip("`") for cell in cells[2:-1]]
        else:
            marbles, path, *verdicts, why = cells
            for name, verdict in zip(rules, verdicts, strict=True):
                assert verdict in {"yes", "no"}
                found.append((name, marbles, path, verdict == "yes"))
            if "`through`: no" in why:
                found.append(("corner+through", marbles, path, False))
    return found


def game(rules: str, marbles: str) -> Game:
    start = Position.start(Rules.parse(rules), 2)
    board = start.seating.board
    masks = [0] * len(start.marbles)
    for group in marbles.split("; "):
        letter, *holes = group.split(" ")
        for hole in holes:
            masks[board.letters.index(letter)] |= 1 << board.parse_hole(hole)
    position = start._replace(marbles=tuple(map(Mask, masks)))
    return Game.load(format_position(position), puzzle=True)


def test_there_are_as_many_cases_as_the_tables_show() -> None:
    assert len(cases()) == 11 * 3 + 1 + 7


@pytest.mark.parametrize("case", cases(), ids=lambda case: f"{case[0]} {case[1]}: {case[2]}")
def test_a_case_is_judged_as_the_page_says(case: Case) -> None:
    rules, marbles, path, legal = case
    before = game(rules, marbles)
    assert not before.is_over
    if legal:
        assert before.play(path).last is not None
    else:
        with pytest.raises(IllegalMoveError):
            before.play(path)


def consoles() -> list[tuple[str, str]]:
    """(command line, what it prints) of the console blocks of the rules' page."""
    found: list[tuple[str, str]] = []
    for block in re.findall(r"```console\n(.*?)```", RULES, re.DOTALL):
        for part in block.split("$ ")[1:]:
            line, _, output = part.partition("\n")
            found.append((line, output))
    return found


@pytest.mark.parametrize("example", consoles(), ids=lambda example: example[0])
def test_a_command_prints_what_the_page_shows(
    example: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    line, output = example
    program, *words = shlex.split(line)
    assert program == "sternhalma"
    assert cli.main(words) == 0
    assert capsys.readouterr().out == output


def test_the_page_names_every_rules_id_with_its_players_marbles_and_turns() -> None:
    table = {row[0].strip("`"): row for row in rows(RULES.partition("Options follow")[0])[1:]}
    assert table.keys() == BASES.keys()
    for name, rules in BASES.items():
        players = ", ".join(map(str, rules.players))
        assert table[name][2:] == [players, str(rules.marbles), str(rules.limit)]


def spans(holes: str) -> set[str]:
    """The holes that a text such as `a5 b5-6` names."""
    found = re.findall(r"([a-q])(\d+)(?:-(\d+))?(?: |$)", holes)
    return {
        f"{row}{number}"
        for row, first, last in found
        for number in range(int(first), int(last or first) + 1)
    }


def test_the_page_lists_the_holes_of_every_point_of_the_star() -> None:
    section = RULES.partition("The holes of the points")[2].partition("The square")[0]
    named = {point: spans(holes) for point, holes in rows(section)[1:]}
    assert named == {
        letter: {STAR.names[hole] for hole in holes_of(point)}
        for letter, point in STAR.points.items()
    }


def test_the_page_names_every_option() -> None:
    section = RULES.partition("Options follow")[2].partition("At most one")[0]
    named = {option for row in rows(section)[1:] for option in re.findall(r"`(\w+)`", row[0])}
    assert named == {option for options in OPTIONS.values() for option in options}


def test_the_ids_the_page_shows_are_right() -> None:
    for name in re.findall(r"`(\w+(?:\+\w+)+)`", RULES):
        assert Rules.parse(name).id == name


def test_the_record_the_page_shows_holds() -> None:
    found = re.search(r"```record\n(.*?)```", RECORDS, re.DOTALL)
    assert found is not None
    record = parse_record(found[1])
    replay(record)
    prove_times(record, Lag(per_move=20 * MILLISECOND, cap=50 * MILLISECOND))


def test_the_page_names_every_line_and_every_key_that_records_have() -> None:
    forms = [forms for forms in vars(record_lines).values() if isinstance(forms, record_lines.Form)]
    named = " ".join(cells[0] for cells in rows(RECORDS.partition("## The record of a game")[2]))
    for form in forms:
        assert form.example.split(" ")[0] in named
    keys = {cells[0].strip("`") for cells in rows(RECORDS.partition("| key | of |")[2])}
    assert {*MOVE_KEYS, *FALL_KEYS, "credit", "draw", "line"} <= keys


def test_the_page_names_every_file_of_a_results_folder() -> None:
    for name in [STORE, EVENT, SUMS, RESULTS, *TABLES]:
        stem, _, suffix = name.partition(".")
        row = next(line for line in RECORDS.splitlines() if line.startswith(f"| `{stem}"))
        assert f"{suffix}`" in row
