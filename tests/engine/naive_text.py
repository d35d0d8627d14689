"""Rules ids and position text for the naive rules: reading with every refusal, and writing.

Follows RULES.md, "Names" and "Text".  Readings taken where the page leaves room:

* A board row may mix runs and dots (`1.2`); two runs beside each other cannot be told apart.
* Board letters are capitals; "upper case is accepted" is said of moves only.
* A pair that is out stands as two neighbours in seat order (`!A,!D`), and a partner who had
  finished before is listed only there: a seat is in, finished or out, never two of them.
* Level ones stand in seat order, as a pair that is out does; another order is refused.
* The counts need not fit the turn: nothing asks for it.
"""

import re
from collections import Counter
from dataclasses import dataclass
from itertools import combinations

from engine.naive_board import Hole, NaiveBoard, naive_board

OPTIONS = {
    "tara": ["long"],
    "duel": [],
    "corner": ["15", "2c", "3c", "first", "long", "out40", "pairs", "through"],
    "halma19": ["first", "long", "out40"],
    "halma13": ["first", "long", "out40", "pairs", "through"],
}
NUMBER = re.compile(r"0|[1-9][0-9]*", re.ASCII)


class NaiveError(ValueError):
    """What the naive rules refuse."""


def players_allowed(variant: str, options: set[str]) -> set[int]:
    """How many may play; empty where the combination of options is refused."""
    if not options <= set(OPTIONS[variant]):
        return set()
    if variant in ("duel", "halma19"):
        players = {2}
    elif variant == "halma13":
        players = {2, 4}
    else:
        players = {2, 3, 4, 6}
    if "pairs" in options:
        players &= {4, 6}
    if options & {"15", "2c", "3c"}:
        players &= {2}
    if len(options & {"15", "2c", "3c"}) > 1:
        players = set()
    return players


def every_game() -> list[tuple[str, int]]:
    """Every rules id with every number of players that it allows."""
    games = []
    for variant, options in OPTIONS.items():
        for size in range(len(options) + 1):
            for chosen in combinations(sorted(options), size):
                rules_id = "+".join([variant, *chosen])
                games += [(rules_id, n) for n in sorted(players_allowed(variant, set(chosen)))]
    return games


def read_rules_id(rules_id: str) -> tuple[str, set[str]]:
    variant, *options = rules_id.split("+")
    if variant not in OPTIONS:
        raise NaiveError(f"no such rules {rules_id!r}")
    if options != sorted(set(options)):
        raise NaiveError(f"options not sorted or doubled in {rules_id!r}")
    if not players_allowed(variant, set(options)):
        raise NaiveError(f"options that do not go together in {rules_id!r}")
    return variant, set(options)


def seats_for(variant: str, options: set[str], players: int) -> list[str]:
    """Rule 3: the letters of each seat in turn order."""
    if players not in players_allowed(variant, options):
        raise NaiveError(f"{variant!r} with {sorted(options)} is not for {players} players")
    if "2c" in options:
        return ["AB", "DE"]
    if "3c" in options:
        return ["ACE", "BDF"]
    if variant.startswith("halma"):
        return list({2: "AC", 4: "ABCD"}[players])
    return list({2: "AD", 3: "ACE", 4: "ABDE", 6: "ABCDEF"}[players])


def marbles_each(variant: str, options: set[str]) -> int:
    """How many marbles each colour has."""
    if "15" in options:
        return 15
    return {"halma19": 19, "halma13": 13}.get(variant, 10)


@dataclass
class Fields:
    """What a position text says."""

    rules_id: str
    seats: list[str]
    marbles: dict[Hole, str]
    turn: int | None
    counts: list[int]
    finished: list[list[int]]
    out: list[int]


