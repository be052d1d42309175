"""A captured clip of any format that is read: BVH, or AMASS-style .npz, told by how the file begins. Checked in
tests/formats/test_amass.py."""

from __future__ import annotations

from pathlib import Path

from bunraku.errors import FormatError
from bunraku.files import cannot_be_read
from bunraku.recording.motion import Motion

ZIP = b"PK\x03\x04"


def load_clip(path: str | Path) -> Motion:
    """The motion of a captured skeleton in a file."""
    kind = kind_of(path)
    if kind == "bvh":
        from bunraku.formats.bvh_motion import load_bvh

        return load_bvh(path)
    if kind == "amass":
        from bunraku.formats.amass import load_amass

        return load_amass(path)
    raise FormatError(
        f"{Path(path).name}:1: neither a BVH file, which begins with HIERARCHY, nor an .npz file of AMASS."
    )


def kind_of(path: str | Path) -> str:
    """ "bvh", "amass", or "" for none of them."""
    try:
        with open(path, "rb") as f:
            begins = f.read(64)
    except (OSError, ValueError) as error:
        raise cannot_be_read(path, error) from None
    if begins.removeprefix(b"\xef\xbb\xbf").lstrip()[:9].upper() == b"HIERARCHY":
        return "bvh"
    return "amass" if begins[:4] == ZIP else ""
