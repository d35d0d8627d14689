"""`sternhalma game`: a game out of the store, out of its record's file, or out of the journal."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from server.conducted import Chances, Conduct
from server.kept import CUP, forge, games_of, keep, keep_files, keep_store, table_of
from sternhalma_server import cli
from sternhalma_server.archive import STORE, record_name
from sternhalma_server.keeping import begin_line
from sternhalma_server.record import Out, Ply
from sternhalma_server.recording import line_of
from sternhalma_server.report import report
from sternhalma_server.rulings import stored_event
from sternhalma_server.settings import settings_of
from sternhalma_server.store import Decision, Store
from sternhalma_server.telling import Telling
from sternhalma_server.verdict import Reason
from sternhalma_tournament.amendments import (
    Amendment,
    Annulment,
    Correction,
    Expunging,
    LateEntry,
    Reinstatement,
    Withdrawal,
    format_amendment,
)
from sternhalma_tournament.roundrobin import schedule_of

Captured = pytest.CaptureFixture[str]

GAMES = games_of(CUP)


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    keep(tmp_path / "cup", CUP, GAMES)
    return tmp_path / "cup"


def printed(capsys: Captured, *words: str | Path) -> str:
    assert cli.main(["game", *map(str, words)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def refused(capsys: Captured, *words: str | Path) -> str:
    assert cli.main(["game", *map(str, words)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    return err


def told(telling: Telling, *, board: bool = False) -> str:
    return "".join(f"{line}\n" for line in report(telling, board=board))


def running(turns: int) -> tuple[Conduct, str]:
    """A game that has gone on for so many turns, and the journal's lines of it."""
    settings = settings_of(CUP, "event.toml")
    pairing = schedule_of(settings.event).pairing(5)
    game = Conduct(table_of(settings, pairing), 4)
    game.play(turns)
    lines = [
        begin_line(game.referee.table.versions, pairing),
        *(line_of(game.letters, event) for event in game.referee.happened),
        "< D 1764451900.000000 move 5 2 k14-k13",
    ]
    return game, "".join(f"{pairing.number}\t{line}\n" for line in lines)


def test_a_game_is_told_out_of_the_store(cup: Path, capsys: Captured) -> None:
    (cup / record_name(2)).unlink()
    assert printed(capsys, cup, "2") == told(Telling(GAMES[1]))


def test_a_game_is_told_out_of_its_file_where_there_is_no_store(
    tmp_path: Path, capsys: Captured
) -> None:
    keep_files(tmp_path, CUP, GAMES)
    assert printed(capsys, tmp_path, "2") == told(Telling(GAMES[1]))
    (tmp_path / "event.toml").unlink()
    assert printed(capsys, tmp_path, "2") == told(Telling(GAMES[1]))


def test_a_game_is_told_as_far_as_a_ply_with_its_board(cup: Path, capsys: Captured) -> None:
    assert printed(capsys, cup, "2", "--ply", "3", "--board") == (
        told(Telling(GAMES[1], upto=3), board=True)
    )
    assert printed(capsys, cup, "2", "--ply", "0") == told(Telling(GAMES[1], upto=0))


def test_what_the_seats_said_is_shown_below(cup: Path, capsys: Captured) -> None:
    out = printed(capsys, cup, "2", "--said").splitlines()
    assert out[-7] == ""
    assert out[-6].endswith(" A ping hello")
    last = GAMES[1].happened[-1]
    assert isinstance(last, Ply)
    assert out[-1].endswith(f" D move 2 6 {last.path}")
    facts = json.loads(printed(capsys, cup, "2", "--said", "--json"))
    assert facts["said"][0]["text"] == "ping hello"
    assert len(facts["said"]) == 6


def test_who_has_forfeited_a_game_is_told_where_to_look_further(
    tmp_path: Path, capsys: Captured
) -> None:
    folder = tmp_path / "a cup"
    games = games_of(CUP, chances=Chances(wrong=0.2))
    keep(folder, CUP, games)
    number, out = next(
        (game.game, one)
        for game in games
        for one in game.happened
        if isinstance(one, Out) and one.reason in {Reason.ILLEGAL, Reason.MALFORMED}
    )
    bot = next(player.bot for player in games[number - 1].players if player.seat == out.seat)
    (folder / "bots").mkdir(exist_ok=True)
    (folder / "bots" / f"{bot}-1.txt").write_text("ended with status 1\n", encoding="utf-8")
    assert printed(capsys, folder, str(number)).splitlines()[-5:] == [
        "",
        f"to look further into what {out.seat} {bot} did:",
        f"  {folder}/bots/{bot}-1.txt has what its program printed",
        f"  sternhalma transcript '{folder}' {number} --seat {out.seat} > game.txt",
        "  sternhalma replay game.txt -- COMMAND",
    ]
    assert "look further" not in printed(capsys, folder, str(number), "--ply", "0")


def test_a_game_is_told_to_programs_in_json(cup: Path, capsys: Captured) -> None:
    facts = json.loads(printed(capsys, cup, "2", "--json"))
    assert (facts["game"], facts["running"], facts["plies"]) == (2, False, 6)
    assert facts["position"] == GAMES[1].final
    assert "said" not in facts


def test_a_game_that_still_runs_is_told_and_said_to_run(tmp_path: Path, capsys: Captured) -> None:
    game, lines = running(3)
    keep_store(tmp_path, CUP, GAMES[:2], state="running", running=lines)
    out = printed(capsys, tmp_path, "5", "--board", "--said").splitlines()
    assert out[0].startswith("game 5 of cup: corner, 2 players")
    names = game.referee.table.bots
    assert out[1:4] == [
        f"A {names[0]} {len(names[0])}.0",
        f"D {names[1]} {len(names[1])}.0",
        "still running, 4 plies so far",
    ]
    assert f"after ply 4: {game.referee.game}" in out
    assert out[-1].endswith(" D move 5 2 k14-k13")
    facts = json.loads(printed(capsys, tmp_path, "5", "--json"))
    assert (facts["running"], facts["reason"], facts["plies"]) == (True, None, 4)


