"""How far a motion moved: known shifts come out."""

import numpy as np

import bunraku as bk
from bunraku.motion import Motion
from bunraku.motion.departure import how_far
from bunraku.motion.solved import without_forces


def test_known_shifts():
    model = bk.human()
    q = np.tile(model.neutral(), (11, 1))
    recorded = Motion(model, 0.1 * np.arange(11), q)
    other = q.copy()
    other[:, :3] += [0.03, 0.0, 0.04]
    other[5, model.joint("left_knee").iq] = 0.2
    j = model.joint("neck")
    other[:, j.q] = [np.cos(0.05), np.sin(0.05), 0, 0]
    moved = how_far(model, recorded, without_forces(Motion(model, recorded.times, other)))
    assert np.allclose(moved.base, (0.05, 0.05)) and np.allclose(moved.turn, 0)
    assert np.allclose(moved.joints["left_knee"], (0.2 / np.sqrt(11), 0.2)) and np.allclose(
        moved.joints["neck"], (0.1, 0.1)
    )
    assert np.allclose(moved.com, 0.05, atol=0.01) and moved.as_dict()["base_m"]["max"] == moved.base[1]
    assert any("left_knee" in line for line in moved.lines())
