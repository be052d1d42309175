"""The whole-body problem of a figure that keeps its balance: wanted force on the centre of mass, feet that stand, a foot that swings, an upright body.

The arrays of control.whole_body are filled in place (no allocation of problems a call): four contacts at the corners of each sole that stands, near to
forces that share the wanted pressure among the feet and within each of them (bilinear weights); tasks for pelvis and trunk (turning) and the
swinging foot (all six); posture for everything else; momentum rows for the wanted force. Joint limits become bounds of accelerations,
    a >= 2 (lower - q - h v) / h^2,     h = LOOK s ahead.
World axes, SI units. Checked in tests/control/test_stabiliser.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.control import whole_body_arrays as at
from bunraku.control.walking_plan import FootLike
from bunraku.control.whole_body import CONTACT_WEIGHT, WholeBody
from bunraku.control.whole_body_kernel import whole_body_once
from bunraku.model.configuration import linear, logarithm, multiply, quaternions
from bunraku.model.model import Model

LOOK = 0.06  # s
SIGNS = np.array([(-1, -1), (-1, 1), (1, -1), (1, 1)], dtype=float)


class BalanceProblem:
    """See the module text."""

    def __init__(self, model: Model, feet: tuple[FootLike, FootLike], trunk: str, friction: float) -> None:
        self.model, self.feet = model, feet
        self.body = WholeBody(model, contacts=8, tasks=4)
        self.w = self.body._room.w
        self.first = self.body._room.first
        self.corners = np.array(
            [f.position + np.column_stack([SIGNS * np.asarray(f.half), np.zeros(4)]) @ f.rotation.T for f in feet]
        )
        self.friction = friction
        self.iq, self.iv = linear(model)
        chosen = self.iv >= self.first
        self.iq, self.iv = self.iq[chosen], self.iv[chosen]
        balls = [(k, l) for k, l in quaternions(model) if l >= self.first]
        self.ball_q = np.array([range(k, k + 4) for k, _ in balls], dtype=int).reshape(-1, 4)
        self.ball_v = np.array([range(l, l + 3) for _, l in balls], dtype=int).reshape(-1, 3)
        self.bounded = np.isfinite(model.lower[self.iv]) | np.isfinite(model.upper[self.iv])
        self.limits = np.maximum(model.lower[self.iv], -1e6), np.minimum(model.upper[self.iv], 1e6)
        self.bodies = model.joints[0].body, model.body(trunk)
        w = self.w
        w[at.W_TASK][:] = 0.0
        w[at.W_CONTACT][:] = 0.0
        w[at.W_CONTACT][:, at.C_MU], w[at.W_CONTACT][:, at.C_RADIUS] = friction, -1.0
        w[at.W_CONTACT][:, at.C_WEIGHT] = CONTACT_WEIGHT
        w[at.W_TURN][:, 3] = -at.FAR
        effort = np.minimum(model.effort[self.first :], at.FAR)
        w[at.W_EFFORT][:, 0], w[at.W_EFFORT][:, 1] = -effort, effort
        w[at.W_SET][[at.TOLERANCE, at.CONE_PENALTY]] = 1e-9, 0.03
        w[at.W_COUNT][[at.ROUNDS, at.PATIENCE]] = 1, 25
        self._side = (-1, -1)

    def posture_error(self, q: np.ndarray, goal: np.ndarray) -> np.ndarray:
        """(nv) the rate that leads from q to goal in a second, the base left out."""
        out = np.zeros(self.model.nv)
        out[self.iv] = goal[self.iq] - q[self.iq]
        if len(self.ball_q):
            back = q[self.ball_q] * (1.0, -1.0, -1.0, -1.0)
            out[self.ball_v] = logarithm(multiply(back, goal[self.ball_q]))
        return out

    def put_posture(self, q: np.ndarray, v: np.ndarray, wanted: np.ndarray, weight: np.ndarray) -> None:
        """Wanted accelerations (nv) of the joints, bounded by the joints' limits."""
        w, f = self.w, self.first
        w[at.W_Q][:], w[at.W_V][:] = q, v
        w[at.W_POSTURE][:, 0], w[at.W_POSTURE][:, 1] = wanted[f:], weight[f:]
        low = (2 / LOOK**2) * (self.limits[0] - q[self.iq] - LOOK * v[self.iv])
        high = (2 / LOOK**2) * (self.limits[1] - q[self.iq] - LOOK * v[self.iv])
        w[at.W_BOUND][self.iv - f, 0] = np.minimum(low, 200.0)
        w[at.W_BOUND][self.iv - f, 1] = np.maximum(high, -200.0)

    def put_contacts(
        self,
        standing: np.ndarray,
        normals: np.ndarray,
        share: np.ndarray,
        pressure: np.ndarray,
        force: float,
        wanted: np.ndarray,
        force_weight: float,
    ) -> None:
        """Corners of the feet that stand; share (2) of the normal `force` [N], pressure (2, 2) of each foot's own centre in its axes; wanted (2, 4, 3)
        accelerations of the corners."""
        w = self.w
        contact, n = w[at.W_CONTACT], 0
        for side in (0, 1):
            if not standing[side]:
                continue
            foot = self.feet[side]
            part = np.clip(pressure[side] / np.asarray(foot.half), -0.95, 0.95)
            weight = 0.25 * (1.0 + SIGNS[:, 0] * part[0]) * (1.0 + SIGNS[:, 1] * part[1])
            block = contact[n : n + 4]
            block[:, at.C_POINT : at.C_POINT + 3] = self.corners[side]
            block[:, at.C_NORMAL : at.C_NORMAL + 3] = normals[side]
            block[:, at.C_WANTED : at.C_WANTED + 3] = wanted[side]
            block[:, at.C_NEAR : at.C_NEAR + 3] = (share[side] * force * weight)[:, None] * normals[side]
            w[at.W_CONTACT_BODY][n : n + 4] = foot.body
            n += 4
        if n != w[at.W_COUNT][at.NC] or tuple(standing) != self._side:
            w[at.W_Y][:] = 0.0
            first = (self.body.joints + 3) // 4 * 4
            w[at.W_Y][first : first + 3 * n : 3] = force / max(n, 1)
            self._side = tuple(standing)
        w[at.W_COUNT][at.NC] = n
        w[at.W_SET][at.FORCE_WEIGHT] = force_weight

    def put_task(self, k: int, body: int, point: np.ndarray, wanted: np.ndarray, weight: np.ndarray) -> None:
        """Task k: wanted (6) acceleration, linear and angular, of a body's point; weights (6)."""
        row = self.w[at.W_TASK][k]
        row[at.POINT : at.POINT + 3], row[at.WANTED : at.WANTED + 6], row[at.WEIGHT : at.WEIGHT + 6] = point, wanted, weight
        self.w[at.W_TASK_BODY][k] = body

    def solve(self, tasks: int, momentum: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Torques (nv) for wanted rates of momentum (6: force, moment about the centre of mass)."""
        w = self.w
        w[at.W_COUNT][at.NT] = tasks
        w[at.W_MOMENTUM][:, 0], w[at.W_MOMENTUM][:, 1] = momentum, weight
        w[at.W_SET][[at.REST_CONE, at.REST_CONTACT]] = 0.0
        whole_body_once.call(self.body._table.handle)
        return w[at.W_TAU]

    def state(self) -> dict[str, list]:
        """The start of the next solve."""
        kept = {str(k): self.w[n].tolist() for k, n in enumerate((at.W_Y, at.W_STATE, at.W_LAM, at.W_CONE))}
        return {**kept, "side": [bool(x) for x in self._side], "contacts": int(self.w[at.W_COUNT][at.NC])}

    def restore(self, state: dict) -> None:
        """Put it back."""
        for k, n in enumerate((at.W_Y, at.W_STATE, at.W_LAM, at.W_CONE)):
            self.w[n][...] = np.array(state[str(k)]).reshape(self.w[n].shape)
        self._side = tuple(state["side"])
        self.w[at.W_COUNT][at.NC] = state["contacts"]
