"""The contact solver for large islands: against the dense one, against the laws, on towers and heaps, and where it must
give up."""

import os
import subprocess
import sys

import numpy as np
import pytest

from bunraku.contact.pgs import BROKEN, LIMIT, SOLVED, STUCK
from bunraku.contact.problem import BOUNDED, CONTACT, EQUALITY
from contact_problems import Problem, pile, random_problem, standing, tower
from sparse_problems import Sparse, heap, one_tree, sparse_scene, sparse_tower, trees_of

TESTS = os.path.join(os.path.dirname(__file__), "..")


def solved(q: Sparse, lam=None, **options):
    answer = q.solve(lam, **options)
    assert answer.status == SOLVED, (answer.status, answer.sweeps, answer.residual)
    assert answer.residual <= 1e-6
    # the residual it reports is the dense code's, of the same impulses
    assert q.p.residual(answer.lam) == pytest.approx(answer.residual, rel=1e-3, abs=1e-9)
    q.p.check(answer)
    return answer


def noisy(lam, seed=0):
    return lam * (1 + 0.01 * np.random.default_rng(seed).normal(size=len(lam)))


@pytest.mark.parametrize("seed", range(60))
def test_random_problems_of_every_kind_of_block(seed):
    solved(one_tree(random_problem(seed, contacts=seed % 11, rows=1 + seed % 8, rank=1 + seed % 40)))


@pytest.mark.parametrize("seed", range(15))
def test_equalities_only_give_the_dense_answer(seed):
    # linear: v is unique, both solvers must agree to the tolerance
    rng = np.random.default_rng(seed)
    bodies, rows = 12, 30
    J, trees = np.zeros((rows, 6 * bodies)), np.zeros((rows, 2), dtype=np.int64)
    for k in range(rows):
        a, b = rng.integers(1, bodies + 1), rng.integers(0, bodies + 1)
        trees[k] = a, b if b != a else 0
        for t in trees[k][trees[k] > 0]:
            J[k, 6 * t - 6 : 6 * t] = rng.normal(size=6)
    p = Problem(J @ J.T, J @ rng.normal(size=6 * bodies), [(EQUALITY, (0.1 * (k % 2),)) for k in range(rows)])
    sparse, dense = solved(Sparse(p, trees), tolerance=1e-10), p.solve(tolerance=1e-10)
    assert np.abs(sparse.v - dense.v).max() < 1e-9 * np.abs(p.b).max() * 10


@pytest.mark.parametrize("seed", range(10))
def test_frictionless_heap_gives_the_dense_velocities(seed):
    # a convex problem: velocities of rows are unique, impulses are not
    scene = heap(3, seed=seed, mu=0.0, scatter=1.0)
    q = sparse_scene(scene)
    sparse, dense = solved(q, tolerance=1e-9), q.p.solve(tolerance=1e-9)
    assert dense.status == SOLVED
    # both are within 1e-9 a row; K couples 20 rows with one another
    assert np.abs(sparse.v - dense.v).max() < 1e-9 * 1e3 * np.abs(q.p.b).max()


@pytest.mark.parametrize("push", [(0, 0, 0), (250, 80, 0)])
@pytest.mark.parametrize("mu", [0.1, 0.8])
def test_standing_figure_gives_the_dense_velocities(push, mu):
    p = standing(push=push, mu=mu).problem()
    sparse, dense = solved(one_tree(p), tolerance=1e-9), p.solve(tolerance=1e-9)
    assert np.abs(sparse.v - dense.v).max() < 1e-6 * np.abs(p.b).max()


@pytest.mark.parametrize("seed", range(20))
def test_piles(seed):
    bodies = (1, 3, 8, 15, 30)[seed % 5]
    solved(sparse_scene(pile(bodies, 3 * bodies + seed % 7, (0.2, 0.5, 1.0)[seed % 3], seed)))


