"""Find the file of a mesh address: `package://name/…`, `model://name/…`, `file:///…`, or a path.

A package is a folder of that name. It is looked for in this order: the folders the caller gives (each may be the
package itself or hold it), the folders above the robot's file (the same), and the places ROS uses (ROS_PACKAGE_PATH,
AMENT_PREFIX_PATH/share). A path without a scheme is relative to the robot's file. Nothing is opened here; only the
existence of the file is asked.

Tested by tests/formats/test_urdf.py.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import unquote

PACKAGE_SCHEMES = ("package://", "model://")


class MeshFinder:
    """Resolves the addresses in one robot's file; remembers where each package was found."""

    def __init__(self, robot_file: Path, package_dirs: Iterable[str | os.PathLike[str]] = ()) -> None:
        self.folder = robot_file.absolute().parent
        self.package_dirs = [Path(folder).expanduser().absolute() for folder in package_dirs]
        self._packages: dict[str, list[Path]] = {}

    def find(self, address: str) -> Path | None:
        """The file, or None where there is none."""
        try:
            return next((path for path in self._candidates(address.strip()) if path.is_file()), None)
        except (OSError, ValueError):  # a name that no file system accepts
            return None

    def _candidates(self, address: str) -> Iterator[Path]:
        for scheme in PACKAGE_SCHEMES:
            if address.startswith(scheme):
                package, _, rest = address[len(scheme) :].lstrip("/").partition("/")
                yield from (folder / rest for folder in self.package(package))
                return
        if address.startswith("file://"):
            path = unquote(address[len("file://") :]).removeprefix("localhost")
            yield self.folder / path  # an absolute path replaces the folder
        elif "://" not in address:
            yield self.folder / address

    def package(self, name: str) -> list[Path]:
        """The folders that may be the package of that name, best first."""
        if not name or name in (".", ".."):
            return []
        if name not in self._packages:
            places = [*self.package_dirs, self.folder, *self.folder.parents, *_ros_places()]
            found = [p for place in places for p in (place, place / name) if p.name == name and p.is_dir()]
            self._packages[name] = list(dict.fromkeys(found))
        return self._packages[name]


def _ros_places() -> list[Path]:
    ros = [Path(p) for p in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep) if p]
    ament = [Path(p) / "share" for p in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if p]
    return ros + ament
