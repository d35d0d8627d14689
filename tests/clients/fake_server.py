"""A small peer for clients: it plays whole games over one connection and forgives nothing.

It speaks protocol.md and knows the rules from the engine, yet shares no code with the server, so
that a client is not tested against the server's own mistakes. It asserts that every answer is a
legal move for the game and ply that was asked for.
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import TextIO

import sternhalma as sh

PATIENCE = 20.0  # seconds; a client that hangs fails its test rather than the whole run


@dataclass
class Table:
    """One game to play: the client sits in *seat*, the others play their first legal move."""

    rules: str = "duel"
    players: int = 2
    seat: int = 0
    limit: int = 5
    seed: int = 4711
    clock: str = "2s"


@dataclass
class FakeServer:
    """Serves one connection: a greeting, a login, every table, and a goodbye.

    `heard` holds all lines from the client, `login` the first of them; `failure` what went wrong.
    With *pieces* every line is sent in pieces of that many bytes. The connection breaks instead of
    the turn of ply *breaks_at*, once, and the client has to come back with the key it was given.
    """

    tables: Sequence[Table] = ()
    farewell: str = "bye event-over thank you for playing"
    before: str = "sternhalma 1 line=1024 login=10000 can=moves,draw,watch"
    extra: Sequence[str] = ()
    pieces: int | None = None
    breaks_at: int | None = None
    tls: ssl.SSLContext | None = None
    script: Callable[[FakeServer], None] | None = None
    heard: list[str] = field(default_factory=list)
    failure: BaseException | None = None
    _stream: TextIO | None = None

    def __enter__(self) -> FakeServer:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(PATIENCE)
        self.port: int = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        if kind is None:
            self._thread.join(PATIENCE)
        self._listener.close()
        if kind is None and self.failure is not None:
            raise self.failure

    @property
    def login(self) -> list[str]:
        """The words of the client's first line."""
        return self.heard[0].split(" ")

    @property
    def moves(self) -> list[str]:
        """The client's moves, game and ply included."""
        return [line for line in self.heard if line.startswith("move ")]

    def say(self, line: str) -> None:
        """Send one line."""
        data = line.encode() + b"\n"
        size = self.pieces or len(data)
        for start in range(0, len(data), size):
            self._connection.sendall(data[start : start + size])

    def hear(self) -> str:
        """The client's next line. Raises `EOFError` where its connection ends."""
        assert self._stream is not None
        line = self._stream.readline()
        if not line.endswith("\n"):
            raise EOFError(f"expected a line, got {line!r} and the end of the connection")
        self.heard.append(line.rstrip("\n"))
        return self.heard[-1]

    def _serve(self) -> None:
        try:
            self._accept()
            self._converse()
        except BaseException as error:
            self.failure = error
        finally:
            # Nobody is to wait in front of a door that does not open again.
            self._listener.close()
            self._hang_up()

    def _accept(self) -> None:
        self._connection, _ = self._listener.accept()
        self._connection.settimeout(PATIENCE)
        self._connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.tls is not None:
            self._connection = self.tls.wrap_socket(self._connection, server_side=True)
        self._stream = self._connection.makefile("r", encoding="utf-8", newline="\n")

    def _hang_up(self) -> None:
        if self._stream is not None:
            self._stream.close()
        self._connection.close()

    def _log_in(self) -> list[str]:
        self.say(self.before)
        word, name, *keys = self.hear().split(" ")
        assert word == "login"
        self.say(f"welcome {name} slot=1 key=k{len(self.heard)}")
        return keys

    def _converse(self) -> None:
        keys = self._log_in()
        if self.script is not None:
            self.script(self)
        for number, table in enumerate(self.tables, start=1):
            self._play(str(number), table, listed="moves=yes" in keys)
        if self.farewell:
            self.say(self.farewell)

    def _play(self, number: str, table: Table, *, listed: bool) -> None:
        game = sh.Game.new(table.rules, table.players, limit=table.limit)
        letters = [group[0] for group in game.position.seats]
        seats = ",".join(f"{letter}:bot{i}" for i, letter in enumerate(letters))
        self._opening = (
            f"game {number} {table.rules} {letters[table.seat]} seats={seats} limit={table.limit}"
            f" at_limit={game.terms.at_limit} clock={table.clock} seed={table.seed} draws=no"
        )
        self.say(self._opening)
        for line in self.extra:
            self.say(line)
        while game.turn is not None:
            ply, letter = game.ply, letters[game.turn]
            path, why = self._answer(number, table, game, listed=listed)
            game = game.play(path)
            assert game.last is not None
            full = game.format_move(game.last)
            self.say(f"moved {number} {ply} {letter} {full} charged=1 left=2000{why}")
        assert game.result is not None
        places = ",".join(f"{a}:{b}" for a, b in zip(letters, game.result.places, strict=True))
        self.say(f"over {number} {game.result.end.name.lower()} places={places}")

    def _answer(
        self, number: str, table: Table, game: sh.Game, *, listed: bool
    ) -> tuple[sh.Move, str]:
        if game.must_pass:
            return sh.PASS, " by=rules"
        legal = game.legal_moves()
        if game.turn != table.seat:
            return legal[0], ""
        if game.ply == self.breaks_at:
            self.breaks_at = None
            self._hang_up()
            self._accept()
            assert "key=k1" in self._log_in()
            self.say(self._opening)
        left = "-" if table.clock == "none" else "2000"
        moves = " moves=" + ",".join(map(game.format_move, legal)) if listed else ""
        self.say(f"turn {number} {game.ply} {left} {game}{moves}")
        words = self.hear().split(" ")
        while words[0] != "move":
            words = self.hear().split(" ")
        assert words[1:3] == [number, str(game.ply)]
        return game.resolve(game.parse_move(words[3])), ""
