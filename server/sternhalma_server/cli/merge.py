"""Merge stores of one event, such as its shards have played, into one results folder.

Stores that do not belong together, of another event or with another result of the same game, are
refused, and nothing is written. To merge them again changes nothing; what has come since is added.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from sternhalma_server.archive import ArchiveError
from sternhalma_server.cli.parser import BadInputError
from sternhalma_server.lock import LockedError
from sternhalma_server.merging import MergeError, merge
from sternhalma_server.store import StoreError
from sternhalma_tournament.reading import EventFileError
from sternhalma_tournament.text import counted


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `merge`."""
    parser.add_argument("out", type=Path, metavar="OUT", help="the results folder to merge into")
    parser.add_argument(
        "stores",
        type=Path,
        metavar="DIR",
        nargs="+",
        help="the results folders to be merged, or their stores",
    )
    parser.add_argument("--json", action="store_true", help="answer in JSON")


def run(arguments: argparse.Namespace) -> int:
    """Merge, and say what it has come to."""
    out: Path = arguments.out
    stores: list[Path] = arguments.stores
    try:
        merged = merge(out, stores)
    except (
        MergeError,
        StoreError,
        EventFileError,
        ArchiveError,
        LockedError,
    ) as error:
        raise BadInputError(str(error)) from None
    except PermissionError:
        raise  # told as it is everywhere
    except OSError as error:
        raise BadInputError(
            f"{error.filename or out}: expected a file that can be written: {error.strerror};"
            " what is in the store stays, and to merge again writes the rest"
        ) from None
    if arguments.json:
        print(json.dumps(asdict(merged)))
        return 0
    games, new = counted(merged.games, "game"), merged.new
    print(f"{merged.event}: {games}, {new} of them new; results in {out}")
    if merged.left:
        print(f"{counted(merged.left, 'game')} of the event not played")
    print(f"head {merged.head}")
    return 0
