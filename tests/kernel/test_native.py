"""Kernels as objects: never stale, whatever is edited; loaded without Numba; made anew where damaged or for another
processor."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import bunraku
from bunraku.kernel import native
from bunraku.kernel.compile import JIT

SOURCE = Path(bunraku.__file__).parent
pytestmark = pytest.mark.skipif(not JIT, reason="kernels run as plain Python")

PROBE = '''
from bunraku.kernel.entry import entry
from bunraku.kernel.record import Record, real
from bunraku.kernel.trig import sincos_all

FACTOR = 1.0


class Probe(Record):
    """Two numbers."""

    first = real()
    second = real()


@entry("D D h")
def probe(x, out, h):
    """sin and cos, times a factor and a field of a record"""
    sincos_all(x, x.shape[0], out, 0)
    out[0] *= FACTOR * Probe(h).second
'''
CALL = """
import sys, numpy as np, bunraku.step.probe as p
from bunraku.kernel.record import handle
x = np.array([0.5]); out = np.zeros(2); r = p.Probe()
r.first, r.second = 3.0, 1.0
p.probe.call(x, out, handle(r)); print(out[0], 'numba' in sys.modules)
"""


@pytest.fixture
def copy(tmp_path):
    """A copy of the package with one small kernel more."""
    skipped = shutil.ignore_patterns("__pycache__", "page", "node_modules", "built")
    shutil.copytree(SOURCE, tmp_path / "bunraku", ignore=skipped)
    (tmp_path / "bunraku" / "step" / "probe.py").write_text(PROBE)
    return tmp_path


def run(folder: Path, code: str = CALL, **env: str) -> subprocess.CompletedProcess:
    """A fresh Python with its own cache, on the copy in `folder`."""
    full = {**os.environ, "NUMBA_DISABLE_JIT": "0", "BUNRAKU_CACHE_DIR": str(folder / "cache"), "BUNRAKU_KERNELS": ""}
    full |= {"PYTHONPATH": str(folder), "BUNRAKU_QUIET": "0", **env}
    return subprocess.run([sys.executable, "-c", code], env=full, capture_output=True, text=True, cwd=folder)


def value(done: subprocess.CompletedProcess) -> float:
    assert done.returncode == 0, done.stderr
    number, numba = done.stdout.split()
    assert numba == "False"
    return float(number)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.mark.slow
def test_no_edit_leaves_a_stale_kernel(copy):
    """A helper in another file, a constant, a record; what does not matter compiles nothing."""
    sine, probe = np.sin(0.5), copy / "bunraku" / "step" / "probe.py"
    first = run(copy)
    assert value(first) == pytest.approx(sine) and "preparing kernel probe" in first.stderr
    edit(probe, "sin and cos, times", "words, times")  # a docstring
    (copy / "bunraku" / "kernel" / "vec.py").open("a").write("\n# a comment\n")
    again = run(copy)
    assert value(again) == pytest.approx(sine) and "preparing" not in again.stderr  # from the cache, silently
    edit(copy / "bunraku" / "kernel" / "trig.py", "st(out, k + i, s)", "st(out, k + i, 2.0 * s)")
    edited = run(copy)
    assert "preparing" in edited.stderr and value(edited) == pytest.approx(2 * sine)
    edit(probe, "FACTOR = 1.0", "FACTOR = 5.0")
    assert value(run(copy)) == pytest.approx(10 * sine)
    edit(probe, "    first = real()\n    second = real()", "    second = real()\n    first = real()")
    assert value(run(copy)) == pytest.approx(10 * sine)  # `second` lies elsewhere now


@pytest.mark.slow
def test_damaged_objects_and_other_processors(copy):
    value(run(copy))
    made = next((copy / "cache").rglob("*probe*.o"))
    data = bytearray(made.read_bytes())
    data[len(data) // 2] ^= 1
    made.write_bytes(data)
    again = run(copy)
    assert "preparing" in again.stderr and value(again) == pytest.approx(np.sin(0.5))
    # objects of the package, for a processor with a feature that nobody has
    built = copy / "bunraku" / "kernel" / "built"
    built.mkdir()
    shutil.move(str(made), built / made.name)
    (built / "target.json").write_text('{"cpu": "x", "features": "+avx2,+dreams"}')
    assert "preparing" in run(copy).stderr
    shutil.rmtree(copy / "cache")
    (built / "target.json").write_text('{"cpu": "x", "features": "+sse2"}')
    assert "preparing" not in run(copy).stderr and not list((copy / "cache").rglob("*.o"))
    assert "preparing" in run(copy, BUNRAKU_KERNELS="cached").stderr
    if "+avx2" in native.host().features:  # a processor without AVX2
        (built / "target.json").write_text('{"cpu": "x", "features": "+avx2"}')
        assert "preparing" not in run(copy).stderr
        older = run(copy, NUMBA_CPU_NAME="x86-64-v2", NUMBA_CPU_FEATURES="+sse4.2")
        assert "preparing" in older.stderr and value(older) == pytest.approx(np.sin(0.5))


@pytest.mark.slow
def test_a_cache_that_cannot_be_written_and_quiet(copy):
    (copy / "cache").write_text("a file where a folder should be")
    done = run(copy, BUNRAKU_QUIET="1")
    assert value(done) == pytest.approx(np.sin(0.5)) and done.stderr == ""


def test_a_wrong_choice_is_told():
    done = run(Path.cwd(), "import bunraku as bk; m = bk.human(); bk.crba(m, m.neutral())", BUNRAKU_KERNELS="fast",
               PYTHONPATH=str(SOURCE.parent))  # fmt: skip
    assert "BUNRAKU_KERNELS is 'fast'; wanted native, cached or jit." in done.stderr


def test_objects_say_their_checksum(tmp_path):
    native.write(tmp_path / "a.o", b"code")
    assert native.read(tmp_path / "a.o") == b"code"
    (tmp_path / "a.o").write_bytes((tmp_path / "a.o").read_bytes()[:-1])
    assert native.read(tmp_path / "a.o") is None and native.read(tmp_path / "b.o") is None


WRONG = """
import sys, numpy as np, bunraku as bk
from bunraku.dynamics.jacobian_kernel import columns_one as kernel
m = bk.human()
q, out = m.neutral(), np.zeros((m.nv, 6))
def by_numba():
    import numba
    @numba.njit
    def root(x):
        if x < 0:
            raise ValueError("negative")
        return x ** 0.5
    try: root(-1.0)
    except ValueError as error: print(error, root(4.0))
