"""The pages for browsers: whole, linked among themselves, and the same bytes every time."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.browsed import (
    FAILING,
    Browser,
    Files,
    data_of,
    game_page,
    html,
    league_pages_of,
    links,
    pages_of,
)
from server.conducted import Conduct
from server.kept import (
    CUP,
    TRIO,
    event_text,
    games_of,
    keep,
    keep_files,
    keep_store,
    played,
    table_of,
)
from server.kept_league import CHARTER, LADDER, cup_games, keep_league, ladder_games
from server.kept_league import CUP as LEAGUE_CUP
from server.recorded import FORFEITS, Kind, recorded
from sternhalma_server.archive import STORE
from sternhalma_server.keeping import begin_line
from sternhalma_server.pages import places
from sternhalma_server.pages.places import file_name, link
from sternhalma_server.pages.summary import Seen
from sternhalma_server.record import format_record
from sternhalma_server.recording import line_of
from sternhalma_server.report import BECAUSE
from sternhalma_server.settings import settings_of
from sternhalma_server.store import Store
from sternhalma_tournament.roundrobin import schedule_of


@pytest.fixture(scope="module")
def trio(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """An event of three at a game in which much goes wrong."""
    root = tmp_path_factory.mktemp("trio") / "trio"
    keep(root, TRIO, games_of(TRIO, chances=FAILING))
    return pages_of(root)


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """A league with a ladder that runs and a cup that is over."""
    root = tmp_path_factory.mktemp("league") / "club"
    keep_league(root, ladder_games(), cup_games())
    return league_pages_of(root)


@pytest.fixture(params=["trio", "league"])
def files(request: pytest.FixtureRequest) -> Files:
    found: Files = request.getfixturevalue(request.param)
    return found


def test_every_page_is_whole(files: Files) -> None:
    for name, page in html(files):
        assert page.problems == [], name
        assert len(page.ids) == len(set(page.ids)), name
        assert [tag for tag, _ in page.elements].count("h1") == 1, name


def test_every_link_leads_to_something_in_the_folder(files: Files) -> None:
    anchors = {name: set(page.ids) for name, page in html(files)}
    for name, page in html(files):
        for target in links(page):
            path, _, anchor = target.partition("#")
            there = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(path)))
            there = there if path else name
            assert there in files, f"{name}: {target}"
            assert not anchor or anchor in anchors[there], f"{name}: {target}"


def test_every_page_can_be_come_to(files: Files) -> None:
    known, new = {places.INDEX}, [places.INDEX]
    while new:
        name = new.pop()
        if not name.endswith(".html"):
            continue
        for target in links(Browser(files[name])):
            path = posixpath.join(posixpath.dirname(name), unquote(target.partition("#")[0]))
            there = posixpath.normpath(path)
            if there in files and there not in known:
                known.add(there)
                new.append(there)
    assert known == set(files)


def test_nothing_is_loaded_from_elsewhere(files: Files) -> None:
    for name, text in files.items():
        found = set(re.findall(r"\w+://[^\s\"'<>]*", text))
        assert found <= {"http://www.w3.org/2000/svg"}, name
        assert "url(" not in text, name
        assert "@import" not in text, name


def test_the_policy_allows_no_script_and_no_style_but_ours(files: Files) -> None:
    for name, page in html(files):
        (policy,) = [
            str(attributes["content"])
            for tag, attributes in page.elements
            if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
        ]
        rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
        assert rules["default-src"] == "'none'"
        assert rules["script-src"] == rules["style-src"] == "'self'"
        for tag, attributes in page.elements:
            assert tag != "style", name
            assert "style" not in attributes, name
            assert not [key for key in attributes if key.startswith("on")], name
            if tag == "script":
                assert "src" in attributes or attributes["type"] == "application/json", name


@pytest.fixture
def half_played(tmp_path: Path) -> Files:
    """The cup while its last but one game runs: three turns have been had in it."""
    told = settings_of(CUP, "event.toml")
    pairing = schedule_of(told.event).pairing(5)
    game = Conduct(table_of(told, pairing), 4)
    game.play(3)
    lines = [
        begin_line(game.referee.table.versions, pairing),
        *(line_of(game.letters, event) for event in game.referee.happened),
    ]
    running = "".join(f"5\t{line}\n" for line in lines)
    over = [record for record in games_of(CUP) if record.game < 5]
    keep_files(tmp_path / "cup", CUP, over)
    keep_store(tmp_path / "cup", CUP, over, state="running", running=running)
    return pages_of(tmp_path / "cup")


def test_a_game_that_runs_has_its_board_on_the_page_of_the_event(half_played: Files) -> None:
    page = Browser(half_played[places.INDEX])
    boards = [a for tag, a in page.elements if tag == "svg" and a["class"] == "board"]
    assert [board["aria-labelledby"] for board in boards] == ["game-5-title game-5-desc"]
    assert any("Interim table: 4 of 6 games" in text for text in page.texts)
    assert any("this page is of a moment" in text for text in page.texts)
    assert "games/000005.html" in set(links(page))


def test_a_game_that_runs_has_a_page_as_far_as_it_has_come(half_played: Files) -> None:
    text = half_played["games/000005.html"]
    assert "still running, 4 plies so far" in text
    assert len(data_of(text)["steps"]) == 4
    assert "games/000005.txt" not in half_played
    for _, page in html(half_played):
        assert page.problems == []
        assert not any("000005.txt" in target for target in links(page))


@pytest.mark.parametrize(
    "source",
    [event_text("knockout", 5), event_text("swiss", 5, "rounds = 2")],
    ids=["knockout", "swiss"],
)
def test_an_event_with_byes_has_pages_that_are_whole(tmp_path: Path, source: bytes) -> None:
    keep(tmp_path / "event", source, played(source))
    found = pages_of(tmp_path / "event")
    assert all(page.problems == [] for _, page in html(found))
    assert all(posixpath.join("bots", f"b{bot}.html") in found for bot in range(5))


def test_an_entry_of_two_bots_has_one_page_that_both_lead_to(tmp_path: Path) -> None:
    names = ("a", "b", "c", "d")
    bots = ", ".join(f'{{ name = "{name}", remote = true }}' for name in names)
    source = (
        'name = "pairs"\nrules = "corner+pairs"\nplayers = 4\nclock = "2s"\nlimit = 2\n'
        f'bots = [{bots}]\npairs = [{{ name = "ab", bots = ["a", "b"] }},'
        ' { name = "cd", bots = ["c", "d"] }]\n'
    ).encode()
    keep(tmp_path / "pairs", source, games_of(source))
    found = pages_of(tmp_path / "pairs")
    assert {name for name in found if name.startswith("bots/")} == {"bots/ab.html", "bots/cd.html"}
    game = Browser(found["games/000001.html"])
    assert [target for target in links(game) if "bots/" in target].count("../bots/ab.html") == 2
    assert "for ab" in " ".join("".join(game.texts).split())


def test_a_league_and_an_event_without_games_have_pages(tmp_path: Path) -> None:
    (tmp_path / "league.toml").write_bytes(CHARTER)
    with Store.open(tmp_path / STORE) as store:
        store.found_league("club")
        store.set_state(store.add_event("ladder", LADDER), "running")
        store.set_state(store.add_event("cup", LEAGUE_CUP), "open")
    found = league_pages_of(tmp_path)
    assert "events/ladder/index.html" in found
    assert "events/cup/index.html" not in found
    season = found[places.INDEX].split("<h2>Season</h2>")[1]
    assert "No event that counts for the season is closed yet." in season
    assert "<table>" not in season
    keep(tmp_path / "cup", CUP, [], state="running")
    for pages in (found, pages_of(tmp_path / "cup")):
        assert all(page.problems == [] for _, page in html(pages))


def test_the_same_store_gives_the_same_bytes(tmp_path: Path, trio: Files) -> None:
    keep(tmp_path / "trio", TRIO, games_of(TRIO, chances=FAILING))
    assert pages_of(tmp_path / "trio") == trio


def test_forfeits_are_shouted_where_an_event_is_told(trio: Files) -> None:
    records = games_of(TRIO, chances=FAILING)
    page = Browser(trio[places.INDEX])
    text = "".join(page.texts)
    seen = Seen()
    for record in records:
        seen.watch(record)
    assert seen.forfeits
    for forfeit in seen.forfeits:
        assert f"games/{forfeit.game:06}.html#ply-{forfeit.ply}" in set(links(page))
        assert f"({forfeit.reason})" in text


def test_a_loss_by_time_comes_with_its_evidence(trio: Files) -> None:
    text = "".join(page for name, page in trio.items() if "games/0" in name)
    assert re.search(r"why [ACE] [abcd] lost by time at ply \d+", text)
    assert "Its answer came" in text
    assert "flag fell" in text


def test_the_standings_of_the_event_are_on_its_page(tmp_path: Path) -> None:
    records = games_of(CUP)
    keep(tmp_path / "cup", CUP, records)
    texts = Browser(pages_of(tmp_path / "cup")[places.INDEX]).texts
    table = (tmp_path / "cup" / "standings.md").read_text(encoding="utf-8")
    for line in table.splitlines():
        for cell in line.strip("| ").split("|"):
            assert cell.strip() in {*map(str.strip, texts)} or set(cell.strip()) <= set("-:")


def test_a_league_shows_season_ratings_and_versions(league: Files) -> None:
    page = league[places.INDEX]
    assert "<h2>Season</h2>" in page
    assert 'class="dot"' in page
    assert 'href="bots/zoe.html"' in page
    assert "anchor" in page
    bot = league["bots/zoe.html"]
    assert ">3.0<" in bot
    assert 'href="../events/cup/bots/zoe.html"' in bot


def test_the_page_of_a_leagues_bot_adds_up_all_events(league: Files) -> None:
    page = league["bots/zoe.html"]
    records = [*ladder_games(), *cup_games()]
    own = [record for record in records if "zoe" in {player.bot for player in record.players}]
    met = sum("max" in {player.bot for player in record.players} for record in own)
    opponents = page.split("Results by opponent")[1].split("Results by seat")[0]
    assert re.search(rf'bots/max\.html|max\.html">max</a></th><td class="number">{met}<', opponents)
    assert f'max.html">max</a></th><td class="number">{met}<' in opponents
    seats = page.split("Results by seat")[1].split("Time and chains")[0]
    assert sum(map(int, re.findall(r"of 2</td><td class=\"number\">(\d+)<", seats))) == len(own)
    assert "Rating over time" in page
    time_use = page.split("Time and chains")[1]
    assert "<td>ladder</td>" in time_use
    assert "<td>cup</td>" in time_use


def test_the_page_of_an_entry_names_the_version_that_played(trio: Files) -> None:
    assert "a plays as version 1.0" in trio["bots/a.html"]


def test_the_page_of_an_entry_counts_its_games_in_a_list(tmp_path: Path) -> None:
    record = games_of(CUP)[0]
    keep(tmp_path / "cup", CUP, [record], state="running")
    page = Browser(pages_of(tmp_path / "cup")[f"bots/{record.players[0].bot}.html"])
    assert page.problems == []
    assert any(re.search(r"points? from 1 game$", text.strip()) for text in page.texts)
    assert [tag for tag, _ in page.elements].count("ul") == 1


def test_nobody_has_a_rank_in_a_ladder(league: Files) -> None:
    assert "not ranked" in league["events/ladder/bots/zoe.html"]
    assert "A ladder has no table" in league["events/ladder/index.html"]


def test_every_reason_has_words_on_the_page_of_a_game() -> None:
    for seed, reason in enumerate(FORFEITS):
        record = recorded(Kind("tara", 2, 3), seed, fall=0.5)
        texts = Browser(game_page(record)).texts
        assert any(BECAUSE[record.reason] in text for text in texts), reason


# What hostile bots would have put into records, if records let them: any sign but those that end
# a line, between letters.


@given(st.lists(st.text(), unique=True))
def test_names_of_files_are_plain_and_differ(names: list[str]) -> None:
    called = [file_name(name) for name in names]
    assert len(set(called)) == len(names)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]*", name) for name in called)


def test_links_go_up_and_down_in_the_folder() -> None:
    assert link("games/000001.html", "bots/a.html") == "../bots/a.html"
    assert link("index.html", "games/000001.html#ply-3") == "games/000001.html#ply-3"
    assert link("events/cup/bots/a.html", "index.html") == "../../../index.html"


def test_the_record_of_a_game_is_beside_its_page(trio: Files) -> None:
    for record in games_of(TRIO, chances=FAILING):
        assert trio[f"games/{record.game:06}.txt"] == format_record(record)
