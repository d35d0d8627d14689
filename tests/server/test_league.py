"""A league as it is served: ladders and events side by side, and what a host decides meanwhile."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio

from sternhalma_server.admission import token_digest
from sternhalma_server.announce import Table
from sternhalma_server.archive import STORE
from sternhalma_server.control import ControlError, ask
from sternhalma_server.league import serve_league
from sternhalma_server.league_audit import audit_league
from sternhalma_server.league_settings import league_of
from sternhalma_server.listener import Listener
from sternhalma_server.outcome import Outcome, read_outcome
from sternhalma_server.referee import Finished
from sternhalma_server.store import Store
from sternhalma_server.testing import Script, ScriptedPeer, dial, first_moves
from sternhalma_tournament.amendments import (
    Amendment,
    Annulment,
    Disqualification,
    Reinstatement,
    Withdrawal,
    format_amendment,
)
from sternhalma_tournament.trial import TrialState

SECONDS = 60.0
GAME = 'rules = "duel"\nplayers = 2\nclock = "5s"\nlimit = 3\n'
LADDER = f'name = "ladder"\nformat = "ladder"\nopening = 2\n{GAME}'
CUP = f'name = "cup"\ncycles = 2\n{GAME}'
BUDGETS = '[budgets]\ndrain = "5s"\n'


class Watching:
    """What an observer of an event is told."""

    def __init__(self, league: OpenLeague, event: str) -> None:
        self._league = league
        self._event = event

    def listening(self, host: str, port: int) -> None:
        """Never: that is told of the league."""

    def resumed(self, finished: int, running: int) -> None:
        self._league.told.append(f"{self._event} goes on after {finished} with {running}")

    def planned(self, games: int) -> None:
        pass

    def started(self, table: Table) -> None:
        self._league.began.append(table)

    def finished(self, finished: Finished) -> None:
        self._league.over.append(finished)
        self._league.news.set()
        self._league.news = trio.Event()

    def tested(self, trial: TrialState) -> None:
        """Never: no match is tested here."""

    def tell(self, sentence: str) -> None:
        self._league.told.append(f"{self._event}: {sentence}")


class OpenLeague:
    """A league that is served, its host and its bots."""

    def __init__(self, root: Path, nursery: trio.Nursery) -> None:
        self.root = root
        self.peers: list[ScriptedPeer] = []
        self.told: list[str] = []
        self.began: list[Table] = []
        self.over: list[Finished] = []
        self.news = trio.Event()
        self.nursery = nursery
        self.address = ("", 0)
        self.open = trio.Event()

    def listening(self, host: str, port: int) -> None:
        self.address = (host, port)
        self.open.set()

    async def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        return await trio.to_thread.run_sync(ask, self.root, request)

    async def do(self, verb: str, event: str, **more: object) -> None:
        await self.ask({"command": "event", "do": verb, "event": event, **more})

    async def add(self, source: str) -> None:
        await self.ask({"command": "event", "do": "add", "source": source})

    async def register(self, *bots: str) -> None:
        for bot in bots:
            await self.ask({"command": "register", "bot": bot, "digest": token_digest(bot)})

    async def dial(self) -> ScriptedPeer:
        peer = ScriptedPeer(await dial(*self.address), SECONDS)
        self.peers.append(peer)
        return peer

    async def seat(
        self, bot: str, script: Script = first_moves, keys: str = "moves=yes"
    ) -> ScriptedPeer:
        """Connect *bot*, whose token is its name."""
        peer = await self.dial()
        await peer.login(bot, f"token={bot} {keys}")
        self.nursery.start_soon(script, peer)
        return peer

    async def until(self, condition: Callable[[], bool]) -> None:
        """Return when *condition* holds after a game."""
        while not condition():
            await self.news.wait()

    async def state(self, event: str, wanted: str) -> None:
        """Return when *event* is in the state *wanted*."""
        while True:
            events = (await self.ask({"command": "status"}))["events"]
            if wanted in {one["state"] for one in events if one["name"] == event}:
                return
            await trio.sleep(0.01)

    def games(self, event: str) -> list[Finished]:
        return [one for one in self.over if one.table.event == event]


@asynccontextmanager
async def league(
    root: Path, folder: Path, events: Mapping[str, str] = {}, more: str = ""
) -> AsyncGenerator[OpenLeague]:
    """Serve a league during the block, and stop it as a host does.

    *events* are started with it, by the names of their files.
    """
    for name, text in events.items():
        (folder / name).write_text(text)
    files = ", ".join(f'"{name}"' for name in events)
    source = f'name = "open"\nevents = [{files}]\nparallel = 4\n{more}{BUDGETS}'
    settings = league_of(source.encode(), "league.toml", folder)
    listener = Listener("127.0.0.1", 0)
    try:
        with trio.fail_after(SECONDS):
            async with trio.open_nursery() as bots:
                served = OpenLeague(root, bots)
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(
                        serve_league,
                        settings,
                        listener,
                        root,
                        served.told.append,
                        partial(Watching, served),
                        served.listening,
                    )
                    await served.open.wait()
                    yield served
                    await served.ask({"command": "stop"})
                bots.cancel_scope.cancel()
                for peer in served.peers:
                    peer.close()
    finally:
        listener.close()


def outcomes(root: Path, event: str) -> list[Outcome]:
    with Store.read(root / STORE) as store:
        stored = store.event(event)
        assert stored is not None
        return [read_outcome(one.outcome, one.record) for one in store.outcomes(stored.id)]


def sound(root: Path) -> bool:
    with Store.read(root / STORE) as store:
        found = audit_league(root, store)
    assert found.problems == []
    assert [one.problems for one in found.events.values()] == [[]] * len(found.events)
    return True


async def test_a_ladder_is_played_by_whoever_is_there(tmp_path: Path) -> None:
    root = tmp_path / "open"
    async with league(root, tmp_path, {"ladder.toml": LADDER}) as served:
        await served.register("zoe", "max", "ida")
        for bot in ("zoe", "max", "ida"):
            await served.seat(bot)
        await served.until(lambda: len(served.over) >= 12)
    played = outcomes(root, "ladder")
    assert len(played) >= 12
    assert {bot for one in played for bot in one.bots} == {"zoe", "max", "ida"}
    assert all(one.forfeits == (None, None) for one in played)
    assert sound(root)
    assert "| rank | bot" in (root / "ratings.md").read_text()


async def test_a_game_is_named_by_its_event(tmp_path: Path) -> None:
    async with league(tmp_path / "open", tmp_path, {"ladder.toml": LADDER}) as served:
        await served.register("zoe", "max")
        peer = await served.seat("zoe")
        await served.seat("max")
        await served.until(lambda: len(served.over) >= 1)
    assert any(line.startswith("game ladder/1 ") for line in peer.heard)


async def test_an_event_comes_before_the_ladder_for_its_bots(tmp_path: Path) -> None:
    root = tmp_path / "open"
    async with league(root, tmp_path, {"ladder.toml": LADDER}) as served:
        await served.register("zoe", "max", "ida")
        for bot in ("zoe", "max", "ida"):
            await served.seat(bot)
        await served.until(lambda: len(served.over) >= 2)
        await served.add(f'{CUP}[[bots]]\nname = "zoe"\n[[bots]]\nname = "max"\n')
        await served.do("start", "cup")
        await served.state("cup", "closed")
        await served.until(lambda: served.began[-1].event == "ladder")
    names = [table.event for table in served.began]
    first, last = names.index("cup"), len(names) - 1 - names[::-1].index("cup")
    between = [table for table in served.began[first:last] if table.event == "ladder"]
    assert all("ida" in table.bots for table in between)  # whom the cup does not need
    assert names.count("cup") == 2
    assert names[-1] == "ladder"
    assert sound(root)
    assert "| zoe" in (root / "events" / "cup" / "standings.md").read_text()


async def test_a_bot_that_is_not_registered_any_more_is_sent_away(tmp_path: Path) -> None:
    async with league(tmp_path / "open", tmp_path) as served:
        await served.register("zoe")
        peer = await served.seat("zoe", script=_hear)
        await served.ask({"command": "unregister", "bot": "ZOE"})
        while not any(line.startswith("bye ") for line in peer.heard):
            await trio.sleep(0.01)
        assert peer.heard[-1].startswith("bye unregistered ")
        again = await served.dial()
        await again.expect("sternhalma ...")
        await again.send("login zoe token=zoe")
        assert (await again.receive()).startswith("bye unknown-name ")


async def _hear(peer: ScriptedPeer) -> None:
    await peer.end()


async def test_another_version_is_rated_by_itself_and_no_part_of_an_event(tmp_path: Path) -> None:
    root = tmp_path / "open"
    cup = f'{CUP}[[bots]]\nname = "zoe"\n[[bots]]\nname = "max"\n[[bots]]\nname = "ida"\n'
    async with league(root, tmp_path, {"ladder.toml": LADDER}) as served:
        await served.register("zoe", "max", "ida")
        await served.seat("max")
        first = await served.seat("zoe", keys="moves=yes version=1")
        await served.until(lambda: len(served.over) >= 2)
        await served.add(cup)
        await served.do("start", "cup")
        await served.until(lambda: len(served.games("cup")) == 2)  # ida is not there yet
        first.close()
        await served.seat("zoe", keys="moves=yes version=2")
        why = (await served.ask({"command": "why", "bot": "zoe"}))["why"]
        assert why == "cup: expected version 1 as before in this event, got 2"
        await served.do("close", "cup")
        await served.until(lambda: any("2" in one.table.versions for one in served.over))
    assert {one.versions[one.bots.index("zoe")] for one in outcomes(root, "cup")} == {"1"}
    csv = (root / "ratings.csv").read_text()
    assert ",zoe,1," in csv
    assert ",zoe,2," in csv
    assert sound(root)


async def test_an_event_is_paused_and_goes_on(tmp_path: Path) -> None:
    root = tmp_path / "open"
    cup = f'name = "cup"\ncycles = 20\n{GAME}[[bots]]\nname = "zoe"\n[[bots]]\nname = "max"\n'
    async with league(root, tmp_path) as served:
        await served.register("zoe", "max")
        await served.add(cup)
        await served.do("start", "cup")
        await served.seat("zoe")
        await served.seat("max")
        await served.until(lambda: len(served.over) >= 5)
        await served.do("pause", "cup")
        await served.state("cup", "paused")
        before = None
        while before != len(served.over):  # the game that ran is played on
            before = len(served.over)
            await trio.sleep(0.1)
        assert before < 20
        await served.do("start", "cup")
        await served.state("cup", "closed")
    assert len(outcomes(root, "cup")) == 20
    assert sound(root)


async def test_entries_are_taken_until_an_event_begins(tmp_path: Path) -> None:
    root = tmp_path / "open"
    async with league(root, tmp_path) as served:
        await served.register("zoe", "max", "ida")
        await served.add(CUP)
        await served.do("open", "cup")
        with pytest.raises(ControlError, match="cup: bots: expected at least 2 for 2 players"):
            await served.do("start", "cup")
        with pytest.raises(ControlError, match="cup: expected a bot of the league, got 'kim'"):
            await served.do("enter", "cup", bots=["zoe", "kim"])
        await served.do("enter", "cup", bots=["zoe", "MAX"])
        await served.do("start", "cup")
        with pytest.raises(ControlError, match="cup: expected an event that has not begun"):
            await served.do("enter", "cup", bots=["ida"])
        await served.seat("zoe")
        await served.seat("max")
        await served.state("cup", "closed")
    assert Counter(one.entries for one in outcomes(root, "cup")) == {
        ("zoe", "max"): 1,
        ("max", "zoe"): 1,
    }


async def test_a_league_goes_on_after_its_server_with_all_it_had(tmp_path: Path) -> None:
    root = tmp_path / "open"
    cup = f'{CUP}[[bots]]\nname = "zoe"\n[[bots]]\nname = "max"\n'
    events = {"ladder.toml": LADDER, "cup.toml": cup}
    async with league(root, tmp_path) as served:
        await served.register("zoe", "max", "ida", "kim")
    async with league(root, tmp_path, events) as served:
        await served.seat("kim")
        await served.seat("ida")
        await served.until(lambda: len(served.games("ladder")) >= 3)
    async with league(root, tmp_path, events) as served:
        for bot in ("zoe", "max", "ida", "kim"):
            await served.seat(bot)
        await served.state("cup", "closed")
        assert any(told.startswith("ladder goes on after ") for told in served.told)
        await served.until(lambda: len(served.games("ladder")) >= 3)
    with Store.read(root / STORE) as store:
        ladder = store.event("ladder")
        assert ladder is not None
        numbers = [game.game for game in store.finished_games(ladder.id)]
    assert len(numbers) >= 6
    assert len(numbers) == len(set(numbers))
    assert sound(root)


async def test_an_event_that_cannot_be_played_holds_up_no_other(tmp_path: Path) -> None:
    root = tmp_path / "open"
    cup = f'{CUP}[[bots]]\nname = "zoe"\n[[bots]]\nname = "max"\n'
    (root / "events" / "cup").mkdir(parents=True)
    (root / "events" / "cup" / "event.toml").write_text("another event's")
    async with league(root, tmp_path, {"ladder.toml": LADDER}) as served:
        await served.register("zoe", "max")
        await served.add(cup)
        await served.do("start", "cup")
        await served.seat("zoe")
        await served.seat("max")
        await served.until(lambda: len(served.games("ladder")) >= 2)
    assert any(told.startswith("cup: cannot be played: ") for told in served.told)


async def test_a_host_rules_on_a_ladder(tmp_path: Path) -> None:
    root = tmp_path / "open"
    async with league(root, tmp_path, {"ladder.toml": LADDER}) as served:
        await served.register("zoe", "max", "ida")
        for bot in ("zoe", "max", "ida"):
            await served.seat(bot)
        await served.until(lambda: len(served.over) >= 6)
        for ruling in (
            Disqualification(reason="an engine of two", entry="ida"),
            Annulment(reason="the power went", number=1),
        ):
            request = {"command": "amend", "event": "ladder"}
            await served.ask(request | {"ruling": format_amendment(ruling)})
        begun = len(served.began)
        await served.until(lambda: len(served.began) >= begun + 6)
        later = served.began[begun + 1 :]  # one may have been on its way
        assert all("ida" not in table.bots for table in later)
        kim = format_amendment(Disqualification(reason="who", entry="kim"))
        with pytest.raises(ControlError, match="expected a bot of the ladder, got 'kim'"):
            await served.ask({"command": "amend", "event": "ladder", "ruling": kim})
    assert "Left out: annulled 1" in (root / "ratings.md").read_text()
    assert sound(root)


async def test_an_event_that_was_closed_before_its_first_game_is_no_part_of_the_season(
    tmp_path: Path,
) -> None:
    root = tmp_path / "open"
    async with league(root, tmp_path) as served:
        await served.register("zoe", "max")
        await served.add(CUP)
        await served.do("close", "cup")
    assert "cup" not in (root / "season.md").read_text()
    assert sound(root)


async def test_a_program_that_cannot_be_started_plays_no_more_of_a_ladder(tmp_path: Path) -> None:
    root = tmp_path / "open"
    gone = '[[bots]]\nname = "gone"\ncommand = "false"\n'
    async with league(root, tmp_path, {"ladder.toml": LADDER}, gone) as served:
        await served.register("zoe", "max")
        await served.seat("zoe")
        await served.seat("max")
        await served.until(lambda: len(served.over) >= 20)
    played = ["gone" in one.bots for one in outcomes(root, "ladder")]
    assert 3 <= sum(played) <= 3 + 4  # four games may have been begun at once
    assert not any(played[-10:])
    assert any("gone did not come to 3 games in a row" in told for told in served.told)


async def test_a_ruling_says_that_it_ends_an_event_or_opens_one_again(tmp_path: Path) -> None:
    root = tmp_path / "open"

    async def ruled(served: OpenLeague, ruling: Amendment) -> list[str]:
        request = {"command": "amend", "event": "cup", "ruling": format_amendment(ruling)}
        return list((await served.ask(request))["ruled"])

    async with league(root, tmp_path) as served:
        await served.register("zoe", "max")
        await served.add(CUP)
        await served.do("enter", "cup", bots=["zoe", "max"])
        await served.do("start", "cup")  # nobody comes, so that no game runs
        _, told = await ruled(served, Withdrawal(reason="ill", entry="max"))
        assert told == "no game is left to play: the event is over now"
        await served.state("cup", "closed")
        _, told = await ruled(served, Reinstatement(reason="well", entry="max"))
        start = f"sternhalma event {root} start cup"
        assert told == f"there are games to come: the event is paused now, {start!r} plays them"
        await served.state("cup", "paused")


async def test_a_ruling_says_that_an_event_ends_with_the_games_that_run(tmp_path: Path) -> None:
    root = tmp_path / "open"
    answer = trio.Event()

    async def waiting(peer: ScriptedPeer) -> None:
        await answer.wait()
        await first_moves(peer)

    async with league(root, tmp_path) as served:
        await served.register("zoe", "max")
        await served.add(CUP)
        await served.do("enter", "cup", bots=["zoe", "max"])
        await served.do("start", "cup")
        for bot in ("zoe", "max"):
            await served.seat(bot, waiting)
        while not served.began:
            await trio.sleep(0.01)
        ruling = format_amendment(Withdrawal(reason="ill", entry="max"))
        answered = await served.ask({"command": "amend", "event": "cup", "ruling": ruling})
        assert answered["ruled"][1:] == [
            "no more games are begun: the event is over when those that run are"
        ]
        answer.set()
        await served.state("cup", "closed")
    assert len(outcomes(root, "cup")) == 1


async def test_a_bot_plays_an_event_in_one_version_though_it_is_connected_in_two(
    tmp_path: Path,
) -> None:
    root = tmp_path / "open"
    cup = f'{CUP}spread = 4\n[[bots]]\nname = "zoe"\n[[bots]]\nname = "max"\n'
    async with league(root, tmp_path) as served:
        await served.register("zoe", "max")
        for slot in (1, 2):
            await served.seat("zoe", keys=f"moves=yes slot={slot} version={slot}")
            await served.seat("max", keys=f"moves=yes slot={slot}")
        await served.add(cup.replace("cycles = 2", "cycles = 6"))
        await served.do("start", "cup")
        await served.state("cup", "closed")
    versions = {one.versions[one.bots.index("zoe")] for one in outcomes(root, "cup")}
    assert len(versions) == 1


async def test_a_command_that_goes_wrong_ends_no_league(tmp_path: Path) -> None:
    async with league(tmp_path / "open", tmp_path) as served:
        with pytest.raises(ControlError, match="expected TOML"):
            await served.add("a = " + "[" * 50_000)
        with pytest.raises(ControlError, match="expected 64 hexadecimal digits"):
            await served.ask({"command": "register", "bot": "zoe", "digest": "é"})
        assert (await served.ask({"command": "status"}))["league"] == "open"


async def test_a_ladder_goes_on_after_a_ruling_on_a_bot_without_games(tmp_path: Path) -> None:
    root = tmp_path / "open"
    async with league(root, tmp_path, {"ladder.toml": LADDER}) as served:
        await served.register("zoe", "max", "ida")
        ruling = format_amendment(Disqualification(reason="never came", entry="ida"))
        await served.ask({"command": "amend", "event": "ladder", "ruling": ruling})
        await served.ask({"command": "unregister", "bot": "ida"})
    async with league(root, tmp_path) as served:
        await served.seat("zoe")
        await served.seat("max")
        await served.until(lambda: len(served.over) >= 2)
    assert sound(root)
