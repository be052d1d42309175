"""Cards: the printed examples, round trips, errors that teach, and no traceback on any text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asserts import asserts
from bunraku.errors import BunrakuError, FormatError, InputError
from bunraku.gait1988.cards import (
    DynamicsDeck,
    GaitDeck,
    from_gait,
    read_dynamics_cards,
    read_gait_cards,
    to_gait,
    write_dynamics_cards,
    write_gait_cards,
)
from bunraku.gait1988.library import GAITS, flat, library_gait, stairs_up, usual
from bunraku.gait1988.pattern import Pattern

# Fig. 5.1 (without the listing's line numbers)
FIG_5_1 = """\
       2.0
   33   73
 BETA1
    6
    1   25   38   53   67   81
   -0.1396    0.1745    0.1047   -0.3839   -0.3665   -0.1396
 BETA2
    5
    1   35   43   50   81
   -0.1745    0.2268    0.5061    0.2094   -0.1745
"""
# Fig. 5.2
FIG_5_2 = """\
 BETA1 AND BETA2 ARE READ

     1.0     1.0
    0.20     0.6   0.035    0.02
               0.007                0.30                0.70                 1.8
                0.02                0.30                0.70                 1.8
               0.007                0.40                0.70                 1.8
               0.007                0.30                0.70                 2.0
               0.007                0.30                0.70                 1.6
"""
# Fig. 5.3
FIG_5_3 = """\
 BETA1 AND BETA2 ARE READ

     1.0     1.0
     0.2     0.6   0.035    0.02
          0.00083247          0.03079999          0.70261312          2.12083340
