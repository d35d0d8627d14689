"""A whole event: which games are played, when, and what becomes of bots that do not come."""

from __future__ import annotations

from collections import Counter

import pytest
import trio
from trio.testing import MockClock

from sternhalma_server.opening import number
from sternhalma_server.referee import Finished, Referee
from sternhalma_server.roster import WITHDRAWN_AFTER
from sternhalma_server.testing import (
    LONG,
    MemoryServer,
    Script,
    ScriptedPeer,
    first_moves,
    memory_server,
    remote_event,
)
from sternhalma_server.verdict import Reason

READY_SECONDS = 60  # the event file's default for a remote bot that is not there


def bots(games: list[Finished]) -> list[tuple[str, ...]]:
    """Who sat where, by the number of the game."""
    return [game.table.bots for game in sorted(games, key=lambda game: int(game.table.game))]


def reasons(games: list[Finished]) -> Counter[Reason]:
    return Counter(game.reason for game in games)


def paths(game: Finished) -> list[str]:
    """The paths played in a game."""
    return [getattr(event, "path", "") for event in game.happened]


async def everybody(server: MemoryServer, *names: str) -> None:
    """Seat honest bots called *names*."""
    for name in names:
        await server.seat(name)


async def test_everybody_meets_everybody_in_every_cycle_from_each_side(
    autojump_clock: MockClock,
) -> None:
    async with memory_server(remote_event("a", "b", "c", cycles=2, limit=2)) as server:
        await everybody(server, "a", "b", "c")
        summary = await server.ended()
    assert sorted(bots(server.games)) == sorted(
        [("a", "b"), ("b", "a"), ("a", "c"), ("c", "a"), ("b", "c"), ("c", "b")]
    )
    assert summary.games == 6
    assert summary.clean


async def test_games_are_numbered_from_one_and_told_so(autojump_clock: MockClock) -> None:
    async with memory_server(remote_event("a", "b", "c", limit=1)) as server:
        await everybody(server, "a", "b", "c")
        await server.ended()
    assert sorted(int(game.table.game) for game in server.games) == [1, 2, 3]


async def test_games_of_two_bots_are_played_in_the_order_of_their_numbers(
    autojump_clock: MockClock,
) -> None:
    async with memory_server(remote_event("a", "b", cycles=6, parallel=3, limit=1)) as server:
        await everybody(server, "a", "b")
        await server.ended()
    assert [int(game.table.game) for game in server.games] == [1, 2, 3, 4, 5, 6]


async def test_the_same_event_file_gives_the_same_games(autojump_clock: MockClock) -> None:
    event = remote_event("a", "b", "c", cycles=2, limit=5, opening=4, seed=7, parallel=3)
    runs: list[list[tuple[tuple[str, ...], list[str], tuple[int, ...]]]] = []
    for order in ("abc", "cba"):
        async with memory_server(event) as server:
            await everybody(server, *order)
            await server.ended()
        games = sorted(server.games, key=lambda game: int(game.table.game))
        runs.append([(game.table.bots, paths(game), game.table.seeds) for game in games])
    assert runs[0] == runs[1]


async def test_another_seed_gives_other_openings(autojump_clock: MockClock) -> None:
    openings: list[tuple[str, ...]] = []
    for seed in (1, 2):
        async with memory_server(remote_event("a", "b", limit=5, opening=4, seed=seed)) as server:
            await everybody(server, "a", "b")
            await server.ended()
        openings.append(server.games[0].table.opening)
    assert openings[0] != openings[1]


async def test_both_games_of_two_bots_begin_with_the_same_opening(
    autojump_clock: MockClock,
) -> None:
    async with memory_server(remote_event("a", "b", "c", cycles=2, limit=4, opening=4)) as server:
        await everybody(server, "a", "b", "c")
        await server.ended()
    openings: dict[frozenset[str], set[tuple[str, ...]]] = {}
    for game in server.games:
        openings.setdefault(frozenset(game.table.bots), set()).add(game.table.opening)
    assert all(len(different) == 1 for different in openings.values())
    assert len(set.union(*openings.values())) == 3, "and other pairings with another"


async def test_the_seed_of_a_seat_follows_from_event_game_and_seat(
    autojump_clock: MockClock,
) -> None:
    async with memory_server(remote_event("a", "b", limit=1, seed=42)) as server:
        peer = await server.seat("a")
        await everybody(server, "b")
        await server.ended()
    (line,) = [line for line in peer.heard if line.startswith("game ")]
    seat = "A" if server.games[0].table.bots[0] == "a" else "D"
    assert f" seed={number(f'42/1/{seat}')} " in line


