"""Feet of stabilised walks come down once: how their swings end, what a corner is asked for at least, and walks."""

from functools import cache

import numpy as np
import pytest

import bunraku as bk
from bunraku.control.foot_placement import SINK
from bunraku.control.soft_landing import SINKING
from bunraku.control.walking_plan import plan_of
from bunraku.humanoid.parts import humanoid
from bunraku.walking.footsteps import footsteps
from bunraku.walking.landings import landings
from bunraku.walking.nineteen_steps import nineteen_steps
from bunraku.walking.walk import walked
from bunraku.walking.walker import Walker, stabiliser_plan
from bunraku.walking.walking_pattern import walking_pattern
from draws import fresh_rng


@cache
def pattern_of(words, height=1.7):
    """A walk of a human figure."""
    h = humanoid(bk.human(height))
    return nineteen_steps(h) if words == "nineteen" else walking_pattern(h, footsteps(words, h))


def touches_of(pattern, folder, threshold, **how):
    """Walk it: (touches above the threshold, landings); it may not fall."""
    done = walked(Walker(pattern, stabiliser=True, **how), folder / "walk.bkr")
    done.recording.close()
    assert done.fell is None
    found = landings(done.report.loads)
    return [t.peak for x in found for t in x.touches if t.peak > threshold], found


@pytest.mark.parametrize("contact", ["pgs", "virtual_link"])
@pytest.mark.parametrize("rubber", [False, True])
@pytest.mark.parametrize(("words", "many"), [("ten steps", 10), ("eight steps in place", 8), ("nineteen", 19)])
def test_every_foot_is_put_down_once(words, many, rubber, contact, tmp_path):
    """No touch before a landing above 2 % of the weight on rigid feet, above 10 % on rubber."""
    found, all_ = touches_of(pattern_of(words), tmp_path, 0.10 if rubber else 0.02, contact=contact, bushes=rubber)
    assert found == [] and len(all_) == many
    assert max(x.mean_peak for x in all_) < 1.1  # the other foot's load comes over within the first 80 ms


@pytest.mark.parametrize("rubber", [False, True])
def test_and_in_walks_of_all_kinds(rubber, tmp_path):
    """Heights, lengths and ways drawn at random: of a hundred landings at most one is not clean, since a rigid foot may
    hit just after the stabiliser has looked."""
    rng = fresh_rng()
    many, bad = 0, 0
    for _ in range(4):
        length, count = rng.uniform(0.15, 0.5), int(rng.integers(4, 8))
        way = rng.choice(["", " back", " left"])
        words = f"{count} steps{way} of {length * (0.4 if way else 1.0):.2f} m"
        height = float(rng.uniform(1.5, 1.9))
        h = humanoid(bk.human(height))
        try:
            pattern = walking_pattern(h, footsteps(words, h))
        except bk.InputError:
            continue
        found, all_ = touches_of(pattern, tmp_path, 0.10 if rubber else 0.02, bushes=rubber)
        many, bad = many + len(all_), bad + len(found)
    assert bad <= 1, (many, bad)


def test_a_foot_that_stands_is_asked_for_a_share():
    """Both feet down: the torques are those of forces of which each foot has its least share, each corner a quarter of
    it; the cones of the forces begin there."""
    walker = Walker(pattern_of("eight steps in place"), stabiliser=True)
    b = walker.stabiliser.room.b
    p, seen = b.problem, 0
    for _ in range(1500):
        walker.world.step(2)
        n = p.count.contacts
        if b.step.standing[0] == b.step.standing[1] == 1.0:
            seen += 1
            for f in (0, 1):
                share = b.ask.least[f]
                assert share in (0.1, pytest.approx(0.04))
                up = p.force[:n, 2][p.contact_body[:n] == b.body[f]]
                assert len(up) == 4 and up.min() > 0.95 * 0.25 * share * b.figure.heavy
        else:
            assert b.ask.least[0] == b.ask.least[1] == 0.0
    assert 100 < seen < 1400


def test_a_swing_ends_in_a_slow_fall():
    """The sole is where it was planned at lift, top and landing; before the landing it sinks with SINK; its height is
    the integral of its rate."""
    pattern = pattern_of("ten steps")
    dt = 0.002
    p, h = pattern.at_rate(dt), pattern.humanoid
    plain = plan_of(h.model, h.feet, h.trunk, dt, q=p.q, v=p.v, contact=p.contact, load=p.load, zmp=p.zmp)
    soft = stabiliser_plan(pattern, dt)
    for side, lift, landing in soft.swings[1:-1]:
        z, rate = soft.rows.column("foot")[:, side, 2], soft.rows.column("foot_rate")[:, side, 2]
        before = plain.rows.column("foot")[:, side, 2]
        top = lift + int(np.argmax(before[lift:landing]))
        for row in (lift, top, landing):
            assert z[row] == pytest.approx(before[row], abs=1e-9)
        late = slice(landing - round(0.9 * SINKING / dt), landing)
        assert rate[late] == pytest.approx(-SINK, abs=2e-3)
        assert np.all(z[top:landing] <= before[top:landing] + 0.5 * SINK * SINKING + 2e-3)
        way = np.cumsum(0.5 * (rate[lift:landing] + rate[lift + 1 : landing + 1])) * dt
        assert way == pytest.approx(z[lift + 1 : landing + 1] - z[lift], abs=1e-4)
        assert np.array_equal(soft.rows.column("foot")[:, side, :2], plain.rows.column("foot")[:, side, :2])
