"""Inverse kinematics: targets reached within limits, unreachable ones approached as near as possible, fixed joints
kept."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.model.limits import clamp_balls

HUMAN = bk.human()
ENDS = ("left_hand", "right_hand", "left_foot", "right_foot", "pelvis")


def posed(seed: int) -> np.ndarray:
    """A pose inside all limits, not far from standing."""
    q = bk.integrate(HUMAN, HUMAN.neutral(), 0.4 * np.random.default_rng(seed).normal(size=HUMAN.nv))
    q = clamp_balls(HUMAN, q)
    for j in HUMAN.joints:
        if j.kind == "hinge":
            q[j.iq] = abs(q[j.iq])
    return q


@pytest.mark.parametrize("seed", range(8))
def test_five_frames_at_once(seed):
    k = bk.kinematics(HUMAN, posed(seed))
    r = bk.inverse_kinematics(HUMAN, [bk.Target(f, *k.pose(f)) for f in ENDS])
    assert r.reached and r.position_error < 1e-6 and r.rotation_error < 1e-5
    assert not bk.within_limits(HUMAN, r.q, 1e-9)
    got = bk.kinematics(HUMAN, r.q)
    for f in ENDS:
        assert np.allclose(got.pose(f)[0], k.pose(f)[0], atol=1e-6)
        assert np.allclose(got.pose(f)[1], k.pose(f)[1], atol=1e-5)


def test_unreachable_target_is_approached():
    """A two-link arm of length 2 cannot reach 3 m: it stretches towards the target, 1 m short."""
    fig = bk.Description("arm")
    fig.add("upper", None, bk.hinge("a", (0, 1, 0)), mass=1, moments=(1, 1, 1))
    fig.add("lower", "upper", bk.hinge("b", (0, 1, 0)), at=(1, 0, 0), mass=1, moments=(1, 1, 1))
    fig.frame("tip", "lower", (1, 0, 0))
    r = bk.inverse_kinematics(m := fig.build(), bk.Target("tip", (0, 0, 3)), np.array([-0.5, -0.5]))
    assert not r.reached
    assert r.position_error == pytest.approx(1.0, abs=1e-6)
    assert np.allclose(bk.kinematics(m, r.q).pose("tip")[0], (0, 0, 2), atol=1e-3)


def test_limits_hold_and_the_nearest_point_is_found():
    fig = bk.Description("door")
    fig.add("door", None, bk.hinge("h", (0, 0, 1), lower=-0.5, upper=0.5), mass=1, moments=(1, 1, 1))
    fig.frame("edge", "door", (1, 0, 0))
    m = fig.build()
    r = bk.inverse_kinematics(m, bk.Target("edge", (0, 1, 0)))
    assert r.q[0] == pytest.approx(0.5) and not r.reached


def test_fixed_joints_stay():
    q0 = HUMAN.neutral()
    r = bk.inverse_kinematics(HUMAN, bk.Target("left_hand", (0.4, 0.3, 1.2)), fixed=["root", "waist"])
    assert r.reached
    for name in ("root", "waist"):
        assert np.allclose(r.q[HUMAN.joint(name).q], q0[HUMAN.joint(name).q])


def test_rest_posture_decides_what_targets_leave_open():
    target = bk.Target("left_hand", (0.3, 0.3, 1.2), weight=1e4)
    rest = HUMAN.neutral()
    rest[HUMAN.joint("right_elbow").iq] = 1.0
    r = bk.inverse_kinematics(HUMAN, target, rest=rest, rest_weight=1e-4)
    assert r.q[HUMAN.joint("right_elbow").iq] == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(
    "bad",
    [
        lambda: bk.inverse_kinematics(HUMAN, bk.Target("left_hand")),
        lambda: bk.inverse_kinematics(HUMAN, bk.Target("nose", (0, 0, 0))),
        lambda: bk.inverse_kinematics(HUMAN, bk.Target("left_hand", (0, np.nan, 0))),
        lambda: bk.inverse_kinematics(HUMAN, bk.Target("left_hand", (0, 0, 0)), np.zeros(3)),
        lambda: bk.inverse_kinematics(HUMAN, bk.Target("left_hand", (0, 0, 0)), fixed=["nose"]),
    ],
)
def test_bad_targets(bad):
    with pytest.raises(bk.BunrakuError):
        bad()
