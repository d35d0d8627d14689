"""Print the JSON Schema of event files.

Editors that know it complete keys and mark mistakes while one types; see docs/tournaments.md.
"""

from __future__ import annotations

import argparse
import json

from sternhalma_tournament.event import event_schema


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `schema`: there are none."""
    del parser


def run(arguments: argparse.Namespace) -> int:
    """Print the schema; 0."""
    del arguments
    print(json.dumps(event_schema(), indent=2))
    return 0
