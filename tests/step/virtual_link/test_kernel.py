"""The solver as a kernel: the same in plain Python."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

TESTS = str(Path(__file__).parents[2])

PLAIN = """
import sys; sys.path.insert(0, {tests!r})
import numpy as np
from virtual_link_cases import box_problem, feet_problem, standing_torques
from bunraku.kernel.compile import JIT
out = []
def thought(a):
    p = a.patches[0]
    return [p.state, p.mode, p.low, p.high], p.pv, p.s, [p.fade, p.sign, p.d], p.centre
for case in (dict(), dict(push=(20, 3, 0, 0, 0, 0)), dict(push=(0, 0, 0, 0, 6, 0)), dict(push=(6, 0, 0, 1, 0, 2)), dict(twist=(1, 0, 0, 0, 0, 4)),
             dict(twist=(0.1, 0, 0, 0, 0, 4)), dict(push=(0, 0, 40, 0, 0, 0))):
    a = box_problem(**case).forces()
    out += [a.f, a.a, *thought(a), [a.status, a.solves]]
for twist in ((0, 0, -1, 0, 0, 0), (2, 1, -1, 1, 0, 3), (0.3, 0, -1, 2, -3, 0)):
    a = box_problem(twist=twist, e_n=0.7, e_t=0.2).impact()
    out += [a.f, a.a, thought(a)[0], [a.status, a.solves]]
a = feet_problem(standing_torques).forces()
out += [a.f, [a.status, a.solves]]
np.save(sys.argv[1], np.concatenate([np.ravel(x) for x in out]).astype(float))
print("compiled" if JIT else "plain")
"""


def run(code: str, jit: bool, *args: str) -> str:
    env = dict(os.environ, NUMBA_DISABLE_JIT="0" if jit else "1")
    done = subprocess.run([sys.executable, "-c", code, *args], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_plain_python_gives_the_same(tmp_path):
    results = {}
    for jit, word in ((False, "plain"), (True, "compiled")):
        file = tmp_path / f"{word}.npy"
        assert run(PLAIN.format(tests=TESTS), jit, str(file)).split()[-1] == word
        results[word] = np.load(file)
    a, b = results["plain"], results["compiled"]
    # fused multiply-adds round differently, so not bit for bit
    assert np.abs(a - b).max() < 1e-8 * np.abs(b).max()
