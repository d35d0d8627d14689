"""docs/events.md against the program: its keys, defaults, examples, formulas and statuses."""

from __future__ import annotations

import hashlib
import re
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from docs.pages import files, table, text_of
from docs.shell import SECONDS, Shell, converse
from sternhalma import Game
from sternhalma_server.audience import PLACES
from sternhalma_server.sandbox import sandbox_problem
from sternhalma_server.settings import Settings, settings_of
from sternhalma_server.wire import MAX_SLOT
from sternhalma_tournament.event import Bot, Event, Pair, SprtTable
from sternhalma_tournament.hosting import BotLimits, Budgets, LagCredit, Tls
from sternhalma_tournament.roundrobin import schedule_of
from sternhalma_tournament.tiebreaks import TIE_BREAKS

PAGE = "docs/events.md"
TABLES: dict[str, type[msgspec.Struct]] = {
    "## Keys": Event,
    "### Formats": Event,
    "### SPRT": SprtTable,
    "### Bots": Bot,
    "### Pairs": Pair,
    "### Budgets": Budgets,
    "### Lag": LagCredit,
    "### TLS": Tls,
    "### Limits": BotLimits,
}
KINDS = list(dict.fromkeys(TABLES.values()))  # in an order, the same in every process
HEAD = {"name": '"base"', "rules": '"tara"', "players": "2", "clock": '"2s"'}
BOTS = "".join(f'[[bots]]\nname = "{name}"\nremote = true\n' for name in ("x", "y", "z"))
PAIRED = '[[pairs]]\nname = "x"\nbots = ["x", "z"]\n'


def bare(cell: str) -> str:
    """A cell without the code marks around it."""
    return cell.strip("`")


ROWS = [(heading, [*map(bare, row)]) for heading in TABLES for row in table(PAGE, heading)]
every_row = pytest.mark.parametrize(
    ("heading", "row"), ROWS, ids=[f"{heading} {row[0]}" for heading, row in ROWS]
)


def settings(head: str = "", tail: str = BOTS) -> Settings:
    """The settings of a small event with the TOML lines *head* and *tail*."""
    lines = [f"{key} = {value}" for key, value in HEAD.items() if f"{key} =" not in head]
    return settings_of("\n".join([*lines, head, tail]).encode(), "the example")


def in_bots(example: str) -> Settings:
    name = "" if example.startswith("name") else 'name = "c"\n'
    rest = "" if re.match("command|remote", example) else "remote = true\n"
    if re.match("stdio|sandbox", example):
        rest = 'command = "c"\n' + ("" if example.startswith("stdio") else "stdio = true\n")
    return settings(tail=f"{BOTS}[[bots]]\n{name}{example}\n{rest}")


def in_pairs(example: str) -> Settings:
    partners = re.findall(r'"(\w+)"', example) if example.startswith("bots") else ["a", "b"]
    more = "".join(f'[[bots]]\nname = "{name}"\nremote = true\n' for name in [*partners, "w"])
    rest = f'bots = ["{partners[0]}", "{partners[1]}"]\n' if "bots" not in example else ""
    name = 'name = "c"\n' if "name" not in example else ""
    other = '[[pairs]]\nname = "other"\nbots = ["y", "w"]\n'
    pair = f"[[pairs]]\n{name}{rest}{example}\n"
    return settings('rules = "corner+pairs"\nplayers = 4', BOTS + more + PAIRED + other + pair)


def in_lag(example: str) -> Settings:
    rest = 'cap = "1s"' if example.startswith("per_move") else 'per_move = "1ms"'
    return settings(tail=f"{BOTS}[lag]\n{example}\n{rest}")


def in_format(example: str) -> Settings:
    formats = {"challengers": "gauntlet", "rounds": "swiss"}
    formats |= dict.fromkeys(("games", "third_place"), "knockout")
    key, _, _ = example.partition(" ")
    if key == "sprt":
        return in_match(example)
    return settings(f'format = "{formats.get(key, "round-robin")}"\n{example}')


