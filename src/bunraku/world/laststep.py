"""What happened in the last step: state at its start, rates after it, and from these every body's acceleration and
every joint's load.

The step's impulses lam give exactly  A (v+ - v)/dt + b = tau + H' lam/dt  at the pose q of its start, so inverse
dynamics (rnea) with

    a = (v+ - v) / dt      f_ext = pushes + contacts + connections (means of the step)

gives the wrench that each joint carries; along the joint's free axes this is tau plus the force of a limit. Forces are
means of the step: an impact counts as impulse / dt. World axes; wrenches (force, moment) at the bodies' origins; SI
units. The step itself writes down its start and its end; the rest is found when it is read, once a step
(bunraku.world.laststep_kernel). Checked in tests/world/test_sensors.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bunraku.dynamics.functions import Kinematics, kinematics
from bunraku.dynamics.work import scratch_size
from bunraku.kernel.record import handle, put
from bunraku.model.layout import ACC, ALPHA, NW, OMEGA, WRENCH
from bunraku.model.model import Model
from bunraku.world.laststep_kernel import TurnedStep, last_loads
from bunraku.world.ties import row_frame

if TYPE_CHECKING:
    from bunraku.world.world import World

NEXT, AFTER = [1, 2, 0], [2, 0, 1]


@dataclass(frozen=True)
class Loads:
    """Inverse dynamics of the last step, a row a body (0: the world)."""

    wrench: np.ndarray  # (nb, 6) force, moment that the joint of a body puts on it
    specific: np.ndarray  # (nb, 3) acceleration of the origin less gravity [m/s^2]
    alpha: np.ndarray  # (nb, 3) angular acceleration
    omega: np.ndarray  # (nb, 3) angular velocity at the start
    tau: np.ndarray  # (nv,) torques along the free axes


class LastStep:
    """See the module text. `stamp` changes whenever what is here may have changed; the arrays are those of the step."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.q, self.v, self.after, self.tau = model.neutral(), *(np.zeros(model.nv) for _ in range(3))
        self.f_ext = np.zeros(6 * model.nb)
        self.known = np.zeros(1, dtype=np.int64)  # whether there was a step
        self.stamp = 0
        self._turned: TurnedStep | None = None
        self._loads: tuple[int, Loads] | None = None
        self._poses: tuple[int, Kinematics] | None = None

    def forget(self, world: World) -> None:
        """After a step that failed: detection has written over the last contacts."""
        self.known[0] = world._info.contacts = 0
        self.stamp += 1

    def restored(self) -> None:
        """After a snapshot was put back."""
        self.stamp += 1

    def arrays(self) -> dict[str, np.ndarray]:
        """What a snapshot keeps."""
        names = ("q", "v", "after", "tau", "f_ext", "known")
        return {f"last_{name}": getattr(self, name) for name in names}

    def poses(self) -> Kinematics:
        """Poses at the start with the rates after the step: those that contacts and friction obey."""
        if self._poses is None or self._poses[0] != self.stamp:
            self._poses = self.stamp, kinematics(self.model, self.q, self.after)
        return self._poses[1]

    def loads(self, world: World) -> Loads:
        """Inverse dynamics of the last step; zeros if there was none."""
        if self._loads is None or self._loads[0] != self.stamp:
            self._loads = self.stamp, self._inverse(world)
        return self._loads[1]

    def ready(self, world: World) -> TurnedStep:
        """What `laststep_kernel.turn_around` works on, with the forces that are given to it."""
        if self._turned is None:
            m = self.model
            self._turned = put(
                TurnedStep(),
                ints=m.ints,
                reals=m.reals.copy(),
                work=np.zeros(scratch_size(m)),
                q=self.q,
                v=self.v,
                after=self.after,
                accel=np.zeros(m.nv),
                tau=np.zeros(m.nv),
                given=np.zeros(6 * m.nb),
                forces=np.zeros(6 * m.nb),
                known=self.known,
            )
            self._given = self._turned.given
        self._given[:] = self.f_ext
        if len(world._ties.last) and world._ties.last.any():
            self._given += tie_wrenches(world).ravel()
        return self._turned

    def _inverse(self, world: World) -> Loads:
        nb = self.model.nb
        if not self.known[0]:
            return Loads(
                np.zeros((nb, 6)), np.zeros((nb, 3)), np.zeros((nb, 3)), np.zeros((nb, 3)), np.zeros(self.model.nv)
            )
        turned = self.ready(world)
        last_loads.call(handle(world._step), handle(turned))
        slots = turned.work[: nb * NW].reshape(nb, NW)
        turn, push = slots[:, WRENCH : WRENCH + 3], slots[:, WRENCH + 3 : WRENCH + 6]
        specific, alpha, omega = (slots[:, k : k + 3].copy() for k in (ACC, ALPHA, OMEGA))
        return Loads(np.hstack([push, turn]), specific, alpha, omega, turned.tau.copy())


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a x b over leading axes; in half the time of numpy.cross for a few rows."""
    return a[..., NEXT] * b[..., AFTER] - a[..., AFTER] * b[..., NEXT]


@dataclass(frozen=True)
class LastContacts:
    """The contacts of the last step, a row each; views, but for the forces."""

    a: np.ndarray  # (n,) shapes
    b: np.ndarray
    patch: np.ndarray  # (n,)
    point: np.ndarray  # (n, 3)
    normal: np.ndarray  # (n, 3)
    gap: np.ndarray  # (n,)
    force: np.ndarray  # (n, 3) N on a, world axes

    def __len__(self) -> int:
        return len(self.a)


def last_contacts(world: World) -> LastContacts:
    """The contacts of the last step."""
    n, s = int(world._info.contacts), world._step
    ids, contacts = s.detection.ids, s.detection.contacts
    return LastContacts(
        a=ids.column("a")[:n],
        b=ids.column("b")[:n],
        patch=ids.column("patch")[:n],
        point=contacts.column("point")[:n],
        normal=contacts.column("normal")[:n],
        gap=contacts.column("gap")[:n],
        force=s.memory.column("impulse")[:n] / world.dt,
    )


def tie_wrenches(world: World) -> np.ndarray:
    """(nb, 6): what connections put on the bodies, at their origins."""
    k, out = world._last.poses(), np.zeros((world.model.nb, 6))
    for n in np.flatnonzero(np.abs(world._ties.last).reshape(-1, 6).sum(1)).tolist():
        kind, tie, last = world._ties.kinds[n], world._ties.ties[n], world._ties.last[6 * n : 6 * n + 6]
        a, b, f = int(kind.body_a), int(kind.body_b), row_frame(kind, tie, k)
        rates = np.array([int(kind.rates) >> j & 1 for j in range(6)])
        held, free = last * (1 - rates), last * rates
        force, torque, touch = f.along @ held[:3], f.about @ held[3:] + f.along @ free[3:], f.along @ free[:3]
        if kind.axes == kind.rates == 0:  # a spring: along the line between its ends
            line = f.touch - f.point
            force = last[0] * line / max(float(np.linalg.norm(line)), 1e-300)
        for body, sign in ((a, 1.0), (b, -1.0)):
            out[body, :3] += sign * (force + touch)
            arms = cross(f.point - k.position[body], force) + cross(f.touch - k.position[body], touch)
            out[body, 3:] += sign * (torque + arms)
    return out
