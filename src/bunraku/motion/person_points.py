"""Places and rotations of a captured person's joints, and what is measured of them: limbs, trunk, frames, means."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bunraku.dynamics.functions import kinematics
from bunraku.humanoid.anatomy import Anatomy, Limb
from bunraku.model.model import Model

SIDES = ("left", "right")


@dataclass(frozen=True, eq=False)
class Points:
    """Places (n, points, 3) and rotations (n, points, 3, 3) of joints and ends, with their names and parents."""

    names: list[str]
    parents: list[int]
    place: np.ndarray
    turn: np.ndarray

    @classmethod
    def of(cls, model: Model, q: np.ndarray) -> Points:
        """Of a skeleton in poses q (n, nq)."""
        names = [f.name for f in model.frames]
        above = {x.name: x.parent for x in model.description.links} | {f.name: f.link for f in model.description.frames}
        number = {name: k for k, name in enumerate(names)}
        parents = [-1 if (up := above[name]) is None else number[up] for name in names]
        k = kinematics(model, np.atleast_2d(q))
        poses = [k.pose(name) for name in names]
        return cls(names, parents, np.stack([p for p, _ in poses], axis=1), np.stack([R for _, R in poses], axis=1))

    def turned(self, turn: np.ndarray) -> Points:
        """The same in a world turned by a rotation matrix."""
        return replace(self, place=self.place @ turn.T, turn=turn @ self.turn)

    def later(self, k: int) -> Points:
        """The frames from one on."""
        return replace(self, place=self.place[k:], turn=self.turn[k:])

    def row(self, k: int) -> Points:
        """One frame."""
        return replace(self, place=self.place[k : k + 1], turn=self.turn[k : k + 1])


def places(points: Points, a: Anatomy) -> dict[str, np.ndarray]:
    """Where parts begin, and tips."""
    P = points.place
    out = {
        "pelvis": 0.5 * (P[:, a.legs[0].top] + P[:, a.legs[1].top]),
        "trunk": P[:, a.chest],
        "neck": neck_of(points, a),
    }
    if a.head is not None:
        out["head_top"] = P[:, a.head]
    for side, leg, arm in zip(SIDES, a.legs, a.arms):
        for part, k in zip(("thigh", "shank", "foot", "toe"), (leg.top, leg.middle, leg.end, leg.tip)):
            out[f"{side}_{part}"] = P[:, k]
        for part, k in zip(("upper_arm", "lower_arm", "hand", "fingers"), (arm.top, arm.middle, arm.end, arm.tip)):
            out[f"{side}_{part}"] = P[:, k]
    return out


def named(points: Points, a: Anatomy) -> dict[str, str]:
    """Part -> name of the point where it begins."""
    out = {"pelvis": a.pelvis, "trunk": a.chest}
    out |= {} if a.neck is None else {"head": a.neck}
    for side, leg, arm in zip(SIDES, a.legs, a.arms):
        out |= {f"{side}_{x}": k for x, k in zip(("thigh", "shank", "foot"), (leg.top, leg.middle, leg.end))}
        out |= {f"{side}_{x}": k for x, k in zip(("upper_arm", "lower_arm", "hand"), (arm.top, arm.middle, arm.end))}
    return {part: points.names[k] for part, k in out.items()}


def neck_of(points: Points, a: Anatomy) -> np.ndarray:
    """(n, 3): where the neck begins, else the middle of the shoulders."""
    P = points.place
    return P[:, a.neck] if a.neck is not None else 0.5 * (P[:, a.arms[0].top] + P[:, a.arms[1].top])


def lengths(points: Points, limb: Limb) -> np.ndarray:
    """(2,): of a limb's bones."""
    P = points.place
    return np.array(
        [
            float(np.median(np.linalg.norm(P[:, a] - P[:, b], axis=1)))
            for a, b in ((limb.top, limb.middle), (limb.middle, limb.end))
        ]
    )


def at_joint(points: Points, k: int, limb: Limb) -> int:
    """The last joint at a point of a limb: that which carries what comes next."""
    size, at = 0.05 * float(lengths(points, limb).sum()), k
    tip, way = limb.tip, []
    while tip != k and tip >= 0:
        way.append(tip)
        tip = points.parents[tip]
    for x in way[::-1]:
        if np.linalg.norm(points.place[:, x] - points.place[:, k], axis=1).mean() > size or x not in points.parents:
            break
        at = x
    return at


def trunk_line(points: Points, a: Anatomy) -> np.ndarray:
    """(n, 3): from the middle of the hips to the neck."""
    P = points.place
    return neck_of(points, a) - 0.5 * (P[:, a.legs[0].top] + P[:, a.legs[1].top])


def unit(x: np.ndarray) -> np.ndarray:
    """Rows of length one."""
    return x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-12)


def frame(z: np.ndarray, y: np.ndarray) -> np.ndarray:
    """(n, 3, 3): rotations whose z is given and whose y is as near to `y` as that allows."""
    z = unit(z)
    y = unit(y - np.einsum("...i,...i->...", y, z)[..., None] * z)
    return np.stack([np.cross(y, z), y, z], axis=-1)


def mean_turn(R: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    """The rotation nearest to rotations (n, 3, 3)."""
    w = np.ones(len(R)) if weight is None else weight
    U, _, V = np.linalg.svd(np.einsum("n,nij->ij", w, R))
    return U @ np.diag([1.0, 1.0, float(np.sign(np.linalg.det(U @ V)))]) @ V
