"""XML text of our own making: elements with attributes in a fixed order, numbers that read back bit for bit."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np


class Node:
    """An element to write: `Node("link", name="arm")`; `add` appends a child and returns it."""

    def __init__(self, tag: str, **attributes: Any) -> None:
        self.tag = tag
        self.attributes = {key.rstrip("_"): value for key, value in attributes.items() if value is not None}
        self.children: list[Node] = []

    def add(self, tag: str, **attributes: Any) -> Node:
        """Append a child; attributes that are None are left out."""
        child = Node(tag, **attributes)
        self.children.append(child)
        return child

    def lines(self, indent: int = 0) -> list[str]:
        """The element and all in it, a line each."""
        pad = "  " * indent
        head = pad + f"<{self.tag}" + "".join(f" {k}={quoteattr(words(v))}" for k, v in self.attributes.items())
        if not self.children:
            return [head + "/>"]
        return [
            head + ">",
            *(line for child in self.children for line in child.lines(indent + 1)),
            f"{pad}</{self.tag}>",
        ]

    def text(self) -> str:
        """A whole file."""
        return "\n".join(['<?xml version="1.0" encoding="utf-8"?>', *self.lines(), ""])


def words(value: Any) -> str:
    """A value as an attribute: numbers by the shortest text that reads back as the same number."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | np.integer):
        return str(int(value))
    if isinstance(value, float | np.floating):
        return repr(float(value)).removesuffix(".0")
    return " ".join(words(x) for x in value)


def nonzero(values: Sequence[float] | np.ndarray) -> np.ndarray | None:
    """The values, or None where all are 0, which is what files leave out."""
    array = np.asarray(values, dtype=float)
    return array if np.any(array) else None


def mesh_address(mesh: str, folder: Path) -> str:
    """Where a mesh is, from a file in `folder`: relative if it lies below it, else absolute."""
    path = Path(os.path.abspath(mesh))
    home = Path(os.path.abspath(folder))
    return path.relative_to(home).as_posix() if path.is_relative_to(home) else path.as_posix()
