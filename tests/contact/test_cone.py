"""One contact alone: the exact cone solution against a search over all directions, and what the literal scheme of Nakaoka
et al. gives instead."""

import numpy as np
import pytest
from scipy.optimize import brentq

from bunraku.contact.cone import cone_impulse
from bunraku.kernel.entry import entry


@entry("DD D d d D")
def one_contact(A, q, mu, k, lam):
    """lam of v = A lam + q."""
    z, x, y = cone_impulse((A[0, 0], A[0, 1], A[0, 2], A[1, 1], A[1, 2], A[2, 2]), (q[0], q[1], q[2]), mu, k)
    lam[0] = z
    lam[1] = x
    lam[2] = y


def exact(A, q, mu, k=1.0):
    lam = np.zeros(3)
    one_contact.call(A, q, mu, k, lam)
    return lam


def all_solutions(A, q, mu):
    """Every impulse that obeys the law: parting, sticking, and sliding in every direction f where v_t x f changes sign
    and v_t . f <= 0."""
    found = []
    if q[0] >= 0:
        found.append(np.zeros(3))
    stick = -np.linalg.solve(A, q)
    if stick[0] >= 0 and np.hypot(*stick[1:]) <= mu * stick[0]:
        found.append(stick)

    def slide(angle):
        ray = np.array([1.0, mu * np.cos(angle), mu * np.sin(angle)])
        return ray * (-q[0] / (A[0] @ ray))  # v_n = 0

    def cross(angle):
        v = A @ slide(angle) + q
        return v[1] * np.sin(angle) - v[2] * np.cos(angle)

    angles = np.linspace(0, 2 * np.pi, 2001)
    values = [cross(a) for a in angles]
    for a, b, x, y in zip(angles, angles[1:], values, values[1:]):
        if x * y <= 0:
            angle = brentq(cross, a, b, xtol=1e-14, rtol=1e-14)
            lam = slide(angle)
            v = A @ lam + q
            scale = abs(q).max()
            if lam[0] >= 0 and abs(v[0]) < 1e-6 * scale and abs(cross(angle)) < 1e-6 * scale:
                if v[1] * np.cos(angle) + v[2] * np.sin(angle) <= 1e-12 * scale:
                    found.append(lam)
    return found


def random_contact(rng):
    F = rng.normal(size=(3, 4))
    return F @ F.T, rng.normal(size=3), float(rng.choice([0.2, 0.5, 1.0]))


def test_against_all_directions():
    rng = np.random.default_rng(1)
    kinds = set()
    for _ in range(300):
        A, q, mu = random_contact(rng)
        lam = exact(A, q, mu, k=float(np.exp(rng.normal() * 3)))
        kinds.add("open" if lam[0] == 0 else "slide" if np.hypot(*lam[1:]) > 0.999999 * mu * lam[0] else "stick")
        nearest = min(np.abs(lam - other).max() for other in all_solutions(A, q, mu))
        assert nearest < 1e-9 * max(1.0, abs(lam).max())
    assert kinds == {"open", "slide", "stick"}


def literal(A, q, mu):
    """(17) row by row in the order z, x, y, then the projection (21), until nothing changes."""
    lam = np.zeros(3)
    for _ in range(5000):
        old = lam.copy()
        lam[0] = max(0.0, lam[0] - (A[0] @ lam + q[0]) / A[0, 0])
        for i in (1, 2):
            lam[i] -= (A[i] @ lam + q[i]) / A[i, i]
        length = np.hypot(*lam[1:])
        if length > mu * lam[0]:
            lam[1:] *= mu * lam[0] / length
        if np.abs(lam - old).max() < 1e-14:
            return lam
    return None


def angle_off(A, q, lam):
    """Degrees between the friction and the direction opposite to slip."""
    v = (A @ lam + q)[1:]
    f = lam[1:]
    return np.degrees(np.arccos(np.clip(-(v @ f) / (np.hypot(*v) * np.hypot(*f)), -1, 1)))


def test_slip_is_opposite_to_friction_where_the_literal_scheme_is_not():
    rng = np.random.default_rng(2)
    ours, theirs = [], []
    while len(ours) < 300:
        A, q, mu = random_contact(rng)
        lam = exact(A, q, mu)
        other = literal(A, q, mu)
        v = A @ lam + q
        if lam[0] > 1e-3 and np.hypot(*v[1:]) > 1e-2 and other is not None and other[0] > 1e-3:
            if np.hypot(*(A @ other + q)[1:]) > 1e-2:
                ours.append(angle_off(A, q, lam))
                theirs.append(angle_off(A, q, other))
    assert max(ours) < 1e-4  # arccos near 1 resolves 1e-6 degrees at best
    assert np.mean(theirs) > 10 and max(theirs) > 30  # 21 and more on this sample, whose contacts couple strongly


@pytest.mark.parametrize("mu", [0.0, 0.3, 5.0])
def test_strongly_coupled_contact_stays_finite(mu):
    # Painleve: pushing down on a leaning rod; the normal responds to friction more than to itself
    A = np.array([[1.0, 0.95, 0.0], [0.95, 1.0, 0.0], [0.0, 0.0, 1.0]])
    for q in ([-1.0, 2.0, 0.0], [-1.0, -2.0, 0.5], [-1e-3, 5.0, -5.0], [1e-9, 1.0, 0.0]):
        q = np.array(q)
        lam = exact(A, q, mu)
        v = A @ lam + q
        assert np.isfinite(lam).all() and lam[0] >= 0 and np.hypot(*lam[1:]) <= mu * lam[0] * (1 + 1e-12)
        assert v[0] >= -1e-9 and abs(v[0] * lam[0]) < 1e-8 * max(1.0, lam[0])
