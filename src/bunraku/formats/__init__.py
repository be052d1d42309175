"""Files that hold figures: one module per format, each returning a `Description`; only `model/` builds a Model.

`describe` recognises a file by what is in it (the root element), not by the ending of its name: `<robot>` is URDF,
`<mujoco>` is MJCF, `<sdf>` is SDF, YAML with format: ChoreonoidBody is a body file; a TOML file with
format = "bunraku person" is a person (bunraku.formats.person). `load` also builds.
Tested by tests/formats/test_load.py and tests/formats/test_bad_files.py.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bunraku.errors import BunrakuError, FormatError, InputError
from bunraku.formats import body, xmlsafe
from bunraku.formats.person import is_person, parse
from bunraku.model.description import Description

if TYPE_CHECKING:
    from bunraku.model import Model

LONGEST = 600  # characters of a sentence about a file
READS = "Bunraku reads URDF (<robot>), MJCF (<mujoco>), SDF (<sdf>), Choreonoid's .body and persons (TOML)"


def describe(
    path: str | os.PathLike[str],
    *,
    root: str = "auto",
    package_dirs: Iterable[str | os.PathLike[str]] = (),
    meshes: bool = True,
    strict: bool = False,
    srdf: str | os.PathLike[str] | None = None,
) -> Description:
    """The figure in a URDF, MJCF, SDF or Choreonoid file, or in one that `bunraku human` wrote. The options concern URDF,
    some SDF and body files, too: see `bunraku.formats.urdf`. srdf: a file that says which links never touch, and poses."""
    with readable_errors():
        description = _described(path, root, package_dirs, meshes, strict)
        if srdf is not None:
            from bunraku.formats.srdf import add_srdf

            add_srdf(description, srdf)
        return description


def _described(
    path: str | os.PathLike[str], root: str, package_dirs: Iterable[str | os.PathLike[str]], meshes: bool, strict: bool
) -> Description:
    text = xmlsafe.read_text(path)
    file = Path(path)
    if is_person(text):
        if root != "auto":
            raise InputError(f"root={root!r} is an option for URDF; {file.name} is a person, whose base is free.")
        description = parse(text, xmlsafe.printable(file.name)).describe()
        description.source = str(path)
        return description
    if body.is_body(text):
        return body.parse(text, file, root=root, meshes=meshes)
    if not text.lstrip().startswith("<"):
        kind = (
            f"the ending {file.suffix!r} is unknown and "
            if file.suffix not in (".urdf", ".xml", ".mjcf", ".sdf", ".body", ".toml")
            else ""
        )
        raise FormatError(f"{file.name}:1: {kind}the file does not start like XML; {READS}.")
    element = xmlsafe.parse(text, xmlsafe.printable(file.name))
    if element.tag == "robot":
        from bunraku.formats import urdf

        return urdf.from_element(element, file, root=root, package_dirs=package_dirs, meshes=meshes, strict=strict)
    if element.tag == "mujoco":
        if root != "auto":
            raise InputError(f"root={root!r} is an option for URDF; {file.name} is MJCF and says itself what is free.")
        from bunraku.formats import mjcf

        return mjcf.from_element(element, file)
    if element.tag == "sdf":
        from bunraku.formats import sdf

        return sdf.from_element(element, file, root=root, meshes=meshes, package_dirs=package_dirs)
    hint = " An include part is read with the model that includes it." if element.tag == "mujocoinclude" else ""
    raise element.error(f"the root element <{element.tag}> is unknown; {READS}.{hint}")


def load(
    path: str | os.PathLike[str],
    *,
    strict: bool = False,
    root: str = "auto",
    package_dirs: Iterable[str | os.PathLike[str]] = (),
    meshes: bool = True,
    srdf: str | os.PathLike[str] | None = None,
) -> Model:
    """Read a file and build its Model. What other programs read, too, is mended and named in `Model.notes`: shapes of
    size 0, tiny negative inertias, an inertial without a mass; joints that move no mass are named in `Model.massless`.
    strict=True refuses all that, and an inertia that no real body can have. srdf: a file beside it, with pairs of links
    that never touch (kept in `collide_exclude`) and poses (`Model.keyframe`)."""
    description = describe(path, root=root, package_dirs=package_dirs, meshes=meshes, strict=strict, srdf=srdf)
    with readable_errors():
        return description.build(strict=strict, repair=not strict)


@contextmanager
def readable_errors() -> Generator[None, None, None]:
    """A sentence about a file quotes what stands there, which may be long or unprintable: it is cut to one that can be
    read."""
    try:
        yield
    except BunrakuError as error:
        text = "".join(c if c.isprintable() else " " for c in str(error))
        if len(text) > LONGEST:
            text = f"{text[: LONGEST // 2]} … {text[-LONGEST // 3 :]}"
        if text == str(error):
            raise
        raise type(error)(text) from None
