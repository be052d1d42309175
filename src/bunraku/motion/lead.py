"""Lead: what a figure follows, at every moment of control: joints, feet, centre of mass, attitudes and floor forces of
a solved motion.

All of it comes from the solved motion's own q, v and forces (bunraku.motion.solved): the centre of mass accelerates as
the floor's forces say, c'' = F / m + g, feet are where kinematics has them, and a corner of a sole carries what it
carried. Accelerations of joints and feet are differences of v. `lead_of` takes whatever holds a motion: one without
forces goes through the dynamics filter first. Checked in tests/motion/test_follow.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bunraku.dynamics.functions import centroidal, kinematics
from bunraku.errors import InputError
from bunraku.humanoid.foot import Foot, feet_of
from bunraku.model.model import Model
from bunraku.motion.contact_times import tidy
from bunraku.motion.filter import Filtered, dynamics_filter
from bunraku.motion.filter_step import Attitude, attitudes
from bunraku.motion.solved import Solved, Touch, assemble
from bunraku.recording.motion import Motion
from bunraku.recording.reader import Recording

Source = Filtered | Solved | Motion | Recording
PRESSED, BRIEF = 1.0, 0.04  # N: a foot that carries; s: shorter pauses of it are none


@dataclass(frozen=True, eq=False)
class Lead:
    """A solved motion as something to follow, in n rows. a (n, nv): of the step that follows; com_rate, com_acc (n, 3);
    feet: place (n, feet, 3), turn (n, feet, 3, 3), twist and its rate (n, feet, 6) of their bodies; stands (n, feet);
    load (n, feet, 4) [N] up at the corners; attitudes of base and trunk; base_twist (n, 6)."""

    solved: Solved
    feet: tuple[Foot, ...]
    attitudes: list[Attitude]
    a: np.ndarray
    com_rate: np.ndarray
    com_acc: np.ndarray
    place: np.ndarray
    turn: np.ndarray
    twist: np.ndarray
    rate: np.ndarray
    stands: np.ndarray
    load: np.ndarray
    base_twist: np.ndarray


def solved_of(source: Source, model: Model | None = None, seconds: float | None = None, **options: Any) -> Solved:
    """The solved motion of a source; InputError where it belongs to another model, or falls within the first `seconds`.
    A Motion, and a Recording without forces or of several figures, go through the dynamics filter; `options` are its.
    """
    if isinstance(source, Filtered):
        begin, lost = float(source.solved.times[0]), source.lost
        if lost is not None and (seconds is None or seconds > lost - begin):
            raise InputError(
                f"follow: the filtered motion falls at {lost:.2f} s and cannot be followed upright; follow fewer seconds "
                f"of it than {lost - begin:.2f}."
            )
        found: Solved | Motion = source.solved
    elif isinstance(source, Recording):
        found = with_forces(source, model) or source.motion()
    else:
        found = source
    check_model(found.model, model)
    if isinstance(found, Solved):
        return found
    return solved_of(dynamics_filter(found, **options), None, seconds)


def check_model(recorded: Model, model: Model | None) -> None:
    """A motion is for the figure it was recorded with; one sentence where it is not."""
    if model is None:
        return
    ours, theirs = [(j.name, j.kind) for j in model.joints], [(j.name, j.kind) for j in recorded.joints]
    if ours == theirs and model.nq == recorded.nq:
        if abs(recorded.mass - model.mass) > 1e-6 * model.mass:
            raise InputError(
                f"follow: the motion is of a {recorded.name!r} of {recorded.mass:.4g} kg, the figure has {model.mass:.4g} kg; "
                "retarget and filter it for this figure."
            )
        return
    lost = [n for n, _ in theirs if n not in {x for x, _ in ours}]
    odd = f", which has no joint {lost[0]!r}" if lost else f" with {len(ours)} joints instead of {len(theirs)}"
    raise InputError(
        f"follow: the motion is one of figure {recorded.name!r}, not of {model.name!r}{odd}; retarget it first (bunraku retarget)."
    )


def with_forces(recording: Recording, model: Model | None) -> Solved | None:
    """A recording of one figure on a flat floor, a frame a step, with torques and contacts, as a Solved; None where it
    is not such a one."""
    check_model(recording.figure().model, model)
    flat = [s.kind == "plane" for s in recording.fixed]
    if len(recording.figures) != 1 or recording.every != 1 or flat != [True]:
        return None
    f, owner = recording.frames, [recording.shape_owner(k) for k in range(len(recording.shapes))]
    if len(f) < 8 or not np.any(f.torques) or len(f.points) == 0:
        return None
    touches: list[list[Touch]] = []
    patches, points, pair = f.patch_start.tolist(), f.point_start.tolist(), f.pair.tolist()
    for k in range(len(f)):
        frame: list[Touch] = []
        for p in range(patches[k], patches[k + 1]):
            (figure, link), (other, _) = owner[pair[p][0]], owner[pair[p][1]]
            if figure == "world" or other != "world":
                continue
            rows = slice(points[p], points[p + 1])
            frame.append(Touch(link, f.points[rows].astype(float), f.forces[rows].astype(float)))
        touches.append(frame)
    friction = float(recording.meta.get("friction", 0.8))
    q, v, tau = (np.asarray(x, dtype=float) for x in (f.q, f.v, f.torques))
    return assemble(
        recording.figures[0].model, recording.dt, q, v, tau, touches, start=float(f.times[0]), friction=friction,
        fixed=recording.fixed, meta={"title": recording.title, **recording.meta},
    )  # fmt: skip


def lead_of(solved: Solved) -> Lead:
    """See the module text."""
    model = solved.model
    if not model.joints or model.joints[0].kind != "free":
        raise InputError(f"follow: {model.name!r} has no free base; only what can fall is followed.")
    if len(solved) < 8:
        raise InputError(f"follow: {len(solved)} frames are too few to follow.")
    found = feet_of(model)
    kin, whole = kinematics(model, solved.q, solved.v), centroidal(model, solved.q, solved.v)
    bodies = [s.body for s in found]
    twist = kin.twist[:, bodies]
    push = solved.ground_reaction[1:]
    acc = push / model.mass + model.gravity
    acc = np.vstack([acc, acc[-1:]])
    a = np.vstack([solved.a[1:], solved.a[-1:]])  # of the step that follows the frame
    rate = np.diff(twist, axis=0) / solved.dt
    load = corner_loads(solved, found)
    stands = np.stack([tidy(x, round(BRIEF / solved.dt)) for x in (load.sum(axis=2) > PRESSED).T], axis=1)
    return Lead(
        solved, found, attitudes(model, kin), a, whole.com_velocity, acc, kin.position[:, bodies], kin.rotation[:, bodies], twist,
        np.concatenate([rate, rate[-1:]]), np.vstack([stands[1:], stands[-1:]]), np.concatenate([load[1:], load[-1:]]),
        kin.twist[:, 1],
    )  # fmt: skip


def corner_loads(solved: Solved, found: tuple[Foot, ...]) -> np.ndarray:
    """(n, feet, 4): upward force of every corner: each contact point's force shared by bilinear weights of where it is
    in the sole."""
    f, out = solved.frames, np.zeros((len(solved), len(found), 4))
    frame = np.repeat(np.arange(len(solved)), f.patch_count)[f.patch_of_point]
    link = np.array([name for name, _ in solved.shapes])[f.pair[f.patch_of_point, 0]]
    kin = kinematics(solved.model, solved.q)
    for n, s in enumerate(found):
        rows = np.flatnonzero((link == s.link) & (frame > 0))
        at = frame[rows] - 1  # points are at the pose of the step's start
        inside = np.einsum(
            "nji,nj->ni", kin.rotation[at, s.body], np.asarray(f.points[rows], dtype=float) - kin.position[at, s.body]
        )
        low, span = s.corners[0] @ s.rotation, np.maximum((s.corners[3] - s.corners[0]) @ s.rotation, 1e-9)
        x, y = np.clip(((inside @ s.rotation - low) / span)[:, :2], 0.0, 1.0).T
        share = np.stack([(1 - x) * (1 - y), (1 - x) * y, x * (1 - y), x * y], axis=1)
        np.add.at(out[:, n], frame[rows], share * np.asarray(f.forces[rows, 2], dtype=float)[:, None])
    return out
