"""Pins that hold along some axes only, the world's or their own."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.choreography.pins import checked_axes, named_axes
from bunraku.errors import FormatError, InputError
from bunraku.model.rotations import rotation_vector
from turns import about


def off(c, item):
    """(metres along each of its axes, radians about each)."""
    p, R = c.figure.pose(item.link)
    along = item.along
    turn = np.zeros(3) if item.rotation is None else rotation_vector(item.rotation @ R.T)
    return along.T @ (p + R @ item.point - item.target), along.T @ turn


@pytest.mark.parametrize("dynamics", [True, False])
def test_a_pin_holds_along_its_axes_and_is_free_along_others(dynamics):
    """The left hand may slide along a slanted rail; the arm is pulled aside at the elbow's side of it."""
    R = about(np.array([1.0, 2.0, 2.0]) / 3.0, 0.7)
    c = bk.Choreography(dynamics=dynamics)
    pin = c.pin("left_hand", axes="xy", rotation=R)
    assert np.allclose(pin.along, R, atol=1e-12)
    drag = c.drag("left_hand", (0.0, 0.0, 0.02))
    drag.to(drag.target + 0.08 * R[:, 2])
    c.run(1.5)
    held, _ = off(c, pin)
    assert np.abs(held[:2]).max() < 0.002 and held[2] > 0.06
    found = {v.item: v for v in c.violations}
    assert found[pin].metres == pytest.approx(np.linalg.norm(held[:2]), abs=1e-12) and found[pin].radians == 0


def test_turns_about_some_axes_are_held_and_about_others_free():
    """A hand that keeps its height and stays level may turn about the vertical, where a point beside it is pulled."""
    c = bk.Choreography()
    c.pose({"left_elbow": 1.4})
    c.run(1.0)
    pin = c.pin("left_hand", axes="z rx ry")
    R = c.figure.pose("left_hand")[1]
    drag = c.drag("left_hand", R.T @ [0.2, 0.0, 0.0])
    drag.to(drag.target + np.array([-0.03, 0.12, 0.0]))
    c.run(2.0)
    place, turn = off(c, pin)
    assert abs(place[2]) < 0.003 and np.abs(turn[:2]).max() < 0.03 and abs(turn[2]) > 0.15


def test_the_links_own_axes_are_those_of_the_moment():
    c = bk.Choreography()
    c.pose({"left_shoulder": [0.9, 0.3, 0.2, 0.1]})
    c.run(0.5)
    pin = c.pin("left_hand", axes="x", rotation="link")
    assert np.allclose(pin.along, c.figure.pose("left_hand")[1], atol=1e-12)


def test_a_score_keeps_axes(tmp_path):
    """Written, read and performed: the same motion bit for bit."""
    c = bk.Choreography()
    c.pin("left_hand", axes="z ry", rotation=(0.9, 0.1, 0.3, -0.2))
    d = c.drag("right_hand", axes="xz", rotation="link")
    d.to(d.target + np.array([0.1, 0.0, 0.1]))
    c.run(0.3)
    path = c.score.save(tmp_path / "a.toml", c.time)
    again = bk.Choreography.perform(bk.Score.load(path))
    assert np.array_equal(again.figure.q, c.figure.q)
    path.write_text(path.read_text().replace('"z ry"', '"z rq"'))
    with pytest.raises(FormatError, match=r"pin.*axes 'z rq' is neither"):
        bk.Score.load(path)


def test_axes_are_written_in_one_way():
    assert named_axes("pose") == ("x", "y", "z", "rx", "ry", "rz")
    assert [checked_axes("pin", a) for a in ("zx", "ry z", "x y z", "xyz rx ry rz")] == ["xz", "z ry", "xyz", "pose"]


@pytest.mark.parametrize("axes", ["", "xx", "w", "rxry", "x x", 3, None, ["x"], "pose x"])
def test_bad_axes_are_refused_in_one_sentence(axes):
    with pytest.raises(InputError, match=r"axes .* is neither 'xyz'"):
        bk.Choreography().pin("left_hand", axes=axes)


def test_bad_rotations_are_refused():
    c = bk.Choreography()
    for rotation in ("world", (1, 0, 0), np.full((3, 3), np.nan), "x"):
        with pytest.raises(InputError, match="rotation needs a quaternion"):
            c.pin("left_hand", axes="x", rotation=rotation)
    with pytest.raises(InputError, match="begins as it is"):
        c.drag("left_hand", axes="pose", rotation=(1, 0, 0, 0))
    assert not c.pins and not c.drags
