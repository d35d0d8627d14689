"""What people at a table are told, and what they can do: without a network and without a server."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sternhalma import Game, Hole, Move, Rules
from sternhalma_server.web.tables.forms import (
    FormError,
    Wish,
    read_fields,
    read_places,
    read_wish,
)
from sternhalma_server.web.tables.lines import Told, read_line
from sternhalma_server.web.tables.names import LONGEST, clean_name
from sternhalma_server.web.tables.party import ActError, Chair, Party, Place, Plan
from sternhalma_server.web.tables.person import Person
from sternhalma_server.web.tables.show import shown
from sternhalma_server.web.tables.ways import ways_of

GAME = "game t1/{n} {rules} {seat} seats={seats} limit=200 at_limit={at} clock={clock}"
DUEL = "A:t1.1,D:t1.2"


class Client(Person):
    """A client without a connection: what it says is kept in `said`."""

    def __init__(self, name: str, hear: Callable[[Person, Told], None]) -> None:
        super().__init__(name, "token", hear)
        self.said: list[str] = []

    def send(self, line: str) -> bool:
        self.said.append(line)
        return True

    def hears(self, *lines: str) -> None:
        for line in lines:
            self._take(line)


class Gathering:
    """A table, with a chair for each item of *chairs*: which of its places that has."""

    def __init__(
        self, rules: str, letters: str, samples: str, chairs: list[list[int]], clock: str = "none"
    ) -> None:
        self.time = 100.0
        places = [
            Place(n, letter, "greedy", "greedy")
            if letter in samples
            else Place(n, letter, f"t1.{n + 1}", f"player {letter}", "token")
            for n, letter in enumerate(letters)
        ]
        self.party = Party("t1", Plan(rules, clock, 200), places, lambda: self.time)
        self.chairs: list[Chair] = []
        self.clients: dict[str, Client] = {}
        for numbers in chairs:
            names = {n: f"person {letters[n]}" for n in numbers}
            chair = self.party.seat(names, is_host=not self.chairs)
            for place in chair.places:
                client = Client(place.wire, self.party.hear)
                self.clients[place.letter] = place.client = client
            self.chairs.append(chair)

    def tell(self, *lines: str) -> None:
        """Tell everybody the same."""
        for client in self.clients.values():
            client.hears(*lines)

    def open(self, number: int = 1) -> None:
        """Tell everybody that the game begins."""
        seats = ",".join(f"{place.letter}:{place.wire}" for place in self.party.places)
        plan = self.party.plan
        for letter, client in self.clients.items():
            at = Rules.parse(plan.rules).at_limit
            line = GAME.format(
                n=number, rules=plan.rules, seat=letter, seats=seats, clock=plan.clock, at=at
            )
            client.hears(f"{line} draws=yes undo=yes")

    def ask(self, number: int = 1, left: str = "-") -> None:
        """Ask the person who is to move."""
        story = self.party.story
        assert story is not None
        letter = story.turn
        assert letter is not None
        position = str(story.now)
        self.clients[letter].hears(f"turn t1/{number} {story.now.ply} {left} {position}")

    def show(self, chair: int) -> dict[str, Any]:
        """What the pages of a chair are shown."""
        return shown(self.party, self.chairs[chair], self.time)


def two(clock: str = "none") -> Gathering:
    """Two people with a chair each, whose game has begun."""
    table = Gathering("duel", "AD", "", [[0], [1]], clock)
    table.open()
    return table


def test_a_move_is_said_by_the_client_of_the_seat_and_shown_when_the_server_tells_it() -> None:
    table = two()
    table.ask()
    assert table.show(0)["mine"]
    assert not table.show(1)["mine"]
    table.party.move(table.chairs[0], "t1/1", 1, "c5-e7", offer=False)
    assert table.clients["A"].said == ["move t1/1 1 c5-e7"]
    assert table.show(0)["steps"] == []
    assert not table.show(0)["mine"]
    table.tell("moved t1/1 1 A c5-e7 charged=1 left=-")
    (step,) = table.show(1)["steps"]
    assert step["text"] == "A person A: c5-e7"
    assert table.show(1)["turn"] == "D"


def test_a_chain_given_by_its_ends_is_said_with_every_landing_and_with_an_offer() -> None:
    table = two()
    rng = random.Random(1)
    while True:
        story = table.party.story
        assert story is not None
        game = story.now
        ways = [game.find_path(move.origin, move.target) for move in game.legal_moves()]
        chains = [way for way in ways if way is not None and len(way.path) > 2]
        if story.turn == "A" and chains:
            break
        path = game.format_move(rng.choice(game.legal_moves()))
        table.tell(f"moved t1/1 {game.ply} {story.turn} {path} charged=1 left=-")
    table.ask()
    full = game.format_move(chains[0])
    first, *_, last = full.split("-")
    table.party.move(table.chairs[0], "t1/1", game.ply, f"{first}-{last}".upper(), offer=True)
    assert table.clients["A"].said == [f"move t1/1 {game.ply} {full} draw=offer"]


@pytest.mark.parametrize(
    ("game", "ply", "path", "sentence"),
    [
        ("t1/1", 1, "a5-e9", "no step and no chain"),
        ("t1/1", 1, "hello", "expected"),
        ("t1/1", 1, "", "expected"),
        ("t1/1", 2, "c5-e7", "another turn"),
        ("t1/2", 1, "c5-e7", "another turn"),
    ],
)
def test_what_is_no_move_is_explained_and_never_said(
    game: str, ply: int, path: str, sentence: str
) -> None:
    table = two()
    table.ask()
    with pytest.raises(ActError, match=sentence):
        table.party.move(table.chairs[0], game, ply, path, offer=False)
    with pytest.raises(ActError, match="not to move"):
        table.party.move(table.chairs[1], game, ply, path, offer=False)
    assert table.clients["A"].said == []


def test_a_move_that_everybody_is_told_is_made_once() -> None:
    table = two()
    table.ask()
    for client in table.clients.values():
        client.hears("moved t1/1 1 A c5-e7 charged=1 left=-")
    table.clients["D"].hears("moved t1/1 2 D n10-m10 charged=1 left=-")
    table.clients["A"].hears("moved t1/1 2 D n10-m10 charged=1 left=-")
    assert [step["ply"] for step in table.show(0)["steps"]] == [1, 2]


def test_what_was_missed_is_told_by_the_position_of_the_next_turn() -> None:
    table = two()
    later = Game.new("duel").play("c5-e7").play("n10-m10")
    table.clients["A"].hears(f"turn t1/1 3 - {later}")
    assert table.show(0)["ply"] == 3
    assert table.show(0)["mine"]


def test_a_move_is_taken_back_when_all_agree_and_the_steps_before_it_are_kept() -> None:
    table = two()
    table.tell("moved t1/1 1 A c5-e7 charged=1 left=-", "moved t1/1 2 D n10-m10 charged=1 left=-")
    table.tell("moved t1/1 3 A d5-e5 charged=1 left=-")
    table.ask()
    table.party.wish_back(table.chairs[0], None)
    assert table.show(1)["back"]["mine"]
    assert table.show(0)["back"]["waiting"] == ["person D"]
    assert table.clients["D"].said == []
    table.party.answer_back(table.chairs[1], agreed=True)
    assert table.clients["D"].said == ["undo t1/1 3"]
    assert table.show(1)["back"] is None
    table.tell("over t1/1 aborted places=A:0,D:0")
    assert table.show(0)["phase"] == "playing"
    table.open(2)
    assert table.show(0)["game"] == "t1/2"
    assert [step["ply"] for step in table.show(0)["steps"]] == [1, 2]
    table.ask(2)
    assert table.show(0)["mine"]


def test_a_game_that_ends_before_a_move_is_taken_back_is_over_all_the_same() -> None:
    table = two()
    table.tell("moved t1/1 1 A c5-e7 charged=1 left=-")
    table.ask()
    table.party.wish_back(table.chairs[0], None)
    table.party.answer_back(table.chairs[1], agreed=True)
    assert table.clients["D"].said == ["undo t1/1 1"]
    table.tell("over t1/1 time places=A:1,D:2 seat=D ply=2")
    assert table.show(0)["phase"] == "over"
    assert table.show(0)["ending"] == "D person D ran out of time: 1. A person A, 2. D person D"


def test_who_plays_sample_bots_alone_takes_back_without_asking_as_soon_as_it_is_to_move() -> None:
    table = Gathering("duel", "AD", "D", [[0]])
    table.open()
    table.ask()
    table.tell("moved t1/1 1 A c5-e7 charged=1 left=-")
    table.party.wish_back(table.chairs[0], None)
    assert table.clients["A"].said == []
    table.tell("moved t1/1 2 D n10-m10 charged=1 left=-")
    table.ask()
    assert table.clients["A"].said == ["undo t1/1 1"]


def test_a_wish_to_take_back_is_over_when_a_person_moves_or_does_not_agree() -> None:
    table = two()
    table.tell("moved t1/1 1 A c5-e7 charged=1 left=-")
    table.ask()
    table.party.wish_back(table.chairs[0], None)
    with pytest.raises(ActError, match="already"):
        table.party.wish_back(table.chairs[0], None)
    table.tell("moved t1/1 2 D n10-m10 charged=1 left=-")
    assert table.show(0)["back"] is None
    table.party.wish_back(table.chairs[0], None)
    table.party.answer_back(table.chairs[1], agreed=False)
    assert table.show(0)["back"] is None
    assert "not all agree" in table.show(0)["note"]
    assert table.clients["A"].said == table.clients["D"].said == []
    table.tell("moved t1/1 3 A a5-c5 charged=1 left=-")
    assert table.show(0)["note"] == ""


def test_a_draw_is_agreed_on_by_who_is_offered_it() -> None:
    table = two()
    table.ask()
    with pytest.raises(ActError, match="no draw"):
        table.party.agree(table.chairs[0])
    table.tell("moved t1/1 1 A c5-e7 charged=1 left=-")
    table.clients["D"].hears("offer t1/1 A")
    table.ask()
    assert table.show(1)["offers"] == ["A person A"]
    table.party.agree(table.chairs[1])
    assert table.clients["D"].said == ["draw t1/1 2"]
    table.tell("over t1/1 agreement places=A:1,D:1")
    assert table.show(0)["ending"] == "a draw was agreed on: 1. A person A, 1. D person D"
    assert table.show(0)["phase"] == "over"


def test_several_people_at_one_screen_move_each_when_it_is_its_turn() -> None:
    table = Gathering("tara", "ACE", "", [[0, 1], [2]])
    table.open()
    for letter, path in (("A", "d5-e5"), ("C", "j14-j13")):
        table.ask()
        assert table.show(0)["mine"]
        story = table.party.story
        assert story is not None
        table.party.move(table.chairs[0], "t1/1", story.now.ply, path, offer=False)
        assert table.clients[letter].said[-1].startswith(f"move t1/1 {story.now.ply} ")
        table.tell(f"moved t1/1 {story.now.ply} {letter} {path} charged=1 left=-")
    table.ask()
    assert not table.show(0)["mine"]
    assert table.show(1)["mine"]


def test_who_resigns_out_of_turn_is_told_when_it_takes_effect() -> None:
    table = two()
    table.ask()
    with pytest.raises(ActError, match="a seat of yours"):
        table.party.resign(table.chairs[1], "A")
    table.party.resign(table.chairs[1], "D")
    assert table.clients["D"].said == ["resign t1/1"]
    assert "as soon as" in table.show(1)["note"]


def test_a_player_who_goes_out_is_shown_as_out_and_its_marbles_are_lifted() -> None:
    table = Gathering("tara", "ACE", "", [[0], [1], [2]])
    table.open()
    table.tell("out t1/1 A time ply=1")
    (step,) = table.show(1)["steps"]
    assert step["text"] == "A person A is out: ran out of time"
    assert len(step["lift"]) == 10
    assert table.show(1)["seats"][0]["state"] == "out"
    assert table.show(1)["turn"] == "C"


def test_the_clock_of_whoever_is_to_move_runs_and_the_others_stand() -> None:
    table = two("60s+1s")
    table.ask(left="60000")
    table.time += 5.0
    assert [seat["left"] for seat in table.show(0)["seats"]] == [55_000, 60_000]
    table.tell("moved t1/1 1 A c5-e7 charged=5000 left=56000")
    table.time += 1.0
    assert [seat["left"] for seat in table.show(0)["seats"]] == [56_000, 59_000]


def test_another_game_is_shown_from_its_start_with_everybody_a_seat_further() -> None:
    table = two()
    table.tell("moved t1/1 1 A c5-e7 charged=1 left=-", "over t1/1 resign places=A:2,D:1 seat=A")
    assert table.show(0)["ending"] == "A person A resigned: 1. D person D, 2. A person A"
    for client, letter in ((table.clients["A"], "D"), (table.clients["D"], "A")):
        line = GAME.format(
            n=2, rules="duel", seat=letter, seats="A:t1.2,D:t1.1", clock="none", at="share"
        )
        client.hears(line)
    assert table.show(0)["steps"] == []
    assert [(seat["name"], seat["here"]) for seat in table.show(0)["seats"]] == [
        ("person D", False),
        ("person A", True),
    ]


def test_two_sample_bots_of_one_kind_are_told_apart() -> None:
    table = Gathering("tara", "ACE", "CE", [[0]])
    table.open()
    assert [table.party.place_of(letter).number for letter in "ACE"] == [0, 1, 2]


def test_a_table_that_is_closed_shows_why_and_lets_nobody_do_anything() -> None:
    table = two()
    table.ask()
    table.clients["A"].hears("bye table-closed nothing has happened here for 60 minutes")
    assert table.show(1)["phase"] == "closed"
    assert "60 minutes" in table.show(1)["closed"]
    with pytest.raises(ActError):
        table.party.move(table.chairs[0], "t1/1", 1, "c5-e7", offer=False)


def test_a_place_is_taken_once_and_only_by_whoever_wants_one() -> None:
    table = Gathering("tara", "ACE", "E", [[0]])
    with pytest.raises(ActError, match="taken already"):
        table.party.seat({0: "x"})
    with pytest.raises(ActError, match="taken already"):
        table.party.seat({2: "x"})
    with pytest.raises(ActError, match="got none"):
        table.party.seat({})
    with pytest.raises(ActError, match="got none"):
        table.party.seat({9: "x"})
    assert [place.letter for place in table.party.free] == ["C"]


@pytest.mark.parametrize(
    ("rules", "letters", "target"),
    [
        ("duel", "AD", "the point D"),
        ("corner+2c", "AD", "the points "),
        ("halma13", "AC", "the corner C"),
    ],
)
def test_where_marbles_are_to_go_is_said_in_words(rules: str, letters: str, target: str) -> None:
    table = Gathering(rules, letters, "", [[0], [1]])
    assert table.show(0)["seats"][0]["target"].startswith(target)


def test_a_chair_is_found_by_its_secret_alone() -> None:
    table = two()
    assert table.party.chair(table.chairs[1].secret) is table.chairs[1]
    for wrong in ("", "x", table.chairs[1].secret[:-1], table.party.invitation, "ä"):
        assert table.party.chair(wrong) is None
    assert table.party.invites(table.party.invitation)
    assert not table.party.invites(table.chairs[0].secret)


def test_the_invitation_is_shown_to_the_host_alone_while_there_are_free_places() -> None:
    table = Gathering("tara", "ACE", "", [[0], [1]])
    assert table.show(0)["invitation"] == table.party.invitation
    assert table.show(1)["invitation"] is None


@pytest.mark.parametrize(
    ("rules", "players"),
    [("tara", 2), ("duel", 2), ("corner", 6), ("corner+long", 2), ("halma13", 4), ("corner+2c", 2)],
)
def test_whatever_a_page_can_lay_hop_by_hop_is_legal_and_so_is_every_way_it_is_given(
    rules: str, players: int
) -> None:
    rng = random.Random(f"{rules}/{players}")
    game = Game.new(rules, players)
    for _ in range(24):
        ways = ways_of(game)
        ends = {
            (int(origin), int(target)): path
            for origin, marble in ways["marbles"].items()
            for target, path in marble["ends"].items()
        }
        assert set(ends) == {(move.origin, move.target) for move in game.legal_moves()}
        for (origin, target), path in ends.items():
            assert game.is_legal(_move(path))
            shortest = game.find_path(Hole(origin), Hole(target))
            assert shortest is not None
            assert len(path) == len(shortest.path)
        for _ in range(6):
            path = _laid(ways, rng)
            if path is not None:
                assert game.is_legal(_move(path)), game.format_move(_move(path))
        game = game.play(_move(rng.choice(list(ends.values()))))


def _laid(ways: dict[str, Any], rng: random.Random) -> list[int] | None:
    """A chain as somebody may lay it, None where it stands at no end."""
    origin = rng.choice(list(ways["marbles"]))
    marble = ways["marbles"][origin]
    path = [int(origin)]
    for _ in range(rng.randint(1, 5)):
        hops = [
            hole
            for hole in marble["hops"].get(str(path[-1]), ())
            if ways["again"] or hole not in path
        ]
        if not hops:
            break
        path.append(rng.choice(hops))
    return path if len(path) > 1 and str(path[-1]) in marble["ends"] else None


def _move(path: list[int]) -> Move:
    return Move(tuple(Hole(hole) for hole in path))


@given(st.text(max_size=400))
def test_a_name_is_short_seen_and_never_turns_what_stands_beside_it(typed: str) -> None:
    name = clean_name(typed, "player A")
    assert 0 < len(name) <= LONGEST
    assert name == name.strip()
    assert "\u202e" not in name
    assert name.isprintable()


@given(st.binary(max_size=300))
def test_a_form_of_any_bytes_is_read_or_refused(body: bytes) -> None:
    try:
        fields = read_fields(body)
    except FormError:
        return
    wish = read_wish(fields)
    assert len(wish.order) == wish.players
    read_places(fields)


def test_a_form_says_what_is_ordered() -> None:
    fields = read_fields(
        b"rules=corner&option=pairs&option=long&option=nonsense&players=4&seat-0=here&name-0=Zo%C3%AB"
        b"&seat-1=greedy&seat-2=person&seat-3=here&name-3=%3Cb%3E&clock=1m&limit=90"
    )
    wish = read_wish(fields)
    assert wish.rules == "corner+long+pairs"
    assert wish.order == ["person", "greedy", "person", "person"]
    assert wish.here == {0: "Zoë", 3: "<b>"}
    assert (wish.clock, wish.turns) == ("1m", 90)
    with pytest.raises(FormError, match="turns each"):
        _ = Wish(limit="many").turns


@given(st.text(max_size=80))
def test_a_line_that_makes_no_sense_is_passed_over_or_refused(text: str) -> None:
    for word in ("game", "turn", "moved", "out", "over", "offer", "note", "error", "bye", ""):
        try:
            read_line(f"{word} {text}")
        except (ValueError, KeyError):
            continue
