"""Footsteps in words, lists and files; impossible ones are refused in one sentence."""

from itertools import pairwise

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import BunrakuError, FormatError, InputError
from bunraku.humanoid.parts import humanoid
from bunraku.walking.footsteps import Footstep, beside, footsteps, read_footsteps, standing
from bunraku.walking.step_limits import overlap, possible


@pytest.fixture(scope="module")
def h():
    return humanoid(bk.human())


def middle(h, steps):
    """Where the figure stands in the end: (x, y, yaw)."""
    feet = list(standing(h))
    for s in steps:
        feet[s.side] = s
    x, y, _ = np.mean([f.position for f in feet], axis=0)
    assert np.isclose(feet[0].yaw, feet[1].yaw)
    apart = np.array(feet[0].position) - np.array(feet[1].position)
    assert np.allclose(apart, h.apart * np.array([-np.sin(feet[0].yaw), np.cos(feet[0].yaw), 0.0]))  # closed
    return x, y, feet[0].yaw


@pytest.mark.parametrize("yaw", [0.0, 0.5, np.pi / 2, -2.0])
def test_feet_are_put_beside_a_place(h, yaw):
    """The left foot half of `apart` to the left of the heading, the right one as far to the right."""
    left = np.array([-np.sin(yaw), np.cos(yaw)])
    for side, sign in ((0, 1.0), (1, -1.0)):
        step = beside(h, side, 0.3, -0.2, yaw, 0.1)
        assert step.side == side and step.yaw == yaw and step.position[2] == 0.1
        assert np.allclose(np.array(step.position[:2]) - [0.3, -0.2], sign * 0.5 * h.apart * left)


WORDS = [
    ("walk 3 m", (3.0, 0.0, 0.0), None),
    ("walk 300 cm back", (-3.0, 0.0, 0.0), None),
    ("turn 90 degrees", (0.0, 0.0, np.pi / 2), None),
    ("turn 90 degrees right", (0.0, 0.0, -np.pi / 2), None),
    ("turn right 0.5 rad", (0.0, 0.0, -0.5), None),
    ("Walk 1 m, turn 90 degrees then walk 2 m", (1.0, 2.0, np.pi / 2), None),
    ("five steps of 0.2 m", (0.8, 0.0, 0.0), 5),
    ("eight steps in place", (0.0, 0.0, 0.0), 8),
    ("walk 1 m, 3 steps on the spot slowly, turn 90 degrees", (1.0, 0.0, np.pi / 2), None),
    ("two steps back of 0.1 m", (-0.1, 0.0, 0.0), 2),
    ("3 steps left of 10 cm", (0.0, 0.3, 0.0), 6),
    ("walk 0.5 m to the right", (0.0, -0.5, 0.0), None),
]


@pytest.mark.parametrize("words, end, count", WORDS, ids=[w for w, _, _ in WORDS])
def test_words(h, words, end, count):
    steps = footsteps(words, h)
    assert np.allclose(middle(h, steps), end, atol=1e-12)
    assert count is None or len(steps) == count
    if "," not in words and "then" not in words:
        assert all(a.side != b.side for a, b in pairwise(steps))


def test_a_bend(h):
    x, y, yaw = middle(h, footsteps("walk 2 m turning 90 degrees", h))
    radius = 2.0 / (
        np.pi / 2
    )  # an arc of 2 m, up to its polygon: the chords of n steps are shorter than 1/24 (turn / n)^2 of it
    assert np.isclose(yaw, np.pi / 2) and np.allclose((x, y), radius, rtol=2e-3)


BAD = [
    ("dance", "'dance' is not understood"),
    ("walk 3 miles", "is not understood"),
    ("walk -3 m", "must be above 0"),
    ("", "no steps"),
    ("zero steps", "whole number from 1"),
    ("2.5 steps", "whole number"),
    ("99999 steps", "at most 1000"),
    ("walk 99999 m", "at most 1000"),
    ("5 steps of 2 m", r"step 1 of 5: 2.00 m ahead of the right foot is too much for 'human'; 0.\d+ m would do"),
]


@pytest.mark.parametrize("words, text", BAD, ids=[w for w, _ in BAD])
def test_bad_words(h, words, text):
    with pytest.raises(InputError, match=text):
        footsteps(words, h)


