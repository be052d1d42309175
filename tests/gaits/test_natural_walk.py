"""A person's walk kept up in the world on sensors alone, from standing to standing."""

import numpy as np
import pytest

from asserts import asserts
from bunraku.gaits.gait import walking_twin
from bunraku.gaits.natural_walk import NaturalWalk
from bunraku.gaits.natural_words import legs_of
from bunraku.gaits.stride_plan import Leg
from bunraku.gaits.walk_ways import walk as walk_as
from draws import fresh_rng

pytestmark = pytest.mark.slow


def loads(walk: NaturalWalk, seconds: float) -> np.ndarray:
    """(n, 2) weights on the feet, a row a millisecond, while it walks."""
    out, weight = [], walk.rigid.mass * 9.80665
    for _ in range(round(seconds / walk.world.dt)):
        walk.world.step(1)
        row = [0.0, 0.0]
        for c in walk.world.contacts:
            for f, side in enumerate(("left", "right")):
                if f"{side}_foot" in (c.bodies[0][1], c.bodies[1][1]):
                    row[f] += abs(float(c.force[2])) / weight
        out.append(row)
    return np.array(out)


def test_each_foot_comes_down_once_and_gently():
    """From standing to standing, with speeds that change: no touch before a landing above 2 % of the weight, and no
    landing (its first 80 ms) with more than 1.3 weights for 5 ms."""
    done = walk_as(footsteps="ten steps", speed=1.3)
    assert done.fell is None
    assert [t for x in done.report.descents for t in x.touches] == []
    assert max(x.mean_peak for x in done.report.descents) < 1.3
    assert len(done.report.descents) == 11


def test_from_the_slowest_to_the_fastest():
    """From standing to standing without a fall; up to 1.5 m/s no landing has more than 1.3 weights for 5 ms."""
    rng = fresh_rng()
    for low, high in ((0.3, 0.9), (0.9, 1.5), (1.5, 1.8)):
        speed = float(rng.uniform(low, high))
        done = walk_as(footsteps="ten steps", speed=speed)
        assert done.fell is None, speed
        assert speed > 1.5 or max(x.mean_peak for x in done.report.descents) < 1.3, speed


@asserts("1988/legs")
def test_at_people_s_speed_without_a_slap():
    """From standing to standing; in the steady walk the speed is what was asked, and no landing (its first 60 ms)
    reaches 1.3 weights for 5 ms."""
    walk = NaturalWalk(legs=[Leg(1.3, steps=12)])
    felt = loads(walk, walk.duration)
    assert walk.figure.q[2] > 0.95 * walk.high and walk.stands
    assert np.abs(walk.figure.v[:3]).max() < 0.05
    landings = [t for t, _, _ in walk.tracker.events]
    begin, end = landings[4], landings[8]
    means = np.stack([np.convolve(felt[:, f], np.ones(5) / 5, "same") for f in (0, 1)])
    for t, side, _ in walk.tracker.events[4:9]:
        k = round(t / 0.001)
        assert means[side, k - 10 : k + 60].max() < 1.3, t
    length = walk.strides.rows(6).plan.length
    assert 4 * length / (end - begin) == pytest.approx(1.3, rel=0.05)


def test_left_and_right_steps_are_alike():
    """Landings do not hang on a tenth of a millimetre: steps of the steady walk last within 3 % as long as each other,
    those of the left and of the right foot within 1 % in the mean."""
    speed = float(fresh_rng().uniform(0.8, 1.3))
    walk = NaturalWalk(legs=[Leg(speed, steps=20)]).run()
    lasting = np.diff([t for t, _, _ in walk.tracker.events])[6:16]
    assert np.ptp(lasting) < 0.03 * lasting.mean(), (speed, lasting)
    assert lasting[::2].mean() == pytest.approx(lasting[1::2].mean(), rel=0.01), speed


def test_any_person_on_rubber_at_any_speed():
    rng = fresh_rng()
    height, speed = float(rng.uniform(1.5, 1.9)), float(rng.uniform(0.8, 1.3))
    model = walking_twin(height, 24.0 * height**2).figure
    walk = NaturalWalk(model, [Leg(speed, steps=6)], bushes=True).run()
    assert walk.fell is None, (height, speed)


def test_so_many_metres():
    """On rigid feet; rubber ones give way, and the walk is shorter than its plan."""
    rng = fresh_rng()
    height, speed, metres = float(rng.uniform(1.5, 1.9)), float(rng.uniform(0.6, 1.4)), float(rng.uniform(2.2, 4.0))
    walk = NaturalWalk(walking_twin(height, 24.0 * height**2).figure, [Leg(speed, metres=metres)]).run()
    assert walk.fell is None, (height, speed)
    assert walk.planned_metres == pytest.approx(metres, abs=1e-3)
    assert walk.distance == pytest.approx(metres, abs=0.15), (height, speed)


def test_it_turns_and_changes_its_speed():
    walk = NaturalWalk(legs=legs_of("four steps at 1.0 m/s, turn 90 degrees, four steps at 0.8 m/s", 1.3)).run()
    assert walk.fell is None
    w, z = walk.figure.q[3], walk.figure.q[6]
    assert np.degrees(2 * np.arctan2(z, w)) == pytest.approx(90, abs=5)


def test_a_snapshot_goes_on_bit_for_bit():
    walk = NaturalWalk(legs=[Leg(1.0, steps=4)])
    walk.run(1.4)
    kept = walk.world.snapshot()
    walk.run(0.3)
    first = walk.figure.q.copy()
    walk.world.restore(kept)
    walk.run(0.3)
    assert np.array_equal(first, walk.figure.q)
