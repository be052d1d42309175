"""Geometry: the shapes of a scene as plain arrays, and the pairs that may touch; Contacts: what detection fills.

    geometry = Geometry.of([Placed(model, 0), Placed(box, model.nb - 1)], [Fixed(Shape("plane"))])
    contacts = Contacts(geometry)
    n = contacts.detect(poses, margin=0.001)       # rows contacts.ids[:n], contacts.data[:n]

Body b > 0 of a model placed at `offset` is body offset + b of the scene; body 0 is the world. What a row of the arrays
holds: the records of bunraku.collision.shape_layout. Shapes of role "visual" are left out. Up to SWEEP_FROM candidate
pairs are listed once; beyond that they are found by sweeping at every call. A mesh stands as its convex hull, which is
made of its file with the extra `mesh`; where that is absent it is left out, with a Note that says so. Checked in
tests/collision/test_geometry.py and test_detect.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from bunraku.collision.filters import candidate_pairs, excluded_keys
from bunraku.collision.hull import Hull
from bunraku.collision.hulls import HullPool
from bunraku.collision.mesh_hulls import hull_of_mesh, missing_extra
from bunraku.collision.shape_layout import (
    BOX,
    CAPSULE,
    CONVEX,
    CONVEX_PHASE,
    ELLIPSOID,
    FULL,
    HULL,
    KINDS,
    PAIR_POINTS,
    PAIRS_FULL,
    PLANE,
    POLYGON,
    POLYTOPE,
    POLYTOPE_FACES,
    RING,
    ROOM,
    SPHERE,
    TERRAIN,
    Candidate,
    Contact,
    ContactId,
    CornerName,
    Detection,
    DifferencePoint,
    FacePoint,
    Meeting,
    PairMemory,
    PolytopeEdge,
    PolytopeFace,
    ShapeForm,
    ShapeKind,
)
from bunraku.collision.shape_masks import Marks, Masks
from bunraku.collision.terrain_arrays import Ground, TerrainPool
from bunraku.collision.terrain_layout import TERRAIN_PHASE
from bunraku.errors import InputError, ModelError
from bunraku.kernel.record import Many, flat, handle, load, put, zeros
from bunraku.kernel.table import Phase
from bunraku.model.description import SHAPE_SIZES, Note, Shape
from bunraku.model.model import Model, ShapeInfo
from bunraku.model.rotations import rotation_matrix

SWEEP_FROM = 400  # candidate pairs from which a sweep is quicker than looking at each


@dataclass(frozen=True)
class Placed:
    """A figure or thing in the scene. material: a number, or a number per link or shape name (others 0)."""

    model: Model
    offset: int = 0
    self_collision: bool = True
    material: int | Mapping[str, int] = 0
    apart: tuple[tuple[int, int], ...] = ()  # further pairs of its bodies that never touch; 0: what of it is fixed


@dataclass(frozen=True)
class Fixed:
    """A shape that does not move: `shape.position` and `shape.rotation` are in the world."""

    shape: Shape
    material: int = 0


@dataclass(frozen=True, eq=False)
class Geometry:
    """See the module text. Shapes that move come first. Nothing changes these arrays once they are made."""

    ints: np.ndarray  # (ns, ...) a ShapeKind a row
    reals: np.ndarray  # (ns, ...) a ShapeForm a row
    pairs: np.ndarray
    excluded: np.ndarray
    sweeps: bool
    names: tuple[str, ...]
    links: tuple[str, ...]  # link of a shape in its figure, "" where it is fixed
    hulls: dict[int, Hull] = field(repr=False)
    pool: HullPool = field(repr=False)
    terrains: TerrainPool = field(repr=False)
    notes: tuple[Note, ...] = ()

    @property
    def ns(self) -> int:
        """Number of shapes."""
        return len(self.ints)

    @cached_property
    def kinds(self) -> Many[ShapeKind]:
        """`ints` by name."""
        return Many(ShapeKind, self.ints)

    @cached_property
    def forms(self) -> Many[ShapeForm]:
        """`reals` by name."""
        return Many(ShapeForm, self.reals)

    @cached_property
    def body(self) -> np.ndarray:
        """(ns,): body of every shape; 0 where it is fixed to the world."""
        return self.kinds.column("body")

    @cached_property
    def figure(self) -> np.ndarray:
        """(ns,): figure of every shape; -1 for fixed shapes of the world."""
        return self.kinds.column("figure")

    @cached_property
    def phases(self) -> dict[int, Phase]:
        """What a table needs beside the detection of plain shapes, by place: nothing, or the convex phase."""
        if not np.any(self.kinds.column("kind") >= CONVEX):
            return {}
        from bunraku.collision.convex import convex_contacts

        if not self.terrains.grounds:
            return {CONVEX_PHASE: convex_contacts}
        from bunraku.collision.terrain_contacts import terrain_contacts

        return {CONVEX_PHASE: convex_contacts, TERRAIN_PHASE: terrain_contacts}

    @property
    def plain_pairs(self) -> int:
        """Number of listed pairs without a convex shape, -1 where they would be swept."""
        count = int(np.all(self.kinds.column("kind")[self.pairs] < CONVEX, axis=1).sum())
        return count if count <= SWEEP_FROM else -1

    @property
    def bodies(self) -> int:
        """Least number of poses that detection needs, the world included."""
        return int(self.body.max(initial=0)) + 1

    @staticmethod
    def of(
        figures: Iterable[Placed] = (),
        fixed: Iterable[Fixed] = (),
        *,
        exclude: Iterable[tuple[int, int]] = (),
        sweep: bool | None = None,
    ) -> Geometry:
        """Compile a scene. exclude: further pairs of bodies that never touch; sweep: None chooses by their number."""
        figures, exclude = list(figures), [(int(a), int(b)) for a, b in exclude]
        _check_offsets(figures)
        builder = _Builder()
        for number, placed in enumerate(figures):
            for k, shape in enumerate(placed.model.shapes):
                body = placed.offset + shape.body if shape.body else 0
                name = f"{placed.model.name}.{shape.name or shape.link}"
                builder.add(shape, body, number, _material(placed.material, shape), name, k)
        for item in fixed:
            builder.add(_posed(item.shape), 0, -1, int(item.material), item.shape.name or item.shape.kind)
        ints, reals, hulls, names, links = builder.arrays()
        models = [(k, p.model, p.offset, p.self_collision, p.apart) for k, p in enumerate(figures)]
        marks = builder.marks()
        excluded = excluded_keys(ints, models, exclude, links, marks)
        count = len(ints)
        many = count * (count - 1) // 2 > 1000 * SWEEP_FROM  # too many even to list
        pairs = np.empty((0, 2), dtype=np.int64) if many or sweep else candidate_pairs(ints, excluded)
        sweeps = many or (len(pairs) > SWEEP_FROM and not marks.alone) if sweep is None else sweep
        if sweep is False and many:
            raise InputError(f"sweep=False: {count} shapes make too many pairs to list; leave the choice to None.")
        notes = tuple(builder.notes)
        return Geometry(
            ints, reals, pairs, excluded, sweeps, names, links, hulls, builder.pool, builder.terrains, notes
        )


def _check_offsets(figures: Sequence[Placed]) -> None:
    taken: dict[int, str] = {}
    for placed in figures:
        if not isinstance(placed, Placed) or not isinstance(placed.model, Model):
            raise InputError(f"Geometry.of: figures are Placed(model, offset), got {type(placed).__name__}.")
        if int(placed.offset) != placed.offset or placed.offset < 0:
            raise InputError(f"figure {placed.model.name!r}: body offset {placed.offset} is not a count of bodies.")
        for b in range(placed.offset + 1, placed.offset + placed.model.nb):
            if b in taken:
                raise InputError(
                    f"figure {placed.model.name!r}: body {b} already belongs to {taken[b]!r}; "
                    f"use offset {max(taken)} or more."
                )
            taken[b] = placed.model.name


def _material(material: int | Mapping[str, int], shape: ShapeInfo) -> int:
    if isinstance(material, Mapping):
        return int(material.get(shape.name, material.get(shape.link, 0)))
    return int(material)


def _posed(shape: Shape) -> ShapeInfo:
    position = np.asarray(shape.position, dtype=float)
    if position.shape != (3,) or not np.all(np.isfinite(position)):
        raise ModelError(f"fixed {shape.kind}: position needs three finite numbers, got {shape.position}.")
    rotation = rotation_matrix(shape.rotation, f"fixed {shape.kind}")
    size = tuple(map(float, shape.size))
    look = shape.role, shape.name, None, shape.mesh, shape.scale, shape.masks, shape.friction, shape.relief
    return ShapeInfo(shape.kind, size, 0, position, rotation, "", *look)


class _Builder:
    """Collects rows; moving shapes are put first at the end."""

    def __init__(self) -> None:
        self.rows: list[tuple[ShapeKind, ShapeForm, Hull | None, str, str, Masks, int]] = []
        self.notes: list[Note] = []
        self.pool = HullPool()
        self.terrains = TerrainPool()

    def _ground(self, shape: ShapeInfo, body: int, name: str) -> tuple[int, Ground]:
        """The number of a terrain and its arrays."""
        if shape.relief is None:
            raise ModelError(f"{name}: a terrain has a relief; bk.height_field and bk.terrain_mesh make one.")
        if body:
            raise ModelError(f"{name}: terrain stands still; fix it to the world, or use a mesh's convex hull.")
        return self.terrains.add(shape.relief)

    def add(
        self, shape: ShapeInfo, body: int, figure: int, material: int, name: str, number_in_model: int = -1
    ) -> None:
        if shape.role == "visual":
            return
        if shape.kind not in KINDS:
            raise ModelError(f"{name}: shape kind {shape.kind!r} is unknown. Available: {', '.join(KINDS)}.")
        size = shape.size
        if len(size) != SHAPE_SIZES[shape.kind] or not all(math.isfinite(x) and x > 0 for x in size):
            raise ModelError(
                f"{name}: {shape.kind} size {size} should be {SHAPE_SIZES[shape.kind]} positive numbers [m]."
            )
        kind, place, hull, ground, number = KINDS[shape.kind], shape.position, None, None, -1
        if kind == HULL and (command := missing_extra()):
            text = f"{name}: a {shape.kind} takes no part in collisions without the extra `mesh`; {command}."
            self.notes.append(Note("ignored", text))
            return
        if kind == HULL:
            hull, note = hull_of_mesh(shape.mesh, shape.scale, name)
            self.notes.append(note)
            if hull is None:
                return
            place = place + shape.rotation @ hull.centre
            number = self.pool.add(hull)
        if kind == TERRAIN:
            number, ground = self._ground(shape, body, name)
            place = place + shape.rotation @ ground.centre
        solid = hull if hull is not None else ground
        half = _half(kind, size) if solid is None else solid.half
        radius = hull.radius if hull is not None else _radius(kind, size, half)
        straight = int(np.array_equal(shape.rotation, np.eye(3)))
        what, form = ShapeKind(), ShapeForm()
        what.kind, what.body, what.figure, what.material, what.straight = kind, body, figure, material, straight
        what.hull = number
        sizes, turn = [*size, *[0.0] * (3 - len(size))], shape.rotation.ravel()
        load(form, {"size": sizes, "place": place, "turn": turn, "radius": radius, "half": half})
        self.rows.append((what, form, hull, name, shape.link, shape.masks, number_in_model))

    def marks(self) -> Marks:
        """What files say of who may touch whom."""
        rows = self.ordered()
        return Marks(tuple(r[5] for r in rows), tuple(int(r[0].figure) for r in rows), tuple(r[6] for r in rows))

    def ordered(self) -> list[tuple[ShapeKind, ShapeForm, Hull | None, str, str, Masks, int]]:
        """Shapes that move come first."""
        return sorted(self.rows, key=lambda row: row[0].body == 0)

    def arrays(self) -> tuple[np.ndarray, np.ndarray, dict[int, Hull], tuple[str, ...], tuple[str, ...]]:
        rows = self.ordered()
        ints = np.array([flat(r[0]) for r in rows], dtype=np.int64).reshape(-1, ShapeKind.layout.words)
        reals = np.array([flat(r[1]) for r in rows], dtype=float).reshape(-1, ShapeForm.layout.words)
        hulls = {s: r[2] for s, r in enumerate(rows) if r[2] is not None}
        return ints, reals, hulls, tuple(r[3] for r in rows), tuple(r[4] for r in rows)


def _half(kind: int, size: tuple[float, ...]) -> tuple[float, ...]:
    """Half sizes of the box about the centre of a shape that holds it."""
    if kind == PLANE:
        return (math.inf,) * 3
    if kind == SPHERE:
        return (size[0],) * 3
    if kind == CAPSULE:
        return size[0], size[0], size[0] + size[1]
    return size if kind in (BOX, ELLIPSOID) else (size[0], size[0], size[1])


def _radius(kind: int, size: tuple[float, ...], half: Sequence[float] | np.ndarray) -> float:
    """Radius of the sphere about the centre of a shape that holds it."""
    if kind in (PLANE, SPHERE, CAPSULE, ELLIPSOID):
        return max(half)
    return math.hypot(*half) if kind == TERRAIN else math.hypot(*size)


class Contacts:
    """The contact arrays, scratch and array of pairs for one Geometry; grown when needed, never state.

    `ids` (max, 4) are ContactIds, `data` (max, 7) ContactPoints (bunraku.collision.shape_layout). The first `count`
    rows are filled. `ints` holds all whole numbers of the scratch; the order of shapes in it is kept from call to call.
    """

    def __init__(self, geometry: Geometry, room: int = 64) -> None:
        self.geometry = geometry
        self.count = 0
        self.ints = np.zeros(order_in_ints(geometry.ns).stop + geometry.ns + 1, dtype=np.int64)
        self.ints[order_in_ints(geometry.ns)] = np.arange(geometry.ns)
        self.pairs = np.zeros((max(16 * geometry.ns, 64), 2), dtype=np.int64) if geometry.sweeps else geometry.pairs
        self._make(room)
        self._own: tuple[Detection, tuple[np.ndarray, ...]] | None = None

    def _make(self, room: int) -> None:
        self.ids = np.zeros((room, ContactId.layout.words), dtype=np.int64)
        self.data = np.zeros((room, Contact.layout.words))

    def put_into(self, d: Detection) -> None:
        """Tell a table where the arrays are."""
        g, names, order = self.geometry, 2 * ROOM * CornerName.layout.words, order_in_ints(self.geometry.ns)
        put(d.clip, corners=np.zeros((2 * ROOM, 3)), names=self.ints[:names].reshape(2 * ROOM, -1))
        put(d, kinds=g.ints, forms=g.reals, now=np.zeros((g.ns, 4)), pairs=self.pairs, excluded=g.excluded)
        put(d, order=self.ints[order], starts=self.ints[order.stop :], ids=self.ids, contacts=self.data)
        if g.phases:
            put_convex(d, g)
        if g.terrains.grounds:
            g.terrains.put_into(d.terrains)

    def grow(self, status: int) -> None:
        """Double what a negative status of detection found too small."""
        if status == FULL:
            self._make(2 * len(self.ids) + PAIR_POINTS)
        elif status == PAIRS_FULL:
            self.pairs = np.zeros((2 * len(self.pairs), 2), dtype=np.int64)

    def detect(self, poses: np.ndarray, margin: float = 0.0, stride: int = 12) -> int:
        """Fill the arrays and return the number of contacts with gap < margin [m].

        poses: flat, body i's rotation (9) and position (3) from i * stride on; (bodies, 12) will do."""
        from bunraku.collision.detect import detect_once

        x = np.ascontiguousarray(poses, dtype=np.float64).reshape(-1)
        need = (self.geometry.bodies - 1) * stride + 12
        if stride < 12 or len(x) < need:
            raise InputError(
                f"poses: {len(x)} numbers at stride {stride}; {self.geometry.bodies} bodies need {need}, "
                "and a stride of 12 or more."
            )
        if not (math.isfinite(margin) or margin == math.inf):
            raise InputError(f"margin {margin} is not a distance; write e.g. 0.001.")
        g = self.geometry
        fixed = -1 if g.sweeps else len(g.pairs)
        x = x if x.flags.writeable else x.copy()
        while True:
            n = detect_once.call(handle(self._ready()), fixed, x, stride, float(margin))
            if n >= 0:
                break
            self.grow(n)
        self.count = n
        return n

    def _ready(self) -> Detection:
        """A table of its own with the present arrays."""
        now = (self.ids, self.data, self.pairs)
        if self._own is None or any(a is not b for a, b in zip(self._own[1], now)):
            self._own = Detection(), now
            self.put_into(self._own[0])
            for k, what in self.geometry.phases.items():
                self._own[0].source.plan(k, what)
        return self._own[0]


def order_in_ints(ns: int) -> slice:
    """Where the order of ns shapes stands in `Contacts.ints`."""
    first = 2 * ROOM * CornerName.layout.words
    return slice(first, first + ns)


def put_convex(d: Detection, g: Geometry) -> None:
    """Give a table what the convex phase works on: the hulls of a scene, and scratch."""
    g.pool.put_into(d.hulls)
    put(d.clip, corners=np.zeros((2 * POLYGON, 3)), names=zeros(CornerName, 2 * POLYGON))
    put(
        d.convex,
        meeting=Meeting(),
        memory=zeros(PairMemory, max(64, 8 * g.ns)),
        points=zeros(DifferencePoint, POLYTOPE),
        faces=zeros(PolytopeFace, POLYTOPE_FACES),
        edges=zeros(PolytopeEdge, 3 * POLYTOPE_FACES),
        part_a=zeros(FacePoint, RING),
        part_b=zeros(FacePoint, RING),
        candidates=zeros(Candidate, POLYGON),
    )
