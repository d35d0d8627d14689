"""Random plies before a game, so that bots without chance do not repeat one game.

"Random" is drawn from SHA-256 of the event's seed and the pairing: the same event file gives the
same openings anywhere, with any Python.
"""

from __future__ import annotations

import hashlib

from sternhalma import Game


def draw(seed: str, choices: int) -> int:
    """A number from 0 to *choices* - 1 that depends on *seed* and nothing else."""
    return number(seed) % choices


def number(seed: str) -> int:
    """The first 8 bytes of the SHA-256 of *seed* as an unsigned number."""
    return int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8])


def opening_of(start: Game, plies: int, seed: int, meeting: str) -> tuple[str, ...]:
    """The opening of the games of *meeting* (`Pairing.opening`) in the event with this *seed*.

    It has *plies* at most, from *start*, and is the same for all seatings of the meeting.
    """
    return opening_paths(start, plies, f"{seed}/opening/{meeting}")


def opening_paths(game: Game, plies: int, seed: str) -> tuple[str, ...]:
    """The full paths of up to *plies* random plies from *game*, fewer if one would end it."""
    paths: list[str] = []
    for ply in range(1, plies + 1):
        moves = game.legal_moves()
        move = game.format_move(moves[draw(f"{seed}/{ply}", len(moves))]) if moves else "pass"
        after = game.play(move)
        if after.is_over:
            break
        assert after.last is not None
        paths.append(after.format_move(after.last))
        game = after
    return tuple(paths)
