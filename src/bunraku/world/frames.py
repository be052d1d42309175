"""Frames: what a world did over a stretch of time, as arrays, and how they stand in a file.

A frame is the state after a step: time, q, v; the torques applied in the step; and the contact patches of the step,
means over it, at the pose of its start (as in bunraku.world.views). A patch is a pair of shapes (a, b) with the points
of it that touch or press, anticlockwise about the normal, which leads from b to a; forces act on a. Its state – none,
point, line, surface – says where its centre of pressure  c = sum(fz p) / sum(fz)  lies in the polygon of its points.
World axes, SI units.

In a file every number is a little-endian float32 but time, a float64: what is read back is the float32 nearest to what
was simulated, bit for bit. A precise block has float64 throughout: dv/dt of neighbouring frames then gives the
accelerations of the steps. Checked in tests/world/test_frames.py and tests/recording/test_recorder.py.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from bunraku.errors import FormatError

STATES = ("none", "point", "line", "surface")
HEAD = struct.Struct("<IIII")  # frames, patches, points, 1 where float32 is float64 (precise)
LAYOUT: tuple[tuple[str, str, str, str], ...] = (
    ("times", "<f8", "n", ""),
    ("q", "<f4", "n", "q"),
    ("v", "<f4", "n", "v"),
    ("torques", "<f4", "n", "v"),
    ("patch_count", "<u4", "n", ""),
    ("patches", "<u4", "p", "4"),
    ("normal", "<f4", "p", "3"),
    ("points", "<f4", "m", "3"),
    ("forces", "<f4", "m", "3"),
)
"""Array, its type, and its axes: n frames, p patches, m points; q, v: nq, nv."""
PRECISE = {"<f4": "<f8"}  # types of a precise block
DTYPES = {kind: np.dtype(kind) for kind in ("<f4", "<f8", "<u4")}


@dataclass(frozen=True, eq=False)
class Frames:
    """See the module text: n frames, p patches and m points in all."""

    times: np.ndarray  # (n,) s
    q: np.ndarray  # (n, nq)
    v: np.ndarray  # (n, nv)
    torques: np.ndarray  # (n, nv) N m or N
    patch_count: np.ndarray  # (n,)
    patches: np.ndarray  # (p, 4) numbers of the two shapes, how many points, state
    normal: np.ndarray  # (p, 3)
    points: np.ndarray  # (m, 3) m
    forces: np.ndarray  # (m, 3) N

    def __len__(self) -> int:
        return len(self.times)

    @property
    def pair(self) -> np.ndarray:
        """(p, 2): numbers of the two shapes of every patch."""
        return self.patches[:, :2]

    @property
    def point_count(self) -> np.ndarray:
        """(p,): how many points a patch has."""
        return self.patches[:, 2]

    @property
    def state(self) -> np.ndarray:
        """(p,): index into STATES."""
        return self.patches[:, 3]

    @property
    def patch_start(self) -> np.ndarray:
        """(n + 1,): patches of frame k are patch_start[k] … patch_start[k + 1] - 1."""
        return np.concatenate([[0], np.cumsum(self.patch_count, dtype=np.int64)])

    @property
    def point_start(self) -> np.ndarray:
        """(p + 1,): points of patch k are point_start[k] … point_start[k + 1] - 1."""
        return np.concatenate([[0], np.cumsum(self.point_count, dtype=np.int64)])

    @property
    def patch_of_point(self) -> np.ndarray:
        """(m,): the patch of every point."""
        return np.repeat(np.arange(len(self.patches)), self.point_count)

    @property
    def force(self) -> np.ndarray:
        """(p, 3): force of a patch on its first shape [N]."""
        return self._sum(self.forces.astype(float))

    @property
    def cop(self) -> np.ndarray:
        """(p, 3): centre of pressure [m]; the middle of the points where nothing presses."""
        if len(self.patches) == 0:
            return np.zeros((0, 3))
        points, of = self.points.astype(float), self.patch_of_point
        press = np.maximum(np.einsum("ij,ij->i", self.forces.astype(float), self.normal[of].astype(float)), 0.0)
        total = self._sum(press[:, None])
        out = self._sum(points) / self.point_count[:, None]
        return np.where(total > 0.0, self._sum(press[:, None] * points) / np.where(total > 0.0, total, 1.0), out)

    @property
    def torque(self) -> np.ndarray:
        """(p, 3): moment of a patch's forces about its centre of pressure [N m]."""
        arm = self.points.astype(float) - self.cop[self.patch_of_point]
        return self._sum(np.cross(arm, self.forces.astype(float)))

    @property
    def wrench(self) -> np.ndarray:
        """(p, 6): force, and torque about the centre of pressure."""
        return np.hstack([self.force, self.torque])

    def _sum(self, values: np.ndarray) -> np.ndarray:
        return np.add.reduceat(values, self.point_start[:-1]) if len(self.patches) else np.zeros((0, values.shape[1]))

    def __getitem__(self, chosen: slice) -> Frames:
        """Some of the frames: frames[a:b:c]."""
        return self.take(np.arange(len(self))[chosen])

    def take(self, rows: np.ndarray) -> Frames:
        """The frames of these numbers."""
        patches = spans(self.patch_start, rows)
        points = spans(self.point_start, patches)
        of = {"n": rows, "p": patches, "m": points}
        return Frames(**{name: getattr(self, name)[of[axis]] for name, _, axis, _ in LAYOUT})

    def pieces(self, precise: bool = False) -> list[memoryview]:
        """As they stand in a file, one piece behind the other; nothing is copied that has the file's types already."""
        out = [memoryview(HEAD.pack(len(self), len(self.patches), len(self.points), int(precise)))]
        for name, kind, _, _ in LAYOUT:
            array = np.ascontiguousarray(getattr(self, name), file_kind(kind, precise))
            if array.size:
                out.append(array.data.cast("B"))
        return out

    def to_bytes(self, precise: bool = False) -> bytes:
        """As they stand in a file."""
        return b"".join(self.pieces(precise))

    @staticmethod
    def from_bytes(data: bytes | memoryview, nq: int, nv: int) -> Frames:
        """The opposite of `to_bytes`; FormatError where sizes or numbers do not fit."""
        if len(data) < HEAD.size:
            raise FormatError("a block of frames is too short.")
        n, p, m, precise = HEAD.unpack_from(data)
        if precise > 1:
            raise FormatError("a block of frames is of a kind that this Bunraku does not know.")
        rows, more = {"n": n, "p": p, "m": m}, tails(nq, nv)
        layout = [(name, file_kind(k, bool(precise)), a, t) for name, k, a, t in LAYOUT]
        total = HEAD.size + sum(rows[a] * int(np.prod(more[t])) * k.itemsize for _, k, a, t in layout)
        if total != len(data):
            raise FormatError(f"a block of {n} frames has {len(data)} bytes instead of {total}.")
        out, at = {}, HEAD.size
        for name, kind, axis, tail in layout:
            shape = (rows[axis], *more[tail])
            count = int(np.prod(shape))
            out[name] = np.frombuffer(data, kind, count, at).reshape(shape)
            at += count * kind.itemsize
        frames = Frames(**out)
        counts = frames.patch_count.sum(dtype=np.int64), frames.point_count.sum(dtype=np.int64)
        if counts != (p, m) or np.any(frames.point_count == 0):
            raise FormatError("a block of frames has other contacts than it says.")
        if np.any(frames.state >= len(STATES)) or not np.all(np.isfinite(frames.times)):
            raise FormatError("a block of frames has a state or a time that does not exist.")
        return frames

    @staticmethod
    def join(parts: list[Frames], nq: int, nv: int) -> Frames:
        """One after another."""
        more = tails(nq, nv)
        empty = {name: np.zeros((0, *more[tail]), kind) for name, kind, _, tail in LAYOUT}
        return Frames(
            **{f.name: np.concatenate([empty[f.name], *(getattr(x, f.name) for x in parts)]) for f in fields(Frames)}
        )


