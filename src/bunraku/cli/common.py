"""What commands share: naming a figure, printing JSON, progress that keeps quiet when nobody watches."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bunraku.errors import InputError, closest
from bunraku.model import Model, human

FIGURES = {"human": human}


def figure(name: str, *, strict: bool = False, root: str = "auto", package_dirs: Sequence[str] = ()) -> Model:
    """A figure of our own by name, or the one in a URDF or MJCF file."""
    if not name.strip():
        raise InputError("the name of the figure is empty; write human, or name a URDF or MJCF file.")
    if name in FIGURES:
        idle(f"has no effect on {name!r}, only on files", root=root != "auto", package_dirs=bool(package_dirs))
        return FIGURES[name]()
    looks_like_file = any(c in name for c in "./\\") or Path(name).exists()
    if not looks_like_file:
        hint = closest(name, FIGURES)
        raise InputError(f"{name!r} is neither a figure of Bunraku nor a file.{hint} Files end in .urdf or .xml.")
    from bunraku.formats import load

    return load(name, strict=strict, root=root, package_dirs=package_dirs)


def idle(why: str, **options: bool) -> None:
    """Refuse options that were given and would do nothing. why: e.g. "has no effect without --view"; options: names, and
    whether they were given."""
    for name, given in options.items():
        if given:
            raise InputError(f"--{name.replace('_', '-')} {why}; leave it out.")


def print_json(data: Any) -> None:
    """JSON on stdout; infinities become null, as JSON has none."""
    json.dump(plain(data), sys.stdout, indent=2)
    print()


def plain(x: Any) -> Any:
    """Values as JSON has them."""
    if isinstance(x, dict):
        return {str(k): plain(v) for k, v in x.items()}
    if isinstance(x, list | tuple):
        return [plain(v) for v in x]
    if hasattr(x, "tolist"):
        return plain(x.tolist())
    if isinstance(x, float) and not math.isfinite(x):
        return None
    return x


@contextmanager
def progress_bar(total: int, text: str) -> Iterator[Callable[..., None]]:
    """A bar on stderr while it is a terminal; yields update(done, text)."""
    if not sys.stderr.isatty():
        yield lambda done, text=None: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(text, total=total)

        def update(done: int, text: str | None = None) -> None:
            bar.update(task, completed=done, description=text)

        yield update
