"""World: figures and things in one place, stepped together; the one object that owns model, state and work.

    world = World(dt=0.001)
    world.add_ground(friction=0.8)
    fig = world.add(bk.human(), at=(0, 0, 0.901))
    world.run(seconds=2.0)

Positions are where models' root frames go. Contacts are rigid and solved by `pgs` (constraint.contact). A connection ties any of the six
axes x y z rx ry rz of a frame that is fixed to the first body; `at` is the world point where it is made, and the frame has world axes then.
A step that fails raises `StepDiverged` and leaves the world at its last good state. Checked in tests/world/.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bunraku.collision import Contacts, Fixed, Geometry, Placed
from bunraku.collision.layout import FULL, PAIRS_FULL
from bunraku.constraint.rows import ROOM
from bunraku.dynamics.functions import centroidal, kinematics
from bunraku.dynamics.work import Work
from bunraku.errors import BunrakuError, InputError, UnknownName, closest
from bunraku.model import layout as at
from bunraku.model.configuration import multiply
from bunraku.model.description import Shape, rotation_matrix
from bunraku.model.forest import Part, combine
from bunraku.model.model import Model
from bunraku.world.errors import StepDiverged
from bunraku.world.materials import Materials
from bunraku.world.room import MOST, Room
from bunraku.world.snapshot import Snapshot, put_back, take
from bunraku.world.step import DIVERGED, steps
from bunraku.world.ties import Connection, Ties
from bunraku.world.views import ContactInfo, Report, contact_views

CONTACT_MODELS = ("pgs",)


@dataclass(frozen=True)
class LinkOf:
    """A link or frame of a figure in a world: `figure["left_hand"]`."""

    figure: Figure
    name: str


class Figure:
    """A figure or thing in a world: views of its part of the state."""

    def __init__(self, world: World, name: str, model: Model) -> None:
        self.world, self.name, self.model = world, name, model

    def __getitem__(self, name: str) -> LinkOf:
        self.model.frame(name)
        return LinkOf(self, name)

    @property
    def part(self) -> Part:
        """Where it stands in the world's arrays."""
        return self.world._parts[self.name]

    @property
    def q(self) -> np.ndarray:
        """Its coordinates: a view, writable."""
        return self.world.q[self.part.q]

    @property
    def v(self) -> np.ndarray:
        """Its rates: a view, writable."""
        return self.world.v[self.part.v]

    @property
    def tau(self) -> np.ndarray:
        """Torques on its degrees of freedom [N m or N]: a view, writable, kept until changed."""
        return self.world.tau[self.part.v]

    @property
    def com(self) -> np.ndarray:
        """Its centre of mass [m]."""
        return centroidal(self.model, self.q.copy(), self.v.copy()).com

    @property
    def energy(self) -> float:
        """Its kinetic and potential energy [J] under its own model's gravity."""
        return float(centroidal(self.model, self.q.copy(), self.v.copy()).energy)

    def pose(self, link: str) -> tuple[np.ndarray, np.ndarray]:
        """(position, rotation) of a link or frame in the world."""
        return kinematics(self.model, self.q.copy()).pose(link)

    def velocity(self, link: str) -> np.ndarray:
        """(linear, angular) velocity of a link or frame, world axes."""
        return kinematics(self.model, self.q.copy(), self.v.copy()).velocity(link)


