"""A solved walk as a motion of a figure that other parts of Bunraku take: recordings, BVH, pages, films, worlds.

`walker_model` is the 12-body figure once more, this time with its pelvis free and both legs hanging from it, as
animation programs and the rest of Bunraku have figures (`twelve_body_model` begins at the carrying foot, as the report
does). Ankles and hips are balls, knees and waist hinges about y. Over many steps left and right alternate as in `steps`:
in an odd step the sides are exchanged and y is turned about, so a body's rotation R becomes S R S, S = diag(1, -1, 1).

`walker_solved` adds what makes it move: the ground reaction at the ZMP under the carrying foot, with a couple for the
moment about z, and by rnea the torques of all joints; the free base then needs no force (mode exact: to rounding).
Treads are among the fixed shapes where the gait climbs. Frame as in `steps`: on the floor, the first carrying foot on
y = 0. Units SI. Checked in
tests/gait1988/test_walker_motion.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bunraku.dynamics.functions import kinematics, rnea
from bunraku.gait1988.checks import progress, sole_of
from bunraku.gait1988.rigid_model import ArmSprings, bodies_at, chain
from bunraku.gait1988.solved_walk import Walk
from bunraku.gait1988.steps import OTHER_SIDE, check_steps
from bunraku.gait1988.twelve_bodies import PP, SOLE_HEEL, SOLE_TOE, D, F, G, H, O
from bunraku.gait1988.twelve_body_model import ARM_HINGES, LEFT, MIDDLE, RIGHT, between, shapes_of
from bunraku.model.description import Description, Joint, Shape, ball, free, hinge
from bunraku.model.model import Model
from bunraku.model.rotations import quaternion
from bunraku.motion.solved import GROUND, Solved, Touch, assemble
from bunraku.recording.motion import Motion

PELVIS, TRUNK = 2, 3
LEGS = (("left", 1.0, 1, 0, 11), ("right", -1.0, 8, 9, 10))  # side, sign of y, bodies thigh, shank, foot
ARMS = ((4, 5, "right"), (6, 7, "left"))
FLIP = np.array([1.0, -1.0, 1.0])
Y = (0.0, 1.0, 0.0)
Place = tuple[float, ...]
ARM = 0.1  # m: between the two forces that stand for the friction that bears the moment about z


def walker_description(arms_free: bool = False, sole: tuple[float, float] = (SOLE_HEEL, SOLE_TOE)) -> Description:
    """The figure with its pelvis free; the pelvis' frame is its mass centre, the waist. sole: heel and toe, m."""
    figure = chain(arms_free)
    out = Description("walker_1988")

    def add(
        body: int, name: str, parent: str | None, joint: Joint | None, at: Place, com: Place, shapes: list[Shape]
    ) -> None:
        mass, moments = float(figure.mass[body]), tuple(figure.inertia[body])
        tint = LEFT if name.startswith("left") else RIGHT if name.startswith("right") else MIDDLE
        shapes = [replace(s, color=s.color or (*tint, 1.0)) for s in shapes]
        out.add(name, parent, joint, at=at, mass=mass, com=com, moments=moments, shapes=shapes)

    add(PELVIS, "pelvis", None, free("root"), (0, 0, 0), (0, 0, 0), [between((0, -D, -PP), (0, D, -PP), 0.075)])
    for side, sign, thigh, shank, foot in LEGS:
        at_hip = (0.0, sign * D, -PP)
        add(thigh, f"{side}_thigh", "pelvis", ball(f"{side}_hip"), at_hip, (0, 0, -O), shapes_of(8, arms_free))
        knee = hinge(f"{side}_knee", Y)
        add(shank, f"{side}_shank", f"{side}_thigh", knee, (0, 0, -2 * O), (0, 0, -F), shapes_of(9, arms_free))
        ankle = ball(f"{side}_ankle")
        box, *rest = shapes_of(10, arms_free, sole)
        sole_box = [box, *(replace(s, role="visual") for s in rest)]
        add(foot, f"{side}_foot", f"{side}_shank", ankle, (0, 0, -2 * F), (0, 0, -H), sole_box)
    add(
        TRUNK, "trunk", "pelvis", hinge("waist", Y), (0, 0, 0), tuple(figure.centre[TRUNK]), shapes_of(TRUNK, arms_free)
    )
    for upper, fore, side in ARMS:
        for body, parent, part in ((upper, "trunk", "upper_arm"), (fore, f"{side}_upper_arm", "forearm")):
            joint = hinge(ARM_HINGES[body], Y) if arms_free else None
            at, com = tuple(figure.joint[body]), tuple(figure.centre[body])
            add(body, f"{side}_{part}", parent, joint, at, com, shapes_of(body, arms_free))
    return out


