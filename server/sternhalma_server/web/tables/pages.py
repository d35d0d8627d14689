"""The pages of tables as texts: what each template is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sternhalma import BASES, OPTIONS
from sternhalma_server.pages.templates import Templates, data_block, drawn
from sternhalma_server.picture import picture
from sternhalma_server.web.tables.forms import Wish
from sternhalma_server.web.tables.party import Chair, Party
from sternhalma_server.web.tables.show import direction, shown

FOLDER: Final = Path(__file__).parent / "templates"
NEW: Final = "tables/new"
SCRIPTS: Final = {
    "table_script": "assets/table.js",
    "new_script": "assets/new_table.js",
    "table_sheet": "assets/tables.css",
}

_BASES: Final = {
    "tara": "Chinese Checkers on the star, the first to cross it wins",
    "duel": "Chinese Checkers for two, with draws",
    "corner": "Chinese Checkers, played on to the last place",
    "halma13": "Halma on the square, thirteen marbles each",
    "halma19": "Halma on the square, nineteen marbles each",
}
_OPTIONS: Final = {
    "15": "fifteen marbles each (two players)",
    "2c": "two colours each (two players)",
    "3c": "three colours each (two players)",
    "first": "the first to finish ends the game",
    "long": "hops over distant marbles, too",
    "out40": "leave home within 40 turns, or go out",
    "pairs": "partners sit opposite each other (four or six players)",
    "through": "a move ends in no point but the marble's start and target",
}
_CLOCKS: Final = {
    "none": "none: all the time in the world",
    "5m+5s": "5 minutes each, and 5 seconds more with every move",
    "15m+10s": "15 minutes each, and 10 seconds more with every move",
    "1m": "1 minute for every move",
    "10m+5x30s": "10 minutes each, then five periods of 30 seconds",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """Something to choose in a form; rules say for how many they are, and with which options."""

    id: str
    text: str
    players: tuple[int, ...] = ()
    options: tuple[str, ...] = ()


class TablePages:
    """The pages, made with *templates*, which have `FOLDER` among their folders.

    Without *alone* there are other pages too, whose first one theirs lead to.
    """

    def __init__(self, templates: Templates, *, alone: bool = False) -> None:
        self._templates = templates
        self._alone = alone

    def new(self, wish: Wish, samples: Sequence[str], problem: str | None) -> str:
        """The form for a new table, with what is in it and what was wrong with that."""
        return self._page(
            "new_table.html",
            NEW,
            title="Open a table",
            wish=wish,
            problem=problem,
            samples=samples,
            bases=[
                Choice(name, _BASES[name], rules.players, OPTIONS[name])
                for name, rules in BASES.items()
            ],
            options=[Choice(name, text) for name, text in _OPTIONS.items()],
            clocks=[Choice(name, text) for name, text in _CLOCKS.items()],
        )

    def join(self, party: Party, problem: str | None) -> str:
        """The page of the invitation to a table."""
        start = party.start
        return self._page(
            "join_table.html",
            f"t/{party.name}/{party.invitation}",
            title="Join a table",
            terms=terms_of(party),
            seats=[
                {"letter": one.letter, "name": one.name, "free": one.is_free}
                for one in party.places
            ],
            free=[
                {"number": one.number, "letter": one.letter, "way": direction(start, one.letter)}
                for one in party.free
            ],
            problem=problem if problem is not None or party.closed is None else _closed(party),
        )

    def table(self, party: Party, chair: Chair, now: float) -> str:
        """The page of a chair."""
        here = f"t/{party.name}/{chair.secret}"
        game = party.start if party.story is None else party.story.now
        title = f"A table of {party.plan.rules}"
        data: dict[str, Any] = {
            "table": party.name,
            "act": f"{chair.secret}/do",
            "live": f"{chair.secret}/live",
            "holes": list(game.rules.board.names),
            "state": shown(party, chair, now),
        }
        return self._page(
            "table.html",
            here,
            title=title,
            terms=terms_of(party),
            seated=bool(chair.places),
            board=drawn(picture(game.position, "the board")),
            told="the start",
            data=data_block(data),
        )

    def nowhere(self) -> str:
        """The page of a table that does not exist, or not any more."""
        return self._page("no_table.html", "t/nowhere/nothing", title="No such table")

    def _page(self, template: str, path: str, **values: Any) -> str:
        return self._templates.page(
            template, path, new=NEW, home_page=not self._alone, **SCRIPTS, **values
        )


def terms_of(party: Party) -> str:
    """What is played at a table, in a sentence."""
    plan = party.plan
    clock = "" if plan.clock == "none" else f", clock {plan.clock}"
    return f"{plan.rules}, {len(party.places)} players, {plan.limit} turns each{clock}; unrated."


def _closed(party: Party) -> str:
    return f"This table is closed: {party.closed}."
