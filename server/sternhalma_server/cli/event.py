"""Decide about the events of a league.

  list                      print the events and how they stand
  add EVENT.toml            create an event; its file names bots of the league, or none yet
  open EVENT                entries are taken
  enter EVENT BOT ...       enter bots, before the event has begun
  leave EVENT BOT           take out a bot that was entered, before the event has begun
  start EVENT               play it, or play on after a pause
  pause EVENT               begin no more games; those that run are played on
  close EVENT               the event is over, whatever is left of it

A league that is open heeds this at once; otherwise it is written into its store, and the league
heeds it when it is served again.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, Final

from sternhalma_server.cli.file_kind import is_league_file
from sternhalma_server.cli.league_folder import decide, league_events
from sternhalma_server.cli.parser import BadInputError

_VERBS: Final = ("list", "add", "open", "enter", "leave", "start", "pause", "close")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `event`."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="the league's folder")
    parser.add_argument("verb", choices=_VERBS, metavar="WHAT", help="one of the above")
    parser.add_argument("words", nargs="*", metavar="...", help="the event, its file, or bots")
    parser.add_argument("--json", action="store_true", help="answer in JSON")


def run(arguments: argparse.Namespace) -> int:
    """Decide; 0 if that is done."""
    folder: Path = arguments.folder
    words: list[str] = arguments.words
    if arguments.verb == "list":
        _check_words("list", words, ())
        _list(folder, as_json=arguments.json)
        return 0
    done = decide(folder, _request(arguments.verb, words))
    print(json.dumps({"done": done}) if arguments.json else "\n".join(done))
    return 0


def _request(verb: str, words: list[str]) -> dict[str, Any]:
    request: dict[str, Any] = {"command": "event", "do": verb}
    if verb == "add":
        _check_words(verb, words, ("EVENT.toml",))
        try:
            source = Path(words[0]).read_bytes().decode()
        except OSError as error:
            raise BadInputError(
                f"{words[0]}: expected an event file that can be read: {error.strerror}"
            ) from None
        except UnicodeDecodeError as error:
            raise BadInputError(
                f"{words[0]}: expected UTF-8, got byte {error.start} wrong"
            ) from None
        if is_league_file(source.encode()):
            raise BadInputError(
                f"{words[0]}: expected an event file, got a league file: 'sternhalma serve' opens"
                " it"
            )
        return request | {"source": source, "where": words[0]}
    if verb == "enter":
        if len(words) < 2:
            got = " ".join(words) or "nothing"
            raise BadInputError(f"expected EVENT BOT ... after 'enter', got {got}")
        return request | {"event": words[0], "bots": words[1:]}
    if verb == "leave":
        _check_words(verb, words, ("EVENT", "BOT"))
        return request | {"event": words[0], "bot": words[1]}
    _check_words(verb, words, ("EVENT",))
    return request | {"event": words[0]}


def _check_words(verb: str, words: list[str], wanted: tuple[str, ...]) -> None:
    if len(words) != len(wanted):
        got = " ".join(words) or "nothing"
        raise BadInputError(f"expected {' '.join(wanted) or 'nothing'} after {verb!r}, got {got}")


def _list(folder: Path, *, as_json: bool) -> None:
    events = league_events(folder)
    if as_json:
        print(json.dumps(events, indent=2))
        return
    for event in events:
        print(f"{event['name']}: {event['state']}, {event['format']}, {event['games']} games over")
    if not events:
        print("no events")
