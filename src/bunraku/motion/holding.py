"""Contacts that hold now: where they were made, their rows in (11), the points and forces they become, what they must not do.

A contact holds a frame A of one link against the world, or against another link B ("on"), along axes of a frame C that is
fixed to what holds it, turned as the world's axes when it begins (or by `rotation`) and always at A's origin. Its rows
are C' (twist of A - twist of B there), so that the force on B is the opposite of that on A. They ask for
    Hc (v + dt a) = -w error ,
bounded: positions do not drift, nothing slips in the sense of World's step. Checked in tests/motion/test_generate.py and
tests/motion/test_several_trees.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bunraku.humanoid.foot import Foot, box_foot
from bunraku.humanoid.touching import corner_forces, point_forces
from bunraku.model.rotations import rotation_vector, skew
from bunraku.motion.equation import State
from bunraku.motion.requests import Contact
from bunraku.motion.solved import Hold, Touch
from bunraku.motion.trees import Trees

MOVING = 0.02  # m/s or rad/s: a contact that begins faster is an impact


@dataclass(eq=False)
class Held:
    """A contact that holds: pose of its frame and axes of C, both as seen from B (of the world: world axes), and what
    touches there. `frame`, `on`: names of frames of the model; `hold`: the same for World."""

    contact: Contact
    frame: str
    on: str | None
    position: np.ndarray
    rotation: np.ndarray
    axes: np.ndarray
    foot: Foot | None
    hold: Hold

    def now(self, state: State) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(J, error, C, place): relative Jacobian (6, nv) and error (6,) in the axes C, origin of A."""
        p, R = state.kin.pose(self.frame)
        J, position, rotation, C = state.jacobian(self.frame), self.position, self.rotation, self.axes
        if self.on is not None:
            p_B, R_B = state.kin.pose(self.on)
            J_B, arm = state.jacobian(self.on), p - p_B
            # the point of B that is at A's origin: v + omega x arm
            J_B[:3] -= skew(arm) @ J_B[3:]
            J = J - J_B
            position, rotation, C = p_B + R_B @ position, R_B @ rotation, R_B @ C
        error = np.concatenate([p - position, rotation_vector(R @ rotation.T)])
        if self.on is not None:
            J, error = np.vstack([C.T @ J[:3], C.T @ J[3:]]), np.concatenate([C.T @ error[:3], C.T @ error[3:]])
        return J, error, C, p


def rows_of(
    state: State, held: Sequence[Held], dt: float, stiffness: float, bound: float
) -> tuple[np.ndarray, np.ndarray]:
    """(Hc, -Hc_dot v + c) of the contacts that hold, bounded."""
    rows, wanted = [np.zeros((0, state.model.nv))], [np.zeros(0)]
    for h in held:
        J, error, _, _ = h.now(state)
        rows.append(J[h.contact.numbers])
        wanted.append(np.clip(-(J @ state.v + stiffness * error) / dt, -bound, bound)[h.contact.numbers])
    return np.vstack(rows), np.concatenate(wanted)


def hold_now(
    trees: Trees, state: State, contacts: Sequence[Contact], held: dict[int, Held], t: float, dt: float
) -> bool:
    """Begin and end contacts; whether one began with a velocity."""
    impact = False
    for k, c in enumerate(contacts):
        active = c.begin <= t + 1e-9 * dt and t < c.end - 1e-9 * dt
        if active and k not in held:
            held[k] = take_hold(trees, state, c)
            impact |= bool(np.abs((held[k].now(state)[0] @ state.v)[c.numbers]).max(initial=0.0) > MOVING)
        elif not active:
            held.pop(k, None)
    return impact


def take_hold(trees: Trees, state: State, c: Contact) -> Held:
    """A contact as it begins at this state."""
    frame = trees.frame(c.frame, "contact")
    on = None if c.on is None else trees.frame(c.on, f"contact of {c.frame!r}")
    p, R = state.kin.pose(frame)
    place = p if c.at is None else np.asarray(c.at, dtype=float)
    link = trees.link_of(frame)
    foot = box_foot(trees.model, link) if len(c.numbers) == 6 and not c.grip else None
    times = c.words, c.begin, c.end, c.grip, c.break_force, c.break_torque
    if on is None:
        hold = Hold(link, None, place, np.eye(3), *times)
        return Held(c, frame, None, place, R if c.rotation is None else c.rotation, np.eye(3), foot, hold)
    C = np.eye(3) if c.rotation is None else c.rotation
    p_B, R_B = state.kin.pose(on)
    hold = Hold(link, trees.link_of(on), place, C, *times)
    return Held(c, frame, on, R_B.T @ (place - p_B), R_B.T @ R, R_B.T @ C, foot, hold)


def touch(
    trees: Trees, state: State, h: Held, wrench: np.ndarray, friction: float, flags: dict[str, np.ndarray], k: int
) -> Touch:
    """The points that carry a contact's wrench (6,) in its axes C, and the flags they raise."""
    turned, p = h.on is not None, state.kin.pose(h.frame)[0]
    C = state.kin.pose(h.on)[1] @ h.axes if h.on is not None else h.axes
    f, n = (C @ wrench[:3], C @ wrench[3:]) if turned else (wrench[:3], wrench[3:])
    if h.foot is not None:
        kin = state.kin
        R, at = kin.rotation[h.foot.body], kin.position[h.foot.body]
        corners = at + h.foot.corners @ R.T
        middle = corners.mean(axis=0)
        about = np.concatenate([f, n + skew(p - middle) @ f])
        if turned:
            about = np.concatenate([C.T @ about[:3], C.T @ about[3:]])
            points, forces = corners, corner_forces(corners @ C, middle @ C, about) @ C.T
        else:
            points, forces = corners, corner_forces(corners, middle, about)
    else:
        points, forces = point_forces(p, np.concatenate([f, n]))
    c = h.contact
    if not c.grip:
        local = forces @ C if turned else forces
        sum_up = local.sum(axis=0)[2]
        tolerance = 1e-9 * (1.0 + float(np.abs(wrench).max()))
        flags["pull"][k] |= bool(sum_up < -tolerance)
        flags["sole"][k] |= bool(sum_up >= -tolerance and local[:, 2].min() < -tolerance)
        across = np.linalg.norm(local[:, :2], axis=1)
        flags["cone"][k] |= bool(np.any(across > friction * np.maximum(local[:, 2], 0.0) + tolerance))
    flags["breaks"][k] |= bool(np.linalg.norm(f) > c.break_force or np.linalg.norm(n) > c.break_torque)
    normal = tuple(C[:, 2].tolist()) if turned else (0.0, 0.0, 1.0)
    other = "" if h.on is None else trees.link_of(h.on)
    return Touch(trees.link_of(h.frame), points, forces, c.fixed, normal, other)
