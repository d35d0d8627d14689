"""Everything that is measured, in one table: `make bench`.

    python -m bench [--quick] [engine | server]

Figures of a machine that others use too are worth little; the ratios within one run are what is
looked at. Nothing here asserts anything: what must hold is asserted by tests, as counts.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from typing import NoReturn

from bench import peers, served, server


def main() -> int:
    """Run the sections one after the other."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("section", nargs="?", choices=["engine", "server"])
    parser.add_argument("--quick", action="store_true", help="fewer rounds, a tenth of the moves")
    options = parser.parse_args()
    try:
        interpreter = peers.python()
    except peers.MissingError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    status = 0
    if options.section in {None, "engine"}:
        # Beside its peer, which is not installed where the project is.
        paths = os.pathsep.join([str(peers.ROOT), str(peers.ROOT / "engine")])
        status |= subprocess.run(
            [interpreter, "-m", "bench.engine", *(["--rounds", "3"] if options.quick else [])],
            env=os.environ | {"PYTHONPATH": paths},
            check=False,
        ).returncode
    if options.section in {None, "server"}:
        try:
            server.run(server.ROUNDS, quick=options.quick)
        except (served.BenchError, peers.MissingError) as error:
            print(f"bench: {error}", file=sys.stderr)
            status = 1
    return status


def _end(signum: int, _frame: object) -> NoReturn:
    """End with an exception, so that the servers and bots end too."""
    sys.exit(128 + signum)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _end)
    sys.exit(main())
