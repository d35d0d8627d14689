"""A game to be told to people or programs: what had happened by some ply, and when.

Times of day are told once; all others are seconds since the game's first question.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from sternhalma import Game, Seat, parse_position
from sternhalma_server.clock import MILLISECOND, SECOND, Lag
from sternhalma_server.framing import NO_END
from sternhalma_server.record import Draw, Happening, Out, Ply, Record, Slip
from sternhalma_server.timing import length, moment


@dataclass(frozen=True, slots=True)
class Telling:
    """A game to be told, as far as ply `upto`; `lag` is the event's credit, `name` what the wire
    called the game, its number if nothing is said.

    A game that is `running` comes as the record it would have if it was broken off now.
    """

    record: Record
    running: bool = False
    upto: int | None = None
    lag: Lag | None = None
    name: str | None = None

    @property
    def happened(self) -> tuple[Happening, ...]:
        """What had happened by then."""
        upto = self.record.ply if self.upto is None else self.upto
        if upto >= self.record.ply:
            return self.record.happened
        return tuple(one for one in self.record.happened if ply_of(one) <= upto)

    @property
    def game(self) -> Game:
        """The game as it stood then."""
        record = self.record
        game = Game.from_position(
            parse_position(record.start), limit=record.limit, at_limit=record.at_limit
        )
        letters = [group[0] for group in game.position.seats]
        for happening in self.happened:
            match happening:
                case Ply():
                    game = game.play(happening.path)
                case Out():
                    game = game.drop(Seat(letters.index(happening.seat)))
                case Draw():
                    game = game.agree()
                case Slip():
                    pass
        return game

    @property
    def start(self) -> int | None:
        """When the first question was asked, wall time in nanoseconds; None if none was."""
        sent = (keys_of(one).get("sent") for one in self.record.happened)
        return next((moment(text) for text in sent if text is not None), None)

    def since(self, text: str | None) -> str:
        """A moment as the record writes it, in seconds since the first question."""
        if text is None:
            return ""
        return _seconds(moment(text) - (self.start or 0))


def facts(telling: Telling, said: str | None = None) -> dict[str, Any]:
    """All of it for programs, with the raw lines of the seats in *said* if there are any.

    Times are milliseconds, but `asked`, `answered` and `at` seconds since the first question.
    """
    record, game, start = telling.record, telling.game, telling.start
    outs = {out.seat: out for out in telling.happened if isinstance(out, Out)}
    told: dict[str, Any] = {
        "event": record.event,
        "game": record.game,
        "rules": record.rules,
        "limit": record.limit,
        "at_limit": record.at_limit,
        "clock": record.clock,
        "running": telling.running,
        "reason": None if telling.running else record.reason.value,
        "plies": record.ply,
        "seats": [
            {
                "seat": player.seat,
                "bot": player.bot,
                "version": player.version,
                "entry": player.entry,
                "place": place or None,
                "out": outs[player.seat].reason.value if player.seat in outs else None,
            }
            for player, place in zip(record.players, record.places, strict=True)
        ],
        "first_question": None if start is None else wall(start),
        "happened": [_fact(telling, happening) for happening in telling.happened],
        "ply": game.ply - 1,
        "turn": None if game.turn is None else game.position.seats[game.turn][0],
        "position": str(game),
    }
    if said is not None:
        told["said"] = [
            {"at": float(at or 0), "seat": seat, "text": text}
            for at, seat, text in spoken(telling, said)
        ]
    return told


def spoken(telling: Telling, said: str) -> list[tuple[str, str, str]]:
    """What the seats said, line by line as it came: when, by which seat, and the line.

    *said* are the lines that the store has. It leaves out answers that are no more than their ply,
    `move GAME PLY PATH`; they are put back in. A game that is told as far as a ply is left where
    the next one was asked for.
    """
    heard = [(*line.split(" ", 2), "", "")[:3] for line in said.splitlines()]
    lines = [(moment(stamp), seat, text) for stamp, seat, text in _plain(telling, heard)]
    lines += [(moment(stamp), seat, text) for seat, stamp, text in heard]
    start, end = telling.start or 0, _end(telling)
    lines = [line for line in sorted(lines, key=_when) if end is None or _when(line) < end]
    return [(_seconds(at - start), seat, text) for at, seat, text in lines]


def _end(telling: Telling) -> int | None:
    """When the first question was asked that is beyond what is told; None if there was none."""
    beyond = telling.record.happened[len(telling.happened) :]
    sent = (keys_of(one).get("sent") for one in beyond)
    return next((moment(text) for text in sent if text is not None), None)


def unfinished(telling: Telling, said: str, seat: str) -> tuple[str, str] | None:
    """What had come of a line that *seat* never ended when it went out, and when, as `spoken`."""
    for at, speaker, text in reversed(spoken(telling, said)):
        if speaker == seat and text.endswith(NO_END):
            return at, text.removesuffix(NO_END).rstrip()
    return None


def _when(line: tuple[int, str, str]) -> int:
    return line[0]


def _plain(telling: Telling, heard: Iterable[Sequence[str]]) -> Iterator[tuple[str, str, str]]:
    """The answers that were not kept beside their ply: when, by which seat, and the line."""
    kept: dict[tuple[str, str], list[str]] = {}
    for seat, stamp, text in heard:
        kept.setdefault((seat, " ".join(text.split(" ", 3)[:3])), []).append(stamp)
    name = telling.name or telling.record.game
    for ply in telling.record.happened:
        keys = keys_of(ply)
        if not isinstance(ply, Ply) or "received" not in keys:
            continue
        line = f"move {name} {ply.number}"
        stamps = kept.get((ply.seat, line), [])
        # What arrived while its question was on its way has the moment of the question.
        late = keys["received"] == keys.get("sent")
        if not any(at == keys["received"] or (late and at < keys["received"]) for at in stamps):
            yield keys["received"], ply.seat, f"{line} {ply.path}"


def _seconds(nanoseconds: int) -> str:
    sign, whole = ("-" if nanoseconds < 0 else ""), abs(nanoseconds)
    return f"{sign}{whole // SECOND}.{whole % SECOND // 1000:06d}"


def wall(nanoseconds: int) -> str:
    """A time of day, in UTC, to the microsecond."""
    day = datetime.fromtimestamp(nanoseconds // SECOND, UTC)
    return f"{day:%Y-%m-%d %H:%M:%S}.{nanoseconds % SECOND // 1000:06d} UTC"


def _fact(telling: Telling, happening: Happening) -> dict[str, Any]:
    start, keys = telling.start, keys_of(happening)
    told: dict[str, Any] = {"kind": _KINDS[type(happening)], "ply": ply_of(happening)}
    if not isinstance(happening, Draw):
        told["seat"] = happening.seat
    match happening:
        case Ply(_, _, path, source, _):
            told |= {"path": path, "by": source}
        case Out(_, reason, _, _, line) | Slip(_, reason, _, line):
            told |= {"reason": reason.value, "line": line}
        case Draw():
            pass
    for key, value in keys.items():
        match key:
            case "sent" | "received":
                name = "asked" if key == "sent" else "answered"
                told[name] = (moment(value) - (start or 0)) / SECOND
            case "left":
                told[key] = None if value == "-" else int(value)
            case "draw":
                told["offers_draw"] = True
            case "charged" | "late" | "credit" | "waited" | "limit":
                told[key] = length(value) / MILLISECOND
            case _:
                told[key] = value
    return told


_KINDS: Final[Mapping[type[Happening], str]] = {
    Ply: "move",
    Out: "out",
    Slip: "forgiven",
    Draw: "draw",
}


def keys_of(happening: Happening) -> Mapping[str, str]:
    """What was measured, as the record writes it."""
    return dict(happening.evidence) if isinstance(happening, Ply | Out) else {}


def ply_of(happening: Happening) -> int:
    """The ply that was played, or was to be played when it happened."""
    return happening.number if isinstance(happening, Ply) else happening.ply
