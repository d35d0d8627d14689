"""Steps about positions: every rule set in the middle of games, and where rules are forgotten.

The positions are data: those of `positions.txt` come from games played at random, the odd ones are
here with what is odd about them. The seat to move is the bot's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from sternhalma import Game, Seat
from sternhalma_server.conformance.asking import Table, ask, table
from sternhalma_server.conformance.bench import Bench
from sternhalma_server.conformance.step import Act, Step

POSITIONS: Final = Path(__file__).with_name("positions.txt")

# What is odd about some positions, and the positions.
ODD: Final[Mapping[str, tuple[str, Sequence[str]]]] = {
    "locked": (
        "most marbles are home and may not leave the target again",
        (
            "tara D/DD/DDD/1DDD/4D8/12/11/10/9/10/11/12/6A6/A1AA/AAA/AA/A A,D A 20,20 -",
            "corner D/DD/DDD/1DDD/4D8/12/11/10/9/10/11/12/6A6/A1AA/AAA/AA/A A,D A 20,20 -",
        ),
    ),
    "long-hops": (
        "most ways are long hops",
        (
            (
                "tara+long 1/AA/1A1/A3/4AA7/8A3/11/10/2A2D3/10/7AD2/6D5/4DD1DA4/2DD/1D1/2/D"
                " A,D D 21,20 -"
            ),
            (
                "corner+long 1/A1/3/2AA/3C4A4/6A5/C2AA3C1E/7E1C/E1E2C3/C5CAEC/2A5C2/E1EAEE6/E10C1"
                "/4/3/2/1 A,C,E A 30,30,30 -"
            ),
        ),
    ),
    "finished": (
        "a player has finished and takes no more turns",
        (
            (
                "corner 1/2/3/4/4C4E3/6C5/5E5/2C7/4E4/4E5/5CCC3/3E4C3/EEEEE4CCC1/AAAA/AAA/AA/A"
                " A,C,E C 50,49,49 A"
            ),
        ),
    ),
    "gone": (
        "players have gone out and their marbles stand in the way",
        (
            (
                "corner 1/1A/3/3A/5A3A3/5A1AA3/3E3A3/4A3C1/9/E9/EE1E2C1C2/E3E3C3/EE1EA8/4/3/2/1"
                " A,C,E E 29,13,28 !C"
            ),
            (
                "tara A/1A/2A/A3/FFF1AAF1B4/F1FA3AB3/FFE5B2/F1A3AC2/E4C3/1E1ED1DF1C/1E1CC5C/EE9C"
                "/1EEE2D3CCC/4/3/2/1 A,B,C,D,E,F C 19,7,18,10,18,18 !B,!D"
            ),
        ),
    ),
}

# The bot's last marble outside has D's around it until D has moved.
SHUT_IN: Final = "tara A/DD/D1D/4/13/12/11/4DD4/4DDD2/10/11/12/13/AAAA/AAA/AA/D A,D A 10,10 -"


def positions_by_rules() -> dict[str, list[str]]:
    """The positions of the file by rules id, in its order."""
    found: dict[str, list[str]] = {}
    for line in POSITIONS.read_text(encoding="ascii").splitlines():
        if not line.startswith("#"):
            found.setdefault(line.partition(" ")[0], []).append(line)
    return found


def _asking(positions: Sequence[str]) -> Act:
    async def act(bench: Bench) -> None:
        talk = await bench.seated()
        for text in positions:
            await ask(talk, table(bench.next_game(), text))

    return act


async def _passed(bench: Bench) -> None:
    talk = await bench.seated()
    asked = Table(bench.next_game(), Game.load(SHUT_IN), Seat(0))
    opening = asked.opening()
    passed = asked.play("pass", by="rules")
    moved = asked.play("c5-c6")
    await talk.say(opening, passed, moved, asked.turn(talk))
    moved = asked.play(await asked.answer(talk))
    await talk.say(moved, asked.over())


STEPS: Final = (
    *(
        Step("rules", rules, f"it plays legal moves by the rules of {rules}", _asking(positions))
        for rules, positions in positions_by_rules().items()
    ),
    *(Step("odd", title, what, _asking(positions)) for title, (what, positions) in ODD.items()),
    Step("odd", "passed", "a turn of its own is passed for it, and it moves in the next", _passed),
)
