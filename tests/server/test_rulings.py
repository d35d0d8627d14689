"""Results with rulings, however they are read: the same tables."""

from __future__ import annotations

from pathlib import Path
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.kept import CUP, Link, event_text, keep_store, played
from sternhalma_server.archive import STORE
from sternhalma_server.record import Record
from sternhalma_server.results import Results
from sternhalma_server.rulings import RULING, late_bots, links, read_results, stored_event
from sternhalma_server.settings import settings_of
from sternhalma_server.store import Amendment, Decision, Store, StoredGame, StoreError
from sternhalma_tournament.amendments import Amendment as HostRuling
from sternhalma_tournament.amendments import (
    Annulment,
    Correction,
    Expunging,
    LateEntry,
    Withdrawal,
    format_amendment,
    parse_amendment,
)
from sternhalma_tournament.scores import BYE, GameResult

SWISS = event_text("swiss", 5, "rounds = 3")
RULINGS: list[tuple[int, HostRuling]] = [
    (2, Withdrawal(reason="broke", entry="b1")),
    (4, Annulment(reason="power cut", number=1)),
]


def decided(text: str) -> Decision:
    return Decision(RULING, text)


def tell(results: Results, link: Link) -> None:
    if isinstance(link, Record):
        results.add(link)
    elif link.kind == BYE:
        results.add_bye(msgspec.json.decode(link.text, type=GameResult))
    else:
        results.amend(parse_amendment(link.text))


def test_what_is_read_comes_in_the_order_in_which_it_was_stored(tmp_path: Path) -> None:
    made = played(SWISS, rulings=RULINGS)
    keep_store(tmp_path, SWISS, made)
    with Store.read(tmp_path / STORE) as store:
        read = list(links(store, stored_event(store).id))
    assert [isinstance(link, StoredGame) for link in read] == [
        isinstance(link, Record) for link in made
    ]
    assert [link.place for link in read] == list(range(1, len(made) + 1))
    texts = [link.text for link in read if isinstance(link, Amendment)]
    assert texts == [link.text for link in made if isinstance(link, Decision)]


def test_a_ruling_that_is_added_while_games_are_read_is_not_missed(tmp_path: Path) -> None:
    made = played(CUP)
    late = LateEntry(reason="by train", entry="late", bots=("late",))
    keep_store(tmp_path, CUP, made[:2], state="running")
    with Store.open(tmp_path / STORE) as store:
        event = stored_event(store).id
        reading = links(store, event)
        first = next(reading)
        store.amend(event, RULING, format_amendment(late))
        rest = list(reading)
    assert isinstance(first, StoredGame)
    assert len(rest) in {1, 2}


@given(st.randoms(use_true_random=False))
def test_tables_are_the_same_in_whatever_order_results_and_rulings_are_told(
    chance: Random,
) -> None:
    made: list[Link] = [
        *played(SWISS, rulings=RULINGS),
        decided(format_amendment(Expunging(reason="no program", entry="b2"))),
        decided(format_amendment(Correction(reason="colours", number=6, places=(1, 1)))),
    ]
    event = settings_of(SWISS, "event.toml").event
    inorder, shuffled = Results(event), Results(event)
    for link in made:
        tell(inorder, link)
    # Rulings keep their order among themselves: the last one counts.
    rulings = [link for link in made if isinstance(link, Decision) and link.kind == RULING]
    others = [link for link in made if link not in rulings]
    chance.shuffle(others)
    while rulings or others:
        pile = chance.choice([pile for pile in (rulings, others) if pile])
        tell(shuffled, pile.pop(0))
    assert shuffled.files() == inorder.files()


def test_a_bot_that_came_late_may_have_games_and_times() -> None:
    made = played(CUP, most=1)
    event = settings_of(CUP, "event.toml").event
    results = Results(event)
    results.amend(LateEntry(reason="by train", entry="late", bots=("late",)))
    for link in made:
        tell(results, link)
    assert [entry.name for entry in results.entries] == ["zoe", "max", "Ida", "late"]
    assert results.files()["times.csv"].splitlines()[-1].startswith("late,0,")


def test_a_store_of_two_events_is_refused(tmp_path: Path) -> None:
    keep_store(tmp_path, CUP, [])
    with Store.open(tmp_path / STORE) as store:
        store.add_event("other", b"")
        with pytest.raises(StoreError, match="expected one event, got cup, other"):
            read_results(store, stored_event(store))


def test_a_ruling_that_nobody_can_read_is_refused(tmp_path: Path) -> None:
    keep_store(tmp_path, CUP, [Decision(RULING, "banish max")])
    with (
        Store.read(tmp_path / STORE) as store,
        pytest.raises(ValueError, match="expected an amendment, got 'banish max'"),
    ):
        read_results(store, stored_event(store))


def test_a_decision_of_another_kind_changes_no_table(tmp_path: Path) -> None:
    keep_store(tmp_path, CUP, [*played(CUP), Decision("note", "rain")])
    with Store.read(tmp_path / STORE) as store:
        _, results = read_results(store, stored_event(store))
    assert len(results) == 6


def test_late_bots_are_admitted_by_the_digests_of_their_tokens() -> None:
    rulings: list[HostRuling] = [
        Withdrawal(reason="broke", entry="zoe"),
        LateEntry(reason="by train", entry="late", bots=("late",)),
        LateEntry(reason="by ship", entry="later", bots=("later",)),
    ]
    known = late_bots(rulings, {"late": "ab" * 32})
    assert [(bot.name, bot.token_sha256) for bot in known] == [
        ("late", "ab" * 32),
        ("later", None),
    ]
