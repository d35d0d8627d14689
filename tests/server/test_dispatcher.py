"""An event on many machines, with machines that are made up: what goes out, what is believed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
import trio

from server.conducted import Chances, Conduct
from server.kept import table_of
from sternhalma import Seat
from sternhalma_server.announce import Table
from sternhalma_server.archive import STORE, read_records
from sternhalma_server.audit import audit
from sternhalma_server.control import ControlError, ask
from sternhalma_server.errand import Answer
from sternhalma_server.far_hosting import WHY, check_local, host_far
from sternhalma_server.fleet import FleetError, Lost, Played
from sternhalma_server.hosting import host
from sternhalma_server.observer import Summary
from sternhalma_server.orders import (
    AnyReport,
    Ended,
    Order,
    Over,
    Printed,
    Refused,
    Told,
    parse_order,
)
from sternhalma_server.outcome import format_outcome, outcome_of
from sternhalma_server.record import Ply, Record, format_record, parse_record
from sternhalma_server.recording import signed
from sternhalma_server.referee import Finished
from sternhalma_server.results import result_of
from sternhalma_server.settings import Settings, settings_of
from sternhalma_server.store import Store
from sternhalma_server.verdict import Reason
from sternhalma_tournament.amendments import (
    Annulment,
    Withdrawal,
    format_amendment,
    parse_amendment,
)
from sternhalma_tournament.reading import EventFileError
from sternhalma_tournament.schedule import Pairing
from sternhalma_tournament.trial import TrialState

Script = Callable[["Machines", Order], Awaitable[Played | Lost]]

SECONDS = 300.0
SAID = "A 1764451826.000001 ping hello\n"


def event(*names: str, more: str = "cycles = 2") -> Settings:
    bots = ",\n".join(f'    {{ name = "{name}", command = "{name}" }}' for name in names)
    source = (
        f'name = "far"\nrules = "corner"\nplayers = 2\nclock = "2s"\nlimit = 3\nopening = 1\n'
        f'at_limit = "progress"\n{more}\nbots = [\n{bots},\n]\n'
    )
    return settings_of(source.encode(), "far.toml")


FOUR = event("a", "b", "c", "d")


def over(settings: Settings, order: Order, pairing: Pairing, chances: Chances) -> Over:
    """The game of *pairing* as some worker would play it, and any other too."""
    conduct = Conduct(table_of(settings, pairing), pairing.number, chances=chances)
    for seat, name in enumerate(pairing.entries):
        if name in order.absent and conduct.referee.turn is not None:
            conduct.referee.absent(Seat(seat))
    record = conduct.play()
    assert record is not None
    record = signed(record, order.programs)
    return Over(record.game, format_record(record), SAID, format_outcome(outcome_of(record)))


class Machines:
    """A fleet of so many cores that plays at once, or as *script* says."""

    def __init__(
        self,
        settings: Settings,
        script: Script | None = None,
        *,
        cores: int = 2,
        chances: Chances | None = None,
    ) -> None:
        self.settings = settings
        self.script = script or honest
        self.chances = chances or Chances()
        self.number = cores
        self.orders: list[Order] = []
        self.out = 0
        self.most = 0
        self.refused: list[str] = []

    async def cores(self) -> int:
        return self.number

    async def play(self, order: bytes) -> Played | Lost:
        parsed = parse_order(order)
        self.orders.append(parsed)
        self.out += 1
        self.most = max(self.most, self.out)
        try:
            await trio.lowlevel.checkpoint()
            return await self.script(self, parsed)
        finally:
            self.out -= 1

    def refuse(self, worker: str) -> None:
        self.refused.append(worker)

    def overs(self, order: Order) -> list[AnyReport]:
        return [over(self.settings, order, p, self.chances) for p in order.pairings]


async def honest(machines: Machines, order: Order) -> Played:
    """Play all, and say so."""
    return Played("w", Answer((*machines.overs(order), Ended(0.001))))


class Host:
    """The host of an event: what it was told."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.over: list[str] = []
        self.at_end: Callable[[], object] = int

    def listening(self, host: str, port: int) -> None:
        raise AssertionError((host, port))

    def resumed(self, finished: int, running: int) -> None:
        self.told.append(f"resumed {finished} {running}")

    def planned(self, games: int) -> None:
        self.games = games

    def started(self, table: Table) -> None:
        pass

    def finished(self, finished: Finished) -> None:
        self.over.append(finished.table.game)
        self.at_end()

    def tested(self, trial: TrialState) -> None:
        self.trial = trial

    def tell(self, sentence: str) -> None:
        self.told.append(sentence)


