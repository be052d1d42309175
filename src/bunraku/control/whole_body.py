"""Whole-body control: joint accelerations and contact forces found together, and the torques that make them.

    body = WholeBody(bk.human())
    s = body.solve(q, v, tasks=[Task("left_hand", (0, 0, -1.0))], contacts=sole_contacts)
    s.a, s.forces, s.tau

    min   sum weight |J a + J_dot v - wanted|^2   over tasks and contacts   +  momentum  +  posture  +  small forces
    with  M a + h = (0, tau) + J'f                exactly (the base is eliminated)
          f in friction cones, accelerations and torques in their bounds

Priorities are weights: what is physical holds exactly, contacts (1e6) before tasks (1e3) before posture (1); a request
that contradicts another gives way smoothly. `rounds` > 1 makes contact rows, cones and bounds exact (1e-9) where they
can all hold. World axes, SI units. The method is in control.whole_body_solve. Checked in
tests/control/test_whole_body.py.

Why a kernel and not a maintained solver: 150 problems in a row of human() on two feet (52 unknowns, 8 contacts), as
bunraku.motion.follow has them every 2.5 ms; least (median) time of a call from Python on one core of a shared AMD EPYC.
The solvers get H and g ready-made, and pyramids for cones.
    this kernel, H and g included: one round, as choreography uses it    24 us  (39 us)
                                   five rounds, exact to 1e-9            64 us  (75 us)
    quadprog 0.1.14                57 us  (60 us)     the kernel's accelerations to 5e-6, mostly 1e-10
    ProxQP 0.8.0 (proxsuite)      162 us (332 us)     warm-started, 1e-4; to 6e-6
    OSQP 1.1.3                    221 us (313 us)     warm-started, 1e-4; accelerations off by a third
    PIQP 0.6.4                    545 us (627 us)     to 3e-4
So for one exact problem quadprog is as fast and as accurate, and would do. The kernel is kept because it runs inside
the world's compiled step, without Python, from the last step's solution; has round cones; and gives way where limits
contradict each other, where an active-set solver refuses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bunraku.control import whole_body_arrays as at
from bunraku.control.strict_levels import whole_body_once
from bunraku.dynamics.arguments import as_rows
from bunraku.errors import InputError
from bunraku.kernel.record import Many, handle
from bunraku.kernel.table import Table
from bunraku.model.model import Model

CONTACT_WEIGHT, TASK_WEIGHT, FORCE_WEIGHT = 1e6, 1e3, 1e-5
PRIORITIES = ("weights", "2002")
Vector = Sequence[float] | np.ndarray


@dataclass(frozen=True)
class Task:
    """A link's wanted acceleration: 3 numbers (linear) or 6 (linear, angular) [m/s^2, rad/s^2] of `point` [m, link's
    frame]; weight: one, or one for each row."""

    link: str
    wanted: Vector
    point: Vector = (0.0, 0.0, 0.0)
    weight: float | Vector = TASK_WEIGHT


@dataclass(frozen=True)
class Contact:
    """A point of a link that touches: it may be pushed along `normal` (out of the floor) inside the friction cone, and
    shall have the acceleration `wanted` [m/s^2]; further rounds make that exact, unless it gives way. `near` [N]: a
    force that the solution stays near to."""

    link: str
    point: Vector = (0.0, 0.0, 0.0)
    normal: Vector = (0.0, 0.0, 1.0)
    friction: float = 0.8
    wanted: Vector = (0.0, 0.0, 0.0)
    weight: float = CONTACT_WEIGHT
    near: Vector = (0.0, 0.0, 0.0)
    gives: bool = False


@dataclass(frozen=True, eq=False)
class Apart:
    """Two bodies that shall not come nearer: along `normal`, from the second to the first, the first one's material at
    `point` [m, world] accelerates by `least` [m/s^2] or more against the second one's."""

    bodies: tuple[int, int]
    point: Vector
    normal: Vector
    least: float


@dataclass(frozen=True, kw_only=True)
class Solution:
    """What was found: accelerations, forces and torques, and how far the solver came."""

    a: np.ndarray  # (nv,)
    forces: np.ndarray  # (contacts, 3) [N] world axes
    tau: np.ndarray  # (nv,) zeros on the base
    iterations: int
    factors: int  # factorisations
    limited: int  # torques that are at their limits
    open_contacts: float  # m/s^2 that contacts lacked before the last round, 0 for one round
    outside_cones: float  # N that forces were outside of their cones, likewise