async def test_versions_are_kept_with_the_game(autojump_clock: MockClock) -> None:
    async with memory_server(remote_event("a", "b", limit=1)) as server:
        await server.seat("a", keys="moves=yes version=1.2")
        await everybody(server, "b")
        await server.ended()
    table = server.games[0].table
    assert dict(zip(table.bots, table.versions, strict=True)) == {"a": "1.2", "b": None}


async def test_an_event_for_three_plays_three_at_a_table(autojump_clock: MockClock) -> None:
    event = remote_event("a", "b", "c", "d", rules="tara", players=3, limit=2)
    async with memory_server(event) as server:
        await everybody(server, "a", "b", "c", "d")
        await server.ended()
    assert all(len(set(names)) == 3 for names in bots(server.games))


async def test_in_an_event_of_pairs_one_bot_plays_both_seats_over_two_connections(
    autojump_clock: MockClock,
) -> None:
    event = remote_event("a", "b", rules="corner+pairs", players=4, limit=2)
    async with memory_server(event) as server:
        for name in ("a", "b"):
            for slot in (1, 2):
                await server.seat(name, keys=f"moves=yes slot={slot}")
        await server.ended()
    (game,) = server.games
    assert sorted(game.table.bots) == ["a", "a", "b", "b"]
    assert game.table.bots[0] == game.table.bots[2]
    assert game.reason is Reason.SHARE


async def test_a_pair_that_brings_one_connection_has_not_started_and_the_event_ends(
    autojump_clock: MockClock,
) -> None:
    event = remote_event("a", "b", rules="corner+pairs", players=4, limit=2)
    async with memory_server(event) as server:
        await server.seat("a")
        for slot in (1, 2):
            await server.seat("b", keys=f"moves=yes slot={slot}")
        await server.ended()
    (game,) = server.games
    assert game.reason is Reason.NO_START
    assert {game.table.bots[fall.seat] for fall in game.falls} == {"a"}


async def test_credit_for_lag_is_for_bots_that_play_over_a_network(
    autojump_clock: MockClock,
) -> None:
    event = remote_event("a", "b", limit=1, lag={"per_move": "50ms", "cap": "200ms"})
    tally = Tally()
    async with memory_server(event) as server:
        far = await server.seat("a", tally.slow(0.15), address="192.0.2.1")
        await server.seat("b", tally.slow(0.15))
        await server.ended()
    moved = {line.split(" ")[3]: line for line in far.heard if line.startswith("moved ")}
    far_seat = "AD"[server.games[0].table.bots.index("a")]
    near_seat = "DA"[server.games[0].table.bots.index("a")]
    assert " charged=0.000 " in moved[far_seat]
    assert moved[far_seat].endswith(" credit=150.000")
    assert moved[near_seat].endswith(" charged=150.000 left=2000")


# Many games at once.


class Tally:
    """How many games each bot has under way, and how many there were at once."""

    def __init__(self) -> None:
        self.running: set[str] = set()
        self.most = 0
        self.order: list[str] = []

    def slow(self, seconds: float) -> Script:
        """A script that thinks *seconds* and tells when its games begin and end."""

        async def script(peer: ScriptedPeer) -> None:
            try:
                while True:
                    line = await peer.receive()
                    word, game, *_ = line.split(" ")
                    if word == "game":
                        self.running.add(game)
                        self.most = max(self.most, len(self.running))
                    elif word == "over":
                        self.running.discard(game)
                        if game not in self.order:
                            self.order.append(game)
                    elif word == "turn":
                        await trio.sleep(seconds)
                        await peer.answer(line)
            except EOFError:
                return

        return script


async def test_as_many_games_run_at_once_as_the_event_says(autojump_clock: MockClock) -> None:
    tally = Tally()
    async with memory_server(remote_event(*"abcdef", parallel=2, limit=2)) as server:
        for name in "abcdef":
            await server.seat(name, tally.slow(0.1))
        await server.ended()
    assert tally.most == 2
    assert len(server.games) == 15


async def test_a_bot_with_several_connections_plays_several_games_at_once(
    autojump_clock: MockClock,
) -> None:
    tally = Tally()
    async with memory_server(remote_event(*"abcd", parallel=8, limit=2, spread=9)) as server:
        for slot in (1, 2, 3):
            await server.seat("a", tally.slow(0.1), f"moves=yes slot={slot}")
        await everybody(server, "b", "c", "d")
        await server.ended()
    assert tally.most == 3


