"""The pages for browsers: whole, safe, linked among themselves, and the same bytes every time."""

from __future__ import annotations

import json
import posixpath
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from server.conducted import Chances, Conduct
from server.kept import (
    CUP,
    SAID,
    TRIO,
    event_text,
    games_of,
    keep,
    keep_files,
    keep_store,
    played,
    table_of,
)
from server.kept_league import CHARTER, cup_games, keep_league, ladder_games
from server.recorded import FORFEITS, KINDS, PATIENT, Kind, recorded
from sternhalma import Game, Hole
from sternhalma_server import cli
from sternhalma_server.archive import STORE
from sternhalma_server.keeping import begin_line
from sternhalma_server.outcome import outcome_of
from sternhalma_server.pages import places
from sternhalma_server.pages.event_pages import EventPages
from sternhalma_server.pages.league_pages import league_pages
from sternhalma_server.pages.places import EventPlaces, file_name, link
from sternhalma_server.pages.replays import letters_of, replay_data
from sternhalma_server.pages.summary import Seen, Summary, summary_of
from sternhalma_server.pages.templates import Templates, assets
from sternhalma_server.record import Out, Record, format_record
from sternhalma_server.recording import line_of
from sternhalma_server.report import BECAUSE
from sternhalma_server.rulings import stored_event
from sternhalma_server.settings import settings_of
from sternhalma_server.store import EventId, Store, StoredEvent
from sternhalma_server.telling import Telling
from sternhalma_tournament.charter import parse_charter
from sternhalma_tournament.entries import Entry
from sternhalma_tournament.roundrobin import schedule_of
from sternhalma_tournament.standings import standings_of
from sternhalma_tournament.tables import standings_markdown
from sternhalma_tournament.tally import Tally

FAILING = Chances(late=0.1, silent=0.05, wrong=0.04, absent=0.02)
VOID = {"meta", "link", "input"}
Files = Mapping[str, str]


