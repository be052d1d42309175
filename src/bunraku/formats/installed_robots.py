"""Robots of installed packages by name: `bk.robot("talos")`.

Looked through are example-robot-data (URDF), gymnasium (MJCF) and robot_descriptions. A robot goes by the name of its
file ("talos_full_v2") and by that of its folder ("talos", where that names one file: the one with the shortest name).
robot_descriptions fetches its robots when they are asked for, so it is asked last, and only by the exact name of one of
its modules ("go1_mj_description" is "go1_mj", too). Nothing is imported but that. Tested by
tests/formats/test_installed_robots.py.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sysconfig
from collections.abc import Iterable
from importlib import metadata
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from bunraku.errors import FormatError, InputError, closest

if TYPE_CHECKING:
    from bunraku.model import Model

PLACES = (
    ("example-robot-data", "cmeel.prefix/share/example-robot-data/robots", "*.urdf"),
    ("gymnasium", "gymnasium/envs/mujoco/assets", "*.xml"),
)
ENDINGS = re.compile(r"(_simple)?_(description|data)$")
FETCHING = "robot_descriptions"


def robot(
    name: str, *, strict: bool = False, root: str = "auto", package_dirs: Iterable[str | PathLike[str]] = ()
) -> Model:
    """A robot of an installed package by its name: "talos", "g1", "panda", "humanoid" … Options as of `bk.load`."""
    from bunraku.formats import load

    path = robot_file(name)
    return load(path, strict=strict, root=root, package_dirs=package_dirs)


def robot_file(name: str) -> Path:
    """The file of a robot of an installed package."""
    known = installed_robots()
    wanted = name.strip().lower()
    if wanted in known:
        return known[wanted]
    module = fetching_modules().get(wanted)
    if module is not None:
        return _fetched(module)
    if not known:
        raise InputError(
            f"robot {name!r}: no package with robots is installed; pip install example-robot-data (or gymnasium)."
        )
    near = closest(wanted, [*known, *fetching_modules()]) or f" There are {', '.join(list(known)[:8])} …"
    raise InputError(f"no installed package has a robot {name!r}.{near}")


def installed_robots() -> dict[str, Path]:
    """Files of robots by name, of packages that are here already."""
    found: dict[str, Path] = {}
    folders: dict[str, list[Path]] = {}
    for package, inside, pattern in PLACES:
        for place in _folders(package, inside):
            for path in sorted(place.rglob(pattern)):
                found.setdefault(path.stem.lower(), path)
                if path.parent != place:
                    folder = path.relative_to(place).parts[0]
                    folders.setdefault(ENDINGS.sub("", folder).lower(), []).append(path)
    for name, paths in folders.items():
        found.setdefault(name, min(paths, key=lambda path: (len(path.stem), path.stem)))
    return dict(sorted(found.items()))


def _folders(package: str, inside: str) -> list[Path]:
    """Where an installed package has its robots; no places where it is not installed."""
    try:
        base = Path(str(metadata.distribution(package).locate_file("")))
    except metadata.PackageNotFoundError:
        return []
    places = [base, *(Path(sysconfig.get_path(key)) for key in ("purelib", "platlib"))]
    return [place / inside for place in dict.fromkeys(places) if (place / inside).is_dir()][:1]


def fetching_modules() -> dict[str, str]:
    """Modules of robot_descriptions by the robots' names, if it is installed; none of them is imported."""
    spec = importlib.util.find_spec(FETCHING)
    if spec is None or not spec.submodule_search_locations:
        return {}
    places = [Path(place) for place in spec.submodule_search_locations]
    stems = sorted(path.stem for place in places for path in place.glob("*_description.py"))
    return {stem.removesuffix("_description"): stem for stem in stems} | {stem: stem for stem in stems}


def _fetched(stem: str) -> Path:
    """The file of a robot that robot_descriptions has, or fetches."""
    try:
        module = importlib.import_module(f"{FETCHING}.{stem}")
    except Exception as error:  # whatever it says about the network
        raise FormatError(f"{FETCHING} cannot give {stem!r} ({' '.join(str(error).split())[:120]}).") from None
    path = getattr(module, "URDF_PATH", None) or getattr(module, "MJCF_PATH", None)
    if path is None:
        raise FormatError(f"{FETCHING}: {stem!r} has neither a URDF nor an MJCF file.")
    return Path(path)
