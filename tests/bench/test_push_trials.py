"""Largest pushes: a stiff figure that stands tips over its toes as a rigid body does; the table and its ratio."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.humanoid.parts import humanoid
from bunraku_bench.push_trials import SECONDS, STEP, PushCase, PushTable, largest_pushes, moments

G = 9.80665


def test_servos_hold_what_a_rigid_body_holds():
    """A rigid body on an edge d ahead of its centre of mass, h above it: an impulse s m at height p gives it the spin w
    = s m p / I about the edge, which carries it over where I w^2 / 2 > m g (sqrt(h^2 + d^2) - h). Gravity takes back up
    to m g d T while the push of T lasts: two bounds."""
    h = humanoid(bk.human())
    m, q = h.model, h.stand
    com = bk.centre_of_mass(m, q)
    toe = np.array([(bk.kinematics(m, q).pose(h.feet[0].frame)[0])[0] + h.feet[0].half[0], 0.0, 0.0])
    d, height, arm = toe[0] - com[0], com[2], bk.kinematics(m, q).pose(h.trunk)[0][2]
    R = bk.kinematics(m, q).rotation[m.joints[0].body]
    x = np.concatenate([np.cross([0, 1.0, 0], q[:3] - toe), R.T @ [0, 1.0, 0]])
    inertia = float(x @ bk.crba(m, q)[:6, :6] @ x)
    spin = np.sqrt(2 * m.mass * G * (np.hypot(height, d) - height) / inertia)
    least = inertia * spin / (m.mass * arm)
    most = least + G * d * SECONDS / arm
    table = largest_pushes(h, motions=("standing",), stabiliser=(False,), degrees=(0.0,), workers=1)
    found = table.rows["standing", False][0]
    assert least - STEP < found < most + STEP


def test_pushes_come_in_a_swing_and_at_its_end():
    """Two moments of a walk, one of standing."""
    h = humanoid(bk.human())
    case = PushCase(h.model.description, dict(h.mapping), True, False, None, "pgs", 0.0)
    swing, landing = moments(case)
    assert 0.1 < landing - swing < 1.0


def test_the_table():
    """Its ratio is that of the means; a walk that falls by itself makes it infinite."""
    rows = {
        ("standing", False): (0.2, 0.4),
        ("standing", True): (0.5, 0.7),
        ("walking", False): (0.0, 0.0),
        ("walking", True): (0.5, 0.4),
    }
    table = PushTable("human", (0.0, 90.0), rows)
    assert table.ratio("standing") == pytest.approx(2.0) and table.ratio("walking") == np.inf
    assert "2.00 times" in str(table) and table.plain()["rows"][1]["mean"] == pytest.approx(0.6)
