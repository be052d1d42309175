"""Arms swing against the legs, and the base heads where the walk does."""

from types import SimpleNamespace

import numpy as np
import pytest

import bunraku as bk
from bunraku.humanoid.parts import humanoid
from bunraku.walking.arm_swing import wanted_poses


@pytest.mark.parametrize("heading", [0.0, 1.2])
def test_the_left_hand_is_ahead_while_the_right_foot_is(heading):
    """By arms * distance / leg [rad] at the shoulder: ahead of where it hangs by about that times the arm's length."""
    h = humanoid(bk.human())
    ahead = np.array([np.cos(heading), np.sin(heading), 0.0])
    apart = np.array([0.0, 0.3, -0.3])  # how far the right foot is ahead of the left one
    position = np.zeros((3, 2, 3))
    position[:, 1] = apart[:, None] * ahead
    table = SimpleNamespace(times=np.arange(3.0), heading=np.full(3, heading), position=position)
    q = wanted_poses(h, table, 0.8)
    k = bk.kinematics(h.model, q)
    hands = np.array([[k.pose(hand)[0][n] @ ahead for hand in h.hands] for n in range(3)])
    swing = 0.8 * 0.3 / h.legs[0]
    shoulder, hand = (bk.kinematics(h.model, h.stand).pose(x)[0] for x in ("left_upper_arm", "left_hand"))
    moved = np.sin(swing) * (shoulder - hand)[2]
    assert np.allclose(hands[1] - hands[0], [moved, -moved], rtol=0.2) and moved > 0.1
    assert np.allclose(hands[2] - hands[0], [-moved, moved], rtol=0.2)
    R = k.pose(h.model.joints[0].link)[1][0]
    assert np.allclose(R[:2, 0] / np.linalg.norm(R[:2, 0]), ahead[:2], atol=1e-9)
