"""Sensors: what a robot's own instruments would read after a step, with noise and bias if wanted.

    knee = world.add_sensor("joint", at="human.left_knee")             position, velocity, torque
    ankle = world.add_sensor("force_torque", at=fig["left_foot"])      force, torque that the joint puts on the link
    sole = world.add_sensor("sole", at=fig["left_foot"])               force, torque of all contacts of the link, cop
    imu = world.add_sensor("imu", at=fig["trunk"], offset=(0, 0, 0.2), noise={"acceleration": 0.05})
    coders = world.add_sensor("encoders", at=fig, joints=("left_knee", …))    position, velocity of many joints at once (all by default)
    imu.acceleration, imu.gyro, imu.orientation, imu.read(), imu.read("gyro", "orientation")

Everything is in the axes and at the origin of the link or frame, moved by `offset` [m] and turned by `rotation`
(quaternion or matrix) in it. Forces and accelerations are means of the last step at the pose of its start
(world.laststep), the rest is of now; before the first step they are zero. An accelerometer reads specific force, f = R'
(a - g): at rest +9.80665 m/s^2 upwards, in free fall 0. `noise` (standard deviation) and `bias` are a number for all
channels or a dict by channel; one draw a channel a step, when it is first read, from `world.rng`; snapshots and saved
worlds keep both. That of an orientation is a small turn [rad] in the sensor's axes. Checked in
tests/world/test_sensors.py.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypedDict

import numpy as np

from bunraku.dynamics.functions import kinematics
from bunraku.errors import InputError, UnknownName, closest
from bunraku.model.model import FrameInfo, JointInfo
from bunraku.model.rotations import exponential, multiply, quaternion, rotation_matrix
from bunraku.world.laststep import cross, last_contacts
from bunraku.world.views import PRESSING

if TYPE_CHECKING:
    from bunraku.world.figure import Figure, LinkOf
    from bunraku.world.world import World

PerChannel = float | Mapping[str, Any]


class Disturbance(TypedDict, total=False):
    """Options of every sensor: noise (standard deviation) and bias, a number for all channels or a dict by channel."""

    noise: PerChannel
    bias: PerChannel


class Mounting(Disturbance, total=False):
    """Options of a sensor in a frame of a link: offset [m] and rotation (quaternion wxyz or matrix) in it."""

    offset: Sequence[float]
    rotation: Any


class Choice(Disturbance, total=False):
    """Options of encoders: the joints they read, all by default."""

    joints: Sequence[str] | None


class Sensor:
    """An instrument in a world; `World.add_sensor` makes one. `read()` gives all channels with noise and bias; each is
    also an attribute, e.g. `imu.gyro`. SI units, in the sensor's own axes."""

    channels: ClassVar[tuple[str, ...]] = ()
    given: ClassVar[type] = Disturbance  # names its options; each is also an attribute, which is how it is saved
    world: World
    figure: Figure
    place: str
    noise: dict[str, np.ndarray]
    bias: dict[str, np.ndarray]

    def __init__(
        self, world: World, figure: Figure, place: str, noise: PerChannel = 0.0, bias: PerChannel = 0.0
    ) -> None:
        self.world, self.figure, self.place = world, figure, place
        self.noise, self.bias = self._by_channel("noise", noise), self._by_channel("bias", bias)
        self._clean = not any(np.any(x) for given in (self.noise, self.bias) for x in given.values())
        self._drawn: dict[str, np.ndarray] = {}
        self._when: Any = None

    def read(self, *channels: str) -> dict[str, np.ndarray]:
        """All channels, or those named, with noise and bias; SI units, those of each channel are told by its sensor."""
        found = self._measured(*channels)
        return {name: self._disturbed(name, found[name]) for name in channels or found}

    def exact(self) -> dict[str, np.ndarray]:
        """All channels without noise and bias; SI units."""
        return self._measured()

    if not TYPE_CHECKING:  # each kind of sensor says which attributes it has

        def __getattr__(self, name: str) -> np.ndarray:
            channels = type(self).channels
            if name.startswith("_") or name not in channels:
                raise AttributeError(f"{type(self).__name__} has no channel {name!r}.{closest(name, channels)}")
            return self._disturbed(name, self._measured(name)[name])

    def drawn(self) -> dict[str, Any]:
        """The chance of the present step, by channel, as plain values: what a snapshot keeps."""
        now = self._when == (self.world._last, self.world._last.stamp)
        return {name: x.tolist() for name, x in self._drawn.items()} if now else {}

    def redraw(self, drawn: Mapping[str, Any]) -> None:
        """Make `drawn` the chance of the present step."""
        values = {name: np.array(x, dtype=float) for name, x in drawn.items()}
        if not set(values) <= set(self.channels) or not all(np.all(np.isfinite(x)) for x in values.values()):
            raise InputError(f"sensor: what was drawn for {self.place!r} are not finite numbers of its channels.")
        self._drawn, self._when = values, (self.world._last, self.world._last.stamp)

    def options(self) -> dict[str, Any]:
        """What `add_sensor` was given, as plain values."""
        return {name: plain(getattr(self, name)) for name in self.given.__annotations__}

    def _measured(self, *channels: str) -> dict[str, np.ndarray]:
        self.world._prepare()
        return self.measure(*channels)

    def measure(self, *channels: str) -> dict[str, np.ndarray]:
        """Channels of the present step, exact, in SI units: those named at least, all where none is."""
        raise NotImplementedError

    def _by_channel(self, what: str, given: PerChannel) -> dict[str, np.ndarray]:
        if not isinstance(given, Mapping):
            given = dict.fromkeys(self.channels, given)
        for name, x in given.items():
            if name not in self.channels:
                raise InputError(f"sensor: {what} names a channel {name!r}.{closest(name, self.channels)}")
            try:
                a = np.asarray(x, dtype=float)
            except (TypeError, ValueError):
                raise InputError(f"sensor: {what} of {name!r} must be numbers, got {x!r}.") from None
            if not np.all(np.isfinite(a)) or (what == "noise" and np.any(a < 0)):
                raise InputError(
                    f"sensor: {what} {x} of {name!r} is not a finite number{' of 0 or more' * (what == 'noise')}."
                )
        return {name: np.asarray(x, dtype=float) for name, x in given.items()}

    def _disturbed(self, name: str, value: np.ndarray) -> np.ndarray:
        size = 3 if name == "orientation" else len(value)
        if self._clean:
            return value
        offset = self._draw(name, size) + self.bias.get(name, 0.0)
        if np.shape(offset) != (size,):
            raise InputError(f"sensor: noise and bias of {name!r} are a number or {size} numbers.")
        if name == "orientation":
            return multiply(value, exponential(offset)) if np.any(offset) else value
        return value + offset

    def _draw(self, name: str, size: int) -> np.ndarray:
        spread = self.noise.get(name, np.zeros(()))
        if not np.any(spread):
            return np.zeros(size)
        now = (self.world._last, self.world._last.stamp)
        if self._when != now:
            self._when, self._drawn = now, {}
        if name not in self._drawn:
            self._drawn[name] = spread * self.world.rng.standard_normal(size)
        return self._drawn[name]


