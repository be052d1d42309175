"""The shipped gaits: made of mechanics, blended by speed, scaled to any figure; walks begin and end standing."""

import numpy as np
import pytest

from bunraku.dynamics.functions import centroidal, kinematics
from bunraku.errors import InputError
from bunraku.gaits.gait_figures import gait_figures
from bunraku.gaits.gait_library import SPEEDS, check_speed, file_of, gait_at, shipped, transition
from bunraku.gaits.make_gait import plan_of
from bunraku.gaits.standing_pose import standing_pose
from draws import fresh_rng


def test_shipped_gaits_keep_the_laws_and_are_small():
    for name in (*SPEEDS, "start", "stop"):
        assert shipped(name).residual() < 1e-4, name
        assert file_of(name).stat().st_size < 40_000, name
    assert [shipped(s).plan.speed for s in SPEEDS] == pytest.approx(SPEEDS)
    assert shipped(1.3).plan == plan_of(1.3)


def test_a_blend_nearly_keeps_the_laws():
    speed = float(fresh_rng().uniform(0.85, 1.25))
    gait = gait_at(speed)
    assert gait.plan.speed == pytest.approx(speed)
    assert gait.residual() < 0.25
    figures = gait_figures(gait)
    assert figures["knee in midstance"] < 12.0 and 50 < figures["knee in swing"] < 70


def test_another_figure_by_the_froude_number():
    assert gait_at(1.3 * np.sqrt(1.2 / 1.7), 1.2, 25.0).plan.length == pytest.approx(
        gait_at(1.3).plan.length * 1.2 / 1.7
    )


def test_speeds_that_are_no_walk_are_said():
    for speed in (0.1, 2.4, -1.0, "fast"):
        with pytest.raises(InputError, match=r"no natural walk of a figure of 1.70 m; give 0.30 to 1.80 m/s"):
            check_speed(speed)


@pytest.mark.parametrize("kind", ["start", "stop"])
def test_a_start_leads_from_standing_into_the_walk_and_a_stop_out_of_it(kind):
    gait, walk = transition(kind), shipped(0.8)
    p, name = gait.plan, gait.twin.index
    stand = standing_pose(gait.twin, p.width, 0.19, 0.06)
    Q, V, _ = gait.at(np.array([0.0, p.seconds]))
    rest, moving = (0, 1) if kind == "start" else (1, 0)
    assert np.abs(Q[rest] - stand).max() < 0.05  # one node beside it, of 28 ms, is free
    joined, rate, _ = walk.at(np.array([walk.plan.seconds if kind == "start" else 0.0]))
    assert np.abs(Q[moving] - joined[0]).max() < 0.05
    assert V[moving, name["x"]] == pytest.approx(rate[0, name["x"]], abs=0.2)  # the tracker makes up for the rest


def test_standing_is_flat_and_balanced():
    gait = shipped(1.3)
    width = float(fresh_rng().uniform(0.13, 0.22))
    Q = standing_pose(gait.twin, width, 0.19, 0.06)
    k, com = kinematics(gait.twin.model, Q), centroidal(gait.twin.model, Q).com
    for side, out in (("left", 0.5), ("right", -0.5)):
        assert k.pose(f"{side}_heel")[0] == pytest.approx([0.0, out * width, 0.0], abs=1e-9)
        assert k.pose(f"{side}_foot")[1] == pytest.approx(np.eye(3), abs=1e-3)  # turned by hip and ankle together
    assert com[:2] == pytest.approx([0.095, 0.0], abs=1e-9)
