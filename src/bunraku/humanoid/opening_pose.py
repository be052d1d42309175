"""How a figure of any kind stands when its choreography begins: on the floor, knees and elbows a little bent.

A straight knee cannot begin to bend by a pull at the hips (the pull has no moment about it), so figures with knees
stand with bent ones. `on_stage` asks in this order:
    a robot with a mapping file (bunraku.humanoid.mapping: talos, g1, simple_humanoid) stands as it walks: soles of
    boxes, in the walker's stance (bunraku.humanoid.stance);
    a figure whose legs are called hip, knee and ankle and turn as a ball, a hinge and a ball, such as bk.human(), gets
    knees of `KNEE`, and hips that put the centre of mass above the middle of its soles;
    every other figure keeps the pose of its description, its lowest point on the floor.
The walker's stance is another idea: it needs two feet with soles and legs of six degrees of freedom, and solves inverse
kinematics so that soles stand exactly flat at the walking distance, with knees bent as deep as a stride needs. An
opening pose needs none of that and is nearly upright: a dancer has its whole reach. Checked in
tests/choreography/test_engine.py and tests/choreography/test_robots.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bunraku.collision.mesh_hulls import hull_of_mesh
from bunraku.dynamics.functions import centre_of_mass, kinematics
from bunraku.errors import InputError
from bunraku.humanoid.mapping import mapping_of
from bunraku.humanoid.parts import humanoid
from bunraku.model.model import Model, ShapeInfo
from bunraku.model.rotations import quaternion_about

KNEE, ELBOW, OUT = 0.25, 0.35, 0.08  # rad
DEEPEST, UNEVEN = 1.2, 1e-6  # rad: of the knee of a longer leg; m: what legs may differ by
LEGS = ("hip", "knee", "ankle")
NONE = float("inf")  # m: the height of a point that there is not


def on_stage(model: Model) -> tuple[Model, np.ndarray]:
    """(model, q): the figure as it is choreographed, and how it stands at the origin; InputError where there is nothing
    to choreograph."""
    if not any(j.nv and j.kind != "free" for j in model.joints):
        raise InputError(
            f"Choreography: {model.name!r} has no joint that moves; there is nothing to pin or drag it by."
        )
    free = model.joints[0].kind == "free"
    if free and mapping_of(model, None):
        walker = humanoid(model)
        return walker.model, walker.stand.copy()
    if free and not any(s.role != "visual" for s in model.shapes):
        raise InputError(
            f"Choreography: {model.name!r} has no shape that touches, so the floor cannot carry it; "
            f"give its feet collision shapes."
        )
    return model, standing(model)


def own_collisions(model: Model) -> bool:
    """Whether a figure's links collide with each other: not where they are meshes or cylinders, whose hulls overlap at
    the joints and take a hundred times longer."""
    return not any(s.kind in ("mesh", "cylinder") for s in model.shapes if s.role != "visual")


def standing(model: Model) -> np.ndarray:
    """q of the figure as it stands; a free base is above the origin."""
    q = model.neutral()
    names = {j.name for j in model.joints}
    free = model.joints[0].kind == "free" if model.joints else False
    if free and all(f"{side}_{x}" in names for side in ("left", "right") for x in LEGS):
        q = bent(model, q)
    if free:
        q[:2] = 0.0
        q[2] -= lowest(model, q)
    return q


def bent(model: Model, q: np.ndarray) -> np.ndarray:
    """Knees and elbows bent; hips such that the centre of mass is above the middle of the soles, feet flat, trunk
    upright. Of legs that differ the longer one is bent more, so that both feet are at one height."""
    kinds = {j.name: j for j in model.joints}
    if any(kinds[f"{s}_{x}"].kind != k for s in ("left", "right") for x, k in zip(LEGS, ("ball", "hinge", "ball"))):
        return q

    foot = "sole" if any(f.name == "left_sole" for f in model.frames) else "foot"

    def bend_leg(out: np.ndarray, side: str, hip: float, knee: float) -> None:
        out[kinds[f"{side}_hip"].q] = quaternion_about(1, -hip)
        out[kinds[f"{side}_knee"].q] = knee
        out[kinds[f"{side}_ankle"].q] = quaternion_about(1, hip - knee)

    def longer_left(x: np.ndarray) -> float:
        """How much lower the left foot is [m]."""
        k = kinematics(model, x)
        return float(k.pose(f"right_{foot}")[0][2] - k.pose(f"left_{foot}")[0][2])

    def with_hip(hip: float) -> np.ndarray:
        out = q.copy()
        for side, sign in (("left", 1.0), ("right", -1.0)):
            bend_leg(out, side, hip, KNEE)
            if f"{side}_elbow" in kinds and kinds[f"{side}_elbow"].kind == "hinge":
                out[kinds[f"{side}_elbow"].q] = ELBOW
            if f"{side}_shoulder" in kinds and kinds[f"{side}_shoulder"].kind == "ball":
                out[kinds[f"{side}_shoulder"].q] = quaternion_about(0, sign * OUT)
        off = longer_left(out)
        if abs(off) > UNEVEN:
            side, low, high = "left" if off > 0 else "right", KNEE, DEEPEST
            for _ in range(40):
                knee = 0.5 * (low + high)
                bend_leg(out, side, hip * knee / KNEE, knee)
                low, high = (knee, high) if longer_left(out) * off > 0 else (low, knee)
        return out

    def ahead(hip: float) -> float:
        """How far the centre of mass is ahead of the middle of the soles [m]."""
        x = with_hip(hip)
        k = kinematics(model, x)
        middle = 0.5 * (k.pose(f"left_{foot}")[0] + k.pose(f"right_{foot}")[0])
        return float(centre_of_mass(model, x)[0] - middle[0])

    low, high = 0.0, KNEE
    if ahead(low) * ahead(high) > 0:
        return with_hip(0.5 * KNEE)
    for _ in range(40):
        middle = 0.5 * (low + high)
        if ahead(low) * ahead(middle) <= 0:
            high = middle
        else:
            low = middle
    return with_hip(0.5 * (low + high))


def lowest(model: Model, q: np.ndarray, shapes: Sequence[ShapeInfo] | None = None) -> float:
    """Height of the lowest point of shapes of the figure [m], by default of those that take part in collisions; 0
    without any."""
    k = kinematics(model, q)
    if shapes is None:
        shapes = [s for s in model.shapes if s.role != "visual"]
    least = min((bottom(s, k.rotation[s.body], k.position[s.body]) for s in shapes), default=NONE)
    return 0.0 if least == NONE else least


def bottom(s: ShapeInfo, R: np.ndarray, p: np.ndarray) -> float:
    """Height of the lowest point of a shape [m] whose body is at p, turned by R; NONE where it has no end."""
    up = (R @ s.rotation)[2]
    height = float(p[2] + (R @ s.position)[2])
    if s.kind == "sphere":
        return height - s.size[0]
    if s.kind == "capsule":
        return height - s.size[0] - s.size[1] * abs(float(up[2]))
    if s.kind == "cylinder":
        return height - s.size[0] * float(np.hypot(up[0], up[1])) - s.size[1] * abs(float(up[2]))
    if s.kind == "cone":
        base = s.size[0] * float(np.hypot(up[0], up[1])) + s.size[1] * float(up[2])
        return height - max(base, -s.size[1] * float(up[2]))
    if s.kind == "ellipsoid":
        return height - float(np.linalg.norm(up * np.array(s.size)))
    if s.kind == "box":
        return height - float(np.abs(up) @ np.array(s.size))
    hull = hull_of_mesh(s.mesh, s.scale, s.link)[0] if s.kind == "mesh" else None
    return NONE if hull is None else height + float(((hull.vertices + hull.centre) @ up).min())
