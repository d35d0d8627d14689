"""The games of a store as ratings want them: versions, rulings, pairs, and who did not come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from server.kept import CUP, TRIO, Link, games_of, keep_store, played
from sternhalma_server.archive import STORE
from sternhalma_server.outcome import format_outcome, outcome_of
from sternhalma_server.rated import ANNULLED, EXPUNGED, VOID, RatedGame, rated_games
from sternhalma_server.record import Out, Record, format_record
from sternhalma_server.store import Decision, FinishedGame, Store, StoreError
from sternhalma_server.verdict import Reason
from sternhalma_tournament.amendments import (
    Amendment,
    Annulment,
    Correction,
    Expunging,
    format_amendment,
)

GAMES = games_of(CUP)  # six games of two


def rated(root: Path, source: bytes, links: Sequence[Link]) -> list[RatedGame]:
    keep_store(root, source, links)
    with Store.read(root / STORE) as store:
        (event,) = store.events()
        return list(rated_games(store, [event.name]))


def ruled(ruling: Amendment) -> Decision:
    return Decision("ruling", format_amendment(ruling))


def missed(record: Record, bot: str, version: str | None = None) -> Record:
    """*record*, to which *bot* did not come."""
    seat = next(player.seat for player in record.players if player.bot == bot)
    return replace(
        record,
        players=tuple(
            replace(p, version=version if p.bot == bot else p.version) for p in record.players
        ),
        happened=(Out(seat, Reason.NO_START, 1),),
        reason=Reason.NO_START,
        places=tuple(2 if p.bot == bot else 1 for p in record.players),
    )


def test_sides_carry_the_versions_that_played(tmp_path: Path) -> None:
    games = rated(tmp_path, CUP, played(CUP))
    assert len(games) == 6
    assert {side for game in games for side in game.sides} == {"zoe@3.0", "max@3.0", "Ida@3.0"}
    for game in games:
        record = GAMES[game.number - 1]
        assert game.sides == tuple(f"{p.entry}@{p.version}" for p in record.players)
        assert (game.places, game.event, game.rules, game.players) == (
            record.places,
            "cup",
            "corner",
            2,
        )


def test_a_game_of_three_has_three_sides(tmp_path: Path) -> None:
    assert {len(game.sides) for game in rated(tmp_path, TRIO, played(TRIO))} == {3}


def test_a_pair_is_one_side_with_the_versions_of_both(tmp_path: Path) -> None:
    bots = ", ".join(f'{{ name = "{name}", remote = true }}' for name in ("a", "bb", "c", "d"))
    pairs = '{ name = "x", bots = ["a", "bb"] }, { name = "y", bots = ["c", "d"] }'
    source = (
        'name = "duos"\nrules = "corner+pairs"\nplayers = 4\nclock = "2s"\nlimit = 2\n'
        f"bots = [{bots}]\npairs = [{pairs}]\n"
    ).encode()
    record = Record(
        event="duos",
        game=1,
        rules="corner+pairs",
        limit=2,
        at_limit="share",
        clock="2s",
        players=tuple(
            replace(GAMES[0].players[0], seat=seat, bot=bot, version=version, entry=entry)
            for seat, bot, version, entry in (
                ("A", "a", "1.0", "x"),
                ("B", "c", None, "y"),
                ("D", "bb", "2.0", "x"),
                ("E", "d", None, "y"),
            )
        ),
        start=GAMES[0].start,
        happened=(),
        reason=Reason.GOAL,
        places=(1, 2, 1, 2),
        ply=9,
        final=GAMES[0].final,
    )
    (game,) = rated(tmp_path, source, [record])
    assert (game.sides, game.places, game.players) == (("x@1.0+2.0", "y"), (1, 2), 4)


def test_rulings_count(tmp_path: Path) -> None:
    links: list[Link] = [
        *GAMES,
        ruled(Correction(reason="wrong", number=1, places=(2, 1))),
        ruled(Annulment(reason="power cut", number=2)),
    ]
    games = rated(tmp_path, CUP, links)
    assert GAMES[0].places == (1, 1)
    assert games[0].places == (2, 1)
    assert [game.left_out for game in games] == [None, ANNULLED, None, None, None, None]


def test_an_expunged_entry_is_in_no_game_that_is_rated(tmp_path: Path) -> None:
    games = rated(tmp_path, CUP, [*GAMES, ruled(Expunging(reason="two programs", entry="max"))])
    assert {game.left_out for game in games if "max@3.0" in game.sides} == {EXPUNGED}
    assert [game.left_out for game in games if "max@3.0" not in game.sides] == [None, None]


def test_a_void_game_is_told_and_left_out(tmp_path: Path) -> None:
    void = replace(GAMES[0], reason=Reason.ABORTED, places=(0, 0))
    assert [game.left_out for game in rated(tmp_path, CUP, [void, *GAMES[1:]])] == [VOID] + [
        None
    ] * 5


@pytest.mark.parametrize("order", [1, -1])
def test_who_did_not_come_is_rated_as_the_version_that_came_otherwise(
    tmp_path: Path, order: int
) -> None:
    bot = GAMES[0].players[0].bot
    links = [missed(GAMES[0], bot), *GAMES[1:]][::order]
    games = {game.number: game for game in rated(tmp_path, CUP, links)}
    assert len(games) == 6
    assert f"{bot}@3.0" in games[1].sides
    assert games[1].forfeited
    assert not games[2].forfeited


def test_who_never_came_is_rated_without_a_version(tmp_path: Path) -> None:
    links = [missed(game, "max") if "max" in str(game.players) else game for game in GAMES]
    games = rated(tmp_path, CUP, links)
    assert {side for game in games for side in game.sides} == {"zoe@3.0", "max", "Ida@3.0"}


def test_outcomes_that_are_stored_say_the_same_as_records(tmp_path: Path) -> None:
    told = rated(tmp_path / "records", CUP, GAMES)
    (tmp_path / "outcomes").mkdir()
    with Store.open(tmp_path / "outcomes" / STORE) as store:
        event = store.add_event("cup", CUP)
        for game in GAMES:
            outcome = format_outcome(outcome_of(game))
            store.write(event, "", [FinishedGame(game.game, format_record(game), "", outcome)])
        assert list(rated_games(store, ["cup"])) == told


def test_an_event_that_the_store_does_not_hold_is_refused(tmp_path: Path) -> None:
    keep_store(tmp_path, CUP, [])
    with (
        Store.read(tmp_path / STORE) as store,
        pytest.raises(StoreError, match="expected an event of the store, got 'cap'"),
    ):
        list(rated_games(store, ["cap"]))
