"""A league from the command line: by its store, or by its server where one runs."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from server.kept_league import cup_games, keep_league, ladder_games
from sternhalma_server.cli import main
from sternhalma_server.lock import StoreLock
from sternhalma_server.store import FinishedGame, Store

Captured = pytest.CaptureFixture[str]
LEAGUE = 'name = "club"\nbots = [{ name = "house", command = "sternhalma-bot random" }]\n'
CUP = 'name = "cup"\nrules = "tara"\nplayers = 2\nclock = "5s"\nlimit = 2\nparallel = 1\n'
LADDER = (
    'name = "ladder"\nformat = "ladder"\nrules = "tara"\nplayers = 2\nclock = "5s"\nlimit = 2\n'
)
HOUSES = (
    'name = "club"\nevents = ["ladder.toml"]\n'
    'bots = [{ name = "house", command = "sternhalma-bot random" },'
    ' { name = "other", command = "sternhalma-bot random" }]\n'
)
SECONDS = 60.0


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("league", LEAGUE), ("houses", HOUSES), ("cup", CUP), ("ladder", LADDER)):
        Path(f"{name}.toml").write_text(text)


@pytest.fixture
def club() -> Path:
    """The folder of a league that no server keeps open."""
    folder = Path("club")
    folder.mkdir()
    (folder / "league.toml").write_text(LEAGUE)
    with Store.open(folder / "store.sqlite") as store:
        store.found_league("club")
    return folder


def said(capsys: Captured, *words: str | Path) -> str:
    """What a command prints, which has to work."""
    status = main([*map(str, words)])
    told = capsys.readouterr()
    assert (status, told.err) == (0, "")
    return told.out


def refused(capsys: Captured, *words: str | Path) -> str:
    """Why a command is refused, in one sentence."""
    assert main([*map(str, words)]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    return told.err.removesuffix("\n").partition(": ")[2]


@dataclass(frozen=True)
class Served:
    """A server that a host has started; `said` is what it said until it was open."""

    process: subprocess.Popen[str]
    said: list[str]


@contextmanager
def served(league: str = "houses.toml") -> Iterator[Served]:
    """A server that keeps the league open."""
    command = "import sys; from sternhalma_server.cli import main; sys.exit(main())"
    words = [sys.executable, "-c", command, "serve", league, "--out", "club", "--port", "0"]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, text=True, env=os.environ | {"PATH": path}
    ) as server:
        assert server.stdout is not None
        heard: list[str] = []
        for line in server.stdout:
            heard.append(line)
            if " open on " in line:
                break
        try:
            yield Served(server, heard)
        finally:
            for _ in range(2):
                with suppress(subprocess.TimeoutExpired):
                    server.send_signal(signal.SIGTERM)
                    server.communicate(timeout=SECONDS)
                    break


LIST = ("event", "club", "list")


def wait_for(capsys: Captured, wanted: str, words: tuple[str, ...] = LIST) -> None:
    """Return when a command prints a line that begins as *wanted*; else the list of events does."""
    until = time.monotonic() + SECONDS
    while not re.search(f"^{wanted}", got := said(capsys, *words), re.MULTILINE):
        assert time.monotonic() < until, f"expected {wanted!r}, got {got!r}"


def test_a_token_is_printed_and_its_digest_is_kept(club: Path, capsys: Captured) -> None:
    done, token = said(capsys, "register", club, "zoe").splitlines()
    assert done == "zoe: registered"
    with Store.read(club / "store.sqlite") as store:
        (bot,) = store.bots()
    assert bot.digest == hashlib.sha256(token.removeprefix("token ").encode()).hexdigest()


def test_a_league_without_its_certificate_is_refused_with_the_place_in_its_file(
    tmp_path: Path, capsys: Captured
) -> None:
    league = tmp_path / "club.toml"
    league.write_text('name = "club"\ntls = { cert = "cert.pem", key = "key.pem" }\n')
    assert main(["serve", str(league), "--out", str(tmp_path / "out"), "--port", "0"]) == 2
    assert capsys.readouterr().err.startswith(
        f"sternhalma serve: {league}: tls: expected the TLS certificate in a file that can be read"
    )


def test_another_token_takes_the_place_of_the_first(club: Path, capsys: Captured) -> None:
    first = json.loads(said(capsys, "register", club, "zoe", "--json"))
    second = json.loads(said(capsys, "register", club, "zoe", "--renew", "--json"))
    assert first["done"] == ["zoe: registered"]
    assert second["done"] == ["zoe: has another token"]
    assert first["token"] != second["token"]


def test_bots_are_listed_with_those_that_have_left(club: Path, capsys: Captured) -> None:
    assert said(capsys, "register", club) == "no bots are registered\n"
    for bot in ("zoe", "max"):
        said(capsys, "register", club, bot)
    assert said(capsys, "register", club, "max", "--remove") == "max: not registered any more\n"
    max_, zoe = said(capsys, "register", club).splitlines()
    assert max_.startswith("max: left 2")
    assert zoe.startswith("zoe: registered 2")
    facts = json.loads(said(capsys, "register", club, "--json"))
    assert [(one["bot"], one["registered"]) for one in facts] == [("max", False), ("zoe", True)]


def test_an_event_goes_through_its_states_without_a_server(club: Path, capsys: Captured) -> None:
    assert said(capsys, *LIST) == "no events\n"
    said(capsys, "register", club, "zoe")
    assert said(capsys, "event", club, "add", "cup.toml") == "cup: created\n"
    assert said(capsys, "event", club, "open", "cup") == "cup: open\n"
    assert said(capsys, "event", club, "enter", "cup", "zoe", "house") == (
        "cup: entered zoe, house\n"
    )
    assert said(capsys, "event", club, "start", "cup") == "cup: running\n"
    assert said(capsys, *LIST) == "cup: running, round-robin, 0 games over\n"
    (fact,) = json.loads(said(capsys, *LIST, "--json"))
    assert fact == {"name": "cup", "state": "running", "format": "round-robin", "games": 0}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("event", "club", "add"), "expected EVENT.toml after 'add', got nothing"),
        (("event", "club", "add", "a", "b"), "expected EVENT.toml after 'add', got a b"),
        (("event", "club", "start"), "expected EVENT after 'start', got nothing"),
        (("event", "club", "enter", "cup"), "expected EVENT BOT ... after 'enter', got cup"),
        (("event", "club", "list", "cup"), "expected nothing after 'list', got cup"),
        (("event", "club", "start", "cup"), "expected an event of the league (none yet), got"),
        (("event", "club", "add", "gone.toml"), "gone.toml: expected an event file that can be"),
        (("event", "club", "add", "."), ".: expected an event file that can be read"),
        (("event", "club", "add", "latin.toml"), "latin.toml: expected UTF-8, got byte 8 wrong"),
        (("event", "club", "add", "league.toml"), "league.toml: expected an event file, got a"),
        (("event", "nowhere", "list"), "expected a league's folder"),
        (("register", "nowhere", "zoe"), "expected a league's folder"),
        (("register", "."), "expected a league's folder"),
        (("register", "club", "house"), "unlike that of the league's own bot"),
        (("register", "club", "zoe", "--renew"), "expected a registered bot, got 'zoe'"),
        (("register", "club", "--remove"), "expected NAME with --remove, got none"),
        (("register", "club", "--renew"), "expected NAME with --renew, got none"),
        (("register", "club", "House", "--remove"), "got 'house' of the league's file: it is"),
        (("status", "club", "--why", "hause"), "unknown bot 'hause', did you mean house?"),
        (("status", "club", "--why", "HOUSE"), "club: no server runs here"),
        (("status", "club/events/cup"), "club: no server runs here"),
        (("stop", "club/events/cup"), "club: no server runs here"),
        (("bot", "club", "HOUSE"), "expected a game of house that is over, there is none yet"),
        (("bot", "club", "nobody"), "expected a game of any bot that is over, there is none yet"),
        (("season", "nowhere"), "nowhere/league.toml: expected the league's file"),
        (("status", "club"), "no server runs here"),
        (("stop", "club"), "no server runs here"),
        (("serve", "cup.toml"), "cup.toml: expected a league file, got an event file"),
        (("run", "league.toml"), "league.toml: expected an event file, got a league file"),
        (("serve", "of_leagues.toml"), "of_leagues.toml: events[1]: expected an event file, got"),
        (("serve", "gone.toml"), "gone.toml: expected a league file that can be read"),
        (("run", "cup.toml"), "cup.toml: bots: expected"),
        (("run", "ladder.toml"), "ladder.toml: format: expected an event with an end, a ladder"),
        (("plan", "ladder.toml"), "ladder.toml: format: expected an event with an end, a ladder"),
        (("standings", "club"), "expected the folder of one event"),
    ],
    ids=lambda part: " ".join(part) if isinstance(part, tuple) else "",
)
def test_what_makes_no_sense_is_refused_in_a_sentence(
    club: Path, capsys: Captured, words: tuple[str, ...], why: str
) -> None:
    Path("latin.toml").write_bytes(b'name = "\xe9"\n')
    Path("of_leagues.toml").write_text('name = "x"\nevents = ["league.toml"]\n')
    got = refused(capsys, *words)
    assert why in got, got


def test_a_store_that_another_process_keeps_is_told_with_it(
    club: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sternhalma_server.cli.league_folder.PATIENCE", 0.1)
    with StoreLock(club / "store.sqlite"):
        told = refused(capsys, "register", club, "zoe")
    assert told.endswith(f"expected a store that no other server uses, process {os.getpid()} does")


def test_a_server_that_does_not_answer_is_not_passed_over(
    club: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sternhalma_server.control.ANSWER", 0.05)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as silent:
        silent.bind(str(club / "control"))
        silent.listen()
        told = refused(capsys, "register", club, "zoe")
    assert told == "club: expected an answer within 0.05 s, got none"
    assert said(capsys, "register", club) == "no bots are registered\n"


def test_a_socket_that_a_killed_server_left_is_nobody(club: Path, capsys: Captured) -> None:
    (club / "control").touch()
    assert said(capsys, "register", club, "zoe").startswith("zoe: registered\n")


def test_the_results_folder_of_an_event_is_no_leagues(capsys: Captured) -> None:
    Path("cup").mkdir()
    with Store.open(Path("cup/store.sqlite")) as store:
        store.add_event("cup", b"")
    assert "expected a league's folder" in refused(capsys, "register", "cup", "zoe")
    Path("cup/league.toml").write_text(LEAGUE)
    assert "expected the store of a league, got an event's" in refused(
        capsys, "serve", "league.toml", "--out", "cup", "--port", "0"
    )


def test_a_league_is_not_served_in_the_folder_of_another_one(club: Path, capsys: Captured) -> None:
    Path("other.toml").write_text(LEAGUE.replace("club", "other"))
    told = refused(capsys, "serve", "other.toml", "--out", club, "--port", "0")
    assert "expected the league 'other', got the store of 'club'" in told
    assert (club / "league.toml").read_text() == LEAGUE


def test_an_event_file_that_is_not_there_keeps_the_league_as_it_was(
    club: Path, capsys: Captured
) -> None:
    Path("more.toml").write_text(f'events = ["gone.toml"]\n{LEAGUE}')
    told = refused(capsys, "serve", "more.toml", "--out", club, "--port", "0")
    assert told == (
        "more.toml: events[1]: expected an event file that can be read, got 'gone.toml':"
        " No such file or directory"
    )
    assert (club / "league.toml").read_text() == LEAGUE


def test_a_league_that_is_served_heeds_every_command(capsys: Captured) -> None:
    with served():
        assert said(capsys, "register", "club", "zoe").startswith("zoe: registered\ntoken ")
        assert "'zoe' is registered already" in refused(capsys, "register", "club", "Zoe")
        with Path("cup.toml").open("a") as file:
            file.write("# what the host has to say about it\n" * 2000)
        said(capsys, "event", "club", "add", "cup.toml")
        said(capsys, "event", "club", "enter", "cup", "house", "other")
        assert said(capsys, "event", "club", "start", "cup") == "cup: running\n"
        wait_for(capsys, "cup: closed, round-robin, 1 games over")
        assert said(capsys, "event", "club", "pause", "ladder") == "ladder: paused\n"
        lines = said(capsys, "status", "club").splitlines()
        assert lines[1] == "cup: closed"
        assert lines[2].startswith("1 bot registered; connected: ")
        why = said(
            capsys, "status", "club/events/cup", "--why", "Zoe"
        )  # its last game may still run
        assert why.endswith(("has a game for zoe\n", "waits for zoe to connect\n"))
        assert "no other server uses" in refused(
            capsys, "serve", "houses.toml", "--out", "club", "--port", "0"
        )
        assert said(capsys, "stop", "club").startswith("club: stopping when ")
    table = said(capsys, "season", "club", "--format", "csv").splitlines()
    assert len(table) == 3
    assert said(capsys, "standings", "club/events/cup").startswith("| rank | entry")
    assert "verified 1 game, 4 tables" in said(capsys, "verify", "club")


def test_what_was_decided_while_no_server_ran_holds_when_one_does(capsys: Captured) -> None:
    with served() as server:
        wait_for(capsys, "ladder: running, ladder, [1-9]")
        server.process.kill()
        server.process.wait()
    said(capsys, "event", "club", "pause", "ladder")
    said(capsys, "register", "club", "zoe")
    before = said(capsys, *LIST)
    with served():
        facts = json.loads(said(capsys, "status", "club", "--json"))
        assert facts["events"] == [{"name": "ladder", "state": "paused"}]
        assert facts["registered"] == 1
        assert said(capsys, *LIST) == before


def test_an_event_keeps_the_file_it_was_added_with_and_the_host_is_told(capsys: Captured) -> None:
    with served() as server:
        assert server.said[:2] == ["ladder: created\n", "ladder: running\n"]
    with served() as server:
        assert len(server.said) == 1
    Path("ladder.toml").write_text(f"{LADDER}seed = 7\n")
    with served() as server:
        assert server.said[0] == (
            "ladder: ladder.toml is another file now, the event has the one it was added with\n"
        )
    with Store.read(Path("club/store.sqlite")) as store:
        assert store.events()[0].source == LADDER.encode()
    assert said(capsys, *LIST).startswith("ladder: running")


def test_a_bot_that_left_the_leagues_file_plays_the_ladder_no_more(capsys: Captured) -> None:
    with served():
        wait_for(capsys, "ladder: running, ladder, [1-9]")
    Path("houses.toml").write_text(
        HOUSES.replace(', { name = "other", command = "sternhalma-bot random" }', "")
    )
    with served():
        why = ("status", "club", "--why", "house")
        wait_for(capsys, "ladder: house waits for 1 more to connect", why)


def test_an_event_of_which_bots_have_left_is_played_on_without_them(capsys: Captured) -> None:
    Path("cup.toml").write_text(f'{CUP}cycles = 2\nbudgets = {{ ready = "10ms" }}\n')
    with served():
        said(capsys, "register", "club", "zoe")
        said(capsys, "event", "club", "add", "cup.toml")
        said(capsys, "event", "club", "enter", "cup", "house", "zoe")
        said(capsys, "register", "club", "zoe", "--remove")
        told = refused(capsys, "event", "club", "start", "cup")
        assert told.endswith(
            "cup: bots[2].name: expected a bot of the league, registered or in its file, got 'zoe'"
        )
        said(capsys, "register", "club", "zoe")
        said(capsys, "event", "club", "start", "cup")
        said(capsys, "register", "club", "zoe", "--remove")
        wait_for(capsys, "cup: closed, round-robin, 2 games over")
    assert "no-start 2" in said(capsys, "standings", "club/events/cup")


def test_a_copy_of_a_league_can_be_asked_and_verified(capsys: Captured) -> None:
    with served():
        wait_for(capsys, "ladder: running, ladder, [1-9]")
        said(capsys, "stop", "club")
    shutil.copytree("club", "copy")
    assert said(capsys, "verify", "copy") == said(capsys, "verify", "club")


def test_a_game_that_is_changed_in_the_store_is_found(capsys: Captured) -> None:
    with served():
        wait_for(capsys, "ladder: running, ladder, [1-9]")
        said(capsys, "stop", "club")
    with Store.open(Path("club/store.sqlite")) as store:
        (event,) = store.events()
        games = list(store.finished_games(event.id))
        last = games[-1]
        forged = last.record.replace(f"game {last.game}\n", f"game {last.game + 7}\n")
        store.write(event.id, "", [FinishedGame(last.game + 7, forged, last.said)])
    assert main(["verify", "club"]) == 1
    assert "sha256" in capsys.readouterr().err


LATE = ("late-entry", "Lou", "--reason", "ill")


def test_who_comes_late_is_named_without_regard_to_case(club: Path, capsys: Captured) -> None:
    said(capsys, "register", club, "zoe")
    said(capsys, "register", club, "lou")
    said(capsys, "event", club, "add", "cup.toml")
    said(capsys, "event", club, "enter", "cup", "zoe", "house")
    said(capsys, "event", club, "start", "cup")
    cup = club / "events" / "cup"
    told = refused(capsys, "amend", cup, "late-entry", "lo", "--reason", "ill")
    assert told == "unknown bot 'lo', did you mean lou?"
    assert said(capsys, "amend", cup, *LATE).startswith("lou: late entry (ill)")
    assert said(capsys, "amend", cup, "withdraw", "LOU", "--reason", "ill").startswith(
        "lou: withdrawn (ill)"
    )


def test_a_game_may_be_named_as_bots_are_told_it(tmp_path: Path, capsys: Captured) -> None:
    root = tmp_path / "kept"
    keep_league(root, ladder_games(4), cup_games())
    ladder = root / "events" / "ladder"
    assert said(capsys, "game", ladder, "ladder/2") == said(capsys, "game", ladder, "2")
    annulled = said(capsys, "amend", ladder, "annul", "ladder/2", "--reason", "x")
    assert annulled.startswith("game 2: annulled (x)")
    assert refused(capsys, "amend", ladder, "annul", "2", "--reason", "x") == (
        "expected a game that is not annulled already, got 2"
    )
    for words in (("game", ladder, "cup/2"), ("amend", ladder, "annul", "cup/2", "--reason", "x")):
        assert refused(capsys, *words) == (
            "expected the number of a game of ladder, such as 2, got 'cup/2'"
        )


def test_an_anchor_of_the_league_may_have_played_nothing_yet(
    tmp_path: Path, capsys: Captured
) -> None:
    root = tmp_path / "kept"
    keep_league(root, ladder_games(4), cup_games())
    before = said(capsys, "ratings", root)
    charter = (root / "league.toml").read_text()
    (root / "league.toml").write_text(charter.replace("1500", "1500, later = 1000"))
    assert said(capsys, "ratings", root) == before
    assert "unknown anchor 'later'" in refused(capsys, "ratings", root, "--anchor", "later=1000")


def test_a_bot_of_a_league_has_a_page_whatever_the_case_of_its_name(
    tmp_path: Path, capsys: Captured
) -> None:
    root = tmp_path / "kept"
    keep_league(root, ladder_games(4), cup_games())
    assert said(capsys, "bot", root, "ZOE") == said(capsys, "bot", root, "zoe")


@pytest.mark.parametrize("folder", ["taken", "taken/club", "/proc/club"])
def test_a_folder_that_cannot_be_made_is_told_in_a_sentence(capsys: Captured, folder: str) -> None:
    Path("taken").touch()
    told = refused(capsys, "serve", "league.toml", "--out", folder, "--port", "0")
    assert told.startswith(f"{folder}: expected a folder that can be made and written, got: ")
    assert "Errno" not in told


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written_is_told_in_a_sentence(
    club: Path, capsys: Captured
) -> None:
    club.chmod(0o500)
    for words in (
        ("serve", "league.toml", "--out", club, "--port", "0"),
        ("register", club, "zoe"),
    ):
        told = refused(capsys, *words)
        assert told.startswith("club: expected a folder that can be made and written, got: ")
    club.chmod(0)
    for command in ("status", "standings"):
        assert "store.sqlite: expected a file or folder of this user's: " in refused(
            capsys, command, club
        )
    club.chmod(0o700)
