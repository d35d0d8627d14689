"""The site over HTTP, beside an event that goes on as far as a test says."""

from __future__ import annotations

import os
import re
import signal
import socket
import time
from collections.abc import Generator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from server.kept import CUP, games_of, keep
from server.sites import PATIENCE, Command, Live, Viewer, ask, event_file, live_event, site_of


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Generator[Live]:
    with live_event(tmp_path_factory.mktemp("live")) as event:
        yield event


def test_a_move_is_on_the_board_of_the_event_and_of_the_game_without_asking(live: Live) -> None:
    first = live.move()
    with ExitStack() as stack:
        event = stack.enter_context(closing(Viewer(live.site, "index.html")))
        game = stack.enter_context(closing(Viewer(live.site, "games/000001.html")))
        board = event.until("board/1", "after ply 1")
        assert board["seats"] == [["A", "zoe"], ["D", "max"]]
        assert board["clock"] == {"left": {}, "running": "D", "since": board["clock"]["since"]}
        assert board["letters"].count("A") == board["letters"].count("D") == 10
        # The page may have been made before the store had the move.
        page = ask(live.site, "/games/000001.html").text
        known = len(re.findall(r"data-step=", page))
        assert known in {0, 1}
        second = live.move()
        assert event.until("board/1", "after ply 2")["path"] != board["path"]
        step = game.until("step/1", second)
        assert step["text"] == f"ply 2: D {second}"
        assert step["cells"]["seat"] == "D"
        assert game.until("clock", '"running": "A"')
        assert first in (page + str(game.things))


def test_a_game_that_ends_moves_the_table_and_its_page_becomes_that_of_its_record(
    live: Live,
) -> None:
    with ExitStack() as stack:
        event = stack.enter_context(closing(Viewer(live.site, "index.html")))
        game = stack.enter_context(closing(Viewer(live.site, "games/000001.html")))
        assert "points" in event.until("part/standings", "zoe")
        game.until("step/1")
        live.resign()
        event.until("part/standings", "Interim table: 1 of")
        event.until("board/2")
        assert event.things["board/1"] is None
        assert "over by resign" in game.until("part/ending", "over by")
        assert game.until("data")["steps"][-1]["text"] == "A goes out at ply 3 by resign: resign 1"
    record = ask(live.site, "/games/000001.txt")
    assert record.headers["content-type"].startswith("text/plain")
    assert "resign" in record.text


@pytest.mark.parametrize(
    "path", ["/store.sqlite", "/../store.sqlite", "/%2e%2e/store.sqlite", "/games/1.html", "/x"]
)
def test_nothing_but_pages_is_served(live: Live, path: str) -> None:
    answer = ask(live.site, path)
    assert answer.status == 404
    assert "no such page" in answer.text


@pytest.mark.parametrize(
    ("path", "there"), [("/games/", "index.html"), ("/games", "games/index.html")]
)
def test_a_folder_leads_to_the_page_in_it(live: Live, path: str, there: str) -> None:
    answer = ask(live.site, path)
    assert answer.status == 307
    assert answer.headers["location"] == there
    assert ask(live.site, "/bots/").status == ask(live.site, "/nothing").status == 404