class JointSensor(Sensor):
    """Position [rad or m], velocity [rad/s or m/s] and applied torque [N m or N] of a joint (arrays of its nq, nv, nv;
    for a gear's follower its own, torque none)."""

    channels: ClassVar[tuple[str, ...]] = ("position", "velocity", "torque")
    position: np.ndarray
    velocity: np.ndarray
    torque: np.ndarray

    def __init__(self, world: World, figure: Figure, joint: str, **options: Any) -> None:
        super().__init__(world, figure, joint, **options)
        self.joint: JointInfo = figure.model.joint(joint)
        for given in (self.noise, self.bias):
            if self.joint.turns and np.any(given.get("position", 0.0)):
                raise InputError(
                    f"sensor: {joint!r} is a {self.joint.kind} joint; its position, a quaternion, takes no noise or bias."
                )

    def measure(self, *channels: str) -> dict[str, np.ndarray]:
        """Now; the torque is that of the last step."""
        j, part = self.joint, self.figure.part
        if j.leader is not None:
            q, v = self.figure.q[j.iq : j.iq + 1], self.figure.v[j.iv : j.iv + 1]
            return {"position": j.ratio * q + j.offset, "velocity": j.ratio * v, "torque": np.zeros(0)}
        if j.matrix is not None:
            v = j.matrix @ self.figure.v[j.iv : j.iv + j.matrix.shape[1]]
            return {"position": self.figure.q[j.q].copy(), "velocity": v, "torque": np.zeros(0)}
        torque = self.world._last.tau[part.v][j.v]
        return {"position": self.figure.q[j.q].copy(), "velocity": self.figure.v[j.v].copy(), "torque": torque.copy()}


