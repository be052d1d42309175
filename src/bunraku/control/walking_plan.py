"""What a stabiliser follows, a WalkingPlan: centre of mass, zero-moment point, feet, upper body, loads, phases.

Made from a walking pattern's coordinates (rows of q and v of the rigid figure), which say everything: feet and trunk by
kinematics, the centre of mass by centroidal. The zero-moment point is the pattern's; where the pendulum of the
pattern's own centre of mass wants another one,
    z = c - c'' / w^2,     w^2 = g / (height of the centre of mass above z)
is taken, so that reference and feedback speak of one pendulum. Capture point: x = c + c' / w. World axes, SI units.
Phases are found from the contacts: a *swing* of a foot lasts from lift to landing; in between both feet carry, and the
load goes from one to the other. Checked in tests/control/test_stabiliser.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bunraku.dynamics.functions import centroidal, kinematics
from bunraku.errors import InputError
from bunraku.humanoid.foot import Foot
from bunraku.kernel.record import Many, Record, reals, vec3, vec3s, whole, zeros
from bunraku.model.model import Model

LEFT, RIGHT = 0, 1


class PlanRow(Record):
    """A moment of a plan; feet in the order left, right."""

    com = vec3()
    com_rate = vec3()
    zmp = vec3()
    foot = vec3s(2)  # soles
    foot_rate = vec3s(2)
    foot_acc = vec3s(2)
    spin = vec3s(2)  # angular velocities of the feet
    spin_rate = vec3s(2)  # angular accelerations of the feet
    turn = vec3s(2)  # angular velocities of pelvis and trunk
    load = reals(2)  # share of each foot


class Swing(Record):
    """A foot in the air, from row `lift` to row `landing`."""

    side = whole()
    lift = whole()
    landing = whole()


@dataclass(frozen=True, eq=False, kw_only=True)
class WalkingPlan:
    """See the module text. Rows are `dt` apart; `swings`: (side, lift, landing) as row numbers, in order."""

    model: Model
    dt: float
    rows: Many[PlanRow]
    foot_rotation: np.ndarray  # (n, 2, 3, 3) of the feet's bodies
    body_rotation: np.ndarray  # (n, 2, 3, 3) of pelvis and trunk
    q: np.ndarray
    v: np.ndarray
    contact: np.ndarray  # (n, 2) bool
    swings: tuple[tuple[int, int, int], ...]

    def __len__(self) -> int:
        return len(self.rows)

    def moved(self, turn: np.ndarray, shift: np.ndarray) -> WalkingPlan:
        """The same plan somewhere else: turned about the vertical by the matrix `turn`, then shifted."""
        rows = Many(PlanRow, self.rows.rows.copy())
        for name in ("com", "com_rate", "zmp", "foot", "foot_rate", "foot_acc", "spin", "spin_rate", "turn"):
            column = rows.column(name).reshape(len(rows), -1, 3)
            for k in range(column.shape[1]):
                column[:, k] = column[:, k] @ turn.T
        for name in ("com", "zmp", "foot"):
            rows.column(name)[:] += shift
        feet, bodies = turn @ self.foot_rotation, turn @ self.body_rotation
        return replace(self, rows=rows, foot_rotation=feet, body_rotation=bodies)


def plan_of(
    model: Model,
    feet: tuple[Foot, Foot],
    trunk: str,
    dt: float,
    *,
    q: np.ndarray,
    v: np.ndarray,
    contact: np.ndarray,
    load: np.ndarray,
    zmp: np.ndarray,
) -> WalkingPlan:
    """A plan from rows of coordinates, `dt` apart."""
    n = len(q)
    if n < 2 or q.shape != (n, model.nq) or v.shape != (n, model.nv) or contact.shape != (n, 2):
        raise InputError(f"stabiliser: a plan needs two rows or more of {model.nq} coordinates and {model.nv} rates.")
    k, c = kinematics(model, q, v), centroidal(model, q, v)
    rows: Many[PlanRow] = Many(PlanRow, zeros(PlanRow, n))
    rows.column("com")[:], rows.column("com_rate")[:], rows.column("load")[:] = c.com, c.com_velocity, load
    for side, foot in enumerate(feet):
        arm = k.rotation[:, foot.body] @ foot.position
        spin = k.twist[:, foot.body, 3:]
        rate = k.twist[:, foot.body, :3] + np.cross(spin, arm)
        rows.column("foot")[:, side] = k.position[:, foot.body] + arm
        rows.column("foot_rate")[:, side] = rate
        rows.column("foot_acc")[:, side] = np.gradient(rate, dt, axis=0)
        rows.column("spin")[:, side] = spin
        rows.column("spin_rate")[:, side] = np.gradient(spin, dt, axis=0)
    base, top = model.joints[0].body, model.body(trunk)
    rows.column("turn")[:] = k.twist[:, [base, top], 3:]
    g = float(np.linalg.norm(model.gravity))
    height = np.maximum(c.com[:, 2:] - zmp[:, 2:], 0.1)
    acceleration = np.gradient(c.com_velocity, dt, axis=0)
    rows.column("zmp")[:] = c.com - acceleration * height / (g + acceleration[:, 2:])
    rows.column("zmp")[:, 2] = zmp[:, 2]
    R = k.rotation[:, [feet[0].body, feet[1].body, base, top]]
    touching = np.asarray(contact, dtype=bool)
    return WalkingPlan(
        model=model,
        dt=dt,
        rows=rows,
        foot_rotation=np.ascontiguousarray(R[:, :2]),
        body_rotation=np.ascontiguousarray(R[:, 2:]),
        q=q,
        v=v,
        contact=touching,
        swings=swings_of(touching),
    )


def swings_of(contact: np.ndarray) -> tuple[tuple[int, int, int], ...]:
    """(side, first row in the air, first row on the ground again) of every swing, in the order of lifting."""
    found = []
    for side in (LEFT, RIGHT):
        edge = np.diff(contact[:, side].astype(int))
        for lift in np.flatnonzero(edge < 0) + 1:
            down = np.flatnonzero(edge[lift:] > 0)
            found.append((side, int(lift), int(lift + down[0] + 1) if len(down) else len(contact)))
    return tuple(sorted(found, key=lambda s: s[1]))
