"""The floor seen from above, as a grid of heights, and ways over it: around what is high, up and down stairs, away from
edges.

A cell is as high as the highest fixed shape, or thing at rest, above it. From a cell the figure gets to a neighbour at
most RISE higher or lower; a cell is free where nothing within CLEAR rises above, or drops below, what stairs do over
that distance. The way is the shortest over free cells (A*), pulled straight where straight is free and level. Units m.
Checked in tests/choreography/test_walk_to.py.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any

import numpy as np

from bunraku.dynamics.functions import kinematics
from bunraku.world import World

Place = Sequence[float] | np.ndarray
CELL = 0.05  # m
BEYOND = 1.5  # m of floor around all that is of interest
RISE, STEEP = 0.2, 0.85  # m; height over distance
CLEAR = 0.46  # m: half the width of a figure with its arms, which swing a little
FEET = 0.22  # m: within it nothing may be higher than a step, as feet need the room
NOTHING = -1e6  # m: no floor
MOST_CELLS = 4_000_000
NEXT = tuple((i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)


class FloorMap:
    """Heights of the floor about some places; `figure` is left out."""

    def __init__(self, world: World, figure: str, places: Sequence[Place], size: float = 1.0) -> None:
        shapes = [(f.shape, np.zeros(3), np.eye(3)) for f in world._fixed]
        for other in world.figures:
            if other.name != figure:
                k = kinematics(other.model, other.q.copy())
                shapes += [
                    (s, k.position[s.body], k.rotation[s.body]) for s in other.model.shapes if s.role != "visual"
                ]
        at = np.array(places, dtype=float)[:, :2]
        solid = [(s, p, R) for s, p, R in shapes if s.kind != "plane"]
        corners = [outline(s, p, R) for s, p, R in solid]
        near = [
            c
            for c in corners
            if np.abs(c[:, :2].mean(axis=0) - at.mean(axis=0)).max() < np.ptp(at, axis=0).max() + 10.0
        ]
        points = np.vstack([at, *(c[:, :2] for c in near)])
        self.low = points.min(axis=0) - BEYOND
        shape: Any = np.ceil((points.max(axis=0) + BEYOND - self.low) / CELL).astype(int) + 1
        if shape.prod() > MOST_CELLS:
            shape = np.minimum(shape, int(MOST_CELLS**0.5))
        planes = [float(s.position[2]) for s, _, _ in shapes if s.kind == "plane"]
        self.height: Any = np.full(shape, max(planes, default=NOTHING))
        x, y = (self.low[k] + CELL * np.arange(shape[k]) for k in (0, 1))
        self.solids = []
        for s, p, R in solid:
            self._add(s, p, R, x, y)
        self.size = size
        self._free = self._clear()

    def _add(self, s, p, R, x, y) -> None:  # type: ignore[no-untyped-def]
        """Cells under a shape become as high as its top."""
        c = outline(s, p, R)
        top, middle = float(c[:, 2].max()), c[:, :2].mean(axis=0)
        turn = R @ (np.eye(3) if s.rotation is None else np.asarray(s.rotation, dtype=float))
        box = s.kind == "box" and abs(turn[2, 2]) > 0.999
        axes = turn[:2, :2] if box else np.eye(2)
        half = np.array(s.size[:2]) if box else 0.5 * np.ptp(c[:, :2], axis=0)
        self.solids.append((middle, axes, half, top))
        i = span(x, c[:, 0])
        j = span(y, c[:, 1])
        gx, gy = np.meshgrid(x[i] - middle[0], y[j] - middle[1], indexing="ij")
        u, v = gx * axes[0, 0] + gy * axes[1, 0], gx * axes[0, 1] + gy * axes[1, 1]
        inside = (np.abs(u) <= half[0] + 1e-9) & (np.abs(v) <= half[1] + 1e-9)
        self.height[i, j] = np.where(inside, np.maximum(self.height[i, j], top), self.height[i, j])

    def _clear(self) -> np.ndarray:
        """Which cells are free."""
        h, n = self.height, int(np.ceil(self.size * CLEAR / CELL))
        free = h > NOTHING
        padded = np.pad(h, n, mode="edge")
        for i in range(-n, n + 1):
            for j in range(-n, n + 1):
                far = CELL * float(np.hypot(i, j))
                if not 0 < far <= self.size * CLEAR:
                    continue
                other = padded[n + i : n + i + h.shape[0], n + j : n + j + h.shape[1]]
                most = self.size * RISE + (STEEP * far if far > FEET * self.size else 0.0)
                free &= (other - h <= most) & ((h - other <= most) | (far > 0.2 * self.size))
        return free

    def at(self, place: Place) -> float:
        """Height of the floor at a place, from the shapes themselves."""
        i, j = self.cell(place)
        plane = min(float(self.height.min()), float(self.height[i, j]))
        tops = [plane if plane > NOTHING else NOTHING]
        for middle, axes, half, top in self.solids:
            off = axes.T @ (np.asarray(place, dtype=float)[:2] - middle)
            if (np.abs(off) <= half).all():
                tops.append(top)
        return max(tops)

    def cell(self, place: Place) -> tuple[int, int]:
        """The cell of a place."""
        i, j = np.clip(
            np.round((np.asarray(place, dtype=float)[:2] - self.low) / CELL).astype(int),
            0,
            np.array(self.height.shape) - 1,
        )
        return int(i), int(j)

    def is_free(self, place: Place) -> bool:
        """Whether a figure can stand there."""
        return bool(self._free[self.cell(place)])

    def flat(self, corners: np.ndarray) -> bool:
        """Whether the floor under points (n, 2) is level."""
        heights = [self.at(c) for c in corners]
        return max(heights) - min(heights) < 0.01

    def way(self, begin: Place, end: Place) -> np.ndarray | None:
        """(n, 2) corners of the way from one place to another; None: there is none."""
        start, goal = self.cell(begin), self.cell(end)
        found = self._shortest(start, goal)
        if found is None:
            return None
        places = self.low + CELL * np.array(found, dtype=float)
        places[0], places[-1] = np.asarray(begin)[:2], np.asarray(end)[:2]
        return self._pulled(places)

    def _shortest(self, start: tuple[int, int], goal: tuple[int, int]) -> list[tuple[int, int]] | None:
        h, free = self.height, self._free
        if not free[goal]:
            return None
        known, came = {start: 0.0}, {start: start}
        heap = [(0.0, start)]
        done: set[tuple[int, int]] = set()
        while heap:
            _, here = heapq.heappop(heap)
            if here in done:
                continue
            if here == goal:
                out = [here]
                while came[out[-1]] != out[-1]:
                    out.append(came[out[-1]])
                return out[::-1]
            done.add(here)
            for i, j in NEXT:
                k = (here[0] + i, here[1] + j)
                if not (0 <= k[0] < h.shape[0] and 0 <= k[1] < h.shape[1]) or k in done:
                    continue
                rise = abs(float(h[k] - h[here]))
                if rise > self.size * RISE or not (free[k] or known[here] < 0.5):  # from where it stands it may leave
                    continue
                cost = (
                    known[here] + CELL * float(np.hypot(i, j)) + 0.2 * rise + (0.5 * CELL if rise and i and j else 0.0)
                )
                if cost < known.get(k, np.inf):
                    known[k], came[k] = cost, here
                    heapq.heappush(heap, (cost + CELL * float(np.hypot(k[0] - goal[0], k[1] - goal[1])), k))
        return None

    def _pulled(self, places: np.ndarray) -> np.ndarray:
        """Corners of the way, straight where nothing is between."""
        out, k = [places[0]], 0
        while k < len(places) - 1:
            far = len(places) - 1
            while far > k + 1 and not self._straight(places[k], places[far]):
                far -= 1
            out.append(places[far])
            k = far
        return np.array(out)

    def _straight(self, a: np.ndarray, b: np.ndarray) -> bool:
        n = max(2, int(np.linalg.norm(b - a) / (0.5 * CELL)))
        cells = [self.cell(a + (b - a) * u) for u in np.linspace(0.0, 1.0, n)]
        heights = np.array([self.height[c] for c in cells])
        if np.abs(np.diff(heights)).max() > self.size * RISE:
            return False
        if np.ptp(heights) > 1e-3:  # over stairs: straight across their edges
            slope = self._edge(cells)
            along = (b - a) / max(float(np.linalg.norm(b - a)), 1e-9)
            if slope is not None and abs(float(along @ slope)) < 0.97:
                return False
        return all(self._free[c] for c in cells[1:])

    def _edge(self, cells: list[tuple[int, int]]) -> np.ndarray | None:
        """The direction in which the floor rises along some cells."""
        total = np.zeros(2)
        for i, j in cells:
            for a, b in ((1, 0), (0, 1), (1, 1), (1, -1)):
                if 0 < i + a < self.height.shape[0] and 0 <= j + b < self.height.shape[1]:
                    total += np.array([a, b]) * np.clip(
                        float(self.height[i + a, j + b] - self.height[i, j]), -RISE, RISE
                    )
        size = float(np.linalg.norm(total))
        return None if size < 1e-9 else total / size


def span(cells: np.ndarray, x: np.ndarray) -> slice:
    """The cells that some numbers lie in, and one more on both sides."""
    first, last = (int(k) for k in np.searchsorted(cells, [x.min(), x.max()]))
    return slice(max(first - 1, 0), min(last + 1, len(cells)))


def outline(s, p: np.ndarray, R: np.ndarray) -> np.ndarray:  # type: ignore[no-untyped-def]
    """(n, 3) corners of a box about a shape in the world."""
    turn = R @ (np.eye(3) if s.rotation is None else np.asarray(s.rotation, dtype=float))
    middle = p + R @ np.asarray(s.position, dtype=float)
    if s.kind == "box" or s.kind == "ellipsoid":
        half = np.array(s.size[:3], dtype=float)
    elif s.kind == "sphere":
        half, turn = np.full(3, s.size[0]), np.eye(3)
    elif s.kind in ("capsule", "cylinder", "cone"):
        half = np.array([s.size[0], s.size[0], s.size[1] + (s.size[0] if s.kind == "capsule" else 0.0)])
    else:
        half = np.full(3, 0.5 * float(np.max(s.scale)))
    signs = np.array([(i, j, k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
    return middle + (signs * half) @ turn.T
