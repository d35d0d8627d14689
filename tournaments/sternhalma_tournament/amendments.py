"""Rulings on an event: withdrawals, corrections and the like, as entries of the journal.

Nothing is ever changed or struck out in the results themselves: a ruling is written down beside
them, with its reason, and tables are added up again from both. So a table can always say what was
ruled, and a ruling that was wrong is followed by another one. Among rulings on one thing the last
one counts.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from sternhalma_tournament.scores import BYE, GameResult

Reason = Annotated[str, Meta(min_length=1)]
# `$` alone would let a line feed at the end pass in Python.
Moment = Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$(?!\n)")]


class Dated(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    tag_field="kind",
    kw_only=True,
    omit_defaults=True,
):
    """When a ruling was made, in UTC; None for those made before that was noted."""

    at: Moment | None = None


class Ruling(Dated, frozen=True, forbid_unknown_fields=True):
    """Common to all rulings: why, and when."""

    reason: Reason


class Withdrawal(Ruling, frozen=True, forbid_unknown_fields=True, tag="withdrawal"):
    """*entry* plays no more; what it has played counts.

    Its games to come are left out, or with *forfeit* entered as forfeits.
    """

    entry: str
    forfeit: bool = False


class Disqualification(Ruling, frozen=True, forbid_unknown_fields=True, tag="disqualification"):
    """*entry* plays no more and is not ranked; its games count for the others."""

    entry: str


class Expunging(Ruling, frozen=True, forbid_unknown_fields=True, tag="expunging"):
    """*entry* plays no more and is not ranked; none of its games counts for anybody."""

    entry: str


class Reinstatement(Ruling, frozen=True, forbid_unknown_fields=True, tag="reinstatement"):
    """Earlier rulings on the status of *entry* no longer hold for tables."""

    entry: str


class LateEntry(Ruling, frozen=True, forbid_unknown_fields=True, tag="late-entry"):
    """*entry*, played by *bots*, joins after the start."""

    entry: str
    bots: tuple[str, ...]


class Correction(Ruling, frozen=True, forbid_unknown_fields=True, tag="correction"):
    """Game *number* has other *places* by seat, and other *forfeits* where they are given."""

    number: int
    places: tuple[int, ...]
    forfeits: tuple[str | None, ...] | None = None


class Annulment(Ruling, frozen=True, forbid_unknown_fields=True, tag="annulment"):
    """Game *number* does not count."""

    number: int


Amendment = (
    Withdrawal | Disqualification | Expunging | Reinstatement | LateEntry | Correction | Annulment
)
StatusRuling = Withdrawal | Disqualification | Expunging | LateEntry

_STATUS: Final[dict[type[StatusRuling], str]] = {
    Withdrawal: "withdrawn",
    Disqualification: "disqualified",
    Expunging: "expunged",
    LateEntry: "late entry",
}


@dataclass(frozen=True, slots=True)
class Rulings:
    """What a sequence of amendments comes to: the last word on every entry and every game."""

    entries: dict[str, StatusRuling]
    games: dict[int, Correction | Annulment]

    @classmethod
    def of(cls, amendments: Iterable[Amendment]) -> "Rulings":
        """The rulings that hold after *amendments*, in the order in which they were made."""
        entries: dict[str, StatusRuling] = {}
        games: dict[int, Correction | Annulment] = {}
        for ruling in amendments:
            match ruling:
                case Correction() | Annulment():
                    games[ruling.number] = ruling
                case Reinstatement():
                    entries.pop(ruling.entry, None)
                case _:
                    entries[ruling.entry] = ruling
        return cls(entries, games)

    def status(self, entry: str) -> str:
        """One word for a table, or nothing."""
        ruling = self.entries.get(entry)
        return _STATUS[type(ruling)] if ruling else ""

    def ranked(self, entry: str) -> bool:
        """Whether *entry* is given a rank."""
        return not isinstance(self.entries.get(entry), Disqualification | Expunging)

    def plays(self, entry: str) -> bool:
        """Whether *entry* has games to come, as far as rulings go."""
        return isinstance(self.entries.get(entry), LateEntry | None)

    def apply(self, results: Iterable[GameResult]) -> Iterator[GameResult]:
        """*results* as they count, one at a time; ValueError for a correction that does not fit."""
        for result in results:
            if any(isinstance(self.entries.get(name), Expunging) for name in result.entries):
                continue
            ruling = self.games.get(result.number)
            match ruling:
                case None:
                    yield result
                case Annulment():
                    yield replace(result, reason="aborted")
                case Correction():
                    yield _corrected(result, ruling)

    def for_pairing(self, results: Iterable[GameResult]) -> Iterator[GameResult]:
        """*results* as the pairing of games to come has them: what does not count was played.

        An annulled or expunged game is void there, so that nobody plays it again.
        """
        for result in results:
            counted = next(self.apply([result]), None)
            yield replace(result, reason="aborted") if counted is None else counted

    def notes(self) -> tuple[str, ...]:
        """`sentence_of` each ruling that holds, entries by name and then games by number."""
        about_entries = [ruling for _, ruling in sorted(self.entries.items())]
        about_games = [ruling for _, ruling in sorted(self.games.items())]
        return tuple(sentence_of(ruling) for ruling in (*about_entries, *about_games))


NO_RULINGS: Final = Rulings({}, {})


def sentence_of(ruling: Amendment) -> str:
    """What was ruled, why and when, as tables say it.

    >>> sentence_of(Annulment("power cut", 2, at="2026-11-29T20:30:00Z"))
    'game 2: annulled (power cut), 2026-11-29 20:30:00 UTC'
    """
    match ruling:
        case Correction() | Annulment():
            subject = f"game {ruling.number}: {_said(ruling)}"
        case Reinstatement():
            subject = f"{ruling.entry}: reinstated"
        case _:
            subject = f"{ruling.entry}: {_STATUS[type(ruling)]}"
    at = "" if ruling.at is None else f", {ruling.at[:10]} {ruling.at[11:19]} UTC"
    return f"{subject} ({ruling.reason}){at}"


def format_amendment(amendment: Amendment) -> str:
    """*amendment* as one line of JSON; `parse_amendment` reads it back."""
    return msgspec.json.encode(amendment).decode()


def parse_amendment(text: str) -> Amendment:
    """The amendment written in *text*; ValueError if it is none."""
    try:
        return msgspec.json.decode(text, type=Amendment)
    except msgspec.MsgspecError as error:
        raise ValueError(f"expected an amendment, got {text!r}: {error}") from error


def check_game(ruling: Correction | Annulment, result: GameResult | None) -> None:
    """Raise ValueError unless *ruling* can be made on *result*, the game that it names.

    No result: the game has not ended, or there is none of that number. Forfeits are words here.
    """
    if result is None or result.reason == BYE:
        raise ValueError(f"expected the number of a game that has ended, got {ruling.number!r}")
    if isinstance(ruling, Annulment):
        return
    places = sorted(_corrected(result, ruling).places_by_entry().values())
    if places != [1 + sum(other < place for other in places) for place in places]:
        raise ValueError(
            "expected places that are 1 for the best and shared as 1, 2, 2, 4, "
            f"got {ruling.places!r}"
        )


def late_entries(amendments: Iterable[Amendment]) -> Sequence[LateEntry]:
    """The late entries among *amendments*, in their order."""
    return [ruling for ruling in amendments if isinstance(ruling, LateEntry)]


def _corrected(result: GameResult, ruling: Correction) -> GameResult:
    if len(ruling.places) != len(result.places):
        raise ValueError(
            f"expected {len(result.places)} places in the correction of game {result.number}, "
            f"got {ruling.places!r}"
        )
    forfeits = result.forfeits if ruling.forfeits is None else ruling.forfeits
    # A void game that is given places is scored from then on.
    reason = result.reason if result.scored else "corrected"
    return replace(result, places=ruling.places, forfeits=forfeits, reason=reason)


def _said(ruling: Correction | Annulment) -> str:
    if isinstance(ruling, Annulment):
        return "annulled"
    return f"corrected to {'-'.join(map(str, ruling.places))}"