class World:
    """See the module text. dt [s]; gravity [m/s^2]; tolerance: relative residual of the contact problem; margin [m]: how far ahead
    contacts are seen."""

    def __init__(
        self,
        dt: float = 0.001,
        contact: str = "pgs",
        *,
        gravity: Sequence[float] = (0.0, 0.0, -9.80665),
        tolerance: float = 1e-6,
        sweeps: int = 200,
        margin: float = 0.01,
    ) -> None:
        if not (np.isfinite(dt) and 0 < dt <= 1):
            raise InputError(f"World: dt {dt} s is not between 0 and 1.")
        if contact not in CONTACT_MODELS:
            raise InputError(f"World: there is no contact model {contact!r}.{closest(contact, CONTACT_MODELS)}")
        self.dt, self.contact, self.gravity = float(dt), contact, tuple(map(float, gravity))
        self.tolerance, self.sweeps, self.margin = float(tolerance), int(sweeps), float(margin)
        self.time = 0.0
        self.q, self.v, self.tau = np.zeros(0), np.zeros(0), np.zeros(0)
        self.report = Report()
        self._figures: dict[str, Figure] = {}
        self._fixed: list[Fixed] = []
        self._materials = Materials()
        self._material_of: dict[str, int] = {}
        self._parts: dict[str, Part] = {}
        self._ties = Ties()
        self._pushes: list[tuple[str, str, np.ndarray, float]] = []
        self._controllers: list[Callable[[World], None]] = []
        self._ready = False

    # ---- building -------------------------------------------------------------------------------------------------------------

    def add(
        self,
        model: Model,
        at: Sequence[float] | None = None,
        *,
        rotation: Any = None,
        name: str | None = None,
        friction: float | None = None,
        restitution: float | None = None,
    ) -> Figure:
        """Add a figure or thing. `at`, `rotation` place its free base (the description's place by default); friction or restitution None
        leaves them to the other side."""
        name = name or self._fresh(model.name)
        if name in self._figures:
            raise InputError(f"World: there is already a figure {name!r}.")
        q = model.neutral()
        root = model.joints[0] if model.joints and model.joints[0].kind == "free" else None
        if at is not None or rotation is not None:
            if root is None:
                raise InputError(
                    f"World: {model.name!r} has a fixed base; it cannot be placed with `at` or `rotation`."
                )
            if at is not None:
                x = np.asarray(at, dtype=float)
                if x.shape != (3,) or not np.all(np.isfinite(x)):
                    raise InputError(f"World: `at` needs three finite numbers, got {at}.")
                q[root.iq : root.iq + 3] = x
            if rotation is not None:
                from bunraku.model.build import quaternion

                turn = quaternion(rotation_matrix(rotation))
                q[root.iq + 3 : root.iq + 7] = multiply(turn, q[root.iq + 3 : root.iq + 7])
        figure = Figure(self, name, model)
        self._figures[name] = figure
        self._material_of[name] = self._materials.add(friction, restitution)
        self._rebuild(name, q)
        return figure

    def add_ground(self, friction: float = 0.8, restitution: float = 0.0, *, height: float = 0.0) -> None:
        """A horizontal plane that carries everything above z = height."""
        self.add_fixed(Shape("plane", position=(0, 0, height)), friction=friction, restitution=restitution)

    def add_fixed(self, shape: Shape, *, friction: float | None = 0.8, restitution: float | None = 0.0) -> None:
        """A shape that does not move: a slope, a step, a wall."""
        self._fixed.append(Fixed(shape, self._materials.add(friction, restitution)))
        self._ready = False

    def set_pair(self, a: Figure | None, b: Figure | None, *, friction: float, restitution: float = 0.0) -> None:
        """Friction and restitution between two figures (None: every fixed shape)."""
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

    def connect(
        self,
        a: LinkOf | Figure,
        b: LinkOf | Figure | None = None,
        *,
        at: Sequence[float] | None = None,
        axes: str = "x y z",
        break_force: float = np.inf,
        break_torque: float = np.inf,
        compliance: float = 0.0,
    ) -> Connection:
        """Tie a link to another, or to the world (None), along some of x y z rx ry rz; see the module text for the frame.

        at: world point, the first link's origin by default. break_force [N], break_torque [N m]: it is cut when the step's mean force exceeds it.
        """
        self._prepare()
        return self._ties.make(self, self._anchor(a), self._anchor(b), at, axes, break_force, break_torque, compliance)

    def disconnect(self, connection: Connection) -> None:
        """Cut a connection; cutting it twice does no harm."""
        self._ties.cut(connection)

    @property
    def connections(self) -> dict[int, Connection]:
        """Connections by number, with those that broke or were cut until their number is used again."""
        return dict(self._ties.connections)

    def push(self, link: LinkOf, force: Sequence[float], seconds: float, torque: Sequence[float] = (0, 0, 0)) -> None:
        """A force [N] and torque [N m], world axes, on a link's origin for some seconds from now."""
        wrench = np.array([*force, *torque], dtype=float)
        if wrench.shape != (6,) or not np.all(np.isfinite(wrench)) or not seconds > 0:
            raise InputError("push: force and torque need three finite numbers each, seconds a positive one.")
        self._pushes.append((link.figure.name, link.name, wrench, self.time + seconds))

    def add_controller(self, controller: Callable[[World], None]) -> None:
        """Call `controller(world)` before every step; it may set torques."""
        self._controllers.append(controller)

    # ---- stepping -------------------------------------------------------------------------------------------------------------

    def step(self, n: int = 1) -> None:
        """Advance by n steps of dt."""
        self._prepare()
        if not np.all(np.isfinite(self.q)) or not np.all(np.isfinite(self.v)) or not np.all(np.isfinite(self.tau)):
            raise StepDiverged(
                f"t={self.time:.4f} s: {self._not_finite()} is not finite; set it again, or restore a snapshot."
            )
        alone = self._controllers or self._pushes or self._ties.breakable
        left = int(n)
        while left > 0:
            for c in self._controllers:
                c(self)
            if self._controllers and not np.all(np.isfinite(self.tau)):
                raise StepDiverged(f"t={self.time:.4f} s: {self._not_finite()} is not finite; a controller set it.")
            self._push_now()
            many = 1 if alone else left
            done, status = self._run(many)
            self.time += done * self.dt
            left -= done
            if status < 0:
                self._answer(status)
                continue
            self._ties.break_overloaded(self)
        self._look()

    def run(self, seconds: float) -> None:
        """Advance by a time, rounded to whole steps."""
        self.step(round(seconds / self.dt))

    def _run(self, n: int) -> tuple[int, int]:
        r, c, g = self._room, self._contacts, self._geometry
        fixed = -1 if g.sweeps else len(g.pairs)
        friction, restitution = self._materials.tables()
        return steps.call(
            self._work.handle,
            *(self.q, self.v, self.tau, self._f_ext, self._a, self._dv, self._torques, self._moved),
            *(g.ints, g.reals, c.pairs, fixed, g.excluded, c.real, c.ints, c.ids, c.data),
            *(friction, restitution, self._warm_ids, self._warm_force),
            *r.tables,
            *r.lists,
            *r.solver,
            *self._limits,
            *self._ties.arrays(),
            *(self._info, self._numbers, self.dt, self.margin, self.tolerance, self.sweeps, n),
        )

    def _answer(self, status: int) -> None:
        """Make room and let the step be tried again, or say why it cannot be done."""
        if status in (FULL, PAIRS_FULL):
            self._contacts.grow(status)
            ids, force = self._warm_ids, self._warm_force
            self._new_warm(ids, force)
        elif status == ROOM:
            if self._room.rows > MOST:
                raise StepDiverged(
                    f"t={self.time:.4f} s: more than {MOST} constraint rows; spread the scene out, or take fewer shapes."
                )
            self._room = self._room.grown(self.model)
        elif status == DIVERGED:
            worst = int(np.argmax(np.nan_to_num(np.abs(self._moved), nan=np.inf)))
            name, speed = self.model.dof_names[worst], self._moved[worst]
            raise StepDiverged(
                f"t={self.time:.4f} s: {name!r} would move at {speed:.3g} ({self.contact}, residual {self._numbers[0]:.2g}). "
                f"The last good state is kept. Try dt <= {self.dt / 2:.2g}."
            )
        else:
            raise BunrakuError(f"step: unknown status {status}.")

    # ---- reading --------------------------------------------------------------------------------------------------------------

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
        ties = dict(zip(("tie_ints", "tie_reals", "tie_force"), self._ties.arrays()))
        return {
            "q": self.q, "v": self.v, "tau": self.tau, "info": self._info, "sweep_order": self._contacts.ints,
            "warm_ids": self._warm_ids, "warm_force": self._warm_force, **ties,
        }  # fmt: skip

    # ---- inside ---------------------------------------------------------------------------------------------------------------

    def _fresh(self, name: str) -> str:
        if name not in self._figures:
            return name
        return next(f"{name}{k}" for k in range(2, 10**9) if f"{name}{k}" not in self._figures)

    def _rebuild(self, name: str, q: np.ndarray) -> None:
        """The combined model after a figure was added; the others keep their state."""
        nv = self._figures[name].model.nv
        self.q = np.concatenate([self.q, q])
        self.v = np.concatenate([self.v, np.zeros(nv)])
        self.tau = np.concatenate([self.tau, np.zeros(nv)])
        self.model, parts = combine([(f.name, f.model) for f in self._figures.values()], self.gravity)
        self._parts = {p.name: p for p in parts}
        self._ready = False

    def _prepare(self) -> None:
        """Compile the scene if it changed."""
        if self._ready:
            return
        if not self._figures:
            raise InputError("the world is empty; add a figure first.")
        m = self.model
        placed = [Placed(p.model, p.body, material=self._material_of[p.name]) for p in self._parts.values()]
        self._geometry = Geometry.of(placed, self._fixed)
        self._contacts = Contacts(self._geometry)
        self._work, self._room = Work(m), Room(m)
        self._f_ext, self._a, self._dv = np.zeros(6 * m.nb), np.zeros(m.nv), np.zeros(m.nv)
        self._torques, self._moved = np.zeros(m.nv), np.zeros(m.nv)
        self._info, self._numbers = np.zeros(8, dtype=np.int64), np.zeros(4)
        self._new_warm(np.zeros((0, 4), dtype=np.int64), np.zeros((0, 3)))
        body, iq = np.zeros(m.nv, dtype=np.int64), np.zeros(m.nv, dtype=np.int64)
        for i in range(1, m.nb):
            if m.ints[i, at.KIND] in (at.HINGE, at.SLIDER):
                d = m.ints[i, at.IV]
                iq[d] = m.ints[i, at.IQ]
                if np.isfinite(m.lower[d]) or np.isfinite(m.upper[d]):
                    body[d] = m.ints[i, at.LEAD]
        self._limits = (m.lower.copy(), m.upper.copy(), body, iq)
        self._ready = True

    def _new_warm(self, ids: np.ndarray, force: np.ndarray) -> None:
        room = max(len(self._contacts.ids), len(ids))
        self._warm_ids, self._warm_force = np.zeros((room, 4), dtype=np.int64), np.zeros((room, 3))
        self._warm_ids[: len(ids)], self._warm_force[: len(ids)] = ids, force

    def _push_now(self) -> None:
        self._f_ext[:] = 0.0
        self._pushes = [p for p in self._pushes if p[3] > self.time + 0.5 * self.dt]
        for figure, link, wrench, _ in self._pushes:
            f = self._figures[figure]
            info = f.model.frame(link)
            arm = kinematics(f.model, f.q.copy()).rotation[info.body] @ info.position
            k = 6 * (f.part.body + info.body)
            self._f_ext[k : k + 3] += wrench[:3]
            self._f_ext[k + 3 : k + 6] += wrench[3:] + np.cross(arm, wrench[:3])

    def _anchor(self, x: LinkOf | Figure | None) -> tuple[int, np.ndarray, np.ndarray]:
        """(body, position, rotation) of a link in the world."""
        if x is None:
            return 0, np.zeros(3), np.eye(3)
        link = LinkOf(x, x.model.links[0].name) if isinstance(x, Figure) else x
        info = link.figure.model.frame(link.name)
        position, rotation = link.figure.pose(link.name)
        return (link.figure.part.body + info.body if info.body else 0), position, rotation

    def _not_finite(self) -> str:
        for what, a, names in (("v", self.v, self.model.dof_names), ("tau", self.tau, self.model.dof_names)):
            bad = np.flatnonzero(~np.isfinite(a))
            if len(bad):
                return f"{what} of {names[bad[0]]!r}"
        bad = int(np.flatnonzero(~np.isfinite(self.q))[0])
        return next((f"q of {j.name!r}" for j in self.model.joints if j.iq <= bad < j.iq + max(j.nq, 1)), "q")

    def _look(self) -> None:
        self.report = Report.of(self)
