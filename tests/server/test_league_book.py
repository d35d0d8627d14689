"""A host's decisions about a league: what they do to its store, and what is refused and why."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sternhalma_server.league_book import LeagueBook
from sternhalma_server.store import Store
from sternhalma_tournament.charter import parse_charter
from sternhalma_tournament.reading import EventFileError

DIGEST = hashlib.sha256(b"secret").hexdigest()
CHARTER = parse_charter(
    b'name = "club"\nbots = [{ name = "House", command = "house" }]\n', "league.toml"
)
HEAD = 'rules = "tara"\nplayers = 2\nclock = "2s"\n'
CUP = f'name = "cup"\n{HEAD}'
STATES = ("created", "open", "running", "paused", "closed")
WAYS = {
    "created": (),
    "open": ("open",),
    "running": ("start",),
    "paused": ("start", "pause"),
    "closed": ("close",),
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "store.sqlite") as store:
        store.found_league("club")
        yield store


@pytest.fixture
def book(store: Store, tmp_path: Path) -> LeagueBook:
    return LeagueBook(store, CHARTER, tmp_path)


def named(*bots: str) -> str:
    return "".join(f'[[bots]]\nname = "{bot}"\n' for bot in bots)


def with_cup(book: LeagueBook, state: str = "created") -> LeagueBook:
    """*book* with the bots zoe and max, and the cup of both and the house in a state."""
    for bot in ("zoe", "max"):
        book.register(bot, DIGEST)
    book.add(f"{CUP}{named('zoe', 'max', 'House')}".encode(), "cup.toml")
    for verb in WAYS[state]:
        book.set_state("cup", verb)
    return book


def test_a_registered_bot_is_a_member_with_its_digest(book: LeagueBook) -> None:
    assert book.register("zoe", DIGEST) == "zoe: registered"
    assert book.members() == {"House": None, "zoe": DIGEST}


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "a name of 1 to 32"),
        ("a b", "a name of 1 to 32"),
        ("-a", "a name of 1 to 32"),
        ("a/b", "a name of 1 to 32"),
        ("../zoe", "a name of 1 to 32"),
        ("x" * 33, "a name of 1 to 32"),
        ("zoé", "a name of 1 to 32"),
        ("zoe\n", "a name of 1 to 32"),
        ("hOUSE", "unlike that of the league's own bot"),
        ("ZOE", "'zoe' is registered already"),
    ],
)
def test_a_name_that_cannot_be_had_is_refused(book: LeagueBook, name: str, why: str) -> None:
    book.register("zoe", DIGEST)
    with pytest.raises(ValueError, match=why):
        book.register(name, DIGEST)
    assert set(book.members()) == {"House", "zoe"}


def test_a_bot_gets_another_token_only_if_that_is_asked_for(book: LeagueBook) -> None:
    other = hashlib.sha256(b"other").hexdigest()
    book.register("zoe", DIGEST)
    assert book.register("ZOE", other, renew=True) == "zoe: has another token"
    assert book.members()["zoe"] == other
    with pytest.raises(ValueError, match="expected a registered bot, got 'max'"):
        book.register("max", DIGEST, renew=True)


def test_who_has_left_is_no_member_and_comes_back_under_the_first_spelling(
    book: LeagueBook, store: Store
) -> None:
    book.register("zoe", DIGEST)
    assert book.unregister("Zoe") == "zoe: not registered any more"
    assert "zoe" not in book.members()
    assert [(bot.name, bot.digest) for bot in store.bots()] == [("zoe", None)]
    with pytest.raises(ValueError, match="expected a registered bot"):
        book.unregister("zoe")
    with pytest.raises(ValueError, match="expected a registered bot"):
        book.register("zoe", DIGEST, renew=True)
    assert book.register("ZOE", DIGEST) == "zoe: registered"
    assert book.members()["zoe"] == DIGEST


def test_the_leagues_own_bot_cannot_be_removed(book: LeagueBook) -> None:
    with pytest.raises(ValueError, match="expected a registered bot, got 'House'"):
        book.unregister("House")


def test_an_event_is_kept_byte_for_byte(book: LeagueBook, store: Store) -> None:
    source = f"# ours\r\n{CUP}{named('House')}".encode()
    assert book.add(source, "cup.toml") == "cup: created"
    (event,) = store.events()
    assert (event.name, event.state, event.source) == ("cup", "created", source)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("name =", "cup.toml: "),
        (f"{CUP}clok = 2", "clok: unknown key"),
        (f"{CUP}{named('nobody')}", r"bots\[1\].name: expected a bot of the league"),
        (f"{CUP}{named('house')}", r"bots\[1\].name: expected a bot of the league"),
        (f"{CUP}{named('House', 'house')}", "unlike that of"),
        (f'{CUP}[[bots]]\nname = "House"\nremote = true', "a name and nothing else"),
        (f"{CUP}limits = {{ memory = 64 }}", "in the league's file only"),
        (f'{CUP}format = "ladder"\n{named("House")}', "none with format 'ladder'"),
        (CUP.replace("cup", "../cup"), "name: expected"),
        (CUP.replace("cup", ".."), "name: expected"),
        (CUP.replace("tara", "chess"), "rules: "),
    ],
)
def test_a_file_that_is_none_of_a_leagues_events_is_refused_with_its_place(
    book: LeagueBook, store: Store, text: str, why: str
) -> None:
    with pytest.raises(EventFileError, match=why) as problem:
        book.add(text.encode(), "cup.toml")
    assert str(problem.value).startswith("cup.toml: ")
    assert not store.events()


def test_two_events_have_two_names_whatever_the_case(book: LeagueBook) -> None:
    book.add(CUP.encode(), "cup.toml")
    with pytest.raises(EventFileError, match="expected a new event's, the league has 'CUP'"):
        book.add(CUP.replace("cup", "CUP").encode(), "again.toml")


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize(
    ("verb", "after"),
    [("open", "open"), ("start", "running"), ("pause", "paused"), ("close", "closed")],
)
def test_an_event_goes_from_state_to_state_as_the_books_table_says(
    book: LeagueBook, store: Store, verb: str, after: str, state: str
) -> None:
    allowed = {
        "open": {"created"},
        "start": {"created", "open", "paused"},
        "pause": {"running"},
        "close": {"created", "open", "running", "paused"},
    }
    with_cup(book, state)
    if state in allowed[verb]:
        assert book.set_state("CUP", verb) == f"cup: {after}"
        assert store.events()[0].state == after
    else:
        with pytest.raises(ValueError, match=f"cup: expected an event that is .*, it is {state}$"):
            book.set_state("cup", verb)
        assert store.events()[0].state == state


def test_entries_are_put_behind_the_events_file(book: LeagueBook, store: Store) -> None:
    for bot in ("zoe", "max"):
        book.register(bot, DIGEST)
    source = f"{CUP}# no end of line".encode()
    book.add(source, "cup.toml")
    assert book.enter("cup", ["ZOE", "house"]) == "cup: entered zoe, House"
    assert book.enter("cup", ["max"]) == "cup: entered max"
    (event,) = store.events()
    assert event.source.startswith(source + b"\n")
    assert [bot.name for bot in book.settings(event).event.bots] == ["zoe", "House", "max"]


@pytest.mark.parametrize(
    ("bots", "why"),
    [
        ([], "expected bots to enter, got none"),
        (["zoe"], "'zoe' is entered already"),
        (["lou", "nobody"], "expected a bot of the league, got 'nobody'"),
        (["lou", "LOU"], "'lou' is entered already"),
    ],
)
def test_of_entries_that_cannot_be_nobody_is_entered(
    book: LeagueBook, store: Store, bots: list[str], why: str
) -> None:
    with_cup(book)
    book.register("lou", DIGEST)
    before = store.events()[0].source
    with pytest.raises(ValueError, match=why):
        book.enter("cup", bots)
    assert store.events()[0].source == before


@pytest.mark.parametrize("state", ["running", "paused", "closed"])
def test_nobody_is_entered_once_an_event_has_begun(book: LeagueBook, state: str) -> None:
    with_cup(book, state).register("lou", DIGEST)
    with pytest.raises(
        ValueError, match=f"cup: expected an event that has not begun, it is {state}"
    ):
        book.enter("cup", ["lou"])


def test_bots_cannot_be_entered_where_the_file_has_its_bots_in_a_line(book: LeagueBook) -> None:
    with_cup(book)
    book.add(f'name = "line"\n{HEAD}bots = [{{ name = "zoe" }}]\n'.encode(), "line.toml")
    with pytest.raises(ValueError, match=r"bots are entered where the file has \[\[bots\]\]"):
        book.enter("line", ["max"])


def test_an_event_without_enough_bots_is_not_started(book: LeagueBook, store: Store) -> None:
    book.add(f"{CUP}{named('House')}".encode(), "cup.toml")
    with pytest.raises(ValueError, match="cup: bots: expected at least 2"):
        book.set_state("cup", "start")
    assert store.events()[0].state == "created"


def test_an_event_with_a_bot_that_has_left_is_not_started(book: LeagueBook) -> None:
    with_cup(book).unregister("max")
    with pytest.raises(ValueError, match=r"cup: bots\[2\].name: expected a bot of the league"):
        book.set_state("cup", "start")


def test_an_event_goes_on_after_a_pause_though_a_bot_of_it_has_left(book: LeagueBook) -> None:
    with_cup(book, "paused").unregister("max")
    assert book.set_state("cup", "start") == "cup: running"


def test_an_event_that_is_not_there_is_refused_with_those_that_are(book: LeagueBook) -> None:
    with pytest.raises(ValueError, match=r"expected an event of the league \(none yet\), got 'x'"):
        book.event("x")
    with_cup(book)
    with pytest.raises(ValueError, match=r"expected an event of the league \(cup\), got 'x'"):
        book.set_state("x", "start")


@pytest.mark.parametrize(
    "request_",
    [
        {},
        {"command": "register"},
        {"command": "register", "bot": "zoe", "digest": 7},
        {"command": "unregister", "bot": None},
        {"command": "event", "do": "add"},
        {"command": "event", "do": "enter", "event": "cup", "bots": "zoe"},
        {"command": "event", "do": "destroy", "event": "cup"},
        {"command": "event", "do": ["start"], "event": "cup"},
    ],
    ids=json.dumps,
)
def test_a_request_for_something_else_is_refused(
    book: LeagueBook, request_: dict[str, Any]
) -> None:
    with pytest.raises(ValueError, match="expected something that a league can do"):
        book.do(request_)


def test_requests_do_what_the_methods_do(book: LeagueBook) -> None:
    asked: list[dict[str, Any]] = [
        {"command": "register", "bot": "zoe", "digest": DIGEST},
        {"command": "event", "do": "add", "source": CUP, "where": "cup.toml"},
        {"command": "event", "do": "enter", "event": "cup", "bots": ["zoe", "House"]},
        {"command": "event", "do": "start", "event": "cup"},
        {"command": "unregister", "bot": "zoe"},
    ]
    said = [sentence for request in asked for sentence in book.do(request)]
    assert said == [
        "zoe: registered",
        "cup: created",
        "cup: entered zoe, House",
        "cup: running",
        "zoe: not registered any more",
    ]


def test_a_bot_that_was_entered_may_leave_before_the_event_begins(book: LeagueBook) -> None:
    with_cup(book)
    before = book.event("cup").source
    for bot in ("ida", "kim"):
        book.register(bot, DIGEST)
    book.enter("cup", ["ida", "kim"])
    assert book.leave("cup", "IDA") == "cup: ida is not entered any more"
    assert b"ida" not in book.event("cup").source
    book.leave("cup", "kim")
    assert book.event("cup").source == before
    with pytest.raises(ValueError, match="cup: expected a bot that was entered, got 'kim'"):
        book.leave("cup", "kim")


def test_a_match_takes_no_more_than_can_play_it(book: LeagueBook) -> None:
    match = 'name = "duel"\nformat = "match"\nrules = "tara"\nplayers = 2\nclock = "1s"\n'
    book.add(match.encode(), "duel.toml")
    for bot in ("zoe", "max", "ida"):
        book.register(bot, DIGEST)
    book.enter("duel", ["zoe"])
    with pytest.raises(ValueError, match="expected 2 entries for a match, got 3"):
        book.enter("duel", ["max", "ida"])


def test_the_leagues_own_bots_and_registered_ones_have_different_names(
    store: Store, tmp_path: Path
) -> None:
    LeagueBook(store, parse_charter(b'name = "club"', "club.toml"), tmp_path).register(
        "max", DIGEST
    )
    own = b'name = "club"\n[[bots]]\nname = "Max"\ncommand = "true"\n'
    book = LeagueBook(store, parse_charter(own, "club.toml"), tmp_path)
    with pytest.raises(EventFileError, match=r"club: bots\[1\].name: .* got 'Max'"):
        book.check_names("club")


def test_an_anchor_that_is_nobodys_name_is_told(store: Store, tmp_path: Path) -> None:
    text = b'name = "club"\n[anchors]\nmax = 1000\n"max 2" = 1100\nmaxx = 1200\n'
    book = LeagueBook(store, parse_charter(text, "club.toml"), tmp_path)
    book.register("max", DIGEST)
    (sentence,) = book.check_names("club")
    assert sentence == "club: anchors: expected bots of the league, got 'maxx', who is none yet"
