"""The hash chain: whoever keeps its head can tell that nothing before it was changed."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sternhalma_server.store import Decision, EventId, FinishedGame, Store

SOURCE = b'name = "cup"\n'


def sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def played(path: Path) -> Store:
    """A store with an event of two games, an amendment and a third game."""
    store = Store.open(path)
    cup = store.add_event("cup", SOURCE)
    store.write(cup, "", [FinishedGame(1, "record 1\n", "a"), FinishedGame(2, "record 2\n", "b")])
    store.amend(cup, "withdrawn", "max")
    store.write(cup, "", [FinishedGame(3, "record 3\n", "c")])
    return store


def edited(path: Path, *statements: str) -> list[str]:
    """What is found in a played store after somebody who means it has edited it."""
    played(path).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TRIGGER game_is_final")
        connection.execute("DROP TRIGGER amendment_is_final")
        for statement in statements:
            connection.execute(statement)
    with Store.read(path) as store:
        return store.check_chain(EventId(1))


def test_the_head_without_results_is_the_digest_of_the_event_file(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s") as store:
        cup = store.add_event("cup", SOURCE)
        assert store.head(cup) == sha256(SOURCE).hex()


def test_the_chain_can_be_followed_with_sha256_alone(tmp_path: Path) -> None:
    link = sha256(SOURCE)
    values: list[str] = []
    for text in (b"record 1\n", b"record 2\n", b"amend withdrawn\nmax", b"record 3\n"):
        link = sha256(link + sha256(text))
        values.append(link.hex())
    with played(tmp_path / "s") as store:
        cup = EventId(1)
        games = list(store.finished_games(cup))
        assert [game.chain for game in games] == [values[0], values[1], values[3]]
        assert [game.digest for game in games] == [
            sha256(game.record.encode()).hex() for game in games
        ]
        assert [amendment.chain for amendment in store.amendments(cup)] == [values[2]]
        assert store.head(cup) == values[3]


def test_results_are_chained_in_the_order_in_which_they_are_given(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s") as store:
        cup = store.add_event("cup", SOURCE)
        one, two = (FinishedGame(number, f"record {number}\n", "") for number in (1, 2))
        store.write(cup, "", [one, Decision("withdrawn", "max"), two])
        assert [game.place for game in store.finished_games(cup)] == [1, 3]
        assert [amendment.place for amendment in store.amendments(cup)] == [2]
        assert store.check_chain(cup) == []


def test_the_chain_goes_on_when_a_store_is_opened_again(tmp_path: Path) -> None:
    played(tmp_path / "s").close()
    with Store.open(tmp_path / "s") as store:
        before = store.head(EventId(1))
        store.write(EventId(1), "", [FinishedGame(4, "record 4\n", "d")])
        right = sha256(bytes.fromhex(before) + sha256(b"record 4\n")).hex()
        assert store.head(EventId(1)) == right
        assert store.check_chain(EventId(1)) == []


def test_an_untouched_store_has_no_problems(tmp_path: Path) -> None:
    assert edited(tmp_path / "s") == []


def test_the_same_games_in_another_order_have_another_head(tmp_path: Path) -> None:
    heads: set[str] = set()
    for name, order in (("a", (1, 2)), ("b", (2, 1))):
        with Store.open(tmp_path / name) as store:
            cup = store.add_event("cup", SOURCE)
            for number in order:
                store.write(cup, "", [FinishedGame(number, f"record {number}\n", "")])
            heads.add(store.head(cup))
    assert len(heads) == 2


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("UPDATE game SET record = 'other' WHERE number = 2", "game 2: expected digest"),
        ("UPDATE game SET digest = chain WHERE number = 1", "game 1: expected digest"),
        ("UPDATE game SET chain = digest WHERE number = 3", "game 3: expected place 4 and value"),
        ("DELETE FROM game WHERE number = 1", "game 2: expected place 1"),
        ("DELETE FROM amendment", "game 3: expected place 3"),
        ("UPDATE amendment SET text = 'zoe'", "amendment: expected place 3 and value"),
        ("UPDATE amendment SET place = 5", "game 3: expected place 3"),
        ("UPDATE event SET source = x'00'", "event cup: expected the digest"),
        ("UPDATE event SET source = x'00'", "game 1: expected place 1 and value"),
    ],
)
def test_an_edit_is_named(tmp_path: Path, statement: str, named: str) -> None:
    assert any(problem.startswith(named) for problem in edited(tmp_path / "s", statement))


def test_one_edited_record_is_one_problem(tmp_path: Path) -> None:
    problems = edited(tmp_path / "s", "UPDATE game SET record = 'other' WHERE number = 1")
    assert len(problems) == 1


def test_a_record_edited_along_with_its_digest_breaks_the_chain(tmp_path: Path) -> None:
    digest = sha256(b"other").hex()
    change = f"UPDATE game SET record = 'other', digest = '{digest}' WHERE number = 2"
    (problem,) = edited(tmp_path / "s", change)
    assert problem.startswith("game 2: expected place 2 and value")


def test_who_takes_the_last_results_away_is_found_by_whoever_kept_the_head(tmp_path: Path) -> None:
    with played(tmp_path / "a") as store:
        head = store.head(EventId(1))
    assert edited(tmp_path / "b", "DELETE FROM game WHERE number = 3") == []
    with Store.read(tmp_path / "b") as store:
        assert store.head(EventId(1)) != head