class Browser(HTMLParser):
    """What is seen of a page: elements with their attributes, texts, and what is wrong."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.problems: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        self.problems += [f"<{tag}> is never closed" for tag in self._open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        if len(set(names)) != len(names):
            self.problems.append(f"<{tag}> has an attribute twice")
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.problems.append(f"</{tag}> closes nothing")

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def skeleton(self) -> list[tuple[str, list[str]]]:
        """The elements and the names of their attributes."""
        return [(tag, list(attributes)) for tag, attributes in self.elements]

    @property
    def ids(self) -> list[str]:
        return [str(attributes["id"]) for _, attributes in self.elements if "id" in attributes]


@cache
def templates() -> Templates:
    return Templates()


def pages_of(root: Path) -> dict[str, str]:
    """All files of the report of the event in the folder *root*."""
    with Store.read(root / STORE) as store:
        summary = summary_of(store, stored_event(store))
        pages = dict(EventPages(templates(), summary, EventPlaces()).pages(store))
    return assets() | pages


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
    with Store.read(root / STORE) as store:
        pages = dict(league_pages(store, parse_charter(CHARTER, "league.toml"), templates()))
    return assets() | pages


@pytest.fixture(params=["trio", "league"])
def files(request: pytest.FixtureRequest) -> Files:
    found: Files = request.getfixturevalue(request.param)
    return found


def html(files: Files) -> Iterator[tuple[str, Browser]]:
    for name, text in files.items():
        if name.endswith(".html"):
            yield name, Browser(text)


def links(page: Browser) -> Iterator[str]:
    for _, attributes in page.elements:
        for name in ("href", "src"):
            if name in attributes:
                yield str(attributes[name])


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
hostile = st.lists(
    st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"])
    | st.sampled_from(["<", ">", "&", '"', "'", "</script>", "<!--", "-->", "{{", "}}", "|", "\\"])
).map(lambda signs: f"x{''.join(signs)}x")
said_last = st.text(st.characters(min_codepoint=32, max_codepoint=126))


def renamed(record: Record, names: Mapping[str, str], line: str = "") -> Record:
    players = [
        replace(player, bot=names[player.bot], entry=names[player.entry], version=names["version"])
        for player in record.players
    ]
    happened = [
        replace(one, line=line) if isinstance(one, Out) and one.line is not None else one
        for one in record.happened
    ]
    event = names["event"]
    return replace(record, players=tuple(players), happened=tuple(happened), event=event)


def hostile_event(names: Mapping[str, str], records: Sequence[Record]) -> EventPages:
    told = settings_of(TRIO, "event.toml")
    event = msgspec.structs.replace(told.event, name=names["event"])
    seen = Seen()
    for record in records:
        seen.watch(record)
    entries = [Entry(names[bot], (names[bot],)) for bot in "abcd"]
    results = [outcome_of(record).result(record.game) for record in records]
    tally = Tally([entry.name for entry in entries], results)
    standings = standings_of(tally)
    summary = Summary(
        stored=StoredEvent(EventId(1), names["event"], TRIO, "", "closed"),
        settings=replace(told, event=event),
        head="0" * 64,
        entries=entries,
        standings=standings,
        tally=tally,
        table=standings_markdown(standings),
        rulings=(),
        usages=seen.usages,
        games=seen.games,
        forfeits=seen.forfeits,
    )
    return EventPages(templates(), summary, EventPlaces())


PLAIN = {name: name for name in (*"abcd", "event", "version")}
LOST = games_of(TRIO, chances=FAILING)


def texts_of(names: Mapping[str, str], line: str) -> list[str]:
    records = [renamed(record, names, line) for record in LOST]
    pages = hostile_event(names, records)
    entries = [pages.entry(Entry(names[bot], (names[bot],))) for bot in "abcd"]
    games = [pages.game(record, SAID) for record in records]
    return [text for _, text in (pages.event(), pages.games(), *entries, *games)]


@settings(PATIENT, max_examples=15, phases=[Phase.explicit, Phase.generate])
@given(st.lists(hostile, min_size=6, max_size=6), said_last)
def test_no_name_and_no_line_is_ever_taken_for_markup(names: list[str], line: str) -> None:
    # Each begins as the plain one, so that tables are sorted in the same way.
    bad = {plain: f"{plain}{name}" for plain, name in zip(PLAIN, names, strict=True)}
    for skeleton, text in zip(plain_skeletons(), texts_of(bad, f"y{line}"), strict=True):
        page = Browser(text)
        assert page.problems == []
        assert page.skeleton == skeleton


@cache
def plain_skeletons() -> list[list[tuple[str, list[str]]]]:
    return [Browser(text).skeleton for text in texts_of(PLAIN, "y")]


def test_a_hostile_line_of_a_bot_is_shown_as_it_was() -> None:
    line = "move </script><script>alert(1)</script><!-- &amp; \"'"
    record = renamed(LOST[0], PLAIN, line)
    assert any(getattr(one, "line", None) for one in record.happened)
    page = hostile_event(PLAIN, LOST).game(record, SAID)[1]
    seen = Browser(page)
    assert [tag for tag, _ in seen.elements].count("script") == 2
    assert any(line in text for text in seen.texts)
    assert any(line in step["text"] for step in data_of(page)["steps"])


def data_of(page: str) -> dict[str, Any]:
    """The data of the replay as the browser reads it."""
    (block,) = re.findall(r'<script type="application/json" id="game-data">(.*?)</script>', page)
    value: dict[str, Any] = json.loads(block)
    return value


def game_page(record: Record) -> str:
    tally = Tally(())
    summary = Summary(
        stored=StoredEvent(EventId(1), "cup", CUP, "", "closed"),
        settings=settings_of(CUP, "event.toml"),
        head="",
        entries=(),
        standings=standings_of(tally),
        tally=tally,
        table="",
        rulings=(),
        usages=Seen().usages,
        games=(),
        forfeits=(),
    )
    return EventPages(templates(), summary, EventPlaces()).game(record, "")[1]


def shown_by(data: Mapping[str, Any]) -> list[str]:
    """What the script shows after each step."""
    letters = list(data["start"])
    shown = ["".join(letters)]
    for step in data["steps"]:
        if step.get("path"):
            letter, letters[step["path"][0]] = letters[step["path"][0]], "."
            letters[step["path"][-1]] = letter
        for hole in step.get("lift", []):
            letters[hole] = "."
        shown.append("".join(letters))
    return shown


@PATIENT
@given(st.sampled_from(KINDS), st.integers(0, 10_000), st.sampled_from([0.0, 0.1, 0.4]))
def test_the_steps_of_a_replay_lead_to_the_last_position(
    kind: Kind, seed: int, fall: float
) -> None:
    record = recorded(kind, seed, fall=fall)
    telling = Telling(record)
    data = json.loads(json.dumps(replay_data(telling)))
    assert shown_by(data)[-1] == letters_of(telling.game.position)
    assert len(data["steps"]) == len(record.happened)
    assert [step["ply"] for step in data["steps"]] == sorted(step["ply"] for step in data["steps"])


def test_a_step_shows_the_position_of_its_ply() -> None:
    record = recorded(Kind("halma13", 4, 3), 7)
    shown = shown_by(replay_data(Telling(record)))
    for ply in range(record.ply + 1):
        position = Telling(record, upto=ply).game.position
        assert shown[ply] == letters_of(position)


@pytest.mark.parametrize("kind", [*KINDS, Kind("tara", 2, 200)], ids=str)
def test_the_page_of_a_game_has_all_its_plies(kind: Kind) -> None:
    record = recorded(kind, 3, opening=1)
    page = Browser(game_page(record))
    assert page.problems == []
    assert [one for one in page.ids if one.startswith("ply-")] == [
        f"ply-{ply}" for ply in range(1, record.ply + 1)
    ]
    holes = [a for t, a in page.elements if t == "circle" and "hole" in str(a.get("class"))]
    board = Game.load(record.start, limit=record.limit).position.seating.board
    assert len(holes) == len(board.coordinates)
    assert len(data_of(game_page(record))["holes"]) == Hole(len(holes))


def test_a_game_of_many_plies_is_still_a_page_of_a_sensible_size() -> None:
    record = recorded(Kind("tara", 6, 200), 1)
    assert record.ply == 1200
    assert len(game_page(record)) < 500_000


STAGE = """
const element = () => new Proxy(function () {}, {
  get: (target, key) => {
    if (key in target && key !== "length") return target[key];
    if (key === Symbol.toPrimitive) return () => "";
    if (key === "dataset") return {};
    if (key === "value") return "1";
    return element();
  },
  set: (target, key, value) => { target[key] = value; return true; },
  apply: () => element(),
});
const named = {};
const board = element();
board.querySelectorAll = () => JSON.parse(process.argv[2]).holes.map(() => element());
const by = (name) => (named[name] ??= element());
by("game-data").textContent = process.argv[2];
const shown = [];
globalThis.document = {
  getElementById: by,
  querySelector: (name) => (name === "#replay .board" ? board : by(name)),
  querySelectorAll: () => [],
  createElementNS: element,
  addEventListener: (name, heard) => { named[name] = heard; },
};
globalThis.window = { matchMedia: () => ({ matches: true }), addEventListener: () => {} };
globalThis.history = { replaceState: (_state, _title, hash) => shown.push(hash) };
globalThis.location = { hash: "" };
require(process.argv[1]);
const key = (name) => named.keydown({
  key: name, target: { closest: () => null }, preventDefault: () => {},
});
for (const name of ["Home", "ArrowRight", "ArrowRight", "ArrowLeft", "End"]) {
  key(name);
  shown.push(by("#told").textContent);
}
console.log(JSON.stringify(shown));
"""


def test_keys_lead_through_the_replay(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node on this machine")
    record = recorded(Kind("tara", 2, 3), 5)
    data = replay_data(Telling(record))
    script = tmp_path / "replay.cjs"
    script.write_text(assets()[places.SCRIPT], encoding="utf-8")
    done = subprocess.run(
        [node, "-e", STAGE, str(script), json.dumps(data)],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert done.returncode == 0, done.stderr
    texts = [step["text"] for step in data["steps"]]
    assert json.loads(done.stdout) == [
        *("#ply-0", "the start"),
        *("#ply-1", texts[0]),
        *("#ply-2", texts[1]),
        *("#ply-1", texts[0]),
        *("#ply-6", texts[5]),
    ]


@given(st.lists(st.text(), unique=True))
def test_names_of_files_are_plain_and_differ(names: list[str]) -> None:
    called = [file_name(name) for name in names]
    assert len(set(called)) == len(names)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]*", name) for name in called)


def test_links_go_up_and_down_in_the_folder() -> None:
    assert link("games/000001.html", "bots/a.html") == "../bots/a.html"
    assert link("index.html", "games/000001.html#ply-3") == "games/000001.html#ply-3"
    assert link("events/cup/bots/a.html", "index.html") == "../../../index.html"


Captured = pytest.CaptureFixture[str]


def test_report_writes_the_pages_beside_the_results(tmp_path: Path, capsys: Captured) -> None:
    keep(tmp_path / "cup", CUP, games_of(CUP))
    assert cli.main(["report", str(tmp_path / "cup")]) == 0
    out = tmp_path / "cup" / "pages"
    assert capsys.readouterr()[0] == f"11 pages, the first is {out / 'index.html'}\n"
    written = {str(path.relative_to(out)): path for path in out.rglob("*") if path.is_file()}
    right = pages_of(tmp_path / "cup")
    assert {name: path.read_text(encoding="utf-8") for name, path in written.items()} == right


def test_report_writes_over_its_own_pages_only(tmp_path: Path, capsys: Captured) -> None:
    keep(tmp_path / "cup", CUP, games_of(CUP))
    out = tmp_path / "out"
    words = ["report", str(tmp_path / "cup"), "--out", str(out)]
    assert cli.main(words) == 0
    assert cli.main(words) == 0
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("", encoding="utf-8")
    capsys.readouterr()
    assert cli.main([*words[:-1], str(tmp_path / "mine")]) == 2
    assert "expected a new folder for the pages" in capsys.readouterr()[1]


def test_report_writes_the_pages_of_a_league_and_of_one_of_its_events(
    tmp_path: Path, capsys: Captured, league: Files
) -> None:
    root = tmp_path / "club"
    keep_league(root, ladder_games(), cup_games())
    assert cli.main(["report", str(root), "--out", str(tmp_path / "all")]) == 0
    written = {str(p.relative_to(tmp_path / "all")) for p in (tmp_path / "all").rglob("*.*")}
    assert written == set(league)
    assert (
        cli.main(["report", str(root / "events" / "ladder"), "--out", str(tmp_path / "one")]) == 0
    )
    assert (tmp_path / "one" / "games" / "000001.html").exists()


def test_report_says_how_to_install_what_it_lacks(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "jinja2", None)
    assert cli.main(["report", str(tmp_path)]) == 2
    assert capsys.readouterr()[1] == (
        "sternhalma report: expected Jinja2, which the extra 'web' brings:"
        " pip install 'jinja2>=3.1'\n"
    )


def test_report_refuses_a_folder_without_results(tmp_path: Path, capsys: Captured) -> None:
    assert cli.main(["report", str(tmp_path)]) == 2
    assert "expected a results folder" in capsys.readouterr()[1]
    assert list(tmp_path.iterdir()) == []


def test_the_record_of_a_game_is_beside_its_page(trio: Files) -> None:
    for record in games_of(TRIO, chances=FAILING):
        assert trio[f"games/{record.game:06}.txt"] == format_record(record)
