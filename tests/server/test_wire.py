"""Lines to messages and back: what bots may say, and what the server makes of their words."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sternhalma_server.wire import (
    MAX_SLOT,
    QUOTED,
    AgreeDraw,
    Fetch,
    Leave,
    Login,
    Message,
    MoveMade,
    Ping,
    Pong,
    Resign,
    Undo,
    Watch,
    Why,
    WireError,
    bye,
    clean,
    error,
    greeting,
    note,
    parse_message,
    quote,
    welcome,
)


def words(alphabet: str, longest: int) -> st.SearchStrategy[str]:
    """Words of *alphabet* of 1 to *longest* characters."""
    return st.text(alphabet, min_size=1, max_size=longest)


LETTERS = "abcXYZ019"
NAMES = st.builds(str.__add__, st.sampled_from(LETTERS), st.text(LETTERS + "._-", max_size=31))
WORDS = words("".join(map(chr, range(0x21, 0x7F))), 64)
PLIES = st.integers(1, 999_999_999)
LOGINS = st.builds(
    Login,
    NAMES,
    token=st.none() | words(LETTERS + "+/=-_", 60),
    slot=st.integers(1, MAX_SLOT),
    version=st.none() | words(LETTERS + "._+-", 32).filter(lambda word: word != "-"),
    moves=st.booleans(),
    key=st.none() | words(LETTERS + "_-", 30),
)
MESSAGES: st.SearchStrategy[Message] = st.one_of(
    LOGINS,
    st.builds(MoveMade, WORDS, PLIES, WORDS, st.booleans()),
    st.builds(Resign, WORDS),
    st.builds(AgreeDraw, WORDS, PLIES),
    st.builds(Undo, WORDS, PLIES),
    st.builds(Ping, WORDS),
    st.builds(Pong, WORDS),
    st.builds(Watch, st.none() | WORDS),
    st.builds(Fetch, NAMES, WORDS, st.none() | words(LETTERS + "+/=-_", 60), st.none() | WORDS),
    st.sampled_from([Why(), Leave()]),
)


def spell(message: Message) -> str:
    """*message* as protocol.md has a bot write it."""
    match message:
        case Login(name, token, slot, version, moves, key):
            keys = {"token": token, "slot": slot, "version": version, "key": key}
            pairs = [f" {word}={value}" for word, value in keys.items() if value is not None]
            return f"login {name}{''.join(pairs)} moves={'yes' if moves else 'no'}"
        case MoveMade(game, ply, path, offers_draw):
            return f"move {game} {ply} {path}{' draw=offer' if offers_draw else ''}"
        case AgreeDraw(game, ply):
            return f"draw {game} {ply}"
        case Undo(game, ply):
            return f"undo {game} {ply}"
        case Resign(word) | Ping(word) | Pong(word):
            return f"{type(message).__name__.lower()} {word}"
        case Watch(game):
            return "watch all" if game is None else f"watch game={game}"
        case Fetch(name, game, token, seat):
            pairs = [f" token={token}"] if token is not None else []
            pairs += [f" seat={seat}"] if seat is not None else []
            return f"transcript {name} {game}{''.join(pairs)}"
        case Why():
            return "why"
        case Leave():
            return "bye"


@given(MESSAGES)
def test_every_message_a_bot_can_send_is_read_as_what_it_says(message: Message) -> None:
    assert parse_message(spell(message)) == message


@given(st.text(max_size=100) | MESSAGES.map(spell).flatmap(st.permutations).map("".join))
@example("")
@example("move 1 \u0661 a5-e5")
@example("move 1 " + "9" * 1000 + " a5-e5")
@example("login zoe token=a=b token=c")
def test_a_line_is_a_message_or_refused_in_printable_words(text: str) -> None:
    try:
        parse_message(text)
    except WireError as problem:
        sentence = str(problem)
        assert sentence.startswith("expected ")
        assert sentence.isascii()
        assert sentence.isprintable()
        assert len(sentence) <= 200


@given(st.text(max_size=400) | st.binary(max_size=400).map(lambda b: b.decode("latin-1")))
@example("\ud800" * 300)
@example("\U0001f600" * 300)
def test_what_a_peer_wrote_is_shown_as_printable_ascii_of_bounded_length(text: str) -> None:
    shown = clean(text)
    assert shown.isascii()
    assert shown.isprintable()
    assert len(shown) <= QUOTED + len("...")
    assert clean(shown) == shown
    assert quote(text, 10) == f"'{clean(text, 10)}'"


@given(st.text("".join(map(chr, range(0x20, 0x7F))), max_size=QUOTED))
def test_short_printable_text_is_shown_as_it_is(text: str) -> None:
    assert clean(text) == text


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            "",
            "expected a message, login, move, resign, draw, undo, .*, transcript, bye, got ''",
        ),
        ("MOVE 1 1 a5-e5", "expected a message, login, .*, got 'MOVE'"),
        (" move 1 1 a5-e5", "expected a message, login, .*, got ''"),
        ("move", "expected 'move GAME PLY PATH', got 'move'"),
        ("move 1 1", "expected 'move GAME PLY PATH', got 'move 1 1'"),
        ("move 1 0 a5-e5", "expected the ply of the turn in 'move', a number, got '0'"),
        ("move 1 -1 a5-e5", "a number, got '-1'"),
        ("move 1 01 a5-e5", "a number, got '01'"),
        ("move 1 1.0 a5-e5", "a number, got '1.0'"),
        ("move 1 \u0661 a5-e5", r"a number, got '\\u0661'"),
        ("move 1  1 a5-e5", "expected single spaces between words, got more behind '1'"),
        ("move 1 1 a5-e5 ", "expected single spaces between words, got more behind 'a5-e5'"),
        ("move 1 1 a5 e5", "expected a path such as d5-e5 in 'move', got 'a5 e5'"),
        ("move 1 1 a5-e5 c5", "expected key=value in 'move', got 'c5'"),
        ("move 1 1 a5-e5 draw=offer draw=offer", "expected 'draw' once in 'move', got it twice"),
        ("draw 1", "expected 'draw GAME PLY', got 'draw 1'"),
        ("draw 1 x", "expected the ply of the turn in 'draw', a number, got 'x'"),
        ("undo 1", "expected 'undo GAME PLY', got 'undo 1'"),
        ("resign", "expected 'resign GAME', got nothing behind it"),
        ("ping", "expected 'ping WORD', got nothing behind it"),
        ("ping \x07", r"expected 'ping WORD', got '\\x07'"),
        ("pong " + "x" * 65, r"expected 'pong WORD', got 'x{40}\.\.\.'"),
        ("login", "expected 'login NAME' with a name of .*, got nothing"),
        ("login .zoe", "expected 'login NAME' with a name of .*, got '.zoe'"),
        ("login zoë", r"got 'zo\\xeb'"),
        ("login " + "z" * 33, "got 'z{33}'"),
        ("login zoe\r", r"got 'zoe\\r'"),
        ("login zoe slot=0", "expected slot=1 to slot=64, got '0'"),
        ("login zoe slot=65", "expected slot=1 to slot=64, got '65'"),
        ("login zoe slot=", "expected slot=1 to slot=64, got ''"),
        ("login zoe version=", "expected a version of 1 to 32 of .*, got ''"),
        ("login zoe version=-", "expected a version of .* and not '-', got '-'"),
        ("login zoe moves=maybe", "expected moves=yes or moves=no, got 'maybe'"),
        ("login zoe secret", "expected key=value in 'login', got 'secret'"),
        ("login zoe =x", "expected key=value in 'login', got '=x'"),
        ("watch", "expected 'watch all' or 'watch game=GAME', got 'watch'"),
        ("watch game=", "expected 'watch all' or 'watch game=GAME', got 'watch game='"),
        ("transcript zoe", "expected 'transcript NAME GAME', got 'transcript zoe'"),
        ("transcript zoe 1 seat=", "expected a seat's letter, got ''"),
        ("watch 1", "expected 'watch all' or 'watch game=GAME', got 'watch 1'"),
    ],
)
def test_a_line_that_is_no_message_is_told_what_was_expected_and_what_came(
    line: str, sentence: str
) -> None:
    with pytest.raises(WireError, match=sentence):
        parse_message(line)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("login zoe colour=green slot=2", Login("zoe", slot=2)),
        ("login zoe token=a=b=c", Login("zoe", token="a=b=c")),
        ("move 1 1 a5-e5 think=deep", MoveMade("1", 1, "a5-e5")),
        ("move 1 1 a5-e5 draw=perhaps", MoveMade("1", 1, "a5-e5")),
        ("why not", Why()),
        ("bye event-over", Leave()),
    ],
)
def test_what_a_message_does_not_know_is_ignored(line: str, message: Message) -> None:
    assert parse_message(line) == message


def test_the_server_spells_its_own_lines_as_the_protocol_page_does() -> None:
    assert greeting(10_000, 1024) == "sternhalma 1 line=1024 login=10000 can=moves,draw,watch"
    assert welcome("zoe", 3, None) == "welcome zoe slot=3"
    assert welcome("zoe", 3, "abc") == "welcome zoe slot=3 key=abc"
    assert bye("in-use", "gone") == "bye in-use gone"
    assert note("early", "wait") == "note early wait"
    assert error("illegal", "no way") == "error illegal no way"
    assert error("illegal", "no way", 2) == "error illegal tries=2 no way"
