"""A league's store held against what its bots saw: games, forfeits, tables, and the spread."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.soak.guests import Diary
from bench.table import Row

from sternhalma_server.outcome import outcome_of
from sternhalma_server.record import Ply, Record, parse_record
from sternhalma_server.store import Store
from sternhalma_server.verdict import Reason

COMMAND: Final = "import sys; from sternhalma_server.cli import main; sys.exit(main())"
Key = tuple[str, int]  # an event and the number of a game in it


@dataclass(frozen=True, slots=True)
class Stored:
    """A game that is over: the digest of its record, when it began in wall time, and who played.

    `began` is None for one in which nobody was asked for a move.
    """

    digest: str
    began: float | None
    bots: tuple[str, ...]
    forfeits: tuple[tuple[str, str], ...]  # bot and reason
    void: bool


def stored_games(out: Path) -> tuple[dict[Key, Stored], int]:
    """The games of the league in the folder *out* that are over, and how many run."""
    found: dict[Key, Stored] = {}
    with Store.read(out / "store.sqlite") as store:
        begun = sum(len(store.running_lines(event.id)) for event in store.events())
        for event in store.events():
            for game in store.finished_games(event.id):
                key = event.name, game.game
                if key in found:
                    raise ValueError(f"expected each game once, got {key} twice")
                found[key] = _stored(parse_record(game.record), game.digest)
    return found, begun


def _stored(record: Record, digest: str) -> Stored:
    outcome = outcome_of(record)
    forfeits = [
        (bot, reason)
        for bot, reason in zip(outcome.bots, outcome.forfeits, strict=True)
        if reason is not None
    ]
    sent = (
        float(value)
        for ply in record.happened
        if isinstance(ply, Ply)
        for key, value in ply.evidence
        if key == "sent"
    )
    return Stored(
        digest, next(sent, None), outcome.bots, tuple(forfeits), Reason(outcome.reason).is_void
    )


def check_league(
    out: Path,
    diary: Diary,
    killed: Mapping[Key, Stored],
    told: Collection[str],
    spread: int,
    calm: Collection[str],
    seconds: float,
) -> list[Row]:
    """What the league in the folder *out* came to in so many *seconds*.

    *killed* are the games that were over when a server was killed, *told* those whose end bots had
    been told by then, *calm* the bots that play nothing but the ladder.
    """
    games, begun = stored_games(out)
    names = {f"{event}/{number}": (event, number) for event, number in games}
    again = {names[name] for name in diary.games - set(told) if name in names} & killed.keys()
    forfeits = Counter(reason for game in games.values() for _, reason in game.forfeits)
    others = {bot for game in games.values() for bot, _ in game.forfeits}
    size = sum(path.stat().st_size for path in out.glob("store.sqlite*"))
    ladder = {number: game for (event, number), game in games.items() if event == "ladder"}
    lead = gained(ladder, diary, calm)
    verify = subprocess.run(
        [sys.executable, "-c", COMMAND, "verify", str(out)],
        capture_output=True,
        text=True,
        check=False,
    )
    if verify.returncode:
        print(f"league: {verify.stdout[-1000:]} {verify.stderr[-2000:]}", file=sys.stderr)
    for line in diary.refused[:10]:
        print(f"league: {line}", file=sys.stderr)
    return [
        Row("games", f"{len(games):,}"),
        Row("... of these in the ladder", f"{len(ladder):,}"),
        Row("... a second", f"{len(games) / seconds:.1f}"),
        Row("... whose end a bot was told before the kill", f"{len(set(told)):,}"),
        Row("games lost", f"{len(_lost(games, killed, diary, names))}", "0"),
        Row(
            "games changed",
            f"{sum(games[key] != game for key, game in killed.items() if key in games)}",
            "0",
        ),
        Row("games ended twice", f"{len(again) + _told_twice(diary)}", "0"),
        Row("games begun and not over when the league was stopped", f"{begun}", "0"),
        Row("void games", f"{sum(game.void for game in games.values())}"),
        Row("forfeits by time", f"{forfeits.pop('time', 0)}", "0"),
        Row("other forfeits", ", ".join(f"{n} {why}" for why, n in forfeits.items()) or "none"),
        Row("... by so many bots", f"{len(others)}"),
        Row(
            f"most anyone gained on anyone in the ladder (spread {spread})",
            f"{lead}",
        ),
        Row("... more than it allows", f"{max(0, lead - 2 * (spread - 1))}", "0"),
        Row("events that are not closed with a full table", f"{_unfinished(out)}", "0"),
        Row(
            "logins refused in the middle of another version's game", f"{diary.byes['bye version']}"
        ),
        Row("bots refused otherwise, or told of an error", f"{len(diary.refused)}", "0"),
        Row("verify refuses", f"{int(verify.returncode != 0)}", "0"),
        Row("size of the store", f"{size / 2**20:.1f} MiB"),
        Row("... for each game", f"{size / len(games) / 1024:.1f} KiB"),
    ]


def gained(games: Mapping[int, Stored], diary: Diary, calm: Collection[str]) -> int:
    """By how many games anybody drew away from anybody while both were there, at most.

    Only of *calm* bots is it known when they were there for the ladder. Before they were there
    together one may have been ahead, by less than the spread, and so no more is to be gained than
    from there to the other end. A game begins when its first move is asked for, or else when the
    game before it did.
    """
    begins: list[tuple[float, tuple[str, ...]]] = []
    latest = 0.0
    for _, game in sorted(games.items()):
        latest = max(latest, game.began or 0.0)
        begins.append((latest, game.bots))
    moments = [(at, 1, bots) for at, bots in begins]
    changes = [(at, 0 if there else 2, (bot,)) for at, bot, there in diary.presence]
    here: set[str] = set()
    most = 0
    lead: dict[tuple[str, str], tuple[int, int, int]] = {}  # now, least, most
    for _, what, bots in sorted([*moments, *changes]):
        if what == 1:
            for one, other in _pairs(bots, here):
                now, low, high = lead.get((one, other), (0, 0, 0))
                now += 1 if one in bots else -1
                low, high = min(low, now), max(high, now)
                lead[one, other] = now, low, high
                most = max(most, high - low)
        elif bots == ("",):
            lead.clear()
        elif what == 0 and bots[0] in calm:
            here.add(bots[0])
        else:
            here.discard(bots[0])
            lead = {pair: its for pair, its in lead.items() if bots[0] not in pair}
    return most


def _pairs(bots: Sequence[str], here: Collection[str]) -> list[tuple[str, str]]:
    """Any two who are there of whom just one begins a game of *bots*."""
    return [
        (one, other)
        for one, other in itertools.combinations(sorted(here), 2)
        if (one in bots) != (other in bots)
    ]


def _lost(
    games: Mapping[Key, Stored],
    killed: Mapping[Key, Stored],
    diary: Diary,
    names: Mapping[str, Key],
) -> list[str]:
    gone = [f"{event}/{number}" for event, number in killed.keys() - games.keys()]
    return gone + sorted(diary.games - names.keys())


def _told_twice(diary: Diary) -> int:
    return sum(count > 1 for count in diary.over.values())


def _unfinished(out: Path) -> int:
    """How many events but the ladder are not closed, or have games left."""
    with Store.read(out / "store.sqlite") as store:
        events = [event for event in store.events() if event.name != "ladder"]
    wrong = 0
    for event in events:
        if event.state == "closed":
            table = json.loads((out / "events" / event.name / "standings.json").read_text())
            byes = sum(row["byes"] for row in table["rows"])
            wrong += table["games"] + byes != table["planned"]
        else:
            wrong += 1
    return wrong
