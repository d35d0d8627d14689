"""What an event had to play, asked afterwards: it is what its scheduler had played."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.kept import CUP, TRIO, event_text
from server.recorded import PATIENT
from sternhalma_server.agenda import Agenda
from sternhalma_server.settings import settings_of
from sternhalma_tournament.amendments import (
    Amendment,
    Annulment,
    Disqualification,
    LateEntry,
    Withdrawal,
)
from sternhalma_tournament.event import Event
from sternhalma_tournament.formats import scheduler_after, scheduler_of
from sternhalma_tournament.schedule import Pairing
from sternhalma_tournament.scheduler import bye_result
from sternhalma_tournament.scores import BYE, GameResult

EVENTS = {
    "round-robin": CUP,
    "three seats": TRIO,
    "gauntlet": event_text("gauntlet", 5, 'challengers = ["b1", "b2"]'),
    "match": event_text("match", 2, "cycles = 4"),
    "swiss": event_text("swiss", 7, "rounds = 4"),
    "knockout": event_text("knockout", 6, "games = 2"),
}


def event(source: bytes) -> Event:
    return settings_of(source, "event.toml").event


def result(pairing: Pairing, chance: Random) -> GameResult:
    """How a game may end; now and then it is void."""
    count = len(pairing.entries)
    if chance.random() < 0.1:
        return GameResult(
            pairing.number, pairing.entries, (0,) * count, (None,) * count, "aborted", 0
        )
    places = tuple(chance.choice([[1, 1, 3], [1, 2, 3], [2, 1, 3]])[:count])
    return GameResult(pairing.number, pairing.entries, places, (None,) * count, "share", 4)


def follow(
    source: bytes, seed: int, rulings: list[tuple[int, Amendment]] | None = None
) -> tuple[Agenda, int]:
    """Play an event, several games at once and by lot; the agenda is asked before each result."""
    what, chance = event(source), Random(seed)
    scheduler, agenda = scheduler_of(what), Agenda(what)
    bots = [bot.name for bot in what.bots]
    running: list[Pairing] = []
    history: list[GameResult | Amendment] = []
    over, idle = 0, 0
    while idle < 50:
        idle += 1
        while rulings and rulings[0][0] <= over:
            ruling = rulings.pop(0)[1]
            history.append(ruling)
            scheduler = scheduler_after(what, history, running)
            agenda.amend(ruling)
            bots += ruling.bots if isinstance(ruling, LateEntry) else ()
        pairing = scheduler.next({bot: 4 for bot in bots if chance.random() < 0.8})
        if pairing is not None and len(running) < 4:
            scheduler.start(pairing)
            running.append(pairing)
        elif not running:
            continue
        byes = [pairing for pairing in running if len(pairing.entries) == 1]
        if chance.random() < 0.5 and not byes:
            continue
        ended = byes[0] if byes else chance.choice(running)
        running.remove(ended)
        its = bye_result(ended) if byes else result(ended, chance)
        asked = agenda.pairing(ended.number, ended.entries)
        assert asked == ended
        agenda.finish(its)
        scheduler.finish(its)
        history.append(its)
        over, idle = over + 1, 0
    assert scheduler.done
    assert agenda.extent()[1] == 0
    return agenda, over


@PATIENT
@given(st.sampled_from(sorted(EVENTS)), st.integers(0, 2**32))
def test_every_game_of_an_event_was_on_its_agenda(format_: str, seed: int) -> None:
    agenda, over = follow(EVENTS[format_], seed)
    assert agenda.extent() == (over, 0)


@PATIENT
@given(
    st.sampled_from(["round-robin", "swiss", "knockout", "gauntlet"]),
    st.integers(0, 2**32),
    st.integers(0, 12),
    st.sampled_from([Withdrawal, Disqualification]),
)
def test_it_was_so_whoever_is_taken_out_in_the_middle(
    format_: str, seed: int, after: int, kind: type[Withdrawal | Disqualification]
) -> None:
    name = event(EVENTS[format_]).bots[-1].name
    follow(EVENTS[format_], seed, [(after, kind(reason="because", entry=name))])


@PATIENT
@given(st.sampled_from(["round-robin", "swiss"]), st.integers(0, 2**32), st.integers(0, 6))
def test_it_was_so_whoever_comes_late(format_: str, seed: int, after: int) -> None:
    late = LateEntry(reason="because", entry="late", bots=("late",))
    _, over = follow(EVENTS[format_], seed, [(after, late)])
    assert over > (6 if format_ == "round-robin" else 14)


def test_a_game_that_no_schedule_has_is_refused() -> None:
    for source in (CUP, EVENTS["swiss"], EVENTS["knockout"]):
        with pytest.raises(ValueError, match=r"^expected .*, got (game )?999"):
            Agenda(event(source)).pairing(999, ("zoe", "max"))


def test_a_game_of_a_later_round_is_not_on_the_agenda_before_the_round_is_over() -> None:
    agenda = Agenda(event(EVENTS["swiss"]))
    with pytest.raises(ValueError, match="expected a game that the event had to play then"):
        agenda.pairing(8, ("b1", "b2"))


def test_who_met_is_not_believed_where_nothing_was_ruled_on_it() -> None:
    agenda = Agenda(event(EVENTS["swiss"]))
    right = agenda.pairing(1, ("b1", "b2")).entries
    others = tuple(f"b{n}" for n in range(7) if f"b{n}" not in right)[:2]
    assert agenda.pairing(1, others).entries == right
    agenda.amend(Withdrawal(reason="because", entry=others[0]))
    assert agenda.pairing(2, others).entries == others  # may have begun before


def test_byes_are_entered_where_nobody_else_tells_of_them() -> None:
    agenda = Agenda(event(EVENTS["swiss"]), sits_out=True)
    agenda.pairing(1, ("b1", "b2"))
    (bye,) = agenda.byes
    assert bye.reason == BYE
    games, left = agenda.extent()
    assert left == games - 1


def test_a_ruling_on_a_game_changes_nothing_that_is_to_be_played() -> None:
    agenda = Agenda(event(CUP))
    before = agenda.pairing(3, ())
    agenda.amend(Annulment(reason="because", number=1))
    assert agenda.pairing(3, ()) == before
