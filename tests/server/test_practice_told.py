"""What the host of a practice is told of a bot that does something odd, and the bot with it."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
import trio

from server.test_practice import DUEL, peer, practice
from sternhalma_server.clock import SECOND
from sternhalma_server.framing import Line
from sternhalma_server.practice import Terms, unsaid
from sternhalma_server.testing import ScriptedPeer, dial
from sternhalma_server.unkept import Flags

REPLACED = (
    "zoe (slot 1) logs in anew, without the key of its connection before:"
    " that one is ended, and its game with it"
)
STALE = (
    "game 1, A zoe: move 1 2 d5-e5\n"
    "  stale: the turn that waits is that of game 1, ply 1\n"
    "  an answer repeats the two words behind 'turn', and each turn is answered once"
)
HURRIED = Terms(rules="duel", against="random", clock="200ms", limit=3)
# It takes its seat, and then time.
IDLE = """
import os, socket
word = {key: os.environ["STERNHALMA_" + key] for key in ("HOST", "PORT", "NAME", "SLOT", "TOKEN")}
server = socket.create_connection((word["HOST"], int(word["PORT"])))
server.sendall("login {NAME} slot={SLOT} token={TOKEN}\\n".format(**word).encode())
while server.recv(4096):
    pass
"""


async def until_told(told: list[str], fits: Callable[[str], bool]) -> str:
    """The first sentence that *fits*, once it has been told."""
    while not (found := [text for text in told if fits(text)]):
        await trio.sleep(0.01)
    return found[0]


async def send(peer: ScriptedPeer, data: bytes) -> None:
    await peer.transport.wait_writable()
    peer.transport.send(data)


async def test_a_bot_that_is_started_again_takes_its_seat_at_once_and_all_are_told() -> None:
    told: list[str] = []
    async with practice(DUEL, told) as listener:
        with closing(await peer(listener)) as zoe, closing(await peer(listener)) as again:
            await zoe.login("zoe")
            await zoe.find("turn 1 1 ...")
            await again.send("login ZOE")
            await again.find("welcome zoe slot=1 ...")
            await again.find("game 2 duel D seats=A:house-1,D:zoe ...")
            await again.answer(await again.find("turn 2 2 ..."))
            assert (await zoe.end())[-1] == (
                "bye taken-over a bot of the same name and slot has logged in and begins anew"
            )
            await again.send("bye")
            await until_told(told, lambda text: text == "zoe (slot 1) has gone")
    assert [text for text in told if text.startswith("zoe (")] == [
        "zoe (slot 1) is here",
        REPLACED,
        "zoe (slot 1) is here",
        "zoe (slot 1) has gone",
    ]


async def test_a_bot_that_waits_between_games_is_replaced_as_well() -> None:
    told: list[str] = []
    terms = Terms(rules="duel", against="python -c 'import time; time.sleep(3600)'", clock="none")
    async with practice(terms, told) as listener:
        with closing(await peer(listener)) as zoe, closing(await peer(listener)) as again:
            await zoe.login("zoe")
            await again.login("zoe")
            assert (await zoe.end())[-1].startswith("bye taken-over a bot of the same name")
            await again.send("ping here")
            await again.expect("pong here")


async def test_a_connection_that_ends_in_a_turn_is_told_at_once_and_may_come_back() -> None:
    told: list[str] = []
    async with practice(DUEL, told) as listener:
        with closing(await peer(listener)) as zoe:
            await zoe.login("zoe")
            key = zoe.heard[-1].partition("key=")[2]
            await zoe.find("turn 1 1 ...")
        lost = await until_told(told, lambda text: text.startswith("zoe (slot 1), in its turn: "))
        assert lost.endswith(
            "; has it crashed?\n  it may come back within 30 s,"
            " as long as its clock has not run out"
        )
        with closing(await peer(listener)) as back:
            await back.login("zoe", f"key={key}")
            await back.find("turn 1 1 ...")
            await until_told(told, lambda text: text == "zoe (slot 1) is back")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("LOGIN zoe", "bye malformed expected 'login NAME', or "),
        ("login zoe moves", "bye malformed expected key=value in 'login', got 'moves'"),
        ("login my bot", "bye malformed expected key=value in 'login', got 'bot'"),
        ("zoe", "bye malformed expected 'login NAME', or "),
        ("move 1 1 d5-e5", "bye malformed expected 'login NAME' first"),
        ("login house-1", "bye bad-token "),
    ],
)
async def test_a_login_that_fails_is_told_to_the_host_too(line: str, why: str) -> None:
    told: list[str] = []
    async with practice(DUEL, told) as listener:
        with closing(await peer(listener)) as zoe:
            await zoe.send(line)
            await zoe.end()
    (failed,) = [text for text in told if "not logged in" in text]
    head, reply = failed.splitlines()
    assert head.endswith(f", not logged in: {line}")
    assert reply.startswith(f"  {why}")


async def test_no_secret_of_a_login_that_fails_is_shown() -> None:
    told: list[str] = []
    async with practice(DUEL, told) as listener:
        with closing(await peer(listener)) as zoe:
            await zoe.send("LOGIN zoe token=hush slot=1 key=quiet")
            await zoe.end()
    (failed,) = [text for text in told if "not logged in" in text]
    assert failed.splitlines()[0].endswith(": LOGIN zoe token=... slot=1 key=...")


async def test_a_login_without_a_line_feed_is_told_to_the_host() -> None:
    told: list[str] = []
    async with practice(DUEL, told) as listener:
        with closing(await dial(listener.host, listener.port)) as end:
            await end.wait_writable()
            assert end.send(b"login zoe") == 9
            end.finish()
            failed = await until_told(told, lambda text: "not logged in" in text)
    assert failed.split(", ", 1)[1] == (
        "not logged in: 'login zoe' had come, and no line feed behind it;\n"
        "  a line is sent when its line feed is, and the output flushed"
    )


def test_what_a_login_lacked_when_its_time_was_up_is_told() -> None:
    goodbye = "bye login-time expected a whole login line within 10 s"
    assert unsaid("there:1", None, goodbye) == (
        "there:1, not logged in: nothing came;"
        f" does the program flush its output after each line?\n  {goodbye}"
    )
    half = unsaid("there:1", Line("login zoe", 0, early=False), goodbye)
    assert half is not None
    assert half.startswith("there:1, not logged in: 'login zoe' had come, and no line feed")
    assert half.endswith(f"\n  {goodbye}")
    assert unsaid("there:1", None, "") is None


async def test_where_others_would_play_on_a_bot_that_leaves_ends_the_game(tmp_path: Path) -> None:
    told: list[str] = []
    (tmp_path / "idle.py").write_text(IDLE, encoding="utf-8")
    terms = Terms(rules="tara", players=3, against=f"python {tmp_path / 'idle.py'}", clock="none")
    async with practice(terms, told) as listener:
        with closing(await peer(listener)) as zoe:
            await zoe.login("zoe")
            await zoe.find("turn 1 1 ...")
            await zoe.send("bye")
            await zoe.end()
        await until_told(told, lambda text: text == "zoe (slot 1) has gone")
    assert "game 1, A zoe is out at ply 1 by disconnect: bye" in told
    assert any(text.startswith("game 1 over by aborted after ply 0") for text in told)


async def test_an_answer_to_another_turn_is_explained() -> None:
    told: list[str] = []
    async with practice(DUEL, told) as listener:
        with closing(await peer(listener)) as zoe:
            await zoe.login("zoe")
            await zoe.find("turn 1 1 ...")
            await zoe.send("move 1 2 d5-e5")
            await zoe.find("note stale ...")
            await zoe.send("move 1 1 d5-e5\nmove 1 3 e5-f5")
            await zoe.find("note early ...")
    assert [text for text in told if text.startswith("game 1, A zoe: ")] == [
        STALE,
        "game 1, A zoe: move 1 3 e5-f5\n  too early: it was begun before 'turn 1 3' was sent",
    ]


async def test_an_answer_to_a_game_that_is_over_is_explained() -> None:
    told: list[str] = []
    terms = Terms(rules="duel", against="python -c 'import time; time.sleep(3600)'", clock="none")
    async with practice(terms, told) as listener:
        with closing(await peer(listener)) as zoe:
            await zoe.login("zoe")
            await zoe.send("move 1 9 d5-e5")
            await zoe.find("note stale ...")
            await zoe.send("hello")
            await zoe.find("error malformed ...")
    stale, unknown = (text for text in told if "between games" in text)
    assert stale == (
        "zoe (slot 1), between games: move 1 9 d5-e5\n  note stale no game waits for this"
    )
    assert unknown.startswith("zoe (slot 1), between games: hello\n  error malformed ")


async def test_what_is_wrong_with_the_bytes_of_a_line_is_explained() -> None:
    told: list[str] = []
    async with practice(DUEL, told) as listener:
        with closing(await peer(listener)) as zoe:
            await zoe.login("zoe")
            await zoe.find("turn 1 1 ...")
            await send(zoe, b"move 1 1 d5-\xe95\n")
            await zoe.find("error malformed ...")
    (explained,) = [text for text in told if "malformed" in text]
    assert explained.splitlines()[1:] == ["  expected UTF-8"]


async def test_a_bot_that_says_nothing_until_its_clock_falls_is_asked_whether_it_flushes() -> None:
    told: list[str] = []
    async with practice(HURRIED, told) as listener:
        with closing(await peer(listener)) as zoe:
            await zoe.login("zoe")
            await zoe.find("over 1 time ...")
    assert (
        "game 1, A zoe is out at ply 1 by time\n"
        "  nothing arrived within 0.2 s; does the program flush its output after each line?"
    ) in told


async def test_a_bot_that_says_something_else_until_its_clock_falls_is_told_so() -> None:
    told: list[str] = []
    async with practice(HURRIED, told) as listener:
        with closing(await peer(listener)) as zoe:
            await zoe.login("zoe")
            await zoe.find("turn 1 1 ...")
            await send(zoe, b"ping a\n")
            await zoe.find("over 1 time ...")
    (out,) = [text for text in told if " is out " in text]
    assert out.splitlines()[1:] in (
        ["  lines came within 0.2 s, but none of them answered this turn"],
        # The ping may have come too late, on a machine that was away.
        ["  nothing arrived within 0.2 s; does the program flush its output after each line?"],
    )


async def test_an_answer_that_comes_after_its_game_was_lost_on_time_is_told_as_late() -> None:
    told: list[str] = []
    async with practice(HURRIED, told) as listener:
        with closing(await peer(listener)) as zoe:
            await zoe.login("zoe")
            await zoe.find("over 1 time ...")
            await send(zoe, b"move 1 1 d5-e5\n")
            # In a later game or before it: as quick as the bot in the other seat is.
            late = await until_told(told, lambda text: "late: the answer to game 1, ply 1," in text)
    head, why = late.splitlines()
    where = r"game \d+, [AD] zoe|zoe \(slot 1\), between games"
    assert re.fullmatch(rf"({where}): move 1 1 d5-e5", head)
    assert re.fullmatch(
        r"  late: the answer to game 1, ply 1, [0-9.]+ s after its time was up", why
    )


def test_only_a_turn_that_was_lost_on_time_has_a_late_answer_and_only_of_its_bot() -> None:
    flags = Flags()
    flags.fell("zoe", "7", 3, 10 * SECOND)
    line = Line("move 7 3 d5-e5", 11_500_000_000, early=True)
    assert flags.late("zoe", line) == (
        "late: the answer to game 7, ply 3, 1.5 s after its time was up"
    )
    assert flags.late("max", line) is None
    assert flags.late("zoe", line._replace(text="move 7 5 d5-e5")) is None
    assert flags.late("zoe", line._replace(text="hello")) is None


async def test_a_line_without_a_line_feed_is_explained() -> None:
    told: list[str] = []
    async with practice(HURRIED, told) as listener:
        with closing(await peer(listener)) as zoe:
            await zoe.login("zoe")
            await send(zoe, b"move 1 1 d5-e5")  # early or not, it never ends
            await zoe.find("over 1 time ...")
    (out,) = [text for text in told if " is out " in text]
    assert out == (
        "game 1, A zoe is out at ply 1 by time\n"
        "  'move 1 1 d5-e5' had come, and no line feed behind it;\n"
        "  a line is sent when its line feed is, and the output flushed"
    )


async def test_an_opponent_that_crashes_is_told_of_with_its_last_words(tmp_path: Path) -> None:
    told: list[str] = []
    crash = IDLE.replace(
        "while server.recv(4096):\n    pass",
        "while b'turn' not in server.recv(4096):\n    pass\nraise SystemExit('no idea')",
    )
    (tmp_path / "crash.py").write_text(crash, encoding="utf-8")
    terms = Terms(rules="duel", against=f"python {tmp_path / 'crash.py'}", clock="none")
    async with practice(terms, told) as listener:
        with closing(await peer(listener)) as zoe:
            await zoe.login("zoe")
            await zoe.answer(await zoe.find("turn 1 1 ..."))
            await zoe.find("over 1 disconnect ...")
            ended = await until_told(told, lambda text: "no idea" in text and "printed" in text)
    assert ended == "house-1 (slot 1) ended with status 1; it printed:\nno idea"
