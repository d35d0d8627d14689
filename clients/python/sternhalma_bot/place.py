"""Where a bot plays and as whom."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, replace
from typing import Final, TypedDict

from sternhalma_bot.comeback import PATIENCE

MAX_SLOT: Final = 64


@dataclass(frozen=True, slots=True)
class Trust:
    """TLS that trusts the certificates in the file `ca`, or whom this machine trusts.

    Unlike an `ssl.SSLContext` it can be handed to another process.
    """

    ca: str | None = None

    def context(self) -> ssl.SSLContext:
        """The settings of a connection. Raises `OSError` for a file without certificates."""
        return ssl.create_default_context(cafile=self.ca)


class Options(TypedDict, total=False):
    """What a bot may say about its place beside host, port and name.

    `slot` is the first of its connections, 1 unless told; `token` its secret, `version` its own,
    both None where there is none; `patience` how many seconds it tries to come back when its
    connection breaks; with `tls` the connection is made by that, and the host must be named in the
    server's certificate.
    """

    slot: int
    token: str | None
    version: str | None
    patience: float
    tls: ssl.SSLContext | Trust | None


class ManyOptions(Options, total=False):
    """`connections` is how many games a bot plays at once, on as many slots; 1 unless told."""

    connections: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where a bot plays and as whom: on `connections` slots from `slot` on, by `tls` if given."""

    host: str
    port: int
    name: str
    slot: int = 1
    token: str | None = None
    version: str | None = None
    connections: int = 1
    tls: ssl.SSLContext | Trust | None = None
    patience: float = PATIENCE

    def __str__(self) -> str:
        return f"{self.host} port {self.port}"

    def __post_init__(self) -> None:
        if not 1 <= self.slot <= MAX_SLOT:
            raise ValueError(f"expected a slot from 1 to {MAX_SLOT}, got {self.slot}")
        if not 1 <= self.connections <= MAX_SLOT + 1 - self.slot:
            most = MAX_SLOT + 1 - self.slot
            raise ValueError(
                f"expected from 1 to {most} connections from slot {self.slot} on, got"
                f" {self.connections}"
            )

    def context(self) -> ssl.SSLContext | None:
        """The settings of a connection by TLS, None without."""
        return self.tls.context() if isinstance(self.tls, Trust) else self.tls

    def each(self) -> list[Place]:
        """The place of every single connection."""
        slots = range(self.slot, self.slot + self.connections)
        return [replace(self, slot=slot, connections=1) for slot in slots]
