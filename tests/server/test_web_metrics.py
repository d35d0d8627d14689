"""`/metrics`: the server's own figures, and those of what was played, in Prometheus' format."""

from __future__ import annotations

import json
import re
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from server.kept import CUP, games_of, keep
from server.sites import Live, ask, live_event, site_of

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