@pytest.mark.parametrize("scatter", [0.0, 1.0])
@pytest.mark.parametrize("count", [5, 10, 20, 40])
def test_towers(count, scatter):
    scene = tower(count, scatter=scatter)
    q = sparse_scene(scene)
    answer = solved(q)
    if scatter == 0.0:  # every level carries what is above it, and nothing moves
        weights = answer.lam.reshape(count, 4, 3)[:, :, 0].sum(axis=1)
        assert np.allclose(weights, 2.0 * 9.81 * 0.001 * np.arange(count, 0, -1), rtol=1e-5)
        assert np.abs(scene.after(answer.lam)).max() < 1e-6 * 9.81 * 0.001 * count / 0.1
    for seed in range(3):
        assert solved(q, noisy(answer.lam, seed)).sweeps < 200
    again = q.solve(answer.lam)
    assert again.status == SOLVED and again.residual <= 1e-6


@pytest.mark.parametrize("layers", [4, 6, 8])
def test_heaps_at_rest(layers):
    scene = heap(layers, seed=layers)
    q = sparse_scene(scene)
    answer = solved(q)
    assert answer.sweeps < 300
    warm = solved(q, noisy(answer.lam))
    assert warm.sweeps < 150
    # nothing makes energy: the impulses only take it
    before = 0.5 * scene.velocity @ np.linalg.solve(scene.W, scene.velocity)
    v = scene.after(warm.lam)
    assert 0.5 * v @ np.linalg.solve(scene.W, v) < before


@pytest.mark.parametrize("seed", range(3))
def test_shaken_heaps(seed):
    solved(sparse_scene(heap(4, seed=seed, scatter=1.0)))


