"""The league file: what a league has beside its events, which have files of their own.

A league lives for months. What may change from one start of its server to the next stands here;
what decides an event stands in the event's file, which is kept with the event and never changes
once it has begun.
"""

from typing import Annotated

import msgspec
from msgspec import Meta

from sternhalma_tournament.event import Bot, Slug
from sternhalma_tournament.event_file import check_bots
from sternhalma_tournament.hosting import BotLimits, Budgets, Tls
from sternhalma_tournament.reading import EventFileError, read_struct, read_toml, wrong_value
from sternhalma_tournament.season import SeasonRules, check_season


class Charter(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A whole league file, which has passed every check that needs no board (`parse_charter`)."""

    name: Slug
    events: Annotated[
        tuple[str, ...], Meta(description="a list of paths of event files, from the league file's")
    ] = ()
    parallel: (
        Annotated[int, Meta(ge=1, description="games at once in all events, from 1")] | None
    ) = None
    bots: Annotated[tuple[Bot, ...], Meta(description="[[bots]] tables with a command")] = ()
    anchors: Annotated[
        dict[str, float], Meta(description="a table of ratings that are given, by bot")
    ] = {}
    prior: Annotated[float, Meta(ge=0, le=100, description="drawn games, from 0 to 100")] = 1.0
    season: Annotated[SeasonRules, Meta(description="a [season] table")] = SeasonRules()
    budgets: Annotated[Budgets, Meta(description="a [budgets] table")] = Budgets()
    limits: Annotated[BotLimits, Meta(description="a [limits] table")] = BotLimits()
    tls: Annotated[Tls, Meta(description="a [tls] table")] | None = None


def parse_charter(data: bytes, where: str) -> Charter:
    """The league file written in *data*; *where* names it in errors (`EventFileError`)."""
    charter = read_struct(Charter, read_toml(data, where), where)
    check_season(charter.season, where)
    check_bots(charter.bots, where)
    for number, bot in enumerate(charter.bots, start=1):
        if bot.remote:
            raise EventFileError(
                f"{where}: bots[{number}].remote: expected a command,"
                f" bots that dial in are registered, got remote = true for {bot.name!r}"
            )
    for name, rating in charter.anchors.items():
        if not -10_000 <= rating <= 10_000:
            raise wrong_value(where, f"anchors.{name}", "a rating from -10000 to 10000", rating)
    return charter
