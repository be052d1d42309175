"""What commands share: naming a figure, printing JSON, progress that keeps quiet when nobody watches."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

from bunraku.errors import InputError, closest
from bunraku.model import Model, human

FIGURES = {"human": human}


def figure(name: str, *, strict: bool = False) -> Model:
    """A figure of our own by name, or the one in a URDF or MJCF file."""
    if name in FIGURES:
        return FIGURES[name]()
    looks_like_file = any(c in name for c in "./\\") or Path(name).exists()
    if not looks_like_file:
        hint = closest(name, FIGURES)
        raise InputError(f"{name!r} is neither a figure of Bunraku nor a file.{hint} Files end in .urdf or .xml.")
    from bunraku.formats import load

    return load(name, strict=strict)


def print_json(data: Any) -> None:
    """JSON on stdout; infinities become null, as JSON has none."""
    json.dump(_plain(data), sys.stdout, indent=2)
    print()


def _plain(x: Any) -> Any:
    if isinstance(x, dict):
        return {str(k): _plain(v) for k, v in x.items()}
    if isinstance(x, list | tuple):
        return [_plain(v) for v in x]
    if hasattr(x, "tolist"):
        return _plain(x.tolist())
    if isinstance(x, float) and not math.isfinite(x):
        return None
    return x


def progress(description: str) -> Any:
    """A rich progress bar on stderr, hidden when stderr is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    return Progress(
        TextColumn(description),
        BarColumn(),
        TextColumn("{task.completed}/{task.total} {task.description}"),
        TimeElapsedColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    )