def programs(settings: Settings) -> dict[str, str]:
    return {bot.name: f"{number:064x}" for number, bot in enumerate(settings.event.bots)}


async def play(machines: Machines, root: Path, observer: Host | None = None) -> Summary:
    """Play the event on *machines*."""
    settings = machines.settings
    with trio.fail_after(SECONDS):
        return await host_far(settings, machines, root, observer or Host(), programs(settings))


def standings(root: Path) -> str:
    return (root / "standings.md").read_text()


def results(root: Path) -> dict[int, object]:
    return {record.game: result_of(record) for record in read_records(root)}


@pytest.fixture(scope="module", name="whole")
def _whole(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The table when nothing is lost."""
    root = tmp_path_factory.mktemp("whole")
    trio.run(play, Machines(FOUR), root)
    return standings(root)


async def test_all_games_are_played_once_and_verified(tmp_path: Path) -> None:
    machines, observer = Machines(FOUR), Host()
    summary = await play(machines, tmp_path, observer)
    assert (summary.games, summary.complete, summary.clean) == (12, True, True)
    assert sorted(map(int, observer.over)) == list(range(1, 13))
    assert Counter(p.number for o in machines.orders for p in o.pairings) == Counter(range(1, 13))
    found = audit(tmp_path)
    assert (found.problems, found.notes, found.left) == ([], [], 0)


async def test_a_result_says_which_program_played_and_what_was_said(tmp_path: Path) -> None:
    await play(Machines(FOUR), tmp_path)
    digests = programs(FOUR)
    for record in read_records(tmp_path):
        assert [p.program for p in record.players] == [digests[p.bot] for p in record.players]
    with Store.read(tmp_path / STORE) as store:
        assert {game.said for game in store.finished_games(store.events()[0].id)} == {SAID}


@pytest.mark.parametrize("cores", [1, 3, 7])
async def test_there_are_never_more_tasks_out_than_cores(tmp_path: Path, cores: int) -> None:
    machines = Machines(event("a", "b", "c", "d", more="cycles = 8"), cores=cores)
    await play(machines, tmp_path)
    assert machines.most <= cores


async def test_without_workers_one_task_waits_for_them(tmp_path: Path) -> None:
    machines, observer = Machines(FOUR, cores=0), Host()
    await play(machines, tmp_path, observer)
    assert machines.most == 1
    assert observer.told == ["no worker is there yet, games wait for one"]


async def test_a_result_that_comes_again_is_dropped(tmp_path: Path, whole: str) -> None:
    async def twice(machines: Machines, order: Order) -> Played:
        games = machines.overs(order)
        before = [
            over(FOUR, old, p, Chances(resigns=1.0))
            for old in machines.orders
            for p in old.pairings
        ]
        return Played("w", Answer((*games, *games, *before, Ended(1.0))))

    observer = Host()
    await play(Machines(FOUR, twice), tmp_path, observer)
    assert sorted(map(int, observer.over)) == list(range(1, 13))
    assert standings(tmp_path) == whole
    assert audit(tmp_path).problems == []


@pytest.mark.parametrize(
    ("more", "chances"),
    [
        ('format = "swiss"\nrounds = 3', Chances(absent=0.1)),
        ('format = "knockout"\ngames = 2', Chances(late=0.02, gone=0.02)),
        ('format = "gauntlet"\nchallengers = ["a"]\ncycles = 4', Chances(wrong=0.05)),
        ("tries = 2", Chances(wrong=0.2, resigns=0.05)),
    ],
)
async def test_every_format_is_played_to_its_end_whatever_happens_in_its_games(
    tmp_path: Path, more: str, chances: Chances
) -> None:
    settings = event("a", "b", "c", "d", "e", more=more)
    summary = await play(Machines(settings, chances=chances), tmp_path)
    assert summary.complete
    found = audit(tmp_path)
    assert (found.problems, found.left) == ([], 0)


async def test_pairs_on_both_seats_are_played(tmp_path: Path) -> None:
    settings = event("a", "b", "c", "d", more="cycles = 1")
    source = settings.source.replace(b'"corner"', b'"corner+pairs"').replace(b"= 2\n", b"= 4\n", 1)
    assert (await play(Machines(settings_of(source, "far.toml")), tmp_path)).complete
    assert audit(tmp_path).problems == []


async def test_a_match_ends_with_its_test(tmp_path: Path) -> None:
    settings = event(
        "a",
        "b",
        more='format = "match"\ncycles = 400\n'
        "sprt = { elo0 = 0, elo1 = 190, alpha = 0.2, beta = 0.2 }",
    )
    observer = Host()
    summary = await play(Machines(settings), tmp_path, observer)
    assert observer.trial.verdict is not None
    assert summary.complete
    assert summary.games < 400
    assert audit(tmp_path).problems == []


# What is lost.


async def test_what_was_lost_is_played_again_one_game_to_a_task(tmp_path: Path, whole: str) -> None:
    lost: list[Order] = []

    async def fail_once(machines: Machines, order: Order) -> Played | Lost:
        if len(order.pairings) > 1 and not lost:
            lost.append(order)
            return Lost("the worker died")
        return await honest(machines, order)

    machines, observer = Machines(FOUR, fail_once), Host()
    summary = await play(machines, tmp_path, observer)
    assert (summary.clean, standings(tmp_path)) == (True, whole)
    after = machines.orders[machines.orders.index(lost[0]) + 1 :]
    singles = [order.pairings[0] for order in after if len(order.pairings) == 1]
    assert set(lost[0].pairings) <= set(singles)
    assert any("lost, and played again: the worker died" in line for line in observer.told)


async def test_what_was_over_before_a_batch_broke_off_is_kept(tmp_path: Path, whole: str) -> None:
    broken: list[Order] = []

    async def fail_once(machines: Machines, order: Order) -> Played:
        if len(order.pairings) > 1 and not broken:
            broken.append(order)
            return Played("w", Answer(tuple(machines.overs(order)[:1]), "ended by SIGKILL"))
        return await honest(machines, order)

    machines = Machines(FOUR, fail_once)
    await play(machines, tmp_path)
    counts = Counter(p.number for order in machines.orders for p in order.pairings)
    assert [n for n, times in counts.items() if times > 1] == [
        p.number for p in broken[0].pairings[1:]
    ]
    assert standings(tmp_path) == whole


async def test_a_game_that_is_lost_again_is_played_while_nothing_else_is(tmp_path: Path) -> None:
    beside: dict[int, list[int]] = {}

    async def fail_twice(machines: Machines, order: Order) -> Played | Lost:
        number = order.pairings[0].number
        if len(order.pairings) == 1:
            beside.setdefault(number, []).append(machines.out)
            if number == 5 and len(beside[number]) < 2:
                return Lost("the worker died")
        return await honest(machines, order)

    machines = Machines(event("a", "b", "c", "d", more="cycles = 8"), fail_twice, cores=8)
    assert (await play(machines, tmp_path)).clean
    assert beside[5][-1] == 1
    assert len(beside[5]) == 2


def killer(name: str) -> Script:
    """Machines that one program ends whenever it is started."""

    async def script(machines: Machines, order: Order) -> Played | Lost:
        if any(name in p.entries for p in order.pairings) and name not in order.absent:
            return Lost("the worker died")
        return await honest(machines, order)

    return script


@pytest.mark.parametrize("cores", [1, 4])
async def test_a_program_that_ends_its_workers_is_named_and_withdrawn_and_the_rest_goes_on(
    tmp_path: Path, cores: int
) -> None:
    quiet, loud = tmp_path / "quiet", tmp_path / "loud"
    await play(Machines(FOUR), quiet)
    observer = Host()
    summary = await play(Machines(FOUR, killer("b"), cores=cores), loud, observer)
    assert summary.complete
    assert summary.withdrawn == ["b"]
    assert summary.voids == 0
    assert summary.forfeits == {("b", Reason.NO_START): 6}
    whole, found = results(quiet), results(loud)
    for record in read_records(loud):
        if "b" not in [player.bot for player in record.players]:
            assert found[record.game] == whole[record.game]
    assert f"b: withdrawn ({WHY})" in standings(loud)
    assert any(line.startswith(f"b: withdrawn ({WHY}), 2") for line in observer.told)
    assert (audit(loud).problems, audit(loud).left) == ([], 0)


@pytest.mark.parametrize(
    "more", ['format = "swiss"\nrounds = 4', 'format = "knockout"\ngames = 2', "cycles = 1"]
)
async def test_such_a_program_ends_no_event_of_any_format(tmp_path: Path, more: str) -> None:
    settings = event("a", "b", "c", "d", "e", "f", "g", "h", more=more)
    summary = await play(Machines(settings, killer("c")), tmp_path)
    assert summary.complete
    assert summary.withdrawn in ([], ["c"])
    assert summary.withdrawn or summary.voids
    assert (audit(tmp_path).problems, audit(tmp_path).left) == ([], 0)


async def test_after_a_stop_who_was_withdrawn_stays_so_and_ends_no_worker(tmp_path: Path) -> None:
    observer = Host()

    async def until_named(machines: Machines, order: Order) -> Played | Lost:
        if any("withdrawn" in line for line in observer.told):
            return await gone(machines, order)  # its games are to be sent out again
        return await killer("b")(machines, order)

    assert not (await play(Machines(FOUR, until_named), tmp_path, observer)).complete
    later = Machines(FOUR, killer("b"))
    again = Host()
    assert (await play(later, tmp_path, again)).complete
    assert not any("lost" in line for line in again.told)


async def test_games_of_which_nobody_can_be_named_are_void_and_nobodys_loss(tmp_path: Path) -> None:
    settings = event("a", "b", more="cycles = 4")
    summary = await play(Machines(settings, killer("a")), tmp_path)
    assert (summary.complete, summary.voids, summary.withdrawn) == (True, 4, [])
    assert not summary.forfeits
    assert {record.reason for record in read_records(tmp_path)} == {Reason.SERVER_FAULT}
    assert audit(tmp_path).problems == []


def other_places(record: Record) -> str:
    places = (1, 2) if record.places != (1, 2) else (2, 1)
    return format_record(replace(record, places=places))


def other_charge(record: Record) -> str:
    *before, last = record.happened
    assert isinstance(last, Ply)
    less = tuple((key, "0.001" if key == "charged" else value) for key, value in last.evidence)
    return format_record(replace(record, happened=(*before, replace(last, evidence=less))))


def other_bot(record: Record) -> str:
    first, *rest = record.players
    return format_record(replace(record, players=(replace(first, bot="zoe"), *rest)))


def other_program(record: Record) -> str:
    first, *rest = record.players
    return format_record(replace(record, players=(replace(first, program="f" * 64), *rest)))


def other_opening(record: Record) -> str:
    first, *rest = record.happened
    assert isinstance(first, Ply)
    return format_record(replace(record, happened=(replace(first, source=None), *rest)))


@pytest.mark.parametrize(
    "forge",
    [
        other_places,
        other_charge,
        other_bot,
        other_program,
        other_opening,
        lambda record: format_record(record)[:-9],
        lambda record: format_record(replace(record, event="other")),
        lambda record: format_record(replace(record, game=record.game + 1)),
    ],
)
async def test_a_record_that_does_not_hold_is_not_believed(
    tmp_path: Path, whole: str, forge: Callable[[Record], str]
) -> None:
    forged: list[Over] = []

    async def forge_once(machines: Machines, order: Order) -> Played:
        first, *rest = machines.overs(order)
        assert isinstance(first, Over)
        if not forged:
            forged.append(first)
            text = forge(parse_record(first.record))
            first = Over(first.game, text, first.said, first.outcome)
        return Played("w", Answer((first, *rest, Ended(1.0))))

    observer = Host()
    await play(Machines(FOUR, forge_once), tmp_path, observer)
    assert standings(tmp_path) == whole
    told = f"game {forged[0].game} lost, and played again: w: game {forged[0].game}"
    (line,) = [line for line in observer.told if line.startswith(told)]
    assert "expected" in line


@pytest.mark.parametrize("said", ["Z 1.000000 ping\n", "A 1.000000 \x1b[2J\n", "A now ping\n", "A"])
async def test_what_no_ledger_would_have_kept_is_not_believed(
    tmp_path: Path, whole: str, said: str
) -> None:
    forged: list[Over] = []

    async def forge_once(machines: Machines, order: Order) -> Played:
        first, *rest = machines.overs(order)
        assert isinstance(first, Over)
        if not forged:
            forged.append(first)
            first = Over(first.game, first.record, said, first.outcome)
        return Played("w", Answer((first, *rest, Ended(1.0))))

    observer = Host()
    await play(Machines(FOUR, forge_once), tmp_path, observer)
    assert standings(tmp_path) == whole
    with Store.read(tmp_path / STORE) as store:
        assert {game.said for game in store.finished_games(store.events()[0].id)} == {SAID}
    assert any(line.startswith(f"game {forged[0].game} lost") for line in observer.told)


# Workers.


async def test_a_worker_with_another_program_plays_no_more_and_is_named(
    tmp_path: Path, whole: str
) -> None:
    async def one_is_stale(machines: Machines, order: Order) -> Played:
        if not machines.refused:
            return Played("tcp://far:1", Answer((Refused("expected this, got that"),)))
        return await honest(machines, order)

    machines, observer = Machines(FOUR, one_is_stale, cores=1), Host()
    summary = await play(machines, tmp_path, observer)
    assert machines.refused == ["tcp://far:1"]
    assert observer.told == ["tcp://far:1 plays no games: expected this, got that"]
    assert (summary.clean, standings(tmp_path)) == (True, whole)


async def gone(machines: Machines, order: Order) -> Played:
    raise FleetError("the scheduler is gone")


async def test_an_event_whose_machines_are_gone_stops_and_goes_on_later(
    tmp_path: Path, whole: str
) -> None:
    async def lost_soon(machines: Machines, order: Order) -> Played:
        return await (gone if len(machines.orders) > 2 else honest)(machines, order)

    machines, observer = Machines(FOUR, lost_soon), Host()
    summary = await play(machines, tmp_path, observer)
    assert not summary.complete
    assert "the scheduler is gone" in observer.told
    assert audit(tmp_path).problems == []
    later = Host()
    assert (await play(Machines(FOUR), tmp_path, later)).complete
    assert later.told == [f"resumed {len(observer.over)} 0"]
    assert len(later.over) + len(observer.over) == 12
    assert standings(tmp_path) == whole


@pytest.mark.parametrize(
    "printed", [Printed("../../a", 1, b"hm\n"), Printed("x", 1, b"hm\n"), Printed("a", -1, b"hm\n")]
)
async def test_what_no_bot_of_the_event_can_have_printed_is_not_kept(
    tmp_path: Path, printed: Printed
) -> None:
    async def liar(machines: Machines, order: Order) -> Played:
        return Played("w", Answer((*machines.overs(order), printed, Ended(1.0))))

    root = tmp_path / "a" / "b"
    (root / "bots").mkdir(parents=True)
    await play(Machines(FOUR, liar), root)
    assert [path.name for path in tmp_path.rglob("*-*.txt")] == []


async def test_what_programs_print_is_kept_and_sentences_are_told_once(tmp_path: Path) -> None:
    async def chatty(machines: Machines, order: Order) -> Played:
        printed = Printed("a", 1, b"== ended with status 0 after 1 s\nhm\n")
        return Played("w", Answer((Told("so"), *machines.overs(order), printed, Ended(1.0))))

    observer = Host()
    machines = Machines(FOUR, chatty)
    await play(machines, tmp_path, observer)
    assert observer.told == ["so"]
    text = (tmp_path / "bots" / "a-1.txt").read_text()
    assert text.count("\nhm\n") == len(machines.orders)


# The host.


async def test_the_host_may_ask_and_stop_and_nothing_more_goes_out(
    tmp_path: Path, whole: str
) -> None:
    answers: list[dict[str, object]] = []

    async def stopped(machines: Machines, order: Order) -> Played:
        if not answers:
            status = {"command": "status"}
            answers.append(await trio.to_thread.run_sync(ask, tmp_path, status))
            why = {"command": "why", "bot": "a"}
            answers.append(await trio.to_thread.run_sync(ask, tmp_path, why))
            answers.append(await trio.to_thread.run_sync(ask, tmp_path, {"command": "stop"}))
        return await honest(machines, order)

    machines = Machines(FOUR, stopped, cores=1)
    summary = await play(machines, tmp_path)
    assert not summary.complete
    assert len(machines.orders) == 1
    assert (answers[0]["games"], answers[0]["finished"], answers[0]["connected"]) == (12, 0, [])
    assert answers[0]["running"] == 1
    assert str(answers[1]["why"]).startswith("a ")
    assert (await play(Machines(FOUR), tmp_path)).complete
    assert standings(tmp_path) == whole


async def test_a_ruling_of_the_host_takes_effect_and_a_late_entry_is_refused(
    tmp_path: Path,
) -> None:
    refused: list[str] = []

    def amend(ruling: str) -> None:
        try:
            ask(tmp_path, {"command": "amend", "ruling": ruling, "token": "0" * 64})
        except ControlError as error:
            refused.append(str(error))

    async def ruled(machines: Machines, order: Order) -> Played:
        if len(machines.orders) == 1:
            late = json.dumps({"kind": "late-entry", "reason": "r", "entry": "x", "bots": ["x"]})
            withdrawal = format_amendment(Withdrawal("gone home", "c", forfeit=True))
            for ruling in (late, withdrawal):
                parse_amendment(ruling)
                await trio.to_thread.run_sync(amend, ruling)
        return await honest(machines, order)

    summary = await play(Machines(FOUR, ruled, cores=1), tmp_path)
    assert summary.complete
    assert summary.forfeits["c", Reason.NO_START] >= 5
    assert "c: withdrawn (gone home)" in standings(tmp_path)
    (sentence,) = refused
    assert "expected no late entry while the event is on many machines" in sentence
    assert audit(tmp_path).problems == []


async def test_who_was_withdrawn_is_sent_out_no_more(tmp_path: Path) -> None:
    settings = event("a", "b", "c", "d", more="cycles = 40")
    before: list[int] = []

    async def ruled(machines: Machines, order: Order) -> Played:
        if len(machines.orders) == 3:
            before.append(len(machines.orders))
            request = {"command": "amend", "ruling": format_amendment(Withdrawal("home", "c"))}
            await trio.to_thread.run_sync(ask, tmp_path, request)
        return await honest(machines, order)

    machines = Machines(settings, ruled, cores=1)
    assert (await play(machines, tmp_path)).clean
    later = [p for order in machines.orders[before[0] :] for p in order.pairings]
    assert later
    assert not any("c" in pairing.entries for pairing in later)
    assert (audit(tmp_path).problems, audit(tmp_path).left) == ([], 0)


async def test_a_ruling_on_a_game_counts_in_the_table(tmp_path: Path) -> None:
    annulled: list[str] = []

    async def ruled(machines: Machines, order: Order) -> Played:
        if len(machines.orders) == 3:
            annulled.append(format_amendment(Annulment("power cut", 1)))
            request = {"command": "amend", "ruling": annulled[0]}
            await trio.to_thread.run_sync(ask, tmp_path, request)
        return await honest(machines, order)

    assert (await play(Machines(FOUR, ruled, cores=1), tmp_path)).complete
    assert "game 1: annulled (power cut)" in standings(tmp_path)


def test_bots_that_dial_in_are_refused_with_their_place() -> None:
    source = FOUR.source.replace(b'command = "c"', b"remote = true")
    with pytest.raises(EventFileError, match=r"far.toml: bots\[3\].remote: expected programs only"):
        check_local(settings_of(source, "far.toml"), "far.toml")


async def test_an_event_with_a_late_entry_is_refused(tmp_path: Path) -> None:
    late = '{"kind":"late-entry","reason":"r","entry":"x","bots":["x"]}'

    async def nothing(opened: object) -> Summary:
        return Summary()

    await host(FOUR, tmp_path, Host(), nothing)
    with Store.open(tmp_path / STORE) as store:
        store.amend(store.events()[0].id, "ruling", late)
    with pytest.raises(ExceptionGroup) as caught:
        await play(Machines(FOUR), tmp_path)
    assert "expected programs only on many machines" in str(caught.value.exceptions[0])