def walker_model(walk: Walk) -> Model:
    """The figure of a walk, under the report's gravity, 9.81 m/s2."""
    return walker_description(walk.arms_free, sole_of(walk.gait)).build().with_gravity((0.0, 0.0, -G))


@dataclass(frozen=True, eq=False)
class Walked:
    """Several steps of the model: times (n,) s, q, v, a (n, …); zmp (n, 3) m on the floor, force (n, 3) N, whether the
    left foot carries (n,), and the number of the step (n,)."""

    model: Model
    times: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    zmp: np.ndarray
    force: np.ndarray
    left: np.ndarray
    step: np.ndarray


def walked(walk: Walk, steps: int) -> Walked:
    """Continue a solved step to several, as states of the model; the first row of each later step, equal to the last of
    the one before, is left out."""
    check_steps(steps)
    model, rows = walker_model(walk), len(walk.time)
    one = [step_states(walk, model, odd=odd) for odd in (False, True)]
    forward, rise = progress(walk), walk.gait.rise
    parts, times, number = [], [], []
    for k in range(steps):
        first = 0 if k == 0 else 1
        q, v, a, zmp, force = (x[first:].copy() for x in one[k % 2])
        q[:, :3] += [k * forward, 0.0, k * rise]
        zmp += [k * forward, 0.0, k * rise]
        parts.append((q, v, a, zmp, force))
        times.append(walk.time[first:] + k * walk.gait.step_time)
        number.append(np.full(rows - first, k))
    step = np.concatenate(number)
    q, v, a, zmp, force = (np.concatenate(x) for x in zip(*parts))
    return Walked(model, np.concatenate(times), q, v, a, zmp, force, step % 2 == 0, step)


def step_states(walk: Walk, model: Model, *, odd: bool) -> tuple[np.ndarray, ...]:
    """q, v, a of the model, the ZMP and the force of every row of the solved step; odd: with the sides exchanged."""
    n, springs = len(walk.time), walk.springs or ArmSprings()
    figure = chain(walk.arms_free, springs)
    q, v, a = np.tile(model.neutral(), (n, 1)), np.zeros((n, model.nv)), np.zeros((n, model.nv))
    order = OTHER_SIDE if odd else np.arange(12)
    flip, lane = (FLIP, np.array([0.0, -2.0 * D, 0.0])) if odd else (np.ones(3), np.zeros(3))
    spin = -flip if odd else flip  # of an angular velocity, which is no arrow: -S w
    root = model.joint("root")
    for k in range(n):
        b = bodies_at(figure, walk.coordinates[k], walk.zmp[k])
        turn = flip[:, None] * b.column("turn").reshape(12, 3, 3)[order] * flip
        w, dw = spin * b.column("w")[order], spin * b.column("dw")[order]
        ahead = np.array([walk.zmp[k], 0.0, 0.0])
        q[k, root.iq : root.iq + 3] = flip * b[PELVIS].centre + lane + ahead
        v[k, root.iv : root.iv + 3] = flip * b[PELVIS].velocity
        a[k, root.iv : root.iv + 3] = flip * b[PELVIS].acceleration
        for side, _, thigh, shank, foot in LEGS:
            for body, parent, name in ((thigh, PELVIS, "hip"), (foot, shank, "ankle")):
                joint = model.joint(f"{side}_{name}")
                R = turn[body]
                q[k, joint.q] = quaternion(turn[parent].T @ R)
                v[k, joint.v] = R.T @ (w[body] - w[parent])
                a[k, joint.v] = R.T @ (dw[body] - dw[parent] + np.cross(w[body], w[parent]))
            put_hinge(model, f"{side}_knee", turn, w, dw, (shank, thigh), (q[k], v[k], a[k]))
        put_hinge(model, "waist", turn, w, dw, (TRUNK, PELVIS), (q[k], v[k], a[k]))
        for upper, fore, _ in ARMS if walk.arms_free else ():
            for pair in ((upper, TRUNK), (fore, upper)):
                put_hinge(model, ARM_HINGES[pair[0]], turn, w, dw, pair, (q[k], v[k], a[k]))
    zmp = np.zeros((n, 3)) + lane
    zmp[:, 0] += walk.zmp
    return q, v, a, zmp, walk.force * flip


