"""What a watcher is told becomes boards, clocks and steps, whenever one begins to look."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.recorded import KINDS, PATIENT, Kind, recorded
from sternhalma import Game, parse_position
from sternhalma_server.pages.replays import letters_of, replay_data
from sternhalma_server.record import Out, Ply, Record
from sternhalma_server.telling import Telling
from sternhalma_server.underway import Underway
from sternhalma_server.verdict import Reason
from sternhalma_server.web.following import Following, GapError
from sternhalma_server.web.live_game import LiveGame, SceneError, happening_of
from sternhalma_server.web.scene import Scene


def game_line(record: Record, name: str) -> str:
    seats = ",".join(f"{player.seat}:{player.bot}" for player in record.players)
    return (
        f"game {name} {record.rules} - seats={seats} limit={record.limit}"
        f" at_limit={record.at_limit} clock={record.clock} seed=- draws=no"
    )


def wire_lines(record: Record, name: str) -> list[str]:
    """What a watcher is told of the game of *record*, but for its beginning and its end."""
    lines: list[str] = []
    for one in record.happened:
        match one:
            case Ply(number, seat, path, source):
                told = dict(one.evidence)
                more = (
                    f"by={source}" if source else f"charged={told['charged']} left={told['left']}"
                )
                lines.append(f"moved {name} {number} {seat} {path} {more}")
            case Out(seat, reason, ply, _, line):
                said = "" if line is None else f" line={line}"
                lines.append(f"out {name} {seat} {reason} ply={ply}{said}")
            case _:
                pass
    return lines


def position_line(record: Record, name: str, upto: int) -> str:
    game = Telling(record, upto=upto).game
    return f"position {name} {game.ply} {game}"


def open_game(record: Record, lines: int) -> Underway:
    """The game of *record* as the store of a running event has it after so many lines."""
    from dataclasses import replace

    happened = record.happened[:lines]
    plies = [one.number for one in happened if isinstance(one, Ply)]
    base = replace(record, happened=happened, ply=plies[-1] if plies else 0)
    now = Telling(base, upto=10**6).game
    return Underway(Telling(replace(base, final=str(now)), running=True), "")


@PATIENT
@given(st.sampled_from(KINDS), st.integers(0, 10_000), st.sampled_from([0.0, 0.3]), st.data())
def test_a_board_is_as_the_game_is_whenever_the_watcher_came(
    kind: Kind, seed: int, fall: float, data: st.DataObject
) -> None:
    record = recorded(kind, seed, fall=fall)
    # Games that several players leave are told by ply: a watcher comes between two moves.
    came = data.draw(st.integers(0, record.ply))
    scene = Scene()
    scene.hear(game_line(record, "cup/7"), 0.0)
    scene.hear(position_line(record, "cup/7", came), 0.0)
    for line in wire_lines(record, "cup/7"):
        word = happening_of(line)
        known = word.number if isinstance(word, Ply) else getattr(word, "ply", 0)
        if known > came:
            scene.hear(line, 1.0)
    shown = scene.games["cup/7"].shown()
    assert shown is not None
    assert (shown.number, shown.event) == (7, "cup")
    assert letters_of(shown.position) == letters_of(Telling(record).game.position)


@PATIENT
@given(st.sampled_from(KINDS), st.integers(0, 10_000), st.sampled_from([0.0, 0.3]), st.data())
def test_the_steps_of_a_running_game_are_those_of_its_replay_wherever_the_store_ended(
    kind: Kind, seed: int, fall: float, data: st.DataObject
) -> None:
    record = recorded(kind, seed, fall=fall)
    stored = data.draw(st.integers(0, len(record.happened)))
    following = Following(open_game(record, stored))
    lines: list[str] = []
    for line in wire_lines(record, "7"):
        lines.append(line)
        following.take(lines)
    whole = replay_data(Telling(record))["steps"]
    steps = [json.loads(step) for step in following.steps]
    assert [{key: step[key] for key in step if key != "cells"} for step in steps] == whole
    assert following.underway.telling.record.ply == record.ply


def test_a_following_asks_for_what_it_did_not_hear() -> None:
    record = recorded(Kind("tara", 2, 5), 3)
    following = Following(open_game(record, 2))
    with pytest.raises(GapError, match="expected ply 3, got ply 5"):
        following.take(wire_lines(record, "7")[4:])


def test_the_evidence_for_a_loss_by_time_comes_from_the_store() -> None:
    seed = next(
        seed
        for seed in range(1000)
        if any(
            isinstance(one, Out) and one.reason is Reason.TIME and one.evidence
            for one in recorded(Kind("tara", 6, 3), seed, fall=0.3).happened
        )
    )
    record = recorded(Kind("tara", 6, 3), seed, fall=0.3)
    following = Following(open_game(record, 0))
    following.take(wire_lines(record, "7"))
    assert following.unproved
    following.prove(open_game(record, len(record.happened)))
    assert not following.unproved
    told = [one for one in following.underway.telling.record.happened if isinstance(one, Out)]
    assert told == [one for one in record.happened if isinstance(one, Out)]


def test_a_clock_runs_for_who_is_to_move_and_is_told_with_each_move() -> None:
    start = Game.new("tara", 2)
    game = LiveGame(
        "game 3 tara - seats=A:zoe,D:max limit=200 at_limit=progress clock=60s+0.5s seed=-", 5.0
    )
    assert game.clocks() == {"left": {}, "running": None}
    game.stand(f"position 3 1 {start}")
    assert game.clocks() == {"left": {"A": 60_000, "D": 60_000}, "running": "A"}
    game.hear("moved 3 1 A d5-e5 charged=1000.000 left=59500", 6.0)
    assert game.clocks() == {"left": {"A": 59_500, "D": 60_000}, "running": "D"}
    assert game.touched == 6.0


def test_a_clock_that_nobody_has_told_of_is_not_shown() -> None:
    game = LiveGame("game 3 tara - seats=A:zoe,D:max limit=9 at_limit=progress clock=60s+1s", 0.0)
    moved = Game.new("tara", 2, limit=9).play("d5-e5")
    game.stand(f"position 3 2 {moved}")
    assert game.clocks() == {"left": {}, "running": "D"}
    each = LiveGame("game 3 tara - seats=A:zoe,D:max limit=9 at_limit=progress clock=2s", 0.0)
    each.stand(f"position 3 2 {moved}")
    assert each.clocks()["left"] == {"A": 2000, "D": 2000}


def test_a_game_that_begins_anew_stands_where_it_is_said_to() -> None:
    scene = Scene()
    line = "game 3 tara - seats=A:zoe,D:max limit=9 at_limit=progress clock=2s"
    start = Game.new("tara", 2, limit=9)
    for _ in range(2):
        scene.hear(line, 0.0)
        scene.hear(f"position 3 1 {start}", 0.0)
        scene.hear("moved 3 1 A d5-e5 charged=1.000 left=2000", 0.0)
    shown = scene.games["3"].shown()
    assert shown is not None
    assert shown.ply == 1
    scene.hear("over 3 goal places=A:1,D:2", 0.0)
    assert scene.games == {}
    assert scene.ended == 1


@pytest.mark.parametrize(
    "line",
    [
        "game x",
        "game 3 tara - limit=9 at_limit=progress clock=2s",
        "game 3 tara - seats=A:zoe limit=9 at_limit=progress clock=soon",
        "game three tara - seats=A:zoe limit=9 at_limit=progress clock=2s",
        "position 3 1 tara",
    ],
)
def test_a_line_that_no_server_sends_is_refused(line: str) -> None:
    with pytest.raises(SceneError, match="expected"):
        Scene().hear(line, 0.0)


def test_messages_that_are_not_known_are_passed_over() -> None:
    scene = Scene()
    for line in ("welcome watcher", "note no-game game 2 is not played", "weather 3 rain", ""):
        scene.hear(line, 0.0)
    assert scene.games == {}


def test_a_pass_moves_no_marble() -> None:
    position = parse_position(str(Game.new("tara", 2)))
    before = letters_of(position)
    game = LiveGame("game 3 tara - seats=A:zoe,D:max limit=9 at_limit=progress clock=none", 0.0)
    game.stand(f"position 3 1 {Game.new('tara', 2, limit=9)}")
    shown = game.shown()
    assert shown is not None
    assert letters_of(shown.position) == before
    assert game.clocks() == {"left": {}, "running": "A"}
