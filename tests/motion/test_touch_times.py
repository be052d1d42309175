"""Touch and lift of heel and toe: in walks of our own, with and without noise, within 25 ms of where they leave the floor;
both feet stand in every step of captured walks."""

from itertools import pairwise

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import InputError
from bunraku.formats.bvh_motion import from_motion, load_bvh, to_motion
from bunraku.humanoid.foot_loads import runs
from bunraku.motion.filter import even
from bunraku.motion.footing import find_feet
from bunraku.motion.retarget import retarget
from bunraku.motion.touch_times import cheapest_way, floor_below, needed
from draws import fresh_seed
from motion_data import UNIT, captured, shaken

ON_FLOOR = 1e-3  # m: an edge that is lower touches


def random_walk(rng):
    """A walk of our own at 0.8 to 1.5 m/s where the figure can, of five steps."""
    while True:
        length, single, double = rng.uniform(0.4, 0.65), rng.uniform(0.34, 0.5), rng.uniform(0.07, 0.16)
        if 0.8 <= length / (single + double) <= 1.5:
            try:
                return bk.walk_motion(bk.human(), 5, length=length, single=single, double=double, fps=120.0)
            except InputError:  # the figure cannot: its ranges are not those of every walk
                continue


def touching(motion, feet):
    """(4, n): heels and toes that are on the floor, and how."""
    k, out = bk.kinematics(motion.model, motion.q), []
    for f in feet:
        corners = k.position[:, f.foot.body, None] + np.einsum(
            "nij,kj->nki", k.rotation[:, f.foot.body], f.foot.corners
        )
        out += [corners[:, pair].mean(axis=1)[:, 2] < ON_FLOOR for pair in ([0, 1], [2, 3])]
    return np.array(out)


@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_touch_and_lift_of_our_own_walks(noise):
    """Parameters and seeds drawn anew; noise of 0.3 degrees and 2 mm on every channel."""
    seed = fresh_seed()
    rng = np.random.default_rng(seed)
    for _ in range(2):
        walk = random_walk(rng)
        file = from_motion(walk)
        if noise:
            shaken(file, 0.3 * noise, 0.2 * noise, seed=int(rng.integers(1 << 30)))
        motion = even(retarget(to_motion(file), bk.human()))
        feet = find_feet(motion)
        found = [x for f in feet for x in (f.heel, f.toe)]
        for edge, (is_, was) in enumerate(zip(found, touching(walk, feet))):
            one, two = (
                [(t.times[a], t.times[min(b, len(t) - 1)]) for a, b in runs(x)] for t, x in ((motion, is_), (walk, was))
            )
            assert len(one) == len(two), (seed, edge)
            assert np.abs(np.array(one) - np.array(two)).max() < 0.0251 + 1 / 120, (seed, edge)  # and a frame


@pytest.mark.parametrize("name", ["02_01", "12_01", "16_20", "69_13_first_6s"])
def test_captured_walks_stand_on_both_feet_in_every_step(name):
    motion = even(retarget(load_bvh(captured(name), scale=UNIT), bk.human()))
    on = np.array([f.touches for f in find_feet(motion)])
    assert on.any(axis=0).all()
    both = [b - a for a, b in runs(on.all(axis=0)) if a > 0 and b < on.shape[1]]
    assert len(both) >= 3 and 0.08 < np.median(both) / 120 < 0.2


def test_the_cheapest_way_is_that_of_all():
    rng = np.random.default_rng(4)
    cost, change = rng.uniform(size=(3, 5)), rng.uniform(size=(3, 3))
    np.fill_diagonal(change, 0.0)
    ways = [[(w // 3**k) % 3 for k in range(5)] for w in range(3**5)]
    price = [cost[w, np.arange(5)].sum() + sum(change[a, b] for a, b in pairwise(w)) for w in ways]
    assert list(cheapest_way(cost, change)) == ways[int(np.argmin(price))]


def test_what_a_motion_needs():
    """A stiff figure that sways by A sin(w t) needs its zero-moment point at (A + A w^2 z / g) sin(w t), and its weight."""
    model, t = bk.human(), np.arange(400) / 100
    q = np.tile(model.neutral(), (400, 1))
    amplitude, omega = 0.02, 2 * np.pi * 0.8
    q[:, 0] += amplitude * np.sin(omega * t)
    point, load = needed(bk.Motion(model, t, q), 0.01)
    com = bk.centroidal(model, model.neutral()).com
    wanted = com[0] + amplitude * (1 + omega**2 * com[2] / 9.80665) * np.sin(omega * t)
    assert np.abs(point[50:-50, 0] - wanted[50:-50]).max() < 1e-3 and np.abs(point[:, 1] - com[1]).max() < 1e-6
    assert np.abs(load[50:-50] - 1).max() < 1e-6


def test_the_floor_below_a_foot():
    """A foot that rests at two heights, and dips between."""
    z = np.concatenate([np.full(60, 0.01), 0.1 * np.sin(np.linspace(0, np.pi, 40)) - 0.02, np.full(60, 0.03)])
    x = np.concatenate([np.zeros(60), np.linspace(0, 0.6, 40), np.full(60, 0.6)])
    corners = np.zeros((160, 4, 3))
    corners[:, :, 0], corners[:, :, 2] = x[:, None], z[:, None]
    floor = floor_below(corners, 1 / 120)
    assert floor[5] == pytest.approx(0.01, abs=1e-3) and floor[-5] == pytest.approx(0.03, abs=1e-3)
