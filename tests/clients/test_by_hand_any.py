"""Whatever a person types, and under any rules: nothing raises, and nothing wrong is sent."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sternhalma
from sternhalma_bot.by_hand.sitting import Sitting, Wants
from sternhalma_bot.by_hand.typed import HELP
from sternhalma_bot.core import Core
from sternhalma_bot.turn import Turn

LIMIT = 6  # turns each, so that games end as well


class House:
    """A server for one person: it plays the first move for all others, and forgives nothing."""

    def __init__(self, rules: str, players: int) -> None:
        self.rules = rules
        self.players = players
        self.number = 0
        self.games: list[sternhalma.Game] = []
        self.out: list[str] = ["sternhalma 1", "welcome you slot=1 key=k"]
        self.gone = False

    @property
    def game(self) -> sternhalma.Game:
        """The game as it stands."""
        return self.games[-1]

    def new_game(self, games: Sequence[sternhalma.Game] = ()) -> None:
        """Open a game, perhaps with what was played in another one."""
        self.number += 1
        start = sternhalma.Game.new(self.rules, self.players, limit=LIMIT)
        self.games = list(games) or [start]
        letters = [group[0] for group in start.position.seats]
        seats = ",".join(f"{letter}:bot{letter}" for letter in letters)
        at_limit = start.terms.at_limit
        self.out.append(
            f"game {self.number} {self.rules} {letters[0]} seats={seats} limit={LIMIT}"
            f" at_limit={at_limit} clock=none seed=1 draws=yes undo=yes"
        )
        self.go_on()

    def go_on(self) -> None:
        """Play for the others, and ask the person."""
        while self.game.turn not in {None, 0} or self.game.must_pass:
            first = [] if self.game.must_pass else self.game.legal_moves()
            self.play(first[0] if first else sternhalma.PASS)
        if self.game.turn is None:
            self.over("share")
        else:
            self.out.append(f"turn {self.number} {self.game.ply} - {self.game}")

    def play(self, move: sternhalma.Move) -> None:
        """Make a move, and tell it."""
        before, seat = self.game, self.game.turn
        assert seat is not None
        self.games.append(before.play(move))
        assert self.game.last is not None
        path = before.format_move(self.game.last)
        letter = before.position.seats[seat][0]
        by = " by=rules" if move.is_pass else ""
        self.out.append(f"moved {self.number} {before.ply} {letter} {path}{by}")

    def over(self, reason: str) -> None:
        """End the game and begin another one."""
        places = ",".join(f"{group[0]}:1" for group in self.game.position.seats)
        self.out.append(f"over {self.number} {reason} places={places}")
        self.new_game()

    def hear(self, line: str) -> None:
        """Take a line; AssertionError for one that would lose on a server."""
        assert not self.gone
        match line.split():
            case ["login", *_]:
                self.new_game()
            case ["move", number, ply, path, *draw]:
                assert (int(number), int(ply)) == (self.number, self.game.ply)
                assert draw in ([], ["draw=offer"])
                move = self.game.parse_move(path)
                assert self.game.is_legal(move)
                self.play(move)
                self.go_on()
            case ["undo", number, ply]:
                assert int(number) == self.number
                (at,) = [i for i, game in enumerate(self.games) if game.ply == int(ply)]
                assert self.games[at].turn == 0
                assert at < len(self.games) - 1
                zero = ",".join(f"{group[0]}:0" for group in self.game.position.seats)
                self.out.append(f"over {number} aborted places={zero}")
                self.new_game(self.games[: at + 1])
            case ["resign", number]:
                assert int(number) == self.number
                self.over("resign")
            case ["bye"]:
                self.gone = True
            case _:
                raise AssertionError(line)


def first(turn: Turn) -> sternhalma.Move:
    """Advice that takes no time."""
    return turn.game.legal_moves()[0]


def exchange(sitting: Sitting, house: House) -> str:
    """Carry lines to and fro until the person is wanted; what is shown."""
    shown = ""
    while True:
        said, house.out = house.out, []
        if said:
            sitting.receive("".join(f"{line}\n" for line in said).encode())
        shown += sitting.shown()
        heard = sitting.outgoing().decode().splitlines()
        for line in heard:
            house.hear(line)
        if not heard and not house.out:
            return shown


WORDS = [
    *(word.split(" ")[0] for word in HELP if word != "quit"),
    *(
        "next",
        "back",
        "end",
        "",
        "",
        "undo 2",
        "undo 99",
        "3",
        "0",
        "c5",
        "zz",
        "d5-d5",
        "offer x-",
    ),
]


@pytest.mark.parametrize(
    ("rules", "players"),
    [("duel", 2), ("tara", 3), ("corner+2c", 2), ("corner+pairs", 6), ("halma13", 4)],
)
@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_whatever_is_typed_only_what_is_right_is_sent(
    rules: str, players: int, data: st.DataObject
) -> None:
    house = House(rules, players)
    sitting = Sitting(Core("you"), first, colour=data.draw(st.booleans()))
    exchange(sitting, house)
    for _ in range(30):
        assert sitting.wants is Wants.PERSON
        assert sitting.prompt.endswith("> ")
        before = data.draw(st.sampled_from(["", "", "", "offer "]))
        marble = data.draw(st.sampled_from(sitting.complete(before, "") or [""]))
        moves = sitting.complete(before, f"{marble}-")
        line = data.draw(
            st.sampled_from([before + move for move in moves])
            if moves
            else st.sampled_from(WORDS) | st.text(max_size=12)
        )
        if line.strip().lower() == "quit":
            continue
        sitting.typed(line)
        exchange(sitting, house)
    sitting.leave()
    exchange(sitting, house)
    assert house.gone
    assert sitting.wants.name == "NOBODY"
