"""What is retold of a game is what was said, line for line, over a real connection."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from server.conducted import EPOCH, Chances, Conduct
from server.kept import CUP, games_of, table_of
from server.recorded import PATIENT
from sternhalma import Game, Seat
from sternhalma_server.archive import STORE
from sternhalma_server.chronicle import chronicle_of
from sternhalma_server.clock import SECOND
from sternhalma_server.conversation import Conversation, format_conversation, parse_conversation
from sternhalma_server.hosting import host_event
from sternhalma_server.listener import Listener
from sternhalma_server.opening import number
from sternhalma_server.record import Out, Ply, format_record, parse_record
from sternhalma_server.referee import Finished
from sternhalma_server.retelling import retell
from sternhalma_server.rulings import stored_event
from sternhalma_server.settings import settings_of
from sternhalma_server.store import FinishedGame, Store
from sternhalma_server.telling import Telling, spoken
from sternhalma_server.testing import Script, ScriptedPeer, dial, remote_event
from sternhalma_server.transport import Transport
from sternhalma_tournament.roundrobin import schedule_of

SECONDS = 20.0


class Quiet:
    """Observes nothing."""

    def listening(self, host: str, port: int) -> None: ...
    def planned(self, games: int) -> None: ...
    def resumed(self, finished: int, running: int) -> None: ...
    def started(self, table: object) -> None: ...
    def finished(self, finished: Finished) -> None: ...
    def tested(self, trial: object) -> None: ...
    def tell(self, sentence: str) -> None: ...


class Heard(ScriptedPeer):
    """A peer that remembers what it has said in which game."""

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport)
        self.said: list[tuple[str, str]] = []

    async def send_bytes(self, data: bytes) -> None:
        """Send *data* as it is."""
        games = [line.split(" ")[1] for line in self.heard if line.startswith("game ")]
        self.said += [(games[-1] if games else "", line) for line in data.decode().splitlines()]
        await super().send_bytes(data)


async def played(event: str, root: Path, scripts: Mapping[str, Script]) -> dict[str, Heard]:
    """The bots of *event* once it is over in *root*, which have done what *scripts* say."""
    settings, listener = settings_of(event.encode(), "event.toml"), Listener("127.0.0.1", 0)
    peers: dict[str, Heard] = {}
    with trio.fail_after(SECONDS):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(host_event, settings, listener, root, Quiet())
            for name, script in scripts.items():
                peers[name] = peer = Heard(await dial(listener.host, listener.port))
                await peer.login(name, "")
                nursery.start_soon(ended, script, peer)
    return peers


async def ended(script: Script, peer: Heard) -> None:
    with closing(peer):
        await script(peer)
        await peer.end()


def retold(root: Path, number: int, seat: str) -> Conversation:
    with Store.read(root / STORE) as store:
        stored = stored_event(store)
        game = store.game(stored.id, number)
        settings = settings_of(stored.source, "event.toml")
    assert game is not None
    return retell(parse_record(game.record), game.said, settings, str(number), seat)


def lines(conversation: Conversation, side: str) -> list[str]:
    return [one.text for one in conversation.lines if one.side == side]


def check(root: Path, peer: Heard, number: int, seat: str) -> Conversation:
    """Hold what is retold against what *peer* has heard and said in that game."""
    conversation = retold(root, number, seat)
    opening = f"game {number} "
    start = next(at for at, line in enumerate(peer.heard) if line.startswith(opening))
    over = f"over {number} "
    end = next(at for at, line in enumerate(peer.heard) if line.startswith(over))
    assert lines(conversation, "S") == peer.heard[start : end + 1]
    assert lines(conversation, "B") == [line for game, line in peer.said if game == str(number)]
    assert parse_conversation(format_conversation(conversation)) == rounded(conversation)
    return conversation


def rounded(conversation: Conversation) -> Conversation:
    """*conversation* with its times to the microsecond, as they are written."""
    said = (replace(one, at=(one.at or 0) // 1000 * 1000) for one in conversation.lines)
    return Conversation(tuple(said), conversation.head)


def from_list(*answers: str) -> Script:
    """A script that answers its turns with these lines, in which GAME and PLY stand for both;
    several lines of one turn are separated by a bar."""

    async def script(peer: ScriptedPeer) -> None:
        for answer in answers:
            _, game, ply, *_ = (await peer.find("turn ...")).split(" ")
            for line in answer.split("|"):
                await peer.send(line.replace("GAME", game).replace("PLY", ply))
                await trio.sleep(0.02)

    return script


async def firsts(peer: ScriptedPeer) -> None:
    """Play first moves without a list of them, which is not retold."""
    try:
        while True:
            _, name, ply, _, *position = (await peer.find("turn ...")).split(" ")[:10]
            game = Game.load(" ".join(position[:6]))
            move = game.format_move(game.legal_moves()[0])
            await peer.send(f"move {name} {ply} {move}")
    except (EOFError, OSError):
        return


def test_a_whole_game_is_retold_to_both_seats(tmp_path: Path) -> None:
    event = remote_event("zoe", "max", limit=4, opening=3, clock="60s+5x2s")
    peers = trio.run(played, event, tmp_path / "r", {"zoe": firsts, "max": firsts})
    for name, seat in (("zoe", "A"), ("max", "D")):
        conversation = check(tmp_path / "r", peers[name], 1, seat)
        assert conversation.head["seat"] == f"{seat} {name}"
        stamps = [one.at for one in conversation.lines]
        assert stamps[0] == 0
        assert all(at is not None for at in stamps)
        assert stamps == sorted(stamps, key=lambda at: at or 0)


def test_wrong_answers_are_retold_with_what_was_said_of_them(tmp_path: Path) -> None:
    event = remote_event("zoe", "max", tries=3)
    zoe = from_list(
        "move GAME PLY a5-e9|move GAME PLY c5-e7-g9|ping x|move GAME PLY d5-e5",
        "move GAME PLY d5-z9|move GAME PLY d5-e5",
    )
    peers = trio.run(played, event, tmp_path / "r", {"zoe": zoe, "max": firsts})
    conversation = check(tmp_path / "r", peers["zoe"], 1, "A")
    said = [one.text.split(" ")[:3] for one in conversation.lines if one.text.startswith("error")]
    assert said == [
        ["error", "illegal", "tries=2"],
        ["error", "illegal", "tries=1"],
        ["error", "malformed", "tries=0"],
        ["error", "illegal", "d5-e5:"],
    ]
    check(tmp_path / "r", peers["max"], 1, "D")


def test_a_resignation_and_what_was_asked_before_it_are_retold(tmp_path: Path) -> None:
    zoe = from_list("move GAME PLY d5-e5", "ping abc|why|move 7 1 x|resign GAME")
    peers = trio.run(
        played, remote_event("zoe", "max"), tmp_path / "r", {"zoe": zoe, "max": firsts}
    )
    conversation = check(tmp_path / "r", peers["zoe"], 1, "A")
    assert "pong abc" in lines(conversation, "S")
    assert lines(conversation, "S")[-1].startswith("over 1 resign places=A:2,D:1 seat=A ply=3")
    check(tmp_path / "r", peers["max"], 1, "D")


def test_a_draw_that_is_offered_and_agreed_on_is_retold(tmp_path: Path) -> None:
    event = remote_event("zoe", "max", draws=True)
    scripts = {
        "zoe": from_list("move GAME PLY d5-e5 draw=offer"),
        "max": from_list("draw GAME PLY"),
    }
    peers = trio.run(played, event, tmp_path / "r", scripts)
    assert "offer 1 A" in lines(check(tmp_path / "r", peers["max"], 1, "D"), "S")
    check(tmp_path / "r", peers["zoe"], 1, "A")


def test_an_offer_where_no_draw_is_known_is_retold_with_its_note(tmp_path: Path) -> None:
    zoe = from_list("move GAME PLY d5-e5 draw=offer", "resign GAME")
    event = remote_event("zoe", "max")
    peers = trio.run(played, event, tmp_path / "r", {"zoe": zoe, "max": firsts})
    told = lines(check(tmp_path / "r", peers["zoe"], 1, "A"), "S")
    assert any(line.startswith("note no-draws") for line in told)


def test_what_came_too_early_is_retold_before_the_turn_it_was_too_early_for(tmp_path: Path) -> None:
    zoe = from_list("move GAME PLY d5-e5|move 1 3 e5-f5", "resign GAME")

    async def slow(peer: ScriptedPeer) -> None:
        _, game, ply, *_ = (await peer.find("turn ...")).split(" ")
        await trio.sleep(0.2)
        await peer.send(f"move {game} {ply} n10-m9")

    event = remote_event("zoe", "max")
    peers = trio.run(played, event, tmp_path / "r", {"zoe": zoe, "max": slow})
    told = lines(check(tmp_path / "r", peers["zoe"], 1, "A"), "S")
    (early,) = [at for at, line in enumerate(told) if line.startswith("note early")]
    assert told[early + 1].startswith("turn 1 3 ")


@pytest.mark.parametrize(
    "answer",
    [
        "move old 7 a5-b5\nmove GAME PLY d5-e5",
        "pong x\nwhy\nmove GAME PLY d5-e5",
        "move GAME PLY d5-e5\nmove old 7 a5-b5",
        "move GAME PLY d5-e5\nmove GAME PLY d5-e5",
        "move old 7 a5-b5\nmove GAME PLY d5-e5\nmove old 8 a5-b5",
        "move GAME PLY a5-a5\nmove GAME PLY d5-e5",
    ],
)
def test_lines_of_one_packet_are_retold_in_their_order(answer: str, tmp_path: Path) -> None:
    async def zoe(peer: ScriptedPeer) -> None:
        _, game, ply, *_ = (await peer.find("turn ...")).split(" ")
        await peer.send_bytes(f"{answer}\n".replace("GAME", game).replace("PLY", ply).encode())
        await peer.find("turn ...")
        await peer.send("resign 1")

    event = remote_event("zoe", "max", tries=1)
    peers = trio.run(played, event, tmp_path / "r", {"zoe": zoe, "max": firsts})
    check(tmp_path / "r", peers["zoe"], 1, "A")


def test_lines_of_one_packet_are_shown_to_the_host_in_their_order(tmp_path: Path) -> None:
    async def zoe(peer: ScriptedPeer) -> None:
        await peer.find("turn ...")
        await peer.send_bytes(b"move old 7 a5-b5\nmove 1 1 d5-e5\nping x\n")
        await peer.find("turn ...")
        await peer.send("resign 1")

    event = remote_event("zoe", "max")
    peers = trio.run(played, event, tmp_path / "r", {"zoe": zoe, "max": firsts})
    with Store.read(tmp_path / "r" / STORE) as store:
        game = store.game(stored_event(store).id, 1)
    assert game is not None
    shown = spoken(Telling(parse_record(game.record)), game.said)
    assert [text for _, seat, text in shown if seat == "A"] == [
        text for _, text in peers["zoe"].said if not text.startswith("login ")
    ]


def test_a_loss_on_time_is_retold_to_those_who_play_on_and_to_who_lost(tmp_path: Path) -> None:
    async def silent(peer: ScriptedPeer) -> None:
        await peer.find("turn ...")

    event = remote_event("zoe", "max", "ida", rules="corner", players=3, clock="200ms", limit=3)
    scripts: dict[str, Script] = {"zoe": silent, "max": firsts, "ida": firsts}
    peers = trio.run(played, event, tmp_path / "r", scripts)
    for peer in peers.values():
        (seat,) = {line.split(" ")[3] for line in peer.heard if line.startswith("game 1 ")}
        told = lines(check(tmp_path / "r", peer, 1, seat), "S")
        assert any(line.startswith("out 1 ") and " time ply=" in line for line in told)


@pytest.mark.parametrize("in_time", [True, False])
def test_a_line_that_was_never_ended_is_retold_by_the_note_about_it(
    in_time: bool, tmp_path: Path
) -> None:
    async def unended(peer: ScriptedPeer) -> None:
        if in_time:
            await peer.find("turn ...")
        await peer.transport.wait_writable()
        peer.transport.send(b"move 1 1 d5-e5")

    event = remote_event("zoe", "max", clock="300ms")
    peers = trio.run(played, event, tmp_path / "r", {"zoe": unended, "max": firsts})
    told = lines(check(tmp_path / "r", peers["zoe"], 1, "A"), "S")
    assert "note unfinished expected a line feed behind 'move 1 1 d5-e5'" in told
    check(tmp_path / "r", peers["max"], 1, "D")


def test_what_the_seats_of_a_game_of_a_league_said_is_said_once(tmp_path: Path) -> None:
    record = games_of(CUP)[0]
    ply = next(one for one in record.happened if isinstance(one, Ply) and one.evidence)
    at = dict(ply.evidence)["received"]
    said = f"{ply.seat} {at} move cup/{record.game} {ply.number} {ply.path} mood=good\n"
    heard = [text for _, _, text in spoken(Telling(record, name=f"cup/{record.game}"), said)]
    begin = f"move cup/{record.game} {ply.number} "
    assert [text for text in heard if text.startswith(begin)] == [f"{begin}{ply.path} mood=good"]
    assert all(text.startswith(f"move cup/{record.game} ") for text in heard)


def test_however_late_the_server_was_each_answer_stands_behind_its_question() -> None:
    settings, record = settings_of(CUP, "event.toml"), games_of(CUP)[0]
    text = re.sub(r"late=[0-9.]+", "late=5000.000", format_record(record))
    body = text[: text.index("sha256 ")]
    late = parse_record(f"{body}sha256 {hashlib.sha256(body.encode()).hexdigest()}\n")
    for player in late.players:
        asked: list[str] = []
        for line in retell(late, "", settings, "1", player.seat).lines:
            words = line.text.split(" ")
            if words[0] == "turn":
                asked.append(words[2])
            elif line.side == "B":
                assert asked[-1:] == words[2:3], line
        assert asked


def test_a_seat_that_is_not_there_is_refused(tmp_path: Path) -> None:
    event = remote_event("zoe", "max", limit=1)
    trio.run(played, event, tmp_path / "r", {"zoe": firsts, "max": firsts})
    with pytest.raises(ValueError, match="expected a seat of the game, A, D, got 'B'"):
        retold(tmp_path / "r", 1, "B")


def test_a_game_of_a_league_is_called_what_the_wire_called_it(tmp_path: Path) -> None:
    record = games_of(CUP)[0]
    said = "A 1764451826.000001 ping hello\n"
    with Store.open(tmp_path / STORE) as store:
        store.found_league("open")
        source = b'name = "cup"\nrules = "corner"\nplayers = 2\nclock = "2s"\n'
        event = store.add_event("cup", source + b'bots = [{ name = "zoe" }, { name = "max" }]\n')
        store.write(event, "", [FinishedGame(record.game, format_record(record), said)])
        stored = store.event("cup")
        assert stored is not None
        chronicle = chronicle_of(store, stored, record.game)
    (seat, *_) = chronicle.seats
    conversation = chronicle.told_to(seat)
    assert conversation.head["game"] == f"cup/{record.game}"
    assert lines(conversation, "S")[0].startswith(f"game cup/{record.game} corner {seat} ")
    moves = [line for line in lines(conversation, "B") if line.startswith("move")]
    assert moves
    assert all(line.startswith(f"move cup/{record.game} ") for line in moves)


class Overheard(Conduct):
    """A game by chance, with the questions among what is told and every line written down."""

    def _turn(self, seat: Seat) -> None:
        self.referee.outbox.append((seat, self.referee.question(with_moves=False)))
        super()._turn(seat)

    def _say(self, seat: Seat, text: str, elapsed: int) -> None:
        stamp = self.now + elapsed + EPOCH
        super()._say(seat, text, elapsed)
        if not self.referee.was_plain:
            moment = f"{stamp // SECOND}.{stamp % SECOND // 1000:06d}"
            self.said.append(f"{self.letters[seat]} {moment} {text}\n")


def test_a_wrong_answer_that_had_arrived_at_once_stands_behind_its_question() -> None:
    settings = settings_of(PLAYED_BY_CHANCE.format(clock="none").encode(), "event.toml")
    sits = table_of(settings, schedule_of(settings.event).pairing(1))
    game = Overheard(sits, 7, chances=Chances(wrong=1.0))
    record = game.play()
    assert record is not None
    # The stamp of a packet may be that of a moment before its question had been handed over.
    said = re.sub(r"^(\S+) \S+", r"\1 1764451800.000000", "".join(game.said), flags=re.MULTILINE)
    fell = [out.seat for out in record.happened if isinstance(out, Out) and out.line is not None]
    assert fell
    for letter in fell:
        told = retell(record, said, settings, "1", letter).lines
        words = [line.text.split(" ")[0] if line.side == "S" else "answer" for line in told]
        assert words[words.index("answer") - 1] == "turn"
        assert words[words.index("answer") + 1] == "error"


PLAYED_BY_CHANCE = """\
name = "chance"
rules = "corner"
players = 3
limit = 6
clock = "{clock}"
lag = {{ per_move = "20ms", cap = "500ms" }}
bots = [
    {{ name = "a", remote = true }},
    {{ name = "b", remote = true }},
    {{ name = "c", remote = true }},
]
"""


@pytest.mark.parametrize("clock", ["none", "2s", "3s+0.5s", "2s+3x1s"])
@given(seed=st.integers(0, 10**6))
@PATIENT
def test_whatever_happens_is_retold_as_it_was_told(clock: str, seed: int) -> None:
    settings = settings_of(PLAYED_BY_CHANCE.format(clock=clock).encode(), "event.toml")
    sits = table_of(settings, schedule_of(settings.event).pairing(1))
    letters = [group[0] for group in Game.new("corner", 3).position.seats]
    sits = replace(sits, seeds=tuple(number(f"0/1/{letter}") for letter in letters))
    chances = Chances(late=0.03, silent=0.03, wrong=0.1, gone=0.03, resigns=0.03, absent=0.1)
    game = Overheard(sits, seed, in_credit=[0, 2], chances=chances)
    record = game.play()
    assert record is not None
    for seat, letter in enumerate(game.letters):
        told = [line for to, line in game.referee.outbox if to in {None, seat}]
        retelling = retell(record, "".join(game.said), settings, "1", letter)
        assert lines(retelling, "S") == told