class MountedSensor(Sensor):
    """A sensor in a frame of a link."""

    given: ClassVar[type] = Mounting
    offset: np.ndarray
    rotation: np.ndarray
    frame: FrameInfo

    def __init__(
        self,
        world: World,
        figure: Figure,
        link: str,
        *,
        offset: Sequence[float] = (0.0, 0.0, 0.0),
        rotation: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(world, figure, link, **options)
        shift = np.asarray(offset, dtype=float)
        if shift.shape != (3,) or not np.all(np.isfinite(shift)):
            raise InputError(f"sensor: offset needs three finite numbers, got {offset}.")
        f = figure.model.frame(link)
        self.offset, self.rotation = shift, rotation_matrix(rotation, "sensor")
        position, turn = f.position + f.rotation @ shift, f.rotation @ self.rotation
        self.frame = FrameInfo(f"{link} sensor", f.body, position, turn, False)

    @property
    def body(self) -> int:
        """Body of the whole world that carries it."""
        return self.figure.part.body + self.frame.body if self.frame.body else 0

    def start_pose(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(position of the sensor, of its body, rotation) at the start of the last step."""
        k = self.world._last.poses()
        R = k.rotation[self.body]
        return k.position[self.body] + R @ self.frame.position, k.position[self.body], R @ self.frame.rotation


class ForceTorque(MountedSensor):
    """Force [N] and torque [N m] that the joint which carries a link (and all that is fixed to it) puts on it, in the
    sensor's frame."""

    channels: ClassVar[tuple[str, ...]] = ("force", "torque")
    force: np.ndarray
    torque: np.ndarray

    def __init__(self, world: World, figure: Figure, link: str, **options: Any) -> None:
        super().__init__(world, figure, link, **options)
        if self.frame.body == 0:
            raise InputError(f"sensor: {link!r} of {figure.name!r} is fixed to the world; no joint carries it.")

    def measure(self, *channels: str) -> dict[str, np.ndarray]:
        """Mean of the last step."""
        x, origin, R = self.start_pose()
        load = self.world._last.loads(self.world).wrench[self.body]
        return {"force": R.T @ load[:3], "torque": R.T @ (load[3:] + cross(origin - x, load[:3]))}


class SoleForce(MountedSensor):
    """Sum of the contact forces [N] on a link (for a frame: on its whole body), their torque [N m] about the sensor's
    origin, and their centre of pressure [m] (NaN without)."""

    channels: ClassVar[tuple[str, ...]] = ("force", "torque", "cop")
    force: np.ndarray
    torque: np.ndarray
    cop: np.ndarray

    def measure(self, *channels: str) -> dict[str, np.ndarray]:
        """Mean of the last step."""
        g, number = self.world._geometry, list(self.world._figures).index(self.figure.name)
        own = (g.figure == number) & (g.body == self.body)
        if self.figure.model.frame(self.place).is_link:
            own &= np.array([link == self.place for link in g.links])
        last = last_contacts(self.world)
        sign = own[last.a].astype(float) - own[last.b]
        x, _, R = self.start_pose()
        arm = last.point - x
        press = np.where(sign != 0, np.maximum((last.force * last.normal).sum(1), 0.0), 0.0)
        cop = press @ arm / press.sum() if press.sum() > PRESSING else np.full(3, np.nan)
        force = sign[:, None] * last.force
        return {"force": R.T @ force.sum(0), "torque": R.T @ cross(arm, force).sum(0), "cop": R.T @ cop}


class IMU(MountedSensor):
    """Specific force [m/s^2], angular velocity [rad/s] and orientation (quaternion wxyz, world <- sensor)."""

    channels: ClassVar[tuple[str, ...]] = ("acceleration", "gyro", "orientation")
    acceleration: np.ndarray
    gyro: np.ndarray
    orientation: np.ndarray

    def measure(self, *channels: str) -> dict[str, np.ndarray]:
        """Acceleration: mean of the last step; the others: now."""
        k, body = kinematics(self.figure.model, self.figure.q.copy(), self.figure.v.copy()), self.frame.body
        now = k.rotation[body] @ self.frame.rotation
        found = {"gyro": now.T @ k.twist[body, 3:], "orientation": quaternion(now)}
        if channels and "acceleration" not in channels:
            return found
        x, origin, R = self.start_pose()
        loads, r, i = self.world._last.loads(self.world), x - origin, self.body
        w = loads.omega[i]
        f = loads.specific[i] + cross(loads.alpha[i], r) + cross(w, cross(w, r))
        return {"acceleration": R.T @ f, **found}


class Encoders(Sensor):
    """Positions [rad or m] and velocities [rad/s or m/s] of many joints in the order given, each joint's numbers behind
    those of the one before; quaternions of balls take no noise."""

    channels: ClassVar[tuple[str, ...]] = ("position", "velocity")
    given: ClassVar[type] = Choice
    position: np.ndarray
    velocity: np.ndarray
    joints: tuple[str, ...]
    iq: np.ndarray
    iv: np.ndarray

    def __init__(
        self, world: World, figure: Figure, place: str, *, joints: Sequence[str] | None = None, **options: Any
    ) -> None:
        super().__init__(world, figure, place, **options)
        chosen = [j for j in figure.model.joints if j.nv and j.kind != "free"]
        if joints is not None:
            chosen = [figure.model.joint(name) for name in joints]
        none = np.zeros(0, dtype=int)
        self.joints = tuple(j.name for j in chosen)
        self.iq = np.concatenate([none, *(np.arange(j.iq, j.iq + j.nq) for j in chosen)])
        self.iv = np.concatenate([none, *(np.arange(j.iv, j.iv + j.nv) for j in chosen)])
        self._plain = np.concatenate([none, *(np.full(j.nq, not j.turns) for j in chosen)]).astype(float)

    def measure(self, *channels: str) -> dict[str, np.ndarray]:
        """Now."""
        return {"position": self.figure.q[self.iq], "velocity": self.figure.v[self.iv]}

    def _disturbed(self, name: str, value: np.ndarray) -> np.ndarray:
        if name == "position" and (np.any(self.noise.get(name, 0.0)) or np.any(self.bias.get(name, 0.0))):
            return value + self._plain * (super()._disturbed(name, value) - value)
        return super()._disturbed(name, value)


KINDS: dict[str, type[Sensor]] = {
    "joint": JointSensor,
    "force_torque": ForceTorque,
    "sole": SoleForce,
    "imu": IMU,
    "encoders": Encoders,
}


def sensor_of(world: World, kind: str, at: LinkOf | Figure | str, **options: Any) -> Sensor:
    """A sensor by its kind; `at` is a link or frame, a figure (its root link), or "figure.name" of a link, frame or
    joint."""
    from bunraku.world.figure import Figure

    if kind not in KINDS:
        raise UnknownName(f"add_sensor: there is no kind {kind!r}.{closest(kind, KINDS)}")
    if isinstance(at, str):
        name = max((n for n in world._figures if at.startswith(f"{n}.")), key=len, default=None)
        if name is None:
            raise UnknownName(
                f"add_sensor: {at!r} does not begin with a figure's name and a dot.{closest(at, world._figures)}"
            )
        figure, place = world._figures[name], at[len(name) + 1 :]
    elif isinstance(at, Figure):
        figure, place = at, at.model.links[0].name
    else:
        figure, place = at.figure, at.name
    if kind == "joint" and not isinstance(at, str):  # a link stands for the joint that carries it
        place = next((j.name for j in reversed(figure.model.joints) if j.link == place), place)
    allowed = KINDS[kind].given.__annotations__
    for option in options:
        if option not in allowed:
            raise InputError(f"add_sensor: a {kind!r} sensor has no option {option!r}.{closest(option, allowed)}")
    return KINDS[kind](world, figure, place, **options)


def plain(x: Any) -> Any:
    """An option of a sensor as JSON has it."""
    if hasattr(x, "items"):
        return {name: value.tolist() for name, value in x.items()}
    return x.tolist() if isinstance(x, np.ndarray) else x


def saved_sensor(sensor: Sensor) -> dict[str, Any]:
    """A sensor as plain values; `load_sensor` makes it again."""
    kind = next((name for name, made in KINDS.items() if type(sensor) is made), None)
    if kind is None:
        raise InputError(
            f"save: a sensor of your own, {type(sensor).__name__}, cannot be saved; take it out of world.sensors."
        )
    place = {"kind": kind, "figure": sensor.figure.name, "place": sensor.place}
    return {**place, "options": sensor.options(), "drawn": sensor.drawn()}


def load_sensor(world: World, saved: Mapping[str, Any]) -> Sensor:
    """The opposite of `saved_sensor`, without what was drawn."""
    if saved["kind"] not in KINDS:
        raise InputError(f"a sensor of an unknown kind {saved['kind']!r}.")
    return KINDS[saved["kind"]](world, world[saved["figure"]], str(saved["place"]), **dict(saved["options"]))
