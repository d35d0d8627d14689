"""The quick way to write a ply must give what the slow way gives."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sternhalma import Seat
from sternhalma_server.happening import Evidence, Happening, Ply
from sternhalma_server.record import format_happening, parse_happening
from sternhalma_server.recording import line_of, recorded, resumed

LETTERS = ["A", "D"]
times = st.integers(min_value=0, max_value=2**62)

plies = st.builds(
    Ply,
    number=st.integers(min_value=1, max_value=999_999),
    seat=st.sampled_from([Seat(0), Seat(1)]),
    path=st.sampled_from(["d5-e5", "a5-c7-e7", "n10-m10"]),
    source=st.none(),
    charged=st.integers(min_value=0, max_value=10**14),
    left=st.none() | st.integers(min_value=0, max_value=10**14),
    evidence=st.builds(
        Evidence,
        sent=times,
        received=times,
        late=st.integers(min_value=0, max_value=10**12),
        credit=st.none() | st.integers(min_value=0, max_value=10**12),
    ),
    offers_draw=st.booleans(),
)


@given(plies)
def test_the_line_of_a_ply_is_the_line_that_records_have(ply: Happening) -> None:
    assert line_of(LETTERS, ply) == format_happening(recorded(LETTERS, ply))


@given(plies)
def test_a_ply_comes_back_from_its_line_but_for_what_a_text_leaves_out(ply: Happening) -> None:
    (again,) = resumed(LETTERS, [parse_happening(line_of(LETTERS, ply))])
    assert line_of(LETTERS, again) == line_of(LETTERS, ply)
