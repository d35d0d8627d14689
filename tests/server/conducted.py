"""Games as a server conducts them: the real referee, bots by chance, and a clock that is made up.

Every time is drawn to the nanosecond, so that what records round is rounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from sternhalma import AtLimit, Rules, Seat, Terms
from sternhalma_server.announce import Table
from sternhalma_server.clock import MILLISECOND, SECOND, Lag, parse_clock
from sternhalma_server.flood import FloodGate
from sternhalma_server.framing import Line
from sternhalma_server.happening import Happening
from sternhalma_server.opening import opening_paths
from sternhalma_server.record import Record
from sternhalma_server.recording import record_of, recorded, resumed
from sternhalma_server.referee import Referee
from sternhalma_server.runner import GRACE
from sternhalma_server.verdict import Reason

EPOCH = 1_764_451_826 * SECOND + 123_456_789
NAMES = ("zoe", "max", "Ida", "b.4", "n-1", "kim")


def table(
    rules: str = "corner",
    players: int = 2,
    limit: int | None = 3,
    *,
    at_limit: AtLimit | None = None,
    event: str = "cup",
    game: int = 1,
    clock: str = "2s",
    lag: Lag | None = None,
    tries: int = 0,
    opening: int = 0,
    bots: Sequence[str] = NAMES,
    entries: Sequence[str] | None = None,
    versions: Sequence[str | None] = (None, "1.0", "2.1-rc+5", None, "3", "4"),
) -> Table:
    """A game as it is set up; `opening` is how many plies by chance it begins with."""
    parsed = Rules.parse(rules)
    plain = Table(
        event=event,
        game=str(game),
        rules=parsed,
        terms=Terms.of(parsed, limit, at_limit),
        control=parse_clock(clock),
        bots=tuple(bots[:players]),
        entries=tuple((entries or bots)[:players]),
        versions=tuple(versions[:players]),
        seeds=(0,) * players,
        tries=tries,
        lag=lag,
    )
    return replace(plain, opening=opening_paths(Referee(plain).game, opening, "seed"))


@dataclass(slots=True)
class Chances:
    """How likely it is, in each turn, that the bot fails in one way or another."""

    late: float = 0.0
    silent: float = 0.0
    wrong: float = 0.0
    gone: float = 0.0
    resigns: float = 0.0
    absent: float = 0.0


CALM = Chances()


class Conduct:
    """One game under way: `play` has it played, to its end or for some turns."""

    def __init__(
        self,
        sits: Table,
        seed: int,
        *,
        in_credit: Sequence[int] = (),
        chances: Chances = CALM,
        happened: Sequence[Happening] | None = None,
    ) -> None:
        self.chance = Random(seed)
        self.chances = chances
        self.in_credit = in_credit
        self.now = self.chance.randrange(SECOND)
        self.gates = [FloodGate() for _ in sits.bots]
        self.said: list[str] = []
        self.referee = Referee(sits, epoch=EPOCH, in_credit=[Seat(seat) for seat in in_credit])
        self.letters = [group[0] for group in self.referee.game.position.seats]
        if happened is None:
            self.referee.begin()
            self._miss()
        else:
            self.referee.resume(happened)

    def play(self, turns: int = 10_000) -> Record | None:
        """The record, once the game is over; None after so many turns before."""
        for _ in range(turns):
            if self.referee.turn is None:
                break
            self._turn(self.referee.turn)
        finished = self.referee.finished
        return None if finished is None else record_of(finished)

    def stopped(self, seed: int) -> Conduct:
        """The game as a server goes on with it that has read the journal only."""
        lines = [recorded(self.letters, event) for event in self.referee.happened]
        return Conduct(
            self.referee.table,
            seed,
            in_credit=self.in_credit,
            chances=self.chances,
            happened=resumed(self.letters, lines),
        )

    def _miss(self) -> None:
        for seat in range(len(self.letters)):
            active = self.referee.game.position.active
            if self.chance.random() < self.chances.absent and Seat(seat) in active:
                self.referee.absent(Seat(seat))
                if self.referee.turn is None:
                    return

    def _turn(self, seat: Seat) -> None:
        chance, chances, referee = self.chance, self.chances, self.referee
        referee.asked(self.now)
        patience = referee.patience
        lot = chance.random()
        for likely, fail in [
            (chances.late, self._answer_late),
            (chances.silent, self._say_nothing),
            (chances.wrong, self._answer_wrong),
            (chances.gone, lambda seat, _: referee.disconnected(seat, chance.randrange(SECOND))),
            (chances.resigns, lambda seat, _: self._say(seat, f"resign {self._game}", 5)),
        ]:
            lot -= likely
            if lot < 0:
                fail(seat, patience)
                break
        else:
            self._move(seat, patience)
        self.now += chance.randrange(MILLISECOND)

    @property
    def _game(self) -> str:
        return self.referee.table.game

    def _move(self, seat: Seat, patience: int | None) -> None:
        most = 3 * SECOND if patience is None else patience
        # Often all of it, or nothing: the ends are where rounding shows.
        elapsed = self.chance.choice(
            [0, most, *(self.chance.randrange(most + 1) for _ in "123456")]
        )
        game = self.referee.game
        path = game.format_move(self.chance.choice(game.legal_moves()))
        self._say(seat, f"move {self._game} {self.referee.ply} {path}", elapsed)

    def _say(self, seat: Seat, text: str, elapsed: int) -> None:
        stamp = self.now + elapsed
        read = stamp + self.chance.randrange(MILLISECOND)
        self.referee.answer(seat, Line(text, stamp, early=False), read, self.gates[seat])
        self.now = read

    def _answer_late(self, seat: Seat, patience: int | None) -> None:
        if patience is None:
            self._move(seat, patience)
        else:
            self._say(seat, "move late", patience + 1 + self.chance.randrange(GRACE))

    def _say_nothing(self, seat: Seat, patience: int | None) -> None:
        if patience is None:
            self._move(seat, patience)
        else:
            self.referee.flag(seat, patience + GRACE + self.chance.randrange(MILLISECOND))

    def _answer_wrong(self, seat: Seat, patience: int | None) -> None:
        del patience
        wrong = self.chance.choice(["a5-a6", "nonsense"])
        self._say(seat, f"move {self._game} {self.referee.ply} {wrong}", 1)


def conducted(
    sits: Table, seed: int, *, in_credit: Sequence[int] = (), chances: Chances = CALM
) -> Record:
    """The record of a game that was played without a stop."""
    record = Conduct(sits, seed, in_credit=in_credit, chances=chances).play()
    assert record is not None
    return record


def voided(sits: Table, reason: Reason = Reason.SERVER_FAULT) -> Record:
    """The record of a game that the server failed to play."""
    referee = Referee(sits)
    referee.void(reason)
    assert referee.finished is not None
    return record_of(referee.finished)