IMPOSSIBLE = [
    (Footstep(0, (0.9, 0.085, 0.0)), "ahead of the right foot"),
    (Footstep(0, (-0.9, 0.085, 0.0)), "behind the right foot"),
    (Footstep(0, (0.0, 1.4, 0.0)), "beside the right foot"),
    (Footstep(0, (0.2, 0.085, 0.9)), "above the right foot"),
    (Footstep(0, (0.3, 0.085, -0.4)), "below the right foot"),
    (Footstep(0, (0.0, 0.25, 0.0), 3.1), "degrees turned against the right foot"),
    (Footstep(0, (0.05, -0.05, 0.0)), "on the other foot"),
]


@pytest.mark.parametrize("step, text", IMPOSSIBLE, ids=[t for _, t in IMPOSSIBLE])
def test_impossible_steps(h, step, text):
    with pytest.raises(InputError, match=f"step 1 of 1.*{text}"):
        footsteps([step], h)


def test_what_would_do_does(h):
    with pytest.raises(InputError) as error:
        footsteps([Footstep(0, (0.9, 0.085, 0.0))], h)
    fits = float(str(error.value).split("; ")[1].split(" m would")[0])
    right = standing(h)[1]
    assert possible(h, [(Footstep(0, (fits, 0.085, 0.0)), right)])[0]
    assert not possible(h, [(Footstep(0, (fits + 0.03, 0.085, 0.0)), right)])[0]


def test_soles_that_overlap(h):
    left, right = standing(h)
    assert not overlap(h, left, right)
    assert overlap(h, Footstep(0, (0.0, 0.02, 0.0)), right)
    assert not overlap(h, Footstep(0, (0.0, 0.02, 0.3)), right)  # a stair above
    # toes turned in: corners meet before middles do
    assert overlap(h, Footstep(0, left.position, -0.6), Footstep(1, right.position, 0.6))


@pytest.mark.parametrize(
    "values", [(2, (0, 0, 0)), (0, (0, 0)), (0, (0, 0, np.nan)), (0, (0, 0, 0), np.inf), (0, (0, 0, 0), 0.0, (1, 0, 0))]
)
def test_bad_footsteps(values):
    with pytest.raises(InputError, match="Footstep"):
        Footstep(*values)


def test_files(h, tmp_path):
    file = tmp_path / "steps.toml"
    file.write_text('walk = "walk 1 m"\n')
    assert read_footsteps(file, h) == footsteps("walk 1 m", h)
    file.write_text(
        '[[step]]\nside = "left"\nat = [0.2, 0.085, 0.0]\nyaw = 10\n[[step]]\nside = "right"\nat = [0.2, -0.1, 0.0]\n'
    )
    a, b = read_footsteps(file, h)
    assert a.side == 0 and np.isclose(a.yaw, np.radians(10)) and b.position == (0.2, -0.1, 0.0)
    for text, words in (
        ("", "needs either walk"),
        ("walk = 3", "must be words"),
        ("wlak = 'walk 1 m'", "Closest: 'walk'"),
        ("step = 3", "written \\[\\[step\\]\\]"),
        ("[[step]]\nside = 'middle'\nat = [0, 0, 0]", "step 1: side must be"),
        ("[[step]]\nside = 'left'\nat = [0, 0]", "step 1: at must be three"),
        ("[[step]]\nside = 'left'\nat = [0, 0, 0]\nyaw = 'a'", "yaw must be a number"),
        ("[[step]]\nside = 'left'\nat = [0, 0, 0]\nnormal = [1, 0, 0]", "step 1: .*normal"),
        ("[[step]", "not TOML"),
    ):
        file.write_text(text)
        with pytest.raises(FormatError, match=words):
            read_footsteps(file, h)
    with pytest.raises(BunrakuError, match="cannot be read"):
        read_footsteps(tmp_path / "none.toml", h)


def test_steps_in_place_are_put_where_the_feet_stood(h):
    steps = footsteps("eight steps in place", h)
    assert [s.side for s in steps] == [0, 1] * 4
    for s in steps:
        assert s.position == standing(h)[s.side].position and s.yaw == 0.0 and s.seconds == steps[0].seconds
    assert footsteps("four steps in place briskly", h)[0].seconds < steps[0].seconds
