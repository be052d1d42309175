"""Every gait of the library solves and passes the checks; the report's flat gait fails just where it is known to."""

from __future__ import annotations

import numpy as np
import pytest

from bunraku.errors import InputError
from bunraku.gait1988.checks import check_walk, floor_height, progress, sole_of, swing_sole
from bunraku.gait1988.library import GAITS, flat, library_gait, stairs_up
from bunraku.gait1988.solved_walk import Walk, exact_walk
from bunraku.gait1988.stride import Stride, leg_angles, make_gait
from bunraku.gait1988.twelve_bodies import F, O
from bunraku.gait1988.zmp import USUAL_CASES, Zmp

OURS = [name for name in GAITS if name != "flat"]
CASES = [(name, None) for name in OURS if name != "usual"] + [("usual", case) for case in USUAL_CASES]


@pytest.mark.parametrize(("name", "case"), CASES)
def test_our_gaits_pass_all_checks(name: str, case: str | None) -> None:
    """Clearance, scuffing, penetration, landing, continuity at the switch, ZMP in the sole, lift, friction, knee,
    lean."""
    gait = library_gait(name, case)
    assert gait.source == "Bunraku"
    walk = exact_walk(gait, samples=201)
    failed = [(c.name, c.value) for c in check_walk(walk) if not c.passed]
    assert failed == []
    mirror = np.array([-1.0, 1.0, -1.0, 1.0])
    assert np.abs(mirror * walk.end - walk.start).max() < 1e-8


def test_flat_gait_fails_as_known(flat_walk: Walk) -> None:
    """The swinging foot starts 4.9 mm below the floor and ends 4.9 mm above it; the pelvis velocity jumps; the knee."""
    checks = {c.name: c for c in check_walk(flat_walk)}
    assert {name for name, c in checks.items() if not c.passed} == {
        "penetration",
        "landing height",
        "pelvis velocity jump",
        "straightest knee",
    }
    assert checks["penetration"].value == pytest.approx(4.9, abs=0.1)
    assert checks["landing height"].value == pytest.approx(4.9, abs=0.1)
    assert flat_walk.gait.source.startswith("JAERI-M 88-080")


def test_checks_can_fail() -> None:
    """A walk without lift scuffs; one with the ZMP ahead of the toe is reported."""
    low = make_gait("low", Stride(0.4, 0.86, surge=0.03, lift=0.005), Zmp((1.0,), (0.03,)), "")
    failed = {c.name for c in check_walk(exact_walk(low, samples=101)) if not c.passed}
    assert failed == {"clearance", "scuffing slope"}
    ahead = make_gait("ahead", Stride(0.4, 0.86, surge=0.03, lift=0.06), Zmp((0.5, 1.0), (0.0, 0.12)), "")
    failed = {c.name for c in check_walk(exact_walk(ahead, samples=101)) if not c.passed}
    assert failed == {"ZMP to sole's edge"}


@pytest.mark.parametrize(
    ("name", "step", "rise"), [("usual", 0.5, 0.0), ("long_stride", 0.66, 0.0), ("stairs_up", 0.3, 0.15)]
)
def test_stride_is_as_designed(name: str, step: float, rise: float) -> None:
    """The polylines, smoothed, still give the designed step to 0.2 mm and the designed landing height to 0.2 mm."""
    walk = exact_walk(library_gait(name))
    assert progress(walk) == pytest.approx(step, abs=2e-4)
    sole = swing_sole(walk)
    assert sole[-1, :, 2].min() == pytest.approx(rise, abs=2e-4)
    assert sole[0, :, 2].min() == pytest.approx(-rise, abs=2e-4)


def test_leg_angles_reach_the_hip() -> None:
    """Forward kinematics of the inverse kinematics: ankle + shank + thigh = hip."""
    from bunraku.gait1988.stride import foot_path, hip_path

    stride = Stride(0.5, 0.845, surge=0.03, dip=0.015, heel_pitch=0.25, toe_pitch=0.4, heel=-0.05, toe=0.07)
    u = np.linspace(0.0, 2.0, 81)
    b1, b2, _ = leg_angles(stride, u)
    x, z, _ = foot_path(stride, u)
    hip = hip_path(stride, u)
    np.testing.assert_allclose(x + 2 * F * np.sin(b2) + 2 * O * np.sin(b1), hip[0], atol=1e-12)
    np.testing.assert_allclose(z + 2 * F * np.cos(b2) + 2 * O * np.cos(b1), hip[1], atol=1e-12)
    assert np.all(b2 > b1)  # knee forward


def test_too_long_a_step_is_refused() -> None:
    with pytest.raises(InputError, match="lower the hip or shorten the step"):
        make_gait("far", Stride(1.2, 0.9), Zmp((1.0,), (0.0,)), "")


def test_stairs_have_treads_under_the_feet() -> None:
    gait = stairs_up()
    middle = 0.5 * sum(sole_of(gait))
    x = np.array([middle - 0.3, middle, middle + 0.3, middle + 0.149, middle + 0.151])
    np.testing.assert_allclose(floor_height(gait, x, 0.3), [-0.15, 0.0, 0.15, 0.0, 0.15])
    np.testing.assert_allclose(floor_height(flat(), x, 0.3), 0.0)
