"""What a kernel is made of: every function that it reaches, the values of the constants they name, the records they use.

`dependencies(function)` follows the names in a function's bytecode through its module and its closure, from function to
function. The digest of all of it names a compiled kernel, so that one can never be used for other sources, and an edit
recompiles the kernels that use what was edited and no other: comments, words and neighbours in a file do not count. What
the compiled sides of lanes, tables and records do is in their files (`*_numba.py`), which count as text, like the
compiler's own settings. No compiler is needed to find any of this: about a millisecond a kernel.

A name that stands for something a kernel cannot be made of is an error, not a guess. Checked in
tests/kernel/test_dependencies.py; the compiler itself asserts that it met no function that is not listed here
(bunraku.kernel.build_numba).
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from bunraku.kernel.compile import INLINE, OPTIONS, PART, mark_of

HERE = Path(__file__).parent
PACKAGE = "bunraku"


@dataclass
class Dependencies:
    """All that a kernel is made of."""

    functions: list[FunctionType] = field(default_factory=list)  # as they were met, the kernel itself first
    records: list[Any] = field(default_factory=list)
    modules: set[str] = field(default_factory=set)  # of compiled sides
    facts: set[str] = field(default_factory=set)  # constants, by who names them

    def digest(self, *more: str) -> str:
        """A name for exactly this."""
        made = hashlib.sha256(repr((sys.version_info[:2], sorted(OPTIONS.items(), key=str), more)).encode())
        for text in sorted(repr((_home(f), _body(f))) for f in self.functions):
            made.update(text.encode())
        for text in sorted(self.facts) + sorted(repr(_layout(r)) for r in self.records):
            made.update(text.encode())
        for text in _compiler(frozenset(self.modules)):
            made.update(text)
        return made.hexdigest()[:24]


def dependencies(function: FunctionType) -> Dependencies:
    """See the module text."""
    found = Dependencies()
    todo, seen = [function], {function}
    while todo:
        f = todo.pop()
        found.functions.append(f)
        for name, value in _named(f):
            for inner in _sort(found, f, name, value):
                if inner not in seen:
                    seen.add(inner)
                    todo.append(inner)
    return found


def _named(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Names and values that a function reaches: globals, closure, and what it takes from modules of the package."""
    names = {name for code in _codes(function.__code__) for name in code.co_names}
    for name in names & function.__globals__.keys():
        value = function.__globals__[name]
        if isinstance(value, ModuleType) and value.__name__.partition(".")[0] == PACKAGE:
            yield from ((f"{name}.{n}", getattr(value, n)) for n in names if hasattr(value, n))
        else:
            yield name, value
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        yield name, cell.cell_contents


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


def _sort(found: Dependencies, by: FunctionType, name: str, value: Any) -> list[FunctionType]:
    """Put a value where it belongs; functions to follow are returned."""
    value = getattr(value, "function", value)  # of a kernel
    mark = mark_of(value)
    if mark in (INLINE, PART) or (mark is None and isinstance(value, FunctionType) and _ours(value)):
        return [value]
    if mark is not None:
        found.modules.add(mark)
        found.facts.add(f"{name} {value.__module__}.{value.__qualname__}")
    elif hasattr(value, "layout"):
        _add_record(found, value)
    elif isinstance(value, ModuleType | FunctionType | BuiltinFunctionType | type | np.ufunc) or callable(value):
        found.facts.add(f"{name} {getattr(value, '__module__', '')}.{getattr(value, '__name__', type(value).__name__)}")
    else:
        found.facts.add(f"{_home(by)}.{name} = {_constant(by, name, value)}")
    return []


def _ours(function: FunctionType) -> bool:
    return (function.__module__ or "").partition(".")[0] == PACKAGE


def _add_record(found: Dependencies, record: Any) -> None:
    if record not in found.records:
        found.records.append(record)
        for f in record.layout.fields.values():
            if f.of is not None:
                _add_record(found, f.of)


def _constant(by: FunctionType, name: str, value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, tuple):
        return f"({', '.join(_constant(by, name, x) for x in value)})"
    if value is None or isinstance(value, int | float | complex | str | bytes | np.generic | Enum):
        return f"{type(value).__name__} {value!r}"
    raise TypeError(f"{_home(by)}: kernels cannot be made of {name}, {type(value).__name__}.")


def _home(function: FunctionType) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def _body(function: FunctionType) -> Any:
    """What a function does: no comments, no words, no line numbers."""
    consts = function.__code__.co_consts
    without = consts[1:] if function.__doc__ is not None and consts and consts[0] == function.__doc__ else consts
    return _code(function.__code__, without), function.__defaults__, function.__kwdefaults__, mark_of(function)


def _code(code: CodeType, consts: tuple[Any, ...]) -> Any:
    plain = [_code(c, c.co_consts) if isinstance(c, CodeType) else (type(c).__name__, repr(c)) for c in consts]
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_argcount, code.co_flags)
    return code.co_code, plain, names


def _layout(record: Any) -> Any:
    """A record as the compiler sees it."""
    fields = [
        (name, f.kind, f.shape, np.dtype(f.dtype).str, f.of and f.of.__name__, f.offset)
        for name, f in record.layout.fields.items()
    ]
    return record.__name__, record.layout.words, record.layout.slots, np.dtype(record.layout.dtype).str, fields


IMPORT = re.compile(rf"^from ({PACKAGE}[\w.]*) import", re.MULTILINE)


@cache
def _compiler(modules: frozenset[str]) -> list[bytes]:
    """Sources of the compiler's side of kernels: all in this folder, the modules named, and what these import, as their
    constants may come from there. What counts of the marks and of this module is in every digest anyway."""
    files = {*HERE.glob("*_numba.py"), *filter(None, map(_file, modules))}
    for path in list(files):
        files |= {*filter(None, map(_file, IMPORT.findall(path.read_text(encoding="utf-8"))))}
    files -= {HERE / "compile.py", HERE / "dependencies.py"}
    return [path.name.encode() + b"\0" + path.read_bytes() for path in sorted(files)]


def _file(module: str) -> Path | None:
    path = HERE.parent.joinpath(*module.split(".")[1:]).with_suffix(".py")
    return path if path.is_file() else None
