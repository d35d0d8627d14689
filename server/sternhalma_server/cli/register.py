"""Register a bot with a league, and print the secret token that it logs in with.

The token is printed once: the league keeps its SHA-256 only. --renew gives a bot another token,
--remove lets it in no more (what it has played stays, and who comes back is the bot it was).
"""

from __future__ import annotations

import argparse
import json
import secrets
from pathlib import Path

from sternhalma_server.admission import token_digest
from sternhalma_server.cli.league_folder import charter_in, decide, league_bots, spelled
from sternhalma_server.cli.parser import BadInputError
from sternhalma_server.folders import LEAGUE


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `register`."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="the league's folder")
    parser.add_argument(
        "bot", nargs="?", metavar="NAME", help="the bot; without one, list all bots"
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--renew", action="store_true", help="give the bot another token")
    which.add_argument("--remove", action="store_true", help="let the bot in no more")
    parser.add_argument("--json", action="store_true", help="answer in JSON")


def run(arguments: argparse.Namespace) -> int:
    """Register, renew or remove; 0 if that is done."""
    folder: Path = arguments.folder
    bot: str | None = arguments.bot
    if bot is None:
        for option in ("remove", "renew"):
            if getattr(arguments, option):
                raise BadInputError(f"expected NAME with --{option}, got none")
        _list(folder, as_json=arguments.json)
        return 0
    if arguments.remove:
        _check_registered(folder, bot)
        done = decide(folder, {"command": "unregister", "bot": bot})
        print(json.dumps({"done": done}) if arguments.json else "\n".join(done))
        return 0
    token = secrets.token_urlsafe(18)
    digest = token_digest(token)
    request = {"command": "register", "bot": bot, "digest": digest, "renew": arguments.renew}
    done = decide(folder, request)
    if arguments.json:
        print(json.dumps({"done": done, "token": token}))
    else:
        print("\n".join(done))
        print(f"token {token}")
    return 0


def _check_registered(folder: Path, name: str) -> None:
    """Raise `BadInputError` for a bot of the league's own, which nobody registered."""
    if (folder / LEAGUE).exists():
        own = spelled(name, (bot.name for bot in charter_in(folder).bots))
        if own is not None:
            raise BadInputError(
                f"expected a registered bot, got {own!r} of the league's file: it is removed there,"
                " and is gone when the league is served again"
            )


def _list(folder: Path, *, as_json: bool) -> None:
    bots = league_bots(folder)
    if as_json:
        facts = [
            {"bot": bot.name, "registered": bot.digest is not None, "since": bot.since}
            for bot in bots
        ]
        print(json.dumps(facts, indent=2))
        return
    for bot in bots:
        state = "registered" if bot.digest is not None else "left"
        print(f"{bot.name}: {state} {bot.since}")
    if not bots:
        print("no bots are registered")
