"""Grounds of triangles to walk on: rough ground as a height field, stairs as a triangle mesh.

Rough ground is level but for waves of random heights, WAVE long, from 0 to its height; about where the feet stand at
first it is level. Each footstep is laid on it as a rigid sole comes to rest: of all planes that no place under the sole
stands above, the one that is lowest at its middle (a linear program), which touches at three places about it. Stairs
are those of bunraku.walking.terrain, one closed surface instead of boxes. Checked in tests/walking/test_natural_ground.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bunraku.humanoid.foot import Foot
from bunraku.humanoid.parts import Humanoid, humanoid
from bunraku.model.description import Shape
from bunraku.model.model import Model
from bunraku.model.relief import Relief, height_field
from bunraku.walking.footsteps import Footstep, standing
from bunraku.walking.terrain import STONE, Terrain, checked, positive

CELL = 0.05  # m
WAVE = 0.12  # m: standard deviation of the smoothing
ROOM = 0.8  # m: of ground about the footsteps
RAISED = 0.002  # m: above the plane below it, so that only one of them is felt
NEEDED = 0.3  # m: beyond a sole that it is level about the feet at first


def rough(figure: Humanoid | Model, steps: Sequence[Footstep], height: float = 0.02, *, seed: int = 0) -> Terrain:
    """A height field of random roughness, 0 … height [m], under footsteps on level ground, which are laid on it."""
    from scipy.ndimage import gaussian_filter

    h = humanoid(figure)
    positive("rough ground", height=height)
    begin = standing(h, z=RAISED)
    places = np.array([s.position[:2] for s in (*begin, *steps)])
    low, high = places.min(axis=0) - ROOM, places.max(axis=0) + ROOM
    count = np.ceil((high - low) / CELL).astype(int) + 1
    z = gaussian_filter(np.random.default_rng(seed).normal(size=tuple(count)), WAVE / CELL, mode="nearest")
    z = height * (z - z.min()) / np.ptp(z)
    x, y = (low[k] + CELL * np.arange(count[k]) for k in range(2))
    reach = float(np.hypot(*h.feet[0].half)) + 2.0 * CELL
    for s in begin:
        away = np.hypot(x[:, None] - s.position[0], y[None] - s.position[1])
        z *= np.clip((away - reach) / NEEDED, 0.0, 1.0)
    z += RAISED
    laid = tuple(laid_on(s, h.feet[s.side], (x, y, z)) for s in steps)
    checked(h, laid, begin, "rough ground")
    ground = height_field(z, CELL, (float(low[0]), float(low[1]), 0.0), name="rough ground")
    return Terrain((ground,), begin, laid)


def laid_on(step: Footstep, foot: Foot, ground: tuple[np.ndarray, np.ndarray, np.ndarray]) -> Footstep:
    """A footstep as the sole comes to rest on a height field (x, y, heights), its middle where it was seen from above."""
    from scipy.optimize import linprog

    x, y, z = ground
    turn = np.array([[np.cos(step.yaw), -np.sin(step.yaw)], [np.sin(step.yaw), np.cos(step.yaw)]])
    half = np.asarray(foot.half, dtype=float)
    grid = np.stack(np.meshgrid(np.linspace(-1, 1, 13), np.linspace(-1, 1, 9)), axis=-1).reshape(-1, 2)
    under = grid * half @ turn.T
    at = under + np.asarray(step.position[:2])
    i, j = ((at[:, 0] - x[0]) / CELL), ((at[:, 1] - y[0]) / CELL)
    a, b = np.floor(i).astype(int), np.floor(j).astype(int)
    u, v = i - a, j - b
    lower = u + v <= 1.0  # cells are cut from (i + 1, j) to (i, j + 1)
    heights = np.where(
        lower,
        z[a, b] + u * (z[a + 1, b] - z[a, b]) + v * (z[a, b + 1] - z[a, b]),
        z[a + 1, b + 1] + (1 - u) * (z[a, b + 1] - z[a + 1, b + 1]) + (1 - v) * (z[a + 1, b] - z[a + 1, b + 1]),
    )
    rows = -np.column_stack([np.ones(len(under)), under])  # c + under @ s >= heights
    found = linprog([1.0, 0.0, 0.0], A_ub=rows, b_ub=-heights, bounds=[(None, None)] * 3)
    c, sx, sy = found.x
    normal = np.array([-sx, -sy, 1.0]) / np.sqrt(1.0 + sx * sx + sy * sy)
    return replace(step, position=(*step.position[:2], float(c)), normal=tuple(float(k) for k in normal))


def as_mesh(ground: Terrain) -> Terrain:
    """The same stairs with one triangle mesh in the place of their boxes."""
    boxes = sorted(ground.shapes, key=lambda s: float(np.asarray(s.position)[0]))
    lows = [np.asarray(s.position) - np.asarray(s.size) for s in boxes]
    highs = [np.asarray(s.position) + np.asarray(s.size) for s in boxes]
    y = float(highs[0][1])
    ends = [float(lows[0][0]), *(float(p[0]) for p in highs)]
    tops = [0.0, *(float(p[2]) for p in highs), 0.0]
    vertices: list[list[float]] = []
    triangles: list[list[int]] = []

    def face(a: list[float], b: list[float], c: list[float], d: list[float]) -> None:
        k = len(vertices)
        vertices.extend([a, b, c, d])
        triangles.extend([[k, k + 1, k + 2], [k, k + 2, k + 3]])

    for k, top in enumerate(tops[1:-1]):
        a, b = ends[k], ends[k + 1]
        face([a, -y, top], [b, -y, top], [b, y, top], [a, y, top])
        face([a, -y, 0.0], [b, -y, 0.0], [b, -y, top], [a, -y, top])
        face([b, y, 0.0], [a, y, 0.0], [a, y, top], [b, y, top])
    for k, x in enumerate(ends):
        before, after = tops[k], tops[k + 1]
        if after > before:  # looks back
            face([x, y, before], [x, -y, before], [x, -y, after], [x, y, after])
        elif before > after:
            face([x, -y, after], [x, y, after], [x, y, before], [x, -y, before])
    shape = Shape("terrain", name="stairs", color=STONE, relief=Relief(vertices, triangles))
    return replace(ground, shapes=(shape,))
