"""Files that hold figures: one module per format, each returning a `Description`; only `model/` builds a Model.

`describe` recognises a file by what is in it (the root element), not by the ending of its name: `<robot>` is URDF,
`<mujoco>` is MJCF. `load` also builds. Tested by tests/formats/test_load.py and tests/formats/test_bad_files.py.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from bunraku.errors import FormatError, InputError
from bunraku.formats import xmlsafe
from bunraku.model.description import Description

if TYPE_CHECKING:
    from bunraku.model import Model

READS = "Bunraku reads URDF (<robot>) and MJCF (<mujoco>)"


def describe(
    path: str | os.PathLike[str],
    *,
    root: str = "auto",
    package_dirs: Iterable[str | os.PathLike[str]] = (),
    meshes: bool = True,
) -> Description:
    """The figure in a URDF or MJCF file. The options concern URDF: see `bunraku.formats.urdf`."""
    text = xmlsafe.read_text(path)
    file = Path(path)
    if not text.lstrip().startswith("<"):
        kind = f"the ending {file.suffix!r} is unknown and " if file.suffix not in (".urdf", ".xml", ".mjcf") else ""
        raise FormatError(f"{file.name}:1: {kind}the file does not start like XML; {READS}.")
    element = xmlsafe.parse(text, xmlsafe.printable(file.name))
    if element.tag == "robot":
        from bunraku.formats import urdf

        return urdf.from_element(element, file, root=root, package_dirs=package_dirs, meshes=meshes)
    if element.tag == "mujoco":
        if root != "auto":
            raise InputError(f"root={root!r} is an option for URDF; {file.name} is MJCF and says itself what is free.")
        from bunraku.formats import mjcf

        return mjcf.from_element(element, file)
    hint = " An include part is read with the model that includes it." if element.tag == "mujocoinclude" else ""
    raise element.error(f"the root element <{element.tag}> is unknown; {READS}.{hint}")


def load(
    path: str | os.PathLike[str],
    *,
    strict: bool = False,
    root: str = "auto",
    package_dirs: Iterable[str | os.PathLike[str]] = (),
    meshes: bool = True,
) -> Model:
    """Read a file and build its Model. strict=True also refuses an inertia that no real body can have."""
    return describe(path, root=root, package_dirs=package_dirs, meshes=meshes).build(strict=strict)
