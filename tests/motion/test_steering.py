"""Steering: a plan that is made anew begins where the figure is and comes back; later stances move, those that stand do
not."""

import numpy as np

from bunraku.motion.com_plan import Begin
from bunraku.motion.footing import find_feet
from bunraku.motion.steering import Steering
from motion_data import jog, walk


def test_a_new_plan_begins_where_the_figure_is_and_comes_back():
    motion = walk()
    steer = Steering(motion, find_feet(motion), None, 0.015, 0.8)
    t = float(motion.times[100])
    place, rate, _ = steer.plan.at(t)
    turning = steer.plan.spin(t)[0]
    assert not steer.leaves(Begin(place, rate, turning), t)
    pushed = Begin(place + np.array([0.02, 0.01, -0.005]), rate + np.array([0.1, -0.1, 0.0]), turning + 1.0)
    assert steer.leaves(Begin(place + 0.06, rate, turning), t)
    before = steer.feet
    steer.renew(100, pushed)
    c, v, _ = steer.now.at(t)
    assert np.abs(c - pushed.com).max() < 1e-3 and np.abs(v - pushed.rate).max() < 5e-3
    assert np.abs(steer.now.spin(t)[0] - pushed.momentum).max() < 0.5
    later = t + 1.5
    assert np.linalg.norm(steer.now.at(later)[0] - steer.plan.at(later)[0]) < 0.02
    for old, new in zip(before, steer.feet):  # nobody moves a foot that stands
        for a, b in zip(old.stances, new.stances):
            if a.first <= 100 < a.end:
                assert np.array_equal(a.place, b.place)


def test_a_run_is_planned_with_flights_that_fall_freely():
    motion = jog()
    steer = Steering(motion, find_feet(motion), None, 0.015, 0.8)
    air = ~np.any([f.touches for f in steer.feet], axis=0)
    assert steer.flies and 0.12 < air.mean() < 0.4
    inside = air & np.roll(air, 1) & np.roll(air, -1)
    acc = np.array([steer.plan.at(t)[2] for t in motion.times[inside]])
    turn = np.array([steer.plan.spin(t)[1] for t in motion.times[inside]])
    weight = motion.model.mass * 9.80665
    assert np.abs(acc - [0.0, 0.0, -9.80665]).max() < 0.3 and np.abs(turn[:, :2]).max() < 0.01 * weight  # a centimetre
    assert np.all(steer.plan.load[~air] > 0) and np.all(steer.plan.load[air] == 0)
    c = steer.plan.spline(motion.times)
    assert np.abs(np.diff(c[:, 0]) * 120 - 0.9 / 0.35).max() < 0.6  # it keeps its speed
