"""Bots for the Sternhalma league server, in Python.

    import sternhalma
    from sternhalma_bot import Turn, seat

    def choose(turn: Turn) -> sternhalma.Move:
        return turn.game.legal_moves()[0]

    if __name__ == "__main__":
        seat(choose)

`seat` reads the command line and the environment, `play` and `run` are told everything, and
`sternhalma_bot.core` is the conversation alone, for those who bring a loop of their own.
"""

from sternhalma_bot.cli import seat
from sternhalma_bot.run import Bot, Player, play, run
from sternhalma_bot.turn import Turn

__all__ = ["Bot", "Player", "Turn", "play", "run", "seat"]
