"""The package's sources as trees, each read once, for tests that look at all of them room by room."""

import ast
from functools import cache
from pathlib import Path

import bunraku

SOURCE = Path(bunraku.__file__).parent
ROOT = Path(__file__).parent.parent


@cache
def text_of(path: Path) -> str:
    """The text of a file."""
    return path.read_text(encoding="utf-8")


@cache
def tree_of(path: Path) -> ast.Module:
    """A file as a tree."""
    return ast.parse(text_of(path))


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of a file."""
    return tuple(ast.walk(tree_of(path)))


def by_room(paths: list[Path], root: Path) -> dict[str, list[Path]]:
    """Files by the first folder below `root` that they are in; those in none under "."."""
    rooms: dict[str, list[Path]] = {}
    for path in paths:
        parts = path.relative_to(root).parts
        rooms.setdefault(parts[0] if len(parts) > 1 else ".", []).append(path)
    return rooms