def test_every_answer_has_its_policy_and_nothing_can_be_sent(live: Live) -> None:
    for path in ("/", "/assets/live.js", "/nothing"):
        headers = ask(live.site, path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
    for method in ("POST", "PUT", "DELETE"):
        assert ask(live.site, "/", method).status == 405
    assert ask(live.site, "/", "HEAD").status == 200
    assert ask(live.site, "/live/index.html", "HEAD").status == 200


def test_a_name_that_leads_here_by_trickery_is_refused(live: Live) -> None:
    for path in ("/", "/live/index.html", "/assets/live.js"):
        assert ask(live.site, path, Host="evil.example.org").status == 421
    assert ask(live.site, "/", Host="localhost").status == 200


def test_a_site_may_be_given_a_name(tmp_path: Path) -> None:
    keep(tmp_path / "cup", CUP, games_of(CUP))
    with site_of(tmp_path / "cup", "--name", "league.example.org") as port:
        assert ask(port, "/", Host="league.example.org").status == 200
        assert ask(port, "/", Host="evil.example.org").status == 421
        page = ask(port, "/index.html").text
        assert "<h1>cup</h1>" in page
        assert "no server plays" not in page


def test_the_end_of_the_site_touches_no_game_and_it_comes_back(tmp_path: Path) -> None:
    with live_event(tmp_path) as live:
        live.move()
        assert ask(live.site, "/").status == 200
        os.kill(site_process(live.root), signal.SIGKILL)
        live.move()
        live.move()
        live.command.wait_for(re.compile(r"pages: ended by SIGKILL.*again in"))
        with closing(Viewer(live.site, "index.html")) as viewer:  # waits in the socket
            viewer.until("board/1", "after ply 3")
        live.resign()


def test_the_site_ends_with_its_server_however_that_ends(tmp_path: Path) -> None:
    with live_event(tmp_path) as live:
        assert ask(live.site, "/").status == 200
        process = site_process(live.root)
        live.command.end(signal.SIGKILL)
        until = time.monotonic() + PATIENCE
        while is_running(process):
            assert time.monotonic() < until
            time.sleep(0.02)


def test_sigterm_tells_a_hundred_viewers_and_ends_the_site(tmp_path: Path) -> None:
    keep(tmp_path / "cup", CUP, games_of(CUP)[:2], state="running")
    with Command("web", tmp_path / "cup", "--port", "0") as command, ExitStack() as stack:
        viewers = [
            stack.enter_context(closing(Viewer(command.site, "index.html"))) for _ in range(100)
        ]
        for viewer in viewers:
            viewer.until("part/standings")
        command.process.send_signal(signal.SIGTERM)
        for viewer in viewers:
            assert "end" in [kind for kind, _ in viewer.events()]
        assert command.process.wait(PATIENCE) == 0


def test_an_address_that_is_taken_is_told_before_anything_is_played(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        words = ["run", event_file(tmp_path), "--port", "0", "--out", tmp_path / "results"]
        with Command(*words, "--web", str(taken.getsockname()[1])) as command:
            command.wait_for(re.compile("cannot listen on 127.0.0.1 port"))
            assert command.process.wait(PATIENCE) == 2
    assert not (tmp_path / "results").exists()


def test_a_folder_without_a_store_has_no_pages(tmp_path: Path) -> None:
    with Command("web", tmp_path, "--port", "0") as command:
        command.wait_for(re.compile("expected a results or league folder, with store.sqlite"))
        assert command.process.wait(PATIENCE) == 2


def site_process(root: Path) -> int:
    """The process that serves the folder *root*."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            wanted = [b"sternhalma_server.web", str(root).encode()]
            if words[1:2] == [b"-m"] and words[2:4] == wanted:
                return int(folder.name)
    raise AssertionError("expected the process of a site")


def is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_people_may_open_tables_beside_an_event_only_where_its_host_says_so(
    live: Live, tmp_path: Path
) -> None:
    assert ask(live.site, "/tables/new").status == 404
    with live_event(tmp_path, "--tables", "--web-name", "League.example.org") as hosted:
        assert ask(hosted.site, "/", Host="league.example.org").status == 200
        assert ask(hosted.site, "/", Host="elsewhere.example.org").status == 421
        page = ask(hosted.site, "/tables/new")
        assert page.status == 200
        assert '<option value="greedy">' in page.text
        assert "tables/new" in ask(hosted.site, "/").text
        assert hosted.move()


def test_tables_want_pages_to_be_opened_on(tmp_path: Path) -> None:
    with Command("run", event_file(tmp_path), "--out", tmp_path / "r", "--tables") as refused:
        refused.wait_for(re.compile(r"expected --web PORT with --tables"))
        assert refused.process.wait(PATIENCE) == 2
