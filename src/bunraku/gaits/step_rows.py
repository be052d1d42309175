"""A step as rows that a controller reads, one every few milliseconds: pose, rates, accelerations, centre of mass, spin,
edges of the feet, forces at the corners of the soles.

Row `first` is the step's beginning, when the leading foot comes down; rows before it belong to the step before, so that a
foot that lands early is followed from where the figure is. `of[0]` leads with the left foot, `of[1]` with the right one.

A step that is faster or slower than the one before it begins as that one would go on, and passes over to its own motion:
    Q(t) = (1 - s) Q_before(t) + s Q(t),      s from 0 at the beginning to 1 at `PASSED` of the step
so that nothing of the plan jumps where a foot lands.
Checked in tests/gaits/test_step_rows.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bunraku.dynamics.functions import centroidal, kinematics
from bunraku.gaits.gait import Gait
from bunraku.gaits.step_plan import StepPlan
from bunraku.gaits.walk_arrays import LINKS
from bunraku.model.configuration import difference
from bunraku.model.model import Model

ROW, EARLY = 0.002, 0.12  # s between rows about; part of a step before its beginning
PASSED = 0.8  # of a step, after which nothing is left of the one before


@dataclass(frozen=True, eq=False)
class Link:
    """Where a link or an edge of a foot is: place (n, 3) [m], rotation (n, 3, 3), velocity and acceleration (n, 6)."""

    place: np.ndarray
    turn: np.ndarray
    rate: np.ndarray
    change: np.ndarray


@dataclass(frozen=True, eq=False)
class Rows:
    """n rows of a step that leads with one side: q, v, a of the figure; com, its rate and acceleration (n, 3); spin about
    it and its rate; forces (n, 2, 4, 3) [N] on left and right sole; links by name."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    com: np.ndarray
    com_rate: np.ndarray
    com_change: np.ndarray
    spin: np.ndarray
    spin_change: np.ndarray
    forces: np.ndarray
    links: dict[str, Link]


@dataclass(frozen=True, eq=False)
class StepRows:
    """A gait's step as rows for a model; before: the gait of the step before it, where that is another one."""

    gait: Gait
    model: Model
    before: Gait | None = None

    @property
    def plan(self) -> StepPlan:
        """What was asked of the step."""
        return self.gait.plan

    @cached_property
    def many(self) -> int:
        """Rows from the step's beginning to its end."""
        return max(round(self.plan.seconds / ROW), 8)

    @cached_property
    def first(self) -> int:
        """The row of the step's beginning."""
        return 0 if self.plan.kind == "start" else int(EARLY * 0.5 / ROW)

    @cached_property
    def of(self) -> tuple[Rows, Rows]:
        """Leading with the left foot, with the right one."""
        return self._rows(0), self._rows(1)

    def row(self, phase: float) -> int:
        """The row at a part of the step's time."""
        return min(max(self.first + round(phase * self.many), 0), self.first + self.many)

    def _rows(self, lead: int) -> Rows:
        dt = self.plan.seconds / self.many
        times = np.arange(-self.first - 1, self.many + 2) * dt
        q, v, forces = self._left(times) if lead == 0 else self._right(times)
        a = np.gradient(v, dt, axis=0)
        cut = slice(1, -1)
        q, v, a, forces = q[cut], v[cut], a[cut], forces[cut]
        k, c = kinematics(self.model, q, v), centroidal(self.model, q, v)
        links: dict[str, Link] = {}
        for name in LINKS:
            place, turn = k.pose(name)
            rate = k.velocity(name)
            links[name] = Link(place, turn, rate, np.gradient(rate, dt, axis=0))
        rate = c.com_velocity
        return Rows(
            q, v, a, c.com, rate, np.gradient(rate, dt, axis=0), c.angular, np.gradient(c.angular, dt, axis=0),
            forces, links,
        )  # fmt: skip

    def _left(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return *self._figure(times, lambda Q: Q), self._forces(times)

    def _right(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The mirror image: of a periodic step it is the step behind it."""
        place, sign = self.gait.twin.mirror
        forces = self._forces(times)[:, ::-1][:, :, [1, 0, 3, 2]] * np.array([1.0, -1.0, 1.0])
        return *self._figure(times, lambda Q: sign * Q[:, place]), forces

    def _figure(
        self, times: np.ndarray, seen: Callable[[np.ndarray], np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
        """Configurations and velocities of the figure, of coordinates as they are or mirrored."""
        h = 1e-5
        before, q, after = (self.gait.twin.figure_q(seen(self._coordinates(times + e))) for e in (-h, 0.0, h))
        return q, difference(self.model, before, after) / (2 * h)

    def _coordinates(self, times: np.ndarray) -> np.ndarray:
        """Of the twin."""
        Q = self.gait.at(times)[0]
        if self.before is None:
            return Q
        s = self._passed(times)[:, None]
        return (1 - s) * self.before.at(times)[0] + s * Q

    def _forces(self, times: np.ndarray) -> np.ndarray:
        """At the corners."""
        own = self.gait.forces_at(np.clip(times, 0.0, 0.9999 * self.plan.seconds))
        if self.before is None:
            return own
        s = self._passed(times)[:, None, None, None]
        return (1 - s) * self.before.forces_at(np.clip(times, 0.0, 0.9999 * self.before.plan.seconds)) + s * own

    def _passed(self, times: np.ndarray) -> np.ndarray:
        """How far the step has passed over to its own motion: 0 … 1."""
        assert self.before is not None
        u = np.clip(times / (PASSED * min(self.plan.seconds, self.before.plan.seconds)), 0.0, 1.0)
        return u**3 * (10 - 15 * u + 6 * u * u)
