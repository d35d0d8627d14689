"""Who may log in."""

from __future__ import annotations

import pytest

from sternhalma_server.admission import Admission, Admitted, Known, Refusal, token_digest
from sternhalma_server.wire import Login

SECRET = token_digest("sesame")


def _key() -> str:
    return "open"


def admit(login: Login, *connected: tuple[str, int]) -> Admitted | Refusal:
    """What an event of Zoe (a token, two slots) and max says to *login*."""
    bots = [Known("Zoe", SECRET, slots=2), Known("max")]
    return Admission(bots, _key, {}).admit(login, connected)


def test_a_bot_of_the_event_is_admitted() -> None:
    assert admit(Login("max")) == Admitted("max", "open", takes_over=False)


@pytest.mark.parametrize("name", ["zoe", "ZOE", "zOe"])
def test_a_name_is_known_in_any_case_and_spelled_as_the_event_does(name: str) -> None:
    assert admit(Login(name, "sesame")) == Admitted("Zoe", None, takes_over=False)


def test_a_name_the_event_does_not_know_is_refused() -> None:
    refusal = admit(Login("nobody"))
    assert refusal == Refusal("unknown-name", "expected a bot that plays here, got 'nobody'")


@pytest.mark.parametrize("token", [None, "", "Sesame", "sesame ", SECRET, "sesam\xe9"])
def test_a_wrong_token_is_refused_and_never_repeated(token: str | None) -> None:
    refusal = admit(Login("zoe", token))
    assert refusal == Refusal("bad-token", "expected the token of 'Zoe'")


def test_the_right_token_is_admitted() -> None:
    assert admit(Login("zoe", "sesame")) == Admitted("Zoe", None, takes_over=False)


def test_a_token_where_none_is_asked_for_is_ignored() -> None:
    assert isinstance(admit(Login("max", "anything")), Admitted)


def test_a_token_digest_is_the_sha_256_of_its_utf_8() -> None:
    known = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
    assert token_digest("hello") == known


def test_a_slot_beyond_the_bots_connections_is_refused() -> None:
    refusal = admit(Login("zoe", "sesame", slot=3))
    assert refusal == Refusal("slot", "expected slot 1 to 2 for 'Zoe', got 3")


def test_whoever_has_the_token_takes_over_a_name_and_slot_in_use() -> None:
    assert admit(Login("ZOE", "sesame"), ("Zoe", 1)) == Admitted("Zoe", None, takes_over=True)


@pytest.mark.parametrize("key", [None, "", "guess"])
def test_without_a_token_a_name_and_slot_in_use_are_refused_to_whoever_has_not_the_key(
    key: str | None,
) -> None:
    admission = Admission([Known("max")], _key, {})
    admission.admit(Login("max"), [])
    refusal = admission.admit(Login("MAX", key=key), [("max", 1)])
    sentence = "'max' slot 1 is connected already; its key= is needed to take it over"
    assert refusal == Refusal("in-use", sentence)


def test_without_a_token_the_key_takes_over_and_stays_good() -> None:
    keys = iter(["first", "second"])
    admission = Admission([Known("max")], lambda: next(keys), {})
    admission.admit(Login("max"), [])
    for _ in range(2):  # a welcome that is lost tells nobody a new key, so there is none
        again = admission.admit(Login("max", key="first"), [("max", 1)])
        assert again == Admitted("max", "first", takes_over=True)


def test_a_bot_that_comes_without_its_key_when_its_place_is_free_gets_a_new_one() -> None:
    keys = iter(["first", "second"])
    admission = Admission([Known("max")], lambda: next(keys), {})
    admission.admit(Login("max"), [])
    assert admission.admit(Login("max"), []) == Admitted("max", "second", takes_over=False)
    refusal = admission.admit(Login("max", key="first"), [("max", 1)])
    assert isinstance(refusal, Refusal)


def test_another_slot_of_a_connected_name_is_admitted() -> None:
    admitted = admit(Login("zoe", "sesame", slot=2), ("Zoe", 1))
    assert admitted == Admitted("Zoe", None, takes_over=False)


def test_a_stranger_without_the_token_does_not_learn_who_is_connected() -> None:
    refusal = admit(Login("zoe", "guess"), ("Zoe", 1))
    assert isinstance(refusal, Refusal)
    assert refusal.code == "bad-token"


@pytest.mark.parametrize(
    ("first", "second", "sentence"),
    [
        ("1.0", "1.1", "expected version 1.0 as before in this event, got 1.1"),
        ("1.0", None, "expected version 1.0 as before in this event, got none"),
        (None, "1.1", "expected version none as before in this event, got 1.1"),
    ],
)
def test_the_version_of_the_first_login_is_fixed_for_the_event(
    first: str | None, second: str | None, sentence: str
) -> None:
    admission = Admission([Known("max")], _key, {})
    assert isinstance(admission.admit(Login("max", version=first), []), Admitted)
    assert isinstance(admission.admit(Login("MAX", version=first), []), Admitted)
    assert admission.admit(Login("Max", version=second), []) == Refusal("version", sentence)


def test_a_version_played_with_before_a_stop_stays_fixed() -> None:
    admission = Admission([Known("max")], _key, {"max": "1.0"})
    sentence = "expected version 1.0 as before in this event, got 9.9"
    assert admission.admit(Login("max", version="9.9"), []) == Refusal("version", sentence)
    assert isinstance(admission.admit(Login("max", version="1.0"), []), Admitted)


def test_a_login_that_was_refused_fixes_no_version() -> None:
    admission = Admission([Known("max", SECRET)], _key, {})
    admission.admit(Login("max", "wrong", version="evil"), [])
    assert isinstance(admission.admit(Login("max", "sesame", version="1.0"), []), Admitted)
