"""Recording: a recorded world, read back: by frame, by time, in slices, or all at once.

    r = Recording.open("run.bkr")            # also run.bkr.part, which a killed process left
    r.times, r.q, r.v, r.torques             # (n,), (n, nq), (n, nv), (n, nv): all of it
    r.com, r.zmp, r.energy, r.events         # (n, ng, 3), (n, ng, 3), (n, ng), a list of dicts
    r[1000:2000:10], r.frames                # Frames: some, all; with contact patches, their points, forces, states (bunraku.world.frames)
    r.contacts[1000]                         # patch, state, point, force of every point that touches in a frame
    r.at(1.2345), r.motion("human")          # an Instant between two frames; the Motion of a figure

Numbers are float32 as they were written (times float64; all float64 where a motion was worked out), see
bunraku.world.frames. Centre of mass and energy follow from q and v by bunraku.dynamics, the zero-moment point from the
contacts with what does not move, as in bunraku.world.measures, NaN in the air; so they are not in the file. Whatever is
damaged, cut or foreign gives a BunrakuError. Checked in tests/recording/test_reader.py.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from bunraku.dynamics.functions import centroidal
from bunraku.errors import BunrakuError, FormatError, InputError, UnknownName, closest
from bunraku.model.description import Description, Shape
from bunraku.model.forest import Part, combine
from bunraku.model.model import Model
from bunraku.model.plain import from_plain
from bunraku.recording.blockfile import BlockFile
from bunraku.recording.motion import Motion, between, bracket
from bunraku.recording.recorder import EVENTS, FORMAT, FRAMES, FRAMES_1, VERSION
from bunraku.world.frames import Frames, InFrames

if TYPE_CHECKING:
    from typing import Self

PRESSING = 1e-9  # N
MISTAKES = (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, RecursionError)


@dataclass(frozen=True)
class RecordedFigure:
    """A figure of a recording, and where it stands in q and v: `q[:, figure.part.q]`."""

    name: str
    model: Model
    part: Part


@dataclass(frozen=True, eq=False)
class Instant:
    """A recorded world at a time, between two frames: q by slerp, v and torques straight; `contacts` are those of the
    frame at or before it."""

    time: float
    q: np.ndarray
    v: np.ndarray
    torques: np.ndarray
    contacts: Frames


@dataclass(frozen=True, eq=False)
class FrameContacts:
    """The points of one frame that touch or press: patch (m,) counted in the frame, state (m,) of the patch (0 none, 1
    point, 2 line, 3 surface), point [m] and force [N] (m, 3) on the first of its bodies (m, 2): numbers in
    `Recording.model`, 0 the world."""

    patch: np.ndarray
    state: np.ndarray
    point: np.ndarray
    force: np.ndarray
    bodies: np.ndarray


class Contacts(Sequence[FrameContacts]):
    """The contacts of frames, by number."""

    def __init__(self, frames: Frames, body_of_shape: np.ndarray) -> None:
        self._frames, self._patch, self._point = frames, frames.patch_start, frames.point_start
        self._body = body_of_shape

    def __len__(self) -> int:
        return len(self._frames)

    def __getitem__(self, k: int) -> FrameContacts:  # pyright: ignore[reportIncompatibleMethodOverride]
        k = range(len(self))[k]
        first, last = self._patch[k], self._patch[k + 1]
        f, points = self._frames, slice(self._point[first], self._point[last])
        patch = np.repeat(np.arange(last - first), f.point_count[first:last])
        bodies = self._body[f.pair[first:last].astype(np.int64)][patch]
        return FrameContacts(patch, f.state[first:last][patch], f.points[points], f.forces[points], bodies)


class Recording(InFrames):
    """A recorded world, read back: `Recording.open("run.bkr")`; by frame, by time, in slices, or all at once.

    `times` (n,) [s], `q` (n, nq), `v` (n, nv), `torques` (n, nv) [N m or N], `com`, `zmp` (n, figures, 3) [m], `energy`
    (n, figures) [J], `forces` (n, figures, 3) [N], `contacts[k]`, `events`, `at(time)`, `motion(figure)`; a context
    manager. Whatever is damaged, cut or foreign gives a BunrakuError. See docs/recordings.md.
    """

    path: Path
    title: str
    contact: str
    dt: float  # s, of a step
    every: int  # steps a frame
    gravity: tuple[float, ...]  # m/s^2
    figures: tuple[RecordedFigure, ...]
    model: Model  # of all figures together

    def __init__(self, file: BlockFile) -> None:
        self._file, self.path, head = file, file.path, file.head
        if not isinstance(head, dict) or head.get("format") != FORMAT:
            raise FormatError(f"{file.path}: not a recording.")
        try:
            if int(head["version"]) > VERSION:
                raise FormatError(
                    f"{file.path}: written by Bunraku {head.get('bunraku')}, newer than this one; update Bunraku."
                )
            self.title, self.contact = str(head["title"]), str(head["contact"])
            self.dt, self.every = float(head["dt"]), int(head["every"])
            self.meta: dict[str, Any] = dict(head["meta"])
            self.gravity = tuple(float(x) for x in head["gravity"])
            self.figures, self.model = self._built(head["figures"])
            self.fixed: tuple[Shape, ...] = tuple(from_plain(s) for s in head["fixed"])
            self.shapes: list[tuple[int, int, str]] = [(int(f), int(b), str(n)) for f, b, n in head["shapes"]]
            if not all(isinstance(s, Shape) for s in self.fixed):
                raise FormatError("a fixed shape is none.")
            if any(f >= len(self.figures) or not 0 <= b < self.model.nb for f, b, _ in self.shapes):
                raise FormatError("a shape belongs to nothing.")
        except BunrakuError as error:
            text = str(error)
            raise FormatError(text if text.startswith(str(file.path)) else f"{file.path}: {text}") from None
        except MISTAKES as error:
            raise FormatError(f"{file.path}: not what a recorder writes ({error!r}).") from None
        self._blocks = [b for b in file.blocks if b.kind in (FRAMES, FRAMES_1) and b.count > 0]
        self._start = np.concatenate([[0], np.cumsum([b.count for b in self._blocks], dtype=np.int64)])
        if not self._blocks:
            raise FormatError(f"{file.path}: a recording without a frame; it was cut off too early.")
        self._block = lru_cache(maxsize=4)(self._read)

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Open a recording, finished or not; BunrakuError where it is none."""
        file = BlockFile(path, "a recording of Bunraku")
        try:
            return cls(file)
        except BaseException:
            file.close()
            raise

    def close(self) -> None:
        """Close the file. What was read stays."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        names = ", ".join(f.name for f in self.figures[:4]) + (" …" if len(self.figures) > 4 else "")
        return f"<Recording {self.path.name!r}: {len(self)} frames, {self.duration:g} s, {names}>"

    def _repr_html_(self) -> str | None:
        """A notebook plays it in place."""
        shown: Any = importlib.import_module("bunraku.viewer.in_notebook")  # it stands above; see bunraku.world.watched
        return shown.inline(self)

    def _repr_png_(self) -> bytes | None:
        shown: Any = importlib.import_module("bunraku.viewer.in_notebook")
        return shown.still(self)

    # ---- what it is of

    @property
    def finished(self) -> bool:
        """Whether it ended well, or is what a killed process left."""
        return self._file.finished

    @property
    def models(self) -> dict[str, Model]:
        """Figure -> its model. `model` is all of them together, as q and v have them."""
        return {f.name: f.model for f in self.figures}

    @property
    def descriptions(self) -> dict[str, Description]:
        """Figure -> its description."""
        return {f.name: f.model.description for f in self.figures}

    def figure(self, name: str | None = None) -> RecordedFigure:
        """A figure by name; the one with the most degrees of freedom by default."""
        if name is None:
            return max(self.figures, key=lambda f: f.model.nv)
        found = [f for f in self.figures if f.name == name]
        if not found:
            raise UnknownName(f"the recording has no figure {name!r}.{closest(name, [f.name for f in self.figures])}")
        return found[0]

    def shape_owner(self, shape: int) -> tuple[str, str]:
        """(figure, link) of a shape of a contact; ("world", its name) where it is fixed."""
        figure, _, name = self.shapes[shape]
        return ("world", name) if figure < 0 else (self.figures[figure].name, name)

    # ---- frames

    def __len__(self) -> int:
        return int(self._start[-1])

    @property
    def duration(self) -> float:
        """From the first to the last frame [s]."""
        return self._blocks[-1].last - self._blocks[0].first

    def __getitem__(self, chosen: int | slice) -> Frames:
        """Frame k, or a slice of frames; only the blocks that hold them are read."""
        if isinstance(chosen, slice):
            rows = range(len(self))[chosen]
        else:
            k = int(chosen)
            if not -len(self) <= k < len(self):
                raise InputError(f"{self.path.name}: there is no frame {k}; there are {len(self)}.")
            rows = range(len(self))[k : k + 1 or None]
        backwards, rows = (rows.step < 0, rows[::-1] if rows.step < 0 else rows)
        parts = []
        for b in range(len(self._blocks)):
            first, end = int(self._start[b]), int(self._start[b + 1])
            skip = max(0, -((rows.start - first) // rows.step)) if rows.start < first else 0
            begin = rows.start + skip * rows.step
            if begin < min(end, rows.stop):
                parts.append(self._block(b)[begin - first : min(end, rows.stop) - first : rows.step])
        out = Frames.join(parts, self.model.nq, self.model.nv)
        return out[::-1] if backwards else out

    def _read(self, b: int) -> Frames:
        """Block b."""
        block = self._blocks[b]
        try:
            frames = Frames.from_bytes(self._file.read(block), self.model.nq, self.model.nv)
            if len(frames) != block.count or (len(frames.pair) and int(frames.pair.max()) >= len(self.shapes)):
                raise FormatError("a block of frames has other frames or shapes than the file says.")
            return frames
        except BunrakuError as error:
            text = str(error)
            raise FormatError(text if text.startswith(str(self.path)) else f"{self.path}: {text}") from None

    @cached_property
    def frames(self) -> Frames:
        """All frames."""
        frames = self[:]
        if np.any(np.diff(frames.times) <= 0):
            raise FormatError(f"{self.path}: its times do not rise; damaged.")
        return frames

    @property
    def contacts(self) -> Contacts:
        """The contacts of every frame: contacts[k] has a row for each point that touches or presses."""
        return Contacts(self.frames, np.array([body for _, body, _ in self.shapes], dtype=np.int64))

    @cached_property
    def forces(self) -> np.ndarray:
        """(n, ng, 3): what every figure feels from all that is not itself [N]."""
        return self.contact_forces(self.frames)

    def contact_forces(self, frames: Frames) -> np.ndarray:
        """The same of some frames."""
        n, ng = len(frames), len(self.figures)
        figure = np.array([s[0] for s in self.shapes], dtype=np.int64)[frames.pair.astype(np.int64)].reshape(-1, 2)
        frame, out, force = np.repeat(np.arange(n), frames.patch_count), np.zeros((n, ng, 3)), frames.force
        for side, sign in ((0, 1.0), (1, -1.0)):
            rows = np.flatnonzero((figure[:, side] >= 0) & (figure[:, 0] != figure[:, 1]))
            np.add.at(out, (frame[rows], figure[rows, side]), sign * force[rows])
        return out

    @cached_property
    def events(self) -> list[dict[str, Any]]:
        """What happened besides: dicts with "time" and "kind": connect, cut, break, push, note."""
        out: list[dict[str, Any]] = []
        for block in self._file.blocks:
            if block.kind == EVENTS:
                try:
                    given = json.loads(self._file.read(block))
                    out += [{**e, "time": float(e["time"]), "kind": str(e["kind"])} for e in given]
                except MISTAKES as error:
                    if isinstance(error, BunrakuError):
                        raise
                    raise FormatError(f"{self.path}: events are damaged ({error!r}).") from None
        return out

    # ---- measured

    @property
    def com(self) -> np.ndarray:
        """(n, ng, 3): centre of mass of every figure [m]."""
        return self._measured[0]

    @property
    def energy(self) -> np.ndarray:
        """(n, ng): kinetic and potential energy of every figure [J]; the potential is zero at the world's origin."""
        return self._measured[1]

    @property
    def zmp(self) -> np.ndarray:
        """(n, ng, 3): zero-moment point of every figure [m]; NaN where no ground pushes it up."""
        return self._measured[2]

    @cached_property
    def _measured(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.measures(self.frames)

    def measures(self, frames: Frames) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(com, energy, zmp) of some frames, as the properties give them for all."""
        n, ng = len(frames), len(self.figures)
        com, energy = np.zeros((n, ng, 3)), np.zeros((n, ng))
        for k, f in enumerate(self.figures):
            c = centroidal(f.model, frames.q[:, f.part.q].astype(float), frames.v[:, f.part.v].astype(float))
            com[:, k], energy[:, k] = c.com, c.kinetic - c.mass * (c.com @ np.array(self.gravity))
        return com, energy, self._zero_moment_points(frames)

    def _zero_moment_points(self, frames: Frames) -> np.ndarray:
        """x = (h Fx - My) / Fz, y = (Mx + h Fy) / Fz with F, M of all fixed shapes on a figure, h their mean height."""
        n, ng, table = len(frames), len(self.figures), np.array([s[:2] for s in self.shapes]).reshape(-1, 2)
        points, forces = frames.points.astype(float), frames.forces.astype(float)
        each = np.hstack([forces, np.cross(points, forces), points[:, 2:] * forces[:, 2:]])
        frame = np.repeat(np.arange(n), frames.patch_count)[frames.patch_of_point]
        pair, sums = frames.pair[frames.patch_of_point], np.zeros((n * ng, 7))
        for ours, theirs, sign in ((0, 1, 1.0), (1, 0, -1.0)):
            mine, other = table[pair[:, ours]], table[pair[:, theirs]]
            rows = np.flatnonzero((mine[:, 0] >= 0) & (mine[:, 1] > 0) & (other[:, 1] == 0))
            np.add.at(sums, frame[rows] * ng + mine[rows, 0], sign * each[rows])
        out, up = np.full((n * ng, 3), np.nan), sums[:, 2] > PRESSING
        fx, fy, fz, mx, my, _, h = sums[up].T
        h = h / fz
        out[up] = np.stack([(h * fx - my) / fz, (mx + h * fy) / fz, h], axis=1)
        return out.reshape(n, ng, 3)

    # ---- in time

    def frame_at(self, time: float) -> int:
        """The number of the frame at or before a time; the first or the last outside."""
        if not np.isfinite(time):
            raise InputError(f"the time {time} is not a finite number.")
        b = max(0, int(np.searchsorted([x.first for x in self._blocks], time + 1e-12, side="right")) - 1)
        inside = int(np.searchsorted(self._block(b).times, time + 1e-12, side="right")) - 1
        return int(self._start[b]) + max(0, inside)

    def at(self, time: float) -> Instant:
        """The world at a time, between its frames; outside it is as at the nearer end."""
        k = self.frame_at(time)
        pair = self[k : k + 2]
        s = float(bracket(pair.times, np.array(time))[1])
        v, torques = ((1.0 - s) * x[0] + s * x[-1] for x in (pair.v.astype(float), pair.torques.astype(float)))
        q = between(self.model, pair.times, pair.q, time)
        return Instant(float(np.clip(time, pair.times[0], pair.times[-1])), q, v, torques, pair[:1])

    def motion(self, figure: str | None = None) -> Motion:
        """How one figure moves; the one with the most degrees of freedom by default."""
        f = self.figure(figure)
        return Motion(f.model, self.times, self.q[:, f.part.q].astype(float), {"figure": f.name, "title": self.title})

    def _built(self, given: list[Any]) -> tuple[tuple[RecordedFigure, ...], Model]:
        """The figures and all of them together."""
        models = []
        for f in given:
            description = from_plain(f["description"])
            if not isinstance(description, Description):
                raise FormatError(f"figure {f['name']!r} has no description.")
            models.append((str(f["name"]), description.build().with_gravity(from_plain(f["gravity"]))))
        if not models:
            raise FormatError("there is no figure.")
        whole, parts = combine(models, self.gravity)
        return tuple(RecordedFigure(name, m, part) for (name, m), part in zip(models, parts)), whole
