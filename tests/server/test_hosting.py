"""Hosting an event in its folder: stopping, going on, and who is refused."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest
import trio

from sternhalma_server import cli, happening
from sternhalma_server.announce import Table
from sternhalma_server.archive import STORE, ArchiveError, read_records
from sternhalma_server.audit import audit
from sternhalma_server.control import ask
from sternhalma_server.hosting import host_event, is_finished
from sternhalma_server.keeping import Begun
from sternhalma_server.listener import Listener
from sternhalma_server.lock import LockedError
from sternhalma_server.observer import Summary
from sternhalma_server.record import Ply, Record, parse_record
from sternhalma_server.referee import Finished
from sternhalma_server.settings import settings_of
from sternhalma_server.store import EventId, State, Store, StoredEvent
from sternhalma_server.testing import Script, ScriptedPeer, dial, remote_event
from sternhalma_tournament.reading import EventFileError
from sternhalma_tournament.trial import TrialState

Captured = pytest.CaptureFixture[str]

NAMES = ("zoe", "max", "ida", "kim")
CUP = remote_event(*NAMES, name="cup", rules="corner", limit=4, opening=1, parallel=2)
EVENT = EventId(1)
SECONDS = 30.0


class Hall:
    """The host of an event and its bots, which dial in; an observer of the event.

    *after* is what happens when so many answers have been given, all bots together, and *at_end*
    what happens whenever a game is over.
    """

    def __init__(
        self,
        event: str,
        root: Path,
        after: dict[int, Callable[[], object]] | None = None,
        at_end: Callable[[], object] = int,
    ) -> None:
        self.settings = settings_of(event.encode(), "event.toml")
        self.root = root
        self.after = after or {}
        self.at_end = at_end
        self.answers = 0
        self.turns: list[str] = []  # that were asked
        self.began: list[str] = []
        self.over: list[str] = []
        self.told: list[str] = []
        self.went_on: tuple[int, int] | None = None
        self._listening = trio.Event()

    def listening(self, host: str, port: int) -> None:
        self.address = (host, port)
        self._listening.set()

    def resumed(self, finished: int, running: int) -> None:
        self.went_on = (finished, running)

    def planned(self, games: int) -> None:
        self.games = games

    def started(self, table: Table) -> None:
        self.began.append(table.game)

    def finished(self, finished: Finished) -> None:
        self.over.append(finished.table.game)
        self.at_end()

    def tested(self, trial: TrialState) -> None:
        raise AssertionError(trial)

    def tell(self, sentence: str) -> None:
        self.told.append(sentence)

    async def host(self, script: Script | None = None) -> Summary:
        """Host the event, with all its bots, for as long as that goes."""
        with trio.fail_after(SECONDS):
            async with trio.open_nursery() as nursery:
                for bot in self.settings.event.bots:
                    nursery.start_soon(self._seat, bot.name, script or self.play)
                listener = Listener("127.0.0.1", 0)
                try:
                    summary = await host_event(self.settings, listener, self.root, self)
                finally:
                    listener.close()
                nursery.cancel_scope.cancel()
        return summary

    async def play(self, peer: ScriptedPeer) -> None:
        """Answer every turn with the first move of its list."""
        while True:
            turn = await peer.find("turn ...")
            self.turns.append(turn)
            self.answers += 1
            self.after.get(self.answers, int)()
            await peer.answer(turn)

    async def _seat(self, name: str, script: Script) -> None:
        await self._listening.wait()
        peer = ScriptedPeer(await dial(*self.address))
        try:
            await peer.login(name)
            await script(peer)
            await peer.end()
        except (EOFError, OSError):
            pass  # the server has stopped, or was never to be
        finally:
            peer.close()


async def host_alone(event: str, root: Path) -> None:
    """Host an event without any bots; for those that are refused."""
    hall = Hall(event, root)
    listener = Listener("127.0.0.1", 0)
    try:
        await host_event(hall.settings, listener, root, hall)
    finally:
        listener.close()


def drain() -> None:
    """What a host does who presses Ctrl-C once."""
    signal.raise_signal(signal.SIGINT)


def quit_at_once() -> None:
    """What a host does who is in a hurry.

    The second signal is another one, for two of one kind at once are one to a program.
    """
    signal.raise_signal(signal.SIGINT)
    signal.raise_signal(signal.SIGTERM)


def stored(root: Path) -> StoredEvent:
    with Store.read(root / STORE) as store:
        (event,) = store.events()
    return event


def state(root: Path) -> State:
    return stored(root).state


def running(root: Path) -> dict[int, Begun]:
    with Store.read(root / STORE) as store:
        return {game: Begun(lines) for game, lines in store.running_lines(EVENT).items()}


def plies(begun: Begun) -> list[str]:
    return [ply.path for ply in begun.happened(["A", "D"]) if isinstance(ply, happening.Ply)]


def essence(record: Record) -> tuple[object, ...]:
    """A game without its times."""
    paths = [(ply.number, ply.path) for ply in record.happened if isinstance(ply, Ply)]
    return record.game, record.players, paths, record.reason, record.places, record.final


def essences(root: Path) -> list[tuple[object, ...]]:
    return [essence(record) for record in read_records(root)]


@pytest.fixture(scope="module", name="whole")
def _whole(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[object, ...]]:
    """The games of the event when nothing interrupts it."""
    root = tmp_path_factory.mktemp("whole")
    summary = trio.run(Hall(CUP, root).host)
    assert summary.complete
    assert summary.clean
    return essences(root)


async def test_an_event_is_played_to_its_end_and_verified(
    tmp_path: Path, whole: list[tuple[object, ...]]
) -> None:
    hall = Hall(CUP, tmp_path)
    summary = await hall.host()
    assert (summary.games, summary.complete, state(tmp_path)) == (6, True, "closed")
    assert hall.went_on is None
    assert hall.games == 6
    assert sorted(hall.over) == ["1", "2", "3", "4", "5", "6"]
    assert is_finished(tmp_path, hall.settings)
    found = audit(tmp_path)
    assert (found.problems, found.notes, found.left) == ([], [], 0)
    assert essences(tmp_path) == whole


# Stopping and going on.


@pytest.mark.parametrize("stops", [[1], [20], [3, 3, 3], [11, 1, 14]])
async def test_an_event_that_was_broken_off_and_went_on_is_the_event_that_was_not(
    tmp_path: Path, whole: list[tuple[object, ...]], stops: list[int]
) -> None:
    heads: list[str] = []
    for answers in stops:
        hall = Hall(CUP, tmp_path, {answers: quit_at_once})
        summary = await hall.host()
        assert (summary.complete, state(tmp_path)) == (False, "paused")
        found = audit(tmp_path)
        assert (found.problems, found.notes) == ([], [])
        heads.append(str(found.head))
    hall = Hall(CUP, tmp_path)
    summary = await hall.host()
    assert (summary.games, summary.complete) == (6, True)
    assert essences(tmp_path) == whole
    for head in heads:
        assert audit(tmp_path, head).problems == []


async def test_a_game_goes_on_from_the_ply_that_was_stored_last(tmp_path: Path) -> None:
    await Hall(CUP, tmp_path, {9: quit_at_once}).host()
    before = {game: len(plies(begun)) for game, begun in running(tmp_path).items()}
    assert sum(before.values()) > 2
    hall = Hall(CUP, tmp_path)
    await hall.host()
    assert hall.went_on == (6 - len(hall.over), len(before))
    assert set(hall.began[:2]) >= {str(game) for game in before}
    first = {int(turn.split(" ")[1]): turn for turn in reversed(hall.turns)}
    for game, count in before.items():
        assert first[game].startswith(f"turn {game} {count + 1} ")


async def test_versions_and_raw_lines_of_before_a_stop_are_in_the_record_of_after(
    tmp_path: Path,
) -> None:
    event = remote_event("zoe", "max", name="cup", rules="corner", limit=3)

    async def talk(hall: Hall, peer: ScriptedPeer) -> None:
        turn = await peer.find("turn ...")
        await peer.send("ping hello")
        await peer.find("pong hello")
        await peer.answer(turn)
        await hall.play(peer)

    hall = Hall(event, tmp_path, {1: quit_at_once})
    await hall.host(partial(talk, hall))
    said = [line for begun in running(tmp_path).values() for line in begun.said]
    assert any(line.endswith(" ping hello") for line in said)
    await Hall(event, tmp_path).host()
    with Store.read(tmp_path / STORE) as store:
        game = store.game(EVENT, 1)
    assert game is not None
    assert game.said.splitlines()[: len(said)] == said


async def test_asked_once_a_server_begins_no_more_games_and_lets_those_that_run_finish(
    tmp_path: Path, whole: list[tuple[object, ...]]
) -> None:
    hall = Hall(CUP, tmp_path, {3: drain})
    summary = await hall.host()
    assert (summary.complete, state(tmp_path)) == (False, "paused")
    assert 0 < summary.games < 6
    assert sorted(hall.over) == sorted(hall.began)
    assert running(tmp_path) == {}
    assert any(line.startswith("stopping: no more games are begun") for line in hall.told)
    await Hall(CUP, tmp_path).host()
    assert essences(tmp_path) == whole


async def test_a_second_interrupt_breaks_off_the_games_that_run(tmp_path: Path) -> None:
    hall = Hall(CUP, tmp_path, {3: drain, 6: drain})
    summary = await hall.host()
    assert (summary.complete, summary.games) == (False, 0)
    assert sorted(map(str, running(tmp_path))) == sorted(hall.began)


async def test_sigterm_is_heeded_like_an_interrupt(tmp_path: Path) -> None:
    hall = Hall(CUP, tmp_path, {3: partial(signal.raise_signal, signal.SIGTERM)})
    assert not (await hall.host()).complete
    assert running(tmp_path) == {}


async def test_asked_over_the_control_socket_a_server_finishes_its_games_too(
    tmp_path: Path,
) -> None:
    asked: list[Awaitable[object]] = []

    async def play(hall: Hall, peer: ScriptedPeer) -> None:
        turn = await peer.find("turn ...")
        if not asked:
            asked.append(trio.to_thread.run_sync(ask, hall.root, {"command": "stop"}))
            await asked[0]
        await peer.answer(turn)
        await hall.play(peer)

    hall = Hall(CUP, tmp_path)
    summary = await hall.host(partial(play, hall))
    assert (summary.complete, running(tmp_path)) == (False, {})


async def test_the_control_socket_is_for_the_servers_own_user_and_files_are_for_all(
    tmp_path: Path,
) -> None:
    modes: dict[str, int] = {}

    def look() -> None:
        modes.update((path.name, path.stat().st_mode & 0o777) for path in tmp_path.iterdir())

    assert (await Hall(CUP, tmp_path, {4: look}).host()).complete
    assert modes["control"] == 0o600
    mask = os.umask(0)
    os.umask(mask)
    assert modes[STORE] == modes["event.toml"] == 0o644 & ~mask
    assert (tmp_path / "games" / "000001.txt").stat().st_mode & 0o777 == 0o666 & ~mask


async def test_a_game_that_does_not_finish_in_time_is_broken_off_and_goes_on_later(
    tmp_path: Path,
) -> None:
    event = CUP.replace("[[bots]]", 'budgets = { drain = "50ms" }\n[[bots]]', 1)
    event = event.replace('clock = "2s"', 'clock = "none"')
    hall = Hall(event, tmp_path)

    async def stall(peer: ScriptedPeer) -> None:
        await peer.find("turn ...")
        drain()
        await trio.sleep_forever()

    summary = await hall.host(stall)
    assert (summary.complete, state(tmp_path), summary.games) == (False, "paused", 0)
    assert sorted(map(str, running(tmp_path))) == sorted(hall.began)
    assert (await Hall(event, tmp_path).host()).complete


async def test_an_interrupt_between_two_games_loses_nothing(
    tmp_path: Path, whole: list[tuple[object, ...]]
) -> None:
    hall = Hall(CUP, tmp_path, at_end=quit_at_once)
    summary = await hall.host()
    assert not summary.complete
    assert audit(tmp_path).problems == []
    await Hall(CUP, tmp_path).host()
    assert essences(tmp_path) == whole


# Who is refused.


async def test_a_second_server_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    refusals: list[str] = []

    async def play(hall: Hall, peer: ScriptedPeer) -> None:
        if not refusals:
            refusals.append("")
            with pytest.raises(LockedError) as refusal:
                await host_alone(CUP, hall.root)
            refusals[0] = str(refusal.value)
        await hall.play(peer)

    hall = Hall(CUP, tmp_path)
    assert (await hall.host(partial(play, hall))).complete
    assert refusals[0].startswith(f"{tmp_path / STORE}: expected a store that no other server uses")


async def test_an_event_file_that_was_changed_is_refused_with_its_line(tmp_path: Path) -> None:
    await Hall(CUP, tmp_path, {3: quit_at_once}).host()
    changed = CUP.replace("limit = 4", "limit = 5")
    number = CUP.splitlines().index("limit = 4") + 1
    with pytest.raises(ArchiveError, match="got one of another event"):
        await host_alone(changed, tmp_path)
    (tmp_path / "event.toml").unlink()
    with pytest.raises(
        EventFileError, match=f"line {number} was 'limit = 4' and is 'limit = 5'; choose another"
    ):
        await host_alone(changed, tmp_path)


def test_the_command_names_the_line_that_was_changed(tmp_path: Path, capsys: Captured) -> None:
    trio.run(Hall(CUP, tmp_path / "cup", {3: quit_at_once}).host)
    for text, line, was, now in [
        (CUP.replace("limit = 4", "limit = 5"), "limit = 4", "limit = 4", "limit = 5"),
        (CUP + "# more\n", None, "nothing", "# more"),
    ]:
        (tmp_path / "cup.toml").write_text(text)
        words = ["run", str(tmp_path / "cup.toml"), "--out", str(tmp_path / "cup")]
        assert cli.main(words) == 2
        lines = CUP.splitlines()
        number = len(lines) if line is None else lines.index(line)
        assert capsys.readouterr().err == (
            f"sternhalma run: cup: expected the event file of the results, line {number + 1}"
            f" was {was!r} and is {now!r}; choose another folder with --out,"
            " or play anew with --again\n"
        )
    assert audit(tmp_path / "cup").problems == []


# The command, for events that are over.


def test_an_event_that_is_over_is_shown_and_not_played(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "cup.toml").write_text(CUP)
    trio.run(Hall(CUP, tmp_path / "cup").host)
    before = {path: path.read_bytes() for path in (tmp_path / "cup").rglob("*.*")}
    assert cli.main(["run", str(tmp_path / "cup.toml"), "--out", str(tmp_path / "cup")]) == 0
    out, err = capsys.readouterr()
    assert out.startswith((tmp_path / "cup" / "standings.md").read_text())
    assert out.endswith(f"finished before, results in {tmp_path / 'cup'}; --again plays it anew\n")
    assert err == ""
    after = {path: path.read_bytes() for path in before}
    assert after == before


# Nobody comes, so that an event is over at once and needs no bots.
NOBODY = remote_event("zoe", "max", name="nobody", budgets={"ready": "1ms"})


def run(folder: Path, *words: str) -> int:
    (folder / "nobody.toml").write_text(NOBODY)
    out = str(folder / "out")
    return cli.main(["run", str(folder / "nobody.toml"), "--out", out, "--port", "0", *words])


def test_again_throws_the_results_away_and_plays_anew(tmp_path: Path, capsys: Captured) -> None:
    assert run(tmp_path) == 1
    with Store.open(tmp_path / "out" / STORE) as store:
        store.amend(EVENT, "note", "of the first time")
    (tmp_path / "out" / "mine.txt").write_text("kept")
    assert run(tmp_path) == 1
    assert "finished before" in capsys.readouterr().out
    assert run(tmp_path, "--again") == 1
    assert "finished before" not in capsys.readouterr().out
    with Store.read(tmp_path / "out" / STORE) as store:
        assert store.amendments(EVENT) == []
        assert [parse_record(game.record).game for game in store.finished_games(EVENT)] == [1]
    assert (tmp_path / "out" / "mine.txt").read_text() == "kept"
    assert audit(tmp_path / "out").problems == []


async def test_again_is_refused_while_a_server_plays(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(CUP)
    asked: list[bool] = []
    statuses: list[int] = []

    async def play(hall: Hall, peer: ScriptedPeer) -> None:
        if not asked:
            asked.append(True)
            start = "import sys; from sternhalma_server.cli import main; sys.exit(main())"
            words = ["run", str(tmp_path / "cup.toml"), "--out", str(hall.root), "--again"]
            done = await trio.run_process(
                [sys.executable, "-c", start, *words, "--port", "0"],
                check=False,
                capture_stderr=True,
            )
            assert b"expected a store that no other server uses, process" in done.stderr
            statuses.append(done.returncode or 0)
        await hall.play(peer)

    hall = Hall(CUP, tmp_path / "cup")
    assert (await hall.host(partial(play, hall))).complete
    assert statuses == [2]
    assert audit(tmp_path / "cup").problems == []


async def test_verifying_while_a_server_plays_finds_nothing_wrong(tmp_path: Path) -> None:
    checked: list[int] = []

    async def check(hall: Hall, peer: ScriptedPeer) -> None:
        while True:
            await peer.answer(await peer.find("turn ..."))
            found = await trio.to_thread.run_sync(audit, hall.root)
            assert found.problems == []
            checked.append(found.games)

    hall = Hall(CUP, tmp_path)
    assert (await hall.host(partial(check, hall))).complete
    assert max(checked) > 0


async def test_a_game_can_be_told_while_it_is_played(tmp_path: Path, capsys: Captured) -> None:
    statuses: list[int] = []
    hall = Hall(CUP, tmp_path)

    async def wait(peer: ScriptedPeer) -> None:
        await peer.answer(await peer.find("turn ..."))
        if hall.began[0] not in hall.over and not statuses:
            statuses.append(-1)
            # The journal is some hundredths of a second behind.
            while not running(tmp_path).keys() & {int(hall.began[0])}:
                await trio.lowlevel.checkpoint()
            statuses.append(cli.main(["game", str(tmp_path), hall.began[0], "--said"]))
        await hall.play(peer)

    assert (await hall.host(wait)).complete
    assert statuses == [-1, 0]
    assert "\nstill running, " in capsys.readouterr().out