def read_position(text: str, puzzle: bool) -> Fields:
    """The six fields of *text*; `write_position` writes them again."""
    words = text.split(" ")
    if len(words) != 6:
        raise NaiveError("not six fields between single spaces")
    rules_id, board_text, seats_text, turn_text, counts_text, done_text = words
    variant, options = read_rules_id(rules_id)
    board = naive_board(variant)

    seats = seats_text.split(",")
    if seats not in [
        seats_for(variant, options, players) for players in players_allowed(variant, options)
    ]:
        raise NaiveError(f"seats {seats_text!r} are not those of rule 3")

    marbles = read_board(board, board_text, set("".join(seats)))
    firsts = [seat[0] for seat in seats]

    if turn_text == "-":
        turn = None
    elif turn_text in firsts:
        turn = firsts.index(turn_text)
    else:
        raise NaiveError(f"no seat {turn_text!r} to move")

    counts = []
    for word in counts_text.split(","):
        if not NUMBER.fullmatch(word):
            raise NaiveError(f"{word!r} is no count")
        counts.append(int(word))
    if len(counts) != len(seats):
        raise NaiveError("not one count for each seat")

    finished, out = read_done(done_text, firsts)
    if "pairs" in options:
        half = len(seats) // 2
        pairs_out = list(zip(out[::2], out[1::2], strict=False))
        if len(out) % 2 or any(second != first + half for first, second in pairs_out):
            raise NaiveError("a pair goes out together, in seat order")
    if turn is not None and (turn in out or any(turn in group for group in finished)):
        raise NaiveError("the mover is finished or out")

    if not puzzle:
        held = Counter(marbles.values())
        right = marbles_each(variant, options)
        for seat, letters in enumerate(seats):
            for letter in letters:
                if held[letter] > right or (held[letter] < right and seat not in out):
                    raise NaiveError(f"{held[letter]} marbles of {letter!r}, not {right}")
    return Fields(rules_id, seats, marbles, turn, counts, finished, out)


def read_board(board: NaiveBoard, text: str, letters: set[str]) -> dict[Hole, str]:
    rows = text.split("/")
    if len(rows) != len(board.rows):
        raise NaiveError(f"{len(rows)} rows, not {len(board.rows)}")
    marbles: dict[Hole, str] = {}
    for row, holes in zip(rows, board.rows, strict=True):
        contents: list[str | None] = []
        for piece in re.findall(r"[0-9]+|.", row, re.ASCII | re.DOTALL):
            if NUMBER.fullmatch(piece) and piece != "0":
                if len(piece) > 2:
                    raise NaiveError(f"a row too wide in {row!r}")
                contents += [None] * int(piece)
            elif piece == ".":
                contents.append(None)
            elif piece in letters:
                contents.append(piece)
            else:
                raise NaiveError(f"{piece!r} is no marble of a seat and no run of empties")
        if len(contents) != len(holes):
            raise NaiveError(f"row {row!r} is {len(contents)} wide, not {len(holes)}")
        marbles |= {hole: held for hole, held in zip(holes, contents, strict=True) if held}
    return marbles


def read_done(text: str, firsts: list[str]) -> tuple[list[list[int]], list[int]]:
    """The groups that finished, level ones together, then those out, all in order."""
    finished: list[list[int]] = []
    out: list[int] = []
    if text == "-":
        return finished, out
    seen: list[str] = []
    for word in text.split(","):
        names = [word[1:]] if word.startswith("!") else word.split("=")
        for name in names:
            if name not in firsts or name in seen:
                raise NaiveError(f"{name!r} in {text!r} is no seat, or there twice")
            seen.append(name)
        if word.startswith("!"):
            out.append(firsts.index(names[0]))
        elif out:
            raise NaiveError(f"a finisher after one that is out in {text!r}")
        else:
            group = [firsts.index(name) for name in names]
            if group != sorted(group):
                raise NaiveError(f"level ones not in seat order in {text!r}")
            finished.append(group)
    return finished, out


def write_position(fields: Fields) -> str:
    """The text of *fields*; `read_position` reads it back."""
    board = naive_board(fields.rules_id.split("+", maxsplit=1)[0])
    rows = []
    for holes in board.rows:
        row = ""
        empties = 0
        for hole in holes:
            if hole in fields.marbles:
                row += (str(empties) if empties else "") + fields.marbles[hole]
                empties = 0
            else:
                empties += 1
        rows.append(row + (str(empties) if empties else ""))
    firsts = [seat[0] for seat in fields.seats]
    done = ["=".join(firsts[seat] for seat in group) for group in fields.finished]
    done += ["!" + firsts[seat] for seat in fields.out]
    return " ".join(
        [
            fields.rules_id,
            "/".join(rows),
            ",".join(fields.seats),
            "-" if fields.turn is None else firsts[fields.turn],
            ",".join(str(count) for count in fields.counts),
            ",".join(done) or "-",
        ]
    )
