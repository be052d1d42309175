"""The contact solver on random problems: the residual met, cones kept, energy never raised; and one source, compiled or
not, without allocation."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

from asserts import asserts
from bunraku.contact.pgs import SOLVED
from bunraku.contact.problem import CONTACT
from contact_problems import Problem, random_problem

ROOT = os.path.join(os.path.dirname(__file__), "..")


@settings(max_examples=300)
@given(
    seed=st.integers(0, 10**6),
    contacts=st.integers(0, 10),
    rows=st.integers(0, 8),
    rank=st.integers(1, 40),
    warm=st.booleans(),
    size=st.sampled_from([1e-6, 1.0, 1e6]),
)
@asserts("2007/conditions/*")
def test_random_problems(seed, contacts, rows, rank, warm, size):
    if contacts + rows == 0:
        return
    p = random_problem(seed, contacts, rows, rank)
    p.K = p.K * size  # other masses: other impulses, the same velocities
    p.blocks = [(k, r if k == CONTACT else (r[0] * size, *(x / size for x in r[1:]))) for k, r in p.blocks]
    start = np.random.default_rng(seed).normal(size=len(p.b)) / size if warm else None
    answer = p.solve(start)
    assert answer.status == SOLVED and answer.residual <= 1e-6, (answer.status, answer.sweeps, answer.residual)
    p.check(answer)
    # passive: the work of the impulses, lam . (v + b) / 2, is never positive; the residual allows 1e-6 of the free
    # energy a row. A bounded row's limits stand for a motor or friction with lo <= 0 <= hi, so they are passive too.
    energy = 0.5 * answer.lam @ (answer.v + p.b)
    assert energy <= 1e-6 * len(p.b) * np.abs(p.b).max() * np.abs(answer.lam).max()


@pytest.mark.parametrize("seed", [286, 761, *range(8)])
def test_no_start_makes_a_problem_hopeless(seed):
    # where the search may end early, as in a World: impulses of other problems, from which the first two seemed to be
    # contradictions, lead to the answer as zero does
    rng = np.random.default_rng(seed)
    p = random_problem(seed, int(rng.integers(3, 11)), int(rng.integers(0, 6)), int(rng.integers(6, 25)))
    cold = p.solve(hopeless=0.01)
    start = np.abs(cold.lam).max() * rng.choice([0.3, 1, 3, 30]) * rng.normal(size=len(p.b))
    start[rng.random(len(p.b)) < 0.5] = 0
    warm = p.solve(start, hopeless=0.01)
    assert cold.status == SOLVED and warm.status == SOLVED, (warm.sweeps, warm.residual)
    p.check(warm)


@pytest.mark.parametrize("seed", range(20))
def test_frictionless_is_a_quadratic_program(seed):
    # lam >= 0 minimises |F' lam + w|^2: the peer is scipy's non-negative least squares; v_n is unique
    rng = np.random.default_rng(seed)
    nc, rank = 6 + seed, 5 + seed % 9
    F = rng.normal(size=(3 * nc, rank))
    w = rng.normal(size=rank)
    answer = Problem(F @ F.T, F @ w, [(CONTACT, (0.0,))] * nc).solve(tolerance=1e-9)
    lam, _ = nnls(F[::3].T, -w)
    assert answer.status == SOLVED
    assert np.abs(answer.v[::3] - F[::3] @ (F[::3].T @ lam + w)).max() < 1e-7 * np.abs(F @ w).max()


@pytest.mark.parametrize("rank", [100, 180, 300])
def test_three_hundred_rows(rank):
    p = random_problem(rank, contacts=100, rows=0, rank=rank)
    answer = p.solve()
    assert answer.status == SOLVED
    p.check(answer)


PLAIN = """
import sys; sys.path.insert(0, {tests!r})
import numpy as np
from contact_problems import pile, random_problem, tower
from bunraku.kernel.compile import JIT
problems = [pile(2, 4, 0.5, 1).problem(), pile(3, 7, 1.0, 26).problem(), tower(2, tilt=0.3).problem(), random_problem(5, 2, 5, 8)]
answers = [p.solve() for p in problems]
out = [np.concatenate([a.lam, a.v, [a.status, a.sweeps]]) for a in answers]
np.save(sys.argv[1], np.concatenate(out))
print("compiled" if JIT else "plain")
"""


def test_plain_python_gives_the_same(tmp_path):
    results = {}
    for flag, word in (("1", "plain"), ("0", "compiled")):
        file = tmp_path / f"{word}.npy"
        env = dict(os.environ, NUMBA_DISABLE_JIT=flag)
        code = PLAIN.format(tests=ROOT)
        done = subprocess.run([sys.executable, "-c", code, str(file)], env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert done.stdout.split()[-1] == word
        results[word] = np.load(file)
    # fused multiply-adds round differently, and redundant impulses may differ along directions that move nothing, by
    # 1e-16 / 1e-9
    assert np.abs(results["plain"] - results["compiled"]).max() < 1e-6
