"""Tables of joints for the step: drives, limits, friction, ball ranges and kept gears, from a Model."""

from __future__ import annotations

import numpy as np

from bunraku.model import layout
from bunraku.model.model import Model
from bunraku.step import step_arrays as at
from bunraku.step.drive import ARMATURE, DAMPING, EFFORT, REST, SPRING
from bunraku.step.joint_rows import GEAR_COLUMNS

DRIVE_COLUMNS = 8


def drive_rows(model: Model) -> np.ndarray:
    """A row a degree of freedom (bunraku.step.drive); servos are off."""
    out = np.zeros((model.nv, DRIVE_COLUMNS))
    out[:, SPRING], out[:, REST], out[:, DAMPING] = model.stiffness, model.rest, model.damping
    out[:, EFFORT] = np.minimum(model.effort, 1e300)
    for i in range(1, model.nb):
        if not model.ints[i, layout.FOLLOWS]:
            d = model.ints[i, layout.IV]
            out[d : d + model.ints[i, layout.DOF], ARMATURE] = model.reals[i, layout.ROTOR]
    return out


def tables(m: Model) -> dict[int, np.ndarray]:
    """Arrays of bunraku.step.joint_rows by their numbers."""
    dof = np.zeros((m.nv, 4), dtype=np.int64)
    of_dof: dict[int, int] = {}  # joint's body of an index into q
    for i in range(1, m.nb):
        if m.ints[i, layout.DOF] == 1 and not m.ints[i, layout.FOLLOWS]:
            d, iq = int(m.ints[i, layout.IV]), int(m.ints[i, layout.IQ])
            dof[d] = (
                m.ints[i, layout.LEAD],
                iq,
                np.isfinite(m.lower[d]) or np.isfinite(m.upper[d]),
                m.friction[d] > 0,
            )
            of_dof[iq] = d
    balls = [j for j in m.joints if j.traits.limits == "cone" and np.any(np.isfinite([j.swing, *j.twist]))]
    kept = [g for g in m.kept_gears if len(g.row) == 2 and all(k in of_dof for k, _ in g.row)]
    gears = np.zeros((len(kept), GEAR_COLUMNS))
    for row, g in zip(gears, kept):
        for side, (iq, coefficient) in enumerate(g.row):
            d = of_dof[iq]
            row[4 * side : 4 * side + 4] = d, iq, coefficient, dof[d, 0]
        row[8] = g.constant
    big = 1e300
    return {
        at.DOF: dof,
        at.LIMITS: np.stack([np.maximum(m.lower, -big), np.minimum(m.upper, big), m.friction], axis=1),
        at.BALLS: np.array([np.clip([j.swing, *j.twist], -big, big) for j in balls]).reshape(-1, 3),
        at.BALL_INTS: np.array([[j.body, j.iq] for j in balls], dtype=np.int64).reshape(-1, 2),
        at.GEARS: gears,
        at.JOINT_IMPULSE: np.zeros(3 * m.nv + 3 * len(balls) + len(gears)),
    }
