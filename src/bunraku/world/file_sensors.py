"""Sensors of a figure's file by name: `figure.sensors["gyro"]`, what MuJoCo's sensor of that name reads.

Places and rates are of now. Forces, torques, accelerations and touches are means of the last step (an impact counts as
impulse / dt), actuators' forces those at the present pose, as elsewhere in a World; MuJoCo reads all of them at the
start of a step. A force or torque sensor on a link that is fixed to another reads the joint that carries both. Kinds:
bunraku.formats.mjcf_sensors; frames: bunraku.model.equipment. Checked against MuJoCo in
tests/world/test_file_sensors.py.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from bunraku.dynamics.functions import Kinematics, kinematics
from bunraku.errors import UnknownName, closest
from bunraku.model.equipment import Meter, Mount
from bunraku.model.model import Model
from bunraku.model.rotations import quaternion, rotation_matrix
from bunraku.world.actuators import Line
from bunraku.world.laststep import last_contacts
from bunraku.world.sensors import IMU, ForceTorque

if TYPE_CHECKING:
    from bunraku.world.figure import Figure

AXES = {"framexaxis": 0, "frameyaxis": 1, "framezaxis": 2}


class FileSensors(Mapping[str, np.ndarray]):
    """Readings by name; `kinds` says of what kind each is. SI units."""

    figure: Figure
    kinds: dict[str, str]

    def __init__(self, figure: Figure) -> None:
        self.figure = figure
        self._meters = {m.name: m for m in figure.model.description.sensors}
        self.kinds = {name: m.kind for name, m in self._meters.items()}

    def __len__(self) -> int:
        return len(self._meters)

    def __iter__(self) -> Iterator[str]:
        return iter(self._meters)

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._meters:
            raise UnknownName(f"figure {self.figure.name!r} has no sensor {name!r}.{closest(name, self._meters)}")
        m = self._meters[name]
        x = np.atleast_1d(np.asarray(self._reading(m), dtype=float))
        return np.clip(x, -m.cutoff, m.cutoff) if m.cutoff > 0 else x

    def __repr__(self) -> str:
        return f"<Sensors of {self.figure.name!r}: {', '.join(self._meters)}>"

    def _reading(self, m: Meter) -> np.ndarray | float:
        figure, kind = self.figure, m.kind
        if kind == "clock":
            return figure.world.time
        if kind.startswith(("joint", "ball")):
            return self._joint(m)
        if kind.startswith("actuator"):
            return self._actuator(m)
        options = {"offset": m.at.place, "rotation": m.at.rotation}
        if kind in ("gyro", "accelerometer"):
            read = IMU(figure.world, figure, str(m.at.link), **options).exact()
            return read["gyro" if kind == "gyro" else "acceleration"]
        if kind in ("force", "torque"):
            return ForceTorque(figure.world, figure, str(m.at.link), **options).exact()[kind]
        if kind == "touch":
            return self._touch(m)
        now = kinematics(figure.model, figure.q.copy(), figure.v.copy())
        if kind.startswith("subtree"):
            return self._subtree(m, now)
        return frame_reading(m, pose(figure.model, now, m.at), pose(figure.model, now, m.seen_from or Mount()))

    def _joint(self, m: Meter) -> np.ndarray | float:
        figure, j = self.figure, self.figure.model.joint(m.on)
        if m.kind == "ballquat":
            return figure.q[j.q].copy()
        if m.kind == "ballangvel":
            return figure.v[j.v].copy()
        if m.kind == "jointactuatorfrc":
            forces, lines = figure.controls.forces, self._lines()
            return sum(float(f * line.row[line.dofs == j.iv].sum()) for f, line in zip(forces, lines))
        q, v = (figure.q[j.iq] * j.ratio + j.offset, figure.v[j.iv] * j.ratio)
        return float(q if m.kind == "jointpos" else v)

    def _actuator(self, m: Meter) -> float:
        figure, k = self.figure, self.figure.controls.names.index(m.on)
        if m.kind == "actuatorfrc":
            return float(figure.controls.forces[k])
        line = self._lines()[k]
        return line.length(figure.q) if m.kind == "actuatorpos" else line.rate(figure.v)

    def _lines(self) -> list[Line]:
        return [Line.of(self.figure.model, a) for a in self.figure.controls.actuators]

    def _subtree(self, m: Meter, now: Kinematics) -> np.ndarray:
        """Centre of mass, its velocity, or the angular momentum about it, of a link and all that it carries."""
        model, inside = self.figure.model, {m.at.link}
        mass, first, momentum, parts = 0.0, np.zeros(3), np.zeros(3), []
        for link in model.description.links:
            if link.parent in inside:
                inside.add(link.name)
            if link.name not in inside or not link.inertia.mass:
                continue
            at = pose(model, now, Mount(link.name, tuple(np.asarray(link.inertia.com, dtype=float))))
            one = float(link.inertia.mass)
            mass, first, momentum = mass + one, first + one * at[0], momentum + one * at[2]
            parts.append((one, at, link.inertia.matrix()))
        if mass == 0.0:
            return np.zeros(3)
        centre, velocity = first / mass, momentum / mass
        if m.kind == "subtreecom":
            return centre
        if m.kind == "subtreelinvel":
            return velocity
        spin = np.zeros(3)
        for one, (x, R, v, w), inertia in parts:
            spin += np.cross(x - centre, one * (v - velocity)) + R @ inertia @ R.T @ w
        return spin

    def _touch(self, m: Meter) -> float:
        """Sum of the normal forces of contacts of the body whose line of action meets the zone."""
        figure, world = self.figure, self.figure.world
        geometry, number = world._geometry, list(world._figures).index(figure.name)
        frame = figure.model.frame(str(m.at.link))
        own = (geometry.figure == number) & (geometry.body == (figure.part.body + frame.body if frame.body else 0))
        own &= np.array([link == m.at.link for link in geometry.links])
        last = last_contacts(world)
        now = world._last.poses()
        body = figure.part.body + frame.body
        x, R = now.position[body], now.rotation[body]
        x, R = x + R @ frame.position, R @ frame.rotation
        x, R = x + R @ np.asarray(m.at.place), R @ rotation_matrix(m.at.rotation)
        total = 0.0
        for k in np.flatnonzero(own[last.a] | own[last.b]):
            press = float(last.force[k] @ last.normal[k])
            out = last.normal[k] if own[last.b[k]] else -last.normal[k]
            if press > 0.0 and meets(m.zone, R.T @ (last.point[k] - x), R.T @ out):
                total += press
        return total


def pose(model: Model, now: Kinematics, at: Mount) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(place, rotation, velocity, angular velocity) of a frame in the world."""
    shift, turn = np.asarray(at.place, dtype=float), rotation_matrix(at.rotation)
    if at.link is None:
        return shift, turn, np.zeros(3), np.zeros(3)
    frame = model.frame(at.link)
    R = now.rotation[frame.body]
    arm = R @ (frame.position + frame.rotation @ shift)
    v, w = now.twist[frame.body, :3], now.twist[frame.body, 3:]
    return now.position[frame.body] + arm, R @ frame.rotation @ turn, v + np.cross(w, arm), w


