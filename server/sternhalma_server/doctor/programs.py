"""Whether the programs of a file are here, and can be shut in where it says so."""

from __future__ import annotations

from collections.abc import Iterator

from sternhalma_server.doctor.demand import Demand
from sternhalma_server.doctor.finding import Finding, bad, good, note
from sternhalma_server.lookup import ProgramError, find_program
from sternhalma_server.sandbox import sandbox_problem
from sternhalma_tournament.text import counted


def examine(demand: Demand) -> Iterator[Finding]:
    """Find out whether the programs of *demand* can run."""
    yield sandbox(sandbox_problem(), wanted=any(bot.sandbox for bot in demand.bots))
    missing = False
    for bot in demand.programs:
        try:
            find_program(bot.argv[0], demand.folder)
        except ProgramError as problem:
            missing = True
            yield bad("programs", f"{bot.name}: {problem}", "the program, or another command")
    if demand.programs and not missing:
        yield good("programs", f"here, of {counted(len(demand.programs), 'bot')}")


def sandbox(problem: str | None, *, wanted: bool) -> Finding:
    """Whether a sandbox works, which *problem* says, where one is *wanted* or not."""
    if problem is None:
        return good("sandbox", "works")
    advice = "bubblewrap, and user namespaces that are not switched off"
    return (bad if wanted else note)("sandbox", problem, advice)
