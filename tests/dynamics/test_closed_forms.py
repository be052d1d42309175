"""Closed forms: pendulums, a falling box, a spinning top, a cart; and the cost in memory of a kernel call."""

import numpy as np
import pytest

import bunraku as bk

G = 9.80665


def test_pendulum():
    """(I + m l^2) q'' = -m g l sin q."""
    fig = bk.Description("pendulum")
    fig.add("rod", None, bk.hinge("pivot", (0, 1, 0)), mass=2.0, com=(0, 0, -0.7), moments=(0.1, 0.3, 0.1))
    m = fig.build()
    q = np.array([0.4])
    a = bk.aba(m, q, np.array([1.3]), np.zeros(1))
    assert a[0] == pytest.approx(-2.0 * G * 0.7 * np.sin(0.4) / (0.3 + 2.0 * 0.49), rel=1e-12)
    assert bk.rnea(m, q, np.zeros(1), np.zeros(1))[0] == pytest.approx(2.0 * G * 0.7 * np.sin(0.4), rel=1e-12)


def test_free_body_obeys_euler():
    """I w' = -w x I w in body axes; the centre of mass falls freely."""
    m = bk.box((1, 2, 3), mass=12.0)
    inertia = np.array([4 + 9, 1 + 9, 1 + 4], dtype=float)
    v = np.array([1.0, 2, 3, 0.3, -0.7, 1.1])
    a = bk.aba(m, bk.random_configuration(m, 1), v, np.zeros(6))
    assert np.allclose(a[:3], [0, 0, -G])
    assert np.allclose(a[3:], -np.cross(v[3:], inertia * v[3:]) / inertia)


def test_cart_and_pole():
    """Cart M on a slider, point mass m on a hinge at distance l: the two textbook equations."""
    M, m_, l = 3.0, 0.5, 0.8
    fig = bk.Description("cart")
    fig.add("cart", None, bk.slider("x", (1, 0, 0)), mass=M, moments=(1, 1, 1))
    fig.add("pole", "cart", bk.hinge("th", (0, 1, 0)), mass=m_, com=(0, 0, l))
    model = fig.build()
    th, w, force = 0.6, 1.7, 2.5
    a = bk.aba(model, np.array([0.3, th]), np.array([0.9, w]), np.array([force, 0.0]))
    s, c = np.sin(th), np.cos(th)
    x = (force + m_ * l * w**2 * s - m_ * G * s * c) / (M + m_ * s**2)
    assert a[0] == pytest.approx(x, rel=1e-12)
    assert a[1] == pytest.approx((G * s - c * x) / l, rel=1e-12)


def test_weight_is_carried_by_the_base():
    """At rest the torque on a free base is the weight, and its moment about the base."""
    m = bk.human()
    q = bk.random_configuration(m, 4)
    tau = bk.rnea(m, q, np.zeros(m.nv), np.zeros(m.nv))
    R = bk.kinematics(m, q).pose("pelvis")[1]
    assert np.allclose(tau[:3], [0, 0, 69 * G])
    arm = bk.centre_of_mass(m, q) - q[:3]
    assert np.allclose(R @ tau[3:6], np.cross(arm, [0, 0, 69 * G]))
