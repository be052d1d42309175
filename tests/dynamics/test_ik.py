"""Inverse kinematics: targets reached within limits, unreachable ones approached as near as possible, fixed joints kept;
batches, warm starts, the centre of mass, exact targets and soft ranges."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.dynamics.ik_ranges import ZONE, Ranges, barrier
from bunraku.dynamics.ik_step import Quadratic
from bunraku.dynamics.ik_targets import left_inverse
from bunraku.model.limits import clamp_balls
from bunraku.model.rotations import exponential, logarithm, multiply

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
    assert not bk.joints_beyond_limits(HUMAN, r.q, 1e-9)
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


def test_a_batch_is_its_states_one_by_one():
    k = bk.kinematics(HUMAN, np.stack([posed(seed) for seed in range(6)]))
    targets = [bk.Target(f, *k.pose(f)) for f in ENDS]
    start = np.stack(
        [bk.integrate(HUMAN, HUMAN.neutral(), 0.05 * np.random.default_rng(s).normal(size=HUMAN.nv)) for s in range(6)]
    )
    together = bk.inverse_kinematics(HUMAN, targets, start)
    assert together.reached.all() and together.q.shape == (6, HUMAN.nq)
    for n in range(6):
        alone = bk.inverse_kinematics(HUMAN, [bk.Target(f, *(x[n] for x in k.pose(f))) for f in ENDS], start[n])
        assert np.abs(bk.difference(HUMAN, alone.q, together.q[n])).max() < 1e-9
        assert alone.reached is True and alone.position_error == pytest.approx(together.position_error[n], abs=1e-12)
    one = bk.inverse_kinematics(HUMAN, bk.Target("left_hand", (0.4, 0.3, 1.2)), start)  # one target for all states
    assert np.allclose(bk.kinematics(HUMAN, one.q).pose("left_hand")[0], (0.4, 0.3, 1.2), atol=1e-6)


def test_a_warm_start_is_quick():
    k = bk.kinematics(HUMAN, posed(3))
    targets = [bk.Target(f, *k.pose(f)) for f in ENDS]
    cold = bk.inverse_kinematics(HUMAN, targets)
    near = bk.integrate(HUMAN, cold.q, 0.01 * np.random.default_rng(0).normal(size=HUMAN.nv))
    warm = bk.inverse_kinematics(HUMAN, targets, near)
    full = bk.inverse_kinematics(HUMAN, targets, near, damped=False, still=1e-9, iterations=6)
    assert warm.reached and warm.iterations < cold.iterations and full.reached


def test_the_centre_of_mass_goes_where_it_is_wanted():
    q = HUMAN.neutral()
    for side in ("left", "right"):  # straight knees could not begin to bend
        q[HUMAN.joint(f"{side}_knee").iq] = 0.3
    k, there = bk.kinematics(HUMAN, q), bk.centre_of_mass(HUMAN, q) + np.array([0.02, 0.04, -0.05])
    feet = [bk.Target(f, *k.pose(f)) for f in ("left_foot", "right_foot")]
    r = bk.inverse_kinematics(HUMAN, feet, q, com=there)
    assert r.reached and r.com_error < 1e-6 and np.allclose(bk.centre_of_mass(HUMAN, r.q), there, atol=1e-6)
    exact = [bk.Target(x.frame, x.position, x.rotation, weight=np.inf) for x in feet]
    r = bk.inverse_kinematics(HUMAN, exact, q, com=there, com_weight=np.inf, damped=False, iterations=20)
    assert r.reached and max(r.com_error, r.position_error) < 1e-9
    aside = bk.centre_of_mass(HUMAN, q) + np.array([0.01, 0.02, 0.0])
    only = bk.inverse_kinematics(HUMAN, [], q, com=aside, fixed=["root"])
    assert np.allclose(bk.centre_of_mass(HUMAN, only.q), aside, atol=1e-6)


def test_exact_targets_leave_the_rest_to_the_posture():
    """The minimum of the posture with exact targets: its gradient is a combination of the targets' rows."""
    k = bk.kinematics(HUMAN, HUMAN.neutral())
    exact = [bk.Target(f, *k.pose(f), weight=np.inf) for f in ("left_foot", "right_foot")]
    exact.append(bk.Target("left_hand", (0.35, 0.35, 1.1), weight=np.inf))
    rest = posed(1)
    r = bk.inverse_kinematics(HUMAN, exact, rest, rest=rest, rest_weight=1e-3, limits="soft", damped=False, still=1e-10)
    assert max(r.position_error, r.rotation_error) < 1e-9 and not bk.joints_beyond_limits(HUMAN, r.q)
    J = np.vstack([bk.frame_jacobian(HUMAN, r.q, f) for f in ("left_foot", "right_foot")])
    J = np.vstack([J, bk.frame_jacobian(HUMAN, r.q, "left_hand")[:3]])
    slope = Ranges(HUMAN, np.arange(HUMAN.nv)).soft(r.q[None])
    g = 1e-3 * bk.difference(HUMAN, rest, r.q) + slope[0][0]
    for block in slope[2]:
        g[block.first : block.first + 3] += block.gradient[0]
    left = g - J.T @ np.linalg.lstsq(J.T, g, rcond=None)[0]
    assert np.linalg.norm(left) < 1e-7 * np.linalg.norm(g) + 1e-9


