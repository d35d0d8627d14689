"""The results folder: what lies in it, how it is written, and what records add up to."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from server.conducted import Chances
from server.kept import CUP, TRIO, games_of, keep, keep_files
from server.recorded import Kind, recorded
from sternhalma_server.archive import (
    STORES,
    ArchiveError,
    add_printed,
    clear_archive,
    create_archive,
    read_record,
    read_records,
    record_name,
    write_record,
)
from sternhalma_server.record import Happening, Out, Ply, RecordError, format_record
from sternhalma_server.results import RESULTS, TABLES, Results, result_of
from sternhalma_server.verdict import Reason
from sternhalma_tournament.event_file import parse_event


def charging(happening: Happening, milliseconds: str) -> Ply:
    assert isinstance(happening, Ply)
    return replace(happening, evidence=(("charged", milliseconds),))


def names_in(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    root = tmp_path / "cup"
    keep(root, CUP, games_of(CUP))
    return root


def test_a_folder_holds_the_event_its_store_its_records_and_its_tables(cup: Path) -> None:
    assert names_in(cup) == {
        "store.sqlite",
        "event.toml",
        *(f"games/{number:06}.txt" for number in range(1, 7)),
        "results.csv",
        "standings.md",
        "standings.csv",
        "standings.json",
        "times.csv",
        "SHA256SUMS",
    }
    assert (cup / "event.toml").read_bytes() == CUP
    assert sorted(TABLES) == ["standings.csv", "standings.json", "standings.md", "times.csv"]


def test_records_come_back_as_they_were(cup: Path) -> None:
    assert list(read_records(cup)) == games_of(CUP)


def test_records_come_back_in_the_order_of_their_games_beyond_a_million(tmp_path: Path) -> None:
    create_archive(tmp_path, CUP)
    record = games_of(CUP)[0]
    for number in [1_000_000, 2, 999_999]:
        write_record(tmp_path, replace(record, game=number))
    assert [record.game for record in read_records(tmp_path)] == [2, 999_999, 1_000_000]


def test_a_record_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create_archive(tmp_path, CUP)
    first, second = (replace(record, game=1) for record in games_of(CUP)[:2])
    write_record(tmp_path, first)

    def full(_from: Path, _to: Path) -> None:
        raise OSError("no room")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="no room"):
        write_record(tmp_path, second)
    assert read_record(tmp_path / record_name(1)) == first


def test_a_folder_of_another_event_is_refused(tmp_path: Path) -> None:
    create_archive(tmp_path, CUP)
    with pytest.raises(ArchiveError, match="expected a new results folder, got one of another"):
        create_archive(tmp_path, TRIO)


def test_a_folder_of_the_same_event_is_gone_on_with(cup: Path) -> None:
    before = names_in(cup)
    create_archive(cup, CUP)
    assert names_in(cup) == before


def test_what_a_run_has_written_is_cleared_and_nothing_else(cup: Path) -> None:
    for name in ("notes.txt", "games/notes.txt", *STORES[1:]):
        (cup / name).write_text("")
    add_printed(cup, "zoe", 1, "ended with status 0", "hello\n")
    assert (cup / "bots" / "zoe-1.txt").read_text() == "== ended with status 0\nhello\n"
    clear_archive(cup)
    assert names_in(cup) == {"notes.txt", "games/notes.txt"}
    clear_archive(cup)


def test_a_folder_that_cannot_be_made_is_an_error_with_its_path(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ArchiveError, match=r"file/cup: expected a folder that can be written: "):
        create_archive(tmp_path / "file" / "cup", CUP)


def test_bytes_that_are_no_text_are_named_with_their_line(cup: Path) -> None:
    path = cup / record_name(1)
    path.write_bytes(path.read_bytes().replace(b"game 1", b"game \xff"))
    with pytest.raises(RecordError, match="line 3: expected ASCII, got a byte 0xff"):
        read_record(path)


def test_the_list_of_results_has_a_row_for_each_record(tmp_path: Path) -> None:
    keep_files(tmp_path, TRIO, games_of(TRIO, chances=Chances(wrong=0.2)))
    head, *rows = (tmp_path / RESULTS).read_text().splitlines()
    assert head == "game,seats,entries,places,reason,forfeits,plies,sha256"
    for row, record in zip(rows, read_records(tmp_path), strict=True):
        game, seats, entries, places, reason, forfeits, plies, digest = row.split(",")
        assert int(game) == record.game
        assert seats == " ".join(f"{p.seat}:{p.bot}" for p in record.players)
        assert entries == " ".join(p.entry for p in record.players)
        assert places == " ".join(map(str, record.places))
        assert reason == record.reason
        assert forfeits.count(" ") == 2
        assert int(plies) == record.ply
        assert format_record(record).endswith(f"\nsha256 {digest}\n")


def test_a_resignation_is_no_forfeit() -> None:
    seen: set[Reason] = set()
    for seed in range(60):
        record = recorded(Kind("duel", 2, 9), seed, fall=0.3)
        last = record.happened[-1]
        if isinstance(last, Out):
            fault = None if last.reason is Reason.RESIGN else last.reason.value
            assert sorted(result_of(record).forfeits, key=str) == sorted([None, fault], key=str)
            seen.add(last.reason)
    assert seen == {reason for reason in Reason if reason.puts_out}


def test_times_are_what_the_records_charged() -> None:
    event = parse_event(CUP, "event.toml")
    results = Results(event)
    first = games_of(CUP)[0]
    assert [player.bot for player in first.players] == ["max", "Ida"]
    charges = ["0.001", "7.000", "0.002", "8.000", "1000.000", "9.000"]
    happened = tuple(
        charging(happening, charged)
        for happening, charged in zip(first.happened, charges, strict=True)
    )
    results.add(replace(first, happened=happened))
    assert results.files()["times.csv"] == (
        "bot,moves,total,mean,longest\n"
        "zoe,0,0.000,,\n"
        "max,3,1000.003,333.334,1000.000\n"
        "Ida,3,24.000,8.000,9.000\n"
    )


def test_the_order_in_which_games_end_does_not_matter() -> None:
    event = parse_event(CUP, "event.toml")
    records = games_of(CUP)
    inorder, shuffled = Results(event), Results(event)
    for record in records:
        inorder.add(record)
    for record in Random(1).sample(records, len(records)):
        shuffled.add(record)
    assert shuffled.files() == inorder.files()


def test_no_game_counts_twice_and_none_of_strangers() -> None:
    results = Results(parse_event(CUP, "event.toml"))
    record = games_of(CUP)[0]
    results.add(record)
    with pytest.raises(ValueError, match="expected each game once, got game 1 again"):
        results.add(record)
    stranger = replace(record.players[0], bot="eve")
    with pytest.raises(ValueError, match="expected bots of the event, got 'eve'"):
        results.add(replace(record, game=2, players=(stranger, record.players[1])))
    assert len(results) == 1


def test_sha256sum_agrees(cup: Path) -> None:
    if shutil.which("sha256sum") is None:
        pytest.skip("no sha256sum here")
    done = subprocess.run(
        ["sha256sum", "--check", "--strict", "SHA256SUMS"],
        cwd=cup,
        check=False,
        capture_output=True,
    )
    assert done.returncode == 0, done
