"""The published iteration of Nakaoka et al. 2007 against its equations written plainly, against dense solutions where
friction does not slip, and what it does where it does."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import nnls

from asserts import asserts
from bunraku.contact.pgs import BROKEN, LIMIT, SOLVED
from bunraku.contact.pgs_2007 import SWEEPS, iterate, iterate_sparse
from bunraku.contact.problem import BOUNDED, CONTACT, EQUALITY
from bunraku.kernel.record import handle
from contact_problems import Answer, Problem, pile, random_problem, tower
from sparse_problems import one_tree, sparse_scene


def published(p: Problem, tolerance=1e-13, most=20_000) -> Answer:
    m, d = len(p.b), p.dense(np.full(len(p.b), 7.0))  # f(0) = 0, whatever stands there
    status, sweeps, residual = iterate.call(handle(d), m, len(p.blocks), tolerance, most)
    lam = d.problem.lam[:m].copy()
    return Answer(status, sweeps, residual, lam, p.K @ lam + p.b)


def by_hand(p: Problem, sweeps: int) -> np.ndarray:
    """(15) to (21), every sum of (17) written out."""
    K, f = p.K, np.zeros(len(p.b))
    for _ in range(sweeps):
        for (kind, reals), z in zip(p.blocks, p.rows):
            for i in range(z, z + (3 if kind == CONTACT else 1)):
                others = sum(K[i, j] * f[j] for j in range(len(f)) if j != i)
                f[i] = -(p.b[i] + others) / (K[i, i] + (0.0 if kind == CONTACT else reals[0]))
                low, high = {CONTACT: (0.0, np.inf), EQUALITY: (-np.inf, np.inf)}.get(kind, reals[1:])
                if i == z:
                    f[i] = max(min(f[i], high), low)
            if kind == CONTACT and np.hypot(*f[z + 1 : z + 3]) > reals[0] * f[z]:
                f[z + 1 : z + 3] *= reals[0] * f[z] / np.hypot(*f[z + 1 : z + 3])
    return f


def slip_angles(p: Problem, lam: np.ndarray) -> list[float]:
    """Degrees between friction and the direction opposite to slip, of the contacts that press and slip."""
    v, found = p.K @ lam + p.b, []
    for (_, (mu, *_)), z in zip(p.blocks, p.rows):
        f, slip = lam[z + 1 : z + 3], v[z + 1 : z + 3]
        if mu * lam[z] > 1e-6 and np.hypot(*slip) > 1e-3:
            cosine = -(f @ slip) / (np.hypot(*f) * np.hypot(*slip))
            found.append(float(np.degrees(np.arccos(np.clip(cosine, -1, 1)))))
    return found


@pytest.mark.parametrize("sweeps", [1, 2, 7, 40])
@pytest.mark.parametrize("seed", range(6))
@asserts("2007/iteration/cone")
def test_is_the_published_iteration(seed, sweeps):
    p = random_problem(seed, contacts=3, rows=4, rank=6 + seed)
    expected = by_hand(p, sweeps)
    for made in (published(p, 0.0, sweeps).lam, of_sparse(p, sweeps)):
        assert np.abs(made - expected).max() < 1e-11 * max(1.0, np.abs(expected).max())


def of_sparse(p: Problem, sweeps: int, q=None) -> np.ndarray:
    q = q or one_tree(p)
    a = q.record(np.full(len(p.b), 7.0))
    iterate_sparse.call(handle(a), q.m, q.nb, 0.0, sweeps)
    return a.problem.lam[: q.m].copy()


def test_a_sparse_matrix_gives_the_same():
    scene = tower(6, scatter=0.5)
    p = scene.problem()
    f = published(p, 0.0, 30).lam
    assert np.abs(of_sparse(p, 30, sparse_scene(scene)) - f).max() < 1e-11 * np.abs(f).max()


@pytest.mark.parametrize("seed", range(10))
@asserts("2007/iteration/projected")
def test_without_friction_it_is_the_linear_complementarity_problem(seed):
    rng = np.random.default_rng(seed)
    nc = 4 + seed
    F = rng.normal(size=(3 * nc, 3 * nc + 8))
    w = rng.normal(size=F.shape[1]) - 0.1 * F[::3].sum(axis=0)  # most of them approach
    p = Problem(F @ F.T, F @ w, [(CONTACT, (0.0,))] * nc)
    answer, ours = published(p), p.solve(tolerance=1e-10)
    exact, _ = nnls(F[::3].T, -w)  # lam >= 0 minimises |F' lam + w|^2
    assert answer.status == SOLVED and answer.residual < 1e-10
    assert np.abs(answer.lam[::3] - exact).max() <= 1e-9 * exact.max()
    assert np.abs(answer.lam - ours.lam).max() <= 1e-7 * exact.max()


@pytest.mark.parametrize("seed", range(10))
@asserts("2007/iteration/gauss-seidel", "2007/iteration/sticks")
def test_contacts_that_stick_and_rows_that_hold_are_a_linear_equation(seed):
    rng = np.random.default_rng(seed)
    F = rng.normal(size=(24, 40))
    K = F @ F.T
    lam = rng.normal(size=24) * 0.1
    lam[:18:3] = 1.0 + rng.random(6)  # six contacts well inside their cones, then equalities
    p = Problem(K, -K @ lam, [(CONTACT, (0.9,))] * 6 + [(EQUALITY, (0.0,))] * 6)
    answer, ours = published(p), p.solve(tolerance=1e-10)
    assert answer.status == SOLVED
    assert np.abs(answer.lam - lam).max() < 1e-9
    assert np.abs(answer.lam - ours.lam).max() < 1e-7


def test_bounded_rows_end_between_or_at_their_bounds():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        F = rng.normal(size=(8, 12))
        p = Problem(F @ F.T, F @ rng.normal(size=12), [(BOUNDED, (0.0, -0.05, 0.1))] * 8)
        answer = published(p)
        assert answer.status == SOLVED
        p.check(answer, 1e-10)


def test_stops_on_the_relative_change():
    p = pile(6, 12, 0.5, 3).problem()
    for tolerance in (1e-2, 1e-4, 1e-6):
        n = published(p, tolerance, 10_000).sweeps
        f = [published(p, 0.0, k).lam for k in (n - 2, n - 1, n)]
        changes = [np.linalg.norm(b - a) / np.linalg.norm(b) for a, b in pairwise(f)]
        assert changes[1] <= tolerance < changes[0]
    assert published(p, 1e-6, 5).sweeps == 5
    assert SWEEPS == 120


@asserts("2007/direction/pgs")
def test_slip_is_not_opposite_to_friction():
    """The fixed point of (17) with (21) on 60 piles of random bodies, and on single contacts of random bodies."""
    theirs, ours, residuals = [], [], []
    for seed in range(60):
        p = pile(5, 10, 0.3, seed).problem()
        answer = published(p)
        theirs += slip_angles(p, answer.lam)
        ours += slip_angles(p, p.solve(tolerance=1e-9).lam)
        residuals.append(answer.residual)
    print(f"{len(theirs)} contacts slip: mean {np.mean(theirs):.1f}, largest {max(theirs):.0f} degrees")
    assert len(theirs) > 200 and 7 < np.mean(theirs) < 13 and max(theirs) > 25
    assert max(ours) < 1e-3
    assert np.median(residuals) > 1e-3  # the true residual does not vanish, although nothing changes any more


@pytest.mark.parametrize("mu", [0.2, 1.0])
def test_a_single_contact_slips_obliquely(mu):
    rng = np.random.default_rng(5)
    theirs, ours = [], []
    while len(theirs) < 300:
        F = rng.normal(size=(3, 12))
        p = Problem(F @ F.T / 12, rng.normal(size=3), [(CONTACT, (mu,))])
        answer = published(p)
        if answer.status == LIMIT:
            theirs += slip_angles(p, answer.lam)
            ours += slip_angles(p, p.solve(tolerance=1e-9).lam)
    print(f"mu {mu}: mean {np.mean(theirs):.1f}, largest {max(theirs):.0f} degrees")
    assert 6 < np.mean(theirs) < 16 and max(ours) < 1e-3


def test_equal_tangents_slip_straight():
    """Where x and y do not couple and answer alike, (17) with (21) is exact."""
    p = Problem(np.diag([2.0, 3.0, 3.0]), np.array([-1.0, 4.0, -3.0]), [(CONTACT, (0.4,))])
    answer = published(p)
    assert answer.status == SOLVED
    assert np.allclose(answer.lam, 0.5 * np.array([1.0, 0.4 * -0.8, 0.4 * 0.6]), atol=1e-13)


@pytest.mark.parametrize("count", [1, 5])
def test_redundant_corners_stay_bounded(count):
    p = tower(count).problem()
    answer = published(p, 1e-12, 50_000)
    assert answer.residual < 1e-9
    ours = p.solve(tolerance=1e-9)
    assert np.abs(answer.v - ours.v).max() < 1e-7 * np.abs(p.b).max()
    assert np.abs(answer.lam).max() < 4 * np.abs(ours.lam).max()
    assert answer.lam[::3].sum() == pytest.approx(ours.lam[::3].sum(), rel=1e-6)


def test_what_cannot_move_and_what_is_not_a_number():
    p = Problem(np.diag([0.0, 1.0]), np.array([1.0, -1.0]), [(EQUALITY, (0.0,)), (EQUALITY, (0.0,))])
    answer = published(p, 1e-9, 10)
    assert answer.status == LIMIT and answer.lam.tolist() == [0.0, 1.0]
    broken = published(Problem(np.eye(1), np.array([np.nan]), [(EQUALITY, (0.0,))]), 1e-9, 10)
    assert broken.status == BROKEN and broken.lam.tolist() == [0.0]
