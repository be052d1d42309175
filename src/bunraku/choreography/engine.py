"""Choreography: a figure that is pinned and dragged, and moves as its dynamics allow (Yamane & Nakamura
2002).

    c = Choreography()                     # human() on the floor
    pin = c.pin("left_foot")               # stays where it is; axes="pose": its orientation too
    drag = c.drag("right_hand")
    drag.to((0.4, -0.3, 1.2))
    c.run(1.0)
    c.violations, c.report
    drag.release()
    bob = c.add_figure(name="bob", at=(1, 0)); c.add_thing("box", size=(0.2, 0.2, 0.2), at=(0.4, -0.2, 1.0))
    c.grip("right_hand", "box")            # the hand carries it; c.release("right_hand") lets go

A controller inside every step of a plain world (choreography.dance_step) finds joint accelerations and floor forces
together and turns them into torques: what the world does with them is physical, pins and drags exert no force, and a
figure that cannot stay up falls. Priorities: dynamics, friction cones, limits; then pins and drags and balance; then
desired joint values (`pose`); strict ones with priority="2002". `dynamics=False` is the comparator, their eq. (4):
kinematics alone (choreography.kinematic_step). `score` keeps everything that is done, and performs it again. World axes, SI units. Checked in
tests/choreography/test_engine.py and tests/choreography/test_grips.py.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from bunraku.choreography import cast, gripping, items
from bunraku.choreography.dance_options import DanceOptions
from bunraku.choreography.dance_snapshot import DanceSnapshot, put_dance, take_dance
from bunraku.choreography.dancer import Dancer
from bunraku.choreography.first_figure import FirstFigure
from bunraku.choreography.gains import Gains
from bunraku.choreography.grips import REACH, Grip
from bunraku.choreography.pins import Drag, Pin, Violation, checked_point, checked_rotation, clean
from bunraku.choreography.score import Score
from bunraku.choreography.studio import Studio
from bunraku.control.whole_body import is_strict
from bunraku.errors import InputError, UnknownName, closest
from bunraku.model import Model, Shape
from bunraku.model.named import as_model
from bunraku.recording.recorder import Recorder
from bunraku.world.diverged import steps_in
from bunraku.world.figure import Figure

if TYPE_CHECKING:
    from bunraku.viewer.stage import StageOptions
    from bunraku.viewer.view import View

PIN_WEIGHT, DRAG_WEIGHT = 2e3, 1e3


class Choreography(FirstFigure):
    """A figure that is pinned and dragged, and moves as its dynamics allow: `pin`, `drag`, `pose`, `run`.

    model: human() by default; at: x, y[, z] [m] or a full q: where it stands; dt [s]; contact, sweeps and integrator
    as of World; balance: keep the figure standing; steps: it steps where it cannot hold or reach otherwise; rises:
    it gets up by itself when it has fallen; dynamics False: kinematics alone; priority "weights", or "2002": pins and
    drags first, limits and desired joint values in the freedom that is left; friction of the floor; gains: how stiffly
    it follows; floor False: no ground (add what you like to `world` before the first step); name: of the figure. Further
    figures and things come by `add_figure` and `add_thing`; what is said without a figure's name goes to the first.
    Everything done is kept in `score`, which performs it again. World axes, SI units. See docs/choreography.md.
    """

    world: Studio
    gains: Gains
    priority: str
    strict: bool
    score: Score
    dancers: list[Dancer]
    items: list[Pin]
    grips: list[Grip]
    broken: list[Grip]

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
        name: str | None = None,
    ) -> None:
        body = as_model("human" if model is None else model, "Choreography")
        self.gains, self.priority, self.strict = gains or Gains(), priority, is_strict("Choreography", priority)
        self.world = Studio(
            dt=dt, contact=contact, sweeps=sweeps, integrator=integrator, seed=seed
        )  # refuses what it cannot be
        if floor:
            self.world.add_ground(friction=friction)
        self.dancers, self.items, self.grips, self.broken = [], [], [], []
        self.fixed: dict[str, Shape] = {}
        self.names = 0
        self.score = Score()
        how = {"balance": bool(balance), "steps": bool(steps), "rises": bool(rises)}
        self.dancers.append(Dancer(self, body, cast.checked_name("Choreography", name), at, 0.0, **how))
        if not dynamics:
            self.world.move_by_kinematics(True)
        options = {"dt": dt, "contact": contact, "integrator": integrator, "balance": self.balance}
        options |= {} if sweeps is None else {"sweeps": sweeps}
        self.score = Score(
            model=self.model.name,
            name=name or "",
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

    # ---- figures and things ----------------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> Dancer:
        for d in self.dancers:
            if d.name == name:
                return d
        raise UnknownName(f"there is no figure {name!r} to choreograph.{closest(name, [d.name for d in self.dancers])}")

    def add_figure(
        self,
        model: Model | str | None = None,
        *,
        name: str | None = None,
        at: Sequence[float] | None = None,
        yaw: float = 0.0,
        balance: bool | None = None,
        steps: bool | None = None,
        rises: bool | None = None,
    ) -> Dancer:
        """A further figure: human() by default, at x, y[, z] [m] or a full q, turned by yaw [rad] about the vertical;
        balance, steps and rises as the first one's by default. Its links are "name.left_hand"; it comes before the first
        step."""
        self._check_adding("add_figure")
        body = as_model("human" if model is None else model, "add_figure")
        name = cast.checked_name("add_figure", name)
        given = {"balance": balance, "steps": steps, "rises": rises}
        how = {key: getattr(self, key) if x is None else bool(x) for key, x in given.items()}
        d = Dancer(self, body, name, at, yaw, **how)
        self.dancers.append(d)
        values = {"model": body.name, "start": d.start.tolist(), **how}
        self.score.cast.append(cast.Member("figure", d.name, values))
        return d

    def add_thing(
        self,
        shape: str,
        *,
        name: str | None = None,
        at: Sequence[float] | np.ndarray,
        rotation: Sequence[float] | None = None,
        size: Sequence[float] | None = None,
        radius: float | None = None,
        length: float | None = None,
        mass: float | None = None,
        fixed: bool = False,
        friction: float | None = None,
    ) -> str:
        """A thing: a "box" or "ellipsoid" of a size (x, y, z) [m], a "sphere" of a radius, a "capsule", "cylinder" or
        "cone" of a radius and a length, 1 kg by default; at its place [m] and rotation (quaternion wxyz), loose, or fixed
        for ever. Returns its name. It comes before the first step."""
        self._check_adding("add_thing")
        values = {"size": size, "radius": radius, "length": length, "mass": mass, "at": at, "rotation": rotation}
        return cast.add_thing(self, shape, name, {**values, "friction": friction}, fixed)

    def _check_adding(self, who: str) -> None:
        if self.time > 0:
            raise InputError(f"{who}: figures and things come before the first step.")
        if not self.dynamics:
            raise InputError(f"{who}: without dynamics nothing but the figure moves; make it with dynamics=True.")

    def link_at(self, who: str, link: str) -> tuple[Figure, str]:
        """A link by its name: the first figure's, "figure.link", or a thing's name."""
        if link in {f.name for f in self.model.frames}:
            return self.figure, link
        figures = {f.name: f for f in self.world.figures}
        head, _, tail = link.partition(".") if isinstance(link, str) else ("", "", "")
        if head in figures:
            figure = figures[head]
            return figure, figure.model.frame(tail).name if tail else figure.model.links[0].name
        if link in self.fixed:
            raise InputError(f"{who}: {link!r} is fixed to the world.")
        if len(figures) == 1:
            self.model.frame(link)  # says what there is
        raise UnknownName(
            f"{who}: there is no link, figure or thing {link!r}.{closest(str(link), [*figures, *(f.name for f in self.model.frames)])}"
        )

    # ---- pins, drags, poses ----------------------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """Time [s]."""
        return self.world.time

    @property
    def pins(self) -> tuple[Pin, ...]:
        """Pins that act."""
        return tuple(p for p in self.items if p.kind == "pin")

    @property
    def drags(self) -> tuple[Drag, ...]:
        """Drags that act."""
        return tuple(p for p in self.items if isinstance(p, Drag))

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
        """Take hold of a point [m, link's frame] of a link; move it with `to`, end with `release`. axes and rotation as
        of `pin`, but with "pose" it begins at the present rotation."""
        if axes == "pose" and rotation is not None:
            raise InputError(f"drag {link!r}: with axes='pose' it begins as it is; turn it with `to`.")
        made = self._make(Drag, link, point, axes, None, rotation, weight)
        assert isinstance(made, Drag)
        return made

    def _make(self, kind: type[Pin], link: str, point: Any, axes: str, at: Any, rotation: Any, weight: float) -> Pin:
        return items.make(self, kind, link, (point, axes, at, rotation), weight)

    def move(self, item: Pin, position: Sequence[float] | np.ndarray, rotation: Any = None) -> None:
        """Move the target of a drag (or pin) to a position [m] of the world."""
        self._own(item)
        target = checked_point(f"{item.kind} {item.link!r}: to", position)
        if rotation is not None:
            if item.axes != "pose":
                raise InputError(f"{item.kind} {item.link!r}: a rotation needs axes='pose'.")
            item.rotation = clean(checked_rotation(f"{item.kind} {item.link!r}", rotation))
        item.target = target
        if item.kind == "pin":
            items.reach_of(item, moved=True)
        items.aim_item(item)
        self.score.move(self.time, item)

    def _own(self, item: Pin) -> None:
        if item.owner is not self or not item.active:
            raise InputError(f"{item.kind} {item.name!r} was released, or belongs to another choreography.")

    def release(self, item: Pin | Grip | str) -> None:
        """End a pin, drag or grip, or the grip of a link, by name; one that has ended is no mistake."""
        if isinstance(item, str):
            item = self.grip_of(item)
        if item.owner is not self:
            raise InputError(f"release: {item.name!r} belongs to another choreography.")
        if isinstance(item, Grip):
            gripping.let_go(self, item)
        elif item.active:
            items.end_item(item)
            self.items.remove(item)
            self.score.end(self.time, item)
            self.world.note(f"release {item.name} {item.link}")

    # ---- grips -----------------------------------------------------------------------------------------------------

    def grip(
        self,
        link: str,
        other: str,
        *,
        axes: str | None = None,
        break_force: float = np.inf,
        break_torque: float = np.inf,
        reach: float = REACH,
    ) -> Grip:
        """Let a hand hold a thing, another figure's link ("bob.left_hand") or something fixed, as they are now, until
        `release`. axes: those of World.connect; all six by default, "x y z" for a second hand of a figure on the same
        thing. It breaks where it is asked for more than break_force [N] or break_torque [N m]. InputError where it is
        farther away than `reach` [m]."""
        return gripping.make(self, link, other, axes, break_force, break_torque, reach)

    def grip_of(self, link: str) -> Grip:
        """The grip of a hand."""
        return gripping.grip_of(self, link)

    # ---- what figures are told -------------------------------------------------------------------------------------

    def pose(self, joints: Mapping[str, float | Sequence[float] | None]) -> None:
        """Desired joint values {joint: angle [rad] (or quaternion of a ball)}, followed in the freedom that is left;
        None releases one, which then goes back to its value at the start; others keep theirs. "bob.left_elbow" is a
        joint of another figure."""
        told: dict[str, dict[str, Any]] = {}
        others = {d.name for d in self.dancers[1:]}
        for name, value in joints.items():
            head, _, tail = name.partition(".")
            who = head if head in others and tail else self.dancers[0].name
            own = name if who != head else tail
            told.setdefault(who, {})[own.removeprefix(f"{who}.")] = value
        asked: dict[str, list[float]] = {}
        for who, values in told.items():
            prefix = f"{who}." if who in others else ""
            asked |= {prefix + name: x for name, x in self[who].joint_values(values).items()}
        self.score.pose(self.time, asked)

    @property
    def desired(self) -> dict[str, list[float]]:
        """Joint values that are desired now [rad or m], as `pose` was given them."""
        out: dict[str, list[float]] = {}
        for _, joints in self.score.poses:
            out.update(joints)
        return {name: value for name, value in out.items() if value}

    @property
    def dynamics(self) -> bool:
        """Whether the figure moves as its dynamics allow; False: kinematics alone, links that stand at that moment are
        held. Settable at any time where there is one figure and no thing."""
        return not self.world.info.kinematic

    @dynamics.setter
    def dynamics(self, on: bool) -> None:
        if not on and len(self.world.figures) > 1:
            raise InputError("dynamics: kinematics alone moves one figure without things; it stays on here.")
        if bool(on) != self.dynamics:
            self.world.move_by_kinematics(not on)
        self.score.switch_dynamics(self.time, bool(on))

    # ---- stepping and reading --------------------------------------------------------------------------------------

    def step(self, n: int = 1) -> None:
        """Advance by n steps of dt."""
        try:
            self.world.step(n)
        finally:
            gripping.look(self)

    def run(self, seconds: float) -> None:
        """Advance by a time [s], rounded to whole steps."""
        self.step(steps_in(seconds, self.world.dt))

    @property
    def violations(self) -> list[Violation]:
        """How far each pin and drag is from where it should be now: (item, metres, radians)."""
        out = []
        for item in self.items:
            p, R = item.figure.pose(item.part)
            out.append(Violation(item, *item.off(p + R @ item.point, R)))
        return out

    def snapshot(self) -> DanceSnapshot:
        """All that affects what comes; `restore` goes back to it bit for bit (undo)."""
        return take_dance(self)

    def restore(self, snapshot: DanceSnapshot) -> None:
        """Go back. Pins, drags and grips made since are released, those released since act again."""
        put_dance(self, snapshot)

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
        for p in self.items:
            if p.name == name:
                return p
        raise UnknownName(f"there is no pin or drag {name!r}.{closest(name, [p.name for p in self.items])}")
