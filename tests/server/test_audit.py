"""Verifying a store: its chain, and every result in it, as they came."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from server.conducted import CALM, Chances, voided
from server.kept import (
    CUP,
    LINKS,
    TRIO,
    Link,
    change,
    event_text,
    forge,
    game,
    games_of,
    keep,
    keep_files,
    keep_store,
    played,
    problem,
    signed,
    table_of,
)
from sternhalma_server.archive import STORE, record_name, write_record
from sternhalma_server.audit import Findings, audit
from sternhalma_server.outcome import format_outcome, outcome_of
from sternhalma_server.record import Ply, Record, format_record
from sternhalma_server.results import RESULTS
from sternhalma_server.settings import settings_of
from sternhalma_server.store import Decision, FinishedGame, Store
from sternhalma_server.verdict import Reason
from sternhalma_tournament.amendments import Annulment, Withdrawal, format_amendment
from sternhalma_tournament.roundrobin import schedule_of
from sternhalma_tournament.scores import BYE, GameResult

ROUGH = Chances(late=0.05, silent=0.05, wrong=0.05, gone=0.05, resigns=0.05, absent=0.1)
SWISS = event_text("swiss", 5, "rounds = 3")
EVENTS = {
    "round-robin": CUP,
    "three seats": TRIO,
    "swiss": SWISS,
    "knockout": event_text("knockout", 5, "games = 2"),
    "gauntlet": event_text("gauntlet", 4, 'challengers = ["b1"]'),
}

Keep = Callable[[Path, bytes, Sequence[Link]], None]


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    """The folder of an event that is over."""
    keep(tmp_path / "cup", CUP, LINKS)
    return tmp_path / "cup"


def head(root: Path) -> str:
    found = audit(root).head
    assert found is not None
    return found


@pytest.mark.parametrize("keeping", [keep, keep_files])
@pytest.mark.parametrize("chances", [CALM, ROUGH])
@pytest.mark.parametrize("format_", EVENTS)
def test_a_folder_nobody_touched_is_verified(
    tmp_path: Path, keeping: Keep, chances: Chances, format_: str
) -> None:
    links = played(EVENTS[format_], 2, chances=chances)
    keeping(tmp_path / "event", EVENTS[format_], links)
    found = audit(tmp_path / "event")
    assert found.problems == []
    assert found.notes == []
    assert found.games == sum(isinstance(link, Record) for link in links)
    assert (found.tables, found.scheduled, found.left, found.begun) == (4, len(links), 0, 0)
    assert (found.head is None) == (keeping is keep_files)


def test_an_event_without_a_game_is_verified(tmp_path: Path) -> None:
    for keeping in (keep, keep_files):
        keeping(tmp_path / keeping.__name__, CUP, [])
        found = audit(tmp_path / keeping.__name__)
        assert (found.games, found.left, found.problems) == (0, 6, [])


def test_an_event_that_was_stopped_is_verified_as_far_as_it_came(tmp_path: Path) -> None:
    keep_files(tmp_path, CUP, LINKS[:3])
    lines = "5\tbegin 1.0,1.0 {}\n6\tbegin 1.0,1.0 {}\n"
    keep_store(tmp_path, CUP, LINKS[:3], state="paused", running=lines)
    found = audit(tmp_path)
    assert (found.problems, found.notes) == ([], [])
    assert (found.games, found.left, found.begun) == (3, 3, 2)


def test_a_void_game_is_verified(tmp_path: Path) -> None:
    settings = settings_of(CUP, "event.toml")
    void = voided(table_of(settings, schedule_of(settings.event).pairing(1)))
    links = [void, *(link for link in games_of(CUP) if link.game != 1)]
    for keeping in (keep, keep_files):
        keeping(tmp_path / keeping.__name__, CUP, links)
        assert audit(tmp_path / keeping.__name__).problems == []
        assert ",0 0," in (tmp_path / keeping.__name__ / RESULTS).read_text()


def test_rulings_are_part_of_what_is_verified(tmp_path: Path) -> None:
    withdrawal = Withdrawal(reason="it fell ill", entry="Ida")
    annulment = Annulment(reason="two programs at one board", number=1)
    links = [*LINKS, Decision("ruling", format_amendment(annulment))]
    keep(tmp_path / "annulled", CUP, links)
    assert audit(tmp_path / "annulled").problems == []
    assert "two programs" in (tmp_path / "annulled" / "standings.md").read_text()
    keep(tmp_path / "gone", CUP, played(CUP, rulings=[(2, withdrawal)]))
    found = audit(tmp_path / "gone")
    assert (found.problems, found.left) == ([], 0)
    assert found.games < 6


def test_verifying_changes_nothing(cup: Path) -> None:
    before = {path: path.read_bytes() for path in cup.rglob("*.*") if path.is_file()}
    audit(cup)
    assert {path: path.read_bytes() for path in before} == before


def test_a_record_that_was_altered_in_the_store_breaks_the_chain(cup: Path) -> None:
    old = game(2).happened[-1]
    assert isinstance(old, Ply)
    forge(cup, 2, signed(game(2), f" {old.path} ", " e5-e6 "))
    found = audit(cup).problems
    assert found[0].startswith(f"{STORE}: game 2: expected digest ")
    line = game(2).line_of(5)
    assert found[1].startswith(f"{STORE}: game 2, line {line}: ")
    assert found[2].startswith(f"games/000002.txt: line {line}: expected ")
    assert any(f.startswith("results.csv: line 3: expected '2,A:Ida D:zoe,") for f in found)


def test_a_game_that_was_taken_out_of_the_store_breaks_the_chain(cup: Path) -> None:
    taken = LINKS[2]
    assert isinstance(taken, Record)
    change(cup, "DELETE FROM game WHERE number = ?", taken.game)
    found = audit(cup)
    assert ": expected place 3 and value " in found.problems[0]
    name = record_name(taken.game)
    assert f"{name}: expected no file without a game, got one" in found.problems


def rewritten(root: Path) -> None:
    """The event with one time altered, and all else as if it had been so from the first."""
    links = list(LINKS)
    at = links.index(game(2))
    ply = next(h for h in game(2).happened if isinstance(h, Ply) and h.source is None)
    keys = tuple((key, "0.001" if key == "late" else value) for key, value in ply.evidence)
    happened = tuple(replace(h, evidence=keys) if h == ply else h for h in game(2).happened)
    links[at] = replace(game(2), happened=happened)
    keep(root, CUP, links)


def test_history_that_was_rewritten_as_a_whole_is_found_by_whoever_kept_the_head(
    cup: Path, tmp_path: Path
) -> None:
    kept = head(cup)
    rewritten(tmp_path / "forged")
    assert audit(tmp_path / "forged").problems == []
    assert problem(tmp_path / "forged", kept) == (
        f"{STORE}: expected {kept} in the chain of results, got it nowhere:"
        " something before it was changed or taken out"
    )


def test_every_head_that_a_chain_has_had_proves_what_was_before_it(
    cup: Path, tmp_path: Path
) -> None:
    for count in range(len(LINKS) + 1):
        keep(tmp_path / str(count), CUP, LINKS[:count], state="paused")
        assert audit(cup, head(tmp_path / str(count))).problems == []


def test_a_ruling_moves_the_head_and_leaves_the_old_one_in_the_chain(
    cup: Path, tmp_path: Path
) -> None:
    annulment = Annulment(reason="a bug", number=1)
    keep(tmp_path / "ruled", CUP, [*LINKS, Decision("ruling", format_amendment(annulment))])
    assert head(tmp_path / "ruled") != head(cup)
    assert audit(tmp_path / "ruled", head(cup)).problems == []


def test_a_store_with_another_event_beside_it_is_named(cup: Path) -> None:
    with Store.open(cup / STORE) as store:
        store.add_event("trio", TRIO)
    assert problem(cup) == f"{cup / STORE}: expected one event, got cup, trio"


def test_a_store_without_an_event_is_named(tmp_path: Path) -> None:
    with Store.open(tmp_path / STORE):
        pass
    assert problem(tmp_path) == f"{tmp_path / STORE}: expected one event, got none"


def test_an_event_file_that_cannot_be_played_is_named(tmp_path: Path) -> None:
    with Store.open(tmp_path / STORE) as store:
        store.add_event("cup", b"clok = 3")
    assert problem(tmp_path).startswith(f"{STORE}: event.toml: clok: unknown key")


def test_a_record_that_is_none_is_named(cup: Path) -> None:
    forge(cup, 2, "nonsense\n")
    assert f"{STORE}: game 2, line 1: expected 'sternhalma-record 1', got 'nonsense'" in (
        audit(cup).problems
    )


def test_a_record_of_another_game_is_named(cup: Path) -> None:
    forge(cup, 2, game(3))
    assert f"{STORE}: game 2, line 3: expected this game, got 3" in audit(cup).problems


def stored(root: Path, links: Sequence[Link | str]) -> Findings:
    """What is found in a store that has records and decisions as they are given, and their files.

    Such a store is what somebody makes who knows how to.
    """
    keep_files(root, CUP, [])
    with Store.open(root / STORE) as store:
        event = store.add_event("cup", CUP)
        for link in links:
            if isinstance(link, Decision):
                store.write(event, "", [link])
                continue
            text = link if isinstance(link, str) else format_record(link)
            number = int(text.split("\n")[2].removeprefix("game "))
            store.write(event, "", [FinishedGame(number, text, "")])
            (root / record_name(number)).write_text(text)
        store.set_state(event, "paused")
    found = audit(root)
    assert not any("chain" in problem for problem in found.problems)
    return found


FORGERIES = {
    ("event cup", "event cap"): "game 2, line 2: expected event 'cup' of the event, got 'cap'",
    ("game 2", "game 7"): "game 7, line 3: expected the number of a game of the event, got 7",
    ("clock=2s", "clock=3s"): (
        "game 2, line 5: expected terms 'limit=3 at_limit=share clock=2s' of the event,"
        " got 'limit=3 at_limit=share clock=3s'"
    ),
    ("seat A Ida", "seat A max"): (
        "game 2, line 6: expected the seats 'Ida/Ida zoe/zoe' of the event, got 'max/Ida zoe/zoe'"
    ),
    ("entry=Ida", "entry=max"): (
        "game 2, line 6: expected the seats 'Ida/Ida zoe/zoe' of the event, got 'Ida/max zoe/zoe'"
    ),
    (" opening\n", " rules\n"): "game 2, line 9: expected 'pass' to be played by the rules, got ",
}


@pytest.mark.parametrize("change", FORGERIES)
def test_a_record_forged_throughout_is_found_by_what_the_event_had_to_play(
    tmp_path: Path, change: tuple[str, str]
) -> None:
    forged = signed(game(2), *change)
    found = stored(tmp_path / "store", [forged])
    assert found.problems[0].startswith(f"{STORE}: {FORGERIES[change]}")
    keep_files(tmp_path / "files", CUP, games_of(CUP))
    (tmp_path / "files" / record_name(2)).write_text(forged)
    (first, *_) = audit(tmp_path / "files").problems
    if change[0] != "game 2":
        assert first.startswith(f"games/000002.txt: {FORGERIES[change]}")
    else:
        assert first == "games/000002.txt: line 3: expected the game of this file's name, got 7"


def test_a_game_that_began_from_another_position_is_found(tmp_path: Path) -> None:
    settings = settings_of(CUP, "event.toml")
    void = voided(table_of(settings, schedule_of(settings.event).pairing(2)))
    ahead = {
        where: getattr(void, where).replace("AAAA/13/", "AAA1/A12/") for where in ("start", "final")
    }
    record = replace(void, **ahead)
    (first, *_) = stored(tmp_path, [record]).problems
    assert first.startswith(f"{STORE}: game 2, line 8: expected start 'corner A/AA/AAA/AAAA/")


def test_another_opening_than_the_event_draws_is_found(tmp_path: Path) -> None:
    source = CUP.replace(b"seed = 5", b"seed = 6")
    other = next(record for record in games_of(source) if record.game == 2)
    right = game(2).happened[0]
    drawn = other.happened[0]
    assert isinstance(right, Ply)
    assert isinstance(drawn, Ply)
    (first, *_) = stored(tmp_path, [other]).problems
    assert first == (
        f"{STORE}: game 2, line 9: expected the opening ply {right.path!r} of the event,"
        f" got {drawn.path!r}"
    )


@pytest.mark.parametrize(("plies", "got"), [(0, "'none'"), (2, "'none' of the event, got '")])
def test_an_opening_of_another_length_is_found(tmp_path: Path, plies: int, got: str) -> None:
    source = CUP.replace(b"opening = 1", f"opening = {plies}".encode())
    other = next(record for record in games_of(source) if record.game == 2)
    (first, *_) = stored(tmp_path, [other]).problems
    assert first.startswith(f"{STORE}: game 2, line {9 + plies // 2}: expected the opening ply ")
    assert got in first


def test_a_time_that_was_altered_is_found(tmp_path: Path) -> None:
    ply = game(2).happened[1]
    assert isinstance(ply, Ply)
    charged = dict(ply.evidence)["charged"]
    (first, *_) = stored(
        tmp_path, [signed(game(2), f"charged={charged} ", "charged=1999.000 ")]
    ).problems
    assert first.startswith(f"{STORE}: game 2, line 10: expected the ")
    assert first.endswith(
        " ms from sent to received to be charged or credited, got 1999.000 and 0.000"
    )


BYE_2 = GameResult(2, ("b0",), (1,), (None,), BYE, 0)


@pytest.mark.parametrize(
    ("decision", "said"),
    [
        (Decision(BYE, "{}"), "expected a bye, got '{}': "),
        (
            Decision(BYE, msgspec.json.encode(BYE_2).decode()),
            "expected a game that the event had to play then, got game 2",
        ),
        (Decision("ruling", "{}"), "expected an amendment, got '{}': "),
    ],
)
def test_a_decision_that_cannot_have_been_made_is_named(
    tmp_path: Path, decision: Decision, said: str
) -> None:
    links = [link for link in played(SWISS) if isinstance(link, Record)]
    keep_files(tmp_path, SWISS, [])
    keep_store(tmp_path, SWISS, [links[0], decision], state="paused")
    write_record(tmp_path, links[0])
    what = f"{STORE}: {decision.kind} at place 2: {said}"
    if "got game 2" in said:
        assert any(
            p.startswith(f"{STORE}: bye at place 2: expected ") for p in audit(tmp_path).problems
        )
    else:
        assert audit(tmp_path).problems[0].startswith(what)


def test_decisions_of_kinds_that_are_not_known_are_let_be(tmp_path: Path) -> None:
    keep_files(tmp_path, CUP, LINKS)
    keep_store(tmp_path, CUP, [*LINKS, Decision("note", "the hall was cold")])
    assert audit(tmp_path).problems == []


def test_a_game_that_was_void_may_be_without_its_opening_and_no_other(tmp_path: Path) -> None:
    settings = settings_of(CUP, "event.toml")
    bare = replace(table_of(settings, schedule_of(settings.event).pairing(2)), opening=())
    assert not any("opening" in p for p in stored(tmp_path / "a", [voided(bare)]).problems)
    broken = voided(bare, Reason.ABORTED)
    assert not any("opening" in p for p in stored(tmp_path / "b", [broken]).problems)


def test_an_outcome_that_is_not_the_records_is_found(tmp_path: Path) -> None:
    keep(tmp_path, CUP, LINKS)
    right = format_outcome(outcome_of(game(2)))
    change(tmp_path, "UPDATE game SET outcome = ? WHERE number = 2", right)
    assert audit(tmp_path).problems == []
    wrong = right.replace('"goal"', '"agreement"').replace('"share"', '"goal"')
    assert wrong != right
    change(tmp_path, "UPDATE game SET outcome = ? WHERE number = 2", wrong)
    assert problem(tmp_path) == (f"store.sqlite: game 2: expected the outcome {right}, got {wrong}")