class InFrames:
    """What has `frames` has the arrays that are used most by their names."""

    if TYPE_CHECKING:
        frames: Frames

    @property
    def times(self) -> np.ndarray:
        """(n,) s."""
        return self.frames.times

    @property
    def q(self) -> np.ndarray:
        """(n, nq)."""
        return self.frames.q

    @property
    def v(self) -> np.ndarray:
        """(n, nv)."""
        return self.frames.v

    @property
    def torques(self) -> np.ndarray:
        """(n, nv): what motors, servos, springs and dampers gave in the step that leads to each frame [N m or N]."""
        return self.frames.torques


def file_kind(kind: str, precise: bool) -> np.dtype:
    """How numbers of a column stand in a file."""
    return DTYPES[PRECISE.get(kind, kind) if precise else kind]


def tails(nq: int, nv: int) -> dict[str, tuple[int, ...]]:
    """The further axes that LAYOUT names."""
    return {"": (), "q": (nq,), "v": (nv,), "3": (3,), "4": (4,)}


def spans(start: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The numbers start[k] … start[k + 1] - 1 of every k in `rows`, one after another."""
    count = (start[1:] - start[:-1])[rows]
    first = start[:-1][rows]
    return np.repeat(first - np.concatenate([[0], np.cumsum(count)[:-1]]), count) + np.arange(count.sum())
