"""Rulings from the command line: stored with a reason, checked before, heeded by every table."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from server.kept import CUP, event_text, keep, played
from sternhalma_server.archive import STORE
from sternhalma_server.cli import main
from sternhalma_server.lock import StoreLock
from sternhalma_server.rulings import read_results, rulings_of, stored_event
from sternhalma_server.store import Store
from sternhalma_tournament.amendments import (
    Annulment,
    Correction,
    Disqualification,
    Expunging,
    LateEntry,
    Reinstatement,
    Ruling,
    Withdrawal,
)

Captured = pytest.CaptureFixture[str]
DIGEST = f"sha256:{hashlib.sha256(b'secret').hexdigest()}"


NOW = datetime(2026, 11, 29, 20, 30, tzinfo=UTC)
AT = "2026-11-29T20:30:00Z"
THEN = "2026-11-29 20:30:00 UTC"


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sternhalma_server.cli.amend.utc_now", lambda: NOW)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    keep(tmp_path, CUP, played(CUP))
    return tmp_path


def amend(folder: Path, *words: str, reason: str | None = "because") -> int:
    return main(["amend", str(folder), *words, *(["--reason", reason] if reason else [])])


def stored(folder: Path) -> list[Ruling]:
    with Store.read(folder / STORE) as store:
        return list(rulings_of(store, stored_event(store).id))


def table(folder: Path) -> str:
    return (folder / "standings.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "ruling", "note"),
    [
        (["withdraw", "max"], Withdrawal("because", "max"), "max: withdrawn"),
        (
            ["withdraw", "max", "--forfeit"],
            Withdrawal("because", "max", forfeit=True),
            "max: withdrawn",
        ),
        (["disqualify", "max"], Disqualification("because", "max"), "max: disqualified"),
        (["expunge", "max"], Expunging("because", "max"), "max: expunged"),
        (["annul", "2"], Annulment("because", 2), "game 2: annulled"),
        (["correct", "2", "2-1"], Correction("because", 2, (2, 1)), "game 2: corrected to 2-1"),
        (
            ["correct", "2", "1-2", "--forfeits", "none,time"],
            Correction("because", 2, (1, 2), (None, "time")),
            "game 2: corrected to 1-2",
        ),
        (
            ["correct", "2", "1-2", "--forfeits", "-,time"],  # as results.csv has them
            Correction("because", 2, (1, 2), (None, "time")),
            "game 2: corrected to 1-2",
        ),
        (
            ["late-entry", "late", "--token", DIGEST],
            LateEntry("because", "late", ("late",)),
            "late: late entry",
        ),
    ],
)
def test_a_ruling_is_stored_with_its_reason_and_time_and_is_in_the_table(
    folder: Path, capsys: Captured, words: list[str], ruling: Ruling, note: str
) -> None:
    records = sorted((folder / "games").iterdir())
    before = [path.read_bytes() for path in records], (folder / "results.csv").read_bytes()
    assert amend(folder, *words) == 0
    assert capsys.readouterr().out.splitlines()[0] == f"{note} (because), {THEN}"
    assert stored(folder) == [msgspec.structs.replace(ruling, at=AT)]
    assert f"- {note} (because), {THEN}\n" in table(folder)
    after = [path.read_bytes() for path in records], (folder / "results.csv").read_bytes()
    assert after == before, "nothing is changed in place"
    assert main(["verify", str(folder)]) == 0


def test_a_token_of_a_late_entry_is_kept_as_its_digest(folder: Path) -> None:
    assert amend(folder, "late-entry", "late", "--token", DIGEST) == 0
    with Store.read(folder / STORE) as store:
        secrets = store.secrets(stored_event(store).id)
    assert secrets == {"late": DIGEST.removeprefix("sha256:")}


def test_games_of_a_late_entry_open_an_event_that_was_over(folder: Path, capsys: Captured) -> None:
    assert amend(folder, "late-entry", "late", "--token", DIGEST) == 0
    assert capsys.readouterr().out.splitlines()[1] == (
        "there are games to come: run the event again to play them"
    )
    with Store.read(folder / STORE) as store:
        assert stored_event(store).state == "paused"
    assert "Interim table: 6 of 12 games" in table(folder)


def test_a_withdrawal_leaves_the_games_to_come_out(tmp_path: Path, capsys: Captured) -> None:
    keep(tmp_path, CUP, played(CUP, most=2), state="paused")
    assert amend(tmp_path, "withdraw", "max") == 0
    with Store.read(tmp_path / STORE) as store:
        _, results = read_results(store, stored_event(store))
    with_max = sum("max" in result.entries for result in results)
    assert results.planned == 2 + with_max
    assert main(["verify", str(tmp_path)]) == 0


def test_an_annulled_game_counts_for_nobody_and_a_corrected_one_otherwise(folder: Path) -> None:
    with Store.read(folder / STORE) as store:
        _, results = read_results(store, stored_event(store))
    before = {name: score.half_points for name, score in results.tally.scores.items()}
    first = results.result(1)
    assert first is not None
    swapped = "-".join(map(str, reversed(first.places)))
    assert amend(folder, "correct", "1", swapped) == 0
    assert amend(folder, "annul", "2") == 0
    with Store.read(folder / STORE) as store:
        _, results = read_results(store, stored_event(store))
    assert results.tally.games == 5
    assert results.tally.void == 1
    assert sum(before.values()) - sum(s.half_points for s in results.tally.scores.values()) == 2


def test_among_rulings_on_one_thing_the_last_one_counts(folder: Path, capsys: Captured) -> None:
    assert amend(folder, "disqualify", "max", reason="two programs") == 0
    assert "disqualified" in table(folder)
    assert amend(folder, "reinstate", "max", reason="it was one") == 0
    assert "disqualified" not in table(folder)
    assert stored(folder) == [
        Disqualification("two programs", "max", at=AT),
        Reinstatement("it was one", "max", at=AT),
    ]
    capsys.readouterr()
    assert main(["amend", str(folder), "list"]) == 0
    assert capsys.readouterr().out == (
        f"max: disqualified (two programs), {THEN}\nmax: reinstated (it was one), {THEN}\n"
    )


def test_a_list_without_rulings_says_so(folder: Path, capsys: Captured) -> None:
    assert main(["amend", str(folder), "list"]) == 0
    assert capsys.readouterr().out == "no rulings\n"


def test_a_ruling_is_told_to_programs_in_json(folder: Path, capsys: Captured) -> None:
    assert main(["amend", str(folder), "withdraw", "max", "--reason", "why", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [f"max: withdrawn (why), {THEN}"]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["withdraw", "nobody"], "expected an entry of the event, got 'nobody'"),
        (["withdraw", "MAX"], "expected an entry of the event, got 'MAX'"),
        (["reinstate", "max"], "expected an entry that is out, got 'max', which plays"),
        (["annul", "7"], "expected the number of a game that has ended, got 7"),
        (["annul", "x"], "expected the number of a game, got 'x'"),
        (["annul", "0"], "expected the number of a game that has ended, got 0"),
        (["correct", "1", "2-2"], "expected places that are 1 for the best and shared as"),
        (["correct", "1", "1-3"], "expected places that are 1 for the best and shared as"),
        (["correct", "1", "1-2-3"], "expected 2 places in the correction of game 1, got (1, 2, 3)"),
        (["correct", "1", "1-b"], "expected places such as 2-1 or 1-2-2-4, got '1-b'"),
        (["correct", "1"], "expected GAME PLACES after 'correct', got 1"),
        (["correct", "1", "1-2", "--forfeits", "none,bored"], "expected - or one of illegal, "),
        (["correct", "1", "1-2", "--forfeits", "time"], "expected as many places and forfeits"),
        (["withdraw"], "expected NAME after 'withdraw', got nothing"),
        (["withdraw", "max", "zoe"], "expected NAME after 'withdraw', got max zoe"),
        (["withdraw", "max", "--token", DIGEST], "expected --token only with late-entry, got it"),
        (["annul", "1", "--forfeit"], "expected --forfeit only with withdraw, got it with annul"),
        (["late-entry", "late"], "expected --token sha256:..., as 'sternhalma token late' prints"),
        (["late-entry", "late", "--token", "secret"], "expected --token sha256:..., as"),
        (["late-entry", "ZOE", "--token", DIGEST], "expected a new name for a late entry"),
        (["late-entry", "a b", "--token", DIGEST], "expected a name of 1 to 32 letters, digits"),
        (["banish", "max"], "argument RULING: invalid choice: 'banish'"),
    ],
)
def test_a_ruling_that_makes_no_sense_is_refused_and_not_stored(
    folder: Path, capsys: Captured, words: list[str], problem: str
) -> None:
    assert amend(folder, *words) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(f"sternhalma amend: {problem}")
    assert stored(folder) == []


@pytest.mark.parametrize(
    ("reason", "problem"),
    [
        (None, "expected --reason with withdraw, got none"),
        ("  ", "expected a reason of one line, 1 to 500 characters, got '  '"),
        ("a\nb", "expected a reason of one line, 1 to 500 characters, got 'a\\nb'"),
        ("x" * 501, "expected a reason of one line, 1 to 500 characters, got 'xxx"),
    ],
)
def test_a_ruling_needs_a_reason_of_one_line(
    folder: Path, capsys: Captured, reason: str | None, problem: str
) -> None:
    assert amend(folder, "withdraw", "max", reason=reason) == 2
    assert capsys.readouterr().err.startswith(f"sternhalma amend: {problem}")
    assert stored(folder) == []


def test_a_reason_may_begin_with_a_hyphen_and_still_is_not_an_option(
    folder: Path, capsys: Captured
) -> None:
    assert amend(folder, "withdraw", "max", reason="-5 degrees") == 0
    assert amend(folder, "withdraw", "zoe", reason="--json") == 2
    assert "argument --reason: expected one argument" in capsys.readouterr().err


def test_the_usage_has_the_reason_as_what_it_is(capsys: Captured) -> None:
    assert main(["amend", "--help"]) == 0
    usage = capsys.readouterr().out.split("\n\n")[0]
    assert " --reason TEXT" in usage
    assert "[--reason" not in usage


@pytest.mark.parametrize(
    ("first", "second", "allowed"),
    [
        ("withdraw", "withdraw", False),
        ("withdraw", "disqualify", True),
        ("disqualify", "withdraw", False),
        ("disqualify", "expunge", True),
        ("expunge", "expunge", False),
        ("expunge", "reinstate", True),
    ],
)
def test_who_is_out_is_put_out_again_only_for_more(
    folder: Path, capsys: Captured, first: str, second: str, allowed: bool
) -> None:
    assert amend(folder, first, "max") == 0
    assert amend(folder, second, "max") == (0 if allowed else 2)
    if not allowed:
        assert "expected an entry that is not " in capsys.readouterr().err


def test_a_game_that_is_annulled_is_not_annulled_again(folder: Path, capsys: Captured) -> None:
    assert amend(folder, "annul", "2") == 0
    assert amend(folder, "annul", "2") == 2
    assert "expected a game that is not annulled already, got 2" in capsys.readouterr().err
    assert amend(folder, "correct", "2", "1-2") == 0
    assert amend(folder, "annul", "2") == 0


@pytest.mark.parametrize(
    ("format_", "more"), [("gauntlet", 'challengers = ["b1"]'), ("knockout", "")]
)
def test_a_format_without_room_for_a_late_entry_says_so(
    tmp_path: Path, capsys: Captured, format_: str, more: str
) -> None:
    source = event_text(format_, 4, more)
    keep(tmp_path, source, played(source, most=2), state="paused")
    assert amend(tmp_path, "late-entry", "late", "--token", DIGEST) == 2
    assert f"expected no late entry in a {format_}, got 'late'" in capsys.readouterr().err
    assert stored(tmp_path) == []


def test_a_correction_that_comes_too_late_for_a_knockout_is_refused(
    tmp_path: Path, capsys: Captured
) -> None:
    source = event_text("knockout", 4, "games = 2")
    keep(tmp_path, source, played(source))
    with Store.read(tmp_path / STORE) as store:
        _, results = read_results(store, stored_event(store))
    semi = results.matches()[0]
    assert semi.winner is not None
    numbers = [r.number for r in results if set(r.entries) == set(semi.entries)][: semi.games]
    for number in numbers:
        result = results.result(number)
        assert result is not None
        loses = "-".join("2" if name == semi.winner else "1" for name in result.entries)
        if amend(tmp_path, "correct", str(number), loses) == 2:
            break
    else:
        pytest.fail("the winner of a semi-final was changed after the final")
    assert "in the final, got" in capsys.readouterr().err


def test_what_is_no_results_folder_is_bad_input(tmp_path: Path, capsys: Captured) -> None:
    assert amend(tmp_path, "withdraw", "max") == 2
    assert "expected a results folder, with store.sqlite in it" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_another_server_holds_is_left_alone(folder: Path, capsys: Captured) -> None:
    with StoreLock(folder / STORE):
        assert amend(folder, "withdraw", "max") == 2
    assert "expected a store that no other server uses" in capsys.readouterr().err
    assert stored(folder) == []


def test_a_socket_that_a_killed_server_left_behind_does_not_matter(
    folder: Path, capsys: Captured
) -> None:
    (folder / "control").touch()
    assert amend(folder, "withdraw", "max") == 0
    assert len(stored(folder)) == 1
