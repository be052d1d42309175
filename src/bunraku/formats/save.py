"""Write a figure into a file that other programs read: URDF or MJCF, by the ending of its name. Checked in
tests/formats/test_save.py."""

from __future__ import annotations

import os
from pathlib import Path

from bunraku.errors import InputError
from bunraku.files import keep_inputs, write_text
from bunraku.model.description import Description, Note
from bunraku.model.model import Model
from bunraku.model.named import as_model

ENDINGS = (".urdf", ".xml", ".mjcf")


def save(model: Model | Description | str, path: str | os.PathLike[str]) -> tuple[Note, ...]:
    """Write a figure as URDF ("x.urdf") or MJCF ("x.xml"), whole or not at all; `bk.load` reads the same figure back.
    Returns notes of what the format has no word for. A ball in URDF, a screw in both, is refused."""
    target = Path(path)
    ending = target.suffix.lower()
    if ending not in ENDINGS:
        raise InputError(f"save: {target.name!r} should end with .urdf (URDF) or .xml (MJCF).")
    description = model if isinstance(model, Description) else as_model(model, "save").description
    meshes = [shape.mesh for link in description.links for shape in link.shapes]
    keep_inputs([description.source or None, *meshes], [target])
    folder = target.absolute().parent
    if ending == ".urdf":
        from bunraku.formats.urdf_write import urdf_text

        text, notes = urdf_text(description, folder)
    else:
        from bunraku.formats.mjcf_write import mjcf_text

        text, notes = mjcf_text(description, folder)
    write_text(target, text)
    return tuple(notes)
