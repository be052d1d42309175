"""Consistency: whether a motion with contact forces obeys mechanics, recomputed from what was saved and from nothing
else.

For every step k of a recording with a frame a step (semi-implicit Euler): a = (v_k - v_{k-1}) / dt, and
    rnea(q_{k-1}, v_{k-1}, a) - J' f = torques     with the points and forces f of the step;
the six rows of a free base have no torque, so what is left there is the residual: of its tree's weight W in the rows of
force [N], of W times 1 m in the rows of moment. Contacts that are not grips must not pull (n.f >= 0) and must lie in the
friction cone (|f_t| <= mu n.f). Numbers of a float32 recording limit what can be shown: v to 6e-8 of its size, so a to
1e-4 m/s^2 at 1 ms. Checked in tests/motion/test_consistency.py (it finds errors that are put in).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from bunraku.dynamics.functions import crba, kinematics, rnea
from bunraku.errors import InputError
from bunraku.model.forest import combine
from bunraku.motion.solved import Solved
from bunraku.recording.reader import Recording

CHUNK = 2000


@dataclass(frozen=True)
class Consistency:
    """Largest over all frames. base_force, base_moment: of the body weight (times 1 m); joints: torques against rnea,
    of the weight times 1 m; pull [N]: the most a contact pulls; cone [N]: the most a force is outside its cone; slip
    [m/s]: of pressing points, J(q_{k-1}) v_k; gap [m]: the farthest a pressing point is from the floor (z = 0)."""

    frames: int
    base_force: float
    base_moment: float
    joints: float
    pull: float
    cone: float
    slip: float
    gap: float
    friction: float

    @property
    def base(self) -> float:
        """The larger of both residuals of the base, a fraction of the weight."""
        return max(self.base_force, self.base_moment)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def consistency(motion: Solved | Recording, *, friction: float | None = None) -> Consistency:
    """Check from its frames alone that a motion obeys mechanics: the equation of motion, contacts, friction. friction:
    the coefficient, the one the motion says by default."""
    f = motion.frames
    if isinstance(motion, Recording):
        if motion.every != 1:
            raise InputError("consistency: needs a recording with a frame every step.")
        alone, grips = len(motion.figures) == 1, tuple(motion.meta.get("grips", ()))
        model = motion.figures[0].model
        if not alone:
            model, _ = combine([(f.name, f.model) for f in motion.figures], motion.gravity)
        owners = [motion.shape_owner(k) for k in range(len(motion.shapes))]
        links = [(name if alone else f"{figure}.{name}") if figure != "world" else "" for figure, name in owners]
        mu = motion.meta.get("friction", 0.8) if friction is None else friction
    else:
        model, grips = motion.model, motion.grips
        links = [name if name != "world" else "" for name, _ in motion.shapes]
        mu = motion.friction if friction is None else friction
    if len(f) < 2:
        raise InputError("consistency: needs two frames or more.")
    roots = [j for j in model.joints if j.kind == "free"]
    masses = np.diag(crba(model, model.neutral()))  # the first three rows of a free joint have its tree's
    trees = {j.iv: float(masses[j.iv]) * float(np.linalg.norm(model.gravity)) for j in roots}
    weight = model.mass * float(np.linalg.norm(model.gravity))
    q, v = np.asarray(f.q, dtype=float), np.asarray(f.v, dtype=float)
    bodies = np.array([model.frame(name).body if name else 0 for name in links], dtype=int)
    frame = np.repeat(np.arange(len(f)), f.patch_count)[f.patch_of_point]
    pair, points, forces = f.pair[f.patch_of_point].astype(int), f.points.astype(float), f.forces.astype(float)
    worst = {"base_force": 0.0, "base_moment": 0.0, "joints": 0.0, "slip": 0.0, "gap": 0.0}
    gripped = np.isin(pair[:, 0], [k for k, name in enumerate(links) if name in grips])
    for first in range(1, len(f), CHUNK):
        rows = np.arange(first, min(first + CHUNK, len(f)))
        dt = np.diff(f.times)[rows - 1]
        a = (v[rows] - v[rows - 1]) / dt[:, None]
        k, after = kinematics(model, q[rows - 1], v[rows - 1]), kinematics(model, q[rows - 1], v[rows])
        f_ext = np.zeros((len(rows), model.nb, 6))
        inside = np.flatnonzero((frame >= rows[0]) & (frame <= rows[-1]))
        for side, sign in ((0, 1.0), (1, -1.0)):
            body, at = bodies[pair[inside, side]], frame[inside] - rows[0]
            arm = points[inside] - k.position[at, body]
            push = sign * np.hstack([forces[inside], np.cross(arm, forces[inside])])
            push[body == 0] = 0.0
            np.add.at(f_ext, (at, body), push)
            if side == 0 and len(inside):
                pressing = (np.linalg.norm(forces[inside], axis=1) > 1e-6 * weight) & ~gripped[inside]
                twist = after.twist[at, body]
                speed = np.linalg.norm(twist[:, :3] + np.cross(twist[:, 3:], arm), axis=1)
                worst["slip"] = max(worst["slip"], float(speed[pressing].max(initial=0.0)))
                worst["gap"] = max(worst["gap"], float(np.abs(points[inside, 2])[pressing].max(initial=0.0)))
        left = rnea(model, q[rows - 1], v[rows - 1], a, f_ext)
        for j in roots:
            force, moment = np.abs(left[:, j.iv : j.iv + 3]).max(), np.abs(left[:, j.iv + 3 : j.iv + 6]).max()
            worst["base_force"] = max(worst["base_force"], float(force) / trees[j.iv])
            worst["base_moment"] = max(worst["base_moment"], float(moment) / trees[j.iv])
        rest = np.delete(left - f.torques[rows], [j.iv + n for j in roots for n in range(6)], axis=1)
        worst["joints"] = max(worst["joints"], float(np.abs(rest).max(initial=0.0)) / weight)
    normal = f.normal[f.patch_of_point].astype(float)
    up = np.einsum("ij,ij->i", forces, normal)
    across = np.linalg.norm(forces - up[:, None] * normal, axis=1)
    free = ~gripped
    pull = float(np.maximum(-up[free], 0.0).max(initial=0.0))
    cone = float(np.maximum(across[free] - mu * np.maximum(up[free], 0.0), 0.0).max(initial=0.0))
    return Consistency(frames=len(f), pull=pull, cone=cone, friction=float(mu), **worst)
