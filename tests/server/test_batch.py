"""A batch of games in a process of its own: what it is told, what it plays, what it reports."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from server.far_away import act, far_event, order_of
from sternhalma_server.archive import add_runs
from sternhalma_server.batch import check_programs, play_order
from sternhalma_server.errand import Answer, parse_answer, run_errand
from sternhalma_server.examiner import Examiner
from sternhalma_server.lookup import ProgramError
from sternhalma_server.orders import (
    AnyReport,
    Ended,
    Order,
    Over,
    Printed,
    Refused,
    Told,
    format_order,
    format_report,
    parse_order,
    parse_report,
)
from sternhalma_server.record import parse_record
from sternhalma_server.verdict import Reason
from sternhalma_tournament.roundrobin import schedule_of


def run(order: Order) -> Answer:
    return parse_answer(run_errand(format_order(order)))


def games(answer: Answer) -> list[int]:
    return [report.game for report in answer.reports if isinstance(report, Over)]


@pytest.mark.parametrize(
    "report",
    [Over(1, "r", "s", "o"), Told("so"), Printed("zoe", 1, b"\xff"), Refused("no"), Ended(0.5)],
)
def test_a_report_is_read_as_it_was_written(report: AnyReport) -> None:
    assert parse_report(format_report(report)) == report


def test_an_order_is_read_as_it_was_written(tmp_path: Path) -> None:
    order = order_of(far_event(tmp_path, "a", "b"))
    assert parse_order(format_order(order)) == order
    assert b"\n" not in format_order(order)


def test_a_batch_plays_what_was_ordered_and_its_records_hold(tmp_path: Path) -> None:
    settings = far_event(tmp_path, "a", "b", "c")
    order = order_of(settings)
    answer = run(order)
    assert answer.fate is None
    assert games(answer) == [1, 2, 3]
    assert isinstance(answer.reports[-1], Ended)
    examiner = Examiner(settings)
    for report in answer.reports:
        if isinstance(report, Over):
            record = parse_record(report.record)
            examiner.check(record)
            examiner.count(record)
            assert [player.program for player in record.players] == [
                order.programs[player.bot] for player in record.players
            ]
    assert examiner.agenda.extent() == (3, 0)


def test_who_is_absent_forfeits_and_its_program_is_not_started(tmp_path: Path) -> None:
    settings = far_event(tmp_path, "a", "b", "c")
    act(tmp_path, "b", "open('was-started', 'w')")
    answer = run(order_of(settings, absent=("b",)))
    records = [parse_record(r.record) for r in answer.reports if isinstance(r, Over)]
    forfeited = [record.game for record in records if record.reason is Reason.NO_START]
    assert forfeited == [p.number for p in schedule_of(settings.event) if "b" in p.entries]
    assert not (tmp_path / "was-started").exists()


def test_a_program_that_is_another_one_here_is_refused_with_both_digests(tmp_path: Path) -> None:
    settings = far_event(tmp_path, "a", "b")
    order = order_of(settings)
    (tmp_path / "bot.py").write_text("newer")
    got = order_of(settings).programs["a"]
    (report,) = run(order).reports
    assert report == Refused(
        f"expected the program of 'a' that the driver has, {order.programs['a']}, got {got}"
    )


def test_a_program_that_is_not_here_is_refused(tmp_path: Path) -> None:
    order = order_of(far_event(tmp_path, "a", "b"))
    lost = msgspec.structs.replace(
        order, source=order.source.replace(b'"python bot.py"', b'"./none"')
    )
    (report,) = run(lost).reports
    assert isinstance(report, Refused)
    assert "cannot start './none'" in report.reason


def test_whoever_is_absent_may_be_another_program(tmp_path: Path) -> None:
    settings = far_event(tmp_path, "a", "b")
    wrong = dict(order_of(settings).programs) | {"b": "0" * 64}
    order = msgspec.structs.replace(order_of(settings, absent=("b",)), programs=wrong)
    check_programs(settings, order)
    with pytest.raises(ProgramError):
        check_programs(settings, msgspec.structs.replace(order, absent=()))


async def test_another_version_of_the_server_plays_nothing(tmp_path: Path) -> None:
    order = msgspec.structs.replace(order_of(far_event(tmp_path, "a", "b")), server="9.9")
    told: list[object] = []
    await play_order(order, told.append)
    (report,) = told
    assert isinstance(report, Refused)
    assert report.reason.startswith("expected sternhalma 9.9 as the driver has, got ")


def test_what_programs_print_comes_back_and_is_kept(tmp_path: Path) -> None:
    settings = far_event(tmp_path, "a", "b")
    act(tmp_path, "a", "print('thinking', flush=True)")
    printed = [r for r in run(order_of(settings)).reports if isinstance(r, Printed)]
    assert [(report.bot, report.slot) for report in printed] == [("a", 1)]
    for _ in range(2):
        add_runs(tmp_path, "a", 1, printed[0].text)
    text = (tmp_path / "bots" / "a-1.txt").read_text()
    assert text.count("== ") == text.count("\nthinking\n") == 2


def test_a_batch_that_is_killed_says_how_and_what_was_over_before(tmp_path: Path) -> None:
    settings = far_event(tmp_path, "a", "b", head="cycles = 3\n")
    # Its supervisor's parent is the batch; in its second game.
    kill = (
        "import os, signal\n"
        "if game == '2':\n"
        "    stat = open(f'/proc/{os.getppid()}/stat').read()\n"
        "    os.kill(int(stat.rpartition(')')[2].split()[1]), signal.SIGKILL)\n"
    )
    act(tmp_path, "a", kill)
    answer = run(order_of(settings))
    assert games(answer) == [1]
    assert answer.fate == "ended by SIGKILL"


def test_a_machine_without_room_for_a_process_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = order_of(far_event(tmp_path, "a", "b"))

    def no_room(*_: object, **__: object) -> None:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr(subprocess, "Popen", no_room)
    answer = run(order)
    assert answer.reports == ()
    assert "Resource temporarily unavailable" in str(answer.fate)


def test_an_order_that_has_not_come_whole_is_not_played() -> None:
    batch = subprocess.run(
        [sys.executable, "-m", "sternhalma_server.batch"],
        input=b'{"server":',
        capture_output=True,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert (batch.returncode, batch.stdout, batch.stderr) == (0, b"", b"")
