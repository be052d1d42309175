"""Kernels as native code: found in the wheel or in the cache, made by another process where they are in neither.

A compiled kernel is one object file, named after its module, its name and the digest of all it is made of
(bunraku.kernel.dependencies): a file with that name is the kernel as its sources are now, whoever made it. `pip install`
puts objects for all kernels into the package (bunraku.kernel.build_all); elsewhere, and after an edit, they are made at
their first use and kept in the user's cache (bunraku.kernel.cache). llvmlite's loader links an object with this process, and
what comes out is a Python function, or an address for other kernels. Numba is not imported for any of this.

Objects of the package name the processor they were made for (target.json); where this one lacks a feature of it they
are passed over, and kernels are made for this one. A file says its own checksum; a damaged one is made anew.

`BUNRAKU_KERNELS` chooses: `native` (usual), `cached` (leaves the package's objects aside), `jit` (Numba compiles
in this process: bunraku.kernel.jit). Kernels of other packages and of scripts always go that way, and all on Windows,
where processes are waited for in other ways.
Checked in tests/kernel/test_native.py.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import sys
import time
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from bunraku.errors import BunrakuError
from bunraku.files import write_bytes
from bunraku.kernel.cache import KEEP_SECONDS, cache_folder, trusted
from bunraku.kernel.plugs import small_gaps_closed

BUILT = Path(__file__).parent / "built"  # objects of the package
HEAD = b"bunraku kernel 1 "
FASTCALL = 0x80  # Python's METH_FASTCALL
DAY = 24 * 3600.0
SPARE = 1 << 22  # bytes beyond those of an object that its loader may want


@dataclass(frozen=True)
class Target:
    """A kind of processor: LLVM's name of it and the features it has, as "+avx2,+fma,-avx512f"."""

    cpu: str
    features: str

    def has(self) -> set[str]:
        """Names of its features."""
        return {word[1:] for word in self.features.split(",") if word.startswith("+")}


@cache
def host() -> Target:
    """This machine's processor; NUMBA_CPU_NAME and NUMBA_CPU_FEATURES speak for another, as for Numba."""
    import llvmlite.binding as ll

    cpu = os.environ.get("NUMBA_CPU_NAME") or ll.get_host_cpu_name()
    features = os.environ.get("NUMBA_CPU_FEATURES")
    return Target(cpu, ll.get_host_cpu_features().flatten() if features is None else features)


def way() -> str:
    """How kernels are to be had: native, cached or jit."""
    chosen = os.environ.get("BUNRAKU_KERNELS", "") or "native"
    if chosen not in ("native", "cached", "jit"):
        raise BunrakuError(f"BUNRAKU_KERNELS is {chosen!r}; wanted native, cached or jit.")
    return chosen


def possible(kernel: Any) -> bool:
    """Whether another process can make this kernel: it must find it by its name."""
    function = kernel.function
    module = sys.modules.get(function.__module__)
    ours = function.__module__.startswith("bunraku.") and getattr(module, function.__name__, None) is kernel
    return ours and way() != "jit" and bool(sys.executable) and sys.platform != "win32"


def file_name(kernel: Any) -> str:
    """The name of its object."""
    return f"{kernel.function.__module__.removeprefix('bunraku.')}.{kernel.function.__name__}-{kernel.digest}.o"


def found(kernel: Any) -> bytes | None:
    """Its object, from the package or from the cache."""
    name = file_name(kernel)
    if way() == "native" and _fits():
        made = read(BUILT / name)
        if made is not None:
            return made
    folder = folder_here()
    return read(folder / name) if trusted(folder) else None


@cache
def _fits() -> bool:
    """Whether this processor can run the package's objects."""
    try:
        needs = json.loads((BUILT / "target.json").read_text(encoding="utf-8"))["features"]
    except (OSError, ValueError, KeyError):
        return False
    return Target("", needs).has() <= host().has()


@cache
def folder_here() -> Path:
    """The cache for this processor, this compiler and this Python."""
    made_by = []
    for name in ("numba", "llvmlite"):
        try:
            made_by.append(version(name))
        except PackageNotFoundError:
            made_by.append("none")
    words = repr((host(), made_by, sys.implementation.cache_tag, sys.platform))
    return cache_folder(hashlib.sha256(words.encode()).hexdigest()[:16])


def read(path: Path) -> bytes | None:
    """An object that was written whole; None where there is none."""
    try:
        data = path.read_bytes()
        if time.time() - path.stat().st_mtime > DAY:
            os.utime(path)  # in use
    except OSError:
        return None
    made = data[len(HEAD) + 65 :]
    return made if data[: len(HEAD) + 65] == _head(made) else None


def write(path: Path, made: bytes) -> None:
    """Keep an object; files that nobody used for long go."""
    write_bytes(path, _head(made) + made)
    for other in path.parent.glob("*.o"):
        try:
            if time.time() - other.stat().st_mtime > KEEP_SECONDS:
                other.unlink()
        except OSError:
            continue


def _head(made: bytes) -> bytes:
    return HEAD + hashlib.sha256(made).hexdigest().encode() + b"\n"


# ---- loading -------------------------------------------------------------------------------------------------------


class _MethodDef(ctypes.Structure):
    """Python's PyMethodDef."""

    _fields_ = (("name", ctypes.c_char_p), ("code", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p))


_methods: list[_MethodDef] = []  # Python keeps their addresses


_engines: list[Any] = []  # they own the code


def _engine() -> Any:
    """A loader of its own for each object: LLVM's puts sections near others that it has put somewhere before."""
    import llvmlite.binding as ll

    if not _engines:
        ll.initialize_native_target()
        ll.initialize_native_asmprinter()
        ll.add_symbol("bunraku_ndarray", id(np.ndarray))
    # Numba gives llvmlite's table of this process the classes under these names; C has pointers to them there. What an
    # engine has itself comes before the table.
    errors = [f"@PyExc_{e.__name__} = global i64 {id(e)}" for e in (TypeError, RuntimeError)]
    machine = ll.Target.from_default_triple().create_target_machine()
    _engines.append(ll.create_mcjit_compiler(ll.parse_assembly("\n".join(errors)), machine))
    return _engines[-1]


def address_of(kernel: Any, made: bytes) -> int:
    """Link an object with this process. Returns where its way in lies."""
    import llvmlite.binding as ll

    with small_gaps_closed(2 * len(made) + SPARE):
        engine = _engine()
        engine.add_object_file(ll.ObjectFileRef.from_data(made))
        engine.finalize_object()
    return engine.get_function_address(symbol_of(kernel))


def symbol_of(kernel: Any) -> str:
    """The name of its way in."""
    return f"{kernel.function.__module__}.{kernel.function.__name__}".replace(".", "_")


def python_function(name: str, address: int) -> Any:
    """A Python function of C code that takes (self, arguments, their number)."""
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.POINTER(_MethodDef), ctypes.c_void_p, ctypes.c_void_p]
    _methods.append(_MethodDef(name.encode(), address, FASTCALL, None))
    return make(ctypes.byref(_methods[-1]), None, None)
