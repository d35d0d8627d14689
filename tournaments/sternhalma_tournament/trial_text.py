"""A trial as text: one line while it goes on, a section below the standings, and for programs."""

from typing import Any, Final

from sternhalma_tournament.sprt import Verdict
from sternhalma_tournament.text import counted, markdown_table, points_text_of_half
from sternhalma_tournament.trial import TrialState

_MODELS: Final = {"logistic": "Elo", "normalized": "normalized Elo"}


def trial_line(trial: TrialState) -> str:
    """Where the trial stands, in a line."""
    low, high = trial.test.bounds
    llr = f"LLR {trial.llr:.2f} ({low:.2f} to {high:.2f}) after {counted(trial.pairs, 'pair')}"
    return f"{llr}, {_outcome(trial)}"


def trial_markdown(trial: TrialState) -> str:
    """What is tested, where it stands, and the pairs of games by the points won in them."""
    test = trial.test
    claims = f"H0 by {test.elo0:g}, H1 by {test.elo1:g} ({_MODELS[test.model]})"
    rates = f"alpha {test.alpha:g}, beta {test.beta:g}"
    sentences = [
        f"SPRT, is {trial.tested} stronger than {trial.other}: {claims}, {rates}.",
        f"{trial_line(trial)}.",
    ]
    if trial.void:
        sentences.append(f"Left out: {counted(trial.void, 'pair')} with a void game.")
    if trial.uncounted:
        games = counted(trial.uncounted, "game")
        why = "behind the verdict" if trial.verdict else "ahead of a pair that is not over"
        sentences.append(f"In the table and not in the test: {games} {why}.")
    points = [points_text_of_half(half) for half in range(5)]
    head = [f"points of {trial.tested} in a pair", *points]
    table = markdown_table(head, [["pairs", *map(str, trial.counts)]], "lrrrrr")
    return "\n".join(sentences) + f"\n\n{table}"


def trial_json(trial: TrialState) -> dict[str, Any]:
    """The same as JSON values; numbers that are not whole are decimal texts."""
    test = trial.test
    low, high = test.bounds
    return {
        "tested": trial.tested,
        "other": trial.other,
        "elo0": f"{test.elo0:g}",
        "elo1": f"{test.elo1:g}",
        "model": test.model,
        "alpha": f"{test.alpha:g}",
        "beta": f"{test.beta:g}",
        "pairs": trial.pairs,
        "most_pairs": trial.most,
        "counts": trial.counts,
        "void_pairs": trial.void,
        "uncounted_games": trial.uncounted,
        "llr": f"{trial.llr:.4f}",
        "low": f"{low:.4f}",
        "high": f"{high:.4f}",
        "verdict": trial.verdict,
    }


def _outcome(trial: TrialState) -> str:
    verdict: Verdict | None = trial.verdict
    if verdict is not None:
        return f"{verdict} is accepted"
    return "not decided" if trial.over else f"of {trial.most} at most"
