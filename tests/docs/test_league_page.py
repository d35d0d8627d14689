"""docs/league.md against the program: its keys, defaults, examples, states, and the league that
ships."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from docs.pages import ROOT, table, text_of
from sternhalma_server.league_book import LeagueBook
from sternhalma_server.league_settings import load_league
from sternhalma_server.settings import settings_of
from sternhalma_server.store import State, Store
from sternhalma_tournament.charter import Charter, parse_charter
from sternhalma_tournament.event import LADDER_SPREAD
from sternhalma_tournament.season import SeasonRules

PAGE = "docs/league.md"
SHIPPED = ROOT / "tournaments" / "leagues" / "open"
TABLES: dict[str, type[msgspec.Struct]] = {
    "## The league file": Charter,
    "### Season": SeasonRules,
}
HEAD = 'rules = "tara"\nplayers = 2\nclock = "2s"\n'
STATES: tuple[State, ...] = get_args(State)


def bare(cell: str) -> str:
    return cell.strip("`")


ROWS = [(heading, [*map(bare, row)]) for heading in TABLES for row in table(PAGE, heading)]
every_row = pytest.mark.parametrize(
    ("heading", "row"), ROWS, ids=[f"{heading} {row[0]}" for heading, row in ROWS]
)


@pytest.mark.parametrize("heading", TABLES)
def test_the_page_has_every_key_of_a_leagues_file(heading: str) -> None:
    named = {row[0] for where, row in ROWS if where == heading}
    assert named == {field.encode_name for field in msgspec.structs.fields(TABLES[heading])}


@every_row
def test_a_default_of_a_leagues_file_is_the_one_of_the_program(
    heading: str, row: list[str]
) -> None:
    fields = {field.encode_name: field for field in msgspec.structs.fields(TABLES[heading])}
    field, shown = fields[row[0]], row[2]
    assert (shown == "required") == field.required
    if field.required or shown in {"as below", "as for events"}:
        return
    if shown in {"none", "all", "cores less one"}:
        assert field.default is None or field.default == type(field.default)()
        return
    value = tomllib.loads(f"value = {shown}")["value"]
    default = field.default_factory() if field.default is msgspec.NODEFAULT else field.default
    assert value == (list(default) if isinstance(value, list) else default)


@every_row
def test_an_example_of_a_leagues_file_is_accepted(heading: str, row: list[str]) -> None:
    key, example = row[0], row[4]
    if example == "[[bots]]":
        return  # they have a table of their own, on the page of events
    assert example.startswith(f"{key} = ")
    line = f"season = {{ {example} }}" if heading == "### Season" else example
    name = "" if key == "name" else 'name = "x"\n'
    charter = parse_charter(f"{name}{line}\n".encode(), "the example")
    assert charter != Charter(name="x")


@pytest.fixture
def book(tmp_path: Path) -> Iterator[LeagueBook]:
    text = b'name = "x"\nbots = [{ name = "a", command = "a" }, { name = "b", command = "b" }]\n'
    with Store.open(tmp_path / "store.sqlite") as store:
        store.found_league("x")
        yield LeagueBook(store, parse_charter(text, "league.toml"), tmp_path)


WAYS: dict[State, list[str]] = {
    "created": [],
    "open": ["open"],
    "running": ["start"],
    "paused": ["start", "pause"],
    "closed": ["close"],
}
VERBS = {
    row[0].strip("`").split()[3]: (row[1], row[2])
    for row in table(PAGE, "## Events")
    if row[0].strip("`").endswith(" EVENT")
}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("verb", VERBS)
def test_a_command_leads_from_state_to_state_as_the_page_says(
    book: LeagueBook, verb: str, state: State
) -> None:
    source = f'name = "cup"\n{HEAD}[[bots]]\nname = "a"\n[[bots]]\nname = "b"\n'
    book.add(source.encode(), "cup.toml")
    for way in WAYS[state]:
        book.set_state("cup", way)
    before, after = VERBS[verb]
    allowed = set(STATES) - {"closed"} if before == "any but closed" else set(before.split(", "))
    if state in allowed:
        book.set_state("cup", verb)
        assert book.event("cup").state == after
    else:
        with pytest.raises(ValueError, match=f"it is {state}"):
            book.set_state("cup", verb)


def test_the_page_names_every_command_on_events() -> None:
    assert set(VERBS) == {"open", "start", "pause", "close"}


def test_the_spread_of_a_ladder_is_the_one_of_the_page() -> None:
    assert f"`spread` is {LADDER_SPREAD} where it does\nnot stand" in text_of(PAGE)


def test_the_league_that_ships_has_files_that_are_a_leagues() -> None:
    league = load_league(SHIPPED / "league.toml")
    assert league.charter.name == SHIPPED.name
    for path in SHIPPED.glob("*.toml"):
        if path.name != "league.toml":
            event = settings_of(path.read_bytes(), path.name, league=True, draft=True).event
            assert event.name == path.stem
    assert all((SHIPPED / path).exists() for path in league.charter.events)
