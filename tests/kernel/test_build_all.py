"""Making objects: a kernel that would take memory is refused; the package's folder holds what the sources are now."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bunraku.kernel import build_all, native, needed
from bunraku.kernel.compile import JIT

BAD = """
import numpy as np
from bunraku.kernel.build_numba import BuildError, Builder
from bunraku.kernel.dependencies import dependencies

def takes(n):
    return np.zeros(n).sum()

def fine(n):
    return n + 1.0

builder = Builder("", "")
assert len(builder.build(fine, "i", False, "fine", dependencies(fine))) > 500
try:
    builder.build(takes, "i", False, "takes", dependencies(takes))
except BuildError as error:
    print(error)
"""


@pytest.mark.skipif(not JIT, reason="kernels run as plain Python")
def test_a_kernel_that_takes_memory_is_refused():
    done = subprocess.run([sys.executable, "-c", BAD], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "takes needs " in done.stdout and "NRT_" in done.stdout and "does it take memory" in done.stdout


# who builds a wheel has what pyproject.toml requires for it: NumPy and Numba, no SciPy
WITH_FEW = """
import sys

class Refuser:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in {*sys.stdlib_module_names, "bunraku", "numpy", "numba", "llvmlite"}:
            raise ModuleNotFoundError(f"No module named {name!r} where wheels are built", name=name)

sys.meta_path.insert(0, Refuser())
from bunraku.kernel.build_all import all_kernels
print(len(all_kernels()))
"""


def test_modules_of_kernels_import_only_what_a_build_has():
    done = subprocess.run([sys.executable, "-c", WITH_FEW], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == len(build_all.all_kernels())


@pytest.fixture
def one_kernel(monkeypatch):
    small = next(k for k in build_all.all_kernels() if k.__name__ == "pattern_one")
    monkeypatch.setattr(build_all, "all_kernels", lambda: [small])
    return small


@pytest.mark.skipif(not JIT, reason="kernels run as plain Python")
def test_the_folder_holds_what_the_sources_are_now(one_kernel, tmp_path: Path):
    tmp_path.joinpath("old.o").write_bytes(b"")
    assert build_all.build(tmp_path, "x86-64-v3") == 1
    note = json.loads((tmp_path / "target.json").read_text())
    assert note["cpu"] == "x86-64-v3" and "+avx2" in note["features"]
    assert [p.name for p in tmp_path.glob("*.o")] == [native.file_name(one_kernel)]
    made = next(tmp_path.glob("*.o"))
    before = made.stat().st_mtime_ns
    assert build_all.build(tmp_path, "x86-64-v3") == 1 and made.stat().st_mtime_ns == before  # nothing to do
    assert build_all.build(tmp_path, "none") == 0 and not tmp_path.exists()


@pytest.mark.parametrize(
    ("env", "cpu", "everything"),
    [
        ({}, "host", True),  # python -m build, by hand
        ({"PIP_BUILD_TRACKER": "/tmp/x"}, "host", False),  # pip install .
        ({"PIP_BUILD_TRACKER": "/tmp/x"}, "x86-64-v3", True),  # a wheel for others
        ({"PIP_BUILD_TRACKER": "/tmp/x", "BUNRAKU_BUILD_KERNELS": "all"}, "host", True),
        ({"BUNRAKU_BUILD_KERNELS": "commands"}, "x86-64-v3", False),
    ],
)
def test_who_waits_gets_what_commands_need_and_a_wheel_has_all(env, cpu, everything, monkeypatch):
    for name in ("PIP_BUILD_TRACKER", "BUNRAKU_BUILD_KERNELS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    made = {f"{k.function.__module__[8:]}.{k.__name__}" for k in build_all.chosen(cpu)}
    every = {f"{k.function.__module__[8:]}.{k.__name__}" for k in build_all.all_kernels()}
    assert made == (every if everything else set(needed.installed())) and len(made) >= 35


def test_an_unknown_choice_is_told(monkeypatch):
    monkeypatch.setenv("BUNRAKU_BUILD_KERNELS", "some")
    with pytest.raises(SystemExit, match="wanted all or commands"):
        build_all.chosen("host")


def test_an_unknown_processor_is_told(tmp_path):
    with pytest.raises(SystemExit, match="wanted host, none, x86-64-v2 or x86-64-v3"):
        build_all.build(tmp_path, "z80")