def in_match(line: str) -> Settings:
    two = "".join(BOTS.partition('[[bots]]\nname = "z"')[:1])
    return settings(f'format = "match"\ncycles = 4\n{line}', two)


def in_sprt(example: str) -> Settings:
    rest = {"elo0": "elo1 = 20", "elo1": "elo0 = 0"}
    key, _, _ = example.partition(" ")
    return in_match(f"sprt = {{ {example}, {rest.get(key, 'elo0 = 0, elo1 = 20')} }}")


def in_tls(example: str) -> Settings:
    rest = 'key = "key.pem"' if example.startswith("cert") else 'cert = "cert.pem"'
    return settings(tail=f"{BOTS}[tls]\n{example}\n{rest}")


PLACED: dict[str, Callable[[str], Settings]] = {
    "## Keys": settings,
    "### Formats": in_format,
    "### SPRT": in_sprt,
    "### Bots": in_bots,
    "### Pairs": in_pairs,
    "### Budgets": lambda example: settings(tail=f"{BOTS}[budgets]\n{example}"),
    "### Lag": in_lag,
    "### TLS": in_tls,
    "### Limits": lambda example: settings(tail=f"{BOTS}[limits]\n{example}"),
}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_the_page_has_every_key(kind: type[msgspec.Struct]) -> None:
    named = {row[0] for heading, row in ROWS if TABLES[heading] is kind}
    assert named == {field.encode_name for field in msgspec.structs.fields(kind)}


@every_row
def test_a_default_on_the_page_is_the_one_of_the_program(heading: str, row: list[str]) -> None:
    fields = {field.encode_name: field for field in msgspec.structs.fields(TABLES[heading])}
    field, shown = fields[row[0]], row[2]
    assert (shown == "required") == field.required
    if not field.required and field.default not in (None, ()) and shown != "as below":
        value = tomllib.loads(f"value = {shown}")["value"]
        assert value == (list(field.default) if isinstance(value, list) else field.default)


def test_the_defaults_that_the_page_only_describes_are_so() -> None:
    event = settings()
    assert event.slots(event.event.bots[0]) == MAX_SLOT == 64
    assert event.lag is None
    assert event.terms == Game.new(event.rules, 2).terms


@every_row
def test_an_example_on_the_page_is_accepted(heading: str, row: list[str]) -> None:
    key, example = row[0], row[4]
    if example in {"[[bots]]", "[[pairs]]"}:
        return  # these have tables and examples of their own
    assert example.startswith(f"{key} = ")
    PLACED[heading](example)


def test_the_page_names_every_tie_break() -> None:
    (row,) = [row for heading, row in ROWS if row[0] == "tie_breaks"]
    assert set(re.findall(r'"([\w-]+)"', row[2] + row[3])) == set(TIE_BREAKS)
    swiss = tomllib.loads(f"value = [{row[3].rpartition('[')[2]}")["value"]
    assert settings('format = "swiss"\nrounds = 1').event.tie_breaks == tuple(swiss)


@pytest.mark.parametrize("clock", [bare(row[0]) for row in table(PAGE, "### Clocks")])
def test_a_clock_on_the_page_is_accepted(clock: str) -> None:
    assert settings(f"clock = {clock}").control.text == clock.strip('"')


def drawn(text: str) -> int:
    """The page's number from a text: the first 8 bytes of the SHA-256, the highest first."""
    return int(hashlib.sha256(text.encode()).hexdigest()[:16], 16)


def place(hole: str) -> tuple[str, int]:
    """Where a hole of the star comes in a position's text: by its row, then within it."""
    return hole[0], int(hole[1:])


def opening(game: Game, plies: int, text: str) -> list[str]:
    """The opening as the page describes it: from the list of legal moves, sorted here."""
    moves: list[str] = []
    for ply in range(1, plies + 1):
        legal = [[*map(place, game.format_move(move).split("-"))] for move in game.legal_moves()]
        (row, hole), (to_row, to) = sorted(legal)[drawn(f"{text}/{ply}") % len(legal)]
        game = game.play(f"{row}{hole}-{to_row}{to}")
        assert game.last is not None
        moves.append(game.format_move(game.last))
    return moves