async def test_a_bot_with_one_connection_plays_one_game_at_a_time(
    autojump_clock: MockClock,
) -> None:
    tally = Tally()
    async with memory_server(remote_event(*"abcd", parallel=8, limit=2)) as server:
        await server.seat("a", tally.slow(0.1))
        await everybody(server, "b", "c", "d")
        await server.ended()
    assert tally.most == 1


async def test_a_slow_bot_holds_up_its_own_games_and_no_others(autojump_clock: MockClock) -> None:
    event = remote_event(*"abcd", cycles=6, parallel=2, limit=10, clock="60s", spread=18)
    tally = Tally()
    async with memory_server(event) as server:
        await server.seat("a", tally.slow(50))
        await everybody(server, "b", "c", "d")
        await server.ended()
    # b, c and d have 18 games among themselves, and meanwhile a has played one.
    first = next(n for n, game in enumerate(server.games) if "a" in game.table.bots)
    assert first >= 6, "no round barrier"
    assert len(server.games) == 36
    assert server.director.summary.clean


async def test_nobody_gets_further_ahead_of_the_others_than_the_event_allows(
    autojump_clock: MockClock,
) -> None:
    event = remote_event(*"abcd", cycles=6, parallel=2, limit=2, clock="60s", spread=3)
    tally = Tally()
    async with memory_server(event) as server:
        await server.seat("a", tally.slow(5))
        await everybody(server, "b", "c", "d")
        await server.ended()
    played: Counter[str] = Counter(dict.fromkeys("abcd", 0))
    for game in server.games:
        played.update(game.table.bots)
        # A game counts from its beginning: the one that is over was one of them.
        assert max(played.values()) - min(played.values()) <= 3 + 1


# Bots that do not come.


def withdrawals(server: MemoryServer) -> list[str]:
    """What the host was told of bots that are withdrawn."""
    return [sentence for sentence in server.sentences if "withdrawn" in sentence]


async def test_the_others_play_while_a_bot_is_awaited(autojump_clock: MockClock) -> None:
    async with memory_server(remote_event("a", "b", "late", limit=1)) as server:
        await everybody(server, "a", "b")
        await trio.sleep(1)
        assert [set(game.table.bots) for game in server.games] == [{"a", "b"}]
        await server.seat("late")
        summary = await server.ended()
    assert summary.clean
    assert trio.current_time() < READY_SECONDS


async def test_a_bot_that_does_not_come_loses_by_no_start_after_its_budget(
    autojump_clock: MockClock,
) -> None:
    async with memory_server(remote_event("a", "b", "gone", limit=1)) as server:
        await everybody(server, "a", "b")
        await trio.sleep(READY_SECONDS - 1)
        assert len(server.games) == 1, "not before"
        await trio.sleep(2)
        summary = await server.ended()
    assert reasons(server.games) == {Reason.SHARE: 1, Reason.NO_START: 2}
    assert summary.forfeits == {("gone", Reason.NO_START): 2}
    assert summary.withdrawn == []
    assert not summary.clean


async def test_after_three_no_starts_in_a_row_a_bot_is_withdrawn_and_the_host_is_told(
    autojump_clock: MockClock,
) -> None:
    async with memory_server(remote_event("a", "b", "gone", cycles=2, limit=1)) as server:
        await everybody(server, "a", "b")
        summary = await server.ended()
    assert WITHDRAWN_AFTER == 3
    assert summary.withdrawn == ["gone"]
    assert summary.forfeits == {("gone", Reason.NO_START): 4}
    assert len(server.games) == 6, "the table is full"
    assert withdrawals(server) == ["gone did not come to 3 games in a row and is withdrawn"]


async def test_a_game_that_neither_bot_comes_to_is_aborted_and_scores_nothing(
    autojump_clock: MockClock,
) -> None:
    async with memory_server(remote_event("a", "gone", "lost", limit=1)) as server:
        await everybody(server, "a")
        summary = await server.ended()
    game = next(game for game in server.games if "a" not in game.table.bots)
    assert game.reason is Reason.ABORTED
    assert game.result is None
    assert summary.voids == 1


