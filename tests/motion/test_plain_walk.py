"""A plain walk: it goes where it should, stands on its soles, keeps inside limits; a standing pose stands."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import InputError
from bunraku.motion import stand, walk_motion
from motion_data import walk


def test_a_walk_walks():
    motion = walk()
    kin = bk.kinematics(motion.model, motion.q)
    left, right = (kin.pose(f"{s}_sole")[0] for s in ("left", "right"))
    assert np.allclose(
        [left[-1, 0] - left[0, 0], right[-1, 0] - right[0, 0]], 0.7, atol=1e-3
    )  # steps of 0.35: left, right, left closes
    assert left[:, 2].max() == pytest.approx(0.06, abs=3e-3) and min(left[:, 2].min(), right[:, 2].min()) > -1e-3
    assert not any(bk.within_limits(motion.model, q, 1e-6) for q in motion.q)
    arm = motion.model.joint("left_shoulder").iq
    assert np.ptp(motion.q[:, arm + 2]) > 0.05


def test_a_standing_pose_stands():
    model = bk.human()
    q = stand(model, lower=0.04)
    kin, com = bk.kinematics(model, q), bk.centre_of_mass(model, q)
    assert abs(kin.pose("left_sole")[0][2]) < 1e-9 and np.allclose(kin.pose("right_sole")[1], np.eye(3), atol=1e-9)
    assert np.abs(com[:2] - [0.03, 0.0]).max() < 1e-3 and com[2] == pytest.approx(
        bk.centre_of_mass(model, model.neutral())[2] - 0.04, abs=2e-3
    )


def test_mistakes():
    with pytest.raises(InputError, match="steps"):
        walk_motion(bk.human(), 0)
