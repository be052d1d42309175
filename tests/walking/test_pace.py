"""The pace of a walk: its scaling, its words and times, what a natural style does; walked by servos and with the
stabiliser."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import FormatError, InputError
from bunraku.humanoid.parts import humanoid
from bunraku.walking.footsteps import Footstep, footsteps, read_footsteps
from bunraku.walking.pace import LEVEL, NATURAL, PACES, care_of, careful_step, pace_of
from bunraku.walking.walker import Walker
from bunraku.walking.walking_pattern import below, walking_pattern
from bunraku.walking.walking_torques import walking_torques


@pytest.fixture(scope="module")
def h():
    return humanoid(bk.human())


@pytest.fixture(scope="module")
def usual(h):
    return walking_pattern(h, footsteps("four steps", h))


def test_one_froude_number_for_all_sizes():
    """v^2 / (g l) of a child and a giant; and human() walks at 0.6 m/s or more."""
    froude = []
    for height in (0.9, 1.7, 2.5):
        h = humanoid(bk.human(height=height))
        p = pace_of(h)
        froude.append((p.step / p.time) ** 2 / (9.80665 * h.legs[0]))
        assert height != 1.7 or p.step / p.time > 0.6
    assert np.allclose(froude, froude[0], rtol=1e-3)


def test_paces_by_name_and_by_mapping(h):
    speeds = [pace_of(h, name).step / pace_of(h, name).time for name in PACES]
    assert speeds == sorted(speeds) and careful_step(h) < pace_of(h).step
    stated = humanoid(bk.human(), {"walk": {"step": 0.2, "single": 0.9, "double": 0.3}})
    p = pace_of(stated)
    assert (p.step, p.time, p.double) == pytest.approx((0.2, 1.2, 0.25)) and careful_step(stated) == 0.2
    assert care_of(stated) == (0.9, 0.3) and care_of(h, 0.2) == pytest.approx((0.9, 0.4))
    with pytest.raises(InputError, match="Closest: 'slowly'"):
        pace_of(h, "slowli")


@pytest.mark.parametrize(
    ("name", "longer", "slower"), [("slowly", 0.52, 1.25), ("usual", 1.0, 1.0), ("briskly", 1.1, 1.0)]
)
def test_a_pace_is_the_usual_step_times_its_length_and_its_time(h, name, longer, slower):
    """0.575 l and 2.47 sqrt(l / g) for a leg l, of which 0.14 on both feet."""
    leg, p = h.legs[0], pace_of(h, name)
    assert p.step == pytest.approx(longer * 0.575 * leg) and p.double == pytest.approx(0.14)
    assert p.time == pytest.approx(slower * 2.47 * np.sqrt(leg / 9.80665))


def test_words_say_the_pace(h):
    slow, free, brisk = (pace_of(h, name) for name in ("slowly", "usual", "briskly"))
    assert {s.seconds for s in footsteps("four steps", h)} == {free.time}
    assert {s.seconds for s in footsteps("four steps briskly", h)} == {brisk.time}
    ahead = footsteps("three steps", h, pace="slowly")
    assert {s.seconds for s in ahead} == {slow.time} and ahead[-1].position[0] == pytest.approx(2 * slow.step)
    mixed = footsteps("walk 1 m slowly, walk 1 m", h, pace="briskly")
    assert (mixed[0].seconds, mixed[-1].seconds) == (slow.time, brisk.time)
    for words in ("turn 40 degrees", "two steps back", "two steps left", "walk 1 m turning 40 degrees"):
        assert {s.seconds for s in footsteps(words, h)} == {slow.time}  # with care, unless it is said
    assert {s.seconds for s in footsteps("walk 4 m turning 20 degrees", h)} == {free.time}  # hardly a bend


def test_seconds_of_a_file(h, tmp_path):
    file = tmp_path / "steps.toml"
    rows = (
        '[[step]]\nside = "left"\nat = [0.1, 0.085, 0]\nseconds = {}\n[[step]]\nside = "right"\nat = [0.1, -0.085, 0]\n'
    )
    file.write_text(rows.format("1.1"))
    assert [s.seconds for s in read_footsteps(file, h)] == [1.1, None]
    for bad in ('"soon"', "true", "-1", "nan"):
        file.write_text(rows.format(bad))
        with pytest.raises(FormatError, match=r"step 1: .*seconds"):
            read_footsteps(file, h)
    with pytest.raises(InputError, match="seconds"):
        Footstep(0, (0.0, 0.1, 0.0), seconds=float("inf"))


def test_steps_keep_their_own_times(h):
    times = (0.7, 1.0, 0.8, 0.9)
    steps = [
        Footstep(k % 2, (0.15 * min(k + 1, 3), 0.085 - 0.17 * (k % 2), 0.0), seconds=t) for k, t in enumerate(times)
    ]
    p, part = walking_pattern(h, steps, start=1.2, dt=0.01), pace_of(h).double
    begin = 1.2
    for s, seconds in zip(steps, times):
        air = p.times[~p.contact[:, s.side] & (p.times > begin - 1e-9) & (p.times < begin + seconds)]
        assert air[0] == pytest.approx(begin, abs=0.0101) and air[-1] == pytest.approx(
            begin + (1 - part) * seconds, abs=0.0101
        )
        begin += seconds
    assert p.zmp_error < 1e-3
    assert walking_pattern(h, steps, single=0.7, double=0.2, dt=0.01).duration == pytest.approx(
        1.4 + 4 * 0.7 + 3 * 0.2 + 1.6
    )


def test_a_smooth_line_below_another():
    rng = np.random.default_rng(1)
    top = np.cumsum(rng.normal(size=400))
    line = below(top, 60)
    assert np.all(line <= top + 1e-12) and np.abs(np.diff(line, 2)).max() < np.abs(np.diff(top, 2)).max() / 10
    assert np.ptp(line[:3]) < 1e-12 and np.ptp(line[-3:]) < 1e-12  # at rest at both ends
    assert np.allclose(below(np.full(50, 3.0), 20), 3.0)


def test_hips_rise_over_the_foot_that_stands(usual):
    """By the style's part of a stiff leg's arc d^2 / (8 l), and no leg is stretched too far; with level hips the knees
    bend more."""
    h, z = usual.humanoid, usual.com[:, 2]
    step, leg = pace_of(h).step, h.legs[0]
    lifts = np.flatnonzero(np.diff(usual.contact.all(axis=1).astype(int)) == -1)
    lands = np.flatnonzero(np.diff(usual.contact.all(axis=1).astype(int)) == 1)
    both, one = (lands[1] + lifts[2]) // 2, (lifts[1] + lands[1]) // 2
    before = (lands[0] + lifts[1]) // 2
    assert z[one] - 0.5 * (z[both] + z[before]) == pytest.approx(NATURAL.bob * step**2 / (8 * leg), rel=0.1)
    hips = h.hips(usual.q)
    ankle = bk.kinematics(h.model, usual.q).position[:, [f.body for f in h.feet]]
    assert np.linalg.norm(hips - ankle, axis=2).max() < (NATURAL.stretch + 1e-3) * leg
    level = walking_pattern(h, usual.steps, style=LEVEL)
    assert np.ptp(level.com[:, 2]) < 1e-9 and level.com[one, 2] < z[one]


def test_toes_hang_and_clear_the_ground(usual):
    for f in usual.humanoid.feet:
        corners = usual.sole_position[:, f.side, None] + np.einsum(
            "nij,kj->nki", usual.sole_rotation[:, f.side], f.outline
        )
        assert corners[..., 2].min() > -1e-9
        down = np.arcsin(-usual.sole_rotation[:, f.side, 2, 0])
        assert down.min() > -1e-9 and np.abs(down[usual.contact[:, f.side]]).max() < 1e-9
    passing = np.abs(np.diff(usual.sole_position[:, :, 0], axis=1)[:, 0]) < 0.05
    alone = usual.contact[:, 0] != usual.contact[:, 1]
    rows = np.flatnonzero(
        passing & alone & (np.abs(usual.com[:, 0] - pace_of(usual.humanoid).step) < 0.1)
    )  # the second step
    corners = usual.sole_position[rows, 1, None] + np.einsum("nij,kj->nki", usual.sole_rotation[rows, 1], f.outline)
    assert len(rows) > 5 and corners[..., 2].min() > 0.02


def test_torques_keep_their_limits(usual):
    assert (np.abs(walking_torques(usual)) / usual.model.effort)[:, 6:].max() < 0.8


@pytest.mark.parametrize("contact", ["pgs", "virtual_link"])
def test_the_usual_pace_is_walked_by_servos(usual, contact):
    """No false contact of the figure's own links: the same bits where they pass through each other."""
    walks = [Walker(usual, contact=contact, self_collision=own).run() for own in (None, False)]
    assert all(w.fell is None and max(e.distance for e in w.footstep_error()) < 0.005 for w in walks)
    assert np.array_equal(walks[0].figure.q, walks[1].figure.q)


@pytest.mark.parametrize("bushes", [False, True])
def test_the_usual_pace_is_walked_with_the_stabiliser(usual, bushes):
    """In the plan's time: no landing is waited for by more than 20 ms."""
    walker = Walker(usual, bushes=bushes, stabiliser=True)
    assert walker.stabiliser is not None
    waited = []
    while walker.world.time < walker.duration and walker.fell is None:
        walker.run(0.02)
        waited.append(walker.stabiliser.stepping.waited)
    assert walker.fell is None and max(waited) < 0.021
    assert all(e.distance < 0.05 and abs(e.degrees) < 5.0 for e in walker.footstep_error())