class WholeBody:
    """A figure's whole-body problem with its arrays, to be solved again and again, each from the last solution.
    cone_part: the penalty of cones, of the largest curvature of the forces; more makes them exact in fewer rounds, each
    of more iterations; priority "2002": contacts, tasks and momentum first, posture and bounds only in what freedom
    they leave (control.strict_levels)."""

    def __init__(
        self,
        model: Model,
        *,
        contacts: int = at.MOST_CONTACTS,
        tasks: int = at.MOST_TASKS,
        cone_part: float = 0.03,
        priority: str = "weights",
    ) -> None:
        self.model = model
        dense = at.MOST_APART + 2 * model.nv
        self._room = at.Room(
            model,
            Table(at.WholeBodyProblem.layout.slots),
            contacts,
            tasks,
            dense,
            strict=is_strict("whole_body", priority),
        )
        p = self._room.p  # below its arrays at hand: a field that is looked up each time costs more than what is done
        self._q, self._v, self._y, self._a, self._force, self._tau = p.q, p.v, p.y, p.a, p.force, p.tau
        self._task_body, self._contact_body, self._contacts = p.task_body, p.contact_body, 0
        self._count, self._settings, self._handle = p.count, p.settings, handle(p)
        self._task, self._contact, self._posture = _columns(p.task), _columns(p.contact), _columns(p.posture)
        self._momentum, self._bound, self._effort = _columns(p.momentum), _columns(p.bound), _columns(p.effort)
        self._pairs, self._apart = _columns(p.apart_body), _columns(p.apart)
        self._most_effort = np.minimum(model.effort[self._room.first :], at.FAR)
        p.settings.cone_part = cone_part

    @property
    def problem(self) -> at.WholeBodyProblem:
        """The arrays of the problem, with what the next one begins from."""
        return self._room.p

    @property
    def contacts(self) -> int:
        """How many contacts the last problem had."""
        return self._contacts

    @contacts.setter
    def contacts(self, many: int) -> None:
        self._contacts = many

    @property
    def joints(self) -> int:
        """Degrees of freedom of joints: nv without those of a free base."""
        return self._room.nj

    def solve(
        self,
        q: np.ndarray,
        v: np.ndarray,
        *,
        tasks: Sequence[Task] = (),
        contacts: Sequence[Contact] = (),
        posture: Vector | None = None,
        posture_weight: float | Vector = 1.0,
        momentum: Mapping[int, tuple[float, float]] | None = None,
        bounds: tuple[Vector, Vector] | None = None,
        apart: Sequence[Apart] = (),
        force_weight: float = FORCE_WEIGHT,
        torque_limits: bool | float = True,
        rounds: int = 5,
    ) -> Solution:
        """One problem. posture (joints,) [rad/s^2]: wanted joint accelerations, 0 by default; momentum {row: (wanted,
        weight)}: rates of linear (0-2) and angular (3-5, about the centre of mass) momentum, which contacts alone can
        make (gravity not counted); bounds (least, largest) of joint accelerations (joints,); apart: bodies that
        keep their distance; force_weight [1/N^2] of forces; torque_limits: those of the model, times a number."""
        m, nj = self.model, self._room.nj
        self._q[:], self._v[:] = as_rows("q", q, m.nq, None), as_rows("v", v, m.nv, None)
        self._put_tasks(tasks)
        self._put_contacts(contacts)
        self._put_apart(apart)
        self._posture["wanted"][:] = _numbers("posture", 0.0 if posture is None else posture, nj)
        self._posture["weight"][:] = _numbers("posture_weight", posture_weight, nj)
        self._momentum["weight"][:] = 0.0
        for row, (wanted, weight) in (momentum or {}).items():
            if row not in range(6):
                raise InputError(f"whole_body: momentum row {row} is not one of 0 … 5.")
            self._momentum["wanted"][row], self._momentum["weight"][row] = wanted, weight
        low, high = (-at.FAR, at.FAR) if bounds is None else bounds
        least, most = self._bound["least"], self._bound["most"]
        least[:], most[:] = _numbers("bounds", low, nj), _numbers("bounds", high, nj)
        if (least > most).any():
            raise InputError("whole_body: a lower bound is above its upper bound.")
        effort = torque_limits * self._most_effort if torque_limits else at.FAR
        self._effort["least"][:], self._effort["most"][:] = -effort, effort
        if rounds < 1:
            raise InputError(f"whole_body: rounds {rounds} is not 1 or more.")
        s, count = self._settings, self._count
        s.force_weight, s.rest_cone, count.rounds = force_weight, 0.0, rounds
        whole_body_once.call(self._handle)
        weight = max((c.weight for c in contacts), default=1.0)
        return Solution(
            a=self._a.copy(),
            forces=self._force[: len(contacts)].copy(),
            tau=self._tau.copy(),
            iterations=int(count.iterations),
            factors=int(count.factors),
            limited=int(count.limited),
            open_contacts=abs(float(s.rest_contact)) / max(weight, 1e-300) ** 0.5,
            outside_cones=float(s.rest_cone),
        )

    def _put_tasks(self, tasks: Sequence[Task]) -> None:
        to, most = self._task, self._room.most[1]
        if len(tasks) > most:
            raise InputError(
                f"whole_body: {len(tasks)} tasks, room for {most}; make it with WholeBody(tasks={len(tasks)})."
            )
        for k, t in enumerate(tasks):
            info = self.model.frame(t.link)
            wanted = np.asarray(t.wanted, dtype=float)
            if wanted.shape not in ((3,), (6,)) or not np.isfinite(wanted).all():
                raise InputError(f"whole_body: the task of {t.link!r} needs 3 or 6 finite numbers, got {t.wanted}.")
            weight = _numbers("weight", t.weight, len(wanted))
            to["point"][k] = info.position + info.rotation @ _numbers("point", t.point, 3)
            to["wanted"][k], to["weight"][k] = wanted[:3], weight[:3]
            to["turning"][k], to["turning_weight"][k] = (wanted[3:], weight[3:]) if len(wanted) == 6 else (0.0, 0.0)
            self._task_body[k] = info.body
        self._count.tasks = len(tasks)

    def _put_contacts(self, contacts: Sequence[Contact]) -> None:
        to, most = self._contact, self._room.most[0]
        if len(contacts) > most:
            raise InputError(
                f"whole_body: {len(contacts)} contacts, room for {most}; "
                f"make it with WholeBody(contacts={len(contacts)})."
            )
        for k, c in enumerate(contacts):
            info = self.model.frame(c.link)
            normal = _numbers("normal", c.normal, 3)
            length = float(np.linalg.norm(normal))
            if not length > 0 or not c.friction >= 0 or not c.weight >= 0:
                raise InputError(
                    f"whole_body: the contact of {c.link!r} needs a normal, friction and weight of 0 or more."
                )
            to["point"][k] = info.position + info.rotation @ _numbers("point", c.point, 3)
            to["normal"][k] = normal / length
            to["friction"][k], to["weight"][k], to["radius"][k] = c.friction, c.weight, -1.0
            to["wanted"][k], to["near"][k] = _numbers("wanted", c.wanted, 3), _numbers("near", c.near, 3)
            to["gives"][k] = c.gives
            self._contact_body[k] = info.body
        if len(contacts) != self._contacts:
            self._y[:] = 0.0
            first = (self._room.nj + 3) // 4 * 4
            self._y[first : first + 3 * len(contacts) : 3] = 9.8 * self.model.mass / max(len(contacts), 1)
            self._room.p.upper[:] = self._y
        self._count.contacts = self._contacts = len(contacts)

    def _put_apart(self, apart: Sequence[Apart]) -> None:
        if len(apart) > at.MOST_APART:
            raise InputError(f"whole_body: {len(apart)} pairs of bodies, room for {at.MOST_APART}.")
        for k, x in enumerate(apart):
            self._pairs["first"][k], self._pairs["second"][k] = x.bodies
            self._apart["point"][k], self._apart["normal"][k], self._apart["least"][k] = x.point, x.normal, x.least
        self._count.pairs = len(apart)


def is_strict(where: str, priority: str) -> bool:
    """Whether a priority means strict levels."""
    if priority not in PRIORITIES:
        raise InputError(f"{where}: priority {priority!r} is not one of {', '.join(PRIORITIES)}.")
    return priority == "2002"


def _columns(rows: Many[Any]) -> dict[str, np.ndarray]:
    """Fields of records side by side, as arrays: what is faster in Python than one record after another."""
    return {name: rows.column(name) for name in rows.of.layout.fields}


def _numbers(name: str, x: float | Vector, n: int) -> np.ndarray:
    try:
        given = np.asarray(x, dtype=float)
        out = given if given.shape == (n,) else np.broadcast_to(given, (n,))
    except (TypeError, ValueError):
        raise InputError(f"whole_body: {name} needs one number or {n}.") from None
    if not np.isfinite(out).all():
        raise InputError(f"whole_body: {name} must be finite.")
    return out