def test_a_shaken_heap_comes_to_rest():
    # steps of 1 ms with gravity, contact points held where they are: from 0.2 m/s to rest, every step to the residual,
    # no sleeping
    scene = heap(4, seed=1, scatter=20.0)
    q = sparse_scene(scene)
    mass, fall = 1 / np.diag(scene.W), np.tile([0, 0, -9.81e-3, 0, 0, 0], len(scene.velocity) // 6)
    v, lam = scene.velocity.copy(), np.zeros(q.m)
    first = 0.5 * v @ (mass * v)
    for _ in range(160):
        q.p.b[:] = scene.J @ v
        answer = q.solve(lam)
        assert answer.status == SOLVED
        lam = answer.lam
        v = v + scene.W @ (scene.J.T @ lam)
        energy = 0.5 * v @ (mass * v)
        v = v + fall
    assert first > 0.5 and energy < 1e-12
    # at rest the ground carries the weight
    ground = np.flatnonzero(q.trees[:, 1] == 0)
    assert lam[3 * ground].sum() == pytest.approx(30 * 9.81e-3, rel=1e-5)


def test_mass_ratio_of_a_million():
    scene = tower(3, masses=np.array([1.0, 1e3, 1e6]))
    answer = solved(sparse_scene(scene))
    assert np.abs(scene.after(answer.lam)).max() < 1e-5 * 9.81 * 0.001


def test_heap_of_many_masses():
    solved(sparse_scene(heap(4, masses=1.5)))


def test_the_answer_does_not_depend_on_the_names_of_trees():
    scene = heap(3, scatter=1.0)
    p, trees = scene.problem(), trees_of(scene)
    renamed = np.where(trees > 0, 5 * trees + 40, 0)  # gaps, and none that starts at 1
    assert np.array_equal(Sparse(p, trees).solve().lam, Sparse(p, renamed).solve().lam)
    assert np.array_equal(Sparse(p, trees).solve().lam, Sparse(p, trees).solve().lam)


def test_too_little_room_leaves_sweeps():
    q = sparse_scene(heap(3))
    full = solved(q)
    for room in ({"factor": 8}, {"pool": 1}):
        answer = q.solve(max_sweeps=400, **room)
        assert answer.status in (SOLVED, LIMIT) and answer.sweeps <= 400
        assert answer.residual == pytest.approx(q.p.residual(answer.lam), rel=1e-6) and answer.residual < 1e-3
    assert np.isfinite(full.lam).all()


def test_immovable_blocks():
    # a box on the floor, and in the same island a contact and a row that nothing can move
    p = tower(1).problem()
    m = len(p.b)
    K = np.zeros((m + 4, m + 4))
    K[:m, :m] = p.K
    blocks = [*p.blocks, (CONTACT, (0.5,)), (BOUNDED, (0.0, -1.0, np.inf))]
    trees = [(1, 0)] * 4 + [(0, 0), (2, 0)]
    quiet = Sparse(Problem(K, np.r_[p.b, 1e-3, 1e-3, 0, 1e-3], blocks), trees).solve()
    assert quiet.status == SOLVED and list(quiet.lam[m:]) == [0, 0, 0, -1.0]
    assert np.allclose(quiet.v[:m], p.solve().v, atol=1e-8)
    approaching = Sparse(Problem(K, np.r_[p.b, -1e-3, 1e-3, 0, 1e-3], blocks), trees).solve()
    assert approaching.status == STUCK and approaching.sweeps < 60 and approaching.residual > 1e-3


def test_contradicting_equalities_end_soon_and_bounded():
    q = one_tree(Problem(np.ones((2, 2)), np.array([-1.0, -1.1]), [(EQUALITY, (0.0,))] * 2))
    answer = q.solve()
    assert answer.status == STUCK and answer.sweeps < 60
    assert answer.lam.sum() == pytest.approx(1.05, abs=0.01) and abs(answer.lam).max() < 10


@pytest.mark.parametrize("cap", [0, 1, 7, 33])
def test_the_cap_holds(cap):
    q = sparse_tower(20, tilt=0.5, scatter=2.0)
    for lam in (None, np.random.default_rng(0).normal(size=q.m)):
        answer = q.solve(lam, max_sweeps=cap)
        assert answer.status == LIMIT and answer.sweeps <= cap
        rows = answer.lam.reshape(-1, 3)
        assert np.isfinite(rows).all()
        assert (np.hypot(rows[:, 1], rows[:, 2]) <= 0.6 * rows[:, 0] * (1 + 1e-12)).all()
        assert answer.residual == pytest.approx(q.p.residual(answer.lam), rel=1e-6)


def test_bad_numbers():
    q = sparse_tower(5)
    assert q.solve(np.full(q.m, np.nan)).status == SOLVED  # a broken warm start is a cold start
    assert q.solve(np.full(q.m, 1e12)).status == SOLVED
    for broken in (np.nan, np.inf):
        p = Problem(q.p.K, q.p.b.copy(), q.p.blocks)
        p.b[5] = broken
        answer = Sparse(p, q.trees).solve()
        assert answer.status == BROKEN and not answer.lam.any() and answer.residual == np.inf
        q.values[10] = broken
        answer = q.solve()
        assert answer.status == BROKEN and not answer.lam.any()


def test_nothing_to_do():
    q = sparse_tower(2)
    q.p.b[:] = 0.0
    answer = q.solve()
    assert answer.status == SOLVED and answer.sweeps == 0 and not answer.lam.any()
    assert Sparse(Problem(np.zeros((0, 0)), np.zeros(0), []), np.zeros((0, 2))).solve().status == SOLVED


PLAIN = """
import sys; sys.path.insert(0, {tests!r})
import numpy as np
from contact_problems import pile, random_problem, tower
from sparse_problems import heap, one_tree, sparse_scene
from bunraku.kernel.compile import JIT
problems = [sparse_scene(s) for s in (pile(3, 7, 1.0, 26), tower(3, tilt=0.3), heap(2, scatter=0.3))] + [one_tree(random_problem(5, 2, 5, 8))]
answers = [p.solve() for p in problems]
np.save(sys.argv[1], np.concatenate([np.r_[a.v / abs(p.p.b).max(), a.status] for a, p in zip(answers, problems)]))
print("compiled" if JIT else "plain")
"""


def test_plain_python_gives_the_same(tmp_path):
    results = {}
    for flag, word in (("1", "plain"), ("0", "compiled")):
        file = tmp_path / f"{word}.npy"
        env = dict(os.environ, NUMBA_DISABLE_JIT=flag)
        code = PLAIN.format(tests=TESTS)
        done = subprocess.run([sys.executable, "-c", code, str(file)], env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert done.stdout.split()[-1] == word
        results[word] = np.load(file)
    # fused multiply-adds round differently; velocities agree to the residual, over the few rows that each couples with
    assert np.abs(results["plain"] - results["compiled"]).max() < 2e-5
