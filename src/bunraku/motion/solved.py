"""Solved: the motion of a figure, or of several figures and things, with all that makes them move: torques and contact
forces, frame by frame, as a recording has them.

Frame k holds q, v after step k, the torques of that step and its contact points and forces at the pose of its start
(bunraku.world.frames), so
    v_k = v_{k-1} + dt a_k,   q_k = q_{k-1} moved along v_k for dt   (semi-implicit Euler, as World steps),
    rnea(q_{k-1}, v_{k-1}, a_k) = torques_k + J' forces_k            (zero in the rows of a free base, J' forces apart).
`save` writes it as a recording (.bkr) with float64 numbers; `Recording.open` reads it, every command that takes a
recording takes it. Checked in tests/motion/test_solved.py; the laws by bunraku.motion.consistency.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from bunraku.dynamics.functions import centroidal
from bunraku.errors import InputError
from bunraku.model.description import Shape
from bunraku.model.model import Model
from bunraku.recording.blockfile import BlockWriter
from bunraku.recording.motion import Motion
from bunraku.recording.recorder import FRAMES, header
from bunraku.world.frames import LAYOUT, Frames, InFrames
from bunraku.world.world import World

BLOCK = 512  # frames
GROUND = Shape("plane", name="ground")


@dataclass(frozen=True, eq=False)
class Touch:
    """Contact of one frame between a link and a fixed shape or another link: points [m] and forces on the link [N], (m, 3) each, world
    axes."""

    link: str
    points: np.ndarray
    forces: np.ndarray
    fixed: int = 0  # which of the fixed shapes
    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)
    other: str = ""  # the link that is touched, where it is no fixed shape


@dataclass(frozen=True, eq=False)
class Hold:
    """What holds a link, for World.connect: the other link (None: the world), the point of the link and the axes in
    world coordinates when it begins, which axes, from `begin` to `end` [s]."""

    link: str
    other: str | None
    place: np.ndarray
    rotation: np.ndarray
    axes: str
    begin: float
    end: float = np.inf
    grip: bool = False
    break_force: float = np.inf
    break_torque: float = np.inf


@dataclass(frozen=True, eq=False)
class Solved(InFrames):
    """A motion with its torques and contact forces, as `generate` and `dynamics_filter` give it: `times` [s], `q`, `v`,
    `torques` [N m or N], `com`, `zmp` [m], `ground_reaction` [N]; `save` writes a recording. `flags`:
    name -> (n,) bool, frames to distrust and why; `grips`: links that may be pulled."""

    model: Model
    dt: float
    frames: Frames
    shapes: tuple[
        tuple[str, int], ...
    ]  # (link or "world", number of the fixed shape) of every shape number of the patches
    fixed: tuple[Shape, ...] = (GROUND,)
    friction: float = 0.8
    grips: tuple[str, ...] = ()
    holds: tuple[Hold, ...] = ()  # what holds a link of which, and when
    figures: tuple[tuple[str, Model], ...] = ()  # (name, model) of each, where they are several
    flags: dict[str, np.ndarray] = field(default_factory=dict)
    meta: dict[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.frames)

    @cached_property
    def a(self) -> np.ndarray:
        """(n, nv): dv/dt over the step that leads to each frame; zero in the first."""
        return np.vstack([np.zeros((1, self.model.nv)), np.diff(self.v, axis=0) / self.dt])

    @property
    def motion(self) -> Motion:
        """Times and q alone."""
        return Motion(self.model, self.times, self.q, dict(self.meta))

    @cached_property
    def com(self) -> np.ndarray:
        """(n, 3): centre of mass [m]."""
        return centroidal(self.model, self.q).com

    @property
    def weight(self) -> float:
        """Of the body [N]."""
        return self.model.mass * float(np.linalg.norm(self.model.gravity))

    def force_on(self, link: str) -> np.ndarray:
        """(n, 3): contact force on a link [N]."""
        numbers = [k for k, (name, _) in enumerate(self.shapes) if name == link]
        out = np.zeros((len(self), 3))
        for side, sign in ((0, 1.0), (1, -1.0)):
            rows = np.isin(self.frames.pair[:, side], numbers)
            np.add.at(out, self._frame_of_patch[rows], sign * self.frames.force[rows])
        return out

    @cached_property
    def ground_reaction(self) -> np.ndarray:
        """(n, 3): sum of all contact forces from outside on the figures [N]."""
        outside = [k for k, (name, _) in enumerate(self.shapes) if name == "world"]
        rows = np.isin(self.frames.pair[:, 1], outside)
        out = np.zeros((len(self), 3))
        np.add.at(out, self._frame_of_patch[rows], self.frames.force[rows])
        return out

    @cached_property
    def zmp(self) -> np.ndarray:
        """(n, 2): zero-moment point on the floor [m], of the points at their heights; NaN in the air."""
        points, forces = self.frames.points, self.frames.forces
        frame = self._frame_of_patch[self.frames.patch_of_point]
        sums = np.zeros((len(self), 3))
        np.add.at(sums, frame, np.column_stack([points[:, :2] * forces[:, 2:], forces[:, 2]]))
        up = sums[:, 2] > 1e-9 * self.weight
        return np.where(up[:, None], sums[:, :2] / np.where(up, sums[:, 2], 1.0)[:, None], np.nan)

    @property
    def _frame_of_patch(self) -> np.ndarray:
        return np.repeat(np.arange(len(self)), self.frames.patch_count)

    @property
    def admissible(self) -> np.ndarray:
        """(n,): frames without any flag."""
        return ~np.any(list(self.flags.values()), axis=0) if self.flags else np.ones(len(self), dtype=bool)

    def save(self, path: str | Path, *, title: str = "") -> Path:
        """Write it as a recording, whole or not at all."""
        world = self.world()
        lone = f"{self.figures[0][0]}." if len(self.figures) == 1 else ""
        meta = {**self.meta, "friction": self.friction, "grips": [name.removeprefix(lone) for name in self.grips]}
        meta["flags"] = {name: np.flatnonzero(rows).tolist() for name, rows in self.flags.items()}
        head = header(world, 1, title or str(self.meta.get("title", "")), meta)
        numbers = {key: k for k, key in enumerate(shape_keys(world, alone=not self.figures))}
        for key in self.shapes:
            if key not in numbers:
                raise InputError(f"saving a motion: link {key[0]!r} is held but has no shape; give it one.")
        table = np.array([numbers[key] for key in self.shapes], dtype=np.uint32)
        patches = self.frames.patches.copy()
        patches[:, :2] = table[patches[:, :2]] if len(patches) else patches[:, :2]
        arrays = {name: getattr(self.frames, name) for name, _, _, _ in LAYOUT}
        frames = Frames(**{**arrays, "patches": patches})
        file = BlockWriter(path, head)
        try:
            for first in range(0, len(self), BLOCK):
                some = frames[first : first + BLOCK]
                file.add(FRAMES, some.pieces(precise=True), len(some), float(some.times[0]), float(some.times[-1]))
            return file.close()
        except BaseException:
            file.file.close()
            file.part.unlink(missing_ok=True)
            raise

    def world(
        self, contact: str = "pgs", *, gripped: bool = True, self_collision: bool = True, **options: Any
    ) -> World:
        """A world with the same step, floor and figures, at the first frame; gripped False leaves out fixed shapes that
        are only held by grips, self_collision False lets the figure's links pass through each other."""
        world = World(self.dt, contact, gravity=tuple(self.model.gravity), **options)
        held = [name in self.grips for name, _ in self.shapes]
        rows = np.array([held[k] for k in self.frames.pair[:, 0]], dtype=bool)
        only = set(self.frames.pair[rows, 1].tolist()) - set(self.frames.pair[~rows, 1].tolist())
        for k, shape in enumerate(self.fixed):
            if gripped or k not in only:
                # a bar that hands close around is one of a recording's shapes, too
                world.add_fixed(replace(shape, role="both") if gripped else shape, friction=self.friction)
        if self.figures:
            for name, model in self.figures:
                world.add(model, name=name, friction=self.friction, self_collision=self_collision)
        else:
            world.add(self.model, name=self.model.name, self_collision=self_collision)
        world._prepare()
        world.q[:], world.v[:] = self.q[0], self.v[0]
        return world


