"""The figures of a scene: models from their tables, start poses, and shapes that stay where they are.

Things are named after their figure, so that contacts tell which is which. A pose gives hinges and universal joints in
degrees, sliders in metres, balls as a rotation. Checked in tests/scene/test_scene.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from bunraku.errors import BunrakuError, FormatError, closest
from bunraku.files import cannot_be_read
from bunraku.formats.terrain_mesh import terrain_mesh
from bunraku.model import Model, Shape, box, capsule, cone, cylinder, describe_human, ellipsoid, sphere
from bunraku.model.limits import swing_twist
from bunraku.model.relief import height_field
from bunraku.model.rotations import multiply, quaternion, rotation_matrix
from bunraku.scene.file import Table
from bunraku.scene.values import rotation

OWN: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "human": (("height", "mass"), ()),
    "box": (("size", "mass"), ("size",)),
    "sphere": (("radius", "mass"), ("radius",)),
    "capsule": (("radius", "length", "mass"), ("radius", "length")),
    "cylinder": (("radius", "length", "mass"), ("radius", "length")),
    "cone": (("radius", "length", "mass"), ("radius", "length")),
    "ellipsoid": (("size", "mass"), ("size",)),
}
"""Our models: the keys that describe them, and those they need."""
MAKERS = {
    "box": box, "sphere": sphere, "capsule": capsule, "cylinder": cylinder, "cone": cone, "ellipsoid": ellipsoid,
}  # fmt: skip
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
            raise table.wrong(f"there is no model {kind!r}.{closest(kind, OWN)} Files end in .urdf, .xml or .toml.")
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


def put_on_its_feet(table: Table, model: Model, q: np.ndarray) -> None:
    """Stance of a figure with stand = true, in q: `at` is where it stands, `rotation` how it is turned; `lower` [m] as
    bunraku.humanoid.stance has it."""
    from bunraku.humanoid.stance import stand

    if "lower" in table and not table.get("stand"):
        raise table.wrong("lower has no effect without stand = true.")
    if not table.get("stand"):
        return
    at, turn = table.get("at", np.zeros(3)), quaternion(rotation_matrix(table.get("rotation")))
    try:
        q[:] = stand(model, **({"lower": table["lower"]} if "lower" in table else {}))
    except BunrakuError as error:
        raise table.wrong(str(error)) from None
    q[:3], q[3:7] = at + rotation_matrix(turn) @ q[:3], multiply(turn, q[3:7])


GROUNDS = {"height_field": ("file", "spacing"), "terrain_mesh": ("file", "scale")}


def ground_shape(table: Table, folder: Path) -> Shape:
    """A height field, of a table of heights (.csv, .npy), or a mesh, of a [[fixed]]."""
    kind = table["shape"]
    if "file" not in table:
        raise table.wrong(f"a {kind} needs 'file'.")
    path, place = folder / table["file"], (table.get("position", (0.0, 0.0, 0.0)), table.get("rotation"))
    name = table.get("name", kind)
    try:
        if kind == "terrain_mesh":
            shape = terrain_mesh(path, None, *place, scale=table.get("scale", 1.0), name=name)
        else:
            shape = height_field(read_heights(path), table.get("spacing", 0.1), *place, name=name)
    except BunrakuError as error:
        raise table.wrong(str(error)) from None
    shape.role = "both" if table.get("collides", True) else "visual"
    return shape


def read_heights(path: Path) -> np.ndarray:
    """A table of heights [m]: .npy, or numbers parted by commas, a row for every x."""
    try:
        if path.suffix == ".npy":
            return np.load(path, allow_pickle=False)
        return np.loadtxt(path, delimiter=",", ndmin=2)
    except OSError as error:
        raise cannot_be_read(path, error) from None
    except (ValueError, EOFError) as error:
        reason = str(error).splitlines()[0] if str(error) else "empty"
        raise FormatError(f"{path}: not a table of heights ({reason}).") from None


def fixed_shape(table: Table, folder: Path) -> Shape:
    """The shape of a [[fixed]]."""
    kind = table["shape"]
    for key in ("file", "spacing", "scale"):
        if key in table and key not in GROUNDS.get(kind, ()):
            raise table.wrong(f"{key!r} does not describe a {kind}.")
    if kind in GROUNDS:
        return ground_shape(table, folder)
    needed = OWN[kind][1] if kind in OWN else ()
    for key in ("size", "radius", "length"):
        if (key in table) != (key in needed):
            raise table.wrong(f"a {kind} needs {key!r}." if key in needed else f"{key!r} does not describe a {kind}.")
    if "size" in needed:
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
