"""Bots for the Sternhalma league server, in Python.

    import sternhalma
    from sternhalma_bot import Turn, seat

    def choose(turn: Turn) -> sternhalma.Move:
        return turn.game.legal_moves()[0]

    if __name__ == "__main__":
        seat(choose)

`seat` reads the command line and the environment, `play` and `run` are told everything. For bots
that await there are the same three in `sternhalma_bot.on_trio` and `sternhalma_bot.on_asyncio`, and
`sternhalma_bot.core` is the conversation alone, for those who bring a loop of their own.
"""

from sternhalma_bot.bot import Answer, AsyncBot, AsyncPlayer, Bot, Player
from sternhalma_bot.clock import Clock, Deadline, parse_clock
from sternhalma_bot.run import play, run
from sternhalma_bot.seating import seat
from sternhalma_bot.turn import Turn

__all__ = [
    "Answer",
    "AsyncBot",
    "AsyncPlayer",
    "Bot",
    "Clock",
    "Deadline",
    "Player",
    "Turn",
    "parse_clock",
    "play",
    "run",
    "seat",
]
