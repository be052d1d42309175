"""Which source files can take part in a kernel: the kernel's own file and all it imports from this package, followed to
the end.

A kernel's cache folder is named after a hash of exactly these, so an edited helper recompiles every kernel that can
reach it and no other. Imports are read from the text, wherever they stand in a file. Checked in
tests/kernel/test_sources.py.
"""

from __future__ import annotations

import hashlib
import re
import sys
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
NAME = PACKAGE.name


IMPORT = re.compile(
    rf"^\s*(?:from\s+({NAME}[\w.]*)\s+import\s+(\([^)]*\)|[^\n]*)|import\s+({NAME}[\w.]*))", re.MULTILINE
)


@cache
def imported(path: Path) -> tuple[Path, ...]:
    """Files of the package that a file imports.

    (By pattern: parsing forty files would take a tenth of a second at every start.)
    """
    found: list[Path] = []
    for module, names, plain in IMPORT.findall(path.read_text(encoding="utf-8")):
        found += _files(module or plain)
        for name in re.findall(r"\w+", names):
            found += _files(f"{module}.{name}")
    return tuple(found)


def _files(module: str) -> list[Path]:
    """The file of a dotted name, if it is a module of the package."""
    parts = module.split(".")
    if parts[0] != NAME:
        return []
    base = PACKAGE.joinpath(*parts[1:])
    return [
        p for p in (base.with_suffix(".py") if parts[1:] else base / "__init__.py", base / "__init__.py") if p.is_file()
    ][:1]


@cache
def reach(path: Path) -> tuple[Path, ...]:
    """A file and everything it imports from the package, sorted; the whole package where there is no such file."""
    if not path.is_file():
        return tuple(sorted(PACKAGE.rglob("*.py")))
    seen: set[Path] = set()
    todo = [path]
    while todo:
        p = todo.pop()
        if p not in seen:
            seen.add(p)
            todo += imported(p)
    return tuple(sorted(seen))


@cache
def source_hash(path: Path) -> str:
    """Hex digest of all a kernel in this file can be made of: sources, compiler and Python."""
    import numba

    digest = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    for p in reach(path):
        inner = p.relative_to(PACKAGE).as_posix() if p.is_relative_to(PACKAGE) else p.name
        digest.update(inner.encode() + b"\0" + p.read_bytes())
    return digest.hexdigest()[:16]
