"""Print how one bot, or one entry, has done in an event, while it is played or later.

Results by opponent and by seat, forfeits by reason, the mean length of its games, the time it took,
and its longest chain of jumps. Of a league: the versions of the bot in a row, with their ratings.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import msgspec

from sternhalma_server.archive import STORE
from sternhalma_server.cli.drawn import add_format, print_as
from sternhalma_server.cli.folder import results_in
from sternhalma_server.cli.league_folder import charter_in, names_of, spelled
from sternhalma_server.cli.parser import BadInputError, unknown
from sternhalma_server.folders import LEAGUE
from sternhalma_server.store import Store, StoreError
from sternhalma_server.usage import USAGE_ALIGN, USAGE_HEAD, Usage, Usages, usage_json, usage_row
from sternhalma_server.yearbook import pages_in
from sternhalma_tournament.bot_page import bot_page_json, bot_page_markdown
from sternhalma_tournament.entries import Entry
from sternhalma_tournament.pages import EntryPage, entry_page, page_json, page_markdown
from sternhalma_tournament.tables import json_text
from sternhalma_tournament.text import markdown_table


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `bot`."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="the results or league folder")
    parser.add_argument("name", metavar="NAME", help="the name of a bot or of an entry")
    add_format(parser, "json")


def run(arguments: argparse.Namespace) -> int:
    """Print the page; 0 if there is one."""
    if (arguments.folder / LEAGUE).exists():
        _print_career(arguments)
        return 0
    usages = Usages()
    _, results = results_in(arguments.folder, usages.add)
    entry = _find(arguments.name, results.entries)
    page = entry_page(entry.name, results.standings(), results.tally)
    bots = {bot: usages.by_bot.get(bot, Usage()) for bot in dict.fromkeys(entry.bots)}
    print_as(
        arguments.format, {"md": lambda: _markdown(page, bots), "json": lambda: _json(page, bots)}
    )
    return 0


def _print_career(arguments: argparse.Namespace) -> None:
    """The page of a bot of a league: its versions."""
    folder: Path = arguments.folder
    try:
        with Store.read(folder / STORE) as store:
            pages = pages_in(store, charter_in(folder))
    except (StoreError, ValueError) as error:
        raise BadInputError(f"{folder}: {error}") from None
    page = pages.get(spelled(arguments.name, pages) or "")
    if page is None:
        registered = spelled(arguments.name, names_of(folder, left=True))
        if registered is not None or not pages:
            who = registered or "any bot"
            raise BadInputError(f"expected a game of {who} that is over, there is none yet")
        raise BadInputError(unknown("bot", arguments.name, pages))
    print_as(
        arguments.format,
        {"md": lambda: bot_page_markdown(page), "json": lambda: bot_page_json(page)},
    )


def _find(name: str, entries: list[Entry]) -> Entry:
    for entry in entries:
        if name in {entry.name, *entry.bots}:
            return entry
    known = dict.fromkeys(name for entry in entries for name in (entry.name, *entry.bots))
    raise BadInputError(unknown("bot", name, known))


def _markdown(page: EntryPage, bots: dict[str, Usage]) -> str:
    rows = [usage_row(bot, usage) for bot, usage in bots.items()]
    return f"{page_markdown(page)}\n{markdown_table(USAGE_HEAD, rows, USAGE_ALIGN)}"


def _json(page: EntryPage, bots: dict[str, Usage]) -> str:
    facts = msgspec.json.decode(page_json(page))
    return json_text(facts | {"bots": {bot: usage_json(usage) for bot, usage in bots.items()}})
