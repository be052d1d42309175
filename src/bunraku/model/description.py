"""What a figure is, before it becomes arrays: links, joints, inertias, shapes, gears, frames.

A `Description` is plain, mutable data that a person or a file reader writes; `bunraku.model.build` checks it and turns
it into an immutable `Model`. A file format returns a Description and never a Model.

Frames and units: SI, right-handed. A link's `position`/`rotation` place its frame in its parent link's frame at the
joint reference position. Joint axes and anchors, inertias and shapes are written in the link's own axes. Rotations may
be given as a 3x3 matrix or as a quaternion (w, x, y, z).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np

from bunraku.errors import ModelError
from bunraku.model.equipment import Actuator, Closure, Keyframe, Meter, Tendon

if TYPE_CHECKING:
    from bunraku.model.model import Model
    from bunraku.model.relief import Relief

Vector = Sequence[float] | np.ndarray
INF = math.inf

SHAPE_SIZES = {
    "sphere": 1, "capsule": 2, "box": 3, "cylinder": 2, "cone": 2, "ellipsoid": 3, "plane": 0, "mesh": 0,
    "terrain": 0,
}  # fmt: skip


@dataclass
class Inertia:
    """Mass [kg], centre of mass [m] and rotational inertia about that centre [kg m^2], in link axes.

    `moments` is a 3x3 matrix, three principal moments, or (xx, yy, zz, xy, xz, yz).
    """

    mass: float = 0.0
    com: Vector = (0.0, 0.0, 0.0)
    moments: Any = (0.0, 0.0, 0.0)

    def matrix(self) -> np.ndarray:
        """The 3x3 inertia about the centre of mass [kg m^2]."""
        m = np.asarray(self.moments, dtype=float)
        if m.shape == (3, 3):
            return m.copy()
        if m.shape == (3,):
            return np.diag(m)
        if m.shape == (6,):
            xx, yy, zz, xy, xz, yz = m
            return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        raise ModelError(f"inertia: {m.shape} numbers are not 3 principal moments, 6 values or a 3x3 matrix.")


@dataclass
class Joint:
    """How a link moves against its parent.

    kind: hinge (1 DoF about `axis`), slider (1 DoF along `axis`), helical (1 DoF: about `axis` and, by `pitch` metres a
    turn, along it), universal (2: `axis`, then `axis2` carried by the first), ball (3), free (6), fixed (0): the table
    in bunraku.model.joint_kinds. `anchor` is the joint's centre in link axes. Units: rad or m, N m or N, SI
    throughout. Values of a universal joint may be pairs. `reference` is the value of q at which the link has its
    described pose. `swing` [rad] is the largest angle between the two z axes of a ball, `twist` its range about z.
    `where` is the place in the source file (`file:line`), for messages.
    """

    name: str = ""
    kind: str = "hinge"
    axis: Vector = (0.0, 0.0, 1.0)
    axis2: Vector | None = None
    anchor: Vector = (0.0, 0.0, 0.0)
    lower: Any = -INF
    upper: Any = INF
    swing: float = INF
    twist: tuple[float, float] = (-INF, INF)
    damping: Any = 0.0
    friction: Any = 0.0
    stiffness: Any = 0.0
    rest: Any = 0.0
    armature: Any = 0.0
    effort: Any = INF
    velocity: Any = INF
    reference: Any = 0.0
    where: str = ""
    pitch: float = 0.0


@dataclass
class Shape:
    """A geometric shape on a link, sizes in m: sphere (radius), capsule, cylinder and cone (radius, half length along z; a
    cone's tip is above), box and ellipsoid (three half sizes), plane (z > 0 is free), mesh (file `mesh`, scaled by
    `scale`), terrain (`relief`, fixed to the world: bunraku.model.relief). position [m], rotation: in the link's frame.
    `role` is "both", "collision" or "visual".

    `masks`: (bits it has, bits it touches), MJCF's contype and conaffinity: two shapes may touch where the bits of one
    are among those that the other touches. `friction`: its own, where the figure is given none."""

    kind: str
    size: tuple[float, ...] = ()
    position: Vector = (0.0, 0.0, 0.0)
    rotation: Any = None
    role: str = "both"
    name: str = ""
    color: tuple[float, float, float, float] | None = None
    mesh: str | None = None
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    masks: tuple[int, int] = (1, 1)
    friction: float | tuple[float, float] | None = None
    relief: Relief | None = None


@dataclass
class ShapePair:
    """Two shapes, by name, that may touch whatever masks, neighbours and `collide_exclude` say (MJCF's <pair>), with a
    friction of their own, or None."""

    a: str
    b: str
    friction: float | tuple[float, float] | None = None
    where: str = ""


@dataclass
class Link:
    """A rigid body and the joint (or, from inner to outer, the joints) that tie it to `parent` (None = the fixed
    world); position [m] and rotation in the parent's frame, at the joints' reference. `gravcomp` is the part of its
    weight that is carried in a world (1: it hangs as if weightless)."""

    name: str
    parent: str | None = None
    position: Vector = (0.0, 0.0, 0.0)
    rotation: Any = None
    joints: list[Joint] = field(default_factory=list)
    inertia: Inertia = field(default_factory=Inertia)
    shapes: list[Shape] = field(default_factory=list)
    where: str = ""
    gravcomp: float = 0.0


@dataclass
class Frame:
    """A named pose fixed to a link, position in m: a hand, a sensor, the middle of a sole."""

    name: str
    link: str
    position: Vector = (0.0, 0.0, 0.0)
    rotation: Any = None


@dataclass
class Gear:
    """q_follower = ratio * q_leader + offset, between two 1-DoF joints given by name; offset in rad or m, ratio in the
    follower's unit a unit of the leader."""

    follower: str
    leader: str
    ratio: float = 1.0
    offset: float = 0.0
    name: str = ""
    where: str = ""


@dataclass
class MatrixGear:
    """Rates of the `followers`, one below the other, = matrix @ rates of the `leaders`; joints by name.

    A hinge, slider or helical joint has one rate [rad/s or m/s], a universal joint two, a ball three: its angular
    velocity in child axes. The matrix is constant.
    """

    followers: list[str]
    leaders: list[str]
    matrix: Any
    where: str = ""


@dataclass
class Note:
    """Something a reader or the builder wants the user to know.

    kind: "ignored" (not understood), "changed" or "warning". `element` is what of the file it is about, where it is
    one kind of element ("<transmission>", "<geom> margin"), and `count` how many there are.
    """

    kind: str
    text: str
    where: str = ""
    element: str = ""
    count: int = 1

    def __str__(self) -> str:
        return f"{self.where}: {self.text}" if self.where else self.text


@dataclass
class Description:
    """A whole figure before it is built: links with their joints, gears, frames; `add` appends a link, `build` makes a
    Model of it. SI units.

    `gears` couple two joints with one axis, `matrix_gears` any joints.
    `collide_exclude` lists pairs of link names that never touch, `collide_pairs` pairs of shapes that may in any case;
    `gravity` [m/s^2]; `states_gravity`: its file means it, so that a World that was given none takes it. Actuators,
    tendons, closures and keyframes: bunraku.model.equipment.
    """

    name: str = "figure"
    links: list[Link] = field(default_factory=list)
    gears: list[Gear] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    collide_exclude: list[tuple[str, str]] = field(default_factory=list)
    source: str = ""
    gravity: Vector = (0.0, 0.0, -9.80665)
    matrix_gears: list[MatrixGear] = field(default_factory=list)
    collide_pairs: list[ShapePair] = field(default_factory=list)
    actuators: list[Actuator] = field(default_factory=list)
    tendons: list[Tendon] = field(default_factory=list)
    closures: list[Closure] = field(default_factory=list)
    keyframes: list[Keyframe] = field(default_factory=list)
    states_gravity: bool = False
    sensors: list[Meter] = field(default_factory=list)

    def add(
        self,
        name: str,
        parent: str | None = None,
        joint: Joint | Sequence[Joint] | None = None,
        *,
        at: Vector = (0.0, 0.0, 0.0),
        rotation: Any = None,
        mass: float = 0.0,
        com: Vector = (0.0, 0.0, 0.0),
        moments: Any = (0.0, 0.0, 0.0),
        shapes: Sequence[Shape] = (),
    ) -> Link:
        """Append a link and return it; without a joint it is fixed to its parent. at: where its joint is in the parent's
        frame [m]; mass [kg]; com: centre of mass in its own frame [m]; moments of inertia about it [kg m^2]."""
        joints = [] if joint is None else [joint] if isinstance(joint, Joint) else list(joint)
        if not all(isinstance(j, Joint) for j in joints):
            raise ModelError(f"link {name!r}: joint must be a Joint, e.g. hinge('elbow', (0, 1, 0)), got {joint!r}.")
        link = Link(name, parent, at, rotation, joints, Inertia(mass, com, moments), list(shapes))
        self.links.append(link)
        return link

    def frame(self, name: str, link: str, at: Vector = (0.0, 0.0, 0.0), rotation: Any = None) -> Frame:
        """Append a named frame and return it."""
        frame = Frame(name, link, at, rotation)
        self.frames.append(frame)
        return frame

    def gear(self, follower: str, leader: str, ratio: float = 1.0, offset: float = 0.0) -> Gear:
        """Couple two 1-DoF joints: q_follower = ratio * q_leader + offset [rad or m]."""
        gear = Gear(follower, leader, ratio, offset)
        self.gears.append(gear)
        return gear

    def couple(self, followers: str | Sequence[str], leaders: str | Sequence[str], matrix: Any) -> MatrixGear:
        """Couple joints of any kind but free ones by a constant matrix: rates of the followers = matrix @ rates of the
        leaders, those of several joints one below the other (`MatrixGear`)."""
        one, two = ([x] if isinstance(x, str) else list(x) for x in (followers, leaders))
        gear = MatrixGear(one, two, matrix)
        self.matrix_gears.append(gear)
        return gear

    def build(self, *, strict: bool = False, repair: bool = False) -> Model:
        """Check and compile into a `Model`; strict refuses an inertia that no real body can have, too. repair mends
        what other programs read, too, and tells so in `Model.notes` (bunraku.model.repair)."""
        from bunraku.model.build import build

        return build(self, strict=strict, repair=repair)


class JointOptions(TypedDict, total=False):
    """Fields of a Joint besides its name, kind and axes."""

    anchor: Vector
    lower: Any
    upper: Any
    swing: float
    twist: tuple[float, float]
    damping: Any
    friction: Any
    stiffness: Any
    rest: Any
    armature: Any
    effort: Any
    velocity: Any
    reference: Any
    where: str


def hinge(name: str, axis: Vector = (0, 0, 1), **options: Unpack[JointOptions]) -> Joint:
    """A 1-DoF joint turning about `axis` [rad]. Options: lower, upper [rad], damping [N m s/rad], effort [N m] … of
    `Joint`."""
    return Joint(name, "hinge", axis, **options)


def slider(name: str, axis: Vector = (0, 0, 1), **options: Unpack[JointOptions]) -> Joint:
    """A 1-DoF joint sliding along `axis` [m]. Options: lower, upper [m], damping [N s/m], effort [N] … of `Joint`."""
    return Joint(name, "slider", axis, **options)


def helical(name: str, axis: Vector = (0, 0, 1), *, pitch: float, **options: Unpack[JointOptions]) -> Joint:
    """A screw: turning by q [rad] about `axis` moves it by pitch * q / (2 pi) along it. `pitch` [m per turn] is positive
    for a right-handed thread."""
    return Joint(name, "helical", axis, pitch=pitch, **options)


def ball(name: str, **options: Unpack[JointOptions]) -> Joint:
    """A 3-DoF joint: q = (w, x, y, z), v = angular velocity [rad/s] in child axes. Options: swing, twist [rad] … of
    `Joint`."""
    return Joint(name, "ball", **options)


def universal(name: str, axis: Vector = (1, 0, 0), axis2: Vector = (0, 1, 0), **options: Unpack[JointOptions]) -> Joint:
    """A 2-DoF joint [rad]: first about `axis`, then about `axis2`, which the first rotation carries along."""
    return Joint(name, "universal", axis, axis2, **options)


def free(name: str = "root", **options: Unpack[JointOptions]) -> Joint:
    """A 6-DoF joint to the world: q = (x, y, z [m], qw, qx, qy, qz), v = (linear [m/s] in world axes, angular [rad/s]
    in body axes)."""
    return Joint(name, "free", **options)
