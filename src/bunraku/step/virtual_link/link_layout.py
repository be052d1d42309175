"""Records of the virtual-link contact solver. SI units.

A *patch* is one contact region between two bodies. Its frame: z along the normal, out of the parent, the way the
contact pushes the real link; x, y in the surface; the reference origin anywhere near the region. Six rows of relative
motion (vx vy vz wx wy wz) of the real link against the parent at that origin, dual to the wrench (fx fy fz nx ny nz) on
the real link. p patches, then r single rows, equalities or bounded: m = 6 p + r.

After `impact` forces are impulses. After FALLBACK a patch holds the next hypothesis, not that of f. A patch without
memory has mode 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bunraku.kernel.compile import inline
from bunraku.kernel.lanes import ld
from bunraku.kernel.record import (
    Record,
    flat,
    inner,
    int_vector,
    many,
    pair,
    pairs,
    put,
    real,
    reals,
    ref,
    vec3s,
    vector,
    whole,
    zeros,
)
from bunraku.linalg.dense import padded
from bunraku.step.step_arrays import EXTRA

VERTICES = 8  # at most, a patch
NONE, POINT, LINE, SURFACE = 0, 1, 2, 3  # states of a patch
STICK, SPIN, SLIP = 1, 2, 3  # its modes; 0 = unknown
HELD, LOW, HIGH = 0, 1, 2  # what a single row is: an equality, or at a bound
OK, FALLBACK = 0, 1  # what a call returns
CAPPED, SINGULAR, ENERGY, NOT_FINITE = 1, 2, 3, 4  # reasons of a FALLBACK
# what the matrix is: friction of sliding patches makes it unsymmetric; WHOLE is K itself
SYMMETRIC, UNSYMMETRIC, WHOLE = 0, 1, 2
FAR = 1e300


class Region(Record):
    """What the caller gives of a patch: a convex polygon and its material."""

    count = whole()  # of vertices
    mu_s = real()  # friction, static
    mu_d = real()  # and dynamic
    e_n = real()  # restitution along the normal
    e_t = real()  # and across
    vertex = pairs(VERTICES)  # m, counter-clockwise


class Margins(Record):
    """How far an answer is from its limits; positive where they hold."""

    fz = real()  # N
    pv = real()  # m: how far pv lies inside the hull; a line: to its nearer end; a point: 0
    f = real()  # N: muS fz - |f|
    nz = real()  # N m: d (muS fz - |f|) - |nzv|
    vertex = real()  # smallest acceleration (impact: velocity) of a free vertex above its target; FAR without one
    misaligned = real()  # error of a sliding contact's friction against the law for its motion, relative to muD fz


class Patch(Record):
    """A patch: what is given, what is thought of it (result, and memory of the last step), scratch."""

    region = inner(Region)
    state = whole()
    mode = whole()
    low = whole()  # the vertex of a point, or the first
    high = whole()  # and the second of a line
    pv = pair()  # m: centre of pressure
    s = pair()  # direction of slip
    fade = real()  # E
    sign = real()  # of wz
    d = real()  # m: mean distance of the region from pv, that friction was computed with
    centre = pair()  # m: of rotation
    rho = real()  # the direction of motion (rho s, sign turn) that friction is thought to oppose, a unit vector,
    turn = real()
    speed = real()  # and its size: see link_friction.py
    fz = real()  # normal force of the last solve,
    wz = real()  # and turn
    margin = inner(Margins)
    row = whole()  # the first of its six
    tried = whole()  # hypotheses, by bits
    first = whole()  # of its unknowns,
    last = whole()  # and the one behind them


class Single(Record):
    """A single row."""

    low = real()  # N: bounds of its force
    high = real()
    bound = whole()  # HELD, LOW or HIGH


class LinkRow(Record):
    """An unknown of the linear system: a constrained motion of a patch and its wrench, or a held single row."""

    motion = reals(6)
    force = reals(6)
    axis = whole()  # which unit vector `motion` is, -1 if none; the number of a single row
    own = whole()  # 1 where what follows counts:
    soft = real()  # softness on its own force
    by_fz = real()  # answers to fz, nx, ny of its patch
    by_nx = real()
    by_ny = real()
    wanted = real()


class Alone(Record):
    """Scratch of link_alone.py."""

    response = vec3s(3)  # columns of G
    answers = vec3s(3)  # and of the answers of fz, nx, ny
    rows = reals(3, 6)  # that keep the patch touching
    A = reals(3, 3)
    wrench = reals(6)
    moved = reals(6)


class LinkNumbers(Record):
    """The problem in numbers, and how its solution went."""

    p = whole()
    r = whole()
    m = whole()
    stride = whole()  # numbers in a row of K
    h = real()  # s: the step; 1 for an impact
    tolerance = real()
    cap = whole()  # of solves
    impact = whole()  # 1 for an impact
    solves = whole()  # made
    reason = whole()  # of a FALLBACK
    unknowns = whole()
    of_patches = whole()  # unknowns before the single rows
    matrix = whole()  # SYMMETRIC, UNSYMMETRIC or WHOLE


class Links(Record, after=EXTRA):
    """A contact problem, its answer and its scratch."""

    numbers = ref(LinkNumbers)
    patches = many(Patch)
    order = int_vector()  # (p) which patch has rows 6 i ... 6 i + 5
    singles = many(Single)  # (r)
    K = vector()  # (m, stride), flat; symmetric positive semi-definite
    free = vector()  # (m) accelerations without forces; for an impact velocities
    goal = vector()  # (m) accelerations wanted; 0 for an impact
    v = vector()  # (m) velocities; 0 for an impact
    f = vector()  # (m) forces in (the last step's, or zero) and out
    a = vector()  # (m) accelerations out; for an impact velocities
    rows = many(LinkRow)  # (unknowns)
    A = vector()  # (unknowns, unknowns), flat, rows of whole lanes
    pivots = int_vector()
    added = vector()  # to the diagonal, smallest pivots and inverse ones: bunraku.linalg.dense
    tiny = vector()
    inverse = vector()
    x = vector()  # unknowns
    rest = vector()  # what is left of the right-hand side
    y = vector()  # (m) answer to one unknown
    bounce = vector()  # (m) forces of a rebound,
    bounced = vector()  # and the motion they lead to
    alone = ref(Alone)


def put_links(links: Links, patches: int, m: int, K: np.ndarray) -> Links:
    """Arrays for so many patches, and problems of up to m rows with the matrix K."""
    vectors = ("free", "goal", "v", "f", "a", "y", "bounce", "bounced")
    in_lanes = ("added", "tiny", "inverse", "x", "rest")
    n = padded(m)
    put(links, numbers=LinkNumbers(), patches=zeros(Patch, patches), singles=zeros(Single, m), alone=Alone())
    put(links, rows=zeros(LinkRow, m), A=np.zeros(n * n), K=K.reshape(-1))
    put(links, **{k: np.zeros(m) for k in vectors}, **{k: np.zeros(n) for k in in_lanes})
    put(links, order=np.zeros(m, dtype=np.int64), pivots=np.zeros(m, dtype=np.int64))
    links.numbers.stride = K.shape[1]
    return links


class Buffers:
    """A problem of p patches and r single rows for calls from Python; keeps the memory from call to call."""

    def __init__(self, p: int, r: int = 0) -> None:
        m = 6 * p + r
        self.p, self.r = p, r
        self.links = put_links(Links(), p, m, np.zeros((m, m)))
        self.numbers, self.patches, self.singles = self.links.numbers, self.links.patches, self.links.singles
        self.f, self.a = self.links.f, self.links.a
        self.numbers.p, self.numbers.r, self.numbers.m = p, r, m
        self.links.order[:p] = np.arange(p)
        self.patches.column("row")[:] = 6 * np.arange(p)
        self.singles.column("low")[:], self.singles.column("high")[:] = -FAR, FAR

    def state(self, K: Any, free: Any, goal: Any, v: Any, regions: Sequence[Region]) -> None:
        """Make this the problem; forces and memory stay."""
        links = self.links
        links.K[:], links.free[:], links.goal[:], links.v[:] = np.ravel(K), free, goal, v
        for patch, region in zip(self.patches, regions, strict=True):
            flat(patch.region)[:] = flat(region)


@inline
def patch_of(links: Links, i):
    """The patch whose rows are 6 i ... 6 i + 5."""
    return links.patches[links.order[i]]


@inline
def response_at(links: Links, i, j):
    """K[i, j]."""
    return ld(links.K, i * links.numbers.stride + j)
