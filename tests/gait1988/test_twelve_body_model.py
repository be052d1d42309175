"""rnea on the figure as a Model agrees with the walk: ground reaction, ZMP and joint torques (an independent check)."""

from __future__ import annotations

import numpy as np
import pytest

from asserts import asserts
from bunraku.dynamics.functions import rnea
from bunraku.gait1988.report_moments import JOINT_NAMES
from bunraku.gait1988.servo import drives
from bunraku.gait1988.solved_walk import Walk
from bunraku.gait1988.twelve_bodies import BODY_NAMES
from bunraku.gait1988.twelve_body_model import BALLS, HINGES, figure_model, model_state


@pytest.mark.parametrize("which", ["flat_walk", "usual_walk", "free_walk"])
@asserts("1988/rnea")
def test_rnea_agrees(which: str, request: pytest.FixtureRequest) -> None:
    """Forces of 700 N and moments of 130 N m agree to 1e-8; the ZMP to 1e-11 m."""
    walk: Walk = request.getfixturevalue(which)
    model = figure_model(walk.arms_free)
    root = model.joint("root")
    arms = {d.name: d.torque for d in drives(walk)}
    for row in range(0, len(walk.time), 5):
        q, v, a = model_state(model, walk, row)
        tau = rnea(model, q, v, a)
        force, moment = tau[root.iv : root.iv + 3], tau[root.iv + 3 : root.iv + 6]
        np.testing.assert_allclose(force, walk.force[row], atol=1e-8)
        # moment about the ZMP (the origin): that at the foot's centre, turned to world axes, plus r x f
        pitch = walk.coordinates[row, 4, 0]
        c, s = np.cos(pitch), np.sin(pitch)
        turn = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
        about = turn @ moment + np.cross(q[:3], force)
        np.testing.assert_allclose(about[:2], 0.0, atol=1e-8)
        np.testing.assert_allclose([-about[1] / force[2], about[0] / force[2]], 0.0, atol=1e-10)  # ZMP at the origin
        for body, name in {**BALLS, **HINGES}.items():
            joint = model.joint(name)
            wanted = walk.moments[row, JOINT_NAMES.index(name)]
            frame = rotation(walk, row, body)
            if body in BALLS:
                np.testing.assert_allclose(frame @ tau[joint.v], wanted, atol=1e-8)
            else:
                np.testing.assert_allclose(tau[joint.iv], wanted @ frame[:, 1], atol=1e-8)
        if walk.arms_free:
            for name in ("right_shoulder", "right_elbow", "left_shoulder", "left_elbow"):
                np.testing.assert_allclose(tau[model.joint(name).iv], arms[name][row], atol=1e-8)


def rotation(walk: Walk, row: int, body: int) -> np.ndarray:
    """World rotation of a body, written out once more: Rx(-theta) Ry(pitch), the trunk Ry(psi), pelvis and feet
    level."""
    c = walk.coordinates[row, :, 0]
    pitch = {0: c[3], 1: c[2], 2: 0.0, 3: c[1], 8: -c[5], 9: -c[6], 10: -c[7]}[body]
    lean = c[0] if body in (0, 1, 8, 9) else 0.0
    roll = np.array([[1, 0, 0], [0, np.cos(lean), np.sin(lean)], [0, -np.sin(lean), np.cos(lean)]])
    turn = np.array([[np.cos(pitch), 0, np.sin(pitch)], [0, 1, 0], [-np.sin(pitch), 0, np.cos(pitch)]])
    return roll @ turn


@asserts("1988/bodies", "1988/table-3.2/weight")
def test_the_model_is_the_figure() -> None:
    """Mass 7.053 kgf s2/m = 69.19 kg; 12 links; no warnings."""
    for arms_free in (False, True):
        model = figure_model(arms_free)
        assert model.mass == pytest.approx(7.053 * 9.81, abs=1e-9)
        assert {link.name for link in model.links} == set(BODY_NAMES)
        assert model.warnings == ()
        assert model.nv == (25 if arms_free else 21)
