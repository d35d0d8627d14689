"""Make a secret token for a bot that dials in.

The first line is the token, for STERNHALMA_TOKEN or `login ... token=`; nobody can print it again.
The second goes into the event file, into the [[bots]] table of that name: a digest, which gives
nothing away.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import secrets
from typing import Final

from sternhalma_server.cli import CLEAN
from sternhalma_server.cli.parser import BadInputError
from sternhalma_server.wire import NAME

_BYTES: Final = 24  # beyond guessing, and short enough for a line


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("name", metavar="NAME", help="the bot's name in the event file")
    parser.add_argument("--json", action="store_true", help="answer in JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print a new token; the exit status."""
    name: str = arguments.name
    if not NAME.fullmatch(name):
        raise BadInputError(
            "expected a name of 1 to 32 letters, digits, dots, underscores or hyphens,"
            f" the first a letter or digit, got {name[:60]!r}"
        )
    token = secrets.token_urlsafe(_BYTES)
    digest = token_digest(token)
    if arguments.json:
        print(json.dumps({"name": name, "token": token, "event_file": digest}))
    else:
        print(token)
        print(f'token = "{digest}"')
    return CLEAN


def token_digest(token: str) -> str:
    """What the event file holds of *token*."""
    return f"sha256:{hashlib.sha256(token.encode()).hexdigest()}"
