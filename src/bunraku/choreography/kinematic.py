"""The kinematic comparator, eq. (4) of Yamane & Nakamura 2002: pins and drags followed without dynamics.

    J v' = r'' - J_dot v       J has the columns of the base, too: it moves as the kinematics want
Least squares with the weights of the dynamic one: pins and drags before desired joint values; links that stand on the
floor at the start are held in their pose, unless they are dragged; a base that moves costs BASE times what a joint
costs, as a root that is not dragged would rather stay. No forces, no balance: q and v are moved by semi-implicit Euler.
In NumPy a step takes 0.3 ms. Checked in tests/choreography/test_figure2.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bunraku.dynamics.functions import frame_jacobian, kinematics
from bunraku.humanoid.opening_pose import bottom
from bunraku.model.configuration import difference, integrate
from bunraku.model.limits import clamp_balls
from bunraku.model.model import FrameInfo, Model
from bunraku.motion.requests import shortened

if TYPE_CHECKING:
    from bunraku.choreography.engine import Choreography

BASE = 1e4  # weight of the base's accelerations against a joint's
HELD = 1e4  # weight of links on the floor
TOUCH = 1e-3  # m


def standing_links(model: Model, q: np.ndarray) -> list[FrameInfo]:
    """Links that touch z = 0 in a pose."""
    k = kinematics(model, q)
    bodies = {
        s.body for s in model.shapes if s.role != "visual" and bottom(s, k.rotation[s.body], k.position[s.body]) < TOUCH
    }
    return [next(f for f in model.links if f.body == b) for b in sorted(bodies)]


def turn_vector(R: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """Rotation vector, world axes, that turns R into goal; twice the sine of half the angle."""
    E = goal @ R.T
    half = max(0.25 * (1.0 + float(np.trace(E))), 1e-6) ** 0.5
    return np.array([E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]]) * 0.5 / half


def kinematic_steps(c: Choreography, n: int) -> None:
    """n steps."""
    m, g, dt, fig = c.model, c.gains, c.world.dt, c.figure
    start = np.array(c.score.start)
    first = kinematics(m, start)
    dragged = {m.frame(p.link).body for p in c.drags}
    held = [(f, *first.pose(f)) for f in standing_links(m, start) if f.body not in dragged]
    free = m.joints[0].kind == "free" if m.joints else False
    weight = np.ones(m.nv) * g.pose_weight
    weight[: 6 if free else 0] = BASE
    for _ in range(n):
        q, v = fig.q.copy(), fig.v.copy()
        k = kinematics(m, q, v)
        A, b = [], []

        def follow(f: FrameInfo, target: np.ndarray, R: np.ndarray | None, w: float, drag: bool) -> None:
            rate, gain = (g.drag_rate, g.drag_gain) if drag else (g.pin_rate, g.pin_gain)
            speed, pull = (g.drag_speed, g.drag_pull) if drag else (g.pin_speed, g.pin_pull)
            p, now = k.pose(f)  # noqa: B023 - called at once
            r = k.velocity(f)  # noqa: B023
            wanted = [shortened(gain * (shortened(rate * (target - p), speed) - r[:3]), pull)]
            if R is not None:
                wanted.append(shortened(gain * (shortened(rate * turn_vector(now, R), 3 * speed) - r[3:]), 3 * pull))
            rows = 3 * len(wanted)
            A.append(np.sqrt(w) * frame_jacobian(m, q, f)[:rows])  # noqa: B023
            b.append(np.sqrt(w) * (np.concatenate(wanted) - k.bias_acceleration(f)[:rows]))  # noqa: B023

        for f, p, R in held:
            follow(f, p, R, HELD, False)
        for item in c._items:
            info = m.frame(item.link)
            at = FrameInfo(info.name, info.body, info.position + info.rotation @ item.point, info.rotation, False)
            follow(at, item.target, item.rotation, 1e3, item.kind == "drag")
        wanted = np.zeros(m.nv)
        joints = slice(6 if free else 0, m.nv)
        wanted[joints] = (g.pose_stiffness * difference(m, q, c._goal) - g.pose_damping * v)[joints]
        wanted[: joints.start] = -g.pose_damping * v[: joints.start]
        H, rhs = np.diag(weight), weight * wanted
        if A:
            J = np.vstack(A)
            H, rhs = H + J.T @ J, rhs + J.T @ np.concatenate(b)
        v = v + dt * np.linalg.solve(H, rhs)
        after = clamp_balls(m, integrate(m, q, v, dt))
        for j in m.joints:
            if j.nv == 1:
                after[j.iq] = np.clip(after[j.iq], j.lower[0], j.upper[0])
        fig.v[:] = difference(m, q, after) / dt
        fig.q[:] = after
        c.world.time += dt
