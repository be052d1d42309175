"""The compiler's cache: named after the sources, never stale, in a writable place; compilation is announced; types are
fixed."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

import bunraku
from bunraku.kernel import compile as kernel
from bunraku.kernel.entry import entry

SOURCE = Path(bunraku.__file__).parent


def run(code: str, tmp_path: Path, **env: str) -> subprocess.CompletedProcess:
    """A fresh Python with its own cache, on a copy of the package in tmp_path."""
    full = dict(
        os.environ, NUMBA_DISABLE_JIT="0", BUNRAKU_CACHE_DIR=str(tmp_path / "cache"), PYTHONPATH=str(tmp_path), **env
    )
    return subprocess.run([sys.executable, "-c", code], env=full, capture_output=True, text=True, cwd=tmp_path)


CALL = """
import numpy as np, bunraku.kernel.probe as p
x = np.array([0.5]); out = np.zeros(2)
p.probe.call(x, out); print(out[0])
"""
PROBE = '''
from bunraku.kernel.entry import entry
from bunraku.kernel.trig import sincos_all


@entry("D D")
def probe(x, out):
    """sin and cos"""
    sincos_all(x, x.shape[0], out, 0)
'''


@pytest.fixture
def copy(tmp_path):
    """A copy of the package's kernel folders with one small kernel more."""
    shutil.copytree(SOURCE, tmp_path / "bunraku", ignore=shutil.ignore_patterns("__pycache__", "page", "node_modules"))
    (tmp_path / "bunraku" / "kernel" / "probe.py").write_text(PROBE)
    return tmp_path


def test_editing_a_helper_leaves_no_stale_kernel(copy):
    first = run(CALL, copy, BUNRAKU_QUIET="0")
    assert first.returncode == 0, first.stderr
    assert "compiling kernel probe" in first.stderr
    assert float(first.stdout) == pytest.approx(np.sin(0.5))
    again = run(CALL, copy, BUNRAKU_QUIET="0")
    assert again.stdout == first.stdout and "compiling" not in again.stderr  # from the cache, silently
    trig = copy / "bunraku" / "kernel" / "trig.py"  # a helper in another file than the kernel
    trig.write_text(trig.read_text().replace("st(out, k + i, s)", "st(out, k + i, 2.0 * s)"))
    edited = run(CALL, copy, BUNRAKU_QUIET="0")
    assert "compiling kernel probe" in edited.stderr
    assert float(edited.stdout) == pytest.approx(2 * np.sin(0.5))
    assert len(list((copy / "cache").iterdir())) == 2


def test_quiet(copy):
    assert run(CALL, copy, BUNRAKU_QUIET="1").stderr == ""


def test_unwritable_cache_falls_back(copy):
    (copy / "cache").write_text("a file where a folder should be")
    done = run(CALL, copy)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def nowhere_else(tmp_path, monkeypatch):
    """The cache cannot be written: it goes into the temporary folder, which is our own here.

    Gives the folder for all our processes.
    """
    (tmp_path / "file").write_text("a file where a folder should be")
    monkeypatch.setenv("BUNRAKU_CACHE_DIR", str(tmp_path / "file"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield tmp_path / f"bunraku-kernels-{os.getuid()}"
    for known in (kernel.cache_folder, kernel._of_this_process):
        known.cache_clear()


def folder_now():
    for known in (kernel.cache_folder, kernel._of_this_process):
        known.cache_clear()
    return kernel.cache_folder(Path(kernel.__file__))


needs_owners = pytest.mark.skipif(not hasattr(os, "getuid"), reason="Windows: the temporary folder is the user's own")


@needs_owners
def test_the_temporary_cache_is_private_and_found_again(nowhere_else):
    folder = folder_now()
    assert folder.parent == nowhere_else and folder_now() == folder and kernel.trusted(folder)
    assert [os.lstat(p).st_mode & 0o777 for p in (nowhere_else, folder)] == [0o700, 0o700]


@needs_owners
@pytest.mark.parametrize("which", ["parent", "folder"])
@pytest.mark.parametrize("how", ["written by all", "written by the group", "a link", "another's"])
def test_a_temporary_cache_that_others_could_fill_is_not_used(which, how, nowhere_else, tmp_path, monkeypatch):
    good = folder_now()
    bad = nowhere_else if which == "parent" else good
    if how == "a link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        bad.rename(tmp_path / "elsewhere" / "there")
        bad.symlink_to(tmp_path / "elsewhere" / "there")
    elif how == "another's":
        lstat = os.lstat

        def of_another(path):
            found = list(lstat(path))
            found[4] += Path(path) == bad  # st_uid
            return os.stat_result(found)

        monkeypatch.setattr(os, "lstat", of_another)
    else:
        bad.chmod(0o777 if how == "written by all" else 0o770)
    assert not kernel.trusted(good)
    used = folder_now()
    assert used.parent == tmp_path and used != nowhere_else and kernel.trusted(used)
    assert os.lstat(used).st_mode & 0o777 == 0o700 and not list(used.iterdir())


@needs_owners
@pytest.mark.skipif(not kernel.JIT, reason="plain Python has no cache")
def test_a_cache_is_looked_at_at_every_use(nowhere_else):
    """A folder that is no longer ours alone is neither read nor written, though it was good when the kernel was made."""
    folder_now()

    def double(x):
        return 2 * x

    def made():
        compiled = kernel.kernel(double)
        return compiled, Path(compiled._cache.cache_path)

    first, folder = made()
    assert first(2.0) == 4.0 and len(list(folder.glob("*.nbc"))) == 1
    second, _ = made()
    third, _ = made()
    assert second(3.0) == 6.0 and sum(second.stats.cache_hits.values()) == 1
    folder.chmod(0o770)
    assert third(3.0) == 6.0 and not third.stats.cache_hits
    assert third(3) == 6 and len(list(folder.glob("*.nbc"))) == 1


@pytest.mark.skipif(not kernel.JIT, reason="plain Python takes every type")
def test_other_types_are_refused_not_compiled():
    @entry("D D")
    def double(x, out):
        for i in range(x.shape[0]):
            out[i] = 2 * x[i]

    out = np.zeros(3)
    double.call(np.arange(3.0), out)
    assert list(out) == [0, 2, 4]
    with pytest.raises(TypeError):
        double.call(np.arange(3), out)


def test_old_caches_go_and_other_folders_stay(tmp_path, monkeypatch):
    old, mine = tmp_path / "0123456789abcdef", tmp_path / "my_holiday_photo"
    for folder in (old, mine):
        folder.mkdir()
    (old / kernel.MARK).touch()
    past = 0.0
    for path in (old, mine, old / kernel.MARK):
        os.utime(path, (past, past))
    monkeypatch.setenv("BUNRAKU_CACHE_DIR", str(tmp_path))
    kernel.cache_folder.cache_clear()
    try:
        used = kernel.cache_folder(Path(kernel.__file__))
    finally:
        kernel.cache_folder.cache_clear()
    assert used.parent == tmp_path and (used / kernel.MARK).is_file()
    assert not old.exists() and mine.is_dir()


def test_no_home_directory(monkeypatch):
    def none():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("BUNRAKU_CACHE_DIR", raising=False)
    monkeypatch.setattr(Path, "home", none)
    assert len(kernel._roots()) == 1
