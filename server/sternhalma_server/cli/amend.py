"""Rule on an event: the ruling is stored with its reason, and the tables are added up anew.

  withdraw ENTRY            plays no more; its games to come are left out (--forfeit: forfeited)
  disqualify ENTRY          plays no more and is not ranked; its games count for the others
  expunge ENTRY             plays no more, is not ranked, and none of its games counts
  reinstate ENTRY           takes one of these back: its games that were left out are played
  late-entry NAME           a remote bot joins; --token has the digest of 'sternhalma token NAME'
  correct GAME PLACES       the game has other places, by seat, such as 2-1 or 1-2-2-4
  annul GAME                the game does not count
  list                      print all rulings, in their order

Nothing is changed in place, and nothing is taken back but by another ruling. A server that plays
the event heeds a ruling at once, games that have begun are played on. Otherwise it is written into
the store, and the next run heeds it.
"""

from __future__ import annotations

import argparse
import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from sternhalma_server.arbiter import check_forfeit, check_reason, rule_stored
from sternhalma_server.cli.folder import found_in, game_in, unusable
from sternhalma_server.cli.league_folder import member, names_of, spelled
from sternhalma_server.cli.parser import BadInputError
from sternhalma_server.control import SOCKET, ControlError, ask
from sternhalma_server.folders import EventFolder
from sternhalma_server.lock import LockedError, StoreLock
from sternhalma_server.rulings import rulings_of
from sternhalma_server.stage import rule_at_rest
from sternhalma_server.store import Store, StoreError
from sternhalma_tournament.amendments import (
    Amendment,
    Annulment,
    Correction,
    Disqualification,
    Expunging,
    LateEntry,
    Reinstatement,
    Withdrawal,
    format_amendment,
    sentence_of,
)

