"""The doctor: what is wrong with a machine is said, with what would be right, and decides."""

from __future__ import annotations

import json
import os
import resource
import socket
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme

from sternhalma_server import cli
from sternhalma_server.clock import MILLISECOND
from sternhalma_server.doctor import capacity, clocks, disk, doorway, programs
from sternhalma_server.doctor.demand import Demand
from sternhalma_server.doctor.finding import Finding, Level
from sternhalma_tournament.event import Bot
from sternhalma_tournament.hosting import Tls

Captured = pytest.CaptureFixture[str]


def demand(tmp_path: Path, **asked: object) -> Demand:
    return Demand(**({"host": "127.0.0.1", "port": 0, "root": tmp_path / "results"} | asked))  # type: ignore[arg-type]


def only(findings: list[Finding], what: str) -> Finding:
    found = [finding for finding in findings if finding.what == what]
    assert len(found) == 1
    return found[0]


def test_a_finding_is_printed_for_each_thing_looked_at(tmp_path: Path, capsys: Captured) -> None:
    status = cli.main(["doctor", "--port", "0", "--out", str(tmp_path / "results")])
    lines = capsys.readouterr().out.splitlines()
    looked_at = [line[6:].partition(":")[0] for line in lines[:10]]
    assert looked_at == [
        *("processors", "descriptors", "clock source", "kernel stamps", "load"),
        *("file system", "room on disk", "disk", "port", "sandbox"),
    ]
    bad = [line for line in lines if line.startswith("bad")]
    assert status == (1 if bad else 0)


def test_findings_are_told_to_programs_in_json(tmp_path: Path, capsys: Captured) -> None:
    cli.main(["doctor", "--json", "--port", "0", "--out", str(tmp_path)])
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) == 10
    assert all(set(row) == {"what", "level", "found", "advice"} for row in rows)


def test_a_port_that_is_taken_is_bad_and_decides(tmp_path: Path, capsys: Captured) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert cli.main(["doctor", "--port", port, "--out", str(tmp_path)]) == 1
    said = capsys.readouterr()
    assert f"bad   port: cannot listen on 127.0.0.1 port {port}: Address already in use" in said.out
    assert said.err == "1 thing to change\n"


def test_an_event_file_is_held_against_the_machine(tmp_path: Path, capsys: Captured) -> None:
    event = tmp_path / "cup.toml"
    event.write_text(
        'name = "cup"\nrules = "tara"\nplayers = 2\nclock = "2s"\n'
        'bots = [{ name = "zoe", command = "./zoe" }, { name = "max", remote = true }]\n',
        encoding="utf-8",
    )
    assert cli.main(["doctor", str(event), "--port", "0", "--out", str(tmp_path / "r")]) == 1
    assert "bad   programs: zoe: cannot start './zoe'" in capsys.readouterr().out


def test_a_league_file_is_held_against_the_machine(tmp_path: Path, capsys: Captured) -> None:
    league = tmp_path / "club.toml"
    league.write_text(
        'name = "club"\n[[bots]]\nname = "zoe"\ncommand = "sternhalma-bot greedy"\n',
        encoding="utf-8",
    )
    cli.main(["doctor", str(league), "--port", "0", "--out", str(tmp_path / "r")])
    assert "good  programs: here, of 1 bot" in capsys.readouterr().out


