"""The command line as its users meet it: what is printed, where, and the exit status."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sternhalma_server import cli

TARA = "tara A/AA/AAA/AAAA/13/12/11/10/9/10/11/12/13/DDDD/DDD/DD/D A,D A 0,0 -"
BLOCKED = "duel A/AA/A1A/4/13/12/11/10/9/10/11/12/13/4/3/2/1 A,D A 0,0 -"
OVER = "duel A/AA/AAA/AAAA/13/12/11/10/9/10/11/12/13/DDDD/DDD/DD/D A,D - 7,7 -"
OPENING = [
    *("c5-e5", "c5-e7", "c6-e6", "c6-e8", "c7-e7", "c7-e9"),
    *("d5-e5", "d5-e6", "d6-e6", "d6-e7", "d7-e7", "d7-e8", "d8-e8", "d8-e9"),
]

Captured = pytest.CaptureFixture[str]


def stdin(monkeypatch: pytest.MonkeyPatch, data: str | bytes) -> None:
    raw = data.encode() if isinstance(data, str) else data
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(raw)))


def refused(capsys: Captured, *words: str) -> str:
    """The one sentence on standard error of a command line that is bad input."""
    assert cli.main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith("\n")
    assert err.count("\n") == 1
    return err.removesuffix("\n")


def printed(capsys: Captured, *words: str) -> str:
    """What a command line that is fine prints."""
    assert cli.main(words) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_moves_are_listed_one_a_line_in_the_order_of_their_texts(capsys: Captured) -> None:
    assert printed(capsys, "moves", TARA).split("\n") == [*OPENING, ""]


def test_a_position_may_be_six_words(capsys: Captured) -> None:
    assert printed(capsys, "moves", *TARA.split(" ")).split() == OPENING


def test_a_rules_id_stands_for_its_start_position(capsys: Captured) -> None:
    assert printed(capsys, "moves", "tara", "--players", "2").split() == OPENING


def test_moves_sort_as_texts_even_where_the_board_has_another_order(capsys: Captured) -> None:
    moves = printed(
        capsys, "moves", "duel A/2/3/4/8AA3/12/11/10/9/10/11/12/13/4/3/2/D A,D A 0,0 -", "--puzzle"
    ).split()
    assert moves == sorted(moves)
    assert moves.index("e10-e11") < moves.index("e9-e8")


def test_paths_name_every_landing(capsys: Captured) -> None:
    board = "corner A/AA/A1A/A1AA/6A6/12/11/10/9/10/11/12/13/4/3/2/1 A,D A 0,0 -"
    short = printed(capsys, "moves", board, "--puzzle").split()
    full = printed(capsys, "moves", board, "--puzzle", "--paths").split()
    assert len(full) == len(short)
    assert any(path.count("-") > 1 for path in full)
    assert sorted(f"{p.split('-')[0]}-{p.split('-')[-1]}" for p in full) == short
    assert full == sorted(full)


def test_pass_is_all_that_is_left_to_a_blocked_player(capsys: Captured) -> None:
    blocked = "duel A/DD/D1D/4/13/12/11/10/9/10/11/12/13/4/3/2/1 A,D A 0,0 -"
    assert printed(capsys, "moves", blocked, "--puzzle") == "pass\n"


def test_a_finished_game_has_no_moves(capsys: Captured) -> None:
    assert printed(capsys, "moves", OVER) == ""
    assert json.loads(printed(capsys, "moves", "--json", OVER)) == {"moves": []}


def test_the_limit_decides_whether_the_game_is_over(capsys: Captured) -> None:
    late = TARA.replace("0,0", "7,7")
    assert printed(capsys, "moves", late).split() == OPENING
    assert printed(capsys, "moves", late, "--limit", "7") == ""


def test_moves_answer_a_line_for_each_line_of_standard_input(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    stdin(monkeypatch, f"{TARA}\n{OVER}\r\n{TARA}")
    line = ",".join(OPENING)
    assert printed(capsys, "moves") == f"{line}\n\n{line}\n"


@pytest.mark.parametrize(
    "bad", [b"nonsense", b"", b"\xff\xfe", TARA.replace("A/AA", "AA").encode()]
)
def test_an_unreadable_line_is_answered_on_its_line(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch, bad: bytes
) -> None:
    stdin(monkeypatch, TARA.encode() + b"\n" + bad + b"\n" + TARA.encode() + b"\n")
    assert cli.main(["perft", "-", "1"]) == 2
    out, err = capsys.readouterr()
    first, answer, last = out.splitlines()
    assert (first, last) == ("14", "14")
    assert answer.startswith("error: ")
    assert "expected" in answer
    assert err == ""


def test_an_unreadable_line_is_answered_in_json_where_json_was_asked_for(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    stdin(monkeypatch, f"nonsense\n{TARA}\n")
    assert cli.main(["perft", "--json", "1"]) == 2
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert set(first) == {"error"}
    assert second == {"depth": 1, "nodes": 14}


def test_perft_counts_sequences(capsys: Captured) -> None:
    assert printed(capsys, "perft", TARA, "3") == "4648\n"
    assert printed(capsys, "perft", *TARA.split(" "), "3") == "4648\n"
    assert printed(capsys, "perft", "tara", "0") == "1\n"


def test_perft_reads_standard_input_when_only_a_depth_is_given(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    stdin(monkeypatch, f"{TARA}\n{OVER}\n")
    assert printed(capsys, "perft", "2") == "196\n0\n"


@pytest.mark.parametrize("command", [["show"], ["moves"], ["perft", "1"]])
def test_a_puzzle_needs_its_option(capsys: Captured, command: list[str]) -> None:
    name, *depth = command
    assert refused(capsys, name, BLOCKED, *depth) == (
        f"sternhalma {name}: in the board field: expected 10 marbles of A, got 5"
    )
    assert cli.main([name, BLOCKED, *depth, "--puzzle"]) == 0


def test_show_draws_and_tells_how_the_game_stands(capsys: Captured) -> None:
    out = printed(capsys, "show", TARA).splitlines()
    assert out[4] == " e1 . . . . . . . . . . . . . e13"
    assert out[17:] == [
        "",
        TARA,
        "2 players, 200 turns each, then placed by progress",
        "A: 0 home, 110 steps to go, 0 turns had",
        "D: 0 home, 110 steps to go, 0 turns had",
        "turn 1: A has 14 moves",
    ]


def test_show_tells_the_places_of_a_game_that_is_over(capsys: Captured) -> None:
    out = printed(capsys, "show", OVER, "--limit", "7").splitlines()
    assert out[-3:] == [
        "A: 0 home, 110 steps to go, 7 turns had, place 1",
        "D: 0 home, 110 steps to go, 7 turns had, place 1",
        "over: share",
    ]


def test_show_tells_that_only_a_pass_is_left(capsys: Captured) -> None:
    blocked = "duel A/DD/D1D/4/13/12/11/10/9/10/11/12/13/4/3/2/1 A,D A 1,0 -"
    out = printed(capsys, "show", blocked, "--puzzle")
    assert out.endswith(
        "1 turn had\nD: 4 home, 0 steps to go, 0 turns had\nturn 2: A has a pass only\n"
    )


def test_show_tells_programs_the_same_in_json(capsys: Captured) -> None:
    facts = json.loads(
        printed(capsys, "show", "corner", "--players", "3", "--limit", "9", "--json")
    )
    assert facts["limit"] == 9
    assert facts["at_limit"] == "share"
    assert facts["turn"] == "A"
    assert facts["ply"] == 1
    assert facts["end"] is None
    assert len(facts["moves"]) == 14
    assert [seat["seat"] for seat in facts["seats"]] == ["A", "C", "E"]


def test_show_draws_every_position_of_standard_input(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    stdin(monkeypatch, f"{TARA}\n{TARA}\n")
    out = printed(capsys, "show", "-")
    assert out.count("a5 A a5") == 2
    assert out.count("A has 14 moves\n\n") == 2


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("variables", "colours"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_colours_are_for_terminals_that_want_them(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], colours: bool
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    assert cli.main(["show", "tara"]) == 0
    assert ("\x1b[" in terminal.getvalue()) is colours


SENTENCES = {
    (): "sternhalma: expected a command, one of " + ", ".join(cli.COMMANDS),
    ("shwo", "tara"): "sternhalma: unknown command 'shwo', did you mean show?",
    ("qqq",): "sternhalma: unknown command 'qqq', expected one of " + ", ".join(cli.COMMANDS),
    ("--versoin",): "sternhalma: unknown option '--versoin', did you mean --version?",
    (
        "moves",
        "tara",
        "--puzle",
    ): "sternhalma moves: unknown option '--puzle', did you mean --puzzle?",
    ("moves", "tara", "--pa"): "sternhalma moves: unknown option '--pa', did you mean --paths?",
    ("moves", "tara", "--limit", "0"): (
        "sternhalma moves: argument --limit: expected a whole number from 1, got '0'"
    ),
    ("moves", "tara", "--players", "two"): (
        "sternhalma moves: argument --players: expected a whole number from 1, got 'two'"
    ),
    ("moves", "tara", "--limit"): "sternhalma moves: argument --limit: expected one argument",
    ("show", "tara", "--players", "5"): (
        "sternhalma show: expected 2, 3, 4 or 6 players for 'tara', got 5"
    ),
    ("show", "star"): (
        "sternhalma show: expected a rules id tara, duel, corner, halma13 or halma19, got 'star'"
    ),
    ("show",): (
        "sternhalma show: expected a position, a rules id, or - for positions on standard input,"
        " got nothing"
    ),
    ("show", TARA, "--players", "2"): (
        "sternhalma show: expected --players only with a rules id, a position has its seats"
    ),
    ("moves", "--players", "2"): (
        "sternhalma moves: expected --players only with a rules id, not for standard input"
    ),
    ("moves", "tara A/AA"): (
        "sternhalma moves: expected 6 fields between single spaces"
        " (rules board seats turn counts done), got 2 in 'tara A/AA'"
    ),
    ("perft",): "sternhalma perft: expected POSITION DEPTH, got nothing",
    ("perft", "tara"): "sternhalma perft: expected a depth from 0 behind the position, got 'tara'",
    (
        "perft",
        "tara",
        "-1",
    ): "sternhalma perft: expected a depth from 0 behind the position, got '-1'",
}


@pytest.mark.parametrize("words", SENTENCES)
def test_bad_input_is_one_sentence_and_status_2(capsys: Captured, words: tuple[str, ...]) -> None:
    assert refused(capsys, *words) == SENTENCES[words]


def test_the_help_names_every_command(capsys: Captured) -> None:
    out = printed(capsys, "--help")
    for name in cli.COMMANDS:
        assert f"\n  {name}" in out


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_has_a_help(capsys: Captured, name: str) -> None:
    assert printed(capsys, name, "--help").startswith(f"usage: sternhalma {name}")


def test_the_version_is_printed(capsys: Captured) -> None:
    assert printed(capsys, "--version").startswith("sternhalma 0.")


def test_an_interrupt_is_status_3(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted:
        def __iter__(self) -> Interrupted:
            return self

        def __next__(self) -> str:
            raise KeyboardInterrupt

    monkeypatch.setattr("sys.stdin", Interrupted())
    assert cli.main(["moves"]) == 3


def command(*words: str) -> list[str]:
    start = "import sys; from sternhalma_server.cli import main; sys.exit(main())"
    return [sys.executable, "-c", start, *words]


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}


def test_a_reader_that_leaves_early_is_no_error() -> None:
    with subprocess.Popen(
        command("moves"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.write((TARA + "\n").encode() * 10)
        process.stdin.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_a_command_may_be_kept_open_and_asked_line_by_line() -> None:
    with subprocess.Popen(
        command("perft", "1"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for _ in range(3):
            process.stdin.write(TARA.encode() + b"\n")
            process.stdin.flush()
            assert process.stdout.readline() == b"14\n"
        process.stdin.close()


def test_nothing_heavy_is_imported_to_draw_a_board() -> None:
    script = (
        "import sys; from sternhalma_server.cli import main; main(['show', 'tara']);"
        "heavy = {'trio', 'msgspec', 'rich', 'sqlite3'} & set(sys.modules); sys.exit(bool(heavy))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], check=False, env=environment(), capture_output=True
    )
    assert done.returncode == 0, done.stderr


def test_the_console_script_is_this_command() -> None:
    project = Path(__file__).parents[2] / "pyproject.toml"
    assert 'sternhalma = "sternhalma_server.cli:main"' in project.read_text(encoding="utf-8")
