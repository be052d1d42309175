"""Packages whose names are loaded when first used, so that importing one is quick.

A package's public names stand in its `__init__.pyi`, which editors and type checkers read, one a line:
    from bunraku.motion.generate import generate as generate
Its `__init__.py` reads the same lines:
    __getattr__, __dir__, __all__ = attach(__name__, __file__)
A function may have the name of the module it is in: Python's import puts that module into its package, where the
function should be; `Package` leaves it out. Checked in tests/test_public_face.py.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any


class Package(ModuleType):
    """A package that keeps its public names for what they stand for."""

    def __setattr__(self, name: str, value: object) -> None:
        home = self.__dict__["_homes"].get(name)
        if not (isinstance(value, ModuleType) and home == f"{self.__name__}.{name}"):
            super().__setattr__(name, value)


def attach(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """(__getattr__, __dir__, __all__) of a package, by its name and the file of its `__init__`."""
    folder = os.path.dirname(file)
    with open(os.path.join(folder, "__init__.pyi"), encoding="utf-8") as stub:
        lines = [line.split() for line in stub if line.startswith("from ")]
    homes = {words[3]: words[1] for words in lines}  # from HOME import NAME as NAME
    names = sorted(homes)
    module = sys.modules[package]
    module.__dict__["_homes"] = homes
    module.__class__ = Package

    def load(name: str) -> Any:
        if homes.get(name, package) != package:
            value = getattr(importlib.import_module(homes[name]), name)
            module.__dict__[name] = value
            return value
        from importlib.util import find_spec

        if not name.startswith("_") and find_spec(f"{package}.{name}") is not None:  # a module of the package
            return importlib.import_module(f"{package}.{name}")
        from bunraku.errors import closest

        raise AttributeError(f"module {package!r} has no attribute {name!r}.{closest(name, names)}")

    return load, lambda: names, names
