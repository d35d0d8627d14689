"""Events that were really played hold what their formats promise, by what is in results.csv."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from sternhalma_server.cli import main
from sternhalma_server.referee import Finished
from sternhalma_server.settings import settings_of
from sternhalma_server.testing import ScriptedPeer, first_moves, memory_server, remote_event
from sternhalma_server.testing.peer import Script
from sternhalma_tournament.plan import plan_of
from tournaments.hosted import PATIENCE, Hosted, Row, hosted, rows

AT = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC"  # when a ruling was made


def meetings(played: list[Row]) -> Counter[tuple[str, ...]]:
    """How often each two have met."""
    return Counter(tuple(sorted(two)) for row in played for two in combinations(row.entries, 2))


def seats(played: list[Row]) -> Counter[tuple[str, int]]:
    """How often each has sat in each seat."""
    return Counter((name, seat) for row in played for seat, name in enumerate(row.entries))


async def play(root: Path, text: str, names: list[str]) -> Hosted:
    async with hosted(root, text) as event:
        for name in names:
            await event.seat(name)
        summary = await event.ended()
    assert summary.clean
    assert summary.complete
    return event


@pytest.mark.parametrize(
    ("bots", "players", "cycles", "meet", "sit"),
    [(13, 4, 1, 1, 1), (10, 6, 3, 10, 3), (7, 3, 2, 2, 2)],
)
async def test_a_cyclic_event_meets_its_design_exactly(
    tmp_path: Path, bots: int, players: int, cycles: int, meet: int, sit: int
) -> None:
    names = [f"bot{n}" for n in range(bots)]
    text = remote_event(
        *names, rules="tara", players=players, cycles=cycles, limit=2, parallel=4, opening=2
    )
    await play(tmp_path, text, names)
    played = rows(tmp_path)
    assert len(played) * players == bots * players * sit
    assert set(meetings(played).values()) == {meet}
    assert len(meetings(played)) == bots * (bots - 1) // 2
    assert set(seats(played).values()) == {sit}
    assert len(seats(played)) == bots * players
    assert main(["verify", str(tmp_path)]) == 0


async def test_a_swiss_of_64_bots_plays_7_rounds_without_a_rematch(tmp_path: Path) -> None:
    names = [f"bot{n}" for n in range(64)]
    text = remote_event(*names, rules="tara", format="swiss", rounds=7, limit=1, parallel=8)
    await play(tmp_path, text, names)
    played = rows(tmp_path)
    assert len(played) == 7 * 32
    assert set(meetings(played).values()) == {1}
    first = Counter(row.entries[0] for row in played)
    assert all(abs(2 * first[name] - 7) <= 3 for name in names), "and seats in balance"
    assert main(["verify", str(tmp_path)]) == 0


def at_pace(seconds: float) -> Script:
    """A script that thinks so long."""

    async def script(peer: ScriptedPeer) -> None:
        try:
            while True:
                turn = await peer.find("turn ...")
                await trio.sleep(seconds)
                await peer.answer(turn)
        except (EOFError, OSError):
            return

    return script


async def amend(event: Hosted, *words: str) -> int:
    """The exit status of `sternhalma amend` with *words*, while the event is played."""
    line = ["amend", str(event.root), *words]
    return await trio.to_thread.run_sync(main, line)


async def until(event: Hosted, games: int) -> None:
    """Return when so many games are over."""
    with trio.fail_after(PATIENCE):
        while event.told.over < games:
            await trio.sleep(0.01)


def table(root: Path) -> str:
    return (root / "standings.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("players", "spread"), [(2, 1), (2, 2), (4, 3)])
async def test_bots_of_very_different_speed_never_get_further_apart_than_the_spread(
    autojump_clock: MockClock, players: int, spread: int
) -> None:
    names = [f"bot{n}" for n in range(7)]
    event = remote_event(
        *names,
        rules="tara",
        players=players,
        cycles=4,
        limit=1,
        parallel=5,
        spread=spread,
        clock="none",
    )
    bound = plan_of(settings_of(event.encode(), "event.toml").event).spread
    assert bound is not None
    over = Counter(dict.fromkeys(names, 0))
    gaps: list[int] = []

    async def watch(finished: Finished) -> None:
        over.update(finished.table.entries)
        gaps.append(max(over.values()) - min(over.values()))

    async with memory_server(event, keep=watch) as server:
        for number, name in enumerate(names):
            await server.seat(name, at_pace(3.0**number))
        summary = await server.ended()
    assert summary.clean
    assert 0 < max(gaps) <= bound
    assert gaps[-1] == 0


async def test_a_withdrawal_in_the_middle_is_in_the_table_with_its_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["ann", "bob", "cy", "di"]
    text = remote_event(*names, rules="tara", cycles=12, limit=1, parallel=2)
    async with hosted(tmp_path, text) as event:
        for name in names:
            await event.seat(name, at_pace(0.005))
        await until(event, 10)
        assert await amend(event, "withdraw", "cy", "--reason", "the author asked | for it") == 0
        before = len([row for row in rows(tmp_path) if "cy" in row.entries])
        summary = await event.ended()
    assert summary.complete
    assert summary.clean, "a ruling of the host is no fault"
    capsys.readouterr()
    played = rows(tmp_path)
    with_cy = [row for row in played if "cy" in row.entries]
    assert before <= len(with_cy) < 36 - 10, "what had begun was played on, the rest left out"
    assert meetings([row for row in played if "cy" not in row.entries]) == {
        ("ann", "bob"): 12,
        ("ann", "di"): 12,
        ("bob", "di"): 12,
    }
    assert f"\n{len(played)} games; " in table(tmp_path), "the table is not an interim one"
    assert "| withdrawn |" in table(tmp_path)
    listed = rf"- cy: withdrawn \(the author asked \\\| for it\), {AT}"
    assert any(re.fullmatch(listed, line) for line in table(tmp_path).splitlines())
    said = rf"cy: withdrawn \(the author asked \| for it\), {AT}"
    assert any(re.fullmatch(said, sentence) for sentence in event.told.sentences)
    assert event.told.total == len(played)
    assert main(["verify", str(tmp_path)]) == 0
    assert main(["standings", str(tmp_path)]) == 0
    assert capsys.readouterr().out.endswith(table(tmp_path))


async def test_the_games_to_come_of_a_withdrawn_entry_may_be_forfeited_without_waiting(
    tmp_path: Path,
) -> None:
    names = ["ann", "bob", "cy"]
    text = remote_event(*names, rules="tara", cycles=6, limit=1, parallel=2)
    async with hosted(tmp_path, text) as event:
        for name in names:
            await event.seat(name, at_pace(0.005))
        await until(event, 4)
        assert await amend(event, "withdraw", "cy", "--forfeit", "--reason", "it cheated") == 0
        summary = await event.ended()
    assert summary.complete
    assert summary.withdrawn == []
    played = rows(tmp_path)
    assert set(meetings(played).values()) == {6}, "the table is full"
    forfeited = [row for row in played if "no-start" in row.forfeits]
    assert forfeited
    for row in forfeited:
        assert row.entries[row.forfeits.index("no-start")] == "cy"


async def test_a_late_entry_dials_in_with_its_token_and_meets_everybody(tmp_path: Path) -> None:
    token = "a-secret-of-late"
    digest = f"sha256:{hashlib.sha256(token.encode()).hexdigest()}"
    names = ["ann", "bob", "cy"]
    text = remote_event(*names, rules="tara", cycles=20, limit=1, parallel=2)
    async with hosted(tmp_path, text) as event:
        for name in names:
            await event.seat(name, at_pace(0.005))
        await until(event, 5)
        line = ("late-entry", "late", "--token", digest, "--reason", "its flight was late")
        assert await amend(event, *line) == 0
        await event.seat("late", at_pace(0.005), f"moves=yes token={token}")
        await until(event, 12)
        assert await trio.to_thread.run_sync(main, ["stop", str(tmp_path)]) == 0
        assert not (await event.ended()).complete
    # After a stop it still knows the token, and has its games.
    async with hosted(tmp_path, text) as event:
        for name in names:
            await event.seat(name)
        await event.seat("late", keys=f"moves=yes token={token}")
        assert (await event.ended()).complete
    met = meetings(rows(tmp_path))
    assert set(met.values()) == {20}
    assert len(met) == 6
    assert "| late entry |" in table(tmp_path)
    assert main(["verify", str(tmp_path)]) == 0


async def test_a_late_entry_without_its_token_is_not_let_in(tmp_path: Path) -> None:
    digest = f"sha256:{'0' * 64}"
    text = remote_event("ann", "bob", rules="tara", cycles=2, limit=1)
    async with hosted(tmp_path, text) as event:
        await event.open()
        assert await amend(event, "late-entry", "late", "--token", digest, "--reason", "late") == 0
        with pytest.raises(AssertionError, match="bye bad-token"):
            await event.seat("late", keys="moves=yes token=guessed")
        for name in ("ann", "bob"):
            await event.seat(name)
        await until(event, 2)
        assert await trio.to_thread.run_sync(main, ["stop", str(tmp_path)]) == 0
        await event.ended()


async def test_a_disqualified_entry_that_is_reinstated_plays_what_was_left_out(
    tmp_path: Path,
) -> None:
    names = ["ann", "bob", "cy", "di"]
    text = remote_event(*names, rules="tara", cycles=8, limit=1, parallel=2)
    async with hosted(tmp_path, text) as event:
        for name in names:
            await event.seat(name, at_pace(0.005))
        await until(event, 6)
        assert await amend(event, "disqualify", "di", "--reason", "two programs") == 0
        await until(event, 14)
        assert await amend(event, "reinstate", "di", "--reason", "it was one") == 0
        assert (await event.ended()).complete
    assert set(meetings(rows(tmp_path)).values()) == {8}
    assert "disqualified" not in table(tmp_path)
    assert main(["verify", str(tmp_path)]) == 0


async def test_a_withdrawal_in_a_swiss_and_one_in_a_knockout_are_verified(tmp_path: Path) -> None:
    names = [f"bot{n}" for n in range(8)]
    for format_, key, value in (("swiss", "rounds", 4), ("knockout", "games", 4)):
        root = tmp_path / format_
        keys: dict[str, str | int] = {"format": format_, key: value}
        text = remote_event(*names, rules="tara", limit=1, parallel=3, **keys)
        async with hosted(root, text) as event:
            for name in names:
                await event.seat(name, at_pace(0.005))
            await until(event, 6)
            assert await amend(event, "withdraw", "bot1", "--reason", "it broke") == 0
            assert (await event.ended()).complete
        listed = rf"- bot1: withdrawn \(it broke\), {AT}"
        assert any(re.fullmatch(listed, line) for line in table(root).splitlines())
        assert "Interim" not in table(root)
        assert main(["verify", str(root)]) == 0


async def test_why_is_answered_to_bots_and_to_the_host(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = remote_event("ann", "bob", "cy", rules="tara", limit=1)
    async with hosted(tmp_path, text) as event:
        answers: list[str] = []
        asked = trio.Event()

        async def ask(peer: ScriptedPeer) -> None:
            await peer.send("why")
            answers.append(await peer.find("why ..."))
            asked.set()
            await first_moves(peer)

        await event.seat("ann", ask)
        await asked.wait()
        for bot in ("bob", "nobody"):
            await trio.to_thread.run_sync(main, ["status", str(tmp_path), "--why", bot])
        for name in ("bob", "cy"):
            await event.seat(name)
        await event.ended()
    assert answers == ["why ann waits for bob, who is not connected (game 2)"]
    told = capsys.readouterr()
    assert told.out.startswith("bob waits for bob to connect\n")
    assert "expected a bot of the event, got 'nobody'" in told.err


@pytest.mark.slow
@pytest.mark.parametrize("name", ["swiss", "knockout", "gauntlet", "match", "sprt"])
def test_the_short_events_that_ship_are_played_and_verified(name: str, tmp_path: Path) -> None:
    path = Path(__file__).parents[2] / "tournaments" / "events" / f"{name}.toml"
    assert main(["run", str(path), "--out", str(tmp_path)]) == 0
    assert main(["verify", str(tmp_path)]) == 0
