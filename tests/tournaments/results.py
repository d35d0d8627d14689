"""Results for tests: games of two written short, and games at random."""

from collections.abc import Sequence

from hypothesis import strategies as st

from sternhalma_tournament.scores import GameResult


def game(
    number: int,
    entries: Sequence[str],
    places: Sequence[int],
    forfeits: Sequence[str | None] = (),
    reason: str = "goal",
) -> GameResult:
    faults = tuple(forfeits) or (None,) * len(entries)
    return GameResult(number, tuple(entries), tuple(places), faults, reason, 40)


def shared_places(keys: Sequence[int]) -> tuple[int, ...]:
    """Places by *keys*, the least first, shared ones as 1, 2, 2, 4."""
    return tuple(1 + sum(other < key for other in keys) for key in keys)


@st.composite
def leagues(draw: st.DrawFn) -> tuple[list[str], list[GameResult]]:
    """Names, and games of two to four of them with any places and some forfeits."""
    names = [f"bot{n}" for n in range(draw(st.integers(2, 6)))]
    results: list[GameResult] = []
    for number in range(1, draw(st.integers(0, 12)) + 1):
        sides = draw(st.integers(2, min(4, len(names))))
        entries = draw(st.permutations(names))[:sides]
        keys = draw(st.lists(st.integers(0, 2), min_size=sides, max_size=sides))
        faults = draw(
            st.lists(
                st.sampled_from([None, None, "time", "no-start"]), min_size=sides, max_size=sides
            )
        )
        reason = draw(st.sampled_from(["goal", "goal", "goal", "aborted"]))
        results.append(game(number, entries, shared_places(keys), faults, reason))
    return names, results
