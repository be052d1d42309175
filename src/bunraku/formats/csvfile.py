"""CSV of a recording or a motion: a column a number, a row a frame; the first line names every column with its unit.

    time [s], human.root.x [m], …, human.waist.w [1], …, torque human.left_knee [N m],
    force human.z [N], com human.x [m], zmp human.x [m], energy human [J]

Coordinates are those of q (bunraku.motion): of a hinge rad, a slider m, a ball its quaternion w x y z, a free base x y
z and its quaternion qw qx qy qz. `force` is what a figure feels from everything that is not itself. Numbers are written
so that they read back bit for bit; an empty field is no number (a zero-moment point in the air). Checked in
tests/formats/test_csvfile.py.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bunraku.errors import FormatError, UnknownName, closest
from bunraku.files import read_text, write_text
from bunraku.model.model import Model
from bunraku.recording.motion import Motion, even_times
from bunraku.recording.reader import Recording

Column = tuple[str, str]  # name, unit
QUATERNION = (("w", "1"), ("x", "1"), ("y", "1"), ("z", "1"))


@dataclass(frozen=True, eq=False)
class Table:
    """columns (name, unit) and data (rows, columns)."""

    columns: tuple[Column, ...]
    data: np.ndarray

    def __getitem__(self, name: str) -> np.ndarray:
        """A column by name, without its unit."""
        names = [n for n, _ in self.columns]
        if name not in names:
            raise UnknownName(f"the table has no column {name!r}.{closest(name, names)}")
        return self.data[:, names.index(name)]

    def motion(self, model: Model, figure: str) -> Motion:
        """The motion of a figure from its coordinates."""
        q = np.stack([self[f"{figure}.{name}"] for name, _ in coordinates(model)], axis=1)
        return Motion(model, self["time"], q, {"source": "csv"})

    def text(self) -> str:
        """The file."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([f"{name} [{unit}]" for name, unit in self.columns])
        for row in self.data.tolist():
            writer.writerow(["" if x != x else repr(x) for x in row])
        return out.getvalue()


def coordinates(model: Model) -> list[Column]:
    """Name and unit of every coordinate of q."""
    out: list[Column] = [("", "")] * model.nq
    for j in model.joints:
        if j.nq == 0:
            continue
        if j.kind == "free":
            names = [(f"{j.name}.{a}", "m") for a in "xyz"] + [(f"{j.name}.q{a}", "1") for a in "wxyz"]
        elif j.kind == "ball":
            names = [(f"{j.name}.{a}", unit) for a, unit in QUATERNION]
        elif j.traits.parts:
            names = [(f"{j.name}.{end}", j.unit) for end in j.traits.dof_names]
        else:
            names = [(j.name, j.unit)]
        out[j.q] = names
    return out


def torque_columns(model: Model) -> list[Column]:
    """Name and unit of every torque or force along a degree of freedom."""
    units = ["N m"] * model.nv
    for j in model.joints:
        if j.nv and (j.kind == "free" or j.unit == "m"):
            units[j.iv : j.iv + j.traits.adds] = ["N"] * j.traits.adds
    return list(zip(model.dof_names, units))


def from_recording(
    recording: Recording, fps: float | None = None, progress: Callable[[int, int], None] | None = None
) -> Table:
    """All frames of a recording, or those at or before `fps` even times a second."""
    frames = recording.frames
    if fps is not None:
        wanted = even_times(recording.times, fps)
        keep = np.unique(np.searchsorted(recording.times, wanted + 1e-9, side="right") - 1)
        frames = frames.take(keep)
    com, energy, zmp = recording.measures(frames)
    force = recording.contact_forces(frames)
    columns, data = [("time", "s")], [frames.times[:, None]]
    for k, f in enumerate(recording.figures):
        vectors = (("force", "N", force), ("com", "m", com), ("zmp", "m", zmp))
        columns += [(f"{f.name}.{n}", unit) for n, unit in coordinates(f.model)]
        columns += [(f"torque {f.name}.{n}", unit) for n, unit in torque_columns(f.model)]
        columns += [(f"{what} {f.name}.{a}", unit) for what, unit, _ in vectors for a in "xyz"]
        columns += [(f"energy {f.name}", "J")]
        data += [
            frames.q[:, f.part.q],
            frames.torques[:, f.part.v],
            *(x[:, k] for _, _, x in vectors),
            energy[:, k : k + 1],
        ]
        if progress is not None:
            progress(k + 1, len(recording.figures))
    return Table(tuple(columns), np.hstack([np.asarray(x, dtype=float) for x in data]))


def from_motion(motion: Motion, figure: str) -> Table:
    """The coordinates of a motion."""
    columns = (("time", "s"), *((f"{figure}.{n}", unit) for n, unit in coordinates(motion.model)))
    return Table(columns, np.hstack([motion.times[:, None], motion.q]))


def write(table: Table, path: str | Path) -> Path:
    """Write a CSV file whole or not at all."""
    return write_text(path, table.text())


def read(path: str | Path) -> Table:
    """Read a CSV file with a header of names and units; FormatError with file and line where it is none."""
    where = Path(path).name
    try:
        lines = [line for line in csv.reader(io.StringIO(read_text(path))) if line]
    except csv.Error as error:
        raise FormatError(f"{where}: not CSV ({error}).") from None
    if len(lines) < 2:
        raise FormatError(f"{where}: there is no row below a header.")
    columns = []
    for word in lines[0]:
        name, bracket, unit = word.strip().rpartition(" [")
        if not bracket or not unit.endswith("]") or not name:
            raise FormatError(f"{where}:1: column {word[:40]!r} has no unit; write e.g. 'human.left_knee [rad]'.")
        columns.append((name, unit[:-1]))
    if len(dict(columns)) < len(columns):
        raise FormatError(f"{where}:1: two columns have the same name.")
    data = np.full((len(lines) - 1, len(columns)), np.nan)
    for k, line in enumerate(lines[1:]):
        if len(line) != len(columns):
            raise FormatError(f"{where}:{k + 2}: {len(line)} fields instead of {len(columns)}.")
        for c, word in enumerate(line):
            try:
                data[k, c] = float(word) if word.strip() else np.nan
            except ValueError:
                raise FormatError(
                    f"{where}:{k + 2}: {word[:40]!r} in column {columns[c][0]!r} is not a number."
                ) from None
    return Table(tuple(columns), data)
