"""Steps that a walk could not do are said; those that it did are not."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.walking.missed_steps import MissedStep, at_limits, way_of


def test_steps_longer_than_the_legs_at_that_pace_are_said():
    """Ten steps of 0.55 m end more than a metre off, the knee straight: each short step is told, and where the others
    began to differ."""
    done = bk.walk(None, "ten steps of 0.55 m")
    missed = done.report.missed
    assert done.report.summary()["final_error_m"] > 0.5 and len(missed) >= 3
    assert [x.number for x in missed] == sorted({x.number for x in missed})
    assert all(x.off[0] < -0.05 and abs(x.off[1]) < 0.05 for x in missed)
    lost = -sum(x.off[0] for x in missed)
    assert lost == pytest.approx(done.report.summary()["final_error_m"], abs=0.25)  # each step's own share
    assert "left_knee" in missed[0].limits and "left knee at its limit" in str(missed[0])  # straight
    assert done.report.summary()["missed_steps"][0]["step"] == missed[0].number


def test_a_walk_as_planned_has_none():
    assert bk.walk(None, "three steps of 0.3 m, turn 40 degrees").report.missed == ()


def test_the_way_of_a_step_is_seen_from_the_foot_that_stands():
    c, s = np.cos(0.5), np.sin(0.5)
    turn = np.tile([[c, -s, 0], [s, c, 0], [0, 0, 1.0]], (2, 1, 1))
    place = np.array([[1.0, 2.0, 0.0], [1.0 + 0.4 * c + 0.2 * s, 2.0 + 0.4 * s - 0.2 * c, 0.3]])
    assert way_of(place, turn, 1) == pytest.approx([0.4, -0.2])
    assert way_of(place, turn, 0) == pytest.approx([-0.4, 0.2])


def test_what_is_said():
    step = MissedStep(4, 3.8, 1, (-0.243, 0.01), ("left_knee",))
    assert str(step) == "step 4 (right) 24 cm short, left knee at its limit" and step.distance == pytest.approx(
        0.2432, abs=1e-4
    )
    assert str(MissedStep(2, 1.0, 0, (0.02, -0.08), ())) == "step 2 (left) 8 cm too far right"


def test_joints_at_their_limits():
    m = bk.human()
    q = np.tile(m.neutral(), (3, 1))
    q[:, m.joint("left_knee").iq] = q[:, m.joint("right_knee").iq] = 1.0
    q[:, m.joint("left_elbow").iq] = q[:, m.joint("right_elbow").iq] = 1.0
    assert at_limits(m, q) == ()
    q[1, m.joint("right_knee").iq] = m.upper[m.joint("right_knee").iv] - 0.02
    assert at_limits(m, q) == ("right_knee",)
