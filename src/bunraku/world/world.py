"""World: figures and things in one place, stepped together; the one object that owns model, state and work.

Positions are where models' root frames go. `contact` says how contacts are solved: bunraku.world.contact_models. A
connection ties any of the six axes x y z rx ry rz of a frame that is fixed to the first body; `at` is the world point
where it is made, `rotation` how it stands then against the world's axes. A step that fails raises `StepDiverged` and leaves the world at its
last good state. Checked in tests/world/.
"""

# pyright: reportUnnecessaryIsInstance=false
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Unpack, overload

import numpy as np

from bunraku.collision import Contacts, Fixed, Geometry
from bunraku.collision.rest_overlaps import overlaps_at_rest, say_overlaps
from bunraku.errors import InputError, UnknownName, closest
from bunraku.kernel.record import flat, handle, put, zeros
from bunraku.kernel.table import Table
from bunraku.model.description import Note, Shape
from bunraku.model.forest import Part, combine
from bunraku.model.model import Model
from bunraku.model.named import as_model
from bunraku.step.euler import steps
from bunraku.step.step_arrays import Drive, Info, Numbers, Step
from bunraku.world import births, watched
from bunraku.world import contact_models as models
from bunraku.world.actuators import act, equip
from bunraku.world.adding import fresh_name, join, placed
from bunraku.world.diverged import check_finite, free_steps, steps_in, whole_steps
from bunraku.world.figure import Figure, LinkOf, anchor, link_of
from bunraku.world.laststep import LastStep
from bunraku.world.materials import Friction, Materials
from bunraku.world.missing_shapes import refuse_without_extra
from bunraku.world.prepare import prepare
from bunraku.world.pushes import Push, push_now, push_of
from bunraku.world.room import Room
from bunraku.world.sensors import (
    IMU,
    Choice,
    Disturbance,
    Encoders,
    ForceTorque,
    JointSensor,
    Mounting,
    Sensor,
    SoleForce,
    sensor_of,
)
from bunraku.world.snapshot import Snapshot, put_back, take
from bunraku.world.stopped import make_room
from bunraku.world.ties import Connection, Ties, Ways, law_of
from bunraku.world.views import ContactInfo, Report, contact_views

At = LinkOf | Figure | str


