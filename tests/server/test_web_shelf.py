"""A site's pages are those of the report, those of an event that grows too."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

from server.browsed import FAILING, league_pages_of, pages_of, templates
from server.kept import CUP, TRIO, games_of, keep
from server.kept_league import cup_games, keep_league, ladder_games
from sternhalma_server.archive import STORE
from sternhalma_server.keeping import begin_line
from sternhalma_server.pages.places import ASSETS
from sternhalma_server.pages.running import Shown
from sternhalma_server.record import format_record
from sternhalma_server.settings import settings_of
from sternhalma_server.store import FinishedGame, Store
from sternhalma_server.telling import Telling
from sternhalma_server.web.places import place_of
from sternhalma_server.web.shelf import NoPageError, Scenery, Shelf
from sternhalma_tournament.roundrobin import schedule_of


def served(shelf: Shelf, path: str, *, league: bool, scenery: Scenery = Scenery()) -> str:  # noqa: B008
    place = place_of(path, league=league)
    assert place is not None, path
    return shelf.page(path, place, scenery)


def pages(files: dict[str, str]) -> dict[str, str]:
    return {name: text for name, text in files.items() if not name.startswith(ASSETS)}


def test_every_page_of_an_event_is_that_of_the_report(tmp_path: Path) -> None:
    root = tmp_path / "trio"
    keep(root, TRIO, games_of(TRIO, chances=FAILING))
    shelf = Shelf(root, templates())
    assert shelf.look() is not None
    for path, text in pages(pages_of(root)).items():
        assert served(shelf, path, league=False) == text, path
    shelf.close()


def test_every_page_of_a_league_is_that_of_the_report(tmp_path: Path) -> None:
    root = tmp_path / "club"
    keep_league(root, ladder_games(), cup_games())
    shelf = Shelf(root, templates())
    outlook = shelf.look()
    assert outlook is not None
    assert outlook.league
    for path, text in pages(league_pages_of(root)).items():
        assert served(shelf, path, league=True) == text, path
    shelf.close()


def test_an_event_that_grows_is_added_up_as_if_it_was_read_at_once(tmp_path: Path) -> None:
    root = tmp_path / "cup"
    records = games_of(CUP)
    keep(root, CUP, records[:2], state="running")
    shelf = Shelf(root, templates())
    before = shelf.look()
    assert before is not None
    with Store.open(root / STORE) as store:
        event = store.events()[0].id
        for record in records[2:]:
            store.write(event, "", [FinishedGame(record.game, format_record(record), "", None)])
            after = shelf.look()
            assert after is not None
            assert after.stamp > before.stamp
        store.set_state(event, "closed")
    shelf.look()
    assert shelf.look() == shelf.look()
    fresh = Shelf(root, templates())
    fresh.look()
    for path in ("index.html", "games/index.html", "bots/zoe.html", "games/000003.html"):
        assert served(shelf, path, league=False) == served(fresh, path, league=False)
    fresh.close()
    shelf.close()


def test_an_event_that_is_played_anew_is_another_one(tmp_path: Path) -> None:
    root = tmp_path / "cup"
    shelf = Shelf(root, templates())
    assert shelf.look() is None
    keep(root, CUP, games_of(CUP))
    outlook = shelf.look()
    assert outlook is not None
    over, planned = outlook.games["cup"]
    assert over == planned == len(games_of(CUP))
    (root / STORE).rename(tmp_path / "old.sqlite")  # so that the new file is no other by chance
    keep(tmp_path / "again", CUP, games_of(CUP)[:1], state="running")
    (tmp_path / "again" / STORE).rename(root / STORE)
    outlook = shelf.look()
    assert outlook is not None
    assert outlook.games["cup"] == (1, planned)
    shelf.close()


def test_the_parts_of_a_page_are_in_the_page(tmp_path: Path) -> None:
    root = tmp_path / "trio"
    keep(root, TRIO, games_of(TRIO, chances=FAILING))
    shelf = Shelf(root, templates())
    shelf.look()
    for path in ("index.html", "games/index.html", "bots/a.html"):
        place = place_of(path, league=False)
        assert place is not None
        text = served(shelf, path, league=False)
        parts = shelf.parts(place, Scenery())
        assert parts
        for name, part in parts.items():
            assert f'data-part="{name}"' in text, name
            assert part.strip() in text, name
    place = place_of("games/000001.html", league=False)
    assert place is not None
    over = shelf.over(place)
    assert over is not None
    text = served(shelf, "games/000001.html", league=False)
    for name, part in over[0].items():
        assert f'data-part="{name}"' in text, name
        assert part.strip() in text, name
    shelf.close()


def test_games_that_run_are_shown_as_they_are_known_to_stand(tmp_path: Path) -> None:
    root = tmp_path / "cup"
    keep(root, CUP, [], state="running")
    settings = settings_of(CUP, "event.toml")
    pairing = next(iter(schedule_of(settings.event)))
    with Store.open(root / STORE) as store:
        line = begin_line([None, None], pairing)
        store.write(store.events()[0].id, f"{pairing.number}\t{line}\n", [])
    shelf = Shelf(root, templates())
    shelf.look()
    left = served(shelf, "index.html", league=False)  # no server: as it was left
    assert f"game {pairing.number}, after ply 0" in left
    record = games_of(CUP)[0]
    shown = Shown.of(Telling(record))
    scenery = Scenery({"cup": [shown]}, {"cup": "so far"})
    page = served(shelf, "index.html", league=False, scenery=scenery)
    assert shown.title in page
    assert "so far" in page
    assert f"game {pairing.number}, after ply 0" not in page
    shelf.close()


def test_games_are_listed_the_newest_first_and_older_ones_on_pages_that_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sternhalma_server.pages.event_pages.LISTED", 2)
    records = games_of(CUP)
    lists: list[dict[str, list[int]]] = []
    for count in (5, 6):
        root = tmp_path / str(count)
        keep(root, CUP, records[:count], state="running")
        shelf = Shelf(root, templates())
        shelf.look()
        texts = pages(pages_of(root))
        names = [name for name in texts if name.endswith(("games/index.html", "list-1.html"))]
        names += [name for name in texts if name.endswith("list-2.html")]
        for name in names:
            assert served(shelf, name, league=False) == texts[name]
        lists.append({name: _listed(texts[name]) for name in names})
        with pytest.raises(NoPageError):
            served(shelf, "games/list-3.html", league=False)
        shelf.close()
    assert lists == [
        {"games/index.html": [5, 4, 3], "games/list-1.html": [2, 1]},
        {"games/index.html": [6, 5], "games/list-1.html": [2, 1], "games/list-2.html": [4, 3]},
    ]


def _listed(page: str) -> list[int]:
    return [int(number) for number in re.findall(r'">(\d+)</a></td>', page)]


@pytest.mark.parametrize(
    "path",
    ["games/000099.html", "games/000099.txt", "games/list-1.html", "bots/nobody.html"],
)
def test_what_is_not_there_has_no_page(tmp_path: Path, path: str) -> None:
    root = tmp_path / "cup"
    keep(root, CUP, games_of(CUP))
    shelf = Shelf(root, templates())
    shelf.look()
    with pytest.raises(NoPageError):
        served(shelf, path, league=False)
    shelf.close()


def test_a_site_leaves_the_store_as_it_is(tmp_path: Path) -> None:
    root = tmp_path / "cup"
    keep(root, CUP, games_of(CUP))
    before = hashlib.sha256((root / STORE).read_bytes()).digest()
    shelf = Shelf(root, templates())
    shelf.look()
    served(shelf, "index.html", league=False)
    shelf.close()
    assert hashlib.sha256((root / STORE).read_bytes()).digest() == before
