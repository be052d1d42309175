"""A figure that holds a thing: the pose in which it does, and the inertia that the thing adds to the links that hold it.

    loaded = with_load(humanoid("human"), Load(bk.box((0.3, 0.36, 0.24), mass=10), (0.33, 0, 1.05), held={…}))

Hands are brought to where they hold the thing by inverse kinematics of their arms, with the rest of the figure in its
stance. What is planned with the figure (stance, pattern, stabiliser) then knows a thing of mass M that is held in n
places as n points of mass M / n,
    x_i = c + r_i - r,     r_i: where it is held,  r: their mean,  c: its centre of mass
so that mass and first moment are right and no hand needs a moment to hold still what hangs between several; a single
one carries all of it, its inertia about c as well. In a world the thing is a body of its own, tied where it is held:
by all six axes where one link alone holds it, else as points, so that hands stay free to turn; where all points are on
one line, the first hand keeps it from turning about that line. World axes, SI units. Checked in
tests/humanoid/test_held_load.py.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bunraku.dynamics.functions import kinematics, rnea
from bunraku.dynamics.ik import inverse_kinematics
from bunraku.dynamics.ik_targets import Target
from bunraku.errors import InputError
from bunraku.humanoid.parts import Humanoid, chain, parent_bodies
from bunraku.model.layout import FIRST, FREE, KIND, MASS, SECOND
from bunraku.model.model import Model
from bunraku.model.rotations import matrix, rotation_matrix

if TYPE_CHECKING:
    from bunraku.world.figure import Figure
    from bunraku.world.ties import Connection
    from bunraku.world.world import World

NEAR = 0.005  # m: a hand is where it should hold
REST = 1e-4  # m^2/rad^2: arms stay near their stance
IN_LINE = 0.01  # m: places of hands that are so near to a line are on it
WHOLE, POINT, HINGED = "x y z rx ry rz", "x y z", "x y z rx"


@dataclass(frozen=True, eq=False)
class Load:
    """A thing that a figure holds: a loose model; place [m] and rotation (matrix or quaternion wxyz) of its frame as the
    figure stands with the middle between its soles at the origin and faces x. held: the links that hold it, each with
    the point of the thing [m, in its frame] to which the link's frame is brought, or None where it is tied as it is;
    others: points at which other figures hold it."""

    thing: Model
    place: Sequence[float]
    held: Mapping[str, Sequence[float] | None]
    rotation: Any = None
    others: Sequence[Sequence[float]] = ()
    words: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        if self.thing.nb != 2 or self.thing.ints[1, KIND] != FREE:
            raise InputError(f"load: {self.thing.name!r} is not one loose body, which is what a walker can hold.")
        if not self.held:
            raise InputError(f"load: nothing holds {self.thing.name!r}; say held={{'left_hand': (0, 0.2, 0)}}.")
        for x in (self.place, *(p for p in self.held.values() if p is not None), *self.others):
            if np.shape(x) != (3,) or not np.all(np.isfinite(np.asarray(x, dtype=float))):
                raise InputError(f"load: {x!r} is no place; write three finite numbers [m].")

    @property
    def mass(self) -> float:
        """Of the thing [kg]."""
        return self.thing.mass

    @property
    def carried(self) -> float:
        """How much of it this figure carries [kg]."""
        return self.mass * len(self.held) / (len(self.held) + len(self.others))

    @property
    def alone(self) -> bool:
        """Whether a single link holds it."""
        return len(self.held) + len(self.others) == 1

    @property
    def turn(self) -> np.ndarray:
        """(3, 3) the rotation as a matrix of pure numbers, world axes."""
        return np.eye(3) if self.rotation is None else rotation_matrix(self.rotation, "load: rotation")


@dataclass(frozen=True, eq=False)
class Holding:
    """What a figure with a load knows of it: `bare` is the model without it, `joints` the coordinates of those that
    hold, (place, turn) the thing's pose as the base carries it, in the base's frame."""

    load: Load
    bare: Model
    joints: Mapping[str, np.ndarray]
    place: np.ndarray
    turn: np.ndarray

    def pose(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Place [m] and rotation of the thing while a figure at q holds it as it did at first."""
        R = matrix(q[3:7])
        return q[:3] + R @ self.place, R @ self.turn

    def add_to(self, world: World, q: np.ndarray, name: str | None = None) -> Figure:
        """Put the thing into a world, in the hands of a figure at q."""
        place, R = self.pose(q)
        return world.add(self.load.thing, at=place.tolist(), rotation=R, name=name)

    def tie(self, world: World, figure: Figure, thing: Figure) -> tuple[Connection, ...]:
        """Tie a thing to the links of a figure that hold it."""
        link, line = self.load.thing.links[0].name, line_of(self.load, thing.pose(self.load.thing.links[0].name)[1])
        ties = []
        for k, part in enumerate(self.load.held):
            at = figure.pose(part)[0].tolist()
            if self.load.alone:
                ties.append(world.connect(figure[part], thing[link], at=at, axes=WHOLE))
            elif k == 0 and line is not None:
                ties.append(world.connect(figure[part], thing[link], at=at, axes=HINGED, rotation=line))
            else:
                ties.append(world.connect(figure[part], thing[link], at=at, axes=POINT))
        return tuple(ties)


