"""A table as its people see it: who sits where, the game as it is told, and what they can do.

Whoever has the secret of a chair sits in it: there is no other proof, and none is needed where
nothing is at stake. A chair may hold several seats, for people who share a screen. What somebody
does is checked here first, so that a mistake costs nothing, and then said to the server by that
person's client; only what the server tells changes what is shown.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from sternhalma import Game, IllegalMoveError, NotationError
from sternhalma_server.web.tables.lines import (
    Asked,
    Ended,
    Farewell,
    Gone,
    Moved,
    Offered,
    Opened,
    Remark,
    Told,
)
from sternhalma_server.web.tables.person import Person
from sternhalma_server.web.tables.story import Step, Story

NOT_BACK: Final = "it is not taken back: not all agree"


class ActError(Exception):
    """Something that somebody wanted to do and cannot; says why in one sentence."""


@dataclass(slots=True, eq=False)
class Place:
    """A place at the table, for the person or sample bot that the wire calls `wire`.

    `letter` is the seat that it has in the first game; `token` is a person's. A person who has come
    has a `client`, and `name` is what it is called here.
    """

    number: int
    letter: str
    wire: str
    name: str
    token: str | None = None
    client: Person | None = None

    @property
    def is_free(self) -> bool:
        """Whether somebody may still take it."""
        return self.token is not None and self.client is None


@dataclass(slots=True, eq=False)
class Chair:
    """Who has come by one link: its `secret`, the places it has, and what it alone is shown.

    `pages` is how many pages are open for it; `hint` the path that it was advised, for the turn
    `hinted`; `note` the last remark of the server to it.
    """

    secret: str
    places: tuple[Place, ...]
    is_host: bool = False
    pages: int = 0
    hint: str | None = None
    hinted: tuple[str, int] | None = None
    is_asking: bool = False
    note: str = ""


@dataclass(slots=True)
class TakeBack:
    """A wish to go back to the turn `ply`: who wishes it, and who has agreed so far."""

    game: str
    ply: int
    by: Chair
    agreed: list[Chair] = field(default_factory=list[Chair])
    sent: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """What was ordered: the rules and terms of the table."""

    rules: str
    clock: str
    limit: int


class Party:
    """The table called *name*, with its *places*; *now* is the time in seconds."""

    def __init__(
        self, name: str, plan: Plan, places: Sequence[Place], now: Callable[[], float]
    ) -> None:
        self.name = name
        self.plan = plan
        self.places = tuple(places)
        self.invitation = secrets.token_urlsafe(12)
        self.chairs: list[Chair] = []
        self.story: Story | None = None
        self.take_back: TakeBack | None = None
        self.closed: str | None = None  # why it is closed, once it is
        self.version = 0
        self.turned = now()  # when the turn began that is being had
        self._start = Game.new(plan.rules, len(places), limit=plan.limit)
        self._now = now
        self._changed = asyncio.Event()

    @property
    def start(self) -> Game:
        """The game as it stands before anybody has come."""
        return self._start

    @property
    def changed(self) -> asyncio.Event:
        """What is set as soon as there is something else to be shown than now."""
        return self._changed

    def change(self) -> None:
        """Say that there is something else to be shown."""
        self.version += 1
        self._changed.set()
        self._changed = asyncio.Event()

    def close(self, why: str) -> None:
        """Say that the table is closed; the first reason stands."""
        if self.closed is None:
            self.closed = why
            self.change()

    # Coming in.

    def chair(self, secret: str) -> Chair | None:
        """The chair of a secret. All are compared, and each in constant time."""
        found = None
        for chair in self.chairs:
            if hmac.compare_digest(chair.secret.encode(), secret.encode()):
                found = chair
        return found

    def invites(self, secret: str) -> bool:
        """Whether *secret* is that of the invitation."""
        return hmac.compare_digest(self.invitation.encode(), secret.encode())

    def seat(self, wanted: Mapping[int, str], *, is_host: bool = False) -> Chair:
        """A chair with the *wanted* places, by number and with names. Raises `ActError`.

        Their clients are the caller's to start, with `Place.client`.
        """
        if self.closed is not None:
            raise ActError(f"this table is closed: {self.closed}")
        places = [place for place in self.places if place.number in wanted]
        if not places and not is_host:
            raise ActError("expected a place to be chosen, got none")
        for place in places:
            if not place.is_free:
                raise ActError(f"the place {place.letter} is taken already")
        for place in places:
            place.name = wanted[place.number]
        chair = Chair(secrets.token_urlsafe(18), tuple(places), is_host)
        self.chairs.append(chair)
        return chair

    @property
    def free(self) -> list[Place]:
        """The places that nobody has taken."""
        return [place for place in self.places if place.is_free]

    # Who is who.

    def place_of(self, letter: str) -> Place:
        """Who has the seat *letter* in the game that is played, or in the first one."""
        if self.story is None:
            return next(place for place in self.places if place.letter == letter)
        seats = self.story.opened.seats
        wire = dict(seats)[letter]
        places = [place for place in self.places if place.wire == wire]
        # Two sample bots of one kind have one name, and nothing else that tells them apart.
        before = [one for one, name in seats if name == wire].index(letter)
        return places[before]

    def letters_of(self, chair: Chair) -> list[str]:
        """The seats that a chair has in the game that is played, or in the first one."""
        letters = self.letters
        return [letter for letter in letters if self.place_of(letter) in chair.places]

    @property
    def letters(self) -> list[str]:
        """The letters of the seats, in the order of turns."""
        if self.story is not None:
            return self.story.letters
        return [place.letter for place in self.places]

    def asked(self, chair: Chair) -> tuple[Asked, Person] | None:
        """The turn that waits for *chair*, and the client that is to answer it."""
        story = self.story
        if story is None or story.turn is None or self.closed is not None:
            return None
        if self.take_back is not None and self.take_back.sent:
            return None
        for place in chair.places:
            client = place.client
            if client is not None and client.asked is not None:
                asked = client.asked
                if asked.game == story.opened.game and asked.ply == story.now.ply:
                    return asked, client
        return None

    def voters(self) -> Iterator[Chair]:
        """Those whose agreement it takes to take something back."""
        return (chair for chair in self.chairs if chair.places)

    # What is told.

    def hear(self, person: Person, told: Told) -> None:
        """Take in what a client was told."""
        match told:
            case Opened():
                self._open(told)
            case Moved() | Gone() | Offered() | Ended() | Asked():
                if self.story is None or self.story.opened.game != told.game:
                    return
                self._follow(self.story, told)
            case Remark():
                self._remark(person, told)
            case Farewell():
                self.close(told.sentence)
            case _:
                pass
        self._pursue()
        self.change()

    def _open(self, opened: Opened) -> None:
        story, back = self.story, self.take_back
        if story is not None and story.opened.game == opened.game:
            return
        if story is not None and back is not None and back.game == story.opened.game:
            self.story = Story.going_on(opened, story, back.ply)
        else:
            self.story = Story.of(opened)
        self.take_back = None
        self.turned = self._now()

    def _follow(self, story: Story, told: Moved | Gone | Offered | Ended | Asked) -> None:
        match told:
            case Moved():
                after = story.moved(told)
                if after is not story:
                    self.turned = self._now()
                    self._lapse(told.letter)
                    for chair in self.chairs:
                        if chair.note == NOT_BACK:
                            chair.note = ""  # that was in another turn
            case Gone():
                after = story.gone(told)
            case Offered():
                after = story.offered(told)
            case Ended():
                after = story.over(told)
                for chair in self.chairs:
                    chair.note = ""
                back = self.take_back
                if back is not None and not (back.sent and told.reason == "aborted"):
                    self.take_back = None  # the game was over before it could be broken off
            case Asked():
                after = story.asked(told)
                self.turned = self._now()
        self.story = after

    def _lapse(self, letter: str) -> None:
        """A person has moved: a wish to go back that is not granted yet is over with that."""
        back = self.take_back
        if back is not None and not back.sent and self.place_of(letter).token is not None:
            self.take_back = None

    def _remark(self, person: Person, remark: Remark) -> None:
        for chair in self.chairs:
            if any(place.client is person for place in chair.places):
                chair.note = remark.sentence
        if self.take_back is not None and self.take_back.sent:
            self.take_back = None  # the server does not want it

    # What people do.

    def move(self, chair: Chair, game: str, ply: int, path: str, *, offer: bool) -> None:
        """Move as somebody in *chair* wants it. Raises `ActError`."""
        asked, client = self._turn(chair)
        if (asked.game, asked.ply) != (game, ply):
            raise ActError("this is another turn by now")
        story = self.story
        assert story is not None
        now = story.now
        try:
            full = now.format_move(now.resolve(now.parse_move(path)))
        except (IllegalMoveError, NotationError) as problem:
            raise ActError(str(problem)) from None
        offered = " draw=offer" if offer and story.opened.draws else ""
        self._say(client, f"move {game} {ply} {full}{offered}")
        client.asked = None
        chair.note = ""
        self.change()

    def agree(self, chair: Chair) -> None:
        """Agree to the draw that is on offer. Raises `ActError`."""
        asked, client = self._turn(chair)
        if self.story is None or not self.story.offers:
            raise ActError("no draw is on offer")
        self._say(client, f"draw {asked.game} {asked.ply}")

    def resign(self, chair: Chair, letter: str) -> None:
        """Give the game up for the seat *letter*. Raises `ActError`."""
        story = self._running()
        if letter not in self.letters_of(chair):
            raise ActError("expected a seat of yours")
        client = self.place_of(letter).client
        assert client is not None, "who has a chair has clients for its places"
        self._say(client, f"resign {story.opened.game}")
        if story.turn != letter:
            chair.note = f"{letter} resigns as soon as it is to move"
        self.change()

    def wish_back(self, chair: Chair, ply: int | None) -> None:
        """Wish to take back the move of the turn *ply*, or the last one of one's own.

        Raises `ActError`.
        """
        story = self._running()
        own = self.letters_of(chair)
        had = [step for step in story.steps if step.path is not None and step.by is None]
        wanted = [step for step in had if (step.letter in own if ply is None else step.ply == ply)]
        if not wanted or not chair.places:
            raise ActError("there is no move of yours to take back")
        if self.take_back is not None:
            raise ActError("somebody wants to take back a move already")
        self.take_back = TakeBack(story.opened.game, wanted[-1].ply, chair, [chair])
        self._pursue()
        self.change()

    def answer_back(self, chair: Chair, *, agreed: bool) -> None:
        """Agree to what somebody wishes to take back, or not. Raises `ActError`."""
        back = self.take_back
        if back is None or back.sent:
            raise ActError("nobody wants to take back a move now")
        if not agreed:
            self.take_back = None
            back.by.note = NOT_BACK
        elif chair.places and chair not in back.agreed:
            back.agreed.append(chair)
        self._pursue()
        self.change()

    def _pursue(self) -> None:
        """Take back what all agree to, as soon as a person is to move and can say so."""
        back, story = self.take_back, self.story
        if back is None or back.sent or story is None or story.opened.game != back.game:
            return
        if not all(chair in back.agreed for chair in self.voters()):
            return
        for chair in self.voters():
            found = self.asked(chair)
            if found is not None and found[1].send(f"undo {back.game} {back.ply}"):
                back.sent = True
                return

    def position(self, chair: Chair) -> str:
        """The position in which *chair* is to move, for a hint. Raises `ActError`."""
        self._turn(chair)
        story = self.story
        assert story is not None
        return str(story.now)

    @property
    def is_over(self) -> bool:
        """Whether the game that was played is over, and none goes on from it."""
        return self.story is not None and self.story.ended is not None and self.take_back is None

    def last_step(self) -> Step | None:
        """The last thing that has happened in the game."""
        return None if self.story is None or not self.story.steps else self.story.steps[-1]

    def _running(self) -> Story:
        if self.story is None or self.story.ended is not None or self.closed is not None:
            raise ActError("no game is being played now")
        return self.story

    def _turn(self, chair: Chair) -> tuple[Asked, Person]:
        found = self.asked(chair)
        if found is None:
            raise ActError("you are not to move now")
        return found

    def _say(self, client: Person, line: str) -> None:
        if not client.send(line):
            raise ActError("the connection to the tables is broken just now; try once more")
