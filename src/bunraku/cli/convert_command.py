"""`bunraku convert MODEL OUT`: a figure written as URDF or MJCF. Needs no kernel."""

from __future__ import annotations

from typing import Annotated, Literal

import tyro

from bunraku.cli.common import figure
from bunraku.files import keep_inputs


def main(
    model: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="MODEL")],
    out: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="OUT")],
    root: Literal["auto", "free", "fixed"] = "auto",
    package_dirs: tuple[str, ...] = (),
) -> int:
    """Write a figure as URDF or MJCF, and tell what the format has no word for.

    Args:
        model: "human", a robot of an installed package by name, or the path of a URDF, MJCF, SDF or Choreonoid file.
        out: The file to write, ending with .urdf (URDF) or .xml (MJCF).
        root: Whether the root link of a URDF file is free or fixed in the world; auto: free, unless it is called "world".
        package_dirs: Further folders in which package:// addresses of meshes are looked up.
    """
    keep_inputs([model], [out])
    from bunraku.formats.save import save

    notes = save(figure(model, root=root, package_dirs=package_dirs), out)
    for note in notes:
        print(note)
    print(f"written: {out}")
    return 0
