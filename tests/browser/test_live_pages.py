"""Pages of a site in a real browser: they change by themselves, by keys, on phones, in the dark."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from browser.conftest import Opening
from server.browsed import FAILING
from server.kept import CUP, TRIO, games_of, keep
from server.kept_league import cup_games, keep_league, ladder_games
from server.sites import crowded_event, live_event, site_of
from sternhalma_server.cli import main

# Marbles of a letter by hole, as the page draws them.
STANDING = """(letter) => [...document.querySelectorAll(`.marble.${letter}`)]
    .map((marble) => Number(marble.dataset.hole))"""


def test_a_live_event_and_its_games_change_without_being_loaded_again(
    look: Opening, tmp_path: Path
) -> None:
    with live_event(tmp_path, clock="10m") as live:
        window, other = look(), look(calm=True)
        window.open(live.url)
        window.see("#running figcaption", "game 1, after ply 0")
        window.see("#running .players", "zoe")
        # A clock that runs shows less and less by itself.
        window.wait_for(
            r"/^\d:\d\d$/.test(document.querySelector('#running .turn .clock')?.textContent)"
        )
        live.move()
        window.see("#running figcaption", "game 1, after ply 1")
        window.see("#running .turn", "max")
        other.open(f"{live.url}games/000001.html")
        other.see("#told", "ply 1: A")
        path = live.move()
        other.see("#moves tbody tr:last-child", path)
        other.see("#told", f"ply 2: D {path}")
        other.wait_for("document.querySelectorAll('#replay .marble').length === 20")
        other.see(".clock.turn", "left")
        other.see("[data-part=ending]", "still running, 2 plies so far")
        other.see("[data-part=chart]", "ply 2")
        # Who looks at an earlier move is not torn away from it.
        other.page.keyboard.press("Home")
        path = live.move()
        other.see("#moves tbody tr:last-child", path)
        assert other.text("#told") == "the start"
        other.page.keyboard.press("End")
        other.see("#told", f"ply 3: A {path}")
        window.check()
        other.check()
        live.max.say(f"move {live.max.turn()[1]} 4 a5-q13")
        window.see("[data-part=shouts]", re.compile(r"max\s+forfeited 1 game \(illegal\)"))
        window.see("[data-part=standings]", "Interim table: 1 of 20 games")
        window.see("#running figcaption", "game 2, after ply 0")
        other.see("[data-part=ending]", "over by illegal")
        other.see("#told", "D goes out at ply 4 by illegal")
        other.see("[data-part=record]", "the record of this game")
        assert window.is_the_same
        assert other.is_the_same
        other.check()
        window.leave()
        other.leave()


def test_all_games_that_run_are_on_the_page_of_their_event(look: Opening, tmp_path: Path) -> None:
    with crowded_event(tmp_path, games=12, plies=27) as command:
        window = look(1000, 780)
        window.open(f"http://127.0.0.1:{command.site}/")
        window.see("[data-part=standings]", "Interim table: 12 of 150 games")
        window.wait_for("document.querySelectorAll('#running figure').length === 3")
        for number in range(1, 4):
            window.see(f"#running figure:nth-child({number})", re.compile("after ply 2[67]"))
        window.check()
        window.show("live.png")
        window.leave()


def test_a_game_is_replayed_by_keys_and_buttons_and_a_link_leads_to_a_ply(
    look: Opening, tmp_path: Path
) -> None:
    root = tmp_path / "cup"
    keep(root, CUP, games_of(CUP))
    with site_of(root) as port:
        window = look()
        url = f"http://127.0.0.1:{port}/games/000001.html"
        window.open(url)
        last = window.text("#told")
        assert last.startswith("ply 6: ")
        end = window.page.evaluate(STANDING, "a")
        window.page.keyboard.press("Home")
        assert window.text("#told") == "the start"
        start = window.page.evaluate(STANDING, "a")
        assert start != end
        window.page.keyboard.press("ArrowRight")
        window.page.keyboard.press("ArrowRight")
        assert window.text("#told").startswith("ply 2: ")
        assert window.page.url.endswith("#ply-2")
        window.page.keyboard.press("ArrowLeft")
        assert window.text("#told").startswith("ply 1: ")
        assert window.text("tr[aria-current] td") == "1"
        window.find("#speed").select_option("5")
        window.page.locator("body").press(" ")
        window.see("#told", last)
        assert window.page.evaluate(STANDING, "a") == end
        window.find("#first").click()
        assert window.page.evaluate(STANDING, "a") == start
        window.page.goto("about:blank")
        window.open(f"{url}#ply-4")
        assert window.text("#told").startswith("ply 4: ")
        window.check()
        window.leave()


@pytest.mark.parametrize("kind", ["event", "league"])
def test_every_kind_of_page_can_be_read_on_a_phone_in_the_dark_and_by_all(
    look: Opening, tmp_path: Path, kind: str
) -> None:
    root = tmp_path / kind
    if kind == "event":
        keep(root, TRIO, games_of(TRIO, chances=FAILING))
        paths = ["", "games/index.html", "games/000001.html", "bots/a.html", "nothing.html"]
    else:
        keep_league(root, ladder_games(), cup_games())
        paths = ["", "bots/zoe.html", "events/ladder/index.html", "events/cup/bots/Ida.html"]
    with site_of(root) as port:
        phone, desk = look(390, 844, "dark"), look()
        for window in (phone, desk):
            for number, path in enumerate(paths):
                window.open(f"http://127.0.0.1:{port}/{path}")
                window.picture(tmp_path / f"{number}-{window is phone}.png")
                window.check()
            window.leave()
            # That a page is not there is the one thing that a browser tells of.
            window.problems = [problem for problem in window.problems if "404" not in problem]


def test_the_report_opens_from_a_disk(look: Opening, tmp_path: Path) -> None:
    root = tmp_path / "cup"
    keep(root, CUP, games_of(CUP))
    assert main(["report", str(root)]) == 0
    window = look()
    window.open((root / "pages" / "index.html").as_uri())
    window.find(
        "a",
    ).filter(has_text="games").first.click()
    window.find("table a").first.click()
    window.see("#told", "ply 6")
    window.page.keyboard.press("Home")
    assert window.text("#told") == "the start"
    window.check()
