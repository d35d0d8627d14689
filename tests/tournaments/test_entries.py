import pytest

from sternhalma_tournament.entries import Entry, bots_by_seat


def test_partners_sit_one_side_apart() -> None:
    entries = (Entry("x", ("a", "b")), Entry("y", ("c", "d")), Entry("z", ("e",)))
    assert bots_by_seat(entries, players=6) == ("a", "c", "e", "b", "d", "e")


def test_seats_that_do_not_divide_are_refused() -> None:
    with pytest.raises(ValueError, match="share 4 seats evenly, got 3 entries"):
        bots_by_seat(tuple(Entry(name, (name,)) for name in "abc"), players=4)


def test_an_entry_has_one_bot_or_two() -> None:
    with pytest.raises(ValueError, match="expected one or two bots in entry 'x'"):
        Entry("x", ("a", "b", "c"))
