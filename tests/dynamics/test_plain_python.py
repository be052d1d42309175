"""The same kernel sources as plain Python (NUMBA_DISABLE_JIT=1) and compiled: the same numbers; and no memory is taken
inside a kernel."""

import os
import subprocess
import sys

import numpy as np
import pytest

ROOT = os.path.join(os.path.dirname(__file__), "..")

PLAIN = """
import sys; sys.path.insert(0, {tests!r})
import numpy as np, bunraku as bk
from figures import KINDS, SCREWS, random_figure, random_state, random_forces
from bunraku.kernel.compile import JIT
out = []
for seed, kinds in ((1, KINDS), (3, KINDS), (5, KINDS), (4, SCREWS)):
    m = random_figure(seed, links=6, kinds=kinds)
    q, v, tau = random_state(m, seed)
    f = random_forces(m, seed)
    Q, V, T = np.array([q] * 3), np.array([v] * 3), np.array([tau] * 3)
    frames = [link.name for link in m.links[-3:]]
    d = bk.rnea_derivatives(m, q, v, tau, f)
    out += [bk.aba(m, q, v, tau, f), bk.rnea(m, q, v, tau), bk.crba(m, q), bk.joint_jacobians(m, q), bk.aba(m, Q, V, T)[2],
            bk.rnea(m, Q, V, T, f)[1], bk.frame_jacobian(m, q, frames[0]), bk.kinematics(m, q, v).bias,
            np.array([bk.energy(m, q, v)]), bk.momentum_matrix(m, q), bk.delassus(m, q, frames, np.eye(3)), d.dq, d.dv]
np.save(sys.argv[1], np.concatenate([np.ravel(x) for x in out]))
print("compiled" if JIT else "plain")
"""


def test_plain_python_gives_the_same(tmp_path):
    results = {}
    for flag, word in (("1", "plain"), ("0", "compiled")):
        file = tmp_path / f"{word}.npy"
        env = dict(os.environ, NUMBA_DISABLE_JIT=flag)
        done = subprocess.run(
            [sys.executable, "-c", PLAIN.format(tests=ROOT), str(file)], env=env, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.split()[-1] == word
        results[word] = np.load(file)
    a, b = results["plain"], results["compiled"]
    # fused multiply-adds round differently, so not bit for bit
    assert np.abs(a - b).max() < 1e-10 * np.abs(b).max()


ALLOCATION = """
import numpy as np, bunraku as bk
from numba.core.runtime import _nrt_python, rtsys
_nrt_python.memsys_enable_stats()
from bunraku.kernel.compile import kernel
from bunraku.dynamics.work import opened, opened_lanes
from bunraku.dynamics.aba_kernel import aba_passes
from bunraku.dynamics.rnea_kernel import rnea_passes
from bunraku.dynamics.crba_kernel import mass_matrix
from bunraku.dynamics.jacobian_kernel import column_pass
from bunraku.dynamics.delassus_kernel import factor
m = bk.load({path!r})
work = bk.Work(m)
rng = np.random.default_rng(0)
q, v, tau = bk.random_configuration(m, rng), rng.normal(size=m.nv), rng.normal(size=m.nv)
a, M, J = np.zeros(m.nv), np.zeros((m.nv, m.nv)), np.zeros((m.ints[:, 7].sum(), 6))

@kernel
def calls(handle, q, v, tau, a, M, J, n):
    ints, reals, work = opened(handle)
    ints4, reals4, work4, q4, v4, tau4, a4, f4 = opened_lanes(handle)
    for _ in range(n):
        aba_passes(ints, reals, q, v, tau, None, work, a)
        rnea_passes(ints, reals, q, v, tau, None, work, a)
        mass_matrix(ints, reals, q, work, M)
        column_pass(ints, reals, q, work, J)
        factor(ints, reals, q, work)
        aba_passes(ints4, reals4, q4, v4, tau4, None, work4, a4)

def count(n):
    before = rtsys.get_allocation_stats().alloc
    calls(work.handle, q, v, tau, a, M, J, n)
    return rtsys.get_allocation_stats().alloc - before

count(1)
print(count(1), count(100))
"""


@pytest.mark.slow
def test_no_allocation_inside_a_kernel():
    from robots import robot

    env = dict(os.environ, NUMBA_DISABLE_JIT="0")
    code = ALLOCATION.format(path=str(robot("talos_full")))
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    one, hundred = map(int, done.stdout.split())
    assert one == hundred
