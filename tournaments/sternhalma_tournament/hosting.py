"""What an event file says about the host: how long it waits, what it credits, what bots may use.

Nothing here changes who meets whom; all of it has defaults that suit an event on one machine. Times
are texts such as `500ms`, `20s`, `2m`; the server, which has the clocks, turns them into numbers.
"""

from typing import Annotated

import msgspec
from msgspec import Meta

Time = Annotated[str, Meta(min_length=1, description="a time such as '500ms', '20s' or '2m'")]
Count = Annotated[int, Meta(ge=1, description="a whole number from 1")]


class Budgets(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[budgets]`: how long the server waits for bots, apart from their clocks."""

    login: Time = "10s"  # from the connection to the whole login line
    start: Time = "20s"  # from starting a program to its login
    ready: Time = "60s"  # for a remote bot that is not connected when its game is due
    reconnect: Time = "30s"  # for a bot whose connection ends in its turn
    restart: Time = "120s"  # for all bots of a running game after the server was started again
    drain: Time = "30s"  # for running games when the server has been asked to stop


class LagCredit(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[lag]`: what bots are credited for the network, those on the server's own machine never."""

    per_move: Time
    cap: Time


class Tls(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[tls]`: the server's certificate and key, files in PEM, from the event file's folder."""

    cert: Annotated[str, Meta(min_length=1, description="the path of a file")]
    key: Annotated[str, Meta(min_length=1, description="the path of a file")]


class BotLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[limits]`: what each program that the server starts may use."""

    memory: Annotated[int, Meta(ge=16, description="megabytes, from 16")] | None = None
    processes: Count | None = None
    files: Annotated[int, Meta(ge=16, description="open files, from 16")] | None = None
    cpu: Annotated[int, Meta(ge=1, description="seconds of processor time, from 1")] | None = None
