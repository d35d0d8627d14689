"""Shards of an event, each in a store of its own, and what becomes of them when they are merged."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.far_away import act, far_event, write_event
from server.kept import SAID, event_text, games_of, keep_store, played
from sternhalma_server import cli
from sternhalma_server.archive import STORE, read_records
from sternhalma_server.audit import audit
from sternhalma_server.merging import Merged, MergeError, merge
from sternhalma_server.outcome import format_outcome, outcome_of
from sternhalma_server.record import Ply, Record, format_record
from sternhalma_server.settings import settings_of
from sternhalma_server.shard import SHARD, Shard, check_divisible, parse_shard, share_of
from sternhalma_server.store import Decision, FinishedGame, Store
from sternhalma_tournament.amendments import Annulment, format_amendment
from sternhalma_tournament.reading import EventFileError
from sternhalma_tournament.roundrobin import schedule_of

Captured = pytest.CaptureFixture[str]

SOURCE = event_text("round-robin", 5, "cycles = 2")
RECORDS = games_of(SOURCE)
SETTINGS = settings_of(SOURCE, "event.toml")


def keep(root: Path, records: Sequence[Record], source: bytes = SOURCE) -> Path:
    """A store with *records*."""
    keep_store(root, source, records)
    return root


def three(folder: Path) -> list[Path]:
    """Three stores that have every third game each."""
    return [keep(folder / f"s{index}", RECORDS[index::3]) for index in range(3)]


def files(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not path.name.startswith(STORE)
    }


def head(root: Path) -> str:
    with Store.read(root / STORE) as store:
        return store.head(store.events()[0].id)


# Who has which games.


@given(st.integers(1, 50), st.integers(1, 200))
def test_every_game_is_in_one_shard(count: int, games: int) -> None:
    found = [n for i in range(1, count + 1) for n in Shard(i, count).numbers(1, games)]
    assert sorted(found) == list(range(1, games + 1))


@given(st.integers(1, 50), st.integers(1, 200))
def test_shards_are_equally_large(count: int, games: int) -> None:
    sizes = {len(Shard(i, count).numbers(1, games)) for i in range(1, count + 1)}
    assert max(sizes) - min(sizes) <= 1


def test_a_shard_is_read_as_it_is_written() -> None:
    assert parse_shard(str(Shard(3, 12))) == Shard(3, 12)
    for wrong in ("0/4", "5/4", "4", "/4", "1/", "1/2/3", "-1/2", "a/b", "1/9999999", "³/4"):
        with pytest.raises(ValueError, match="expected a shard such as 1/4"):
            parse_shard(wrong)


def test_the_scheduler_of_a_shard_has_its_games_and_no_others() -> None:
    scheduler, games = share_of(SETTINGS, Shard(2, 3))
    free = {bot.name: 64 for bot in SETTINGS.event.bots}
    found: list[int] = []
    while (pairing := scheduler.next(free)) is not None:
        scheduler.start(pairing)
        found.append(pairing.number)
        assert pairing == schedule_of(SETTINGS.event).pairing(pairing.number)
    assert found == list(range(2, 21, 3))
    assert games == scheduler.games == len(found)


@pytest.mark.parametrize(
    ("format_", "more", "sentence"),
    [
        ("swiss", "rounds = 2", "format: expected one of round-robin, gauntlet, match for a shard"),
        ("knockout", "", "format: expected one of round-robin, gauntlet, match for a shard"),
        ("match", "cycles = 2\nsprt = { elo0 = 0, elo1 = 9 }", "sprt: expected no test in a shard"),
    ],
)
def test_an_event_whose_games_hang_on_results_has_no_shards(
    format_: str, more: str, sentence: str
) -> None:
    settings = settings_of(event_text(format_, 2 if format_ == "match" else 4, more), "e.toml")
    with pytest.raises(EventFileError, match=sentence):
        check_divisible(settings, "e.toml")


# Merging.


def test_a_merged_store_is_the_store_of_the_whole_event(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    merge(whole, [keep(tmp_path / "one", RECORDS)])
    merged = merge(tmp_path / "out", three(tmp_path))
    assert (merged.event, merged.new, merged.games, merged.left) == ("event", 20, 20, 0)
    assert merged.head == head(tmp_path / "out") == head(whole)
    assert files(tmp_path / "out") == files(whole)
    found = audit(tmp_path / "out")
    assert (found.problems, found.notes, found.left) == ([], [], 0)
    with Store.read(tmp_path / "out" / STORE) as store:
        (event,) = store.events()
        assert event.state == "closed"
        assert {game.said for game in store.finished_games(event.id)} == {SAID}
        assert all(one.outcome is not None for one in store.outcomes(event.id))


@given(order=st.permutations(range(3)))
def test_the_order_of_the_stores_plays_no_part(
    order: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("order")
    stores = three(folder)
    merge(folder / "out", [stores[index] for index in order])
    assert audit(folder / "out").head == merged_whole(folder).head


def merged_whole(folder: Path) -> Merged:
    return merge(folder / "whole", [keep(folder / "one", RECORDS)])


def test_to_merge_again_changes_nothing(tmp_path: Path) -> None:
    stores, out = three(tmp_path), tmp_path / "out"
    first = merge(out, stores)
    before = files(out)
    again = merge(out, [*stores, out])
    assert again == replace(first, new=0)
    assert files(out) == before


def test_what_comes_later_is_added_and_what_is_left_is_said(tmp_path: Path) -> None:
    stores, out = three(tmp_path), tmp_path / "out"
    first = merge(out, stores[:2])
    assert (first.new, first.games, first.left) == (14, 14, 6)
    with Store.read(out / STORE) as store:
        assert store.events()[0].state == "paused"
    assert audit(out).problems == []
    assert merge(out, stores[2:]).new == 6
    assert (audit(out).problems, audit(out).left) == ([], 0)
    assert audit(out, first.head).problems == []


def test_stores_that_overlap_and_agree_are_merged(tmp_path: Path) -> None:
    stores = [keep(tmp_path / "a", RECORDS[:12]), keep(tmp_path / "b", RECORDS[8:])]
    assert merge(tmp_path / "out", stores).games == 20
    assert audit(tmp_path / "out").problems == []


def test_stores_that_overlap_and_do_not_agree_are_refused_with_the_game(tmp_path: Path) -> None:
    other = [link for link in played(SOURCE, seed=99) if isinstance(link, Record)]
    other.sort(key=lambda record: record.game)
    stores = [keep(tmp_path / "a", RECORDS[:12]), keep(tmp_path / "b", other[11:])]
    sentence = rf"{stores[1]}: expected the result of game 12 that is in {stores[0]}, got another"
    with pytest.raises(MergeError, match=sentence):
        merge(tmp_path / "out", stores)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (
            SOURCE.replace(b'"event"', b'"other"'),
            "expected results of the event '(event|other)' as in",
        ),
        (SOURCE + b"# newer\n", "expected results of the event file in .* SHA-256 "),
    ],
)
def test_a_foreign_store_is_refused_and_nothing_is_written(
    tmp_path: Path, source: bytes, sentence: str
) -> None:
    stores = three(tmp_path)
    merge(tmp_path / "out", stores[:1])
    before = files(tmp_path / "out"), head(tmp_path / "out")
    foreign = keep(tmp_path / "foreign", games_of(source)[:3], source)
    with pytest.raises(MergeError, match=sentence):
        merge(tmp_path / "out", [stores[1], foreign])
    with pytest.raises(MergeError, match=sentence):
        merge(tmp_path / "out", [foreign])
    assert (files(tmp_path / "out"), head(tmp_path / "out")) == before


def test_a_store_with_rulings_is_refused(tmp_path: Path) -> None:
    ruled = tmp_path / "ruled"
    ruling = Decision("ruling", format_amendment(Annulment("r", 1)))
    keep_store(ruled, SOURCE, [RECORDS[0], ruling])
    with pytest.raises(MergeError, match="expected results and nothing else, got a ruling"):
        merge(tmp_path / "out", [ruled])


def test_another_program_of_the_same_bot_is_refused_with_both_digests(tmp_path: Path) -> None:
    def signed(record: Record, digit: str) -> Record:
        players = [replace(player, program=digit * 64) for player in record.players]
        return replace(record, players=tuple(players))

    stores = [
        keep(tmp_path / "a", [signed(record, "a") for record in RECORDS[:10]]),
        keep(tmp_path / "b", [signed(record, "b") for record in RECORDS[10:]]),
    ]
    with pytest.raises(MergeError, match=rf"expected the program of .* {'a' * 64}, got {'b' * 64}"):
        merge(tmp_path / "out", stores)


def test_a_store_that_was_tampered_with_is_refused(tmp_path: Path) -> None:
    (store,) = three(tmp_path)[:1]
    data = (store / STORE).read_bytes()
    at = data.index(b"game 1\n")
    (store / STORE).write_bytes(data[:at] + b"game 9\n" + data[at + 7 :])
    with pytest.raises(MergeError, match="game 1: expected digest"):
        merge(tmp_path / "out", [store])


def signed_anew(text: str) -> str:
    """A record that was changed and still ends with its digest."""
    body, head, _ = text.rpartition("sha256 ")
    return f"{body}{head}{hashlib.sha256(body.encode()).hexdigest()}\n"


GAME = format_record(RECORDS[0])
FORGED = {
    "another game": (
        FinishedGame(2, GAME, SAID),
        "game 2, line 3: expected this game, got 1",
    ),
    "a game that the event does not have": (
        FinishedGame(99, signed_anew(GAME.replace("\ngame 1\n", "\ngame 99\n")), SAID),
        "game 99, line 3: expected the number of a game of the event",
    ),
    "another event": (
        FinishedGame(1, signed_anew(GAME.replace("\nevent event\n", "\nevent other\n")), SAID),
        "game 1, line 2: expected event 'event' of the event, got 'other'",
    ),
    "a stranger": (
        FinishedGame(
            1,
            signed_anew(GAME.replace(f" {RECORDS[0].players[0].bot} ", " stranger ", 1)),
            SAID,
        ),
        "game 1, line 6: expected the seats",
    ),
    "no record": (FinishedGame(1, "nothing", SAID), "game 1, line 1: expected"),
    "another end": (
        FinishedGame(1, GAME, SAID, format_outcome(outcome_of(RECORDS[1]))),
        "game 1: expected the outcome",
    ),
    "an illegal move": (
        FinishedGame(1, signed_anew(re.sub(r"\n1 A \S+", "\n1 A a5-a6", GAME)), SAID),
        "game 1, line [0-9]+: expected",
    ),
    "what clears a terminal": (
        FinishedGame(1, GAME, "A 1764451826.000001 \x1b[2J\n"),
        "game 1: expected 'SEAT MOMENT LINE' in what its seats have said",
    ),
    "somebody who did not play": (
        FinishedGame(1, GAME, "Q 1764451826.000001 ping\n"),
        "game 1: expected 'SEAT MOMENT LINE' in what its seats have said",
    ),
    "no moment": (FinishedGame(1, GAME, "A soon ping\n"), "game 1: expected a moment such as"),
    "half a line": (FinishedGame(1, GAME, SAID + "A"), "game 1: expected a line feed at the end"),
}


@pytest.mark.parametrize("forged", FORGED)
def test_a_store_with_a_game_that_would_not_be_verified_is_refused(
    tmp_path: Path, forged: str
) -> None:
    game, sentence = FORGED[forged]
    folder = tmp_path / "forged"
    folder.mkdir()
    with Store.open(folder / STORE) as store:
        store.write(store.add_event("event", SOURCE), "", [game])
    with pytest.raises(MergeError, match=f"{folder}: {sentence}"):
        merge(tmp_path / "out", [folder])
    assert not (tmp_path / "out").exists()


def test_what_is_no_store_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MergeError, match="expected a results folder or its store, got"):
        merge(tmp_path / "out", [tmp_path / "none"])


# The commands.


def run(*words: str | Path) -> int:
    return cli.main([str(word) for word in words])


def test_files_that_cannot_be_written_are_told_and_written_when_it_is_merged_again(
    tmp_path: Path, capsys: Captured
) -> None:
    stores, out = three(tmp_path), tmp_path / "out"
    (out / "standings.md").mkdir(parents=True)
    assert run("merge", out, *stores) == 2
    assert "expected a file that can be written" in capsys.readouterr().err
    (out / "standings.md").rmdir()
    assert run("merge", out, *stores) == 0
    assert audit(out).problems == []


def moves(out: Path) -> dict[int, list[str]]:
    return {
        record.game: [ply.path for ply in record.happened if isinstance(ply, Ply)]
        for record in read_records(out)
    }


def test_shards_that_are_played_and_merged_come_to_the_table_of_one_run(
    tmp_path: Path, capsys: Captured
) -> None:
    event = write_event(tmp_path, "a", "b", "c", head='at_limit = "progress"\ncycles = 2\n')
    assert run("run", event, "--out", tmp_path / "near") == 0
    shards = [tmp_path / f"far-{index}of2" for index in (1, 2)]
    for index, shard in enumerate(shards, start=1):
        assert run("run", event, "--shard", f"{index}/2", "--out", shard) == 0
        assert audit(shard).problems == []
        assert sorted(moves(shard)) == list(range(index, 7, 2))
    assert "[3/3] game " in capsys.readouterr().out
    assert run("merge", tmp_path / "out", *shards) == 0
    assert "far: 6 games, 6 of them new; results in " in capsys.readouterr().out
    assert run("verify", tmp_path / "out") == 0
    assert moves(tmp_path / "out") == moves(tmp_path / "near")
    same = [(root / "standings.md").read_text() for root in (tmp_path / "out", tmp_path / "near")]
    assert same[0] == same[1]
    assert run("run", event, "--out", tmp_path / "out") == 0
    assert "finished before" in capsys.readouterr().out


def test_a_shard_that_was_stopped_goes_on(tmp_path: Path, capsys: Captured) -> None:
    settings = far_event(tmp_path, "a", "b", "c", head="cycles = 2\n")
    event, out = tmp_path / "event.toml", tmp_path / "out"
    # The driver interrupts itself in its first game, as its host would.
    act(
        tmp_path,
        "a",
        "import os, signal\n"
        "if not os.path.exists('done'):\n"
        "    open('done', 'w')\n"
        "    supervisor = open(f'/proc/{os.getppid()}/stat').read().rpartition(')')[2].split()[1]\n"
        "    os.kill(int(supervisor), signal.SIGTERM)\n",
    )
    assert run("run", event, "--shard", "2/2", "--out", out) == 3
    assert run("run", event, "--shard", "2/2", "--out", out) == 0
    assert sorted(moves(out)) == [2, 4, 6]
    assert audit(out).problems == []
    assert len(schedule_of(settings.event)) == 6


def test_a_shard_is_not_taken_for_another_one_or_for_the_whole(
    tmp_path: Path, capsys: Captured
) -> None:
    event, out = write_event(tmp_path, "a", "b", head="cycles = 2\n"), tmp_path / "out"
    assert run("run", event, "--shard", "1/2", "--out", out) == 0
    for words, sentence in [
        (("--shard", "2/2"), "expected the results of shard 2/2, got those of shard 1/2"),
        ((), "expected the results of the whole event, got those of shard 1/2"),
    ]:
        assert run("run", event, "--out", out, *words) == 2
        assert sentence in capsys.readouterr().err
    assert run("amend", out, "annul", "1", "--reason", "r") == 2
    assert "expected the whole event, got shard 1/2" in capsys.readouterr().err
    assert run("merge", out, out) == 2
    assert "expected a folder for the whole event, got shard 1/2" in capsys.readouterr().err
    whole = tmp_path / "whole"
    assert run("run", event, "--out", whole) == 0
    assert run("run", event, "--shard", "1/2", "--out", whole) == 2
    assert "expected the results of shard 1/2, got those of the whole event" in (
        capsys.readouterr().err
    )


def test_a_shard_goes_on_with_the_same_program_only(tmp_path: Path, capsys: Captured) -> None:
    event, out = write_event(tmp_path, "a", "b", head="cycles = 4\n"), tmp_path / "out"
    assert run("run", event, "--shard", "1/2", "--out", out) == 0
    with Store.open(out / STORE) as store:
        store.set_state(store.events()[0].id, "paused")
    (tmp_path / "bot.py").write_text("newer")
    assert run("run", event, "--shard", "1/2", "--out", out) == 2
    assert "expected the program of 'a' that has played the event before" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--shard", "3/2"], "argument --shard: expected a shard such as 1/4"),
        (["--shard", "1/2", "--workers", "2"], "not allowed with"),
    ],
)
def test_what_is_no_shard_is_refused(
    tmp_path: Path, capsys: Captured, words: list[str], sentence: str
) -> None:
    event = write_event(tmp_path, "a", "b")
    assert run("run", event, *words) == 2
    assert sentence in capsys.readouterr().err


def test_bots_that_dial_in_have_no_shards(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "event.toml"
    path.write_bytes(SOURCE)
    assert run("run", path, "--shard", "1/2", "--out", tmp_path / "out") == 2
    assert "bots[1].remote: expected programs only" in capsys.readouterr().err


def test_the_kind_of_the_decision_is_no_ruling(tmp_path: Path) -> None:
    root = keep(tmp_path / "s", RECORDS[:1])
    with Store.open(root / STORE) as store:
        store.amend(store.events()[0].id, SHARD, "1/20")
    shutil.rmtree(root / "games", ignore_errors=True)
    assert merge(tmp_path / "out", [root]).games == 1
    assert audit(tmp_path / "out").problems == []
