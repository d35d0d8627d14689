"""A site of tables over HTTP: who may do what there, and that nobody else may."""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from typing import Any

import pytest

from server.people import Visitor, tables_site

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def site() -> Generator[str]:
    """One site for all of these tests, with room for all their tables."""
    with tables_site("--each", "100", "--most", "100") as site:
        yield site


def wait_for(states: Generator[dict[str, Any]], **wanted: Any) -> dict[str, Any]:
    """The first state that is as *wanted*."""
    for state in states:
        if all(state[key] == value for key, value in wanted.items()):
            return state
    raise AssertionError(f"expected a state with {wanted}, got none")


def test_the_first_page_leads_to_the_form_for_a_table(site: str) -> None:
    status, _, headers = Visitor(site).ask("GET", "/")
    assert (status, headers["location"]) == (303, "/tables/new")
    status, text, headers = Visitor(site).ask("GET", "/tables/new")
    assert status == 200
    assert '<option value="greedy">' in text
    assert headers["cache-control"] == "no-store"


def test_two_people_join_by_a_link_and_play_and_a_page_that_comes_later_has_it_all(
    site: str,
) -> None:
    zoe, max_ = Visitor(site), Visitor(site)
    host = zoe.open("here", "person", name_0="ignored")
    with zoe.hearing(host) as states:
        first = next(states)
        assert (first["phase"], first["seats"][1]["free"]) == ("waiting", True)
        invitation = f"{host.rpartition('/')[0]}/{first['invitation']}"
        status, text, guest = max_.send(invitation, [("place", "1"), ("name-1", "Max")])
        assert status == 303, text
        turn = wait_for(states, phase="playing", mine=True)
        assert turn["invitation"] is None
        told = zoe.act(host, do="move", game=turn["game"], ply=1, path="c5-e7")
        assert told == {}
        with max_.hearing(guest) as others:
            state = wait_for(others, mine=True)
            assert [step["text"] for step in state["steps"]] == ["A player A: c5-e7"]
            assert state["seats"][1]["name"] == "Max"
            assert "problem" in max_.act(guest, do="move", game=state["game"], ply=2, path="a5-b5")
            assert max_.act(guest, do="resign", seat="D") == {}
            over = wait_for(others, phase="over")
            assert over["ending"] == "D Max resigned: 1. A player A, 2. D Max"
            assert max_.state(guest)["steps"] == over["steps"]
            assert max_.act(guest, do="again") == {}
            assert wait_for(others, phase="playing", mine=True)["steps"] == []


def test_a_link_is_no_use_for_anything_but_what_it_is_for(site: str) -> None:
    visitor = Visitor(site)
    host = visitor.open("here", "person")
    folder, _, secret = host.rpartition("/")
    invitation = visitor.state(host)["invitation"]
    for path in (f"{folder}/{secret[:-1]}", f"{folder}/x", f"/t/nowhere/{secret}", "/t/x"):
        assert visitor.ask("GET", path)[0] == 404
        assert visitor.ask("GET", f"{path}/live")[0] == 404
    assert visitor.ask("GET", f"{folder}/{invitation}/live")[0] == 404
    assert "problem" in visitor.act(f"{folder}/{invitation}", do="close")
    assert visitor.send(host, [("place", "1")])[0] == 404
    assert visitor.send(f"{folder}/{invitation}", [])[0] == 409
    assert visitor.send(f"{folder}/{invitation}", [("place", "0")])[0] == 409
    _, _, guest = visitor.send(f"{folder}/{invitation}", [("place", "1")])
    assert "problem" in visitor.act(guest, do="close")
    assert visitor.act(host, do="close") == {}
    with visitor.hearing(guest) as states:
        assert wait_for(states, phase="closed")["closed"] == "who opened it has closed it"
    assert visitor.send(f"{folder}/{invitation}", [("place", "1")])[0] == 409