if FIRST: by_numba()
for args in ((), (0,), (0, q, out, q), (0, q.astype(np.float32), out), (0, q, out.T), (0, q, q), (0, None, out),
             (0.5, q, out), ("h", q, out), (0, q, out.astype(">f8"))):
    try: kernel.call(*args)
    except TypeError as error: print("TypeError:", error)
print(bk.joint_jacobians(m, q.astype(np.float32)).shape)
by_numba()
print("numba" in sys.modules, type(kernel.loaded).__name__)
"""


@pytest.mark.parametrize("first", [True, False], ids=["Numba before", "Numba after"])
def test_wrong_arguments_are_refused_whatever_Numba_did_to_the_process(first):
    """Numba names other things PyExc_… in llvmlite's table of symbols, which kernels are linked by as well."""
    env = {**os.environ, "NUMBA_DISABLE_JIT": "0", "BUNRAKU_KERNELS": "", "PYTHONPATH": str(SOURCE.parent)}
    done = subprocess.run(
        [sys.executable, "-c", WRONG.replace("FIRST", str(first))], env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, f"ended with {done.returncode}: {done.stderr}"
    assert done.stdout.count("negative 2.0") == 1 + first
    assert done.stdout.count("TypeError: wanted h D DD") == 8 and done.stdout.count("TypeError: ") == 10
    assert done.stdout.endswith("True builtin_function_or_method\n")


HOLES = """
import ctypes
import numpy as np
from bunraku.kernel import native, plugs
from bunraku.linalg.sparse_pattern import pattern_one

c = ctypes.CDLL(None)
c.mmap.restype = ctypes.c_void_p
c.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
c.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]

def take(size):
    return c.mmap(None, size, 0, 0x4022, -1, 0)

for power in range(22, 11, -1):  # what gaps there are
    for _ in range(40):
        take(1 << power)
room = []
for _ in range(400):
    room.append(take(1 << 14))
    take(1 << 12)
take(6 << 30)
for begin in room:
    c.munmap(begin, 1 << 14)
small = {begin for begin, length in plugs.gaps(1 << 15)}
assert set(room) <= small
from bunraku.kernel.entry import ready
ready([pattern_one])
assert {begin for begin, length in plugs.gaps(1 << 15)} >= set(room)
print("linked")
"""


@pytest.mark.skipif(not (JIT and sys.platform.startswith("linux")), reason="Linux and compiled kernels")
def test_small_gaps_far_above_do_not_part_code_from_constants():
    """Room for constants only 6 GB above any room for code: LLVM's loader would end the process."""
    done = subprocess.run([sys.executable, "-c", HOLES], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == "linked\n", done.stderr
