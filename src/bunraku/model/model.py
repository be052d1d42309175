"""The Model: an immutable description of figures and things as arrays, ready for kernels.

nb counts bodies including the fixed world (body 0), nq and nv the coordinates and the degrees of freedom after gears
have been eliminated. q and v follow MuJoCo: see docs/conventions.md. A body is what moves as one: links joined by fixed
joints are one body, and every link and frame keeps its name and pose.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bunraku.errors import InputError, ModelError, UnknownName, closest
from bunraku.model.description import Description, Note
from bunraku.model.equipment import Keyframe
from bunraku.model.joint_kinds import KINDS, JointKind
from bunraku.model.layout import MASS
from bunraku.model.matrix_gears import group_room

if TYPE_CHECKING:
    from bunraku.model.relief import Relief


@dataclass(frozen=True)
class FrameInfo:
    """A named pose on a body: a link or an extra frame. `position`/`rotation` are in the body's own frame."""

    name: str
    body: int
    position: np.ndarray
    rotation: np.ndarray
    is_link: bool


@dataclass(frozen=True)
class JointInfo:
    """A joint as the user named it. A gear's follower has nv = 0 own DoF: its value is ratio * q[iq] + offset.

    `slide`: metres along its axis per unit of its value. A joint that follows by a matrix has coordinates in q, none in
    v, and `matrix`: its rates are matrix @ v[iv : iv + matrix.shape[1]]. `matrix` is None of all others.
    """

    name: str
    kind: str
    link: str
    body: int
    iq: int
    nq: int
    iv: int
    nv: int
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    swing: float
    twist: tuple[float, float]
    leader: str | None = None
    ratio: float = 1.0
    offset: float = 0.0
    slide: float = 0.0
    matrix: np.ndarray | None = None

    @property
    def traits(self) -> JointKind:
        """What there is to know of its kind."""
        return KINDS[self.kind]

    @property
    def turns(self) -> bool:
        """Whether its last four coordinates are a quaternion."""
        return self.traits.coordinates > self.traits.dof

    @property
    def ranged(self) -> bool:
        """Whether `lower` and `upper` bound each of its coordinates."""
        return self.traits.limits == "range"

    @property
    def unit(self) -> str:
        """Unit of its coordinates, where they have one: "rad" or "m"."""
        return self.traits.unit

    @property
    def q(self) -> slice:
        """Where its coordinates stand in q."""
        return slice(self.iq, self.iq + self.nq)

    @property
    def v(self) -> slice:
        """Where its rates stand in v."""
        return slice(self.iv, self.iv + self.nv)


@dataclass(frozen=True)
class ShapeInfo:
    """A shape on a body, posed in the body frame. Sizes as in `Shape`."""

    kind: str
    size: tuple[float, ...]
    body: int
    position: np.ndarray
    rotation: np.ndarray
    link: str
    role: str
    name: str
    color: tuple[float, float, float, float] | None
    mesh: str | None
    scale: tuple[float, float, float]
    masks: tuple[int, int] = (1, 1)
    friction: float | tuple[float, float] | None = None
    relief: Relief | None = None


@dataclass(frozen=True)
class GearInfo:
    """A gear as given; `eliminated` says whether the tree absorbed it or it stays a constraint for the simulator.

    For a kept gear, the constraint is row . q = constant with row = {index into q: coefficient}.
    """

    follower: str
    leader: str
    ratio: float
    offset: float
    eliminated: bool
    row: tuple[tuple[int, float], ...] = ()
    constant: float = 0.0