async def test_an_event_to_which_nobody_comes_ends(autojump_clock: MockClock) -> None:
    async with memory_server(remote_event("a", "b", "c", cycles=4)) as server:
        summary = await server.ended()
    assert reasons(server.games) == {Reason.ABORTED: 12}
    assert sorted(summary.withdrawn) == ["a", "b", "c"]


async def test_a_bot_that_leaves_between_games_and_comes_back_within_its_budget_misses_none(
    autojump_clock: MockClock,
) -> None:
    tally = Tally()
    async with memory_server(remote_event("a", "b", "c", cycles=2, limit=2)) as server:
        for name in ("b", "c"):
            await server.seat(name, tally.slow(1))
        peer = await server.seat("a")
        while not any("a" in game.table.bots for game in server.games):
            await trio.sleep(0.5)
        while "a" in server.tables[-1].bots:
            await trio.sleep(0.5)
        peer.close()  # b and c sit at the board: a has a rest
        await trio.sleep(READY_SECONDS - 10)
        await server.seat("a")
        summary = await server.ended()
    assert summary.clean
    assert reasons(server.games) == {Reason.SHARE: 6}


async def test_coming_back_starts_the_count_of_missed_games_anew(autojump_clock: MockClock) -> None:
    # Among three the others play on without a, and their games take time.
    tally = Tally()
    event = remote_event(*"abc", rules="tara", players=3, cycles=2, limit=2, clock="60s")
    async with memory_server(event) as server:
        for name in ("b", "c"):
            await server.seat(name, tally.slow(10))
        while len(server.tables) < 2:
            await trio.sleep(1)
        peer = server.connect()
        await peer.login("a")
        await peer.find("turn ...")
        peer.close()
        while len(server.tables) < 5:
            await trio.sleep(1)
        await server.seat("a")
        summary = await server.ended()
    missed = ["".join(fall.reason for fall in game.falls) for game in server.games]
    assert missed == ["no-start", "no-start", "disconnect", "no-start", "no-start", ""]
    assert summary.withdrawn == []


async def test_why_tells_a_withdrawn_bot_so(autojump_clock: MockClock) -> None:
    async with memory_server(remote_event("a", "b", "gone", cycles=20, limit=20)) as server:
        tally = Tally()
        await server.seat("a", tally.slow(1.5))
        await everybody(server, "b")
        while not withdrawals(server):
            await trio.sleep(1)
        gone = server.connect(patience=LONG)
        await gone.login("gone")
        await gone.send("why")
        await gone.expect("why gone is withdrawn from the event")


# When the server itself fails.


async def test_a_game_in_which_the_server_fails_is_played_again(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails_in(monkeypatch, times=1)
    async with memory_server(remote_event("a", "b", "c", limit=3)) as server:
        await everybody(server, "a", "b", "c")
        summary = await server.ended()
    assert reasons(server.games) == {Reason.SHARE: 3}
    assert summary.games == 3
    assert not summary.clean, "the summary tells it"
    assert any("played again" in sentence for sentence in server.sentences)


async def test_a_game_in_which_the_server_fails_twice_is_void_and_the_event_goes_on(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails_in(monkeypatch, times=2)
    async with memory_server(remote_event("a", "b", "c", limit=3)) as server:
        await everybody(server, "a", "b", "c")
        summary = await server.ended()
    assert reasons(server.games) == {Reason.SHARE: 2, Reason.SERVER_FAULT: 1}
    void = next(game for game in server.games if game.reason is Reason.SERVER_FAULT)
    assert void.result is None
    assert not summary.clean
    assert not summary.forfeits, "nobody loses for it"


def fails_in(monkeypatch: pytest.MonkeyPatch, *, times: int) -> None:
    """Let the referee of game 1 fail at its third ply, *times* times."""
    left = [times]
    question = Referee.question

    def failing(self: Referee, **keys: object) -> str:
        if self.table.game == "1" and self.ply == 3 and left[0]:
            left[0] -= 1
            raise RuntimeError("a bug in the server")
        return question(self, **keys)  # type: ignore[arg-type]

    monkeypatch.setattr(Referee, "question", failing)


async def test_a_summary_of_an_event_without_faults_is_clean(autojump_clock: MockClock) -> None:
    async with memory_server(remote_event("a", "b", limit=1)) as server:
        await everybody(server, "a")
        await server.seat("b", first_moves)
        summary = await server.ended()
    assert summary.clean
    assert (summary.games, summary.voids, summary.withdrawn) == (1, 0, [])
