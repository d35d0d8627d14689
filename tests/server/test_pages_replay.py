"""The replay of a game: its steps, its page, and the script that shows them."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.browsed import Browser, data_of, game_page
from server.recorded import KINDS, PATIENT, Kind, recorded
from sternhalma import Game, Hole
from sternhalma_server.pages import places
from sternhalma_server.pages.replays import letters_of, replay_data
from sternhalma_server.pages.templates import assets
from sternhalma_server.telling import Telling


def shown_by(data: Mapping[str, Any]) -> list[str]:
    """What the script shows after each step."""
    letters = list(data["start"])
    shown = ["".join(letters)]
    for step in data["steps"]:
        if step.get("path"):
            letter, letters[step["path"][0]] = letters[step["path"][0]], "."
            letters[step["path"][-1]] = letter
        for hole in step.get("lift", []):
            letters[hole] = "."
        shown.append("".join(letters))
    return shown


@PATIENT
@given(st.sampled_from(KINDS), st.integers(0, 10_000), st.sampled_from([0.0, 0.1, 0.4]))
def test_the_steps_of_a_replay_lead_to_the_last_position(
    kind: Kind, seed: int, fall: float
) -> None:
    record = recorded(kind, seed, fall=fall)
    telling = Telling(record)
    data = json.loads(json.dumps(replay_data(telling)))
    assert shown_by(data)[-1] == letters_of(telling.game.position)
    assert len(data["steps"]) == len(record.happened)
    assert [step["ply"] for step in data["steps"]] == sorted(step["ply"] for step in data["steps"])


def test_a_step_shows_the_position_of_its_ply() -> None:
    record = recorded(Kind("halma13", 4, 3), 7)
    shown = shown_by(replay_data(Telling(record)))
    for ply in range(record.ply + 1):
        position = Telling(record, upto=ply).game.position
        assert shown[ply] == letters_of(position)


@pytest.mark.parametrize("kind", [*KINDS, Kind("tara", 2, 200)], ids=str)
def test_the_page_of_a_game_has_all_its_plies(kind: Kind) -> None:
    record = recorded(kind, 3, opening=1)
    page = Browser(game_page(record))
    assert page.problems == []
    assert [one for one in page.ids if one.startswith("ply-")] == [
        f"ply-{ply}" for ply in range(1, record.ply + 1)
    ]
    holes = [a for t, a in page.elements if t == "circle" and "hole" in str(a.get("class"))]
    board = Game.load(record.start, limit=record.limit).position.seating.board
    assert len(holes) == len(board.coordinates)
    assert len(data_of(game_page(record))["holes"]) == Hole(len(holes))


def test_a_game_of_many_plies_is_still_a_page_of_a_sensible_size() -> None:
    record = recorded(Kind("tara", 6, 200), 1)
    assert record.ply == 1200
    assert len(game_page(record)) < 500_000


STAGE = """
const element = () => new Proxy(function () {}, {
  get: (target, key) => {
    if (key in target && key !== "length") return target[key];
    if (key === Symbol.toPrimitive) return () => "";
    if (key === "dataset") return {};
    if (key === "value") return "1";
    return element();
  },
  set: (target, key, value) => { target[key] = value; return true; },
  apply: () => element(),
});
const named = {};
const board = element();
board.querySelectorAll = () => JSON.parse(process.argv[2]).holes.map(() => element());
const by = (name) => (named[name] ??= element());
by("game-data").textContent = process.argv[2];
const shown = [];
globalThis.document = {
  getElementById: by,
  querySelector: (name) => (name === "#replay .board" ? board : by(name)),
  querySelectorAll: () => [],
  createElementNS: element,
  addEventListener: (name, heard) => { named[name] = heard; },
};
globalThis.window = { matchMedia: () => ({ matches: true }), addEventListener: () => {} };
globalThis.history = { replaceState: (_state, _title, hash) => shown.push(hash) };
globalThis.location = { hash: "" };
require(process.argv[1]);
const key = (name) => named.keydown({
  key: name, target: { closest: () => null }, preventDefault: () => {},
});
for (const name of ["Home", "ArrowRight", "ArrowRight", "ArrowLeft", "End"]) {
  key(name);
  shown.push(by("#told").textContent);
}
console.log(JSON.stringify(shown));
"""


def test_keys_lead_through_the_replay(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node on this machine")
    record = recorded(Kind("tara", 2, 3), 5)
    data = replay_data(Telling(record))
    script = tmp_path / "replay.cjs"
    files = assets()
    script.write_text(files[places.BOARD_SCRIPT] + files[places.SCRIPT], encoding="utf-8")
    done = subprocess.run(
        [node, "-e", STAGE, str(script), json.dumps(data)],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert done.returncode == 0, done.stderr
    texts = [step["text"] for step in data["steps"]]
    assert json.loads(done.stdout) == [
        *("#ply-0", "the start"),
        *("#ply-1", texts[0]),
        *("#ply-2", texts[1]),
        *("#ply-1", texts[0]),
        *("#ply-6", texts[5]),
    ]