def test_names_are_escaped_wherever_they_are_shown(site: str) -> None:
    visitor = Visitor(site)
    name = f"{HOSTILE}'\"&"[:24]
    host = visitor.open("here", "person", "person", rules="tara", **{"name-0": name})
    invitation = f"{host.rpartition('/')[0]}/{visitor.state(host)['invitation']}"
    for path in (host, invitation):
        _, text, _ = visitor.ask("GET", path)
        assert "<script>alert" not in text
        assert "script" in text
    assert visitor.state(host)["seats"][0]["name"] == name
    fields = [("rules", HOSTILE), ("name-0", f'"{HOSTILE}'), ("limit", HOSTILE)]
    status, text, _ = visitor.send("/tables/new", fields)
    assert status == 409
    assert "<script>alert" not in text
    assert "&lt;script&gt;" in text


def test_a_page_of_another_site_can_do_nothing_here(site: str) -> None:
    visitor = Visitor(site)
    host = visitor.open("here", "person")
    invitation = f"{host.rpartition('/')[0]}/{visitor.state(host)['invitation']}"
    for headers in ({"Sec_Fetch_Site": "cross-site"}, {"Origin": "http://evil.example"}):
        assert visitor.send("/tables/new", [("seat-0", "here")], **headers)[0] == 409
        assert visitor.send(invitation, [("place", "1")], **headers)[0] == 409
        order = json.dumps({"do": "close"}).encode()
        assert "problem" in visitor.ask("POST", f"{host}/do", order, **headers)[1]
    assert visitor.state(host)["phase"] == "waiting"
    assert Visitor(site, "evil.example").ask("GET", host)[0] == 421
    assert Visitor(site, "localhost").ask("GET", host)[0] == 200


def test_what_is_answered_forbids_scripts_from_elsewhere_and_says_nothing_to_others(
    site: str,
) -> None:
    visitor = Visitor(site)
    _, text, headers = visitor.ask("GET", visitor.open("here", "person"))
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"
    assert not re.search(r"\son\w+=|style=|javascript:|(?:src|href|action)=.?(?:https?:|//)", text)
    scripts = re.findall(r"<script[^>]*>", text)
    assert all("src=" in script or "application/json" in script for script in scripts)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b'{"do": 1}',
        b'{"do": "move"}',
        b'{"do": "move", "game": []}',
        b'{"do": "resign", "seat": {}}',
        b"\xff",
        b"[" * 9000,
        b"x" * 20_000,
        json.dumps({"do": "move", "game": "x", "ply": 1, "path": "-" * 9000}).encode(),
    ],
    ids=lambda body: str(len(body)),
)
def test_whatever_is_sent_to_a_seat_is_answered(site: str, body: bytes) -> None:
    visitor = Visitor(site)
    host = visitor.open("here", "person")
    status, text, _ = visitor.ask("POST", f"{host}/do", body)
    assert status in {200, 400}
    assert json.loads(text)["problem"]
    assert visitor.state(host)["phase"] == "waiting"


def test_a_form_that_cannot_be_followed_comes_back_with_what_was_typed() -> None:
    with tables_site("--each", "1") as site:
        visitor = Visitor(site)
        fields = [("rules", "duel"), ("players", "4"), ("name-0", "Zoë"), ("clock", "soon")]
        status, text, _ = visitor.send("/tables/new", fields)
        assert status == 409
        assert "expected 2 players" in text
        assert 'value="Zoë"' in text
        assert visitor.send("/tables/new", [("x", "y" * 20_000)])[0] == 409
        visitor.open("here", "person")
        status, text, _ = visitor.send("/tables/new", [("seat-0", "here")])
        assert (status, "from your address" in text) == (409, True)


def test_people_at_one_screen_and_a_sample_bot_play_and_take_back_without_asking(
    site: str,
) -> None:
    visitor = Visitor(site)
    host = visitor.open("here", "random", "here", rules="tara")
    with visitor.hearing(host) as states:
        for ply, path in ((1, "d5-e5"), (3, "j5-j6")):
            state = wait_for(states, mine=True, ply=ply)
            told = visitor.act(host, do="move", game=state["game"], ply=ply, path=path)
            assert told == {}, state["ways"]["marbles"]
        wait_for(states, mine=True, ply=4)
        assert visitor.act(host, do="hint") == {}
        hint = next(state["hint"] for state in states if state["hint"] is not None)
        assert len(hint) > 1
        assert visitor.act(host, do="undo") == {}
        state = wait_for(states, mine=True, ply=3)
        assert state["game"].endswith("/2")
        assert [step["ply"] for step in state["steps"]] == [1, 2]
