import msgspec
import pytest

from sternhalma_tournament.event import (
    FORMATS,
    LADDER_SPREAD,
    LEAGUE_FORMATS,
    Event,
    entries_of,
    event_schema,
    sides_of,
)
from sternhalma_tournament.event_file import parse_event
from sternhalma_tournament.reading import EventFileError

HEAD = 'name = "cup"\nrules = "tara"\nplayers = 2\nclock = "2s"\n'
BOTS = '[[bots]]\nname = "zoe"\ncommand = "zoe --fast"\n[[bots]]\nname = "max"\nremote = true\n'


def parse(text: str) -> Event:
    return parse_event(text.encode(), "cup.toml")


def refusal(text: str) -> str:
    with pytest.raises(EventFileError) as caught:
        parse(text)
    return str(caught.value)


def test_the_smallest_event_gets_the_documented_defaults() -> None:
    event = parse(HEAD + BOTS)
    assert (event.format, event.cycles, event.seed, event.opening) == ("round-robin", 1, 0, 0)
    assert (event.limit, event.at_limit, event.parallel) == (None, None, None)
    assert (event.draws, event.tries) == (False, 0)
    assert event.tie_breaks == ("direct-encounter", "sonneborn-berger", "wins")


def test_a_command_may_be_one_string_or_a_list() -> None:
    event = parse(
        HEAD
        + '[[bots]]\nname = "a"\ncommand = "run \'my bot\' -x"\n'
        + '[[bots]]\nname = "b"\ncommand = ["run", "my bot"]\n'
    )
    assert event.bots[0].argv == ("run", "my bot", "-x")
    assert event.bots[1].argv == ("run", "my bot")


def test_a_remote_bot_has_no_command_line() -> None:
    assert parse(HEAD + BOTS).bots[1].argv == ()


def test_a_mistyped_key_is_answered_with_the_right_one() -> None:
    assert refusal("plyers = 2\n" + HEAD + BOTS) == (
        "cup.toml: plyers: unknown key, did you mean 'players'?"
    )


def test_a_mistyped_key_of_a_bot_is_named_with_its_table() -> None:
    text = HEAD + BOTS + '[[bots]]\nnmae = "x"\n'
    assert refusal(text) == "cup.toml: bots[3].nmae: unknown key, did you mean 'name'?"


def test_a_key_like_no_other_is_answered_with_the_list() -> None:
    assert "zzz: unknown key, expected one of name, rules," in refusal("zzz = 1\n" + HEAD + BOTS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            HEAD.replace("= 2", '= "two"') + BOTS,
            "players: expected 2, 3, 4 or 6 players a game, got",
        ),
        (HEAD.replace("= 2", "= 5") + BOTS, "players: expected 2, 3, 4 or 6 players a game, got 5"),
        (HEAD.replace("cup", "a b") + BOTS, "name: expected 1 to 64 of"),
        (HEAD.replace('"cup"', '"cup\\n"') + BOTS, "name: expected 1 to 64 of"),
        ("cycles = 0\n" + HEAD + BOTS, "cycles: expected a whole number from 1, got 0"),
        ("cycles = 1.5\n" + HEAD + BOTS, "cycles: expected a whole number from 1, got 1.5"),
        ("seed = -1\n" + HEAD + BOTS, "seed: expected a whole number from 0"),
        ("draws = 1\n" + HEAD + BOTS, "draws: expected true or false, got 1"),
        ('at_limit = "split"\n' + HEAD + BOTS, "at_limit: expected 'share' or 'progress'"),
        ('tie_breaks = ["luck"]\n' + HEAD + BOTS, "tie_breaks: expected a list of direct-"),
        ('tie_breaks = ["wins", "wins"]\n' + HEAD + BOTS, "tie_breaks[2]: expected each tie-break"),
        (HEAD + "bots = 3\n", "bots: expected at least two [[bots]] tables, got 3"),
        (HEAD + "bots = [1, 2]\n", "bots[1]: expected a table, got 1"),
        (HEAD, "bots: expected at least two [[bots]] tables, got no such key"),
        (BOTS, "name: expected 1 to 64 of"),
        (HEAD + BOTS.replace("remote = true", ""), "bots[2]: expected either command or remote"),
        (HEAD + BOTS + 'command = "x"\n', "bots[2]: expected either command or remote"),
        (HEAD + BOTS.replace("zoe --fast", "'zoe"), "bots[1].command: expected a command with"),
        (HEAD + BOTS.replace("zoe --fast", " "), "bots[1].command: expected a program to start"),
        (HEAD + BOTS.replace('"zoe --fast"', "[]"), "bots[1].command: expected a program to"),
        (
            HEAD + BOTS.replace('"max"', '"ZOE"'),
            "bots[2].name: expected a name unlike that of bots",
        ),
        (HEAD + BOTS + 'token = "abc"\n', "bots[2].token: expected 'sha256:' and 64"),
        (HEAD + BOTS + "connections = 0\n", "bots[2].connections: expected games at once"),
        (
            HEAD.replace("= 2", "= 3") + BOTS,
            "bots: expected at least 3 for 3 players a game, got 2",
        ),
        (HEAD + BOTS[: BOTS.index("[[bots]]", 2)], "bots: expected at least 2"),
        (HEAD + "[[bots]\n", "expected TOML, got: "),
    ],
)
def test_what_does_not_fit_is_refused_by_name(text: str, expected: str) -> None:
    assert refusal(text).startswith(f"cup.toml: {expected}")


