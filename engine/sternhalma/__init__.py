"""The rules of Chinese Checkers (Stern-Halma) and Halma, exactly.

    >>> import sternhalma
    >>> game = sternhalma.Game.new("tara", players=2)
    >>> len(game.legal_moves())
    14
    >>> game = game.play("d5-e5")
    >>> game.ply
    2

Everything is a value: a game is never changed, `play` returns the game after the move.
"""

from sternhalma.board import HALMA13, HALMA19, STAR, Board, Hole, Mask, NotationError
from sternhalma.game import Game
from sternhalma.move import MAX_PATH, PASS, IllegalMoveError, Move
from sternhalma.notation import BoardText, PositionError, format_position, parse_position
from sternhalma.perft import perft
from sternhalma.position import Position, Progress
from sternhalma.result import End, Result, Terms
from sternhalma.rules import BASES, OPTIONS, AtLimit, Rules, RulesError
from sternhalma.seating import Colour, Lane, Seat, Seating

__all__ = [
    "BASES",
    "HALMA13",
    "HALMA19",
    "MAX_PATH",
    "OPTIONS",
    "PASS",
    "STAR",
    "AtLimit",
    "Board",
    "BoardText",
    "Colour",
    "End",
    "Game",
    "Hole",
    "IllegalMoveError",
    "Lane",
    "Mask",
    "Move",
    "NotationError",
    "Position",
    "PositionError",
    "Progress",
    "Result",
    "Rules",
    "RulesError",
    "Seat",
    "Seating",
    "Terms",
    "format_position",
    "parse_position",
    "perft",
]