Pose = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def frame_reading(m: Meter, frame: Pose, other: Pose) -> np.ndarray:
    """What a sensor of a frame reads, seen from another."""
    (x, R, v, w), (x0, R0, v0, w0) = frame, other
    if m.kind == "velocimeter":
        return R.T @ v
    if m.kind == "framepos":
        return R0.T @ (x - x0)
    if m.kind == "framequat":
        return quaternion(R0.T @ R)
    if m.kind in AXES:
        return R0.T @ R[:, AXES[m.kind]]
    if m.kind == "framelinvel":
        return R0.T @ (v - v0 - np.cross(w0, x - x0))
    return R0.T @ (w - w0)


def meets(zone: tuple[str, tuple[float, ...]], p: np.ndarray, u: np.ndarray) -> bool:
    """Whether the ray from p along u meets a site's zone, in its axes."""
    kind, size = zone
    if kind == "box":
        return slabs(p, u, np.asarray(size))
    if kind in ("sphere", "ellipsoid"):
        radii = np.asarray(size if kind == "ellipsoid" else (size[0],) * 3)
        return ball(p / radii, u / radii)
    if kind not in ("capsule", "cylinder"):
        return False
    r, half = size[0], size[1]
    if kind == "capsule" and any(ball((p - [0, 0, s * half]) / r, u / r) for s in (-1, 1)):
        return True
    a, b, c = u[:2] @ u[:2], p[:2] @ u[:2], p[:2] @ p[:2] - r * r
    low, high = 0.0, np.inf
    if a > 1e-24:
        root = b * b - a * c
        if root < 0.0:
            return False
        low, high = max(low, (-b - np.sqrt(root)) / a), (-b + np.sqrt(root)) / a
    elif c > 0.0:
        return False
    if abs(u[2]) > 1e-12:
        ends = sorted(((-half - p[2]) / u[2], (half - p[2]) / u[2]))
        low, high = max(low, ends[0]), min(high, ends[1])
    elif abs(p[2]) > half:
        return False
    return bool(low <= high)


def ball(p: np.ndarray, u: np.ndarray) -> bool:
    """Whether a ray meets the unit ball."""
    a, b, c = float(u @ u), float(p @ u), float(p @ p) - 1.0
    return bool(c <= 0.0 or (b < 0.0 and b * b >= a * c))


def slabs(p: np.ndarray, u: np.ndarray, half: np.ndarray) -> bool:
    """Whether a ray meets a box."""
    low, high = 0.0, np.inf
    for k in range(3):
        if abs(u[k]) < 1e-12:
            if abs(p[k]) > half[k]:
                return False
            continue
        ends = sorted(((-half[k] - p[k]) / u[k], (half[k] - p[k]) / u[k]))
        low, high = max(low, ends[0]), min(high, ends[1])
    return bool(low <= high)
