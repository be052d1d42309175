"""What may differ from world to world, beyond its state: friction, masses, gains, gravity, delay.

Each is given by values (n, …) that stand for what the scene's own numbers become in a world:

    friction   (n,) or (n, 2)    static and dynamic friction of every contact
    mass       (n,)              times the mass and inertia of a link's body, or of all bodies
    com        (n, 3)            m: its centre of mass moves, in the link's axes
    gains      (n,), (n, 2)      times the stiffness of all servos, and their damping
    armature   (n,) or (n, nv)   kg m^2 or kg: rotor inertia of all joints but free bases
    gravity    (n,) or (n, 3)    m/s^2, downwards, or as a vector
    delay      (n,)              steps by which targets and torques come late

A body's inertia about its origin with its centre of mass at c + d instead of c is I + m (h(c + d) - h(c)), where
h(x) = x.x 1 - x x'. Checked in tests/batch/test_vary.py against slip angles, weights and step responses.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from typing import Any

import numpy as np

from bunraku.batch.seats import Seats
from bunraku.errors import InputError, UnknownName, closest
from bunraku.kernel.record import Many
from bunraku.model import layout as at
from bunraku.step.step_arrays import Drive, Material
from bunraku.world.figure import link_of
from bunraku.world.world import World

SHAPES: dict[str, tuple[tuple[int, ...], ...]] = {  # of a world's value; -1: nv
    "friction": ((), (2,)), "mass": ((),), "com": ((3,),), "gains": ((), (2,)), "armature": ((), (-1,)), "gravity": ((), (3,)), "delay": ((),),
}  # fmt: skip
LONGEST = 1000  # steps of delay


class Variation:
    """See the module text. `values`: what was set, an array (n, …) a name, or a name and a link; not a number where a
    world has what the scene has."""

    def __init__(self, world: World, seats: Seats) -> None:
        self.world, self.seats, self.n = world, seats, seats.n
        self.values: dict[str, np.ndarray] = {}
        self.drive = Many(Drive, world.drive.copy())
        self.reals = world._step.reals.copy()
        self.materials = np.array(world._step.materials.rows)
        self.turned = np.zeros(world.v.size, dtype=bool)
        for f in world.figures:
            for j in f.model.joints:
                if j.nv and j.kind != "free":
                    self.turned[f.part.v][j.v] = True
        self.body: dict[str, tuple[int, np.ndarray]] = {}

    def check(self, name: str, values: Any, of: str | None, count: int) -> tuple[str, np.ndarray]:
        """(key, values (count, …)) as they are kept; InputError where they cannot be."""
        if name not in SHAPES:
            raise UnknownName(f"vary: {name!r} is nothing that worlds vary.{closest(name, SHAPES)}")
        try:
            x = np.asarray(values, dtype=float)
        except (TypeError, ValueError):
            raise InputError(f"vary: {name} needs numbers, got {values!r:.60}.") from None
        nv = self.world.v.size
        able = [tuple(nv if k < 0 else k for k in shape) for shape in SHAPES[name]]
        if x.shape not in [(count, *shape) for shape in able] and x.shape != ():
            wanted = " or ".join(str((count, *shape)) for shape in able)
            raise InputError(f"vary: {name} needs values of shape {wanted}, a row a world; got {x.shape}.")
        if x.shape == ():
            x = np.full((count, *able[0]), float(x))
        if not np.all(np.isfinite(x)):
            raise InputError(f"vary: {name} of a world is not finite.")
        if (name not in ("com", "gravity") and np.any(x < 0)) or (name == "mass" and np.any(x <= 0)):
            raise InputError(f"vary: {name} must be {'positive' if name == 'mass' else '0 or more'}.")
        if name == "friction" and x.ndim == 2 and np.any(x[:, 0] < x[:, 1]):
            raise InputError("vary: friction as (static, dynamic) needs static >= dynamic.")
        if name == "delay" and (np.any(x != np.floor(x)) or np.any(x > LONGEST)):
            raise InputError(f"vary: delay is a whole number of steps up to {LONGEST}.")
        if of is not None and name not in ("mass", "com"):
            raise InputError(f"vary: {name} is of all; leave `of` out (mass and com take it).")
        key = name if of is None else f"{name} of {of}"
        if name in ("mass", "com"):
            self.body[key] = self._body(of if of is not None or name == "mass" else self.world.figures[0].name)
        return key, x

    def _body(self, of: str | None) -> tuple[int, np.ndarray]:
        """(body, rotation of a link in it); 0: all bodies."""
        if of is None:
            return 0, np.eye(3)
        link = link_of(self.world, "vary", of)
        info = link.figure.model.frame(link.name)
        if info.body == 0:
            raise InputError(f"vary: {of!r} is fixed to the world; its mass moves nothing.")
        return link.figure.part.body + info.body, np.asarray(info.rotation)

    def keep(self, key: str, x: np.ndarray, chosen: np.ndarray) -> None:
        """Keep values for some worlds; others have those of the scene until they are given some."""
        old = self.values.get(key)
        if old is None or old.shape[1:] != x.shape[1:]:
            old = self.values[key] = np.full((self.n, *x.shape[1:]), np.nan)
        old[chosen] = x

    def apply(self, chosen: np.ndarray) -> None:
        """Write what was set into the arrays of some worlds."""
        for key, values in self.values.items():
            x = values[chosen]
            if key == "friction":
                self._friction(chosen, x)
            elif key == "gains":
                x = np.nan_to_num(x, nan=1.0)
                for name, factor in zip(("kp", "kd"), (x, x) if x.ndim == 1 else x.T):
                    self._drives(name)[chosen] = factor[:, None] * self.drive.column(name)
            elif key == "armature":
                x = x if x.ndim == 2 else x[:, None]
                own = self.drive.column("armature")
                self._drives("armature")[chosen] = np.where(self.turned & ~np.isnan(x), x, own)
        if any(key.split(" ")[0] in ("mass", "com", "gravity") for key in self.values):
            self._masses(chosen)

    def delays(self, chosen: np.ndarray) -> np.ndarray:
        """Steps that the commands of some worlds are late."""
        return np.nan_to_num(self.values["delay"][chosen], nan=0.0).astype(np.int64)

    def _drives(self, name: str) -> np.ndarray:
        """(n, nv): one number of all drives of all worlds, a view."""
        return self.seats.bank["drive"][:, :, Drive.layout.fields[name].offset]

    def _friction(self, chosen: np.ndarray, x: np.ndarray) -> None:
        bank = self.seats.bank
        if "materials" not in bank:
            bank["materials"] = np.repeat(self.materials[None], self.n, 0)
            self.seats.refresh()
        for name, value in zip(("static", "dynamic"), (x, x) if x.ndim == 1 else x.T):
            place = Material.layout.fields[name].offset
            bank["materials"][chosen, :, place] = np.where(
                np.isnan(value)[:, None], self.materials[:, place], value[:, None]
            )

    def _masses(self, chosen: np.ndarray) -> None:
        bank = self.seats.bank
        if "reals" not in bank:
            bank["reals"] = np.repeat(self.reals[None], self.n, 0)
            self.seats.refresh()
        nb = len(self.world.model.ints)
        R = np.repeat(self.reals[None], len(chosen), 0)
        for key, values in self.values.items():
            name, x = key.split(" ")[0], values[chosen]
            if name == "gravity":
                g = x if x.ndim == 2 else np.stack([0 * x, 0 * x, -x], 1)
                own = self.reals[0, at.PLACE : at.PLACE + 3]
                R[:, 0, at.PLACE : at.PLACE + 3] = np.where(np.isnan(g), own, g)
            elif name == "mass":
                body = self.body[key][0]
                bodies = slice(1, nb) if body == 0 else slice(body, body + 1)
                R[:, bodies, at.MASS : at.SECOND + 6] *= np.nan_to_num(x, nan=1.0)[:, None, None]
        for key, values in self.values.items():
            if key.split(" ")[0] == "com":
                body, turn = self.body[key]
                _move_com(R[:, body], np.nan_to_num(values[chosen], nan=0.0) @ turn.T)
        R[:, :, at.ROTOR] = bank["reals"][chosen][:, :, at.ROTOR]
        bank["reals"][chosen] = R


def _move_com(row: np.ndarray, d: np.ndarray) -> None:
    """Move the centre of mass of one body in rows of `reals` (worlds, NF), by d (worlds, 3) in the body's frame."""
    m = row[:, at.MASS, None]
    c = row[:, at.FIRST : at.FIRST + 3] / m
    row[:, at.FIRST : at.FIRST + 3] = m * (c + d)
    row[:, at.SECOND : at.SECOND + 6] += m * (_spread(c + d) - _spread(c))


def _spread(x: np.ndarray) -> np.ndarray:
    """x.x 1 - x x' as (xx, xy, xz, yy, yz, zz)."""
    a, b, c = x.T
    return np.stack([b * b + c * c, -a * b, -a * c, a * a + c * c, -b * c, a * a + b * b], axis=1)