def test_a_file_that_is_neither_is_refused_in_a_sentence(tmp_path: Path, capsys: Captured) -> None:
    assert cli.main(["doctor", str(tmp_path / "no.toml")]) == 2
    assert capsys.readouterr().err == (
        f"sternhalma doctor: {tmp_path}/no.toml: expected an event file or a league file:"
        " No such file or directory\n"
    )
    wrong = tmp_path / "wrong.toml"
    wrong.write_text('name = "club"\nclok = 3\n', encoding="utf-8")
    assert cli.main(["doctor", str(wrong)]) == 2
    assert "clok" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("files", "cores"),
    [
        ({"cpu.max": "150000 100000\n"}, 1.5),
        ({"cpu.max": "max 100000\n"}, None),
        ({"cpu/cpu.cfs_quota_us": "50000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 0.5),
        ({"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, None),
        ({}, None),
    ],
)
def test_the_share_of_a_container_bounds_its_processors(
    files: dict[str, str], cores: float | None, tmp_path: Path
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="ascii")
    whole = capacity.usable_cores(tmp_path / "nothing")
    assert capacity.usable_cores(tmp_path) == min(whole, whole if cores is None else cores)


def test_less_than_two_processors_are_too_few(tmp_path: Path) -> None:
    (tmp_path / "cpu.max").write_text("100000 100000\n", encoding="ascii")
    found = only(list(capacity.examine(demand(tmp_path), tmp_path)), "processors")
    assert found.level is Level.BAD


def test_more_games_of_programs_than_processors_are_to_be_known(tmp_path: Path) -> None:
    if capacity.usable_cores(tmp_path) < 2:
        pytest.skip("needs two processors")
    bots = (Bot(name="zoe", command="zoe"), Bot(name="max", remote=True))
    found = only(list(capacity.examine(demand(tmp_path, bots=bots, parallel=999))), "processors")
    assert found.level is Level.NOTE
    remote = (Bot(name="zoe", remote=True), Bot(name="max", remote=True))
    found = only(list(capacity.examine(demand(tmp_path, bots=remote, parallel=999))), "processors")
    assert found.level is Level.GOOD


@pytest.mark.parametrize(
    ("limit", "parallel", "level"),
    [(20000, 50, Level.GOOD), (512, 1, Level.NOTE), (1000, 100, Level.BAD)],
)
def test_descriptors_are_held_against_the_games_at_once(
    limit: int, parallel: int, level: Level, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (limit // 2, limit))
    asked = demand(tmp_path, parallel=parallel)
    assert only(list(capacity.examine(asked)), "descriptors").level is level


@pytest.mark.parametrize(
    ("source", "cost", "level"),
    [
        ("tsc", 30, Level.GOOD),
        ("kvm-clock", 30, Level.GOOD),
        ("hpet", 400, Level.NOTE),
        ("acpi_pm", 3000, Level.BAD),
        (None, 50, Level.GOOD),
        (None, 3000, Level.BAD),
    ],
)
def test_a_dear_clock_is_told(source: str | None, cost: int, level: Level, tmp_path: Path) -> None:
    path = tmp_path / "current_clocksource"
    if source is not None:
        path.write_text(f"{source}\n", encoding="ascii")
    assert clocks.clock_source(path, cost).level is level


def test_a_look_at_the_clock_costs_something() -> None:
    assert clocks.cost_of_reading() > 0


@pytest.mark.parametrize(
    ("error", "level"),
    [(None, Level.NOTE), (20_000, Level.GOOD), (3 * MILLISECOND, Level.BAD)],
)
def test_stamps_that_say_when_an_answer_was_read_are_none(error: int | None, level: Level) -> None:
    assert clocks.stamps(error).level is level


def test_the_stamps_of_this_machine_are_tried() -> None:
    assert {finding.what for finding in clocks.examine()} == {
        "clock source",
        "kernel stamps",
        "load",
    }


def test_a_busy_machine_is_to_be_known() -> None:
    assert clocks.lateness(MILLISECOND).level is Level.GOOD
    assert clocks.lateness(80 * MILLISECOND).level is Level.NOTE


MOUNTS = """\
21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
22 21 0:40 / /srv rw - nfs4 server:/srv rw
23 22 8:2 / /srv/fast\\040disk rw - xfs /dev/sdb1 rw
24 21 0:41 / /tmp rw - tmpfs tmpfs rw
"""


@pytest.mark.parametrize(
    ("folder", "kind", "level"),
    [
        ("/home/zoe", "ext4", Level.GOOD),
        ("/srv/league", "nfs4", Level.BAD),
        ("/srv/fast disk/league", "xfs", Level.GOOD),
        ("/srvs", "ext4", Level.GOOD),
        ("/tmp", "tmpfs", Level.NOTE),
    ],
)
def test_a_store_needs_a_disk_of_its_own_machine(
    folder: str, kind: str, level: Level, tmp_path: Path
) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS, encoding="utf-8")
    assert disk.kind_of(Path(folder), mounts) == kind
    assert disk.file_system(Path(folder), mounts).level is level


def test_a_system_without_a_list_of_mounts_is_no_trouble(tmp_path: Path) -> None:
    assert disk.file_system(tmp_path, tmp_path / "none").level is Level.GOOD


def test_a_slow_or_full_disk_is_bad(tmp_path: Path) -> None:
    assert disk.sync_time(tmp_path, [MILLISECOND] * 9).level is Level.GOOD
    assert disk.sync_time(tmp_path, [80 * MILLISECOND] * 9).level is Level.BAD
    assert disk.room(tmp_path, 1 << 40).level is Level.GOOD
    assert disk.room(tmp_path, 1 << 20).level is Level.BAD


def test_nothing_is_left_where_the_disk_was_tried(tmp_path: Path) -> None:
    findings = list(disk.examine(tmp_path / "results" / "cup"))
    assert [finding.what for finding in findings] == ["file system", "room on disk", "disk"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_of_somebody_else_is_bad(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert [finding.level for finding in disk.examine(tmp_path / "cup")] == [Level.BAD]


def certificate(tmp_path: Path, ends: datetime | None = None) -> tuple[Path, Path]:
    made = trustme.CA().issue_cert("localhost", not_after=ends)
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    for blob in made.cert_chain_pems:
        blob.write_to_path(cert, append=True)
    made.private_key_pem.write_to_path(key)
    return cert, key


def test_a_certificate_that_holds_is_good(tmp_path: Path) -> None:
    ends = datetime.now(UTC) + timedelta(days=200)
    found = doorway.certificate(*certificate(tmp_path, ends))
    assert (found.level, found.found.split()[-1]) == (Level.GOOD, f"{ends:%Y-%m-%d}")


@pytest.mark.parametrize("days", [-1, 3])
def test_a_certificate_that_runs_out_is_bad(days: int, tmp_path: Path) -> None:
    ends = datetime.now(UTC) + timedelta(days=days)
    found = doorway.certificate(*certificate(tmp_path, ends))
    assert found.level is Level.BAD
    assert ("expired" in found.found) == (days < 0)


def test_a_certificate_of_another_key_is_bad(tmp_path: Path) -> None:
    cert, key = certificate(tmp_path)
    other, _ = (tmp_path / "other.pem", None)
    trustme.CA().issue_cert("localhost").private_key_pem.write_to_path(other)
    assert doorway.certificate(cert, key).level is Level.GOOD
    assert doorway.certificate(cert, other).level is Level.BAD


@pytest.mark.parametrize(
    ("host", "told"), [("127.0.0.1", False), ("localhost", False), ("0.0.0.0", True)]
)
def test_strangers_without_encryption_are_to_be_known(
    host: str, *, told: bool, tmp_path: Path
) -> None:
    findings = list(doorway.examine(demand(tmp_path, host=host)))
    assert ("encryption" in {finding.what for finding in findings}) == told
    cert, key = certificate(tmp_path)
    tls = Tls(cert=cert.name, key=key.name)
    findings = list(doorway.examine(demand(tmp_path, host=host, tls=tls, folder=tmp_path)))
    assert only(findings, "certificate").level is Level.GOOD


def test_a_sandbox_that_does_not_work_is_bad_where_it_is_wanted() -> None:
    assert programs.sandbox(None, wanted=True).level is Level.GOOD
    assert programs.sandbox("no bwrap", wanted=False).level is Level.NOTE
    assert programs.sandbox("no bwrap", wanted=True).level is Level.BAD
