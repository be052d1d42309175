"""The cache of compiled kernels: a writable place that nobody else can fill."""

import os
import tempfile
from pathlib import Path

import pytest

from bunraku.kernel import cache


@pytest.fixture
def nowhere_else(tmp_path, monkeypatch):
    """The cache cannot be written: it goes into the temporary folder, which is our own here.

    Gives the folder for all our processes.
    """
    (tmp_path / "file").write_text("a file where a folder should be")
    monkeypatch.setenv("BUNRAKU_CACHE_DIR", str(tmp_path / "file"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield tmp_path / f"bunraku-kernels-{os.getuid()}"
    for known in (cache.cache_folder, cache._of_this_process):
        known.cache_clear()


def folder_now():
    for known in (cache.cache_folder, cache._of_this_process):
        known.cache_clear()
    return cache.cache_folder("abc")


needs_owners = pytest.mark.skipif(not hasattr(os, "getuid"), reason="Windows: the temporary folder is the user's own")


@needs_owners
def test_the_temporary_cache_is_private_and_found_again(nowhere_else):
    folder = folder_now()
    assert folder.parent == nowhere_else and folder_now() == folder and cache.trusted(folder)
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
    assert not cache.trusted(good)
    used = folder_now()
    assert used.parent == tmp_path and used != nowhere_else and cache.trusted(used)
    assert os.lstat(used).st_mode & 0o777 == 0o700 and not list(used.iterdir())


@needs_owners
def test_a_folder_above_that_others_can_write_to_is_not_trusted(tmp_path, monkeypatch):
    """Version 0.1 looked at the owner of the last folder alone: who can write further up can put another in its place."""
    above = tmp_path / "shared"
    above.mkdir(mode=0o755)
    monkeypatch.setenv("BUNRAKU_CACHE_DIR", str(above / "mine"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    try:
        good = folder_now()
        assert good == above / "mine" / "abc" and cache.trusted(good)
        above.chmod(0o757)
        assert not cache.trusted(good) and folder_now().parent != above / "mine"
        above.chmod(0o1777)  # sticky, as the temporary folder is: others cannot rename what is ours
        assert cache.trusted(good)
    finally:
        for known in (cache.cache_folder, cache._of_this_process):
            known.cache_clear()


def test_old_caches_go_and_other_folders_stay(tmp_path, monkeypatch):
    old, mine = tmp_path / "0123456789abcdef", tmp_path / "my_holiday_photo"
    for folder in (old, mine):
        folder.mkdir()
    (old / cache.MARK).touch()
    past = 0.0
    for path in (old, mine, old / cache.MARK):
        os.utime(path, (past, past))
    monkeypatch.setenv("BUNRAKU_CACHE_DIR", str(tmp_path))
    cache.cache_folder.cache_clear()
    try:
        used = cache.cache_folder("abc")
    finally:
        cache.cache_folder.cache_clear()
    assert used.parent == tmp_path and (used / cache.MARK).is_file()
    assert not old.exists() and mine.is_dir()


def test_no_home_directory(monkeypatch):
    def none():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("BUNRAKU_CACHE_DIR", raising=False)
    monkeypatch.setattr(Path, "home", none)
    assert len(cache._roots()) == 1
