"""The same kernel sources as plain Python (NUMBA_DISABLE_JIT=1) and compiled: the same numbers; and no memory is taken
inside a kernel."""

import os
import subprocess
import sys

import numpy as np

ROOT = os.path.join(os.path.dirname(__file__), "..")

PLAIN = """
import sys; sys.path.insert(0, {tests!r})
import numpy as np, bunraku as bk
from figures import KINDS, SCREWS, random_figure, random_state, random_forces
from matrix_figures import random_description
from bunraku.kernel.compile import JIT
out = []
coupled = [random_description(seed, form).build() for seed, form in ((1, "serial"), (15, "parallel"), (8, "mixed"))]
plain = [random_figure(seed, links=6, kinds=kinds) for seed, kinds in ((1, KINDS), (3, KINDS), (5, KINDS), (4, SCREWS))]
for seed, m in enumerate(plain + coupled):
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
