"""A server to practise against, over real sockets and with real programs in the other seats."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing

import pytest
import trio

from sternhalma_server import cli
from sternhalma_server.listener import Listener
from sternhalma_server.practice import Terms, practice_settings, practise
from sternhalma_server.testing import ScriptedPeer, dial

DUEL = Terms(rules="duel", against="random", clock="none", limit=3)


@asynccontextmanager
async def practice(terms: Terms, told: list[str]) -> AsyncGenerator[Listener, None]:
    listener = Listener("127.0.0.1", 0)
    with trio.fail_after(30):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(practise, practice_settings(terms), listener, told.append)
            yield listener
            nursery.cancel_scope.cancel()


async def peer(listener: Listener) -> ScriptedPeer:
    return ScriptedPeer(await dial(listener.host, listener.port), patience=20)


async def test_an_unknown_name_plays_game_after_game_from_each_seat_in_turn() -> None:
    async with practice(DUEL, []) as listener:
        with closing(await peer(listener)) as zoe:
            await zoe.login("nobody-knows-me")
            for number, seat in ((1, "A"), (2, "D"), (3, "A")):
                game = await zoe.find("game ...")
                assert game.split(" ")[:4] == ["game", str(number), "duel", seat]
                while not (line := await zoe.receive()).startswith("over"):
                    if line.startswith("turn"):
                        await zoe.answer(line)
                assert line.startswith(f"over {number} share places=A:1,D:1")


async def test_a_wrong_answer_is_forgiven_and_explained_to_both() -> None:
    told: list[str] = []
    async with practice(DUEL, told) as listener:
        with closing(await peer(listener)) as zoe:
            await zoe.login("zoe")
            await zoe.find("turn 1 1 ...")
            await zoe.send("move 1 1 c5-e7-g9")
            reason = "c5-e7-g9: hop 2, e7-g9: there is no marble on f8 to hop over"
            await zoe.expect(f"error illegal tries=... {reason}")
            await zoe.send("move 1 1 c5-e7")
            await zoe.expect("moved 1 1 A c5-e7 ...")
    head = "game 1, A zoe, ply 1, illegal: move 1 1 c5-e7-g9"
    assert f"{head}\n  {reason}\n  the marble on c5 may go to e5, e7" in told


async def test_a_path_too_long_to_be_quoted_is_explained_as_it_was_sent() -> None:
    told: list[str] = []
    path = "-".join(["d5", *["e5", "d5"] * 60])
    async with practice(DUEL, told) as listener:
        with closing(await peer(listener)) as zoe:
            await zoe.login("zoe")
            await zoe.find("turn 1 1 ...")
            await zoe.send(f"move 1 1 {path}")
            await zoe.expect("error illegal ...")
    (explained,) = [text for text in told if "illegal" in text]
    assert "hop 1, d5-e5: a step cannot be part of a chain" in explained


async def test_two_guests_play_at_once_each_against_a_program_of_its_own() -> None:
    async with practice(Terms(rules="tara", players=3, against="random"), []) as listener:
        with closing(await peer(listener)) as zoe, closing(await peer(listener)) as max_:
            await zoe.login("zoe")
            await max_.login("max")
            for guest in (zoe, max_):
                assert "house-1,E:house-2" in await guest.find("game ...")
            for guest in (zoe, max_):
                await guest.answer(await guest.find("turn ..."))
                await guest.find("moved ... A ...")


async def test_the_names_of_the_house_are_taken() -> None:
    async with practice(DUEL, []) as listener:
        with closing(await peer(listener)) as zoe:
            await zoe.send("login House-1")
            assert (await zoe.end())[-1].startswith("bye bad-token ")


async def test_an_opponent_that_does_not_start_ends_the_practice_of_the_guest_and_is_told() -> None:
    told: list[str] = []
    terms = Terms(rules="duel", against="python -c 'raise SystemExit(\"no book\")'")
    async with practice(terms, told) as listener:
        with closing(await peer(listener)) as zoe:
            await zoe.login("zoe")
            assert (await zoe.end())[-1].startswith("bye server-stops the bots of this practice")
    assert any("no book" in text for text in told)


async def test_a_practice_of_so_many_games_ends_when_they_are_over() -> None:
    told: list[str] = []
    listener = Listener("127.0.0.1", 0)
    with trio.fail_after(30):
        async with trio.open_nursery() as nursery:
            settings = practice_settings(DUEL)
            nursery.start_soon(practise, settings, listener, told.append, 2)
            with closing(await peer(listener)) as zoe:
                await zoe.login("zoe")
                last = ""
                while not last.startswith("bye "):
                    last = await zoe.receive()
                    if last.startswith("turn"):
                        await zoe.answer(last)
    assert last == "bye event-over all games of the practice are over"
    over = [text for text in told if " over by " in text]
    assert [text.split(" over ")[0] for text in over] == ["game 1", "game 2"]
    assert not any(text.startswith("game 3") for text in told)


async def test_a_guest_that_leaves_is_said_to_have_gone() -> None:
    told: list[str] = []
    async with practice(DUEL, told) as listener:
        with closing(await peer(listener)) as zoe:
            await zoe.login("zoe")
            await zoe.find("turn 1 1 ...")
            await zoe.send("bye")
            await zoe.end()
        while "zoe (slot 1) has gone" not in told:
            await trio.sleep(0.01)
    assert told[1] == "zoe (slot 1) is here"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--rules", "chess"], "expected a rules id tara, duel, corner, halma13 or halma19"),
        (["--players", "5"], "expected 2, 3, 4 or 6 players"),
        (["--clock", "soon"], "clock"),
        (["--against", "./no-such-bot x"], "cannot start './no-such-bot'"),
        (["--against", ""], "practice: "),
        (["--against", "'"], "No closing quotation"),
    ],
)
def test_what_cannot_be_practised_is_said_with_status_2(
    words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["practice", *words]) == 2
    assert sentence in capsys.readouterr().err


async def test_a_game_with_moves_taken_back_goes_on_from_there_under_a_new_id() -> None:
    told: list[str] = []
    terms = Terms(rules="duel", against="random", clock="60s+1s")
    async with practice(terms, told) as listener:
        with closing(await peer(listener)) as zoe:
            await zoe.login("zoe")
            await zoe.find("game 1 duel A ... draws=yes undo=yes")
            await zoe.answer(await zoe.find("turn 1 1 ..."))
            await zoe.answer(third := await zoe.find("turn 1 3 ..."))
            await zoe.find("turn 1 5 ...")
            await zoe.send("undo 1 3")
            await zoe.expect("over 1 aborted places=A:0,D:0")
            await zoe.expect("game 2 duel A ... undo=yes")
            again = await zoe.receive()
            assert again.split(" ")[4:10] == third.split(" ")[4:10]
            assert again.split(" ")[:3] == ["turn", "2", "3"]
            await zoe.answer(again)
            await zoe.find("turn 2 5 ...")
            await zoe.send("undo 2 1")
            await zoe.find("game 3 duel A ...")
            await zoe.expect("turn 3 1 60000 ...")
            await zoe.send("resign 3")
            await zoe.find("game 4 duel D ...")
    assert "game 1 over by aborted after ply 4" in told
    assert "game 2 goes on from ply 3: A zoe, D house-1" in told


@pytest.mark.parametrize("times", [2, 3])
async def test_an_undo_said_again_right_behind_is_stale_and_does_no_harm(times: int) -> None:
    terms = Terms(rules="duel", against="random", clock="none")
    async with practice(terms, []) as listener:
        with closing(await peer(listener)) as zoe:
            await zoe.login("zoe")
            await zoe.answer(await zoe.find("turn 1 1 ..."))
            await zoe.find("turn 1 3 ...")
            # In one write, so that the server has all of them before the game that goes on begins.
            await zoe.send("\n".join(["undo 1 1"] * times))
            heard = [await zoe.receive()]
            while not heard[-1].startswith("turn 2 1 ") or len(heard) < times + 2:
                heard.append(await zoe.receive())
            await zoe.send("move 2 1 d5-e5")
            heard.append(await zoe.receive())
    assert [" ".join(line.split(" ")[:2]) for line in heard if line[:2] in {"no", "er"}] == (
        ["note stale"] * (times - 1)
    )
    assert heard[-1].startswith("moved 2 1 A d5-e5 ")


async def test_a_wrong_answer_is_explained_by_the_game_that_goes_on() -> None:
    told: list[str] = []
    async with practice(Terms(rules="duel", against="random", clock="none"), told) as listener:
        with closing(await peer(listener)) as zoe:
            await zoe.login("zoe")
            await zoe.find("turn 1 1 ...")
            await zoe.send("move 1 1 d5-e5")
            await zoe.find("turn 1 3 ...")
            await zoe.send("move 1 3 e5-f5")
            await zoe.find("turn 1 5 ...")
            await zoe.send("undo 1 3")
            await zoe.find("turn 2 3 ...")
            await zoe.send("move 2 3 d5-e5")
            await zoe.find("error illegal ...")
    (explained,) = [text for text in told if "illegal" in text]
    assert explained.startswith("game 2, A zoe, ply 3, illegal: move 2 3 d5-e5\n")


def test_a_sample_bot_that_is_none_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["practice", "--against", "greedi"]) == 2
    assert "unknown sample bot 'greedi', did you mean greedy?" in capsys.readouterr().err
