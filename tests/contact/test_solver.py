"""The contact solver judged from outside: the laws of contact, written out in NumPy, on problems of real figures and at
random."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.contact.pgs import make_dense, solve_one
from bunraku.kernel.record import handle

CONTACT, EQUALITY, BOUNDED = 0, 1, 2


def solve(K, b, kinds, reals, lam=None, tolerance=1e-9, sweeps=500):
    """(impulses, velocities, status, residual) of a problem given by kinds of blocks."""
    sizes = [3 if k == CONTACT else 1 for k in kinds]
    m, K, b = int(sum(sizes)), np.asarray(K, dtype=float), np.asarray(b, dtype=float)
    d = make_dense(m, len(kinds))
    d.K[:], d.problem.b[:], d.problem.lam[:m] = K, b, 0.0 if lam is None else lam
    for k, (kind, (first, low, high)) in enumerate(zip(kinds, reals)):
        block = d.problem.blocks[k]
        block.kind, block.row, block.low, block.high = kind, sum(sizes[:k]), low, high
        block.mu, block.compliance = (first, 0.0) if kind == CONTACT else (0.0, first)
    status, _, residual = solve_one.call(handle(d), m, len(kinds), tolerance, sweeps)
    found = d.problem.lam[:m].copy()
    return found, K @ found + b, status, residual


def contact_errors(lam, v, b, mu):
    """Largest violation of each law over contacts (rows n, t, u), in units of the largest impulse and free velocity."""
    size_l, size_v = np.abs(lam).max() + 1e-12, np.abs(b).max()
    worst = 0.0
    for i in range(0, len(lam), 3):
        n, t, vn, vt = lam[i], lam[i + 1 : i + 3], v[i], v[i + 1 : i + 3]
        worst = max(worst, -n / size_l, -vn / size_v, abs(n * vn) / (size_l * size_v))
        worst = max(worst, (np.linalg.norm(t) - mu * n) / size_l)
        slip, force = np.linalg.norm(vt), np.linalg.norm(t)
        if slip > 1e-5 * size_v and n > 1e-5 * size_l:  # slipping: at the cone's edge, and opposite
            worst = max(worst, abs(force - mu * n) / size_l, np.linalg.norm(t / force + vt / slip))
    return worst


def soles(seed, mu=0.6):
    """The contact problem of a standing figure: eight points of two rigid feet, so K is singular."""
    m, rng = bk.human(), np.random.default_rng(seed)
    q = bk.integrate(m, m.neutral(), 0.1 * rng.normal(size=m.nv))
    J = []
    for side in ("left", "right"):
        pose = bk.kinematics(m, q).pose(f"{side}_sole")
        jac = bk.frame_jacobian(m, q, f"{side}_sole")
        for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
            arm = pose[1] @ [0.095 * x, 0.06 * y, 0.0]
            move = jac[:3] + np.array([np.cross(c, arm) for c in jac[3:].T]).T
            J += [move[2], move[0], move[1]]
    J = np.array(J)
    K = J @ np.linalg.solve(bk.crba(m, q), J.T)
    b = J @ (0.3 * rng.normal(size=m.nv)) + np.tile([-0.5, 0, 0], 8)
    return 0.5 * (K + K.T), b, [CONTACT] * 8, [[mu, 0, 0]] * 8


@pytest.mark.parametrize("seed", range(20))
def test_standing_figure(seed):
    K, b, kinds, reals = soles(seed)
    lam, v, status, residual = solve(K, b, kinds, reals, tolerance=1e-6)
    assert status == 0 and residual <= 1e-6
    assert contact_errors(lam, v, b, 0.6) < 1e-4
    assert lam @ (v + b) <= 1e-9  # contact without restitution never gives energy


@pytest.mark.parametrize("seed", range(30))
def test_one_contact_slips_opposite_to_friction(seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(3, 3))
    K, b = A @ A.T + 0.05 * np.eye(3), np.array([-1.0, *rng.normal(size=2)])
    mu = 0.3
    lam, v, status, _ = solve(K, b, [CONTACT], [[mu, 0, 0]])
    assert status == 0
    slip = np.linalg.norm(v[1:])
    if slip > 1e-6:
        assert np.linalg.norm(lam[1:]) == pytest.approx(mu * lam[0], rel=1e-6)
        assert lam[1:] @ v[1:] == pytest.approx(-np.linalg.norm(lam[1:]) * slip, rel=1e-6)
    assert abs(v[0]) < 1e-7 and lam[0] > 0


def test_separating_contact_has_no_force():
    lam, v, *_ = solve(np.eye(3), [0.5, 0.1, 0.0], [CONTACT], [[1.0, 0, 0]])
    assert np.abs(lam).max() < 1e-9 and np.allclose(v, [0.5, 0.1, 0.0])


def test_equalities_redundant_and_soft():
    """Three equal rows share one impulse; compliance c gives lam = -b / (K + c)."""
    lam, v, status, _ = solve(np.ones((3, 3)), [1.0, 1.0, 1.0], [EQUALITY] * 3, [[0, 0, 0]] * 3)
    assert status == 0 and np.abs(v).max() < 1e-8 and lam.sum() == pytest.approx(-1)
    lam, *_ = solve([[2.0]], [1.0], [EQUALITY], [[3.0, 0, 0]])
    assert lam[0] == pytest.approx(-0.2)


@pytest.mark.parametrize(("b", "wanted"), [(-1.0, 0.5), (1.0, 0.0), (-10.0, 2.0)])
def test_bounded_row(b, wanted):
    """0 <= lam <= 2 with K = 2."""
    lam, *_ = solve([[2.0]], [b], [BOUNDED], [[0.0, 0.0, 2.0]])
    assert lam[0] == pytest.approx(wanted, abs=1e-9)


def test_warm_start_is_the_solution():
    K, b, kinds, reals = soles(3)
    lam, v, *_ = solve(K, b, kinds, reals, tolerance=1e-8)
    _, w, status, residual = solve(K, b, kinds, reals, lam=lam, tolerance=1e-6)
    assert status == 0 and residual <= 1e-6 and np.allclose(v, w, atol=1e-5)