class World(watched.Watched):
    """Figures and things that are stepped together, with contacts, joint limits, connections, drives and sensors.

        world = World(dt=0.001)
        world.add_ground(friction=0.8)
        figure = world.add(bk.human(), at=(0, 0, 0.901))
        world.run(seconds=2.0)

    dt [s]; contact: e.g. "pgs", "virtual_link", "pgs_2007" or "penalty" (stiffness [N/m], damping [N s/m] of a point);
    integrator: "euler" (semi-implicit) or "rk4"; gravity [m/s^2]: None takes that of the first figure whose file states
    one, 9.80665 downwards if none does; tolerance: relative residual of the contact problem
    ("pgs_2007": change in a sweep), in at most so many sweeps (2500; "pgs_2007": 120); margin [m]: how far ahead
    contacts are seen; seed: of `rng`, the world's one source of chance (noise of sensors). A step that fails raises
    StepDiverged and leaves the world at its last good state. See docs/world.md.
    """

    dt: float  # s
    contact: str
    integrator: str
    gravity: tuple[float, ...]  # m/s^2
    tolerance: float
    sweeps: int
    margin: float  # m
    stiffness: float  # N/m
    damping: float  # N s/m
    time: float  # s
    rng: np.random.Generator
    q: np.ndarray  # (nq,) coordinates of all figures, one after the other
    v: np.ndarray  # (nv,) rates
    tau: np.ndarray  # (nv,) N m or N: torques of motors
    target_q: np.ndarray  # (nq,) where servos lead
    target_v: np.ndarray  # (nv,)
    applied: np.ndarray  # (nv,) N m or N: of all drives in the last step
    drive: np.ndarray  # (nv, …) a Drive of bunraku.step.step_arrays a row
    # made by bunraku.world.prepare
    _table: Table
    _step: Step  # the same by name
    _geometry: Geometry
    _contacts: Contacts
    _room: Room
    _last: LastStep
    _info: Info
    _numbers: Numbers
    _f_ext: np.ndarray
    _moved: np.ndarray
    _joint_impulse: np.ndarray
    _warm_ids: np.ndarray  # contacts of the last step and their forces
    _warm_force: np.ndarray

    def __init__(
        self,
        dt: float = 0.001,
        contact: str = "pgs",
        *,
        integrator: str = "euler",
        gravity: Sequence[float] | None = None,
        tolerance: float = 1e-6,
        sweeps: int | None = None,
        margin: float = 0.01,
        stiffness: float = 2e5,
        damping: float = 1e3,
        seed: int = 0,
    ) -> None:
        for what, x, most in (("dt", dt, 1.0), ("tolerance", tolerance, 1.0), ("margin", margin, 10.0)):
            if not (np.isfinite(x) and 0 < x <= most):
                raise InputError(f"World: {what} {x} is not between 0 and {most:g}.")
        if not (np.isfinite(stiffness) and stiffness > 0 and np.isfinite(damping) and damping >= 0):
            raise InputError("World: stiffness must be positive, damping 0 or more (they serve contact='penalty').")
        models.check(contact, integrator)
        self.dt, self.contact, self.integrator = float(dt), contact, integrator
        self._gravity_given = gravity is not None
        self.gravity = (0.0, 0.0, -9.80665) if gravity is None else tuple(map(float, gravity))
        self.tolerance, self.sweeps, self.margin = float(tolerance), models.sweeps_of(contact, sweeps), float(margin)
        self.stiffness, self.damping = float(stiffness), float(damping)
        self.time = 0.0
        self.rng = np.random.default_rng(seed)
        self.sensors: list[Sensor] = []
        none = np.zeros(0)
        self.q, self.v, self.tau, self.target_q, self.target_v, self.applied = (none.copy() for _ in range(6))
        self.drive = zeros(Drive, 0)
        self._also = none.copy()  # torques of actuators and tendons: bunraku.world.actuators
        self._controls = np.zeros((2, 0))  # controls of all figures, and whether they act
        self._equipped: list[Figure] = []
        self._track = (np.zeros((0, 0)), np.zeros((0, 0)))
        self._figures: dict[str, Figure] = {}
        self._fixed: list[Fixed] = []
        self._materials = Materials()
        self._material_of: dict[str, int] = {}
        self._self_collision: dict[str, bool | Literal["all"]] = {}
        self._overlapping: dict[str, tuple[tuple[int, int], ...]] = {}
        self._parts: dict[str, Part] = {}
        self._model: Model | None = None
        self._ties = Ties()
        self._pushes: list[Push] = []
        self._controllers: list[Callable[[World], None]] = []
        self._ready = False

    def __repr__(self) -> str:
        names = ", ".join(list(self._figures)[:6]) + (" …" if len(self._figures) > 6 else "")
        return f"<World at {self.time:g} s, dt {self.dt:g} s, {self.contact}, {self.integrator}: {names or 'empty'}>"

    # ---- building
    # -------------------------------------------------------------------------------------------------------------

    def add(
        self,
        model: Model | str,
        at: Sequence[float] | None = None,
        *,
        rotation: Any = None,
        name: str | None = None,
        friction: Friction = None,
        restitution: float | None = None,
        self_collision: bool | Literal["all"] = True,
    ) -> Figure:
        """Add a figure or thing: a Model, or "human". `at`, `rotation` place its free base (the description's place by
        default); friction or restitution None leaves them to the other side. self_collision False: its own links never
        touch each other. True: they do, but for those whose shapes overlap in the pose at rest (`world.notes` names
        them), "all": these, too."""
        model = as_model(model, "World.add")
        model.refuse_massless("World.add")
        name = name or fresh_name(model.name, self._figures)
        if name in self._figures:
            raise InputError(f"World: there is already a figure {name!r}.")
        models.check_figure(self.integrator, model, name)
        for shape in model.shapes:
            refuse_without_extra(f"World: {name!r}, link {shape.link!r}", shape.kind, shape.role)
        q = placed(model, at, rotation)
        figure = Figure(self, name, model)
        self._figures[name] = figure
        self._material_of[name] = self._materials.add(friction, restitution)
        if self_collision not in (True, False, "all"):
            raise InputError(f'World.add: self_collision is True, False or "all", got {self_collision!r}.')
        self._self_collision[name] = self_collision
        self._overlapping[name] = overlaps_at_rest(model) if self_collision is True else ()
        join(self, name, model, q)
        self._model, self._ready = None, False
        equip(self, figure)
        return figure

    def add_ground(self, friction: Friction = 0.8, restitution: float = 0.0, *, height: float = 0.0) -> None:
        """A horizontal plane that carries everything above z = height [m]; friction and restitution are pure numbers."""
        self.add_fixed(Shape("plane", position=(0, 0, height)), friction=friction, restitution=restitution)

    def add_fixed(self, shape: Shape, *, friction: Friction = 0.8, restitution: float | None = 0.0) -> None:
        """A shape that does not move: a slope, a step, a wall; friction and restitution are pure numbers."""
        refuse_without_extra(f"World: fixed {shape.name or shape.kind!r}", shape.kind, shape.role)
        self._fixed.append(Fixed(shape, self._materials.add(friction, restitution)))
        self._ready = False

    def set_pair(self, a: Figure | None, b: Figure | None, *, friction: Friction, restitution: float = 0.0) -> None:
        """Friction and restitution, pure numbers, between two figures (None: every fixed shape)."""
        ours = [[self._material_of[x.name]] if x is not None else [f.material for f in self._fixed] for x in (a, b)]
        for i in ours[0]:
            for j in ours[1]:
                self._materials.pair(i, j, friction, restitution)
        self._ready = False

    def __getitem__(self, name: str) -> Figure:
        if name not in self._figures:
            raise UnknownName(f"the world has no figure {name!r}.{closest(name, self._figures)}")
        return self._figures[name]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """All figures, in the order they were added."""
        return tuple(self._figures.values())

    @property
    def model(self) -> Model:
        """All figures as one model, put together when it is asked for."""
        if self._model is None:
            self._model, _ = combine([(f.name, f.model) for f in self._figures.values()], self.gravity)
        return self._model

    @property
    def notes(self) -> tuple[Note, ...]:
        """What stands for meshes in collisions, and which shapes take no part, in words."""
        self._prepare()
        said = [say_overlaps(f.model, f.name, self._overlapping[f.name]) for f in self.figures]
        return (*self._geometry.notes, *(note for note in said if note is not None))

    def connect(
        self,
        a: LinkOf | Figure | str | None,
        b: LinkOf | Figure | str | None = None,
        *,
        at: Sequence[float] | None = None,
        axes: str | None = None,
        rotation: Any = None,
        velocity_axes: str = "",
        radius: float = 0.0,
        restitution: float | Mapping[str, float] = 0.0,
        break_force: float = np.inf,
        break_torque: float = np.inf,
        compliance: float = 0.0,
        damping: float = 0.0,
    ) -> Connection:
        """Tie a link to another, or to the world (None), along some of x y z rx ry rz ("x y z" by default) of a frame
        that is fixed to the first link from now on. A link is `figure["name"]` or "figure.name".

        at: world point, the (first) link's origin by default. rotation: how the frame stands now against the world's axes
        (matrix or quaternion wxyz; along them by default). velocity_axes: axes whose rates alone are tied, at the
        frame's origin (a skate), or, with radius [m], so far below the second link's point, z upwards (a wheel);
        their positions are never put right. restitution (0 to 1, or a dict by axes): part of the ends' rates that the
        first step turns round. break_force [N], break_torque [N m]: it is cut when the step's mean force exceeds it.
        compliance [m/N, rad/(N m)] makes it a spring, `damping` [N s/m, N m s] goes with it.
        """
        self._prepare()
        if not (np.isfinite(compliance) and compliance >= 0):
            raise InputError("connect: compliance must be 0 or more.")
        stiffness = 1.0 / compliance if compliance > 0 else np.inf
        law = law_of(stiffness, damping, break_force, break_torque)
        ways = Ways(axes, velocity_axes, rotation, restitution, radius)
        ends = anchor(self, "connect", a), anchor(self, "connect", b)
        if a is None and at is None:
            at = ends[1][1].tolist()
        return self._ties.make(self, ends, at, ways, law)

    def spring(
        self,
        a: LinkOf | Figure | str,
        b: LinkOf | Figure | str | None = None,
        *,
        at_a: Sequence[float] | None = None,
        at_b: Sequence[float] | None = None,
        stiffness: float,
        damping: float = 0.0,
        rest: float | None = None,
        break_force: float = np.inf,
    ) -> Connection:
        """A spring [N/m] and damper [N s/m] between two points of two links (b None: of the world), given in world
        coordinates at this moment, the links' origins by default; `rest` [m] is its length without force, the present
        one by default. Cut it with `disconnect`."""
        self._prepare()
        law = law_of(stiffness, damping, break_force)
        ends = anchor(self, "spring", a), anchor(self, "spring", b)
        return self._ties.spring(self, ends, (at_a, at_b), rest, law)

    def disconnect(self, connection: Connection) -> None:
        """Cut a connection; cutting it twice does no harm."""
        self._ties.cut(connection)

    @property
    def connections(self) -> dict[int, Connection]:
        """Connections by number, with those that broke or were cut until their number is used again."""
        return dict(self._ties.connections)

    def push(
        self,
        link: LinkOf | Figure | str,
        force: Sequence[float],
        seconds: float,
        torque: Sequence[float] = (0, 0, 0),
    ) -> None:
        """A force [N] and torque [N m], world axes, on a link's origin for some seconds from now. The link is
        `figure["trunk"]` or "human.trunk"."""
        on = link_of(self, "push", link)
        self._pushes.append(push_of(on, force, torque, seconds, self.time))

    def add_controller(self, controller: Callable[[World], None]) -> None:
        """Call `controller(world)` before every step; it may set torques. One that acts less often says so by an
        attribute `every`, a number of steps: the world then need not call it but where the number of its step (time /
        dt) is a multiple of it."""
        self._controllers.append(controller)

    @overload
    def add_sensor(self, kind: Literal["joint"], at: At, **options: Unpack[Disturbance]) -> JointSensor: ...
    @overload
    def add_sensor(self, kind: Literal["force_torque"], at: At, **options: Unpack[Mounting]) -> ForceTorque: ...
    @overload
    def add_sensor(self, kind: Literal["sole"], at: At, **options: Unpack[Mounting]) -> SoleForce: ...
    @overload
    def add_sensor(self, kind: Literal["imu"], at: At, **options: Unpack[Mounting]) -> IMU: ...
    @overload
    def add_sensor(self, kind: Literal["encoders"], at: At, **options: Unpack[Choice]) -> Encoders: ...
    def add_sensor(self, kind: str, at: At, **options: Any) -> Sensor:
        """A sensor at a link, frame or (by name, "human.left_knee") joint; see docs/world.md for the kinds, their
        channels and options."""
        self.sensors.append(sensor_of(self, kind, at, **options))
        return self.sensors[-1]

    def forget_worst(self) -> None:
        """Start anew with `report.worst_residual`, `most_sweeps` and `unsolved_in_all`."""
        self._prepare()
        self._numbers.worst_residual = 0.0
        self._info.most_sweeps = self._info.unsolved_in_all = 0

    # ---- stepping
    # -------------------------------------------------------------------------------------------------------------

    def step(self, n: int = 1) -> None:
        """Advance by n steps of dt."""
        left = n if type(n) is int and n >= 0 else whole_steps(n)
        self._prepare()
        if self._controllers:  # the step looks itself, but they come first
            check_finite(self)
        while left > 0:
            for c in self._controllers:
                c(self)
            self._f_ext[:] = 0.0
            if self._pushes:
                push_now(self)
            again = act(self) if self._equipped else False
            unborn = self._ties.unborn
            wanted = (
                1 if self._pushes or unborn or again else min((left, *(free_steps(self, c) for c in self._controllers)))
            )
            left -= wanted
            if unborn:
                births.expect(self)
            while wanted > 0:  # again where an array was too small
                done, status = self._run(wanted) if self._log is None else self._log.run(wanted)
                self.time += done * self.dt
                wanted -= done
                if status < 0:
                    make_room(self, status)
            if unborn:
                births.settle(self._ties)
            self._last.stamp += 1  # sensors may be read before the next step

    def run(self, seconds: float) -> None:
        """Advance by a time [s], rounded to whole steps."""
        self.step(steps_in(seconds, self.dt))

    def _run(self, n: int) -> tuple[int, int]:
        if self._ties.resized:
            self._ties.put_into(self._step)
        return steps.call(handle(self._step), n)

    # ---- reading
    # --------------------------------------------------------------------------------------------------------------

    @property
    def report(self) -> Report:
        """Figures of the last step: residual, penetration, solves, energy."""
        return Report.of(self) if self._ready else Report()

    @property
    def contacts(self) -> list[ContactInfo]:
        """Contact patches of the last step with their forces: see `ContactInfo`."""
        self._prepare()
        return contact_views(self)

    def snapshot(self) -> Snapshot:
        """All that affects the next step. A restored world goes on bit for bit."""
        self._prepare()
        return take(self)

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot of this world."""
        self._prepare()
        put_back(self, snapshot)

    def save(self, path: str | Path) -> Path:
        """Write the whole world into one file, to go on with `World.load`; see bunraku.world.saving."""
        from bunraku.world.saving import save

        return save(self, path)

    @classmethod
    def load(cls, path: str | Path, controllers: Sequence[Callable[[World], None]] = ()) -> World:
        """A saved world. `controllers` are those it had, in order; each is given its state back."""
        from bunraku.world.saving import load

        return load(path, controllers)

    def _state(self) -> dict[str, np.ndarray]:
        """All arrays that affect the next step."""
        t = self._ties
        return {
            "q": self.q, "v": self.v, "tau": self.tau, "target_q": self.target_q, "target_v": self.target_v, "drive": self.drive,
            "info": flat(self._info), "sweep_order": self._contacts.ints, "joint_impulse": self._joint_impulse, "applied": self.applied,
            "controls": self._controls, "warm_ids": self._warm_ids, "warm_force": self._warm_force,
            "tie_ints": t.ints, "tie_reals": t.reals, "tie_force": t.impulse,
        }  # fmt: skip

    # ---- inside
    # ---------------------------------------------------------------------------------------------------------------

    def _prepare(self) -> None:
        """Make the scene's arrays if it changed."""
        if not self._ready:
            prepare(self)
            self._ready = True

    def _set_track(self, q: np.ndarray, v: np.ndarray) -> None:
        """What servos follow from the next step on, a row a step; none: their targets stay."""
        if q.shape[1:] != self.q.shape:
            q, v = np.zeros((0, self.q.size)), np.zeros((0, self.v.size))
        self._track = q, v
        put(self._step, track_q=q, track_v=v)
