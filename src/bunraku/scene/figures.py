"""The figures of a scene: models from their tables, start poses, and shapes that stay where they are.

Things are named after their figure, so that contacts tell which is which. A pose gives hinges and universal joints in
degrees, sliders in metres, balls as a rotation. Checked in tests/scene/test_scene.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from bunraku.errors import BunrakuError, closest
from bunraku.model import Model, Shape, box, capsule, cylinder, describe_human, sphere
from bunraku.model.limits import swing_twist
from bunraku.model.rotations import quaternion
from bunraku.scene.file import Table
from bunraku.scene.values import rotation

OWN: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "human": (("height", "mass"), ()),
    "box": (("size", "mass"), ("size",)),
    "sphere": (("radius", "mass"), ("radius",)),
    "capsule": (("radius", "length", "mass"), ("radius", "length")),
    "cylinder": (("radius", "length", "mass"), ("radius", "length")),
}
"""Our models: the keys that describe them, and those they need."""
MAKERS = {"box": box, "sphere": sphere, "capsule": capsule, "cylinder": cylinder}
DESCRIBING = ("size", "radius", "length", "mass", "height", "root")


def model_of(table: Table, name: str, folder: Path) -> Model:
    """The model of a [[figure]]."""
    from bunraku.formats import describe

    kind = table["model"]
    allowed, needed = OWN.get(kind, (("root",), ()))
    for key in DESCRIBING:
        if key in table and key not in allowed:
            raise table.wrong(f"{key!r} does not describe a {kind!r}.{closest(key, allowed)}")
    for key in needed:
        if key not in table:
            raise table.wrong(f"a {kind} needs {key!r}.")
    path = folder / kind if kind in OWN else file_of(table, folder)
    try:
        if kind == "human":
            description = describe_human(**{key: table[key] for key in allowed if key in table})
            description.name = name
            return description.build()
        if kind in OWN:
            return MAKERS[kind](**{key: table[key] for key in allowed if key in table}, name=name)
        description = describe(path, root=table.get("root", "auto"))
        description.name = name
        return description.build()
    except BunrakuError as error:
        raise table.wrong(str(error)) from None


def file_of(table: Table, folder: Path) -> Path:
    """The URDF or MJCF file beside the scene."""
    kind = table["model"]
    path = folder / kind
    if not path.is_file():
        if "." not in kind and "/" not in kind:
            raise table.wrong(f"there is no model {kind!r}.{closest(kind, OWN)} Files end in .urdf or .xml.")
        raise table.wrong(f"model = {kind!r}: there is no such file in {folder}.")
    return path


def put_pose(table: Table, model: Model, q: np.ndarray, pose: dict[str, Any]) -> None:
    """Write a pose { joint = value } into q."""
    names = [j.name for j in model.joints if j.nq and j.kind != "free"]
    for name, value in pose.items():
        if name not in names:
            raise table.wrong(f"pose: figure {model.name!r} has no joint {name!r}.{closest(name, names)}")
        joint = model.joint(name)
        given = value if isinstance(value, list) else [value]
        if joint.kind == "ball":
            if len(given) not in (3, 4):
                raise table.wrong(f"pose: {name!r} is a ball joint and needs a rotation, got {value}.")
            q[joint.q] = quaternion(rotation(given))
            swing, twist = (float(x) for x in swing_twist(q[joint.q]))
            if swing > joint.swing + 1e-9 or not joint.twist[0] - 1e-9 <= twist <= joint.twist[1] + 1e-9:
                got, most = (np.degrees([swing, twist]), np.degrees([joint.swing, *joint.twist]))
                raise table.wrong(
                    f"pose: {name} swings by {got[0]:.4g} and twists by {got[1]:.4g} degrees; "
                    f"it can by {most[0]:.4g}, and {most[1]:.4g} … {most[2]:.4g}."
                )
            continue
        if len(given) != joint.nq:
            raise table.wrong(f"pose: {name!r} needs {joint.nq} value{'s' * (joint.nq > 1)}, got {value}.")
        x = np.array(given, dtype=float) if joint.unit == "m" else np.radians(given)
        low, high = model.lower[joint.v], model.upper[joint.v]
        if np.any(x < low - 1e-9) or np.any(x > high + 1e-9):
            unit, scale = ("m", 1.0) if joint.unit == "m" else ("degrees", 180.0 / np.pi)
            raise table.wrong(f"pose: {name} = {value} is beyond {scale * low[0]:.4g} … {scale * high[0]:.4g} {unit}.")
        q[joint.q] = x


def fixed_shape(table: Table) -> Shape:
    """The shape of a [[fixed]]."""
    kind = table["shape"]
    needed = {
        "box": ("size",),
        "sphere": ("radius",),
        "capsule": ("radius", "length"),
        "cylinder": ("radius", "length"),
    }.get(kind, ())
    for key in ("size", "radius", "length"):
        if (key in table) != (key in needed):
            raise table.wrong(f"a {kind} needs {key!r}." if key in needed else f"{key!r} does not describe a {kind}.")
    if kind == "box":
        size = tuple(table["size"] / 2)
    else:
        size = tuple(table[key] / (2 if key == "length" else 1) for key in needed)
    return Shape(
        kind,
        size,
        table.get("position", (0.0, 0.0, 0.0)),
        table.get("rotation"),
        role="both" if table.get("collides", True) else "visual",
        name=table.get("name", ""),
    )
