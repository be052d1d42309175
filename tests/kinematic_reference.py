"""The kinematic comparator in NumPy, eq. (4) of Yamane & Nakamura 2002, dense: what the compiled step is checked by."""

from __future__ import annotations

import numpy as np

import bunraku as bk
from bunraku.choreography.kinematic import standing_links
from bunraku.model.configuration import difference, integrate
from bunraku.model.limits import clamp_balls
from bunraku.model.model import FrameInfo
from bunraku.motion.requests import shortened

BASE, HELD, FOLLOWED = 1e4, 1e4, 1e3  # weights


def turn_vector(R, goal):
    """Rotation vector, world axes, that turns R into goal; twice the sine of half the angle."""
    E = goal @ R.T
    half = max(0.25 * (1.0 + float(np.trace(E))), 1e-6) ** 0.5
    return np.array([E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]]) * 0.5 / half


def reference_steps(c, q, v, n):
    """(q, v) after n steps from a state, with the pins, drags and desired values of a choreography c."""
    m, g, dt = c.model, c.gains, c.world.dt
    start = np.array(c.score.start)
    first = bk.kinematics(m, start)
    dragged = {m.frame(p.link).body for p in c.drags}
    held = [(f, *first.pose(f)) for f in standing_links(m, start) if f.body not in dragged]
    free = 6 if m.joints[0].kind == "free" else 0
    weight = np.full(m.nv, g.pose_weight)
    weight[:free] = BASE
    for _ in range(n):
        k = bk.kinematics(m, q, v)
        rows, right = [], []

        def follow(f, target, R, drag, weigh, axes=None, keep=None):
            rate, gain = (g.drag_rate, g.drag_gain) if drag else (g.pin_rate, g.pin_gain)
            speed, pull = (g.drag_speed, g.drag_pull) if drag else (g.pin_speed, g.pin_pull)
            (p, now), r = k.pose(f), k.velocity(f)  # noqa: B023 - called at once
            axes, keep = (np.eye(3) if axes is None else axes), np.ones((2, 3), bool) if keep is None else keep
            only = [axes @ np.diag(h.astype(float)) @ axes.T for h in keep]
            wish = shortened(gain * (only[0] @ (shortened(rate * only[0] @ (target - p), speed) - r[:3])), pull)
            ways, wanted = [axes.T[keep[0]] @ np.eye(3, 6)], [axes.T[keep[0]] @ wish]
            if R is not None:
                e = only[1] @ turn_vector(now, R)
                turn = shortened(gain * (only[1] @ (shortened(rate * e, 3 * speed) - r[3:])), 3 * pull)
                ways.append(axes.T[keep[1]] @ np.eye(3, 6, 3))
                wanted.append(axes.T[keep[1]] @ turn)
            A = np.vstack(ways)
            rows.append(weigh**0.5 * A @ bk.frame_jacobian(m, q, f))  # noqa: B023
            right.append(weigh**0.5 * (np.concatenate(wanted) - A @ k.bias_acceleration(f)))  # noqa: B023

        for f, p, R in held:
            follow(f, p, R, False, HELD)
        for item in (*c.pins, *c.drags):
            info = m.frame(item.link)
            at = FrameInfo(info.name, info.body, info.position + info.rotation @ item.point, info.rotation, False)
            follow(at, item.target, item.rotation, item.kind == "drag", FOLLOWED, item.along, item.held)
        wanted = -g.pose_damping * v
        wanted[free:] += g.pose_stiffness * difference(m, q, c.dancers[0]._goal)[free:]
        J = np.vstack(rows)
        v = v + dt * np.linalg.solve(np.diag(weight) + J.T @ J, weight * wanted + J.T @ np.concatenate(right))
        after = clamp_balls(m, integrate(m, q, v, dt))
        for j in m.joints:
            if j.nv == 1:
                after[j.iq] = np.clip(after[j.iq], j.lower[0], j.upper[0])
        q, v = after, difference(m, q, after) / dt
    return q, v