def shape_keys(world: World, alone: bool) -> list[tuple[str, int]]:
    """(link, 0) or ("world", number) of every shape of a world; a link's second shape has no key of its own. alone: links
    have no figure's name in front."""
    from bunraku.world.views import owner_of

    out: list[tuple[str, int]] = []
    fixed = 0
    for k, (figure, body) in enumerate(zip(world._geometry.figure.tolist(), world._geometry.body.tolist())):
        if figure < 0 or body == 0:
            out.append(("world", fixed))
            fixed += 1
        else:
            name, link = owner_of(world, k)
            out.append((link if alone else f"{name}.{link}", 0))
    return out


def assemble(
    model: Model,
    dt: float,
    q: np.ndarray,
    v: np.ndarray,
    torques: np.ndarray,
    touches: Sequence[Sequence[Touch]],
    *,
    start: float = 0.0,
    **more: Any,
) -> Solved:
    """A Solved from rows of q, v, torques and the touches of every frame; `more` are its other fields."""
    n = len(q)
    if not (len(v) == len(torques) == len(touches) == n):
        raise InputError("solved: q, v, torques and touches need as many rows as each other.")
    fixed = more.get("fixed", (GROUND,))
    keys: list[tuple[str, int]] = [("world", k) for k in range(len(fixed))]
    rows, normals, points, forces = [], [], [], []
    for frame in touches:
        for t in frame:
            key, other = (t.link, 0), (t.other, 0)
            keys += [k for k in ((key, other) if t.other else (key,)) if k not in keys]
            state = min(3, int(np.count_nonzero(np.linalg.norm(t.forces, axis=1) > 0)))
            rows.append((keys.index(key), keys.index(other) if t.other else t.fixed, len(t.points), state))
            normals.append(t.normal)
            points.append(t.points)
            forces.append(t.forces)
    frames = Frames(
        times=start + dt * np.arange(n),
        q=np.asarray(q, dtype=float),
        v=np.asarray(v, dtype=float),
        torques=np.asarray(torques, dtype=float),
        patch_count=np.array([len(f) for f in touches], dtype=np.uint32),
        patches=np.array(rows, dtype=np.uint32).reshape(-1, 4),
        normal=np.array(normals, dtype=float).reshape(-1, 3),
        points=np.vstack([*points, np.zeros((0, 3))]),
        forces=np.vstack([*forces, np.zeros((0, 3))]),
    )
    return Solved(model, dt, frames, tuple(keys), **more)


def without_forces(motion: Motion) -> Solved:
    """A motion as a Solved that has no torques and no contacts, to be saved and shown; its frames must be even."""
    steps = np.diff(motion.times)
    if len(steps) == 0:
        raise InputError("solved: the motion has a single frame; two or more are needed.")
    if np.ptp(steps) > 1e-3 * steps.mean():
        raise InputError("solved: the frames of the motion are not even; resample it first.")
    n, nv = len(motion), motion.model.nv
    dt = float(steps.mean())
    rows: list[list[Touch]] = [[] for _ in range(n)]
    return assemble(
        motion.model, dt, motion.q, motion.v, np.zeros((n, nv)), rows, start=float(motion.times[0]), meta=dict(motion.meta)
    )  # fmt: skip