def test_seeds_and_openings_are_drawn_as_the_page_says(tmp_path: Path) -> None:
    text = (
        'name = "drawn"\nrules = "tara"\nplayers = 2\nclock = "none"\nseed = 2026\nopening = 5\n'
        'bots = [{ name = "zoe", remote = true },'
        ' { name = "max", command = "sternhalma-bot random" }]\n'
    )
    (tmp_path / "drawn.toml").write_text(text, encoding="utf-8")
    event = settings_of(text.encode(), "drawn.toml")
    assert schedule_of(event.event).pairing(1).opening == "max+zoe:1"
    plies = opening(Game.new(event.rules, 2), 5, "2026/opening/max+zoe:1")
    told = [f"moved 1 {ply} {'DA'[ply % 2]} {path} ..." for ply, path in enumerate(plies, start=1)]
    shell = Shell(tmp_path)
    with shell.hosting("sternhalma run drawn.toml"):
        lines = [
            "sternhalma 1 ...",
            "> login zoe",
            "welcome zoe ...",
            f"game 1 tara A ... seed={drawn('2026/1/A')} ...",
            *(line.replace("...", "by=opening") for line in told),
            "moved 1 6 D ...",
            "turn 1 7 ...",
        ]
        converse(shell.port, "\n".join(lines))


def statuses() -> list[str]:
    return [row[0] for row in table(PAGE, "## Running")]


def test_an_event_with_faults_ends_with_the_status_of_the_page(tmp_path: Path) -> None:
    (tmp_path / "event.toml").write_text(
        'name = "faults"\nrules = "duel"\nplayers = 2\nclock = "2s"\nlimit = 2\n'
        'bots = [{ name = "gone", command = "false" },'
        ' { name = "here", command = "sternhalma-bot random" }]\n',
        encoding="utf-8",
    )
    status, printed = Shell(tmp_path).run("sternhalma run event.toml")
    assert statuses() == ["0", "1", "2", "3"]
    assert status == 1
    assert "gone forfeited 1 game (no-start)" in printed


def test_an_event_that_is_stopped_ends_with_the_status_of_the_page(tmp_path: Path) -> None:
    (tmp_path / "event.toml").write_text(
        'name = "later"\nrules = "duel"\nplayers = 2\nclock = "2s"\n'
        'bots = [{ name = "a", remote = true }, { name = "b", remote = true }]\n',
        encoding="utf-8",
    )
    shell = Shell(tmp_path)
    with shell.hosting("sternhalma run event.toml") as server:
        status, printed = shell.run("sternhalma stop results/later")
        assert status == 0, printed
        server.communicate(timeout=SECONDS)
    assert server.returncode == 3


def test_the_server_lets_as_many_watch_as_the_page_says() -> None:
    assert f"{PLACES:,} at once" in text_of(PAGE)


@pytest.fixture
def guests(tmp_path: Path) -> Shell:
    """A shell with the page's program on standard streams, in a sandbox now."""
    shell, shown = Shell(tmp_path), files(PAGE)
    (tmp_path / "stdio_bot.py").write_text(shown["stdio_bot.py"], encoding="utf-8")
    event = shown["guests.toml"].replace("stdio = true", "stdio = true\nsandbox = true")
    (tmp_path / "guests.toml").write_text(event, encoding="utf-8")
    return shell


def test_the_program_of_the_page_plays_in_a_sandbox_as_well(guests: Shell) -> None:
    if (problem := sandbox_problem()) is not None:
        pytest.skip(problem)
    status, printed = guests.run("sternhalma run guests.toml")
    assert status == 0, printed


def test_without_bubblewrap_nothing_is_played_and_the_status_is_2(guests: Shell) -> None:
    python = Path(sys.executable).parent
    status, printed = guests.run(f"PATH={python} sternhalma run guests.toml")
    assert status == 2
    assert "there is no bwrap on the path" in printed