def with_load(h: Humanoid, load: Load) -> Humanoid:
    """The figure as it holds a load; see the module text. InputError for what it cannot reach or hold."""
    if h.holding is not None:
        raise InputError(f"load: {h.model.name!r} holds {h.holding.load.thing.name!r} already.")
    for link in load.held:
        h.model.frame(link)
    q, joints = reaching(h, load)
    R, at = load.turn, np.asarray(load.place, dtype=float)
    base, p = matrix(q[3:7]), q[:3]
    holding = Holding(load, h.model, joints, base.T @ (at - p), base.T @ R)
    out = replace(h, model=weighted(h.model, load, q), holding=holding)
    refuse_weak(out, load, q)
    return out


def reaching(h: Humanoid, load: Load) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """(q of the stance with hands where they hold, the coordinates of the joints that bring them there)."""
    m, R, at = h.model, load.turn, np.asarray(load.place, dtype=float)
    q, joints = h.stand.copy(), {}
    for link, point in load.held.items():
        if point is None:
            continue
        arm = arm_of(h, link)
        goal = at + R @ np.asarray(point, dtype=float)
        fixed = [j.name for j in m.joints if j.nv and j.name not in arm]
        weight = np.full(m.nv, REST)
        found = inverse_kinematics(m, Target(link, goal), q, fixed=fixed, rest=h.stand, rest_weight=weight)
        if float(found.position_error) > NEAR:
            raise InputError(
                f"load: {link!r} ends {float(found.position_error):.2f} m from where it should hold {load.thing.name!r}; "
                f"put it nearer, or hold it elsewhere."
            )
        q = found.q
        joints |= {name: q[m.joint(name).q].copy() for name in arm}
    return q, joints


def line_of(load: Load, R: np.ndarray) -> np.ndarray | None:
    """Axes of the world of which the first is along the line on which all hands hold a thing that is turned by R; None
    where they are on no line."""
    places = np.array([p for p in (*load.held.values(), *load.others) if p is not None], dtype=float)
    if len(places) < 2:
        return None
    _, size, axes = np.linalg.svd(places - places.mean(axis=0))
    if size[1] > IN_LINE:
        return None
    x, y = R @ axes[0], R @ axes[1]
    return np.column_stack([x, y, np.cross(x, y)])


def arm_of(h: Humanoid, link: str) -> list[str]:
    """Joints between the trunk and a link that hangs on it."""
    m, parents = h.model, parent_bodies(h.model)
    trunk = chain(parents, m.body(h.trunk))
    own = [b for b in chain(parents, m.frame(link).body) if b not in trunk]
    legs = {name for f in h.feet for name in f.joints}
    names = [j.name for j in m.joints if j.nv and j.body in own]
    if not names or legs & set(names):
        raise InputError(f"load: {link!r} is not the end of an arm, so it cannot be brought anywhere; tie it as it is.")
    return names


def weighted(model: Model, load: Load, q: np.ndarray) -> Model:
    """The model with the load's inertia on the links that hold it, at the pose q."""
    k = kinematics(model, q)
    R, at = load.turn, np.asarray(load.place, dtype=float)
    centre, moments = central(load.thing)
    c = at + R @ centre
    places = [k.pose(link)[0] if p is None else at + R @ np.asarray(p, dtype=float) for link, p in load.held.items()]
    every = places + [at + R @ np.asarray(p, dtype=float) for p in load.others]
    n, mean = len(every), np.mean(every, axis=0)
    description = copy.deepcopy(model.description)
    for i, (frame, place) in enumerate(zip(load.held, places)):
        link = next(f for f in model.links if f.body == model.frame(frame).body)
        p, turn = k.pose(link.name)
        own = turn.T @ R @ moments @ R.T @ turn if n == 1 else np.zeros((3, 3))
        name = f"load {i + 1} on {frame}"
        description.add(name, link.name, at=turn.T @ (c + place - mean - p), mass=load.mass / n, moments=own)
    out = description.build()
    if out.body_names != model.body_names:
        raise InputError(f"load: the links of {model.name!r} are not the same with it; rename those called 'load'.")
    return out


def central(thing: Model) -> tuple[np.ndarray, np.ndarray]:
    """(centre of mass [m], inertia about it [kg m^2]) of one body, in its frame."""
    row = thing.reals[1]
    m, first = row[MASS], row[FIRST : FIRST + 3]
    xx, xy, xz, yy, yz, zz = row[SECOND : SECOND + 6]
    about = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    c = first / m
    return c, about - m * (float(c @ c) * np.eye(3) - np.outer(c, c))


def refuse_weak(h: Humanoid, load: Load, q: np.ndarray) -> None:
    """InputError where arms or trunk cannot hold the load still."""
    m = h.model
    torque = np.abs(rnea(m, q, np.zeros(m.nv), np.zeros(m.nv)))
    legs = {name for f in h.feet for name in f.joints}
    for j in m.joints:
        if not j.nv or j.kind == "free" or j.name in legs:
            continue
        asked, most = float(np.linalg.norm(torque[j.v])), float(np.min(m.effort[j.v]))
        if asked > most:
            raise InputError(
                f"load: {load.words or f'{load.mass:g} kg'} would need {asked:.0f} N m at {j.name!r} of {m.name!r}, which "
                f"has {most:.0f}; carry less, nearer, or on the back."
            )
