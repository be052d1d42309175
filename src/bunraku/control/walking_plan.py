"""WalkingPlan: what a stabiliser follows, as arrays at its own period: centre of mass, zero-moment point, feet, upper body, loads, phases.

Made from a walking pattern's coordinates (rows of q and v of the rigid figure), which say everything: feet and trunk by kinematics, the centre
of mass by centroidal. The zero-moment point is the pattern's; where the pendulum of the pattern's own centre of mass wants another one,
    z = c - c'' / w^2,     w^2 = g / (height of the centre of mass above z)
is taken, so that reference and feedback speak of one pendulum. Capture point: x = c + c' / w. World axes, SI units. Phases are found from the
contacts: a *swing* of a foot lasts from lift to landing; in between both feet carry, and the load goes from one to the other.
Checked in tests/control/test_stabiliser.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from bunraku.dynamics.functions import centroidal, kinematics
from bunraku.errors import InputError
from bunraku.model.model import Model

LEFT, RIGHT = 0, 1
# columns of `WalkingPlan.rows`
COM, COM_RATE, ZMP, FOOT, FOOT_RATE, FOOT_ACC, SPIN, TURN, LOAD = 0, 3, 6, 9, 15, 21, 27, 33, 39
ROW = 41  # FOOT …: 2 x 3; SPIN: angular velocities of both feet; TURN: of pelvis and trunk; LOAD: 2


class FootLike(Protocol):
    """A foot: the body that carries its sole, the sole's frame in it, half its length and width."""

    @property
    def link(self) -> str: ...
    @property
    def body(self) -> int: ...
    @property
    def position(self) -> np.ndarray: ...
    @property
    def rotation(self) -> np.ndarray: ...
    @property
    def half(self) -> np.ndarray: ...


@dataclass(frozen=True, eq=False)
class WalkingPlan:
    """See the module text. Rows are `dt` apart; `swings`: (side, lift, landing) as row numbers, in order."""

    model: Model
    dt: float
    rows: np.ndarray  # (n, ROW)
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
        rows = self.rows.copy()
        for k in range(0, LOAD, 3):
            rows[:, k : k + 3] = rows[:, k : k + 3] @ turn.T
        for k in (COM, ZMP, FOOT, FOOT + 3):
            rows[:, k : k + 3] += shift
        feet, bodies = turn @ self.foot_rotation, turn @ self.body_rotation
        return WalkingPlan(self.model, self.dt, rows, feet, bodies, self.q, self.v, self.contact, self.swings)


def plan_of(
    model: Model,
    feet: tuple[FootLike, FootLike],
    trunk: str,
    dt: float,
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
    rows = np.zeros((n, ROW))
    rows[:, COM : COM + 3], rows[:, COM_RATE : COM_RATE + 3] = c.com, c.com_velocity
    rows[:, LOAD : LOAD + 2] = load
    for side, foot in enumerate(feet):
        arm = k.rotation[:, foot.body] @ foot.position
        spin = k.twist[:, foot.body, 3:]
        a, b, d, e = (x + 3 * side for x in (FOOT, FOOT_RATE, FOOT_ACC, SPIN))
        rows[:, a : a + 3] = k.position[:, foot.body] + arm
        rows[:, b : b + 3] = k.twist[:, foot.body, :3] + np.cross(spin, arm)
        rows[:, d : d + 3] = smooth_rate(rows[:, b : b + 3], dt)
        rows[:, e : e + 3] = spin
    base, top = model.joints[0].body, model.body(trunk)
    rows[:, TURN : TURN + 3], rows[:, TURN + 3 : TURN + 6] = k.twist[:, base, 3:], k.twist[:, top, 3:]
    g = float(np.linalg.norm(model.gravity))
    height = np.maximum(c.com[:, 2:] - zmp[:, 2:], 0.1)
    acceleration = smooth_rate(rows[:, COM_RATE : COM_RATE + 3], dt)
    rows[:, ZMP : ZMP + 3] = c.com - acceleration * height / (g + acceleration[:, 2:])
    rows[:, ZMP + 2] = zmp[:, 2]
    R = k.rotation[:, [feet[0].body, feet[1].body, base, top]]
    touching = np.asarray(contact, dtype=bool)
    return WalkingPlan(
        model,
        dt,
        rows,
        np.ascontiguousarray(R[:, :2]),
        np.ascontiguousarray(R[:, 2:]),
        q,
        v,
        touching,
        swings_of(touching),
    )


def standing_plan(model: Model, feet: tuple[FootLike, FootLike], trunk: str, dt: float, q: np.ndarray) -> WalkingPlan:
    """Both feet on the ground for ever."""
    rows, n = np.tile(q, (2, 1)), 2
    zmp = np.tile(centroidal(model, q).com, (n, 1))
    k = kinematics(model, q)
    zmp[:, 2] = min((k.position[f.body] + k.rotation[f.body] @ f.position)[2] for f in feet)
    both = np.ones((n, 2), dtype=bool)
    return plan_of(model, feet, trunk, dt, rows, np.zeros((n, model.nv)), both, np.full((n, 2), 0.5), zmp)


def smooth_rate(x: np.ndarray, dt: float) -> np.ndarray:
    """Rate of change of rows, centred."""
    return np.gradient(x, dt, axis=0)


def swings_of(contact: np.ndarray) -> tuple[tuple[int, int, int], ...]:
    """(side, first row in the air, first row on the ground again) of every swing, in the order of lifting."""
    found = []
    for side in (LEFT, RIGHT):
        edge = np.diff(contact[:, side].astype(int))
        for lift in np.flatnonzero(edge < 0) + 1:
            down = np.flatnonzero(edge[lift:] > 0)
            found.append((side, int(lift), int(lift + down[0] + 1) if len(down) else len(contact)))
    return tuple(sorted(found, key=lambda s: s[1]))
