"""Print how one bot, or one entry, has done in an event, while it is played or later.

Results by opponent and by seat, forfeits by reason, the mean length of its games, the time it took,
and its longest chain of jumps.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import msgspec

from sternhalma_server.cli.drawn import add_format, print_as
from sternhalma_server.cli.folder import results_in
from sternhalma_server.cli.parser import BadInputError, unknown
from sternhalma_server.usage import USAGE_ALIGN, USAGE_HEAD, Usage, Usages, usage_json, usage_row
from sternhalma_tournament.entries import Entry
from sternhalma_tournament.pages import EntryPage, entry_page, page_json, page_markdown
from sternhalma_tournament.tables import json_text
from sternhalma_tournament.text import markdown_table


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `bot`."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="the results folder")
    parser.add_argument("name", metavar="NAME", help="the name of a bot or of an entry")
    add_format(parser, "json")


def run(arguments: argparse.Namespace) -> int:
    """Print the page; 0 if there is one."""
    usages = Usages()
    _, results = results_in(arguments.folder, usages.add)
    entry = _find(arguments.name, results.entries)
    page = entry_page(entry.name, results.standings(), results.tally)
    bots = {bot: usages.by_bot.get(bot, Usage()) for bot in dict.fromkeys(entry.bots)}
    print_as(
        arguments.format, {"md": lambda: _markdown(page, bots), "json": lambda: _json(page, bots)}
    )
    return 0


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
