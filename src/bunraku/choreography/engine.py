"""Choreography: a figure that is pinned and dragged, and moves as its dynamics allow (Yamane & Nakamura
2002).

    c = Choreography()                     # human() on the floor
    pin = c.pin("left_foot")               # stays where it is; axes="pose": its orientation too
    drag = c.drag("right_hand")
    drag.to((0.4, -0.3, 1.2))
    c.run(1.0)
    c.violations, c.report
    drag.release()

A controller inside every step of a plain world (choreography.dance_step) finds joint accelerations and floor forces
together and turns them into torques: what the world does with them is physical, pins and drags exert no force, and a
figure that cannot stay up falls. Priorities: dynamics, friction cones, limits; then pins and drags and balance; then
desired joint values (`pose`). `dynamics=False` is the comparator, their eq. (4): kinematics alone
(choreography.kinematic). `score` keeps everything that is done, and performs it again. World axes, SI units. Checked in
tests/choreography/test_engine.py.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np

from bunraku.choreography.dance_arrays import DRAG, PIN, PLANTED
from bunraku.choreography.gains import Gains
from bunraku.choreography.kinematic import kinematic_steps
from bunraku.choreography.pins import AXES, Drag, Pin, Violation, checked_point, checked_rotation
from bunraku.choreography.report import DanceReport, report_of
from bunraku.choreography.score import Score
from bunraku.choreography.studio import Studio
from bunraku.control.whole_body_arrays import MOST_TASKS
from bunraku.dynamics.functions import kinematics
from bunraku.errors import InputError, UnknownName, closest
from bunraku.humanoid.opening_pose import on_stage, own_collisions
from bunraku.kernel.record import flat
from bunraku.model.human import human
from bunraku.model.limits import clamp_balls
from bunraku.model.model import Model
from bunraku.model.rotations import quaternion, rotation_vector
from bunraku.recording.recorder import Recorder
from bunraku.world.diverged import steps_in, whole_steps
from bunraku.world.figure import Figure
from bunraku.world.snapshot import Snapshot

if TYPE_CHECKING:
    from bunraku.viewer.stage import StageOptions
    from bunraku.viewer.view import View

PIN_WEIGHT, DRAG_WEIGHT = 2e3, 1e3


@dataclass(frozen=True)
class DanceSnapshot:
    """All that affects what comes: the world's snapshot, pins and drags, and how long the score was."""

    world: Snapshot
    items: tuple[tuple[Pin, int, np.ndarray, np.ndarray | None], ...]
    score: tuple[Any, ...]


class DanceOptions(TypedDict, total=False):
    """Options of a Choreography."""

    at: Sequence[float] | None
    dt: float
    contact: str
    integrator: str
    balance: bool
    dynamics: bool
    friction: float
    gains: Gains | None
    seed: int
    floor: bool


