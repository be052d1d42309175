"""The compiler's cache: named after the sources, never stale, in a writable place; compilation is announced; types are
fixed."""

import os
import shutil
import subprocess
import sys
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


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="users have no numbers on this system")
def test_a_folder_of_another_user_is_not_trusted(tmp_path, monkeypatch):
    """Compiled code is run, so a cache that somebody else could have filled is passed over for a fresh folder."""
    monkeypatch.setenv("BUNRAKU_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(kernel.tempfile, "tempdir", str(tmp_path))
    mine = os.getuid()
    for user in (mine, mine + 1):
        monkeypatch.setattr(os, "getuid", lambda user=user: user)
        used = kernel.cache_folder.__wrapped__(Path(kernel.__file__))
        assert (used.parent == tmp_path / "cache") == (user == mine)
        assert used.stat().st_mode & 0o077 == 0  # nobody else may write into it


def test_no_home_directory(monkeypatch):
    def none():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("BUNRAKU_CACHE_DIR", raising=False)
    monkeypatch.setattr(Path, "home", none)
    assert len(kernel._roots()) == 1
