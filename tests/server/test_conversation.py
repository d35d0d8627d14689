"""Conversations as text: written, read back, and held against what is said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sternhalma_server.conversation import (
    Conversation,
    ConversationError,
    Utterance,
    fill,
    format_conversation,
    match,
    parse_conversation,
)

PRINTABLE = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=30)
STAMPS = st.none() | st.integers(min_value=0, max_value=10**9).map(lambda n: n * 1000)
UTTERANCES = st.builds(Utterance, st.sampled_from(["S", "B", "="]), PRINTABLE, STAMPS)
HEADS = st.dictionaries(st.from_regex(r"[a-z][a-z-]{0,8}", fullmatch=True), PRINTABLE, max_size=4)


@given(st.builds(Conversation, st.lists(UTTERANCES).map(tuple), HEADS))
def test_a_conversation_survives_the_round_trip_through_text(conversation: Conversation) -> None:
    assert parse_conversation(format_conversation(conversation)) == conversation


def test_comments_and_blank_lines_are_passed_over_and_lines_know_their_number() -> None:
    text = "sternhalma-conversation 1\n# hello\ntitle a b\n\nS - x y\n# more\nB 1.500000 z\n"
    conversation = parse_conversation(text)
    assert conversation.head == {"title": "a b"}
    said = [(one.line, one.side, one.at, one.text) for one in conversation.lines]
    assert said == [(5, "S", None, "x y"), (7, "B", 1_500_000_000, "z")]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "line 1: expected 'sternhalma-conversation 1', got ''"),
        ("sternhalma-conversation 2\n", "line 1: expected 'sternhalma-conversation 1', got"),
        ("sternhalma-conversation 1\nS - x\nX - y\n", "line 3: expected 'S TIME LINE'"),
        ("sternhalma-conversation 1\nS - x\ntitle y\n", "line 3: expected 'S TIME LINE'"),
        ("sternhalma-conversation 1\nS 1.5 x\n", "line 2: expected 'S TIME LINE'"),
        ("sternhalma-conversation 1\nS -\n", "line 2: expected 'S TIME LINE'"),
    ],
)
def test_what_is_no_conversation_is_refused_with_its_line(text: str, sentence: str) -> None:
    with pytest.raises(ConversationError, match=sentence):
        parse_conversation(text)


@pytest.mark.parametrize(
    ("text", "line", "known", "found"),
    [
        ("move 1 1 ...", "move 1 1 d5-e5", {}, {}),
        ("move 1 1 ...", "move 1 2 d5-e5", {}, None),
        ("login <name> ...", "login zoe x=y", {}, {"<name>": "zoe"}),
        ("login <name>", "login zoe x=y", {}, None),
        ("bye <name>", "bye max", {"<name>": "zoe"}, None),
        ("bye <name>", "bye zoe", {"<name>": "zoe"}, {}),
        ("<a>-<a>", "x-x", {}, {"<a>": "x"}),
        ("<a>-<a>", "x-y", {}, None),
        ("a.c", "abc", {}, None),
        ("move {a5-c5,b6-e9}", "move a5-c5", {}, {}),
        ("move {a5-c5,b6-e9}", "move b6-c7-e9", {}, {}),
        ("move {a5-c5,b6-e9}", "move b6-c7", {}, None),
        ("move {a5-c5,b6-e9}", "move a5-e9-x", {}, None),
        ("move {pass}", "move pass", {}, {}),
    ],
)
def test_a_pattern_is_held_against_a_line(
    text: str, line: str, known: dict[str, str], found: dict[str, str] | None
) -> None:
    assert match(text, line, known) == found


def test_known_words_are_put_in_their_places() -> None:
    assert fill("welcome <name> <key>", {"<name>": "zoe"}) == "welcome zoe <key>"


@pytest.mark.parametrize("text", ["{((-b5}", "{a5-*+,[-b5}", "{a5-b)5}"])
def test_what_looks_like_a_choice_of_moves_and_is_none_matches_itself_alone(text: str) -> None:
    (one, *_) = text[1:-1].split(",")
    assert match(text, one, {}) == {}
    assert match(text, "a5-b5", {}) is None
