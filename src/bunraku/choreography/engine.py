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
desired joint values (`pose`); strict ones with priority="2002". `dynamics=False` is the comparator, their eq. (4):
kinematics alone (choreography.kinematic_step). `score` keeps everything that is done, and performs it again. World axes, SI units. Checked in
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
from bunraku.choreography.floor_map import FloorMap
from bunraku.choreography.gains import Gains
from bunraku.choreography.pins import Drag, Pin, Violation, checked_axes, checked_point, checked_rotation, own_axes
from bunraku.choreography.report import DanceReport, report_of
from bunraku.choreography.rising_arrays import IDLE
from bunraku.choreography.score import Score
from bunraku.choreography.stepper import stepper_of
from bunraku.choreography.studio import Studio
from bunraku.choreography.walk_to import footsteps_to
from bunraku.control.whole_body import is_strict
from bunraku.control.whole_body_arrays import MOST_TASKS
from bunraku.dynamics.functions import kinematics
from bunraku.errors import InputError, UnknownName, closest
from bunraku.humanoid.opening_pose import on_stage, own_collisions
from bunraku.kernel.record import flat
from bunraku.model.limits import clamp_balls
from bunraku.model.model import Model
from bunraku.model.named import as_model
from bunraku.model.rotations import quaternion
from bunraku.recording.recorder import Recorder
from bunraku.world.diverged import steps_in
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
    sweeps: int | None
    integrator: str
    balance: bool
    dynamics: bool
    steps: bool
    rises: bool
    priority: str
    friction: float
    gains: Gains | None
    seed: int
    floor: bool


