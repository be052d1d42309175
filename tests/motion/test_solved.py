"""Solved motions: saved with float64 numbers, read back bit for bit as a recording; forces and zero-moment point of
known frames."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import FormatError, InputError
from bunraku.humanoid.foot import feet_of
from bunraku.motion import Motion, Recording
from bunraku.motion.solved import Touch, assemble, without_forces


def standing(n=700):
    """A figure that stands still, its weight on both soles: 0.25 to the left, 0.75 to the right."""
    model = bk.human()
    q = np.tile(model.neutral(), (n, 1)) + 1e-9 * np.arange(n)[:, None] * np.eye(model.nq)[0]
    weight = model.mass * 9.80665
    kin = bk.kinematics(model, model.neutral())
    frame = []
    for s, share in zip(feet_of(model), (0.25, 0.75)):
        points = kin.position[s.body] + s.corners
        frame.append(Touch(s.link, points, np.tile([0.0, 0.0, share * weight / 4], (4, 1))))
    v = np.random.default_rng(0).normal(size=(n, model.nv))
    return assemble(model, 0.001, q, v, 2.0 * v, [[], *[frame] * (n - 1)], meta={"title": "standing"})


def test_saved_and_read_bit_for_bit(tmp_path):
    solved = standing()
    with Recording.open(solved.save(tmp_path / "s.bkr")) as r:
        assert r.title == "standing" and r.finished and len(r) == 700 and r.dt == 0.001
        assert r.q.dtype == np.float64 and np.array_equal(r.q, solved.q) and np.array_equal(r.v, solved.v)
        assert np.array_equal(r.torques, solved.torques) and np.array_equal(r.frames.forces, solved.frames.forces)
        assert np.array_equal(r.frames.points, solved.frames.points)
        assert {r.shape_owner(int(k))[1] for k in r.frames.pair[:, 0]} == {"left_foot", "right_foot"}
        assert {r.shape_owner(int(k))[0] for k in r.frames.pair[:, 1]} == {"world"}
        assert np.allclose(r.zmp[5, 0, :2], solved.zmp[5]) and np.allclose(r.com[:, 0], solved.com)
        assert np.allclose(r.forces[5, 0], solved.ground_reaction[5])
    assert [p.name for p in tmp_path.iterdir()] == ["s.bkr"]


def test_forces_and_zero_moment_point():
    solved = standing(4)
    assert (
        np.allclose(solved.force_on("right_foot")[1:, 2], 0.75 * solved.weight) and not solved.ground_reaction[0].any()
    )
    assert np.allclose(solved.ground_reaction[1:, 2], solved.weight)
    assert np.all(np.isnan(solved.zmp[0])) and np.allclose(
        solved.zmp[1], [0.03, -0.5 * 0.085]
    )  # 0.25 - 0.75 of 0.085 m
    assert np.allclose(solved.a[1:], np.diff(solved.v, axis=0) / 0.001) and solved.motion.model is solved.model


def test_a_motion_without_forces_is_a_recording_too(tmp_path):
    model = bk.human()
    q = np.tile(model.neutral(), (5, 1))
    q[:, 0] = np.arange(5) * 0.1
    motion = Motion(model, np.arange(5) * 0.02, q)
    with Recording.open(without_forces(motion).save(tmp_path / "m.bkr")) as r:
        assert np.array_equal(r.motion().q, q) and np.allclose(r.v[:, 0], 5.0) and len(r.frames.points) == 0
    with pytest.raises(InputError, match="even"):
        without_forces(Motion(model, np.array([0.0, 0.1, 0.3]), q[:3]))


def test_rows_must_agree_and_a_newer_file_is_refused(tmp_path):
    solved = standing(3)
    with pytest.raises(InputError, match="as many rows"):
        assemble(solved.model, 0.001, solved.q, solved.v[:2], solved.torques, [[]] * 3)
    path = solved.save(tmp_path / "s.bkr")
    data = path.read_bytes().replace(b'"version": 2', b'"version": 9', 1)
    (tmp_path / "new.bkr").write_bytes(data)
    with pytest.raises(FormatError):
        Recording.open(tmp_path / "new.bkr")
