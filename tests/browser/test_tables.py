"""People at tables in a real browser: with a sample bot, with each other, by touch and by keys."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from browser.conftest import Opening
from browser.looking import Look
from server.people import tables_site
from sternhalma import Game
from sternhalma_bot.bots import lookahead
from sternhalma_bot.turn import Turn

SHOWN = 21  # the ply of which the pages for strangers have a picture
HOSTILE = "<img src=x onerror=1>"


@pytest.fixture(scope="module")
def site() -> Generator[str]:
    """One site for all of these tests."""
    with tables_site() as site:
        yield site


def open_table(window: Look, site: str, rules: str, *seats: str, name: str = "") -> None:
    """Open a table by the form, for people at this screen, by the link, and sample bots."""
    window.open(f"{site}/tables/new")
    window.find("#rules").select_option(rules)
    window.find("#players").select_option(str(len(seats)))
    for number, seat in enumerate(seats):
        window.find(f"#seat-{number}").select_option(seat)
    window.find("#name-0").fill(name)
    window.find("button.main").click()
    window.see("h1", "A table of")


def move(window: Look, origin: str, target: str) -> None:
    """Move by the two lists, with the keyboard at the end."""
    window.find("#mover-set:enabled #from").select_option(label=origin)
    window.find("#to").select_option(label=target)
    window.find("#move").press("Enter")


def touch(window: Look, *holes: str) -> None:
    """Touch holes of the board, one after the other."""
    names = Game.new("duel").rules.board.names
    for hole in holes:
        window.find(".board .holes .hole").nth(names.index(hole)).click(force=True)


def follow(window: Look, game: Game) -> Game:
    """*game* with what has been played since, as the list of moves tells it."""
    for text in window.find("#steps li").all_text_contents()[game.ply - 1 :]:
        game = game.play(text.rpartition(" ")[2])
    return game


def test_a_person_plays_a_whole_game_against_a_sample_bot_and_wins_by_the_rules(
    look: Opening, site: str, tmp_path: Path
) -> None:
    window = look(390, 844, calm=True)
    open_table(window, site, "corner", "here", "random", name="Zoë")
    game = Game.new("corner", limit=200)
    name = game.rules.board.format_hole
    while True:
        window.find("#mover-set:enabled, #again:visible").first.wait_for()
        game = follow(window, game)
        if game.is_over:
            break
        best = lookahead.choose(Turn.of(game))
        if game.ply == SHOWN:
            window.find("#from").select_option(label=name(best.origin))
            window.show("table.png")
        move(window, name(best.origin), name(best.target))
        # The list of moves is longer by then, and it is somebody's turn or nobody's.
        window.find(f"#steps li:nth-child({game.ply})").wait_for()
    # Whoever won: the page says so as the rules do.
    assert game.result is not None
    places = list(zip(game.result.places, ("A Zoë", "D random"), strict=True))
    window.see("#said", ", ".join(f"{place}. {who}" for place, who in sorted(places)))
    for row, (place, _) in enumerate(places, start=1):
        window.see(f"#seats li:nth-child({row})", f"place {place}")
    # The whole game can be walked through afterwards.
    window.page.keyboard.press("Home")
    window.see("#told", "the start")
    window.page.keyboard.press("ArrowRight")
    window.see("#told", "ply 1, A Zoë")
    window.page.keyboard.press("End")
    window.check()
    window.picture(tmp_path / "phone.png")
    # One's own marbles go up; in the other game one begins on the other side.
    turned = "document.querySelector('#play .board').classList.contains('turned')"
    assert window.page.evaluate(turned)
    window.find("#again").click()
    window.see("#seats li", "random")
    window.wait_for(f"!{turned}")


def test_what_went_wrong_is_a_sentence_and_goes_once_the_server_is_reached_again(
    look: Opening, site: str, tmp_path: Path
) -> None:
    window = look(390, 844, calm=True)
    open_table(window, site, "duel", "here", "greedy", name="Hedwig von und zu Ostholstein")
    window.see("p.hint", "The address of this page is your seat")
    window.see("#seats", "No marble has reached the point D; 110 steps are left to go in all.")
    window.find("#mover-set:enabled").wait_for()
    window.page.route("**/do", lambda route: route.abort())
    window.find("#hint").click()
    window.see("#problem", "The server cannot be reached; try once more.")
    window.problems.clear()  # a browser tells of what it cannot reach
    window.page.unroute("**/do")
    other = look()
    other.open(window.page.url)  # so that the first page is told of something
    window.find("#problem").wait_for(state="hidden")
    window.find("#hint").click()
    window.see("#planned", "The adviser would play")
    window.find(".advised").wait_for()
    window.check()
    window.picture(tmp_path / "hint.png")


def test_two_browsers_play_each_other_by_a_link_and_one_is_loaded_again(
    look: Opening, site: str, tmp_path: Path
) -> None:
    host, guest = look(), look(390, 844, "dark", calm=True)
    open_table(host, site, "duel", "here", "person", name=HOSTILE)
    host.see("#said", "when the last place is taken")
    host.check()
    guest.open(host.find("#link").input_value())
    guest.see("h1", "Join a table")
    guest.see(".seats", HOSTILE)
    guest.check()
    guest.find("input[name=name-1]").fill("Max")
    guest.find("button.main").click()
    # By touch: a marble, a hole where it may go, and that hole again.
    host.see("#said", "It is your turn")
    touch(host, "c5", "e7")
    host.see("#planned", "c5-e7: touch e7 again to move")
    host.check()
    touch(host, "e7")
    guest.see("#told", f"ply 1, A {HOSTILE[:24]}: c5-e7")
    guest.see("#said", "It is your turn")
    move(guest, "o11", "m9")
    host.see("#told", "ply 2, D Max: o11-m9")
    # A chain is laid hop by hop; meanwhile the other page is loaded again.
    host.see("#said", "It is your turn")
    touch(host, "a5", "c5", "e5")
    host.see("#planned", "a5-c5-e5: touch e5 again to move, or hop on.")
    guest.page.reload()
    guest.see("#told", "ply 2, D Max: o11-m9")
    touch(host, "e5")
    guest.see("#told", f"ply 3, A {HOSTILE[:24]}: a5-c5-e5")
    guest.see("#said", "It is your turn")
    # Back to before the guest's move, when both agree.
    guest.find("#undo").click()
    host.see("#wish-back", "Max wants to take back the move of ply 2")
    host.check()
    host.find("#agree-back").click()
    guest.see("#told", "ply 1, A")
    guest.find("#mover-set:enabled").wait_for()
    assert guest.find("#steps li").count() == 1
    guest.check()
    guest.find("#from").select_option(label="n13")
    guest.find("#to").select_option(label="m13")
    guest.find("#offer").click()
    host.see("#said", "D Max offers a draw")
    host.picture(tmp_path / "host.png")
    guest.picture(tmp_path / "guest.png")
    host.find("#draw").click()
    for window in (host, guest):
        window.see("#said", "The game is over: a draw was agreed on")
