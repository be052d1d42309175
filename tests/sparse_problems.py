"""Large contact problems for the tests: sparse copies of dense ones, and heaps of boxes."""

from time import perf_counter

import numpy as np

from bunraku.contact.pgs import MAX_SWEEPS, TOLERANCE
from bunraku.contact.problem import CONTACT
from bunraku.contact.sparse import make_sparse, solve_one
from bunraku.kernel.record import handle
from bunraku.linalg.sparse_pattern import pattern_one, pattern_scratch
from contact_problems import CORNERS, Answer, G, Problem, Scene, box_inverse, point_rows, tower


class Sparse:
    """A dense problem in block-sparse form; trees (nblocks, 2)."""

    def __init__(self, p: Problem, trees) -> None:
        self.p = p
        self.nb, self.m = len(p.blocks), len(p.b)
        self.trees = np.ascontiguousarray(trees, dtype=np.int64).reshape(-1, 2)
        self.ntrees = int(self.trees.max(initial=0))
        self.starts = np.zeros(self.nb + 1, dtype=np.int64)
        scratch = np.full(pattern_scratch(self.ntrees, self.nb), -9)
        need = -pattern_one.call(self.trees, self.nb, self.starts, np.zeros(0, dtype=np.int64), scratch)
        self.cols = np.zeros(need, dtype=np.int64)
        assert pattern_one.call(self.trees, self.nb, self.starts, self.cols, scratch) == need
        rows = p.rows
        values = np.zeros((need, 3, 3))
        sizes = [3 if kind == CONTACT else 1 for kind, _ in p.blocks]
        for i in range(self.nb):
            for e in range(self.starts[i], self.starts[i + 1]):
                j = self.cols[e]
                r, c = rows[i], rows[j]
                values[e, : sizes[j], : sizes[i]] = p.K[r : r + sizes[i], c : c + sizes[j]].T
        self.values = values.ravel()
        self.seconds = 0.0

    def solve(self, lam=None, tolerance=TOLERANCE, max_sweeps=MAX_SWEEPS, factor=0, pool=0) -> Answer:
        """factor, pool: room for the factorisation, 0 for the usual one."""
        a = self.record(lam, factor, pool)
        start = perf_counter()
        status, sweeps, r = solve_one.call(handle(a), self.m, self.nb, tolerance, max_sweeps)
        self.seconds = perf_counter() - start
        lam = a.problem.lam[: self.m].copy()
        return Answer(status, sweeps, r, lam, self.p.K @ lam + self.p.b)

    def record(self, lam=None, factor=0, pool=0):
        """The problem as the solver takes it."""
        a = make_sparse(self.m, self.nb, self.ntrees, len(self.cols), factor, pool)
        self.p.state(a.problem, lam)
        a.starts[:], a.cols[:], a.values[:], a.elimination.trees[:] = self.starts, self.cols, self.values, self.trees
        a.factors[:] = np.nan
        for x in (a.elimination.pool, a.elimination.edges.rows, a.elimination.clusters.rows, a.elimination.fronts.rows):
            x[:] = -9
        return a


def one_tree(p: Problem) -> Sparse:
    """All blocks on one tree: every pair couples."""
    return Sparse(p, [(1, 0)] * len(p.blocks))


def sparse_tower(count, **options) -> Sparse:
    return sparse_scene(tower(count, **options))


def trees_of(scene: Scene) -> np.ndarray:
    """The trees that each contact touches, from the six columns of J that every free body has."""
    touched = np.abs(scene.J).reshape(-1, 3, scene.J.shape[1] // 6, 6).sum(axis=(1, 3)) > 0
    out = np.zeros((len(touched), 2), dtype=np.int64)
    for k, row in enumerate(touched):
        bodies = np.flatnonzero(row) + 1
        out[k, : len(bodies)] = bodies
    return out


def sparse_scene(scene: Scene) -> Sparse:
    return Sparse(scene.problem(), trees_of(scene))


def axes_along(n) -> np.ndarray:
    """Two tangents and the unit normal."""
    n = np.asarray(n) / np.linalg.norm(n)
    t = np.cross([1.0, 0, 0] if abs(n[0]) < 0.6 else [0, 1.0, 0], n)
    t /= np.linalg.norm(t)
    return np.array([t, np.cross(n, t), n])


def heap(layers, seed=0, mu=0.5, dt=0.001, scatter=0.0, masses=0.0) -> Scene:
    """A pyramid of boxes, layers x layers at the bottom: each rests on four below at random points with normals 3
    degrees off, and leans on some of its neighbours. 8 layers: 204 boxes, about 1,020 contacts. masses: standard
    deviation of their logarithm; scatter as in tower."""
    rng = np.random.default_rng(seed)
    half = np.array([0.1, 0.1, 0.05])
    index = {}
    for l in range(layers):
        for i in range(layers - l):
            for j in range(layers - l):
                index[l, i, j] = len(index)
    place = np.array([(0.21 * (i + 0.5 * l), 0.21 * (j + 0.5 * l), 0.05 + 0.1 * l) for l, i, j in index])
    contacts = []  # body, other body or -1, point, axes
    for (l, i, j), a in index.items():
        for x, y in CORNERS:
            if l == 0:
                contacts.append((a, -1, place[a] + half * [x, y, -1], np.eye(3)))
                continue
            b = index[l - 1, i + (x > 0), j + (y > 0)]
            point = place[a] + half * [x * rng.uniform(0.3, 0.9), y * rng.uniform(0.3, 0.9), -1]
            contacts.append((a, b, point, axes_along([0, 0, 1.0] + 0.05 * rng.normal(size=3))))
        for di, dj in ((1, 0), (0, 1)):
            b = index.get((l, i + di, j + dj))
            if b is not None and rng.random() < 0.6:
                point = 0.5 * (place[a] + place[b]) + 0.04 * rng.normal(size=3) * [1 - di, 1 - dj, 1]
                contacts.append((a, b, point, axes_along([-di, -dj, 0] + 0.05 * rng.normal(size=3))))
    nb = len(place)
    J = np.zeros((3 * len(contacts), 6 * nb))
    W = np.zeros((6 * nb, 6 * nb))
    for k in range(nb):
        W[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = box_inverse(np.exp(masses * rng.normal()), half)
    for c, (a, b, point, axes) in enumerate(contacts):
        J[3 * c : 3 * c + 3, 6 * a : 6 * a + 6] = point_rows(point - place[a], axes)
        if b >= 0:
            J[3 * c : 3 * c + 3, 6 * b : 6 * b + 6] = -point_rows(point - place[b], axes)
    velocity = np.tile([0, 0, -G * dt, 0, 0, 0], nb) + scatter * G * dt * rng.normal(size=6 * nb)
    return Scene(J, W, velocity, [(CONTACT, (mu,))] * len(contacts))
