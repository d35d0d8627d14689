"""All games that are being played, from the lines that a watcher of all games is sent."""

from __future__ import annotations

from typing import Final

from sternhalma_server.web.live_game import LiveGame, SceneError

_PASSED_OVER: Final = frozenset({"welcome", "sternhalma", "pong", "note", "offer", "why"})


class Scene:
    """The running games by what the wire calls them, in the order in which they were heard of.

    `ended` counts the games that were heard to end, `changes` all that was heard.
    """

    def __init__(self) -> None:
        self.games: dict[str, LiveGame] = {}
        self.ended = 0
        self.changes = 0

    def hear(self, line: str, now: float) -> None:
        """Hear one line; those that tell of no game are passed over.

        Raises `SceneError` for one that no server of this protocol sends.
        """
        word, _, rest = line.partition(" ")
        name, _, _ = rest.partition(" ")
        match word:
            case "moved" | "out":
                game = self.games.get(name)
                if game is not None:
                    game.hear(line, now)
            case "game":
                # Shown before, it begins anew: it keeps its place among the others.
                self.games[name] = LiveGame(line, now)
            case "position":
                if name not in self.games:
                    raise SceneError(f"expected a game before its position, got {line[:200]!r}")
                self.games[name].stand(line)
            case "over":
                self.games.pop(name, None)
                self.ended += 1
            case _ if word in _PASSED_OVER:
                return
            case _:
                return  # a bot ignores messages it does not know, and so does a watcher
        self.changes += 1

    def clear(self) -> None:
        """Nothing is known any more: the connection has ended."""
        self.games.clear()
        self.changes += 1

    def of(self, event: str) -> list[LiveGame]:
        """The games of an event, where the names of games say it; else, with no name, all."""
        return [game for game in self.games.values() if game.event == event]
