"""Rehearsals: who plays in one, what is found in its games, and what a host is advised."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from docs.pages import table
from sternhalma_server import cli
from sternhalma_server.settings import Settings, settings_of
from sternhalma_server.testing import (
    MemoryServer,
    Script,
    ScriptedPeer,
    first_moves,
    memory_server,
    remote_event,
    silent,
)
from sternhalma_server.testing.house_bots import HOUSE_BOTS, memory_door, misbehave
from sternhalma_server.testing.rehearsal import (
    Field,
    Findings,
    RehearsalError,
    advice_for,
    field_of,
)
from sternhalma_tournament.formats import scheduler_of
from sternhalma_tournament.scores import GameResult

KINDS = tuple(HOUSE_BOTS)
LOCAL = """
name = "club"
rules = "tara"
players = 2
clock = "2s"
parallel = 3
tries = 1
format = "swiss"
rounds = 2
budgets = { login = "3s" }
bots = [
    { name = "zoe", command = "python zoe.py" },
    { name = "max", command = "python max.py" },
    { name = "ida", command = "python ida.py" },
]
"""


def settings(text: str = LOCAL) -> Settings:
    return settings_of(text.encode(), "event.toml", Path("somewhere"))


def field(text: str = LOCAL, games: int = 1, kinds: Collection[str] = KINDS) -> Field:
    return field_of(settings(text), games, kinds, Path("diaries"))


def meetings(played: Field) -> list[tuple[str, ...]]:
    """The entries of every game."""
    scheduler = scheduler_of(played.settings.event)
    games: list[tuple[str, ...]] = []
    free = {bot.name: 64 for bot in played.settings.event.bots}
    while (pairing := scheduler.next(free)) is not None:
        seats = len(pairing.entries)
        nobody = (None,) * seats
        scheduler.start(pairing)
        scheduler.finish(
            GameResult(pairing.number, pairing.entries, (1,) * seats, nobody, "share", 1)
        )
        games.append(pairing.entries)
    return games


def test_all_that_says_how_long_bots_are_waited_for_is_kept() -> None:
    before, after = settings(), field().settings
    for name in ("rules", "terms", "control", "lag", "waits", "parallel", "folder", "sides"):
        assert getattr(after, name) == getattr(before, name)
    for name in ("clock", "limit", "tries", "draws", "opening", "seed", "limits", "budgets"):
        assert getattr(after.event, name) == getattr(before.event, name)


@pytest.mark.parametrize("games", [1, 2, 5])
def test_each_misbehaviour_plays_as_many_games_as_asked_and_meets_honest_bots_only(
    games: int,
) -> None:
    played = field(games=games)
    found = meetings(played)
    for name in played.house:
        assert sum(name in entries for entries in found) >= games
    assert all(sum(entry in played.house for entry in entries) <= 1 for entries in found)
    assert any(played.house.keys().isdisjoint(entries) for entries in found)


def test_the_event_s_own_programs_are_the_honest_ones() -> None:
    played = field(games=2)
    assert played.honest == ("zoe", "max", "ida")
    bots = {bot.name: bot for bot in played.settings.event.bots}
    assert bots["max"] == settings().bot("max")
    assert not any(bots[name].remote for name in played.house)
    assert played.tokens == {}


def test_where_bots_dial_in_the_house_bots_do_and_samples_are_honest() -> None:
    played = field(remote_event("zoe", "greedy", "house-silent"))
    assert played.honest == ("greedy-2", "random")
    assert "house-silent" not in played.house
    assert played.house["house-silent-2"] == "silent"
    for name in played.house:
        bot = played.settings.bot(name)
        assert bot.remote
        assert bot.token is not None
        assert played.tokens[name] not in bot.token


@pytest.mark.parametrize(("rules", "players"), [("corner", 3), ("corner", 6), ("tara", 4)])
def test_there_are_enough_honest_bots_for_every_table(rules: str, players: int) -> None:
    text = remote_event("zoe", *"abcdef").replace('"duel"', f'"{rules}"')
    played = field(text.replace("players = 2", f"players = {players}"))
    for entries in meetings(played):
        assert len(set(entries)) == players
        assert len(played.house.keys() & set(entries)) <= 1


def test_a_house_bot_is_its_own_partner_where_pairs_are_named() -> None:
    text = LOCAL.replace("players = 2", "players = 4").replace('"tara"', '"corner+pairs"')
    text = text.replace('format = "swiss"\nrounds = 2\n', "")
    text = text.replace("bots = [", 'bots = [\n    { name = "eva", command = "python eva.py" },')
    text += 'pairs = [{ name = "p", bots = ["zoe", "max"] }, { name = "q", bots = ["ida", "eva"] }]'
    played = field(text)
    assert played.needs == 2
    assert {pair.name for pair in played.settings.event.pairs} == {"p", "q", *played.house}
    assert all(len(entries) == 2 for entries in meetings(played))


def test_without_a_clock_nobody_is_seated_whom_only_a_clock_would_end() -> None:
    played = field(LOCAL.replace('"2s"', '"none"'))
    assert played.endless == ("silent", "late", "deaf")
    assert not {"silent", "late", "deaf"} & set(played.house.values())
    assert not Findings(played).good


def test_a_rehearsal_of_nothing_but_the_endless_is_refused() -> None:
    with pytest.raises(RehearsalError, match="without a clock, got silent, deaf"):
        field(LOCAL.replace('"2s"', '"none"'), kinds=["silent", "deaf"])


@pytest.mark.parametrize(("clock", "least"), [("2s", 4), ("60s+1s", 120)])
def test_how_long_it_will_take_follows_from_the_settings(clock: str, least: float) -> None:
    played = field(
        LOCAL.replace('"2s"', f'"{clock}"'), kinds=["silent", "late", "illegal"], games=2
    )
    assert least <= played.seconds <= 2 * least + 10


async def found(kinds: dict[str, str], scripts: dict[str, Script] | None = None) -> Findings:
    """What is found where bots called as the first of *kinds* do the second; `random` is honest.

    Who is in *scripts* does what is said there instead.
    """
    findings = Findings(field(remote_event("zoe", "max"), kinds=kinds.values()))
    findings.verdicts = dict(zip(kinds, findings.verdicts.values(), strict=True))
    findings.opened()
    event = remote_event("random", *kinds, limit=4, budgets={"ready": "3s", "login": "1s"})
    async with memory_server(event) as server, trio.open_nursery() as nursery:
        await server.seat("random", (scripts or {}).get("random", first_moves))
        for name, kind in kinds.items():
            script = (scripts or {}).get(name)
            if script is None:
                nursery.start_soon(misbehave, kind, memory_door(server, name))
            else:
                await server.seat(name, script)
        findings.complete = (await server.ended()).complete
        nursery.cancel_scope.cancel()
    tell(findings, server)
    return findings


def tell(findings: Findings, server: MemoryServer) -> None:
    for begun in server.tables:
        findings.begun(begun)
    for game in server.games:
        if set(game.table.bots) & findings.verdicts.keys() != set(game.table.bots):
            findings.add(game)


async def test_where_each_gets_its_own_verdict_all_is_good(autojump_clock: MockClock) -> None:
    findings = await found({"a": "silent", "b": "illegal", "c": "reconnecter", "d": "drip"})
    assert findings.good
    verdicts = {its.kind: dict(its.reasons) for its in findings.verdicts.values()}
    assert verdicts == {
        "silent": {"time": 1},
        "illegal": {"illegal": 1},
        "reconnecter": {"none": 1},
        "drip": {"no-start": 1},
    }
    silent_ = findings.verdicts["a"]
    assert silent_.longest == pytest.approx(2.25, abs=0.1)


async def test_another_verdict_than_its_own_is_wrong(autojump_clock: MockClock) -> None:
    findings = await found({"a": "illegal"}, {"a": silent})
    assert not findings.verdicts["a"].right
    assert not findings.good


async def test_a_misbehaviour_without_a_verdict_is_wrong(autojump_clock: MockClock) -> None:
    findings = await found({"a": "illegal"}, {"a": first_moves})
    assert dict(findings.verdicts["a"].reasons) == {"none": 1}
    assert not findings.good


async def test_a_misbehaviour_that_was_not_played_is_not_good(autojump_clock: MockClock) -> None:
    findings = await found({"a": "illegal"})
    findings.verdicts["b"] = type(findings.verdicts["a"])("silent")
    assert not findings.good


async def test_an_honest_bot_that_forfeits_is_named(autojump_clock: MockClock) -> None:
    async def gone(peer: ScriptedPeer) -> None:
        await peer.find("turn ...")
        await peer.send("bye")

    findings = await found({"a": "reconnecter"}, {"random": gone})
    assert findings.forfeits == [("random", "1", "disconnect")]
    assert not findings.good
    assert findings.facts()["forfeits"] == [{"bot": "random", "game": "1", "reason": "disconnect"}]


def advice(text: str, kinds: Collection[str] = KINDS) -> str:
    return "\n".join(advice_for(settings(text), Findings(field(text, kinds=kinds))))


def test_sane_settings_need_no_advice() -> None:
    assert advice(LOCAL) == ""


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ('"2s"', '"5m"', "one silent bot holds up a game for 5 min"),
        ('"2s"', '"90s+1s"', "one silent bot holds up a game for 90 s"),
        ('"2s"', '"none"', "nothing ends a game with a bot that does not answer"),
        ('login = "3s"', 'start = "2m"', "does not log in holds up a game for 2 min"),
        ("parallel = 3", "parallel = 1\n\n", "one game is played at a time"),
    ],
)
def test_what_lets_one_bot_hold_up_the_others_is_told(
    before: str, after: str, sentence: str
) -> None:
    text = LOCAL.replace(before, after).replace('login = "3s"', 'login = "9s"')
    assert sentence in advice(text)


def test_names_that_anybody_can_take_are_told() -> None:
    assert "zoe, max have no token" in advice(remote_event("zoe", "max"))


def test_a_long_budget_of_those_who_dial_in_is_told() -> None:
    text = remote_event("zoe", "max", clock="10m", budgets={"ready": "7m", "reconnect": "6m"})
    told = advice(text)
    assert (
        "a bot that goes away in its turn holds up a game for 6 min: see budgets.reconnect" in told
    )
    assert "a bot that does not come holds up a game for 7 min: see budgets.ready" in told


TINY = """
name = "tiny"
rules = "duel"
players = 2
clock = "2s"
limit = 2
parallel = 2
budgets = { reconnect = "3s", ready = "12s", login = "3s" }
"""
PROGRAMS = """bots = [
    { name = "a", command = "sternhalma-bot random" },
    { name = "b", command = "sternhalma-bot greedy" },
]
"""
REMOTE = """bots = [{ name = "a", remote = true }, { name = "b", remote = true }]
"""


@pytest.mark.parametrize(
    ("bots", "kinds"),
    [(PROGRAMS, "illegal,crasher,babbler"), (REMOTE, "crasher,drip,reconnecter")],
)
def test_a_rehearsal_plays_programs_and_bots_that_dial_in_and_leaves_no_results(
    bots: str,
    kinds: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    event = tmp_path / "tiny.toml"
    event.write_text(TINY + bots)
    assert cli.main(["rehearse", str(event), "--only", kinds, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["good"]
    assert list(facts["misbehaviour"]) == kinds.split(",")
    assert all(its["right"] for its in facts["misbehaviour"].values())
    assert facts["games"] == 4
    assert [path.name for path in tmp_path.iterdir()] == ["tiny.toml"]


def test_an_honest_bot_that_is_none_makes_the_rehearsal_fail(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    event = tmp_path / "tiny.toml"
    event.write_text(TINY + PROGRAMS.replace("sternhalma-bot greedy", "false"))
    assert cli.main(["rehearse", str(event), "--only", "illegal"]) == 1
    printed = capsys.readouterr()
    assert "b forfeited game" in printed.out
    assert "not every misbehaviour was met as it should be" in printed.out
    assert "ended with status 1" in printed.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--only", "ilegal"], "unknown misbehaviour 'ilegal', did you mean illegal?"),
        (["--games", "0"], "expected a whole number from 1, got '0'"),
        (["--only", "deaf"], "expected misbehaviour that ends a game without a clock, got deaf"),
    ],
)
def test_a_rehearsal_that_cannot_be_held_is_refused_in_a_sentence(
    words: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    event = tmp_path / "tiny.toml"
    event.write_text(TINY.replace('"2s"\nlimit', '"none"\nlimit') + PROGRAMS)
    assert cli.main(["rehearse", str(event), *words]) == 2
    assert sentence in capsys.readouterr().err


def test_the_page_names_every_house_bot_with_its_verdict() -> None:
    rows = table("docs/rehearsal.md", "## The house bots")
    assert [(row[0].strip("`"), row[1]) for row in rows] == [
        (kind, its.summary) for kind, its in HOUSE_BOTS.items()
    ]
    for kind, _, verdict in rows:
        own = {str(reason) for reason in HOUSE_BOTS[kind.strip("`")].verdicts} or {"none"}
        assert set(verdict.replace("`", "").split(" or ")) == own


def test_a_program_that_is_not_here_is_refused_before_the_rehearsal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cup.toml"
    path.write_text(LOCAL.replace("python zoe.py", "sternhalma-bto greedy"), encoding="utf-8")
    assert cli.main(["rehearse", str(path)]) == 2
    assert capsys.readouterr().err == (
        f"sternhalma rehearse: {path}: bots[1].command: cannot start 'sternhalma-bto': expected a"
        " program on the path, found none; did you mean 'sternhalma-bot'?\n"
    )
