"""What a figure's file says beyond links and joints: actuators, tendons, closed loops, keyframes. Plain data, in names.

A *transmission* is a list of (joint, coefficient) of joints with one axis: its length is the sum of coefficient * q, and
a force f along it gives the torque coefficient * f at each of them. An actuator's force is

    f = (gain . (1, l, l')) u + bias . (1, l, l'),   u within `control`, f within `force`

with the length l and rate l' of its transmission: a motor has gain (1, 0, 0), a position servo of stiffness k gain
(k, 0, 0) and bias (0, -k, -d), a velocity servo bias (0, 0, -k). Source: mujoco.readthedocs.io, "Computation",
"Actuation model". Checked by `check_equipment`; used by bunraku.world.actuators. Tested by tests/world/test_actuators.py.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bunraku.errors import ModelError, closest
from bunraku.model.check_values import place, vector

INF = math.inf
Transmission = list[tuple[str, float]]


@dataclass
class Actuator:
    """A motor or servo that acts on joints; units as its control has them, N m or N of its force."""

    name: str
    joints: Transmission = field(default_factory=list)
    gain: tuple[float, float, float] = (1.0, 0.0, 0.0)
    bias: tuple[float, float, float] = (0.0, 0.0, 0.0)
    control: tuple[float, float] = (-INF, INF)
    force: tuple[float, float] = (-INF, INF)
    where: str = ""


@dataclass
class Tendon:
    """A fixed tendon: a spring [N/m] and damper [N s/m] along a transmission, without force while its length lies within
    `rest`."""

    name: str
    joints: Transmission = field(default_factory=list)
    stiffness: float = 0.0
    damping: float = 0.0
    rest: tuple[float, float] = (0.0, 0.0)
    where: str = ""


@dataclass
class Closure:
    """Two links that hold together: the frame (place [m], rotation) of `link` on that of `other` (None: the world),
    along `axes` ("x y z", or with rx ry rz: welded)."""

    name: str
    link: str
    other: str | None = None
    axes: str = "x y z"
    place: tuple[float, ...] = (0.0, 0.0, 0.0)
    rotation: Any = None
    other_place: tuple[float, ...] = (0.0, 0.0, 0.0)
    other_rotation: Any = None
    where: str = ""


@dataclass
class Keyframe:
    """A pose with a name: coordinates and rates by joint (as `q` and `v` of the joint), controls by actuator."""

    name: str
    q: list[tuple[str, tuple[float, ...]]] = field(default_factory=list)
    v: list[tuple[str, tuple[float, ...]]] = field(default_factory=list)
    controls: list[tuple[str, float]] = field(default_factory=list)


@dataclass
class Mount:
    """A frame on a link (None: the world): place [m] and rotation in the link's frame."""

    link: str | None = None
    place: tuple[float, ...] = (0.0, 0.0, 0.0)
    rotation: Any = None


@dataclass
class Meter:
    """A sensor of a file; its kind as MuJoCo calls it ("gyro", "jointpos", "framepos" …), on a joint, an actuator or a
    frame, seen from another frame or the world. `zone` (kind, sizes [m]) of a touch sensor; `cutoff`: the largest
    reading, 0 for none. Read by bunraku.world.file_sensors."""

    name: str
    kind: str
    on: str = ""
    at: Mount = field(default_factory=Mount)
    seen_from: Mount | None = None
    zone: tuple[str, tuple[float, ...]] = ("", ())
    cutoff: float = 0.0
    where: str = ""


def check_equipment(description: Any, axes: dict[str, bool]) -> None:
    """Refuse what names nothing. axes: of every joint, whether it has one axis."""
    links = {link.name for link in description.links}
    for kind, items in (("actuator", description.actuators), ("tendon", description.tendons)):
        _unique(kind, items)
        for item in items:
            at = f"{place(item.where)}{kind} {item.name!r}"
            _transmission(item.joints, axes, at)
            for name in ("gain", "bias"):
                if hasattr(item, name):
                    vector(getattr(item, name), 3, at, name)
            for name in ("control", "force", "rest"):
                if hasattr(item, name):
                    low, high = vector(getattr(item, name), 2, at, f"{name} range", infinite=True)
                    if low > high:
                        raise ModelError(f"{at}: the {name} range {low:g} to {high:g} is empty; exchange its ends.")
            for name in ("stiffness", "damping"):
                if vector([getattr(item, name, 0.0)], 1, at, name)[0] < 0.0:
                    raise ModelError(f"{at} has a negative {name}; write 0 or more.")
    for closure in description.closures:
        at = f"{place(closure.where)}closure {closure.name!r}"
        for name in (closure.link, closure.other):
            if name is not None and name not in links:
                raise ModelError(f"{at}: there is no link {name!r}.{closest(str(name), links)}")
        vector(closure.place, 3, at, "place")
        vector(closure.other_place, 3, at, "place")
    _unique("sensor", description.sensors)
    for meter in description.sensors:
        at = f"{place(meter.where)}sensor {meter.name!r}"
        for mount in filter(None, (meter.at, meter.seen_from)):
            if mount.link is not None and mount.link not in links:
                raise ModelError(f"{at}: there is no link {mount.link!r}.{closest(str(mount.link), links)}")
            vector(mount.place, 3, at, "place")
        if meter.kind.startswith(("joint", "ball")) and meter.on not in axes:
            raise ModelError(f"{at}: there is no joint {meter.on!r}.{closest(meter.on, axes)}")
        if meter.kind.startswith("actuator") and meter.on not in [a.name for a in description.actuators]:
            raise ModelError(f"{at}: there is no actuator {meter.on!r}.")
    _unique("keyframe", description.keyframes)
    for key in description.keyframes:
        for name, values in (*key.q, *key.v):
            if name not in axes:
                raise ModelError(f"keyframe {key.name!r}: there is no joint {name!r}.{closest(name, axes)}")
            vector(values, len(values), f"keyframe {key.name!r}", f"pose of {name!r}")


def _transmission(joints: Iterable[tuple[str, float]], axes: dict[str, bool], at: str) -> None:
    for name, coefficient in joints:
        if name not in axes:
            raise ModelError(f"{at}: there is no joint {name!r}.{closest(str(name), axes)}")
        if not axes[name]:
            raise ModelError(f"{at}: joint {name!r} has more than one axis; a transmission is of joints with one.")
        vector([coefficient], 1, at, f"coefficient of {name!r}")


def _unique(kind: str, items: Collection[Any]) -> None:
    names = [item.name for item in items]
    for name in names:
        if not name or names.count(name) > 1:
            raise ModelError(f"duplicate or empty {kind} name {name!r}; each {kind} needs its own.")


def moments(model: Any, joints: Iterable[tuple[str, float]]) -> tuple[np.ndarray, float]:
    """(row, offset) of a transmission: its length is row @ (q of the degrees of freedom) + offset, its rate row @ v."""
    row, offset = np.zeros(model.nv), 0.0
    for name, coefficient in joints:
        j = model.joint(name)
        if j.matrix is not None:
            raise ModelError(f"joint {name!r} of {model.name!r} follows by a matrix; a transmission cannot act on it.")
        row[j.iv] += coefficient * j.ratio
        offset += coefficient * j.offset
    return row, offset
