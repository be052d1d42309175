"""Many steps: continuous for walks that fit, left and right alternating, the report's own listing, postures."""

from __future__ import annotations

import numpy as np
import pytest

from asserts import asserts
from bunraku.errors import InputError
from bunraku.gait1988.checks import progress
from bunraku.gait1988.library import library_gait
from bunraku.gait1988.solved_walk import Walk, exact_walk
from bunraku.gait1988.steps import OTHER_SIDE, posture, walk_on
from bunraku.gait1988.twelve_bodies import D, E, F, O


def report_listing(
    x: np.ndarray, t: np.ndarray, t1: float, t2: float, be1: float, be2: float, cycles: int
) -> np.ndarray:
    """Fig. 7.2, statement by statement (x, y, z of 12 bodies; 41 rows; cycles): an independent way to the same steps.

    The listing's shifts by BE2 after T1 and BE1 + BE2 after T2 apply to every cycle; its own first row is k = 1.
    """
    out = np.zeros((cycles, 41, 12, 3))
    shift = np.where(t < t1, 0.0, np.where(t < t2, be2, be1 + be2))
    out[0] = x
    out[0, :, :, 0] += shift[:, None]
    swap = OTHER_SIDE
    for k in range(1, cycles):
        odd = k % 2 == 1
        source = x[:, swap] if odd else x
        out[k, 0] = out[k - 1, 40]
        for j in range(1, 41):
            out[k, j] = source[j] - source[0] + out[k - 1, 40]
            if odd:
                out[k, j, :, 1] = -(source[j, :, 1] - source[0, :, 1]) + out[k - 1, 40, :, 1]
            out[k, j, :, 0] += shift[j]
    return out


@asserts("1988/fig-7.2/flat", "1988/fig-7.2")
def test_mapping_of_fig_7_2(report_walk: Walk) -> None:
    """The report's listing from the report's walk (case IV: T1 = 0.2, T2 = 1, BE1 = 0, BE2 = 0.02), four steps.

    The listing counts the ZMP's shift from t >= T1 and sides as it goes; our rows use the old place at t = T1, which is
    the one cell column left out (row 8).
    """
    path = walk_on(report_walk, 4, report=True)
    wanted = report_listing(report_walk.bodies[..., 0], report_walk.time, 0.2, 2.0, 0.0, 0.02, 4)
    ours = path.bodies - np.array([-0.02, 0.0, 0.0])  # the listing's origin is the first ZMP, ours the foot's centre
    for k in range(4):
        rows = (path.step == k) & (path.row != 8)
        np.testing.assert_allclose(ours[rows], wanted[k][path.row[rows]], atol=1e-12)


@pytest.mark.parametrize("name", ["usual", "smooth", "long_stride", "stairs_up", "stairs_down"])
def test_our_walks_do_not_jump_at_the_switch(name: str) -> None:
    """Mass centres move between rows 0.005 s apart no further than speed allows, switches of feet included."""
    walk = exact_walk(library_gait(name), samples=201)
    path = walk_on(walk, 6)
    fastest = np.abs(walk.bodies[..., 1]).max()
    assert np.abs(np.diff(path.bodies, axis=0)).max() < 1.05 * fastest * 0.005 + 1e-3
    pelvis = path.bodies[:, 2]
    assert pelvis[-1, 0] - pelvis[0, 0] == pytest.approx(6 * progress(walk), abs=1e-9)
    assert pelvis[-1, 2] - pelvis[0, 2] == pytest.approx(6 * walk.gait.rise, abs=2e-4)
    assert list(path.left_carries[[0, 300, 500]]) == [True, False, True]


def test_support_feet_stand_still(flat_walk: Walk) -> None:
    """While a foot carries it does not move; feet keep their tracks at y = 0 and y = -2 D."""
    path = walk_on(flat_walk, 4)
    for k in range(4):
        foot = path.bodies[path.step == k][:, 11 if k % 2 == 0 else 10]
        np.testing.assert_allclose(foot, np.tile(foot[0], (len(foot), 1)), atol=1e-12)
        assert foot[0, 1] == pytest.approx(0.0 if k % 2 == 0 else -2 * D, abs=1e-12)
        assert foot[0, 0] == pytest.approx(k * progress(flat_walk), abs=1e-12)


def test_posture_agrees_with_the_path(flat_walk: Walk, usual_walk: Walk) -> None:
    for walk in (flat_walk, usual_walk):
        path = walk_on(walk, 3)
        for row in range(0, len(path.time), 37):
            pose = posture(walk, float(path.time[row]))
            np.testing.assert_allclose(pose.centres, path.bodies[row], atol=1e-12)
            p = pose.fixed(pose.places)  # of ankles, knees, hips, shoulders, elbows
            limbs = ((0, 1, F), (1, 2, O), (8, 9, O), (9, 10, F), (4, 5, E), (6, 7, E))
            for a, b, half in limbs:
                assert np.linalg.norm(p[a] - p[b]) == pytest.approx(2 * half, abs=1e-12)


def test_bad_numbers(flat_walk: Walk) -> None:
    with pytest.raises(InputError, match="steps"):
        walk_on(flat_walk, 0)
    with pytest.raises(InputError, match="time"):
        posture(flat_walk, -1.0)