@dataclass(frozen=True, eq=False)
class Model:
    """A figure or thing as it is computed with: `nb` bodies, `nq` coordinates, `nv` degrees of freedom; `joints`,
    `frames`, `shapes` by name with `joint`, `frame`, `body`; limits, damping, effort … (nv,) in SI units. `bk.human`,
    `bk.box`, `bk.load` and `Description.build` make one. It never changes; arrays are read-only."""

    name: str
    nb: int
    nq: int
    nv: int
    ints: np.ndarray
    reals: np.ndarray
    body_names: tuple[str, ...]
    joints: tuple[JointInfo, ...]
    frames: tuple[FrameInfo, ...]
    shapes: tuple[ShapeInfo, ...]
    gears: tuple[GearInfo, ...]
    dof_names: tuple[str, ...]
    lower: np.ndarray
    upper: np.ndarray
    damping: np.ndarray
    friction: np.ndarray
    stiffness: np.ndarray
    rest: np.ndarray
    armature: np.ndarray
    effort: np.ndarray
    velocity: np.ndarray
    q0: np.ndarray
    notes: tuple[Note, ...]
    collide_exclude: tuple[tuple[int, int], ...]
    source: str
    description: Description
    collide_pairs: tuple[tuple[int, int, Any], ...] = ()  # two of `shapes` that touch in any case, and their friction
    massless: tuple[str, ...] = ()  # joints that move no inertia: such a model has kinematics, but no forward dynamics

    def refuse_massless(self, who: str) -> None:
        """Raise ModelError where a joint moves no inertia; `who` needs it."""
        if self.massless:
            listed = ", ".join(map(repr, self.massless[:5])) + (" …" if len(self.massless) > 5 else "")
            joints = f"joint{'s' * (len(self.massless) > 1)} {listed} of {self.name!r} move no inertia"
            raise ModelError(f"{who}: {joints}; give the link a mass and an inertia, or the joint an armature.")

    @property
    def warnings(self) -> tuple[Note, ...]:
        """Notes of kind "warning"."""
        return tuple(n for n in self.notes if n.kind == "warning")

    @property
    def gravity(self) -> np.ndarray:
        """Gravity vector [m/s^2] in world axes."""
        return self.reals[0, :3].copy()

    @property
    def mass(self) -> float:
        """Total mass [kg] of the moving bodies."""
        return float(self.reals[1 : self.nb, MASS].sum())

    @property
    def spare(self) -> int:
        """Numbers of scratch that groups coupled by a matrix need."""
        return group_room(self.ints)

    @property
    def kept_gears(self) -> tuple[GearInfo, ...]:
        """Gears that the tree could not eliminate."""
        return tuple(g for g in self.gears if not g.eliminated)

    def joint(self, name: str) -> JointInfo:
        """The joint called `name`."""
        return _find(name, self.joints, "joint", self.name)

    def frame(self, name: str) -> FrameInfo:
        """The link or frame called `name`."""
        return _find(name, self.frames, "link or frame", self.name)

    def keyframe(self, name: str) -> Keyframe:
        """The pose called `name` of its file."""
        return _find(name, tuple(self.description.keyframes), "keyframe", self.name)

    def body(self, name: str) -> int:
        """Index of the body that carries the link or frame `name`."""
        return self.frame(name).body

    @property
    def links(self) -> tuple[FrameInfo, ...]:
        """All links, in the order of the description."""
        return tuple(f for f in self.frames if f.is_link)

    def neutral(self) -> np.ndarray:
        """q of the described pose [m, rad; quaternions w x y z]: joints at their reference, a free base where it was placed."""
        return self.q0.copy()

    def with_gravity(self, gravity: Iterable[float]) -> Model:
        """The same model under another gravity [m/s^2]."""
        from dataclasses import replace

        g = np.asarray(gravity, dtype=float)
        if g.shape != (3,) or not np.all(np.isfinite(g)):
            raise InputError(f"gravity needs three finite numbers, got {gravity}.")
        reals = self.reals.copy()
        reals[0, :3] = g
        reals.flags.writeable = False
        return replace(self, reals=reals)

    def __repr__(self) -> str:
        return f"<Model {self.name!r}: {self.nb - 1} bodies, nq {self.nq}, nv {self.nv}, {self.mass:.4g} kg>"


def _find(name: str, items: tuple, what: str, figure: str):
    for item in items:
        if item.name == name:
            return item
    raise UnknownName(f"figure {figure!r} has no {what} {name!r}.{closest(name, [i.name for i in items])}")
