"""The results folder: what lies in it, and that `verify` sees every change to it."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from server.recorded import Kind, recorded
from sternhalma_server import cli
from sternhalma_server.archive import (
    ArchiveError,
    create_archive,
    read_record,
    read_records,
    record_name,
    write_record,
    write_tables,
)
from sternhalma_server.audit import audit
from sternhalma_server.record import Happening, Out, Ply, Record, RecordError, format_record
from sternhalma_server.results import RESULTS, TABLES, Results, result_of
from sternhalma_server.verdict import Reason
from sternhalma_tournament.entries import bots_by_seat
from sternhalma_tournament.event import entries_of, parse_event
from sternhalma_tournament.roundrobin import schedule_of

Captured = pytest.CaptureFixture[str]

CUP = b"""\
# A comment that decides nothing.
name = "cup"
rules = "corner"
players = 2
clock = "2s"
limit = 3
cycles = 2

[[bots]]
name = "zoe"
remote = true

[[bots]]
name = "max"
command = "max --fast"

[[bots]]
name = "Ida"
remote = true
"""

TRIO = b"""\
name = "trio"
rules = "corner"
players = 3
clock = "2s"
limit = 4

[[bots]]
name = "a"
remote = true
[[bots]]
name = "b"
remote = true
[[bots]]
name = "c"
remote = true
[[bots]]
name = "d"
remote = true
"""


def records_of(source: bytes, *, fall: float = 0.05) -> list[Record]:
    event = parse_event(source, "event.toml")
    entries = {entry.name: entry for entry in entries_of(event)}
    kind = Kind(event.rules, event.players, event.limit or 3)
    return [
        recorded(
            kind,
            pairing.number,
            fall=fall,
            event=event.name,
            number=pairing.number,
            bots=bots_by_seat(tuple(entries[name] for name in pairing.entries), event.players),
            entries=pairing.entries,
        )
        for pairing in schedule_of(event)
    ]


def keep(root: Path, source: bytes, records: list[Record]) -> None:
    create_archive(root, source)
    results = Results(parse_event(source, "event.toml"))
    for record in records:
        write_record(root, record)
        results.add(record)
    write_tables(root, results.files())


def charging(happening: Happening, milliseconds: str) -> Ply:
    assert isinstance(happening, Ply)
    return replace(happening, evidence=(("charged", milliseconds),))


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    root = tmp_path / "cup"
    keep(root, CUP, records_of(CUP))
    return root


def test_a_folder_holds_the_event_its_records_and_its_tables(cup: Path) -> None:
    names = {str(path.relative_to(cup)) for path in cup.rglob("*") if path.is_file()}
    assert names == {
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
    assert list(read_records(cup)) == records_of(CUP)


def test_records_come_back_in_the_order_of_their_games_beyond_a_million(tmp_path: Path) -> None:
    create_archive(tmp_path, CUP)
    record = records_of(CUP)[0]
    for number in [1_000_000, 2, 999_999]:
        write_record(tmp_path, replace(record, game=number))
    assert [record.game for record in read_records(tmp_path)] == [2, 999_999, 1_000_000]


def test_a_record_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create_archive(tmp_path, CUP)
    first, second = (replace(record, game=1) for record in records_of(CUP)[:2])
    write_record(tmp_path, first)

    def power_cut(_descriptor: int) -> None:
        raise OSError("power cut")

    monkeypatch.setattr("os.fsync", power_cut)
    with pytest.raises(OSError, match="power cut"):
        write_record(tmp_path, second)
    assert read_record(tmp_path / record_name(1)) == first


def test_a_folder_of_another_event_is_refused(tmp_path: Path) -> None:
    create_archive(tmp_path, CUP)
    create_archive(tmp_path, CUP)
    with pytest.raises(ArchiveError, match="expected a new results folder, got one of another"):
        create_archive(tmp_path, TRIO)


def test_a_folder_with_games_in_it_is_refused(cup: Path) -> None:
    with pytest.raises(ArchiveError, match="expected a new results folder, got one with games"):
        create_archive(cup, CUP)


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
    keep(tmp_path, TRIO, records_of(TRIO, fall=0.1))
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
    first = records_of(CUP, fall=0)[0]
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
    records = records_of(CUP)
    inorder, shuffled = Results(event), Results(event)
    for record in records:
        inorder.add(record)
    for record in Random(1).sample(records, len(records)):
        shuffled.add(record)
    assert shuffled.files() == inorder.files()


def test_no_game_counts_twice_and_none_of_strangers() -> None:
    results = Results(parse_event(CUP, "event.toml"))
    record = records_of(CUP)[0]
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


@pytest.mark.parametrize("source", [CUP, TRIO])
def test_a_folder_nobody_touched_is_verified(
    tmp_path: Path, capsys: Captured, source: bytes
) -> None:
    records = records_of(source)
    keep(tmp_path, source, records)
    assert cli.main(["verify", str(tmp_path)]) == 0
    assert capsys.readouterr() == (f"verified {len(records)} games, 4 tables\n", "")


def test_an_event_that_was_broken_off_is_verified_and_said_to_be(
    tmp_path: Path, capsys: Captured
) -> None:
    keep(tmp_path, CUP, records_of(CUP)[1:3])
    assert cli.main(["verify", str(tmp_path)]) == 0
    assert capsys.readouterr().out == (
        "verified 2 games, 4 tables\n4 games of the event not played\n"
    )


def test_a_void_game_is_verified(tmp_path: Path) -> None:
    records = records_of(CUP, fall=0)
    void = recorded(
        Kind("corner", 2, 3),
        1,
        void_at=2,
        number=1,
        bots=tuple(player.bot for player in records[0].players),
        entries=tuple(player.entry for player in records[0].players),
    )
    keep(tmp_path, CUP, [void, *records[1:]])
    assert audit(tmp_path).problems == ()
    assert ",0 0," in (tmp_path / RESULTS).read_text()


def findings(root: Path, capsys: Captured) -> str:
    """What `verify` says about a folder that was altered."""
    assert cli.main(["verify", str(root)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    *problems, last = err.splitlines()
    assert last.startswith("sternhalma verify: ")
    assert last.endswith(f" in {root}")
    assert problems
    return "\n".join(problem.removeprefix("sternhalma verify: ") for problem in problems)


def test_one_altered_character_anywhere_is_found_and_its_file_named(
    cup: Path, capsys: Captured
) -> None:
    chance = Random(7)
    for path in sorted(path for path in cup.rglob("*") if path.is_file()):
        data = path.read_bytes()
        for at in [*chance.sample(range(len(data)), 25), 0, len(data) - 1]:
            altered = bytearray(data)
            altered[at] ^= chance.choice([1, 2, 4, 8, 16, 32, 128])
            path.write_bytes(altered)
            assert str(path.relative_to(cup)) in findings(cup, capsys), (path, at)
        path.write_bytes(data)
    assert cli.main(["verify", str(cup)]) == 0


def test_a_missing_record_is_named(cup: Path, capsys: Captured) -> None:
    (cup / record_name(3)).unlink()
    assert findings(cup, capsys) == (
        "games/000003.txt: expected the record that results.csv lists, got no such file"
    )


@pytest.mark.parametrize("name", ["000007.txt", "notes", ".000001.txt.new"])
def test_a_file_too_many_among_the_records_is_named(cup: Path, capsys: Captured, name: str) -> None:
    (cup / "games" / name).write_bytes((cup / record_name(1)).read_bytes())
    assert findings(cup, capsys) == (
        f"games/{name}: expected no file that results.csv does not list, got one"
    )


@pytest.mark.parametrize("name", [*TABLES, "SHA256SUMS"])
def test_a_missing_table_is_named(cup: Path, capsys: Captured, name: str) -> None:
    (cup / name).unlink()
    assert findings(cup, capsys).startswith(f"{name}: line 1: expected ")


def test_a_missing_list_of_results_is_named(cup: Path, capsys: Captured) -> None:
    (cup / RESULTS).unlink()
    assert findings(cup, capsys) == "results.csv: expected the list of results, got no such file"


def test_a_table_that_goes_on_too_long_is_named_with_the_line(cup: Path, capsys: Captured) -> None:
    path = cup / "times.csv"
    path.write_bytes(path.read_bytes() + b"eve,1,0.000,0.000,0.000\n")
    assert findings(cup, capsys) == (
        "times.csv: line 5: expected '', got 'eve,1,0.000,0.000,0.000'"
    )


def test_a_missing_event_file_is_named(cup: Path, capsys: Captured) -> None:
    (cup / "event.toml").unlink()
    assert findings(cup, capsys) == (
        "event.toml: expected the event file: No such file or directory"
    )


def test_an_event_file_with_another_comment_is_found(cup: Path, capsys: Captured) -> None:
    path = cup / "event.toml"
    path.write_bytes(CUP.replace(b"decides nothing", b"decides NOTHING"))
    right = hashlib.sha256(path.read_bytes()).hexdigest()
    assert findings(cup, capsys) == (
        "event.toml: expected the digest that SHA256SUMS lists,"
        f" '{hashlib.sha256(CUP).hexdigest()}  event.toml', got '{right}  event.toml'"
    )


FORGERIES = {
    ("event cup", "event cap"): "line 2: expected event 'cup' of the event, got 'cap'",
    ("game 2", "game 3"): "line 3: expected the game of this file's name, got 3",
    ("clock=2s", "clock=3s"): (
        "line 5: expected terms 'limit=3 at_limit=share clock=2s' of the event,"
        " got 'limit=3 at_limit=share clock=3s'"
    ),
    ("seat A Ida", "seat A zoe"): (
        "line 6: expected the seats 'Ida/Ida zoe/zoe' of the event, got 'zoe/Ida zoe/zoe'"
    ),
    ("entry=Ida", "entry=max"): (
        "line 6: expected the seats 'Ida/Ida zoe/zoe' of the event, got 'Ida/max zoe/zoe'"
    ),
}


@pytest.mark.parametrize("change", FORGERIES)
def test_a_record_forged_with_a_new_digest_is_found(
    tmp_path: Path, capsys: Captured, change: tuple[str, str]
) -> None:
    keep(tmp_path, CUP, records_of(CUP, fall=0))
    path = tmp_path / record_name(2)
    body = path.read_text().rpartition("sha256")[0]
    assert body.count(change[0]) == 1
    body = body.replace(*change)
    path.write_text(f"{body}sha256 {hashlib.sha256(body.encode()).hexdigest()}\n")
    assert findings(tmp_path, capsys) == f"games/000002.txt: {FORGERIES[change]}"


def test_a_time_forged_with_a_new_digest_is_found_in_the_list_of_results(
    tmp_path: Path, capsys: Captured
) -> None:
    records = records_of(CUP, fall=0)
    keep(tmp_path, CUP, records)
    ply = charging(records[1].happened[0], "0.001")
    write_record(tmp_path, replace(records[1], happened=(ply, *records[1].happened[1:])))
    found = findings(tmp_path, capsys)
    assert "results.csv: line 3: expected '2,A:Ida D:zoe," in found
    assert "times.csv: line 4: expected 'Ida," in found


def test_a_game_beyond_the_schedule_is_found(tmp_path: Path, capsys: Captured) -> None:
    records = records_of(CUP, fall=0)
    keep(tmp_path, CUP, [replace(records[0], game=7)])
    assert findings(tmp_path, capsys) == (
        "games/000007.txt: line 3: expected one of the event's 6 games, got 7"
    )


def test_findings_are_told_to_programs_in_json(cup: Path, capsys: Captured) -> None:
    assert cli.main(["verify", "--json", str(cup)]) == 0
    good = json.loads(capsys.readouterr().out)
    assert good == {"games": 6, "tables": 4, "scheduled": 6, "problems": []}
    (cup / record_name(3)).unlink()
    assert cli.main(["verify", "--json", str(cup)]) == 1
    bad = json.loads(capsys.readouterr().out)
    assert len(bad["problems"]) == 1


def test_what_is_no_results_folder_is_bad_input(tmp_path: Path, capsys: Captured) -> None:
    assert cli.main(["verify", str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err == (
        f"sternhalma verify: expected a results folder, got '{tmp_path}/none', which is none\n"
    )
    assert cli.main(["verify", str(tmp_path)]) == 2
    assert capsys.readouterr().err == (
        "sternhalma verify: expected a results folder, with event.toml and games in it,"
        f" got '{tmp_path}'\n"
    )


def test_an_event_without_a_game_is_verified(tmp_path: Path) -> None:
    keep(tmp_path, CUP, [])
    found = audit(tmp_path)
    assert (found.games, found.problems) == (0, ())