class Choreography:
    """A figure that is pinned and dragged, and moves as its dynamics allow: `pin`, `drag`, `pose`, `run`.

    model: human() by default; at: x, y[, z] [m] or a full q: where it stands; dt [s]; contact, sweeps and integrator
    as of World; balance: keep the figure standing; steps: it steps where it cannot hold or reach otherwise; rises:
    it gets up by itself when it has fallen; dynamics False: kinematics alone; priority "weights", or "2002": pins and
    drags first, limits and desired joint values in the freedom that is left; friction of the floor; gains: how stiffly
    it follows; floor False: no ground (add what you like to `world` before the first step). Everything done is kept in
    `score`, which performs it again. World axes, SI units. See docs/choreography.md.
    """

    model: Model
    world: Studio
    figure: Figure
    gains: Gains
    priority: str
    score: Score

    def __init__(
        self,
        model: Model | str | None = None,
        *,
        at: Sequence[float] | None = None,
        dt: float = 0.001,
        contact: str = "pgs",
        sweeps: int | None = None,
        integrator: str = "euler",
        balance: bool = True,
        dynamics: bool = True,
        steps: bool = True,
        rises: bool = True,
        priority: str = "weights",
        friction: float = 0.8,
        gains: Gains | None = None,
        seed: int = 0,
        floor: bool = True,
    ) -> None:
        body = as_model("human" if model is None else model, "Choreography")
        self.gains, self.priority, strict = gains or Gains(), priority, is_strict("Choreography", priority)
        self.world = Studio(
            dt=dt, contact=contact, sweeps=sweeps, integrator=integrator, seed=seed
        )  # refuses what it cannot be
        self.model, self._stance = on_stage(body)
        if floor:
            self.world.add_ground(friction=friction)
        self.figure = self.world.add(self.model, self_collision=own_collisions(self.model))
        self.figure.q[:] = self._begin(at)
        self._balance = bool(balance)
        stepper = None if strict else stepper_of(body, self.model, self._stance)
        self.world.choreograph(self.figure.name, self.gains, self._balance, strict, stepper, bool(steps), bool(rises))
        if not dynamics:
            self.world.move_by_kinematics(True)
        self._items: list[Pin] = []
        self._names = 0
        self._goal = self.figure.q.copy()
        options = {"dt": dt, "contact": contact, "integrator": integrator, "balance": self._balance}
        options |= {} if sweeps is None else {"sweeps": sweeps}
        self.score = Score(
            model=self.model.name,
            start=tuple(map(float, self.figure.q)),
            options={
                **options,
                "dynamics": self.dynamics,
                "steps": self.steps,
                "rises": self.rises,
                "priority": priority,
                "friction": friction,
                "seed": seed,
            },
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
        also its rotation, the present one or `rotation`. Other axes hold it along some directions only: "xz", "z", or
        turns about them, too, "z rx ry"; then `rotation` gives it axes of its own (a quaternion wxyz, a matrix with
        the axes as columns, or "link": the link's axes as they are now), without it they are the world's."""
        return self._make(Pin, link, point, axes, at, rotation, weight)

    def drag(
        self,
        link: str,
        point: Sequence[float] = (0.0, 0.0, 0.0),
        *,
        axes: str = "xyz",
        rotation: Any = None,
        weight: float = DRAG_WEIGHT,
    ) -> Drag:
        """Take hold of a point of a link; move it with `to`, end with `release`. axes and rotation as of `pin`, but
        with "pose" it begins at the present rotation."""
        if axes == "pose" and rotation is not None:
            raise InputError(f"drag {link!r}: with axes='pose' it begins as it is; turn it with `to`.")
        made = self._make(Drag, link, point, axes, None, rotation, weight)
        assert isinstance(made, Drag)
        return made

    def _make(self, kind: type[Pin], link: str, point: Any, axes: str, at: Any, rotation: Any, weight: float) -> Pin:
        axes = checked_axes(kind.kind, axes)
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
        turn, frame = None, None
        if axes == "pose":
            turn = clean(R if rotation is None else checked_rotation(f"{kind.kind} {link!r}", rotation))
        elif rotation is not None:
            frame = own_axes(f"{kind.kind} {link!r}", rotation, R)
        if "r" in axes:
            turn = clean(R)
        self._names += 1
        item = kind(f"{kind.kind}{self._names}", link, own, axes, target, turn, frame, place, self)
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
        if item.kind == "pin":
            self._reach(item, moved=True)
        self._aim(item)
        self.score.move(self.time, item)

    def release(self, item: Pin) -> None:
        """End a pin or drag; twice does no harm."""
        if item.owner is not self:
            raise InputError(f"release: {item.name!r} belongs to another choreography.")
        if not item.active:
            return
        flat(self.world.pin_at(item.place)[0])[:] = 0
        flat(self.world.limb_at(item.place))[:] = 0
        item.place = -1
        self._items.remove(item)
        self.score.end(self.time, item)
        self.world.note(f"release {item.name} {item.link}")

    def pose(self, joints: Mapping[str, float | Sequence[float] | None]) -> None:
        """Desired joint values {joint: angle [rad] (or quaternion of a ball)}, followed in the freedom that is left;
        None releases one, which then goes back to its value at the start; others keep theirs."""
        goal = self._goal.copy()
        for name, value in joints.items():
            j = self.model.joint(name)
            if value is None:
                value = [self.score.start[k] for k in range(j.q.start, j.q.stop)]
            x = np.atleast_1d(np.asarray(value, dtype=float))
            if j.kind == "free" or not j.nv:
                raise InputError(f"pose: {name!r} has no value of its own to desire.")
            if x.shape != (j.nq,) or not np.all(np.isfinite(x)) or (j.kind == "ball" and not np.linalg.norm(x) > 1e-9):
                kind = " (a quaternion wxyz)" if j.kind == "ball" else ""
                raise InputError(f"pose: {name!r} needs {j.nq} finite numbers{kind}, got {value}.")
            goal[j.q] = x / np.linalg.norm(x) if j.kind == "ball" else np.clip(x, j.lower, j.upper)
        self._goal[:] = clamp_balls(self.model, goal)
        self.world.kept["dance_goal"][:] = self._goal
        asked = {k: [] if v is None else np.atleast_1d(np.asarray(v, dtype=float)).tolist() for k, v in joints.items()}
        self.score.pose(self.time, asked)

    @property
    def desired(self) -> dict[str, list[float]]:
        """Joint values that are desired now, as `pose` was given them."""
        out: dict[str, list[float]] = {}
        for _, joints in self.score.poses:
            out.update(joints)
        return {name: value for name, value in out.items() if value}

    @property
    def balance(self) -> bool:
        """Whether balance is kept; settable at any time."""
        return self._balance

    @balance.setter
    def balance(self, on: bool) -> None:
        self._balance = bool(on)
        self.world.info.balance = self._balance
        self.score.balance(self.time, self._balance)

    @property
    def steps(self) -> bool:
        """Whether the figure steps when it is pushed or dragged beyond what it can hold and reach; settable at any time.
        False for figures without two feet."""
        return bool(self.world.info.steps)

    @steps.setter
    def steps(self, on: bool) -> None:
        if on and self.world.stepper is None:
            why = "strict levels take no steps" if self.world.strict else "it has no two feet to step with"
            raise InputError(f"steps: {self.model.name!r} cannot step; {why}.")
        self.world.info.steps = bool(on)
        self.score.switch("steps", self.time, bool(on))

    @property
    def rises(self) -> bool:
        """Whether the figure gets up by itself when it has fallen and nothing drags it; settable at any time. False for
        figures without a person's joints."""
        return bool(self.world.rising_state.auto) and self.world.can_rise

    @rises.setter
    def rises(self, on: bool) -> None:
        if on:
            self._check_rising("rises")
        self.world.rising_state.auto = bool(on)
        self.score.switch("rises", self.time, bool(on))

    def get_up(self) -> None:
        """Get up now, where it lies: along the stages of choreography.rising. Nothing happens while it stands."""
        self._check_rising("get_up")
        self.world.rising_state.wanted = 1
        self.score.get_up(self.time)

    def walk_to(self, place: Sequence[float], yaw: float | None = None) -> int:
        """Walk to a place (x, y) [m] on the floor, around what stands there, up and down stairs, and turn to the heading
        `yaw` [rad] (None: as it arrives); returns how many steps it will take. It goes while the choreography runs; a
        new one takes the place of the last. InputError where no way leads there."""
        if self.world.stepper is None:
            raise InputError(f"walk_to: {self.model.name!r} cannot step; it has no two feet, or strict levels.")
        given = np.asarray(place, dtype=float)
        if given.shape != (2,) or not np.all(np.abs(given) < 1e4):
            raise InputError(f"walk_to: needs a place x, y in metres, got {place!r}.")
        if yaw is not None and not (isinstance(yaw, int | float) and abs(yaw) < 1e3):
            raise InputError(f"walk_to: yaw {yaw!r} is not an angle in radians.")
        state = self.world.step_state
        if self.time == 0:
            self.step()  # feet are seen in a step
        if self.rising or (state.mode == 0 and self.report.state == "fallen"):
            raise InputError("walk_to: it has fallen; let it get up first (get_up).")
        feet = [(*foot.place[:2], foot.yaw) for foot in state.foot]
        if state.mode == 2:  # one is in the air: from where it lands
            feet[state.side] = (*state.goal[:2], state.goal_yaw)
        size = self.world.stepper.height / 1.7
        floor = FloorMap(self.world, self.figure.name, [f[:2] for f in feet] + [given.tolist()], size)
        steps = footsteps_to(self.world.stepper, floor, feet, given.tolist(), yaw)
        for row, (side, x, y, z, turn) in zip(self.world.planned, steps):
            row.side, row.place, row.yaw = side, (x, y, z), turn
        state.planned, state.queue = len(steps), 0
        if not self.steps:
            self.steps = True
        self.score.walk(self.time, given.tolist(), yaw)
        return len(steps)

    @property
    def walking(self) -> bool:
        """Whether steps of `walk_to` are still to come."""
        state = self.world.step_state
        return bool(state.queue < state.planned)

    @property
    def rising(self) -> bool:
        """Whether it is getting up."""
        return self.world.rising_state.stage != IDLE

    def _check_rising(self, what: str) -> None:
        if self.world.stepper is None or not self.world.can_rise:
            why = "strict levels do not" if self.world.strict else "it has not the joints of human()"
            raise InputError(f"{what}: {self.model.name!r} cannot get up; {why}.")

    @property
    def dynamics(self) -> bool:
        """Whether the figure moves as its dynamics allow; False: kinematics alone, links that stand at that moment are
        held. Settable at any time."""
        return not self.world.info.kinematic

    @dynamics.setter
    def dynamics(self, on: bool) -> None:
        if bool(on) != self.dynamics:
            self.world.move_by_kinematics(not on)
        self.score.switch_dynamics(self.time, bool(on))

    def _own(self, item: Pin) -> None:
        if item.owner is not self or not item.active:
            raise InputError(f"{item.kind} {item.name!r} was released, or belongs to another choreography.")

    def _begin_item(self, item: Pin, weight: float) -> None:
        """A new pin or drag into the kernels' arrays."""
        info = self.model.frame(item.link)
        pin, aim = self.world.pin_at(item.place)
        pin.kind, pin.swing = DRAG if item.kind == "drag" else PIN, PLANTED
        pin.body, pin.turned, pin.some = info.body, item.rotation is not None, item.axes not in ("xyz", "pose")
        (aim.held, aim.turn_held), own = map(tuple, item.held), item.along
        for k in range(3):
            aim.axis[k] = tuple(own[:, k])
        aim.at, aim.weight = tuple(info.position + info.rotation @ item.point), weight
        self._reach(item)
        self._aim(item)

    def _reach(self, item: Pin, moved: bool = False) -> None:
        """How far a drag's target, or a moved pin's, may be before the figure steps, into the kernels' arrays."""
        info, limb, stepper = self.model.frame(item.link), self.world.limb_at(item.place), self.world.stepper
        flat(limb)[:] = 0
        if stepper is not None and (item.kind == "drag" or moved):
            root, limb.length = stepper.reach(info.body, info.position + info.rotation @ item.point)
            limb.root = tuple(root)

    def _aim(self, item: Pin) -> None:
        """Where a pin or drag should be, into the kernels' arrays."""
        self.world.targets[item.place] = item.target
        if item.rotation is not None:
            self.world.turns[item.place] = (item.rotation @ self.model.frame(item.link).rotation.T).ravel()

    # ---- stepping and reading --------------------------------------------------------------------------------------

    def step(self, n: int = 1) -> None:
        """Advance by n steps of dt."""
        self.world.step(n)

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
            out.append(Violation(item, *item.off(p + R @ item.point, R)))
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
        self.world.plan()
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

    def _repr_png_(self) -> bytes | None:
        """A notebook shows it as it stands."""
        return self.world._repr_png_()

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