def test_a_step_keeps_its_bounds_and_is_the_best_beside_them():
    """What is not on a bound has no slope left; a row of infinite weight holds exactly."""
    rng = np.random.default_rng(4)
    J, e, w, H = rng.normal(size=(3, 5, 7)), rng.normal(size=(3, 5)), rng.uniform(1, 9, 5), rng.uniform(0.1, 1, (3, 7))
    g, low, high = rng.normal(size=(3, 7)), rng.uniform(-0.3, 0, (3, 7)), rng.uniform(0, 0.3, (3, 7))
    step = Quadratic(J, e, w, H, g, []).bounded_step(low, high)
    assert np.all(step >= low) and np.all(step <= high)
    for n in range(3):
        slope = J[n].T @ (w * (J[n] @ step[n] - e[n])) + H[n] * step[n] + g[n]
        inside = (step[n] > low[n]) & (step[n] < high[n])
        assert np.abs(slope[inside]).max(initial=0.0) < 1e-9 and (~inside).sum() > 0
    free = Quadratic(J, e, np.full(5, np.inf), H, g, []).step()
    assert np.abs(np.einsum("kij,kj->ki", J, free) - e).max() < 1e-9


def test_barriers_are_gradients_and_begin_inside():
    x, h = np.array([0.01, 0.04, 0.1]), 1e-6
    slope, bend = barrier(x, 0.05)
    assert np.allclose((barrier(x + h, 0.05)[0] - barrier(x - h, 0.05)[0]) / (2 * h), bend, rtol=1e-6)
    assert np.all(slope > 0) and barrier(np.zeros(1), 0.05)[0][0] == 0.0
    q, knee = HUMAN.neutral()[None], HUMAN.joint("left_knee")
    q[:, knee.iq] = HUMAN.upper[knee.iv] - 0.5 * ZONE
    g, H, _ = Ranges(HUMAN, np.arange(HUMAN.nv)).soft(q)
    assert g[0, knee.iv] > 0 and H[0, knee.iv] > 0


def test_left_inverse_is_the_rate_of_the_logarithm():
    rng, h = np.random.default_rng(5), 1e-7
    for size in (1e-6, 0.3, 2.0, 3.0):
        e = rng.normal(size=3)
        e *= size / np.linalg.norm(e)
        for k in range(3):  # an actual rotation that goes on takes its turn off the error, from the right
            turn = exponential(h * np.eye(3)[k])
            rate = (logarithm(multiply(exponential(e), turn)) - e) / h
            assert np.allclose(rate, left_inverse(e[None])[0][:, k], atol=1e-5)


@pytest.mark.parametrize(
    "bad",
    [
        lambda: bk.inverse_kinematics(HUMAN, bk.Target("left_hand")),
        lambda: bk.inverse_kinematics(HUMAN, bk.Target("nose", (0, 0, 0))),
        lambda: bk.inverse_kinematics(HUMAN, bk.Target("left_hand", (0, np.nan, 0))),
        lambda: bk.inverse_kinematics(HUMAN, bk.Target("left_hand", (0, 0, 0)), np.zeros(3)),
        lambda: bk.inverse_kinematics(HUMAN, bk.Target("left_hand", (0, 0, 0)), fixed=["nose"]),
        lambda: bk.inverse_kinematics(HUMAN, bk.Target("left_hand", (0, 0, 0), weight=np.inf)),
        lambda: bk.inverse_kinematics(HUMAN, bk.Target("left_hand", (0, 0, 0), weight=0.0)),
        lambda: bk.inverse_kinematics(HUMAN, bk.Target("left_hand", (0, 0, 0)), limits="none"),
        lambda: bk.inverse_kinematics(HUMAN, bk.Target("left_hand", np.zeros((3, 3)))),
        lambda: bk.inverse_kinematics(HUMAN, bk.Target("left_hand", (0, 0, 0)), com=(0, 0)),
    ],
)
def test_bad_targets(bad):
    with pytest.raises(bk.BunrakuError):
        bad()