def test_a_game_that_has_just_begun_is_told(tmp_path: Path, capsys: Captured) -> None:
    _, lines = running(0)
    begin, *_ = lines.splitlines()
    keep_store(tmp_path, CUP, [], state="running", running=f"{begin}\n")
    assert "still running, 0 plies so far\n" in printed(capsys, tmp_path, "5")


def test_a_game_that_failed_and_runs_again_is_told_from_its_second_beginning(
    tmp_path: Path, capsys: Captured
) -> None:
    _, first = running(3)
    game, second = running(1)
    keep_store(tmp_path, CUP, [], state="running", running=first + second)
    out = printed(capsys, tmp_path, "5")
    assert f"still running, {game.referee.ply - 1} plies so far\n" in out


def test_a_running_game_of_a_late_entry_is_told(tmp_path: Path, capsys: Captured) -> None:
    late = LateEntry(reason="the train was late", entry="kim", bots=("kim",))
    pairing = '{"number":7,"entries":["kim","zoe"],"round":1,"cycle":1,"opening":"kim+zoe:1"}'
    keep_store(
        tmp_path,
        CUP,
        [Decision("ruling", format_amendment(late))],
        state="running",
        running=f"7\tbegin -,2 {pairing}\n",
    )
    out = printed(capsys, tmp_path, "7").splitlines()
    assert out[1:3] == ["A kim", "D zoe 2"]


def test_what_was_ruled_about_a_game_is_told_with_its_reason_and_time(
    tmp_path: Path, capsys: Captured
) -> None:
    zoe = GAMES[1].players[0].entry
    rulings: list[Amendment] = [
        Correction("clocks", 2, (2, 1), at="2026-11-29T20:30:00Z"),
        Annulment("another game", 3),
        Expunging("no program", zoe),
        Withdrawal("no time", GAMES[1].players[1].entry),  # what it has played counts
        Annulment("power cut", 2),
    ]
    keep(tmp_path, CUP, GAMES)
    with Store.open(tmp_path / STORE) as store:
        for ruling in rulings:
            store.amend(stored_event(store).id, "ruling", format_amendment(ruling))
    out = printed(capsys, tmp_path, "2").splitlines()
    assert [line for line in out if line.startswith("ruled by the host: ")] == [
        "ruled by the host: game 2: corrected to 2-1 (clocks), 2026-11-29 20:30:00 UTC",
        f"ruled by the host: {zoe}: expunged (no program)",
        "ruled by the host: game 2: annulled (power cut)",
    ]
    assert json.loads(printed(capsys, tmp_path, "2", "--json"))["rulings"][0] == {
        "kind": "correction",
        "reason": "clocks",
        "number": 2,
        "places": [2, 1],
        "at": "2026-11-29T20:30:00Z",
    }


def test_an_entry_that_is_reinstated_is_no_news_of_its_games(
    tmp_path: Path, capsys: Captured
) -> None:
    zoe = GAMES[1].players[0].entry
    keep(tmp_path, CUP, GAMES)
    with Store.open(tmp_path / STORE) as store:
        for ruling in (Expunging("no program", zoe), Reinstatement("it was one", zoe)):
            store.amend(stored_event(store).id, "ruling", format_amendment(ruling))
    assert printed(capsys, tmp_path, "2") == told(Telling(GAMES[1]))


BAD = {
    ("cup", "7"): "expected a game of cup that has begun, got game 7",
    ("cup", "0"): "argument NUMBER: expected a whole number from 1, got '0'",
    ("cup", "2", "--ply", "7"): "argument --ply: expected 0 to 6, got 7",
    ("cup", "2", "--ply", "x"): "argument --ply: expected a ply from 0, got 'x'",
    ("files", "2", "--said"): (
        "argument --said: expected a folder with store.sqlite in it, got '{}/files'"
    ),
    ("none", "3"): (
        "expected a results folder, with store.sqlite or games/000003.txt in it, got '{}/none'"
    ),
}


@pytest.mark.parametrize("words", BAD)
def test_what_cannot_be_told_is_bad_input(
    cup: Path, capsys: Captured, words: tuple[str, ...]
) -> None:
    keep_files(cup.parent / "files", CUP, GAMES)
    folder, *rest = words
    assert refused(capsys, cup.parent / folder, *rest) == (
        f"sternhalma game: {BAD[words].format(cup.parent)}\n"
    )


def test_a_store_or_a_record_that_cannot_be_read_is_bad_input(cup: Path, capsys: Captured) -> None:
    forge(cup, 2, "nonsense\n")
    assert refused(capsys, cup, "2") == (
        f"sternhalma game: {cup}: line 1: expected 'sternhalma-record 1', got 'nonsense'\n"
    )
    with Store.open(cup / STORE) as store:
        store.add_event("other", b"")
    assert "expected one event, got cup, other" in refused(capsys, cup, "2")
    (cup / STORE).unlink()
    (cup / record_name(2)).unlink()
    (cup / record_name(2)).mkdir()
    assert refused(capsys, cup, "2").endswith(
        f"{record_name(2)}: expected a record that can be read: Is a directory\n"
    )


def test_a_reader_that_leaves_early_is_no_error(cup: Path) -> None:
    start = "import sys; from sternhalma_server.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", start, "game", str(cup), "2", "--board"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PYTHONPATH": ":".join(sys.path)},
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0
