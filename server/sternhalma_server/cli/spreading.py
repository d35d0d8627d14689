"""Playing an event on more than one core or machine: the options that ask for it, and how."""

from __future__ import annotations

import argparse
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from sternhalma_server.cli.parser import BadInputError, whole_number
from sternhalma_server.dask_fleet import fleet_at, fleet_of
from sternhalma_server.far_hosting import check_local, host_far
from sternhalma_server.fingerprint import fingerprints
from sternhalma_server.fleet import FleetError
from sternhalma_server.observer import Observer, Summary
from sternhalma_server.settings import Settings
from sternhalma_server.shard import Shard, check_divisible, parse_shard

Host = Callable[[Observer], Awaitable[Summary]]


def add_spread_options(parser: argparse.ArgumentParser) -> None:
    """Declare `--workers`, `--cluster` and `--shard`."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--workers",
        type=whole_number,
        metavar="N",
        help="play on N workers on this machine, a core each (see docs/scale.md)",
    )
    where.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="play on the Dask cluster whose scheduler is there, such as tcp://10.0.0.1:8786",
    )

    where.add_argument(
        "--shard",
        type=_shard,
        metavar="I/N",
        help="play every N-th game only, from the I-th on, into a store of its own",
    )


def folder_name(arguments: argparse.Namespace, settings: Settings) -> str:
    """What the results folder of the event, or of a shard of it, is called if nobody says."""
    shard: Shard | None = arguments.shard
    name = settings.event.name
    return name if shard is None else f"{name}-{shard.index}of{shard.count}"


def share(
    arguments: argparse.Namespace, settings: Settings
) -> tuple[Shard | None, Mapping[str, str]]:
    """The shard that is asked for, if one is, and the fingerprints that its records have.

    Raises `EventFileError` for an event that has none.
    """
    shard: Shard | None = arguments.shard
    if shard is None:
        return None, {}
    where = str(arguments.event)
    check_divisible(settings, where)
    check_local(settings, where)
    return shard, fingerprints(settings.event.bots, settings.folder)


def _shard(text: str) -> Shard:
    try:
        return parse_shard(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


@contextmanager
def spread(arguments: argparse.Namespace, settings: Settings, root: Path) -> Generator[Host | None]:
    """What plays the event in *root* on many cores or machines; None if that is not asked for.

    Raises `EventFileError` for a bot that dials in, `BadInputError` if there are no such machines.
    """
    workers: int | None = arguments.workers
    address: str | None = arguments.cluster
    if workers is None and address is None:
        yield None
        return
    check_local(settings, str(arguments.event))
    programs = fingerprints(settings.event.bots, settings.folder)
    with ExitStack() as stack:
        try:
            fleet = stack.enter_context(
                fleet_of(workers) if workers is not None else fleet_at(address or "")
            )
        except FleetError as error:
            raise BadInputError(str(error)) from None

        async def host(observer: Observer) -> Summary:
            return await host_far(settings, fleet, root, observer, programs)

        yield host
