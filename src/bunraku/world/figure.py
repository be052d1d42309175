"""Figure: a figure or thing in a world, as views of its part of the world's state, and its servos; what is measured on
it stands in `world.measures`."""

# pyright: reportPrivateUsage=false, reportUnnecessaryIsInstance=false
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bunraku.dynamics.functions import kinematics
from bunraku.errors import InputError
from bunraku.kernel.record import Many
from bunraku.model.configuration import difference
from bunraku.model.forest import Part
from bunraku.model.model import Model
from bunraku.step.step_arrays import Drive
from bunraku.world.actuators import Controls, Passive
from bunraku.world.file_sensors import FileSensors
from bunraku.world.measures import Measured

if TYPE_CHECKING:
    from bunraku.world.ties import Connection
    from bunraku.world.world import World


@dataclass(frozen=True)
class LinkOf:
    """A link or frame of a figure in a world: `figure["left_hand"]`."""

    figure: Figure
    name: str


class Figure(Measured):
    """A figure or thing in a world, as `World.add` returns it: `q`, `v`, `tau` are its part of the world's state and
    can be written; `figure["left_hand"]` is one of its links; SI units, world axes."""

    world: World
    name: str
    model: Model
    controls: Controls
    sensors: FileSensors

    def __init__(self, world: World, name: str, model: Model) -> None:
        self.world, self.name, self.model = world, name, model
        self.controls = Controls(self)
        self.sensors = FileSensors(self)
        self._passive = Passive(model)
        self._control_slice = slice(0, 0)
        self._closures: dict[str, int] = {}

    def __repr__(self) -> str:
        at = ", ".join(f"{x:.3f}" for x in self.pose(self.model.links[0].name)[0])
        return f"<Figure {self.name!r}: {self.model.nv} degrees of freedom, {self.model.mass:.4g} kg, at ({at})>"

    def _repr_png_(self) -> bytes | None:
        """A notebook shows its world as it stands."""
        return self.world._repr_png_()

    def __getitem__(self, name: str) -> LinkOf:
        self.model.frame(name)
        return LinkOf(self, name)

    @property
    def part(self) -> Part:
        """Where it stands in the world's arrays."""
        return self.world._parts[self.name]

    @property
    def q(self) -> np.ndarray:
        """Its coordinates [m, rad; quaternions w x y z]: a view, writable."""
        return self.world.q[self.part.q]

    @property
    def v(self) -> np.ndarray:
        """Its rates [m/s, rad/s; of a free base in world axes, then its own]: a view, writable."""
        return self.world.v[self.part.v]

    @property
    def tau(self) -> np.ndarray:
        """Torques on its degrees of freedom [N m or N]: a view, writable, kept until changed."""
        return self.world.tau[self.part.v]

    def to_keyframe(self, name: str) -> None:
        """Put it into a pose of its file: coordinates, rates 0 where it gives none, and controls if it has some."""
        key = self.model.keyframe(name)
        for joint, values in key.q:
            j = self.model.joint(joint)
            self.q[j.q] = values[: j.nq]
        self.v[:] = 0.0
        for joint, values in key.v:
            j = self.model.joint(joint)
            self.v[j.v] = values[: j.nv]
        if key.controls:
            given = dict(key.controls)
            self.controls.set([given.get(actuator, 0.0) for actuator in self.controls])

    @property
    def closures(self) -> dict[str, Connection]:
        """Connections that close the loops of its file, by name."""
        known = self.world.connections
        return {name: known[number] for name, number in self._closures.items() if number in known}

    def pose(self, link: str) -> tuple[np.ndarray, np.ndarray]:
        """(position, rotation) of a link or frame in the world."""
        return kinematics(self.model, self.q.copy()).pose(link)

    def velocity(self, link: str) -> np.ndarray:
        """(linear, angular) velocity of a link or frame, world axes."""
        return kinematics(self.model, self.q.copy(), self.v.copy()).velocity(link)

    @property
    def target_q(self) -> np.ndarray:
        """Where its servos lead: coordinates like q [m, rad], a view, writable."""
        return self.world.target_q[self.part.q]

    @property
    def target_v(self) -> np.ndarray:
        """Rates that its servos follow [m/s, rad/s]: a view, writable."""
        return self.world.target_v[self.part.v]

    @property
    def applied(self) -> np.ndarray:
        """Torques [N m or N] that motors, servos, springs and dampers gave in the last step."""
        return self.world.applied[self.part.v].copy()

    def servo(
        self,
        stiffness: float | Sequence[float] | np.ndarray,
        damping: float | Sequence[float] | np.ndarray = 0.0,
        *,
        target: Sequence[float] | np.ndarray | None = None,
        joints: Sequence[str] | None = None,
        effort: float | Sequence[float] | np.ndarray | None = None,
    ) -> None:
        """Position servos: torque = stiffness (target - q) + damping (target rate - v), taken at the end of the step,
        so that stiff ones are stable.

        On all joints but a free base, or on `joints`; numbers, or one a degree of freedom of these joints. target:
        coordinates like q (those of other joints are not read); the present pose by default. effort [N m or N] limits
        servo and `tau` together; the model's by default. With stiffness 0 it follows `target_v`.
        """
        chosen = [j for j in self.model.joints if j.nv and j.kind != "free"]
        if joints is not None:
            chosen = [self.model.joint(name) for name in joints]
            if any(j.kind == "free" or not j.nv for j in chosen):
                raise InputError("servo: a free base or a gear's follower has no servo.")
        dofs = np.concatenate([np.arange(j.iv, j.iv + j.nv) for j in chosen]) if chosen else np.zeros(0, dtype=int)
        drives: Many[Drive] = Many(Drive, self.world.drive[self.part.v])
        for name, value, what in (
            ("kp", stiffness, "stiffness"),
            ("kd", damping, "damping"),
            ("effort", effort, "effort"),
        ):
            if value is None:
                continue
            try:
                x = np.broadcast_to(np.asarray(value, dtype=float), dofs.shape)
            except ValueError:
                raise InputError(f"servo: {what} needs one number or {len(dofs)}.") from None
            if np.any(np.isnan(x)) or np.any(x < 0) or (name != "effort" and not np.all(np.isfinite(x))):
                raise InputError(f"servo: {what} must be numbers of 0 or more.")
            drives.column(name)[dofs] = np.minimum(x, 1e300)
        goal = self.q if target is None else np.asarray(target, dtype=float)
        if goal.shape != self.q.shape or not np.all(np.isfinite(goal)):
            raise InputError(f"servo: target needs {self.q.size} finite numbers, like q.")
        for j in chosen:
            self.target_q[j.q] = goal[j.q]

    def follow(self, q: np.ndarray, v: np.ndarray | None = None) -> None:
        """Lead the servos along rows of coordinates like q [m, rad], one a step from the next on; the last one stays. Rates `v`
        (rows, nv): their differences by default.

        The world plays a track inside `step(n)`, without a word of Python a step. No rows end it.
        """
        w = self.world
        rows = np.ascontiguousarray(q, dtype=float)
        if rows.ndim != 2 or rows.shape[1] != self.q.size or not np.all(np.isfinite(rows)):
            raise InputError(f"follow: q needs rows of {self.q.size} finite numbers.")
        w._prepare()
        if len(rows) == 0:
            w._set_track(np.zeros((0, w.q.size)), np.zeros((0, w.v.size)))
            return
        if v is None:
            rates = np.zeros((len(rows), self.v.size))
            for k in range(len(rows) - 1):
                rates[k + 1] = difference(self.model, rows[k], rows[k + 1]) / w.dt
        else:
            rates = np.ascontiguousarray(v, dtype=float)
            if rates.shape != (len(rows), self.v.size) or not np.all(np.isfinite(rates)):
                raise InputError(f"follow: v needs {len(rows)} rows of {self.v.size} finite numbers.")
        track_q, track_v = np.tile(w.target_q, (len(rows), 1)), np.tile(w.target_v, (len(rows), 1))
        old_q, old_v = (a[int(w._info.track_at) :] for a in w._track)  # what other figures still have to do
        n = min(len(old_q), len(rows))
        if n:
            track_q[:n], track_v[:n] = old_q[:n], old_v[:n]
            track_q[n:], track_v[n:] = old_q[-1], old_v[-1]
        track_q[:, self.part.q], track_v[:, self.part.v] = rows, rates
        w._info.track_at = 0
        w._set_track(track_q, track_v)


def link_of(world: World, who: str, x: LinkOf | Figure | str) -> LinkOf:
    """A link of a world: a link, a figure (its first link), or "figure.link"; `who` asks for it."""
    if isinstance(x, LinkOf):
        return x
    if isinstance(x, Figure):
        return LinkOf(x, x.model.links[0].name)
    if not isinstance(x, str):
        raise InputError(f"{who}: {x!r} is no link; write figure['name of the link'] or \"figure.link\".")
    figure, _, link = x.partition(".")
    return world[figure][link] if link else link_of(world, who, world[figure])


def anchor(world: World, who: str, x: LinkOf | Figure | str | None) -> tuple[int, np.ndarray, np.ndarray]:
    """(body, position, rotation) of a link in the world; None is the world itself."""
    if x is None:
        return 0, np.zeros(3), np.eye(3)
    link = link_of(world, who, x)
    info = link.figure.model.frame(link.name)
    position, rotation = link.figure.pose(link.name)
    return (link.figure.part.body + info.body if info.body else 0), position, rotation
