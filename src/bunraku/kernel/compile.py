"""How kernels are compiled: Numba, ahead of nothing, cached under a hash of the sources.

`@kernel`  marks a kernel that Python calls. It compiles on its first call, for the argument types of that call, and is
cached on disk. `@inline`  marks a small helper that is inlined into every kernel that uses it (tuples in, tuples out).
`@part`    marks a piece of a large kernel, compiled once and called.

A kernel's cache folder is named after a hash of every source file that can take part in it (bunraku.kernel.sources) and
of the Numba and Python versions, so that an edited helper can never leave a stale caller behind (Numba itself looks at
the caller's file only). It lies in `$BUNRAKU_CACHE_DIR`, else in the user's cache folder, else, where that cannot be
written, in a temporary folder. What a cache holds is run. So a folder into which another user could put something is
not used, which is looked at before every reading and writing; where no other is left, a new one serves this process
alone.

A kernel that is not in the cache says on stderr that it compiles, on a terminal with a running clock; `BUNRAKU_QUIET=1`
silences it. With `NUMBA_DISABLE_JIT=1` the same sources run as plain Python. Checked in tests/kernel/test_compile.py.
"""

from __future__ import annotations

import atexit
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core import config, event
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

from bunraku.kernel.sources import source_hash

JIT = not getattr(config, "DISABLE_JIT")  # noqa: B009 - set by Numba at run time
# a b + c may become one fused operation, which is faster (5 %) and rounds once; no other freedom is given to the
# compiler
OPTIONS: dict[str, Any] = {"error_model": "numpy", "fastmath": {"contract"}}
MARK = ".bunraku-kernels"  # a file in every cache folder of ours
KEEP_SECONDS = 30 * 24 * 3600.0  # caches of other versions, unused for so long, are removed


@cache
def cache_folder(path: Path) -> Path:
    """The writable folder for compiled kernels of a source file as it is now."""
    for root in _roots():
        folder = root / source_hash(path)
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
    """Whether nobody but us can have put anything into a cache folder. Its parent is looked at, too, where that is in
    the temporary folder, where everybody can make one; a parent that the user chose is the user's care."""
    return _ours(folder) and (folder.parent != _temporary() or _ours(folder.parent))


def _ours(folder: Path) -> bool:
    """Whether it is a folder, not a link to one, that belongs to us and nobody else can write to."""
    if not hasattr(os, "getuid"):
        return True  # Windows: the temporary folder is the user's own
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022


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


class _Locator(_CacheLocator):
    """Tells Numba where a kernel's cache lies; the folder name already stands for the sources."""

    def __init__(self, py_func: Callable[..., Any], py_file: str) -> None:
        self._disambiguator = f"{py_func.__code__.co_firstlineno}"
        self._file = Path(py_file)

    def get_cache_path(self) -> str:
        return str(cache_folder(self._file))

    def get_source_stamp(self) -> str:
        return source_hash(self._file)

    def get_disambiguator(self) -> str:
        return self._disambiguator

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _Locator:
        return cls(py_func, py_file)


class _CacheImpl(CompileResultCacheImpl):
    _locator_classes = [_Locator]  # noqa: RUF012 - Numba's own attribute


class _Cache(FunctionCache):
    _impl_class = _CacheImpl

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        return super().load_overload(sig, target_context) if trusted(Path(self._cache_path)) else None

    def save_overload(self, sig: Any, data: Any) -> None:
        if trusted(Path(self._cache_path)):
            super().save_overload(sig, data)


class _Announcer(event.Listener):
    """Says that a kernel is being compiled: a running clock on a terminal, a plain line elsewhere."""

    def __init__(self) -> None:
        self.depth = 0
        self.clock: Any = None

    def _name(self, ev: event.Event) -> str | None:
        return getattr((ev.data or {}).get("dispatcher"), "bunraku_kernel", None)

    def on_start(self, ev: event.Event) -> None:
        name = self._name(ev)
        if name is None:
            return
        self.depth += 1
        if self.depth > 1 or os.environ.get("BUNRAKU_QUIET", "") not in ("", "0"):
            return
        text = f"bunraku: compiling kernel {name} (first use only) ..."
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

            columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
            self.clock = Progress(*columns, console=Console(stderr=True), transient=True)
            self.clock.add_task(text, total=None)
            self.clock.start()
        else:
            print(text, file=sys.stderr, flush=True)

    def on_end(self, ev: event.Event) -> None:
        if self._name(ev) is None:
            return
        self.depth -= 1
        if self.depth == 0 and self.clock is not None:
            self.clock.stop()
            self.clock = None


if JIT:
    event.register("numba:compile", _Announcer())


def kernel(function: Callable[..., Any], *, nogil: bool = True) -> Any:
    """A compiled, cached kernel; checks nothing: sizes are the caller's care.

    `nogil` lets threads run side by side, for 0.08 us.
    """
    if not JIT:
        return function
    dispatcher: Any = numba.njit(nogil=nogil, **OPTIONS)(function)
    dispatcher._cache = _Cache(function)
    dispatcher.bunraku_kernel = function.__name__
    return dispatcher


def inline(function: Callable[..., Any]) -> Any:
    """A helper that is always inlined into its kernel."""
    return numba.njit(forceinline=True, **OPTIONS)(function) if JIT else function


def part(function: Callable[..., Any]) -> Any:
    """A piece of a large kernel: compiled once and called, not inlined, which keeps compilation short."""
    return numba.njit(**OPTIONS)(function) if JIT else function


def phase_callable(function: Callable[[Any], Any]) -> Any:
    """A compiled, cached function int64 <- int64 with an `address` that other kernels can call (bunraku.kernel.table)."""
    from numba.core import types
    from numba.core.ccallback import CFunc

    made: Any = CFunc(function, ((types.int64,), types.int64), {}, dict(OPTIONS))
    made._cache = _Cache(function)
    made.__dict__["bunraku_kernel"] = function.__name__
    made.compile()
    return made
