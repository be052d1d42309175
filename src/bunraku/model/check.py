"""Refuse a `Description` that cannot be a figure, with one sentence; warn of what is only doubtful.

`check` looks at names and the tree, then at each link (pose, inertia, shapes, joints), the gears and the frames. It
starts a message with the place in the source file where the description knows it. An inertia about the centre of mass
must be symmetric and positive semi-definite: its least eigenvalue may lie below zero by `SEMIDEFINITE` times its
trace plus `FLOOR` (files are rounded). The moments of a real body also obey the triangle inequality I1 + I2 >= I3,
i.e. trace(I) >= 2 I3; many robots' files do not, so that is a warning, and an error only where `strict` is set. No
value may exceed `HUGE`. A joint whose whole subtree has no inertia is found by the builder, not here.

Tested by tests/model/test_check.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from bunraku.errors import ModelError, closest
from bunraku.model.check_joint import check_gears, check_joint
from bunraku.model.check_matrix import check_matrix_gears
from bunraku.model.check_values import finite, place, vector
from bunraku.model.description import SHAPE_SIZES, Description, Inertia, Link, Note, Shape
from bunraku.model.equipment import check_equipment
from bunraku.model.joint_kinds import KINDS
from bunraku.model.rotations import rotation_matrix

SEMIDEFINITE = 1e-12
FLOOR = 1e-15  # kg m^2
TRIANGLE = 1e-6  # relative to the trace: six-digit files are not warned about
ROLES = ("both", "collision", "visual")


def check(description: Description, strict: bool = False) -> list[Note]:
    """Raise ModelError for the first mistake found; return warnings. `strict` makes a warning an error."""
    if not description.links:
        raise ModelError(f"figure {description.name!r} has no links; add at least one.")
    check_names(description)
    check_tree(description.links)
    notes: list[Note] = []
    for link in description.links:
        notes += check_link(link)
    check_gears(description)
    check_matrix_gears(description)
    joints = [joint for link in description.links for joint in link.joints]
    check_equipment(description, {joint.name: KINDS[joint.kind].one_axis for joint in joints})
    for frame in description.frames:
        check_pose(frame.position, frame.rotation, f"frame {frame.name!r}")
    if strict and notes:
        raise ModelError(f"{notes[0]} strict=True refuses it.")
    return notes


def check_names(description: Description) -> None:
    """Names are there, and no two links, joints, or frames (a link is a frame too) share one."""
    joints = [joint for link in description.links for joint in link.joints]
    _unique("link", [(link.name, link.where) for link in description.links])
    _unique("joint", [(joint.name, joint.where) for joint in joints])
    _unique("frame", [(frame.name, "") for frame in description.frames])
    names = {link.name for link in description.links}
    for frame in description.frames:
        if frame.name in names:
            raise ModelError(f"duplicate frame name {frame.name!r}: a link is called so.")
        if frame.link not in names:
            raise ModelError(f"frame {frame.name!r} is on the unknown link {frame.link!r}.{closest(frame.link, names)}")
    for pair in description.collide_exclude:
        for name in pair:
            if name not in names:
                raise ModelError(f"collide_exclude names the unknown link {name!r}.{closest(name, names)}")
    shapes = {s.name for link in description.links for s in link.shapes if s.name}
    for two in description.collide_pairs:
        for name in (two.a, two.b):
            if name not in shapes:
                raise ModelError(f"collide_pairs names the unknown shape {name!r}.{closest(name, shapes)}")


def _unique(what: str, items: Iterable[tuple[str, str]]) -> None:
    seen: set[str] = set()
    for name, where in items:
        if not isinstance(name, str) or not name.strip():
            raise ModelError(f"{place(where)}a {what} has no name; give it one.")
        if name in seen:
            raise ModelError(f"{place(where)}duplicate {what} name {name!r}; each {what} needs its own.")
        seen.add(name)


def check_tree(links: list[Link]) -> None:
    """Every parent exists, and from each link the way up ends at the world."""
    parents = {link.name: link.parent for link in links}
    for link in links:
        if link.parent is not None and link.parent not in parents:
            raise ModelError(
                f"{place(link.where)}link {link.name!r} has the unknown parent {link.parent!r}."
                f"{closest(str(link.parent), parents)}"
            )
    rooted: set[str | None] = {None}
    for link in links:
        path: dict[str | None, None] = {}  # an ordered set
        name: str | None = link.name
        while name not in rooted:
            if name in path:
                loop = " -> ".join(repr(n) for n in [*path, name][list(path).index(name) :])
                raise ModelError(f"{place(link.where)}the links {loop} form a loop; a figure is a tree.")
            path[name] = None
            name = parents[name]  # type: ignore[index]  (None is always rooted)
        rooted.update(path)


def check_link(link: Link) -> list[Note]:
    """One link with its joints and shapes."""
    at = f"{place(link.where)}link {link.name!r}"
    check_pose(link.position, link.rotation, at)
    for joint in link.joints:
        check_joint(joint, f"{place(joint.where or link.where)}joint {joint.name!r}")
        if joint.kind == "free" and link.parent is not None:
            raise ModelError(
                f"{place(joint.where or link.where)}free joint {joint.name!r} ties link {link.name!r} to "
                f"{link.parent!r}; a free joint hangs on the world only (parent None)."
            )
        if joint.kind == "free" and len(link.joints) > 1:
            raise ModelError(
                f"{place(joint.where or link.where)}free joint {joint.name!r} shares link {link.name!r} with other "
                "joints; it already moves in every direction."
            )
    for shape in link.shapes:
        check_shape(shape, f"{at}, {shape.kind} shape" + (f" {shape.name!r}" if shape.name else ""))
    finite(link.gravcomp, at, "gravity compensation")
    doubt = check_inertia(link.inertia, at)
    return [Note("warning", f"link {link.name!r}: {doubt}", link.where)] if doubt else []


def check_pose(position: Any, rotation: Any, at: str) -> None:
    """A finite position and a proper rotation."""
    vector(position, 3, at, "position")
    if rotation is not None:
        _convert(lambda: rotation_matrix(rotation, f"{at}, rotation"), f"{at}, rotation")


def check_inertia(inertia: Inertia, at: str) -> str:
    """Refuse an impossible inertia; the returned text, if any, says why it is doubtful."""
    mass = finite(inertia.mass, at, "mass")
    if mass < 0.0:
        raise ModelError(f"{at} has the negative mass {mass:g} kg; write 0 or more.")
    vector(inertia.com, 3, at, "centre of mass")
    moments = _convert(inertia.matrix, f"{at}, inertia")
    vector(moments.ravel(), 9, at, "inertia")
    trace = float(np.trace(moments))
    scale = float(np.abs(moments).max())
    if np.abs(moments - moments.T).max() > 1e-9 * scale:
        raise ModelError(
            f"{at}: the inertia matrix is not symmetric; its value above and below the diagonal must agree."
        )
    least, middle, largest = (float(x) for x in np.linalg.eigvalsh(0.5 * (moments + moments.T)))
    if least < -(SEMIDEFINITE * max(trace, 0.0) + FLOOR):
        raise ModelError(
            f"{at}: the inertia is not positive semi-definite: its principal moments are "
            f"{least:.6g}, {middle:.6g}, {largest:.6g} kg m^2; none may be negative."
        )
    if largest - least - middle > TRIANGLE * max(trace, 0.0) + FLOOR:
        return (
            f"the principal moments {least:.6g}, {middle:.6g}, {largest:.6g} kg m^2 belong to no real body "
            "(the largest exceeds the sum of the others)."
        )
    return ""


def check_shape(shape: Shape, at: str) -> None:
    """Kind, number and sign of the sizes, role, pose."""
    if shape.kind not in SHAPE_SIZES:
        raise ModelError(f"{at}: unknown shape kind {shape.kind!r}.{closest(str(shape.kind), SHAPE_SIZES)}")
    if shape.role not in ROLES:
        raise ModelError(f"{at}: unknown role {shape.role!r}; choose one of {', '.join(map(repr, ROLES))}.")
    wanted = SHAPE_SIZES[shape.kind]
    size = vector(shape.size, wanted, at, "size")
    if np.any(size <= 0.0) and not (shape.kind in ("capsule", "cylinder") and size[0] > 0.0 and size[1] >= 0.0):
        raise ModelError(f"{at}: the size {tuple(size.tolist())} is not positive; write lengths in metres.")
    if shape.kind == "mesh":
        if not shape.mesh:
            raise ModelError(f"{at} has no mesh file; set `mesh`.")
        if np.any(vector(shape.scale, 3, at, "scale") == 0.0):
            raise ModelError(f"{at}: the scale {tuple(shape.scale)} flattens the mesh; no value may be 0.")
    if (shape.kind == "terrain") != (shape.relief is not None):
        raise ModelError(f"{at}: a terrain has a relief, no other shape has; write bk.height_field or bk.terrain_mesh.")
    if shape.color is not None:
        vector(shape.color, 4, at, "colour")
    if len(shape.masks) != 2 or not all(isinstance(m, int) for m in shape.masks):
        raise ModelError(f"{at}: masks {shape.masks!r} should be two whole numbers, bits it has and bits it touches.")
    check_pose(shape.position, shape.rotation, at)


def _convert(make: Callable[[], np.ndarray], at: str) -> np.ndarray:
    """Run a conversion to an array; what numpy cannot read becomes a ModelError."""
    try:
        return make()
    except ModelError as error:
        text = str(error)
        raise ModelError(text if text.startswith(at) else f"{at}: {text.removeprefix('inertia: ')}") from None
    except (TypeError, ValueError) as error:
        raise ModelError(f"{at}: cannot be read as numbers ({error}).") from None