def test_a_token_needs_a_remote_bot() -> None:
    token = f'token = "sha256:{"0" * 64}"\n'
    assert parse(HEAD + BOTS + token).bots[1].token is not None
    text = HEAD + BOTS.replace('fast"\n', f'fast"\n{token}')
    assert "bots[1].token: expected a token only with remote" in refusal(text)


def test_bytes_that_are_no_text_are_refused_with_their_place() -> None:
    with pytest.raises(EventFileError, match=r"cup\.toml: expected UTF-8, got byte 1 wrong"):
        parse_event(b"a\xff", "cup.toml")


PAIRS = '[[pairs]]\nname = "both"\nbots = ["zoe", "max"]\n'
MORE = '[[bots]]\nname = "eve"\nremote = true\n'
PAIRED = HEAD.replace("tara", "corner+pairs").replace("= 2", "= 4")


def test_named_pairs_are_the_entries() -> None:
    text = PAIRED + BOTS + MORE + PAIRS + '[[pairs]]\nname = "solo"\nbots = ["eve", "eve"]\n'
    event = parse(text)
    assert [(entry.name, entry.bots) for entry in entries_of(event)] == [
        ("both", ("zoe", "max")),
        ("solo", ("eve", "eve")),
    ]
    assert sides_of(event) == 2


def test_without_named_pairs_each_bot_is_its_own_partner() -> None:
    event = parse(PAIRED + BOTS)
    assert [entry.bots for entry in entries_of(event)] == [("zoe",), ("max",)]
    assert sides_of(event) == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HEAD + BOTS + PAIRS, "pairs: expected rules with the option pairs, got 'tara'"),
        (PAIRED + BOTS + PAIRS.replace('"max"', '"bob"'), "pairs[1].bots: expected the name of a"),
        (PAIRED + BOTS + PAIRS.replace(', "max"', ""), "pairs[1].bots: expected a list of two"),
        (PAIRED + BOTS + MORE + PAIRS, "bots[3].name: expected a bot that is in a pair, got 'eve'"),
        (PAIRED + BOTS + PAIRS, "pairs: expected at least 2 for 4 players a game, got 1"),
        (
            PAIRED + BOTS + PAIRS + PAIRS.replace("both", "again"),
            "pairs[2].bots: expected a bot that is not in pairs[1] already, got 'zoe'",
        ),
        (PAIRED.replace("= 4", "= 3") + BOTS, "players: expected 4 or 6 with the option pairs"),
    ],
)
def test_pairs_that_cannot_play_are_refused(text: str, expected: str) -> None:
    assert refusal(text).startswith(f"cup.toml: {expected}")


def test_the_schema_knows_every_key_and_no_other() -> None:
    schema = event_schema()
    event = schema["$defs"]["Event"]
    assert set(event["properties"]) == {f.encode_name for f in msgspec.structs.fields(Event)}
    assert event["additionalProperties"] is False
    assert msgspec.json.encode(schema)


LEAGUE = 'name = "cup"\nrules = "tara"\nplayers = 2\nclock = "2s"\n'


def league_event(text: str, *, draft: bool = False) -> Event:
    return parse_event(text.encode(), "cup.toml", LEAGUE_FORMATS, draft=draft)


def test_a_draft_of_a_league_may_lack_entries_that_are_to_come() -> None:
    assert league_event(LEAGUE, draft=True).bots == ()
    with pytest.raises(EventFileError, match="bots: expected at least 2 for 2 players a game"):
        league_event(LEAGUE)
    assert len(league_event(f'{LEAGUE}[[bots]]\nname = "a"\n[[bots]]\nname = "b"\n').bots) == 2


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("remote = true", r"bots\[1\]: expected a name and nothing else of a bot of the league"),
        ("connections = 2", r"bots\[1\]: expected a name and nothing else"),
        ("[limits]\nmemory = 64", "limits: expected this key in the league's file only"),
        ('[tls]\ncert = "a"\nkey = "b"', "tls: expected this key in the league's file only"),
    ],
)
def test_an_event_of_a_league_says_who_plays_and_no_more(text: str, error: str) -> None:
    with pytest.raises(EventFileError, match=error):
        league_event(f'{LEAGUE}[[bots]]\nname = "a"\n{text}\n', draft=True)


def test_a_ladder_takes_a_league_and_names_no_bots() -> None:
    ladder = league_event(f'{LEAGUE}format = "ladder"\n')
    assert (ladder.spread, ladder.bots) == (LADDER_SPREAD, ())
    assert league_event(f'{LEAGUE}format = "ladder"\nspread = 3\n').spread == 3
    with pytest.raises(EventFileError, match="bots: expected none with format 'ladder'"):
        league_event(f'{LEAGUE}format = "ladder"\n[[bots]]\nname = "a"\n')
    with pytest.raises(EventFileError, match="cycles: expected this key only with format"):
        league_event(f'{LEAGUE}format = "ladder"\ncycles = 2\n')
    with pytest.raises(EventFileError, match="format: expected an event with an end, a ladder"):
        parse_event(f'{LEAGUE}format = "ladder"\nbots = []\n'.encode(), "cup.toml", FORMATS)
