"""Tables of people: opened by orders, played over real sockets by plain clients."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import AsyncExitStack, ExitStack, closing
from socket import socketpair
from typing import Any

import pytest
import trio

from server.at_tables import Host, tables
from sternhalma_server.tables.room import Limits
from sternhalma_server.testing import ScriptedPeer

Told = dict[str, Any]


async def sit_all(host: Host, opened: Told, stack: AsyncExitStack) -> list[ScriptedPeer]:
    """Plain clients in all seats for people."""
    peers = [await host.sit(person) for person in opened["people"]]
    for peer in peers:
        stack.enter_context(closing(peer))
    return peers


async def test_a_person_plays_a_whole_game_against_a_sample_bot() -> None:
    async with tables() as host:
        opened = await host.open("person", "random", limit=3)
        assert opened["limit"] == 3
        with closing(await host.sit(opened["people"][0])) as zoe:
            name = opened["people"][0]["name"]
            await zoe.find(
                f"game {opened['table']}/1 duel A seats=A:{name},D:random limit=3 ... undo=yes"
            )
            while not (line := await zoe.receive()).startswith("over"):
                if line.startswith("turn"):
                    await zoe.answer(line)
            assert line.startswith(f"over {opened['table']}/1 share places=A:1,D:1")


async def test_the_game_begins_when_all_people_are_there_and_another_moves_everybody_on() -> None:
    async with tables() as host, AsyncExitStack() as stack:
        opened = await host.open("person", "person")
        zoe = stack.enter_context(closing(await host.sit(opened["people"][0])))
        await zoe.send("why")
        await zoe.expect("why the game begins as soon as everybody is at the table")
        assert (await host.order("again", table=opened["table"]))["error"].startswith("expected")
        max_ = stack.enter_context(closing(await host.sit(opened["people"][1])))
        await zoe.find("game ...")
        await max_.find("game .../1 duel D ...")
        await zoe.find("turn ...")
        await zoe.send(f"resign {opened['table']}/1")
        await max_.find("over .../1 resign places=A:2,D:1 ...")
        while "error" in await host.order("again", table=opened["table"]):
            await trio.sleep(0.01)  # the seats hear of the end before the table does
        await zoe.find("game .../2 duel D ...")
        await max_.find("game .../2 duel A ...")
        await max_.find("turn .../2 1 ...")


async def test_whoever_is_to_move_takes_back_a_move_of_somebody_else() -> None:
    async with tables() as host, AsyncExitStack() as stack:
        opened = await host.open("person", "person", "person", rules="tara")
        zoe, max_, ida = await sit_all(host, opened, stack)
        await zoe.answer(first := await zoe.find("turn .../1 1 ..."))
        await max_.answer(await max_.find("turn .../1 2 ..."))
        await ida.find("turn .../1 3 ...")
        await ida.send(f"undo {opened['table']}/1 1")
        for peer in (zoe, max_, ida):
            await peer.find("over .../1 aborted places=A:0,C:0,E:0")
            await peer.find("game .../2 tara ...")
        assert (await zoe.find("turn .../2 1 ...")).split(" ")[3:10] == first.split(" ")[3:10]


async def test_what_nobody_has_played_cannot_be_taken_back() -> None:
    async with tables() as host, AsyncExitStack() as stack:
        (zoe, _) = await sit_all(host, await host.open("person", "person"), stack)
        turn = await zoe.find("turn ...")
        await zoe.send(f"undo {turn.split(' ')[1]} 1")
        await zoe.expect("error illegal ...")
        await zoe.answer(turn)
        await zoe.find("moved .../1 1 A ...")


async def test_a_draw_is_offered_and_agreed_on_where_the_rules_have_one() -> None:
    async with tables() as host, AsyncExitStack() as stack:
        opened = await host.open("person", "person")
        zoe, max_ = await sit_all(host, opened, stack)
        await zoe.find("turn ...")
        await zoe.send(f"move {opened['table']}/1 1 d5-e5 draw=offer")
        await max_.find("offer .../1 A")
        await max_.find("turn .../1 2 ...")
        await max_.send(f"draw {opened['table']}/1 2")
        await zoe.find("over .../1 agreement places=A:1,D:1")


async def test_a_person_whose_connection_breaks_takes_the_same_seat_again() -> None:
    async with tables() as host, AsyncExitStack() as stack:
        opened = await host.open("person", "person")
        zoe, max_ = await sit_all(host, opened, stack)
        turn = await zoe.find("turn ...")
        zoe.close()
        again = stack.enter_context(closing(await host.sit(opened["people"][0])))
        await again.expect("game .../1 duel A ...")
        assert await again.find("turn ...") == turn
        await again.answer(turn)
        await max_.find("turn .../1 2 ...")


async def test_nobody_sits_down_without_the_token_of_the_seat() -> None:
    async with tables() as host:
        opened = await host.open("person", "random")
        name = opened["people"][0]["name"]
        with pytest.raises(AssertionError, match="bad-token"):
            await host.sit({"name": name, "token": "a-guess"})
        with pytest.raises(AssertionError, match="unknown-name"):
            await host.sit({"name": "somebody", "token": "a-guess"})


async def test_a_table_where_nothing_happens_is_closed() -> None:
    async with tables(Limits(idle=0.1)) as host:
        opened = await host.open("person", "person")
        assert await host.closed() == {
            "closed": opened["table"],
            "why": "nothing has happened here for 0.1 seconds",
        }
        with pytest.raises(AssertionError, match="unknown-name"):
            await host.sit(opened["people"][0])


async def test_a_table_that_is_closed_in_a_game_breaks_it_off() -> None:
    async with tables() as host, AsyncExitStack() as stack:
        opened = await host.open("person", "person", "random", rules="tara")
        zoe, max_ = await sit_all(host, opened, stack)
        await zoe.find("turn ...")
        assert "error" not in await host.order("close", table=opened["table"])
        for peer in (zoe, max_):
            assert (await peer.end())[-2:] == [
                f"over {opened['table']}/1 aborted places=A:0,C:0,E:0",
                "bye table-closed who opened it has closed it",
            ]
        assert (await host.closed())["closed"] == opened["table"]
        assert "error" in await host.order("close", table=opened["table"])


async def test_an_address_has_so_many_tables_open_and_no_more() -> None:
    async with tables(Limits(each=2, tables=3)) as host:
        opened = await host.open("person", "person")
        assert "table" in await host.open("person", "person")
        assert "from your address" in (await host.open("person", "person"))["error"]
        assert "table" in await host.open("person", "person", owner="192.0.2.2")
        assert "tables open" in (await host.open("person", "person", owner="192.0.2.3"))["error"]
        await host.order("close", table=opened["table"])
        await host.closed()
        assert "table" in await host.open("person", "person")


async def test_there_are_so_many_sample_bots_at_work_and_no_more() -> None:
    async with tables(Limits(samples=2)) as host:
        opened = await host.open("person", "random")
        refused = await host.open("person", "greedy", "random", rules="tara")
        assert "sample bots" in refused["error"]
        await host.order("close", table=opened["table"])
        await host.closed()
        assert "table" in await host.open("person", "greedy", "random", rules="tara")


async def test_a_sample_bot_plays_again_at_a_table_that_is_opened_later() -> None:
    async with tables() as host:
        for _ in range(2):
            opened = await host.open("person", "random")
            with closing(await host.sit(opened["people"][0])) as zoe:
                await zoe.answer(await zoe.find("turn .../1 1 ..."))
                await zoe.find("turn .../1 3 ...")
            await host.order("close", table=opened["table"])
            await host.closed()


async def test_a_hint_is_a_legal_move_and_one_after_the_other() -> None:
    start = "tara A/AA/AAA/AAAA/13/12/11/10/9/10/11/12/13/DDDD/DDD/DD/D A,D A 0,0 -"
    async with tables() as host:
        first = await host.order("hint", position=start)
        again = await host.order("hint", position=start)
        assert first["path"] == again["path"]
        assert first["path"].startswith(("a", "b", "c", "d"))


@pytest.mark.parametrize(
    ("order", "sentence"),
    [
        (b"hello", "expected a line with a JSON object"),
        (b"[]", "expected a line with a JSON object"),
        (b"[" * 60_000, "expected a line with a JSON object"),
        (b"{}", "order: expected open, again, close or hint, got None"),
        (b'{"order": "open"}', "seats: expected a list of 2 to 6"),
        (b'{"order": "again", "table": "t1"}', "table: expected one that is open"),
        (b'{"order": "hint", "position": "tara"}', "position: "),
        (b'{"order": "hint", "position": 7}', "position: "),
    ],
)
async def test_an_order_that_makes_no_sense_is_answered_and_the_next_is_followed(
    order: bytes, sentence: str
) -> None:
    async with tables() as host:
        await host.send(order + b"\n")
        assert (await host.receive())["error"].startswith(sentence)
        assert "table" in await host.open("person", "person")


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"seats": ["person", "nobody"]}, "seats: expected one of person, random, greedy"),
        ({"seats": ["person", ["person"]]}, "seats: expected one of person"),
        ({"seats": ["random", "random"]}, "seats: expected a person"),
        ({"seats": ["person"] * 7}, "seats: expected a list of 2 to 6"),
        ({"seats": ["person"] * 5, "rules": "tara"}, "players: expected 2, 3, 4 or 6"),
        ({"seats": ["person"]}, "players: "),
        ({"rules": 'duel"\nname = "x'}, "rules: expected "),
        ({"rules": "chess"}, "rules: expected a rules id"),
        ({"clock": "soon"}, "clock: expected a clock"),
        ({"clock": 60}, "clock: expected "),
        ({"limit": -1}, "limit: expected a number"),
        ({"limit": True}, "limit: expected a number"),
        ({"owner": ""}, "owner: expected "),
    ],
)
async def test_a_table_that_cannot_be_is_refused_with_what_would_be_right(
    keys: dict[str, Any], sentence: str
) -> None:
    async with tables() as host:
        asked: dict[str, Any] = {"owner": "192.0.2.1", "rules": "duel", "seats": ["person"] * 2}
        refused = await host.order("open", **{**asked, **keys})
        assert refused["error"].startswith(sentence)


def test_the_process_of_the_tables_ends_with_the_socket_of_its_orders() -> None:
    here, there = socketpair()
    with ExitStack() as stack:
        process = subprocess.Popen(
            [sys.executable, "-m", "sternhalma_server.tables", json.dumps({"each": 1})],
            stdin=there.fileno(),
        )
        stack.callback(process.wait, 30)
        stack.enter_context(here)
        there.close()
        lines = stack.enter_context(here.makefile("rb"))
        assert set(json.loads(lines.readline())) == {"host", "port", "samples"}
        asked = {"order": "open", "owner": "x", "rules": "duel", "seats": ["person", "person"]}
        for _ in range(2):
            here.sendall(json.dumps(asked).encode() + b"\n")
        assert "table" in json.loads(lines.readline())
        assert "from your address" in json.loads(lines.readline())["error"]
        os.kill(process.pid, signal.SIGINT)  # Ctrl-C reaches it too, and is not for it
        here.sendall(b"{}\n")
        assert "error" in json.loads(lines.readline())
    assert process.returncode == 0
