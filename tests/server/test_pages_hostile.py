"""Names, versions and lines of bots are text on every page, whatever is in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

import msgspec
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from server.browsed import FAILING, Browser, data_of, templates
from server.kept import SAID, TRIO, games_of
from server.recorded import PATIENT
from sternhalma_server.outcome import outcome_of
from sternhalma_server.pages.event_pages import EventPages
from sternhalma_server.pages.places import EventPlaces
from sternhalma_server.pages.summary import Seen, Summary
from sternhalma_server.record import Out, Record
from sternhalma_server.settings import settings_of
from sternhalma_server.store import EventId, StoredEvent
from sternhalma_tournament.entries import Entry
from sternhalma_tournament.standings import standings_of
from sternhalma_tournament.tables import standings_markdown
from sternhalma_tournament.tally import Tally

hostile = st.lists(
    st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"])
    | st.sampled_from(["<", ">", "&", '"', "'", "</script>", "<!--", "-->", "{{", "}}", "|", "\\"])
).map(lambda signs: f"x{''.join(signs)}x")
said_last = st.text(st.characters(min_codepoint=32, max_codepoint=126))


def renamed(record: Record, names: Mapping[str, str], line: str = "") -> Record:
    players = [
        replace(player, bot=names[player.bot], entry=names[player.entry], version=names["version"])
        for player in record.players
    ]
    happened = [
        replace(one, line=line) if isinstance(one, Out) and one.line is not None else one
        for one in record.happened
    ]
    event = names["event"]
    return replace(record, players=tuple(players), happened=tuple(happened), event=event)


def hostile_event(names: Mapping[str, str], records: Sequence[Record]) -> EventPages:
    told = settings_of(TRIO, "event.toml")
    event = msgspec.structs.replace(told.event, name=names["event"])
    seen = Seen()
    for record in records:
        seen.watch(record)
    entries = [Entry(names[bot], (names[bot],)) for bot in "abcd"]
    results = [outcome_of(record).result(record.game) for record in records]
    tally = Tally([entry.name for entry in entries], results)
    standings = standings_of(tally)
    summary = Summary(
        stored=StoredEvent(EventId(1), names["event"], TRIO, "", "closed"),
        settings=replace(told, event=event),
        head="0" * 64,
        entries=entries,
        standings=standings,
        tally=tally,
        table=standings_markdown(standings),
        rulings=(),
        usages=seen.usages,
        games=seen.games,
        forfeits=seen.forfeits,
    )
    return EventPages(templates(), summary, EventPlaces())


PLAIN = {name: name for name in (*"abcd", "event", "version")}
LOST = games_of(TRIO, chances=FAILING)


def texts_of(names: Mapping[str, str], line: str) -> list[str]:
    records = [renamed(record, names, line) for record in LOST]
    pages = hostile_event(names, records)
    entries = [pages.entry(Entry(names[bot], (names[bot],))) for bot in "abcd"]
    games = [pages.game(record, SAID) for record in records]
    return [text for _, text in (pages.event(), pages.games(), *entries, *games)]


@settings(PATIENT, max_examples=15, phases=[Phase.explicit, Phase.generate])
@given(st.lists(hostile, min_size=6, max_size=6), said_last)
def test_no_name_and_no_line_is_ever_taken_for_markup(names: list[str], line: str) -> None:
    # Each begins as the plain one, so that tables are sorted in the same way.
    bad = {plain: f"{plain}{name}" for plain, name in zip(PLAIN, names, strict=True)}
    for skeleton, text in zip(plain_skeletons(), texts_of(bad, f"y{line}"), strict=True):
        page = Browser(text)
        assert page.problems == []
        assert page.skeleton == skeleton


@cache
def plain_skeletons() -> list[list[tuple[str, list[str]]]]:
    return [Browser(text).skeleton for text in texts_of(PLAIN, "y")]


def test_a_hostile_line_of_a_bot_is_shown_as_it_was() -> None:
    line = "move </script><script>alert(1)</script><!-- &amp; \"'"
    record = renamed(LOST[0], PLAIN, line)
    assert any(getattr(one, "line", None) for one in record.happened)
    page = hostile_event(PLAIN, LOST).game(record, SAID)[1]
    seen = Browser(page)
    assert [tag for tag, _ in seen.elements].count("script") == 3  # two files and the data
    assert any(line in text for text in seen.texts)
    assert any(line in step["text"] for step in data_of(page)["steps"])
