"""What commands share: naming a figure or a scene, JSON, small tables, progress (bunraku.progress)."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from bunraku.cli.help_page import Choices
from bunraku.errors import InputError, closest
from bunraku.files import write_text
from bunraku.model.model import Model
from bunraku.model.named import FIGURES
from bunraku.progress import progress_bar as progress_bar

if TYPE_CHECKING:
    from bunraku.scene import Scene


def contact_names() -> Iterable[str]:
    """The contact models there are."""
    from bunraku.world.contact_models import MODELS

    return MODELS


def priority_names() -> Iterable[str]:
    """The priorities of pins, limits and desired joint values there are."""
    from bunraku.control.whole_body import PRIORITIES

    return PRIORITIES


ContactName = Annotated[str, Choices(contact_names)]
PriorityName = Annotated[str, Choices(priority_names)]


@dataclass(frozen=True)
class Changes:
    """What a command changes of a scene."""

    seconds: float | None = None
    """how long to run [s], instead of the scene's own time."""
    contact: ContactName | None = None
    """the contact model, instead of the scene's own."""
    sweeps: int | None = None
    """the most sweeps in a step with contact pgs_2007; 120 by default."""
    seed: int | None = None
    """start of the random numbers, instead of the scene's own."""

    def scene(self, name: str) -> Scene:
        """A scene with these changes."""
        if not name:
            raise InputError("no scene given; name a TOML file or a built-in scene, which `bunraku run --list` lists.")
        if self.seconds is not None and not 0 < self.seconds <= 86400:
            raise InputError(f"--seconds {self.seconds} is not a time above 0 and up to a day.")
        check_seed(self.seed)
        from bunraku.scene import load

        scene = load(name)
        check_sweeps(self.sweeps, self.contact or scene.options.get("contact", "pgs"))
        return scene.changed(**vars(self))


SceneChanges = Annotated[Changes, tyro.conf.arg(name="")]  # --seconds, not --changes.seconds


def check_seed(seed: int | None) -> None:
    """Refuse a seed that is none."""
    if seed is not None and seed < 0:
        raise InputError(f"--seed {seed} is not a number of 0 or more.")


def check_sweeps(sweeps: int | None, contact: str) -> None:
    """Refuse a number of sweeps where the contact model ends by its residual."""
    if sweeps is not None and contact != "pgs_2007":
        raise InputError(f"--sweeps {sweeps} goes with --contact pgs_2007, not with {contact}; leave it out.")


def figure(name: str, *, strict: bool = False, root: str = "auto", package_dirs: Sequence[str] = ()) -> Model:
    """A figure of our own or a robot of an installed package by name, or the one in a file that `bk.load` reads."""
    if not name.strip():
        raise InputError("the name of the figure is empty; write human, or name a URDF or MJCF file.")
    if name in FIGURES:
        idle(f"has no effect on {name!r}, only on files", root=root != "auto", package_dirs=bool(package_dirs))
        return FIGURES[name]()
    looks_like_file = any(c in name for c in "./\\") or Path(name).exists()
    from bunraku.formats import load
    from bunraku.formats.installed_robots import installed_robots

    path: str | Path = name
    if not looks_like_file:
        robots = installed_robots()
        if name.lower() not in robots:
            hint = closest(name, [*FIGURES, *robots])
            raise InputError(
                f"{name!r} is neither a figure of Bunraku, nor a robot of an installed package, nor a file.{hint} "
                "Files end in .urdf, .xml, .sdf, .body or .toml."
            )
        path = robots[name.lower()]
    return load(path, strict=strict, root=root, package_dirs=package_dirs)


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


def write_json(path: Path, data: Any) -> None:
    """The same as a file."""
    write_text(path, json.dumps(plain(data), indent=2) + "\n")


def two_columns(rows: Iterable[tuple[str, str]]) -> list[str]:
    """Lines of names and values, the values below each other."""
    rows = list(rows)
    width = max(len(name) for name, _ in rows)
    return [f"{name:<{width}}  {value}" for name, value in rows]


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