class Choreography:
    """A figure that is pinned and dragged, and moves as its dynamics allow: `pin`, `drag`, `pose`, `run`.

    model: human() by default; at: x, y[, z] [m] or a full q: where it stands; dt [s]; contact and integrator as of
    World; balance: keep the figure standing; dynamics False: kinematics alone; friction of the floor; gains: how
    stiffly it follows; floor False: no ground (add what you like to `world` before the first step). Everything done is
    kept in `score`, which performs it again. World axes, SI units. See docs/choreography.md.
    """

    model: Model
    world: Studio
    figure: Figure
    gains: Gains
    dynamics: bool
    score: Score

    def __init__(
        self,
        model: Model | None = None,
        *,
        at: Sequence[float] | None = None,
        dt: float = 0.001,
        contact: str = "pgs",
        integrator: str = "euler",
        balance: bool = True,
        dynamics: bool = True,
        friction: float = 0.8,
        gains: Gains | None = None,
        seed: int = 0,
        floor: bool = True,
    ) -> None:
        if not isinstance(model, Model | None):
            raise InputError(f"Choreography: {model!r} is no Model; write bk.human(), or bk.load(path) for a file.")
        self.gains, self.dynamics = gains or Gains(), bool(dynamics)
        self.world = Studio(dt=dt, contact=contact, integrator=integrator, seed=seed)  # refuses what it cannot be
        self.model, self._stance = on_stage(human() if model is None else model)
        if floor:
            self.world.add_ground(friction=friction)
        self.figure = self.world.add(self.model, self_collision=own_collisions(self.model))
        self.figure.q[:] = self._begin(at)
        self._balance = bool(balance)
        if self.dynamics:
            self.world.choreograph(self.figure.name, self.gains, self._balance)
        self._items: list[Pin] = []
        self._names = 0
        self._goal = self.figure.q.copy()
        options = {"dt": dt, "contact": contact, "integrator": integrator, "balance": self._balance}
        self.score = Score(
            model=self.model.name,
            start=tuple(map(float, self.figure.q)),
            options={**options, "dynamics": self.dynamics, "friction": friction, "seed": seed},
        )

    def _begin(self, at: Sequence[float] | None) -> np.ndarray:
        if at is None:
            return self._stance
        given = np.asarray(at, dtype=float)
        if given.shape == (self.model.nq,) and np.all(np.isfinite(given)):
            return given
        if given.shape not in ((2,), (3,)) or not np.all(np.isfinite(given)):
            raise InputError(f"Choreography: `at` needs x, y [, z] or {self.model.nq} coordinates, got {at}.")
        q = self._stance.copy()
        if self.model.joints[0].kind == "free":
            q[:2] = given[:2]
        if len(given) == 3:
            q[2] = given[2]
        return q

    # ---- pins, drags, poses ----------------------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """Time [s]."""
        return self.world.time

    @property
    def pins(self) -> tuple[Pin, ...]:
        """Pins that act."""
        return tuple(p for p in self._items if p.kind == "pin")

    @property
    def drags(self) -> tuple[Drag, ...]:
        """Drags that act."""
        return tuple(p for p in self._items if isinstance(p, Drag))

    def pin(
        self,
        link: str,
        point: Sequence[float] = (0.0, 0.0, 0.0),
        *,
        axes: str = "xyz",
        at: Sequence[float] | None = None,
        rotation: Any = None,
        weight: float = PIN_WEIGHT,
    ) -> Pin:
        """Hold `point` [m, link's frame] of a link where it is now, or at the world position `at`; with axes "pose"
        also its rotation, the present one or `rotation`."""
        return self._make(Pin, link, point, axes, at, rotation, weight)

    def drag(
        self,
        link: str,
        point: Sequence[float] = (0.0, 0.0, 0.0),
        *,
        axes: str = "xyz",
        weight: float = DRAG_WEIGHT,
    ) -> Drag:
        """Take hold of a point of a link; move it with `to`, end with `release`."""
        made = self._make(Drag, link, point, axes, None, None, weight)
        assert isinstance(made, Drag)
        return made

    def _make(self, kind: type[Pin], link: str, point: Any, axes: str, at: Any, rotation: Any, weight: float) -> Pin:
        if axes not in AXES:
            raise InputError(
                f"{kind.kind}: axes {axes!r} is neither 'xyz' (position) nor 'pose' (position and orientation)."
            )
        if not (np.isfinite(weight) and 0 < weight <= 1e6):
            raise InputError(f"{kind.kind}: weight {weight} is not between 0 and 1e6.")
        info = self.model.frame(link)
        if info.body == 0:
            raise InputError(f"{kind.kind}: {link!r} is fixed to the world.")
        used = {p.place for p in self._items}
        place = next((k for k in range(MOST_TASKS) if k not in used), None)
        if place is None:
            raise InputError(f"{kind.kind}: there are {MOST_TASKS} pins and drags already; release one first.")
        own = checked_point(f"{kind.kind} {link!r}: point", point)
        position, R = self.figure.pose(link)
        target = position + R @ own if at is None else checked_point(f"{kind.kind} {link!r}: at", at)
        turn = None
        if axes == "pose":
            turn = clean(R if rotation is None else checked_rotation(f"{kind.kind} {link!r}", rotation))
        self._names += 1
        item = kind(f"{kind.kind}{self._names}", link, own, axes, target, turn, place, self)
        self._items.append(item)
        self._begin_item(item, weight)
        self.score.begin(self.time, item, weight)
        self.world.note(f"{item.kind} {item.name} {link} {axes}")
        return item

    def move(self, item: Pin, position: Sequence[float] | np.ndarray, rotation: Any = None) -> None:
        """Move the target of a drag (or pin)."""
        self._own(item)
        target = checked_point(f"{item.kind} {item.link!r}: to", position)
        if rotation is not None:
            if item.axes != "pose":
                raise InputError(f"{item.kind} {item.link!r}: a rotation needs axes='pose'.")
            item.rotation = clean(checked_rotation(f"{item.kind} {item.link!r}", rotation))
        item.target = target
        self._aim(item)
        self.score.move(self.time, item)

    def release(self, item: Pin) -> None:
        """End a pin or drag; twice does no harm."""
        if item.owner is not self:
            raise InputError(f"release: {item.name!r} belongs to another choreography.")
        if not item.active:
            return
        if self.dynamics:
            flat(self.world.pin_at(item.place)[0])[:] = 0
        item.place = -1
        self._items.remove(item)
        self.score.end(self.time, item)
        self.world.note(f"release {item.name} {item.link}")

    def pose(self, joints: Mapping[str, float | Sequence[float]]) -> None:
        """Desired joint values {joint: angle [rad] (or quaternion of a ball)}, followed in the freedom that is left;
        others keep theirs."""
        goal = self._goal.copy()
        for name, value in joints.items():
            j = self.model.joint(name)
            x = np.atleast_1d(np.asarray(value, dtype=float))
            if j.kind == "free" or not j.nv:
                raise InputError(f"pose: {name!r} has no value of its own to desire.")
            if x.shape != (j.nq,) or not np.all(np.isfinite(x)) or (j.kind == "ball" and not np.linalg.norm(x) > 1e-9):
                kind = " (a quaternion wxyz)" if j.kind == "ball" else ""
                raise InputError(f"pose: {name!r} needs {j.nq} finite numbers{kind}, got {value}.")
            goal[j.q] = x / np.linalg.norm(x) if j.kind == "ball" else np.clip(x, j.lower, j.upper)
        self._goal[:] = clamp_balls(self.model, goal)
        if self.dynamics:
            self.world.kept["dance_goal"][:] = self._goal
        self.score.pose(self.time, {k: np.atleast_1d(np.asarray(v, dtype=float)).tolist() for k, v in joints.items()})

    @property
    def balance(self) -> bool:
        """Whether balance is kept; settable at any time."""
        return self._balance

    @balance.setter
    def balance(self, on: bool) -> None:
        self._balance = bool(on)
        if self.dynamics:
            self.world.info.balance = self._balance
        self.score.balance(self.time, self._balance)

    def _own(self, item: Pin) -> None:
        if item.owner is not self or not item.active:
            raise InputError(f"{item.kind} {item.name!r} was released, or belongs to another choreography.")

    def _begin_item(self, item: Pin, weight: float) -> None:
        """A new pin or drag into the kernels' arrays."""
        if not self.dynamics:
            return
        info = self.model.frame(item.link)
        pin, aim = self.world.pin_at(item.place)
        pin.kind, pin.swing = DRAG if item.kind == "drag" else PIN, PLANTED
        pin.body, pin.turned = info.body, item.axes == "pose"
        aim.at, aim.weight = tuple(info.position + info.rotation @ item.point), weight
        self._aim(item)

    def _aim(self, item: Pin) -> None:
        """Where a pin or drag should be, into the kernels' arrays."""
        if not self.dynamics:
            return
        self.world.targets[item.place] = item.target
        if item.rotation is not None:
            self.world.turns[item.place] = (item.rotation @ self.model.frame(item.link).rotation.T).ravel()

    # ---- stepping and reading --------------------------------------------------------------------------------------

    def step(self, n: int = 1) -> None:
        """Advance by n steps of dt."""
        if self.dynamics:
            self.world.step(n)
        else:
            kinematic_steps(self, whole_steps(n))

    def run(self, seconds: float) -> None:
        """Advance by a time [s], rounded to whole steps."""
        self.step(steps_in(seconds, self.world.dt))

    @property
    def violations(self) -> list[Violation]:
        """How far each pin and drag is from where it should be now: (item, metres, radians)."""
        if not self._items:
            return []
        k = kinematics(self.model, self.figure.q.copy())
        out = []
        for item in self._items:
            p, R = k.pose(item.link)
            turned = 0.0 if item.rotation is None else float(np.linalg.norm(rotation_vector(R.T @ item.rotation)))
            out.append(Violation(item, float(np.linalg.norm(p + R @ item.point - item.target)), turned))
        return out

    @property
    def report(self) -> DanceReport:
        """What the last step found: see bunraku.choreography.report."""
        return report_of(self)

    def snapshot(self) -> DanceSnapshot:
        """All that affects what comes; `restore` goes back to it bit for bit (undo)."""
        items = tuple(
            (p, p.place, p.target.copy(), None if p.rotation is None else p.rotation.copy()) for p in self._items
        )
        return DanceSnapshot(self.world.snapshot(), items, self.score.mark())

    def restore(self, snapshot: DanceSnapshot) -> None:
        """Go back. Pins and drags made since are released, those released since act again."""
        self.world.restore(snapshot.world)
        for item in self._items:
            item.place = -1
        self._items = []
        for item, place, target, rotation in snapshot.items:
            item.place, item.target, item.rotation = place, target.copy(), None if rotation is None else rotation.copy()
            self._items.append(item)
        if self.dynamics:
            self._balance = bool(self.world.info.balance)
            self._goal[:] = self.world.kept["dance_goal"]
        self.score.cut(snapshot.score)

    def record(
        self, path: str | Path, every: int = 1, *, title: str = "", meta: dict[str, Any] | None = None
    ) -> Recorder:
        """Record into a file from now on, as World.record, in float64, so that dynamics can be checked from it; pins,
        drags and releases are noted as events."""
        if not self.dynamics:
            raise InputError("record: without dynamics there are no forces to record; make it with dynamics=True.")
        return self.world.record(path, every, title=title, meta=meta, precise=True)

    def stage(self, **options: Unpack[StageOptions]) -> View:
        """Run in real time in a thread of its own and let it be pinned and dragged in the browser; returns a View,
        which a notebook shows in place. options: port, browser, play, speed, title, host, allow_remote, token as of
        World.view; score: a file that the page's Score button writes; recordings: a folder for takes. Touch the
        choreography meanwhile with `view.lock` held or after `view.pause()`."""
        viewer: Any = importlib.import_module("bunraku.viewer.stage")  # it stands above; see bunraku.world.watched
        return viewer.open_stage(self, **options)

    view = stage

    @classmethod
    def perform(cls, score: Score, model: Model | None = None, **options: Unpack[DanceOptions]) -> Choreography:
        """Do all that a score says, to its end; returns the choreography. `options` go before the score's own."""
        c = score.choreography(model, **options)
        score.play(c)
        return c

    def item(self, name: str) -> Pin:
        """The pin or drag called `name`."""
        for p in self._items:
            if p.name == name:
                return p
        raise UnknownName(f"there is no pin or drag {name!r}.{closest(name, [p.name for p in self._items])}")


def clean(R: np.ndarray) -> np.ndarray:
    """The rotation as its quaternion gives it back, so that a score that keeps quaternions repeats it bit for bit."""
    return checked_rotation("rotation", quaternion(R))