def put_hinge(
    model: Model,
    name: str,
    turn: np.ndarray,
    w: np.ndarray,
    dw: np.ndarray,
    pair: tuple[int, int],
    out: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """Angle, rate and acceleration of a hinge about y between body and parent, into rows q, v, a."""
    (body, parent), joint = pair, model.joint(name)
    R, axis = turn[parent].T @ turn[body], turn[parent][:, 1]
    out[0][joint.iq] = np.arctan2(R[0, 2], R[0, 0])
    out[1][joint.iv] = axis @ (w[body] - w[parent])
    out[2][joint.iv] = axis @ (dw[body] - dw[parent])


def walker_motion(walk: Walk, steps: int = 4) -> Motion:
    """Several steps as a motion."""
    w = walked(walk, steps)
    return Motion(w.model, w.times, w.q, {"source": f"gait {walk.gait.name}, {walk.mode}"})


def treads(walk: Walk, steps: int) -> tuple[Shape, ...]:
    """Boxes under the feet of a gait that climbs, from the foot behind the first step to the last one that lands."""
    rise, step = walk.gait.rise, progress(walk)
    if rise == 0.0:
        return ()
    middle, bottom = 0.5 * sum(sole_of(walk.gait)), min(0.0, rise * steps, -rise) - 0.2
    return tuple(
        Shape(
            "box",
            (0.5 * step, 0.42, 0.5 * (k * rise - bottom)),
            (k * step + middle, -D, 0.5 * (k * rise + bottom)),
            name=f"tread {k + 1}",
        )
        for k in range(-1, steps + 1)
    )


def walker_solved(walk: Walk, steps: int = 4) -> Solved:
    """Several steps with torques and the ground reaction, as a recording has them."""
    w, fixed = walked(walk, steps), treads(walk, steps)
    floor = Shape("plane", position=(0.0, 0.0, fixed[0].position[2] - fixed[0].size[2])) if fixed else GROUND
    kin = kinematics(w.model, w.q)
    torques, touches = np.zeros_like(w.v), []
    for k in range(len(w.q)):
        foot = "left_foot" if w.left[k] else "right_foot"
        push = np.zeros((w.model.nb, 6))
        body = w.model.body(foot)
        push[body] = [*w.force[k], *np.cross(w.zmp[k] - kin.position[k, body], w.force[k])]
        twist = rnea(w.model, w.q[k], w.v[k], w.a[k], push)[5]  # about z, which friction under the sole must bear
        push[body, 5] += twist
        torques[k] = rnea(w.model, w.q[k], w.v[k], w.a[k], push)
        torques[k, :6] = 0.0  # mode exact: nothing is left; mode historical: the errors of its program
        couple = np.array([[0.0, 0.0, 0.0], [0.0, -twist / ARM, 0.0], [0.0, twist / ARM, 0.0]])
        points = w.zmp[k] + np.array([[0.0, 0.0, 0.0], [-0.5 * ARM, 0.0, 0.0], [0.5 * ARM, 0.0, 0.0]])
        couple[0] = w.force[k]
        touches.append([Touch(foot, points, couple, 0 if not fixed else int(w.step[k]) + 2)])
    dt = float(w.times[1] - w.times[0])
    meta = {"gait": walk.gait.name, "mode": walk.mode, "steps": steps, "view": "oblique"}
    return assemble(w.model, dt, w.q, w.v, torques, touches, fixed=(floor, *fixed), meta=meta)
