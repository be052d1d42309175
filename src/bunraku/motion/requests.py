"""What motion generation is asked for: contacts, end-link and joint trajectories, known components; and the rows they
become in (11) and (23).

A trajectory asks for  r'' = r_d'' + 2 w (r_d' - r') + w^2 (r_d - r) , its feedback bounded; its rows are  J a = r'' -
J_dot v  (22). Frames are in world axes, their rotation errors are rotation vectors. `of` may be a link or frame, a thing's name, "com" or "ann.com"
(the centre of mass of a tree), or a joint, whose path is its coordinate (a quaternion for a ball). Checked in
tests/motion/test_generate.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bunraku.errors import InputError, UnknownName, closest
from bunraku.model.model import JointInfo
from bunraku.model.rotations import rotation_matrix, rotation_vector, turn_between
from bunraku.motion.equation import Rows, State
from bunraku.motion.paths import Path, rates, turn_rates
from bunraku.motion.trees import Trees

AXES = ("x", "y", "z", "rx", "ry", "rz")
KINDS = ("acceleration", "torque", "force")


def axis_numbers(axes: str, what: str) -> np.ndarray:
    """Numbers of the axes x y z rx ry rz in a text; "pose" means all."""
    words = list(AXES) if axes == "pose" else axes.split()
    if not words or any(w not in AXES for w in words) or len(set(words)) < len(words):
        raise InputError(f"{what}: axes {axes!r} is no list of different words among {' '.join(AXES)}, nor 'pose'.")
    return np.array([AXES.index(w) for w in words])


@dataclass
class Contact:
    """A frame that something holds from `begin` to `end` [s] along some axes, where it is when it begins, or `at`
    (position [m]). A grip may pull; else it must press.

    on: the link or thing that holds it ("box", "bob.left_hand"); None: the world, whose shape number `fixed` it touches,
    counted from 0. Axes are the world's; of a contact on a link they are fixed to that link, turned by `rotation` when it
    begins, and it presses along their z. Of the world's contacts `rotation` is how the frame stands while it is held.
    break_force [N], break_torque [N m]: beyond them frames are flagged "breaks". most: the largest force [N] or moment
    [N m] along each axis, one number or six; what it leaves undone others do, or it is flagged "unmet"."""

    frame: str
    on: str | None = None
    axes: str = "pose"
    begin: float = 0.0
    end: float = np.inf
    grip: bool = False
    at: Sequence[float] | np.ndarray | None = None
    rotation: Any = None
    fixed: int = 0
    break_force: float = np.inf
    break_torque: float = np.inf
    most: float | Sequence[float] | np.ndarray = np.inf
    numbers: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        if self.on is not None and self.axes == "pose" and not {*AXES, "pose"}.isdisjoint(self.on.split()):
            self.on, self.axes = None, self.on  # Contact(frame, axes), as version 0.1 had it
        what = f"contact of {self.frame!r}"
        self.numbers = axis_numbers(self.axes, what)
        if not self.begin < self.end:
            raise InputError(f"{what}: it ends ({self.end} s) before it begins ({self.begin} s).")
        if self.rotation is not None:
            self.rotation = rotation_matrix(self.rotation)
        if not (self.break_force > 0 and self.break_torque > 0):
            raise InputError(f"{what}: break_force and break_torque must be above 0.")
        most = np.asarray(self.most, dtype=float)
        if most.shape not in ((), (6,)) or not np.all(most > 0):
            raise InputError(f"{what}: most needs one number above 0, or six.")
        self.most = np.broadcast_to(most, (6,))[self.numbers]

    @property
    def words(self) -> str:
        """Its axes as World.connect has them."""
        return " ".join(AXES[k] for k in self.numbers)


@dataclass
class Trajectory:
    """A path for a frame, for "com", or for a joint, between `begin` and `end` [s]. position: t -> 3 numbers (a joint's
    coordinate); rotation: t -> 3x3 or wxyz. axes: some of x y z of the position. stiffness: w [1/s] of the feedback,
    critically damped."""

    of: str
    position: Path | None = None
    rotation: Path | None = None
    axes: str = "x y z"
    weight: float = 1.0
    begin: float = 0.0
    end: float = np.inf
    stiffness: float = 15.0

    def __post_init__(self) -> None:
        if self.position is None and self.rotation is None:
            raise InputError(f"trajectory of {self.of!r}: give a position, a rotation, or both.")
        if not (np.isfinite(self.weight) and self.weight > 0 and np.isfinite(self.stiffness) and self.stiffness >= 0):
            raise InputError(f"trajectory of {self.of!r}: weight must be above 0, stiffness 0 or more.")


class Requests:
    """All that is asked for, checked once, and its rows at a state."""

    def __init__(
        self,
        trees: Trees,
        contacts: Sequence[Contact],
        known: Mapping[str, Mapping[str, Any]],
        trajectories: Sequence[Trajectory],
        bound: float,
    ) -> None:
        self.trees, self.bound, self.trajectories = trees, bound, list(trajectories)
        model = trees.model
        self.model = model
        for c in contacts:
            frame = trees.frame(c.frame, "contact")
            if c.on is not None and model.body(frame) == model.body(trees.frame(c.on, f"contact of {c.frame!r}")):
                raise InputError(f"contact of {c.frame!r}: {c.on!r} is the same body; nothing can hold itself.")
        self.joints = {j.name: j for j in model.joints if j.nv}
        self.driven = sum(j.nv for j in self.joints.values() if j.kind != "free")
        for tr in self.trajectories:
            name = tr.of.rpartition(".")[2]
            if tr.of not in self.joints and tr.of not in trees.coms and name != "com":
                trees.frame(tr.of, "trajectory")
            elif name == "com" and tr.of not in trees.coms:
                raise InputError(
                    f"trajectory of {tr.of!r}: needs a figure with a free base.{closest(tr.of, list(trees.coms))}"
                )
            if tr.of in trees.coms and tr.position is None:
                raise InputError(f"trajectory of {tr.of!r}: needs a position.")
        for kind in known:
            if kind not in KINDS:
                raise UnknownName(f"known: there is no {kind!r}.{closest(kind, KINDS)}")
        self.accelerations = [(self._joint(name), x) for name, x in known.get("acceleration", {}).items()]
        self.torques = [(self._joint(name), x) for name, x in known.get("torque", {}).items()]
        if any(j.kind == "free" for j, _ in self.torques):
            raise InputError("known: a free base has no torque.")
        self.forces = dict(known.get("force", {}))
        for name in self.forces:
            if name not in [c.frame for c in contacts]:
                raise UnknownName(f"known: no contact holds {name!r}.{closest(name, [c.frame for c in contacts])}")
        self.given = 0  # components given at the last state

    def _joint(self, name: str) -> JointInfo:
        if name not in self.joints:
            raise UnknownName(f"known: figure {self.model.name!r} has no joint {name!r}.{closest(name, self.joints)}")
        return self.joints[name]

    def rows(self, state: State, held: Sequence[Any], Hc: np.ndarray, t: float) -> Rows:
        """Level 1 at a state."""
        rows = Rows(state.model.nv, len(Hc), len(state.driven))
        for tr in self.trajectories:
            if tr.begin <= t < tr.end:
                self._trajectory(state, tr, t, rows)
        eye = np.eye(state.model.nv)
        for j, given in self.accelerations:
            for k, x in enumerate(values(given, t, j.nv, j.name)):
                if np.isfinite(x):
                    rows.add(float(x), 1.0, a=eye[j.iv + k])
        place = {int(d): k for k, d in enumerate(state.driven)}
        for j, given in self.torques:
            for k, x in enumerate(values(given, t, j.nv, j.name)):
                if np.isfinite(x):
                    rows.add(float(x), 1.0, tau=np.eye(rows.nj)[place[j.iv + k]])
        where = 0
        for h in held:
            n = len(h.contact.numbers)
            if h.contact.frame in self.forces:
                six = values(self.forces[h.contact.frame], t, 6, h.contact.frame)
                for k, axis in enumerate(h.contact.numbers):
                    if np.isfinite(six[axis]):
                        rows.add(float(six[axis]), 1.0, f=np.eye(rows.nc)[where + k])
            where += n
        self.given = len(rows)
        return rows

    def _trajectory(self, state: State, tr: Trajectory, t: float, rows: Rows) -> None:
        w, eye = tr.stiffness, np.eye(state.model.nv)
        if tr.of in self.joints:
            j = self.joints[tr.of]
            path = tr.rotation if j.kind == "ball" and tr.rotation is not None else tr.position
            if path is None or j.kind == "free" or j.traits.parts:
                raise InputError(
                    f"trajectory of joint {j.name!r}: give a position to a hinge or slider, a rotation to a ball."
                )
            if j.kind == "ball":
                want, rate, acc = ball_rates(path, t)
                error = turn_between(state.q[j.q], want)
            else:
                want, rate, acc = rates(path, t)
                error = want - state.q[j.q]
            asked = acc + shortened(2 * w * (rate - state.v[j.v]) + w * w * error, self.bound)
            for k in range(j.nv):
                rows.add(float(asked[k]), tr.weight, a=eye[j.iv + k])
            return
        if tr.of in self.trees.coms:
            part = self.trees.coms[tr.of]
            place, speed, J = self.trees.centre(part, state.q, state.v)
            bias = self.trees.bias(part, state.b)
            R = omega = None
        else:
            frame = self.trees.frame(tr.of, "trajectory")
            J, (place, R) = state.jacobian(frame), state.kin.pose(frame)
            twist, bias = J @ state.v, state.kin.bias_acceleration(frame)
            speed, omega = twist[:3], twist[3:]
        if tr.position is not None:
            want, rate, acc = rates(tr.position, t)
            if want.shape != (3,):
                raise InputError(f"trajectory of {tr.of!r}: its position gives {want.shape[0]} numbers instead of 3.")
            asked = acc + shortened(2 * w * (rate - speed) + w * w * (want - place), self.bound)
            for k in axis_numbers(tr.axes, f"trajectory of {tr.of!r}"):
                if k < 3:
                    rows.add(float(asked[k] - bias[k]), tr.weight, a=J[k])
        if tr.rotation is not None and R is not None:
            want, rate, acc = turn_rates(tr.rotation, t)
            asked = acc + shortened(2 * w * (rate - omega) + w * w * rotation_vector(want @ R.T), self.bound)
            for k in range(3):
                rows.add(float(asked[k] - bias[3 + k]), tr.weight, a=J[3 + k])


def shortened(x: np.ndarray, most: float) -> np.ndarray:
    """x, no longer than `most`."""
    size = float(np.linalg.norm(x))
    return x * (most / size) if size > most else x


def ball_rates(path: Path, t: float, h: float = 1e-3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(quaternion, rate and acceleration in body axes) of a path of a ball joint."""
    before, now, after = (np.asarray(path(x), dtype=float) for x in (t - h, t, t + h))
    first, second = turn_between(before, now) / h, turn_between(now, after) / h
    return now, 0.5 * (first + second), (second - first) / h


def values(given: Any, t: float, n: int, name: str) -> np.ndarray:
    """n numbers of what was given: a number, a row, or a function of t."""
    x = np.asarray(given(t) if callable(given) else given, dtype=float)
    if x.ndim == 0:
        return np.full(n, float(x))
    if x.shape != (n,):
        raise InputError(f"known: {name!r} needs one number or {n}, got {x.shape}.")
    return x