"""


@asserts("1988/fig-5.1", "1988/fig-5.2", "1988/fig-5.3", "1988/card-2")
def test_printed_examples() -> None:
    """Figs 5.1 and 5.2 give the flat gait with ZMP case V."""
    gait = to_gait(read_gait_cards(FIG_5_1), read_dynamics_cards(FIG_5_2), "flat")
    wanted = flat("V")
    assert gait.beta1 == wanted.beta1
    assert gait.beta2 == wanted.beta2
    assert (gait.zmp.until, gait.zmp.x) == (wanted.zmp.until, wanted.zmp.x)
    assert gait.starts == wanted.starts
    moma = read_dynamics_cards(FIG_5_3, one_start=True)
    assert moma.starts == ((0.00083247, 0.03079999, 0.70261312, 2.12083340),)


def test_round_trip_of_the_printed_examples() -> None:
    for text, read, write in (
        (FIG_5_1, read_gait_cards, write_gait_cards),
        (FIG_5_2, read_dynamics_cards, write_dynamics_cards),
        (FIG_5_3, read_dynamics_cards, write_dynamics_cards),
    ):
        once = read(text)
        assert read(write(once)) == once


@pytest.mark.parametrize("name", [n for n in GAITS if "stairs" not in n and n != "smooth"])
def test_library_gaits_survive_the_cards(name: str) -> None:
    """81 break points a pattern; our polylines have five decimals, as the cards do."""
    gait = library_gait(name)
    front, back = from_gait(gait)
    again = to_gait(
        read_gait_cards(write_gait_cards(front)), read_dynamics_cards(write_dynamics_cards(back)), gait.name
    )
    assert again.patterns == gait.patterns
    assert (again.zmp.until, again.zmp.x) == (gait.zmp.until, gait.zmp.x)


def test_what_cards_cannot_say() -> None:
    with pytest.raises(InputError, match="three places"):
        from_gait(flat("II"))
    with pytest.raises(InputError, match="three places"):
        from_gait(stairs_up())
    assert from_gait(usual("IV"))[1].t2 == 1.0


def test_fortran_reading() -> None:
    """Implied decimals, exponents, blanks as zero, and 2F10.6 for card 2."""
    text = (
        FIG_5_1.replace("       2.0", "   2000000")
        .replace("   33   73", "  33.      73.     ")
        .replace("    0.1745", "  1.745D-1")
    )
    assert read_gait_cards(text) == read_gait_cards(FIG_5_1)
    assert read_dynamics_cards(FIG_5_2.replace("    0.20     0.6", "            600")).t1 == 0.0


BAD = [
    ("", ":1:", "empty"),
    ("abc\n", ":1: column 1:", "'abc'"),
    ("       2.0\n", ":2:", "the file ends here"),
    ("       2.0\n   33   3x\n", ":2: column 6:", "'3x'"),
    ("       2.0\n   73   33\n", ":2: column 1:", "1 < ILSW < ILSUP < 81"),
    ("       2.0\n   33   73\nBETA1\n", ":3: column 1:", "'B'"),
    ("       2.0\n   33   73\n BETA1\n    1\n", ":4: column 1:", "2 to 81"),
    ("       2.0\n   33   73\n BETA1\n    2\n    1   80\n", ":6:", "the file ends here"),
    ("       2.0\n   33   73\n BETA1\n    2\n    1   80\n       0.1       0.1\n", ":5:", "end at 81"),
    ("       2.0\n   33   73\n BETA1\n    2\n    1   81   90\n", ":5: column 14:", "'90'"),
    ("       2.0\n   33   73\n BETA1\n    2\n    1   81\n       0.1       0.2\n", ":5:", "must agree"),
    ("       2.0\n   33   73\n BETA1\n    2\n    1   81\n       0.1      1..2\n", ":6: column 11:", "'1..2'"),
    ("\t2.0\n", ":1: column 1:", "tab"),
    ("       2.0 \u3042\n", ":1: column 12:", "ASCII"),
    ("      -2.0\n", ":1: column 1:", "0.05 to 60"),
    (" " * 85 + "2\n", ":1: column 81:", "80 columns"),
]


@pytest.mark.parametrize(("text", "where", "what"), BAD)
def test_bad_gait_cards_name_line_and_column(text: str, where: str, what: str) -> None:
    with pytest.raises(FormatError) as error:
        read_gait_cards(text, "walk.gait")
    assert str(error.value).startswith("walk.gait" + where), error.value
    assert what in str(error.value)


BAD_DYNAMICS = [
    ("x\n", ":1: column 1:", "blank first column"),
    (" a\n b\n     1.0\n", ":3: column 9:", "SFO"),
    (" a\n b\n     1.0     1.0\n     0.6     0.2   0.035    0.02\n", ":4: column 1:", "T1 <= T2"),
    (" a\n b\n     1.0     1.0\n     0.2     0.6   0.9      0.02\n", ":4: column 17:", "BE1"),
    (" a\n b\n     1.0     1.0\n     0.2     0.6   0.035    0.02\n      nan\n", ":5: column 1:", "'nan'"),
    (" a\n b\n     1.0     1.0\n     0.2     0.6   0.035    0.02\n  1E999\n", ":5: column 1:", "finite"),
]


@pytest.mark.parametrize(("text", "where", "what"), BAD_DYNAMICS)
def test_bad_bidyn_cards_name_line_and_column(text: str, where: str, what: str) -> None:
    with pytest.raises(FormatError) as error:
        read_dynamics_cards(text, "walk.bidyn")
    assert str(error.value).startswith("walk.bidyn" + where), error.value
    assert what in str(error.value)


def test_moma_takes_one_start() -> None:
    with pytest.raises(FormatError, match="5 starts"):
        read_dynamics_cards(FIG_5_2, one_start=True)


def quietly(read, text: str) -> None:  # type: ignore[no-untyped-def]
    """A reader either reads or raises one of our errors, with the place in front."""
    try:
        read(text)
    except BunrakuError as error:
        assert str(error).startswith("cards") or str(error).startswith("gait cards")


@settings(max_examples=400, deadline=None)
@given(st.text(max_size=400))
def test_any_text_gives_no_traceback(text: str) -> None:
    quietly(read_gait_cards, text)
    quietly(read_dynamics_cards, text)


card_alphabet = st.text(alphabet="0123456789 .+-EeDd\n\tBETA", max_size=300)


@settings(max_examples=400, deadline=None)
@given(st.integers(0, len(FIG_5_1)), st.integers(0, len(FIG_5_1)), card_alphabet)
def test_damaged_cards_give_no_traceback(a: int, b: int, piece: str) -> None:
    """The printed cards with a piece cut out and something else put in."""
    quietly(read_gait_cards, FIG_5_1[: min(a, b)] + piece + FIG_5_1[max(a, b) :])
    quietly(read_dynamics_cards, FIG_5_2[: min(a, b)] + piece + FIG_5_2[max(a, b) :])


angles = st.lists(st.integers(-300000, 300000).map(lambda k: k / 1e5), min_size=1, max_size=79)


@settings(max_examples=200, deadline=None)
@given(st.data(), angles)
def test_random_decks_survive_a_round_trip(data: st.DataObject, inner: list[float]) -> None:
    """Any polyline with five decimals reads back to the same numbers."""
    index = sorted(data.draw(st.sets(st.integers(2, 80), min_size=len(inner), max_size=len(inner))))
    pattern = Pattern("P", (1, *index, 81), (0.5, *inner, 0.5))
    deck = GaitDeck(data.draw(st.integers(1, 50)) / 10.0, 33, 73, (pattern, pattern))
    assert read_gait_cards(write_gait_cards(deck)) == deck
    starts = data.draw(st.lists(st.tuples(*[st.integers(-(10**9), 10**9).map(lambda k: k / 1e8)] * 4), max_size=4))
    dynamics = DynamicsDeck(("a", ""), 1.0, 0.5, 0.2, 0.6, 0.035, 0.02, tuple(starts))
    assert read_dynamics_cards(write_dynamics_cards(dynamics)) == dynamics