_KINDS: Final = (
    "withdraw",
    "disqualify",
    "expunge",
    "reinstate",
    "late-entry",
    "correct",
    "annul",
    "list",
)
_TOKEN: Final = re.compile(r"sha256:([0-9a-f]{64})")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `amend`."""
    parser.usage = (
        "%(prog)s DIR RULING WHAT ... --reason TEXT [--forfeit] [--token DIGEST]"
        " [--forfeits REASONS] [--json]\n       %(prog)s DIR list [--json]"
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="the results folder")
    parser.add_argument("kind", choices=_KINDS, metavar="RULING", help="one of the above")
    parser.add_argument("what", nargs="*", metavar="WHAT", help="the entry or the game, as above")
    parser.add_argument(
        "--reason",
        metavar="TEXT",
        help="why, in one line; it stands in the table; every ruling must have it",
    )
    parser.add_argument(
        "--forfeit", action="store_true", help="with withdraw: forfeit the games to come"
    )
    parser.add_argument("--token", metavar="DIGEST", help="with late-entry: sha256:...")
    parser.add_argument(
        "--forfeits",
        metavar="REASONS",
        help="with correct: who forfeited, by seat, such as -,time for the second",
    )
    parser.add_argument("--json", action="store_true", help="answer in JSON")


def run(arguments: argparse.Namespace) -> int:
    """Make the ruling; 0 if it is stored."""
    folder: Path = arguments.folder
    found = found_in(folder)
    try:
        if arguments.kind == "list":
            sentences = _list(found, arguments)
        else:
            # A bot of a league has its token from the league.
            token = _token(arguments) if found.league is None else None
            sentences = _rule(found, _ruling(arguments, utc_now()), token)
    except (ValueError, StoreError, LockedError) as error:
        raise BadInputError(str(error)) from None
    except OSError as error:
        raise BadInputError(unusable(folder, error)) from None
    if arguments.json:
        print(json.dumps(sentences, indent=2))
    else:
        print("\n".join(sentences) or "no rulings")
    return 0


def utc_now() -> datetime:
    """The time of day that a ruling is noted with."""
    return datetime.now(UTC)


def _rule(found: EventFolder, ruling: Amendment, token: str | None) -> list[str]:
    if (found.server / SOCKET).exists():
        request = {
            "command": "amend",
            "event": found.root.name,
            "ruling": format_amendment(ruling),
            "token": token,
        }
        try:
            return list(ask(found.server, request)["ruled"])
        except ControlError as error:
            if not error.nobody:
                raise BadInputError(str(error)) from None
    with StoreLock(found.store), Store.open(found.store) as store:
        stored = found.stored(store)
        if found.league is not None:
            return list(rule_at_rest(store, stored, found.root, ruling).sentences)
        return list(rule_stored(store, stored, found.root, ruling, token).sentences)


def _list(found: EventFolder, arguments: argparse.Namespace) -> list[str]:
    if arguments.what:
        raise BadInputError(f"expected nothing after 'list', got {arguments.what[0]!r}")
    with Store.read(found.store) as store:
        return [sentence_of(ruling) for ruling in rulings_of(store, found.stored(store).id)]


def _ruling(arguments: argparse.Namespace, now: datetime) -> Amendment:
    """The ruling that the arguments name, made *now*. Raises `BadInputError`, `ValueError`."""
    kind: str = arguments.kind
    for option, its in (("forfeit", "withdraw"), ("token", "late-entry"), ("forfeits", "correct")):
        if getattr(arguments, option) and kind != its:
            raise BadInputError(f"expected --{option} only with {its}, got it with {kind}")
    if arguments.reason is None:
        raise BadInputError(f"expected --reason with {kind}, got none")
    check_reason(arguments.reason)
    wanted = (
        ("GAME", "PLACES") if kind == "correct" else ("GAME",) if kind == "annul" else ("NAME",)
    )
    if len(arguments.what) != len(wanted):
        got = " ".join(arguments.what) or "nothing"
        raise BadInputError(f"expected {' '.join(wanted)} after {kind!r}, got {got}")
    subject = _subject(arguments)
    at = f"{now:%Y-%m-%dT%H:%M:%SZ}"
    if kind in {"correct", "annul"}:
        return _on_game(arguments, subject, at)
    reason: str = arguments.reason
    match kind:
        case "withdraw":
            return Withdrawal(reason, subject, arguments.forfeit, at=at)
        case "disqualify":
            return Disqualification(reason, subject, at=at)
        case "expunge":
            return Expunging(reason, subject, at=at)
        case "reinstate":
            return Reinstatement(reason, subject, at=at)
        case _:
            return LateEntry(reason, subject, (subject,), at=at)


def _subject(arguments: argparse.Namespace) -> str:
    """The game or the entry that is ruled on; of a league, as the league spells the bot."""
    word: str = arguments.what[0]
    if arguments.kind in {"correct", "annul"}:
        return game_in(arguments.folder, word)
    league = found_in(arguments.folder).league
    if league is None:
        return word
    if arguments.kind == "late-entry":
        return member(league, word)
    return spelled(word, names_of(league, left=True)) or word


def _on_game(arguments: argparse.Namespace, number: str, at: str) -> Amendment:
    if not (number.isdecimal() and number.isascii()):
        raise BadInputError(f"expected the number of a game, got {number[:40]!r}")
    if arguments.kind == "annul":
        return Annulment(arguments.reason, int(number), at=at)
    text: str = arguments.what[1]
    places = text.split("-")
    if not all(place.isdecimal() and place.isascii() for place in places):
        raise BadInputError(f"expected places such as 2-1 or 1-2-2-4, got {text[:40]!r}")
    forfeits: tuple[str | None, ...] | None = None
    if arguments.forfeits is not None:
        words = arguments.forfeits.split(",")
        forfeits = tuple(None if word in {"-", "none"} else word for word in words)
        for word in forfeits:
            check_forfeit(word)
    return Correction(arguments.reason, int(number), tuple(map(int, places)), forfeits, at=at)


def _token(arguments: argparse.Namespace) -> str | None:
    """The digest of a late bot's token, which it cannot be without."""
    if arguments.kind != "late-entry":
        return None
    token: Any = arguments.token
    found = _TOKEN.fullmatch(token or "")
    if found is None:
        raise BadInputError(
            f"expected --token sha256:..., as 'sternhalma token {arguments.what[0]}' prints it,"
            f" got {token!r}"
        )
    return found[1]
