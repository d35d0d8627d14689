"""Event files made ready to be played, and what is refused about them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sternhalma_server.admission import Known, token_digest
from sternhalma_server.clock import SECOND
from sternhalma_server.settings import Settings, load_settings, settings_of
from sternhalma_server.testing import remote_event
from sternhalma_tournament.reading import EventFileError


def read(text: str) -> Settings:
    """The settings of an event file with this text."""
    return settings_of(text.encode(), "cup.toml")


def test_an_event_file_is_read_into_rules_terms_and_clock() -> None:
    settings = read(remote_event("zoe", "max", rules="tara+long", limit=9, clock="3s+0.5s"))
    assert settings.rules.id == "tara+long"
    assert (settings.terms.limit, settings.terms.at_limit) == (9, "progress")
    assert settings.control.base == 3 * SECOND
    assert [entry.name for entry in settings.entries] == ["zoe", "max"]
    assert settings.sides == 2


def test_the_source_is_kept_byte_for_byte() -> None:
    text = remote_event("zoe", "max") + "# Grüße\r\n"
    assert read(text).source == text.encode()


def test_without_a_limit_the_rules_own_stands() -> None:
    assert read(remote_event("zoe", "max", rules="halma19")).terms.limit == 400


def test_an_event_of_pairs_has_half_as_many_sides_as_seats() -> None:
    assert read(remote_event("zoe", "max", rules="corner+pairs", players=4)).sides == 2


@pytest.mark.parametrize(("cores", "games"), [(None, 1), (1, 1), (2, 1), (8, 7)])
def test_without_parallel_one_core_is_left_to_the_server(
    monkeypatch: pytest.MonkeyPatch, cores: int | None, games: int
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    text = remote_event("zoe", "max").replace("parallel = 1\n", "")
    assert read(text).parallel == games


def test_the_number_of_games_at_once_is_the_events_to_say() -> None:
    assert read(remote_event("zoe", "max", parallel=5)).parallel == 5


def test_remote_bots_are_known_by_token_and_slots_and_local_ones_are_not() -> None:
    digest = token_digest("sesame")
    text = remote_event("zoe", "max", "ida") + (
        f'token = "sha256:{digest}"\nconnections = 3\n[[bots]]\nname = "prog"\ncommand = "true"\n'
    )
    assert read(text).known() == (
        Known("zoe", None, 64),
        Known("max", None, 64),
        Known("ida", digest, 3),
    )
    assert read(text).bot("prog").argv == ("true",)


def test_more_connections_than_the_protocol_has_slots_are_refused() -> None:
    expected = r"cup\.toml: bots\[2\]\.connections: expected at most 64, got 65"
    with pytest.raises(EventFileError, match=expected):
        read(remote_event("zoe", "max") + "connections = 65\n")


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"rules": "chess"}, r"cup\.toml: rules: expected .*'chess'"),
        # Two players are wrong for pairs, but in `tara` nobody has a partner.
        ({"rules": "tara+pairs", "players": 2}, r"cup\.toml: rules: expected .*'pairs'"),
        ({"rules": "corner+pairs", "players": 2}, r"cup\.toml: players: expected .* 2"),
        ({"rules": "corner+15", "players": 3}, r"cup\.toml: players: expected .* 3"),
        ({"rules": "duel", "players": 4}, r"cup\.toml: players: expected .* 4"),
        (
            {"rules": "tara", "at_limit": "share"},
            r"cup\.toml: at_limit: expected at_limit 'progress'",
        ),
        ({"clock": "soon"}, r"cup\.toml: clock: expected a clock such as .*'soon'"),
        ({"rules": "tara", "draws": True}, r"cup\.toml: draws: expected false under 'tara'"),
        ({"colour": "green"}, r"cup\.toml: .*colour"),
    ],
)
def test_what_cannot_be_played_is_refused_with_file_and_key(
    keys: dict[str, str | int | bool], sentence: str
) -> None:
    with pytest.raises(EventFileError, match=sentence):
        read(remote_event("zoe", "max", "ida", "kim", **keys))


def test_a_bot_that_plays_both_seats_of_its_pair_needs_two_connections() -> None:
    text = remote_event("zoe", "max", rules="corner+pairs", players=4) + "connections = 1\n"
    expected = r"cup\.toml: bots\[2\]\.connections: expected at least 2, 'max' plays both seats"
    with pytest.raises(EventFileError, match=expected):
        read(text)


def test_partners_named_together_may_have_one_connection_each() -> None:
    text = remote_event("a", "b", "c", "d", rules="corner+pairs", players=4) + "connections = 1\n"
    pairs = '[[pairs]]\nname = "x"\nbots = ["a", "b"]\n[[pairs]]\nname = "y"\nbots = ["c", "d"]\n'
    assert [entry.bots for entry in read(text + pairs).entries] == [("a", "b"), ("c", "d")]


def test_commands_run_in_the_folder_of_their_event_file(tmp_path: Path) -> None:
    path = tmp_path / "cup.toml"
    path.write_text(remote_event("zoe", "max"))
    assert load_settings(path).folder == tmp_path


def test_a_file_that_is_not_there_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "none.toml"
    with pytest.raises(
        EventFileError, match=r"none\.toml: expected an event file that can be read"
    ):
        load_settings(path)


def test_an_event_of_a_league_has_as_many_games_at_once_as_the_league_unless_it_says() -> None:
    text = 'name = "l"\nformat = "ladder"\nrules = "tara"\nplayers = 2\nclock = "2s"\n'
    assert settings_of(text.encode(), "l.toml", league=True).parallel > 1000
    some = f"{text}parallel = 3\n".encode()
    assert settings_of(some, "l.toml", league=True).parallel == 3
