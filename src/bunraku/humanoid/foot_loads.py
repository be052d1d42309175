"""What the feet of a recorded figure carry: force, centre of pressure and contact state of each sole, frame by frame,
and how far inside the soles the zero-moment point lies.

Of all points p_i with force f_i between a foot and what does not move, w_i = f_i . n_i along their normals:
    force = sum f_i,    centre of pressure = sum(w_i p_i) / sum(w_i)   (NaN in the air).
State: none, point, line or surface; of a foot with one patch that patch's (bunraku.world.frames), of one with several
(balls, cut soles) by the number of points that press. The margin of a point is its distance [m] from the edge of the
convex hull of the soles that stand, seen from above, negative outside: the least over the hull's edges a -> b,
anticlockwise, of  (b - a) x (c - a) / |b - a|. World axes, SI; sides (left, right) = (0, 1). Checked in
tests/humanoid/test_foot_loads.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bunraku.dynamics.functions import kinematics
from bunraku.errors import InputError
from bunraku.humanoid.foot import Foot
from bunraku.recording.reader import RecordedFigure, Recording

PRESSES = 1e-6  # of the weight: what counts as touching
CHUNK = 2000  # frames whose hulls are made at a time
SIGNS = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])


@dataclass(frozen=True, eq=False)
class FootLoads:
    """n frames of two feet; see the module text."""

    times: np.ndarray  # (n,) s
    force: np.ndarray  # (n, 2, 3) N
    cop: np.ndarray  # (n, 2, 3) m, NaN in the air
    state: np.ndarray  # (n, 2) 0 none, 1 point, 2 line, 3 surface
    position: np.ndarray  # (n, 2, 3) m, of the sole's frame
    rotation: np.ndarray  # (n, 2, 3, 3)
    half: np.ndarray  # (2, 2) m
    weight: float  # N
    other: np.ndarray  # (n,) N: upward force on all else of the figure: hands, knees, a fallen trunk

    @property
    def touches(self) -> np.ndarray:
        """(n, 2): whether a foot touches."""
        return self.state > 0

    @cached_property
    def corners(self) -> np.ndarray:
        """(n, 2, 4, 3): corners of both soles, anticlockwise from heel right."""
        arms = np.zeros((2, 4, 3))
        arms[..., :2] = SIGNS * self.half[:, None]
        return self.position[:, :, None] + np.einsum("nsij,skj->nski", self.rotation, arms)

    def local(self, points: np.ndarray) -> np.ndarray:
        """(n, 2, 2): points (n, 2, 3) in the frames of their soles, x ahead and y left [m]."""
        return np.einsum("nsji,nsj->nsi", self.rotation, points - self.position)[..., :2]

    def margin(self, points: np.ndarray) -> np.ndarray:
        """(n,): how far points (n, 3) lie inside the hull of the soles that touch [m]; NaN in the air."""
        corners, on = self.corners[..., :2].reshape(len(self.times), 8, 2), np.repeat(self.touches, 4, axis=1)
        out = np.full(len(self.times), np.nan)
        for k in range(0, len(out), CHUNK):
            part = slice(k, k + CHUNK)
            out[part] = hull_margin(corners[part], on[part], points[part, :2])
        return out


def foot_loads(recording: Recording, feet: Sequence[Foot], figure: str | None = None) -> FootLoads:
    """The loads of a figure's two feet (left, right) in every frame after the first, which has no step before it."""
    if len(feet) != 2:
        raise InputError(f"foot_loads: {len(feet)} feet; wanted two, left and right.")
    if len(recording) < 2:
        raise InputError(f"{recording.path.name}: a recording of one frame has no step to report on.")
    f, frames = recording.figure(figure), recording.frames
    n, number = len(frames), number_of(recording, f)
    weight = f.model.mass * float(np.linalg.norm(recording.gravity))
    of = frames.patch_of_point
    frame = np.repeat(np.arange(n), frames.patch_count)[of]
    side, sign = sides(recording, f, number, feet, frames.pair.astype(np.int64)[of])
    forces, points = frames.forces.astype(float) * sign[:, None], frames.points.astype(float)
    press = np.einsum("ij,ij->i", frames.forces.astype(float), frames.normal[of].astype(float))
    ours, presses = side >= 0, press > PRESSES * weight
    force, first = np.zeros((n, 3, 3)), np.zeros((n, 3, 4))
    np.add.at(force, (frame[ours], side[ours]), forces[ours])
    np.add.at(
        first, (frame[ours], side[ours]), np.maximum(press[ours], 0.0)[:, None] * np.c_[points, np.ones(len(of))][ours]
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        cop = np.where(first[:, :2, 3:] > PRESSES * weight, first[:, :2, :3] / first[:, :2, 3:], np.nan)
    pose = kinematics(f.model, np.ascontiguousarray(frames.q[:, f.part.q], dtype=float))
    body, here = [foot.body for foot in feet], np.array([foot.position for foot in feet], dtype=float)
    turn = pose.rotation[:, body] @ np.array([foot.rotation for foot in feet], dtype=float)
    place = pose.position[:, body] + np.einsum("nsij,sj->nsi", pose.rotation[:, body], here)
    state = states(n, frame, side, of, frames.state.astype(int)[of], ours & (side < 2) & presses)
    half = np.array([foot.half for foot in feet], dtype=float)
    rows = slice(1, None)
    return FootLoads(
        frames.times[rows], force[rows, :2], cop[rows], state[rows], place[rows], turn[rows], half, weight, force[rows, 2, 2]
    )  # fmt: skip


def number_of(r: Recording, f: RecordedFigure) -> int:
    """The number of a figure in its recording."""
    return next(k for k, x in enumerate(r.figures) if x is f)


def sides(
    r: Recording, f: RecordedFigure, number: int, feet: Sequence[Foot], pair: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(side, sign) of every contact point between the figure and what does not move: 0 left, 1 right, 2 elsewhere on
    the figure, -1 none of these; sign -1 where the force is on the other."""
    shapes = np.array([(fig, body) for fig, body, _ in r.shapes], dtype=np.int64).reshape(-1, 2)
    kind = np.full(len(shapes), -1)
    kind[shapes[:, 0] == number] = 2
    for s, foot in enumerate(feet):
        kind[(shapes[:, 0] == number) & (shapes[:, 1] == f.part.body + foot.body)] = s
    fixed = shapes[:, 0] < 0
    first, second = pair[:, 0], pair[:, 1]
    side = np.where(fixed[second], kind[first], np.where(fixed[first], kind[second], -1))
    return side, np.where(fixed[second], 1.0, -1.0)


def states(
    n: int, frame: np.ndarray, side: np.ndarray, patch: np.ndarray, state: np.ndarray, chosen: np.ndarray
) -> np.ndarray:
    """(n, 2): contact state of each foot from its points that press."""
    out, count, patches = np.zeros((n, 2), dtype=int), np.zeros((n, 2), dtype=int), np.zeros((n, 2), dtype=int)
    frame, side, patch, state = frame[chosen], side[chosen], patch[chosen], state[chosen]
    np.maximum.at(out, (frame, side), np.maximum(state, 1))
    np.add.at(count, (frame, side), 1)
    _, at = np.unique(patch, return_index=True)
    np.add.at(patches, (frame[at], side[at]), 1)
    return np.where(patches > 1, np.maximum(out, np.minimum(count, 3)), out)


def runs(x: np.ndarray) -> list[tuple[int, int]]:
    """[first, end) of every stretch of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], x.astype(np.int8), [0]])))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2])]


def hull_margin(corners: np.ndarray, on: np.ndarray, points: np.ndarray) -> np.ndarray:
    """(n,): signed distance of points (n, 2) from the edge of the hull of those of the corners (n, m, 2) that are `on`
    (n, m); NaN where none is."""
    a, b = corners[:, :, None], corners[:, None]
    edge = b - a  # (n, m, m, 2)
    length = np.linalg.norm(edge, axis=-1)
    arm = corners[:, None, None] - a[:, :, :, None]  # (n, m, 1, m, 2)
    left = edge[..., None, 0] * arm[..., 1] - edge[..., None, 1] * arm[..., 0]  # (n, m, m, m)
    outside = ((left < -1e-9) & on[:, None, None]).any(axis=-1)
    real = on[:, :, None] & on[:, None] & (length > 1e-6) & ~outside
    to = points[:, None, None] - a
    distance = (edge[..., 0] * to[..., 1] - edge[..., 1] * to[..., 0]) / np.where(length > 1e-6, length, 1.0)
    out = np.where(real, distance, np.inf).min(axis=(1, 2))
    return np.where(np.isfinite(out), out, np.nan)
