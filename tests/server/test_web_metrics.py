"""`/metrics`: the server's own figures, and those of what was played, in Prometheus' format."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from server.kept import CUP, games_of, keep, keep_store
from server.sites import Live, ask, live_event, site_of
from sternhalma_server.archive import STORE
from sternhalma_server.store import FinishedGame, Store
from sternhalma_server.web.metrics import Meter

DASHBOARD = Path(__file__).parents[2] / "server" / "deploy" / "dashboard.json"


class Figures:
    """What a site says of itself."""

    def __init__(self, site: int) -> None:
        answer = ask(site, "/metrics")
        assert answer.status == 200
        assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
        self.samples = {
            (sample.name, *sorted(sample.labels.items())): sample.value
            for family in text_string_to_metric_families(answer.text)
            for sample in family.samples
        }
        self.names = {name for name, *_ in self.samples}

    def __call__(self, name: str, **labels: str) -> float:
        return self.samples[(f"sternhalma_{name}", *sorted(labels.items()))]

    def count(self, name: str, **labels: str) -> float:
        return self(f"{name}_count", **labels)


def test_what_goes_on_and_what_was_played_is_told(tmp_path: Path) -> None:
    with live_event(tmp_path, name="live") as live:
        live.move()
        before = figures_after(live, games=0)
        assert (before("up"), before("connections"), before("running")) == (1, 2, 1)
        assert before("watchers") == 1  # the site itself
        assert before("stalled") == 0
        live.move()
        forfeit(live)
        after = figures_after(live, games=1)
    assert after("moves_total", event="live") == 2
    assert after.count("charged_seconds", event="live") == 2
    assert after("forfeits_total", event="live", reason="illegal") == 1
    assert after.count("server_lateness_seconds") == 2
    assert after("store_batches_total") > before("store_batches_total") >= 1
    assert after.count("clock_error_seconds") > before.count("clock_error_seconds") > 0


def forfeit(live: Live) -> None:
    """Let zoe, who is to move, play a move that is none, and the next game begin."""
    _, game, ply, *_ = live.zoe.turn()
    live.zoe.say(f"move {game} {ply} e1-e2")
    live.max.turn()


def figures_after(live: Live, games: int) -> Figures:
    """The figures once the site has seen so many *games*; it is asked until then."""
    while True:
        figures = Figures(live.site)
        if figures("games_finished_total", event="live") == games and figures("watchers"):
            return figures


def test_without_a_server_only_what_was_played_is_told(tmp_path: Path) -> None:
    games = games_of(CUP)
    keep(tmp_path, CUP, games)
    with site_of(tmp_path) as site:
        figures = Figures(site)
    assert figures("up") == 0
    assert figures("games_finished_total", event="cup") == len(games)
    assert "sternhalma_connections" not in figures.names


def games_counted(meter: Meter) -> float:
    (family,) = [
        family
        for family in text_string_to_metric_families(meter.text().decode())
        if family.name == "sternhalma_games_finished"
    ]
    return sum(sample.value for sample in family.samples)


def test_games_of_an_event_that_is_played_anew_are_counted_too(tmp_path: Path) -> None:
    games, meter = games_of(CUP), Meter(tmp_path)
    keep_store(tmp_path, CUP, games)
    assert games_counted(meter) == len(games)
    (tmp_path / STORE).unlink()
    keep_store(tmp_path, CUP, games[:2])
    assert games_counted(meter) == len(games) + 2


def test_a_game_whose_record_cannot_be_read_is_counted_once(tmp_path: Path) -> None:
    games, meter = games_of(CUP), Meter(tmp_path)
    keep_store(tmp_path, CUP, games[:2])
    assert games_counted(meter) == 2
    with Store.open(tmp_path / STORE) as store:
        (event,) = store.events()
        store.write(event.id, "", [FinishedGame(3, "nothing", "")])
    with pytest.raises(ValueError, match="expected"):
        meter.text()
    assert games_counted(meter) == 3


def test_the_dashboard_shows_nothing_that_is_not_measured(tmp_path: Path) -> None:
    with live_event(tmp_path, name="live") as live:
        figures_after(live, games=0)
        live.move()
        live.move()
        forfeit(live)
        known = figures_after(live, games=1).names
    dashboard = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    asked = {
        name
        for panel in dashboard["panels"]
        for target in panel["targets"]
        for name in re.findall(r"sternhalma_\w+", target["expr"])
    }
    assert asked <= known
    assert len(asked) >= 8
