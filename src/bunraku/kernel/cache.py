"""Where compiled kernels are kept: a folder that nobody else can write to.

`$BUNRAKU_CACHE_DIR`, else the user's cache folder, else, where that cannot be written, a temporary folder. What a cache
holds is run. So a folder into which another user could put something is not used, which is looked at before every
reading and writing; where no other is left, a new one serves this process alone. A folder that was not used for thirty
days is removed when a new one is made. Checked in tests/kernel/test_cache.py.
"""

from __future__ import annotations

import atexit
import os
import shutil
import stat
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

MARK = ".bunraku-kernels"  # a file in every cache folder of ours
KEEP_SECONDS = 30 * 24 * 3600.0  # caches of other versions, unused for so long, are removed


@cache
def cache_folder(name: str) -> Path:
    """The writable folder of this name for compiled kernels."""
    for root in _roots():
        folder = root / name
        try:
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
            if not trusted(folder):
                continue
            (folder / MARK).touch()
        except OSError:
            continue
        _remove_old(root, folder)
        return folder
    return _of_this_process()


def trusted(folder: Path) -> bool:
    """Whether nobody but us can have put anything into a cache folder: it and the folder above are ours alone, and no
    folder further up lets others put another in its place."""
    if not hasattr(os, "getuid"):
        return True  # Windows: the user's own folders
    above = Path(os.path.abspath(folder)).parents
    return _ours(folder) and (above[0] != _temporary() or _ours(above[0])) and all(_kept(up) for up in above)


def _ours(folder: Path) -> bool:
    """Whether it is a folder, not a link to one, that belongs to us and nobody else can write to."""
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022


def _kept(folder: Path) -> bool:
    """Whether others cannot rename what is ours in it: it is ours or the system's, and either closed to others or
    sticky, as the temporary folder is. A group of which the user is the only one by custom (its number is the user's)
    counts as the user."""
    try:
        found = os.stat(folder)
    except OSError:
        return False
    if found.st_uid not in (0, os.getuid()):
        return False
    alone = found.st_gid == os.getgid() == os.getuid()
    open_to_others = found.st_mode & (0o002 if alone else 0o022)
    return not open_to_others or bool(found.st_mode & stat.S_ISVTX)


@cache
def _of_this_process() -> Path:
    """A new folder, removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="bunraku-kernels-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _temporary() -> Path:
    """The folder for caches that all processes of this user find in the temporary folder."""
    return Path(tempfile.gettempdir()) / f"bunraku-kernels-{os.getuid() if hasattr(os, 'getuid') else 'user'}"


def _roots() -> list[Path]:
    """Places for the cache, best first."""
    temporary = _temporary()
    if os.environ.get("BUNRAKU_CACHE_DIR"):
        return [Path(os.environ["BUNRAKU_CACHE_DIR"]), temporary]
    try:
        home = Path.home()
    except RuntimeError:  # no home directory
        return [temporary]
    if sys.platform == "win32":
        return [Path(os.environ.get("LOCALAPPDATA", home)) / "bunraku" / "kernels", temporary]
    return [Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "bunraku" / "kernels", temporary]


def _remove_old(root: Path, keep: Path) -> None:
    """Remove caches of other versions that were not used for long: only folders that bear our mark."""
    for other in root.iterdir():
        try:
            mark = other / MARK
            if other != keep and mark.is_file() and time.time() - mark.stat().st_mtime > KEEP_SECONDS:
                shutil.rmtree(other, ignore_errors=True)
        except OSError:
            continue
