"""The ways to a compiled kernel agree: objects for this processor and for an older one without fused operations bit for
bit, Numba in the process to rounding, over every function of dynamics and the first second of a walk.

Minutes of compiling, nearly all of it by Numba in the process: so they belong to the run with `BUNRAKU_KERNELS=jit`
(.ci/run), which has most of it compiled already."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bunraku.kernel import native
from bunraku.kernel.compile import JIT

TESTS = str(Path(__file__).parents[1])
WANTED = JIT and os.environ.get("BUNRAKU_KERNELS") == "jit"
pytestmark = pytest.mark.skipif(
    not WANTED, reason="compared where kernels are compiled in the process: BUNRAKU_KERNELS=jit"
)

DYNAMICS = """
import sys; sys.path.insert(0, {tests!r})
import numpy as np, bunraku as bk
from figures import KINDS, SCREWS, random_figure, random_forces, random_state
out = []
for seed, kinds in ((1, KINDS), (3, KINDS), (4, SCREWS)):
    m = random_figure(seed, links=6, kinds=kinds)
    q, v, tau = random_state(m, seed)
    f = random_forces(m, seed)
    Q, V, T = np.array([q] * 3), np.array([v] * 3), np.array([tau] * 3)
    frames = [link.name for link in m.links[-3:]]
    d = bk.rnea_derivatives(m, q, v, tau, f)
    out += [bk.aba(m, q, v, tau, f), bk.rnea(m, q, v, tau), bk.crba(m, q), bk.joint_jacobians(m, q), bk.aba(m, Q, V, T)[2],
            bk.rnea(m, Q, V, T, f)[1], bk.frame_jacobian(m, q, frames[0]), bk.kinematics(m, q, v).bias,
            np.array([bk.energy(m, q, v)]), bk.momentum_matrix(m, q), bk.delassus(m, q, frames, np.eye(3)), d.dq, d.dv]
np.save(sys.argv[1], np.concatenate([np.ravel(x) / max(1.0, np.abs(x).max()) for x in out]))
"""
WALK = """
import sys, numpy as np, bunraku as bk
recording = bk.walk(bk.human(), "walk 1 m").recording
np.save(sys.argv[1], recording.motion("human").q[: recording.frame_at(1.0)])
"""


def result(code: str, file: Path, **env: str) -> np.ndarray:
    full = {**os.environ, "NUMBA_DISABLE_JIT": "0", "BUNRAKU_KERNELS": "", **env}
    done = subprocess.run([sys.executable, "-c", code, str(file)], env=full, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return np.load(file)


def test_dynamics(tmp_path):
    code = DYNAMICS.format(tests=TESTS)
    here = result(code, tmp_path / "native.npy")
    assert np.abs(result(code, tmp_path / "jit.npy", BUNRAKU_KERNELS="jit") - here).max() < 1e-12
    if "+avx2" in native.host().features:
        older = {"NUMBA_CPU_NAME": "x86-64-v2", "NUMBA_CPU_FEATURES": "+sse4.2"}
        assert np.array_equal(result(code, tmp_path / "older.npy", **older), here)


def test_the_first_second_of_a_walk(tmp_path):
    here = result(WALK, tmp_path / "native.npy")
    assert len(here) > 100
    assert np.abs(result(WALK, tmp_path / "jit.npy", BUNRAKU_KERNELS="jit") - here).max() < 1e-6
