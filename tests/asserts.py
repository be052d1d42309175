"""`@asserts("2000/table-3/*")` on a test: which rows of `bunraku reproduce` it asserts, by a calculation of its own.

The name is the short name of a document (1988, 2000, 2002, 2007, 2013) and a row's key, or a pattern of keys where one
test goes through many. tests/reproduce/test_every_row.py reads them from the sources.
"""

import ast
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TypeVar

F = TypeVar("F", bound=Callable)


def asserts(*names: str) -> Callable[[F], F]:
    """Mark a test."""
    assert names and all("/" in name for name in names), "a name is a document's short name, a slash and a row's key"
    return lambda test: test


def asserted() -> dict[str, list[str]]:
    """All names and patterns that tests have, each with its tests."""
    found: dict[str, list[str]] = {}
    for path in sorted(Path(__file__).parent.rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if "@asserts(" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for d in node.decorator_list:
                    if isinstance(d, ast.Call) and getattr(d.func, "id", "") == "asserts":
                        for a in d.args:
                            found.setdefault(ast.literal_eval(a), []).append(f"{path.name}::{node.name}")
    return found


def naming(name: str, marks: dict[str, list[str]]) -> list[str]:
    """The tests that assert a row."""
    return [test for pattern, tests in marks.items() if fnmatchcase(name, pattern) for test in tests]
