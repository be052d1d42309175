"""OpenSim's files: tables of a motion or of forces (.mot, .sto) and places of markers (.trc), read and written.

    .mot, .sto    name; version=1; nRows=; nColumns=; inDegrees=yes|no (of rotations); endheader; names, tabs between, the first one
                  time [s]; a row a frame
    .trc          PathFileType 4 …; DataRate … Units …; their values; Frame# Time, then a name every three columns; X1 Y1 Z1 …; rows,
                  a cell that is empty is a gap (NaN here)

OpenSim's axes are x ahead, y up, z right, ours x ahead, y left, z up; places are turned, nothing else. `save_opensim`
writes a motion of ours: as .trc the places of all links [mm]; as .mot or .sto its coordinates [m, degrees]: of the base and of
ball joints NAME_tilt, _list, _rotation about z, x, y, one after the other, of the base NAME_tx, _ty, _tz, too; hinges and
sliders by their names. Source: OpenSim's documentation of .mot, .sto and .trc files. Checked in
tests/formats/test_opensim.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from bunraku.dynamics.functions import kinematics
from bunraku.errors import FormatError, InputError
from bunraku.files import read_text, write_text
from bunraku.model.rotations import matrix
from bunraku.recording.motion import Motion

THEIRS = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])  # OpenSim <- ours
ENDINGS = (".mot", ".sto", ".trc")
UNITS = {"m": 1.0, "mm": 0.001, "cm": 0.01}
MOST_COLUMNS = 10_000


@dataclass(frozen=True, eq=False)
class Table:
    """A .mot or .sto file: names of the columns, the first one time, values (rows, columns), and whether rotations are in
    degrees."""

    columns: tuple[str, ...]
    values: np.ndarray
    in_degrees: bool = True
    name: str = "motion"

    def column(self, name: str) -> np.ndarray:
        """The values of a column."""
        if name not in self.columns:
            raise InputError(f"opensim: there is no column {name!r}; there are {', '.join(self.columns[:8])} …")
        return self.values[:, self.columns.index(name)]


@dataclass(frozen=True, eq=False)
class Markers:
    """A .trc file: times (n,) [s], names, places (n, markers, 3) [m] in our axes, NaN where a marker was not seen."""

    times: np.ndarray
    names: tuple[str, ...]
    places: np.ndarray


def write_table(table: Table, path: str | Path) -> Path:
    """Write a .mot or .sto file whole or not at all."""
    rows, columns = table.values.shape
    head = [
        table.name.replace("\n", " "),
        "version=1",
        f"nRows={rows}",
        f"nColumns={columns}",
        f"inDegrees={'yes' if table.in_degrees else 'no'}",
    ]
    lines = [
        *head,
        "endheader",
        "\t".join(table.columns),
        *("\t".join(f"{x:.10g}" for x in row) for row in table.values.tolist()),
    ]
    return write_text(path, "\n".join(lines) + "\n")


def read_table(path: str | Path) -> Table:
    """Read a .mot or .sto file; FormatError with file and line where it is none."""
    where, lines = Path(path).name, read_text(path).splitlines()
    end = next((k for k, line in enumerate(lines) if line.strip().lower() == "endheader"), None)
    if end is None or end + 1 >= len(lines):
        raise FormatError(f"{where}:1: not a table of OpenSim; its head ends with the line endheader.")
    head = {k.strip().lower(): v.strip() for k, _, v in (line.partition("=") for line in lines[1:end]) if v}
    columns = tuple(lines[end + 1].split())
    if not columns or columns[0].lower() != "time" or len(columns) > MOST_COLUMNS:
        raise FormatError(f"{where}:{end + 2}: the first column must be time.")
    rows = [(k, line.split()) for k, line in enumerate(lines[end + 2 :], end + 3) if line.strip()]
    for k, words in rows:
        if len(words) != len(columns):
            raise FormatError(f"{where}:{k}: a row has {len(words)} numbers, and there are {len(columns)} columns.")
    values = np.array([[number(where, k, x) for x in words] for k, words in rows], dtype=float).reshape(
        len(rows), len(columns)
    )
    if not np.all(np.isfinite(values[:, :1])) or np.any(np.diff(values[:, 0]) < 0):
        raise FormatError(f"{where}: its times do not rise.")
    return Table(columns, values, head.get("indegrees", "yes").lower() == "yes", lines[0].strip())


def number(where: str, line: int, word: str) -> float:
    """A word as a number; nan is one, a gap."""
    try:
        return float(word)
    except ValueError:
        raise FormatError(f"{where}:{line}: {word[:40]!r} is not a number.") from None


def write_markers(markers: Markers, path: str | Path) -> Path:
    """Write a .trc file [mm] whole or not at all."""
    n, m = markers.places.shape[:2]
    rate = (n - 1) / float(markers.times[-1] - markers.times[0]) if n > 1 else 1.0
    head = [
        "DataRate",
        "CameraRate",
        "NumFrames",
        "NumMarkers",
        "Units",
        "OrigDataRate",
        "OrigDataStartFrame",
        "OrigNumFrames",
    ]
    lines = [
        f"PathFileType\t4\t(X/Y/Z)\t{Path(path).name}", "\t".join(head), f"{rate:.6f}\t{rate:.6f}\t{n}\t{m}\tmm\t{rate:.6f}\t1\t{n}",
        "Frame#\tTime\t" + "\t\t\t".join(markers.names) + "\t\t",
        "\t\t" + "\t".join(f"{a}{k}" for k in range(1, m + 1) for a in "XYZ"), "",
    ]  # fmt: skip
    places = 1000.0 * markers.places @ THEIRS.T
    for k in range(n):
        cells = ("" if np.isnan(x) else f"{x:.6f}" for x in places[k].ravel())
        lines.append("\t".join([str(k + 1), f"{markers.times[k]:.9g}", *cells]))
    return write_text(path, "\n".join(lines) + "\n")


def read_markers(path: str | Path) -> Markers:
    """Read a .trc file; FormatError with file and line where it is none."""
    where, lines = Path(path).name, read_text(path).splitlines()
    if len(lines) < 6 or not lines[0].startswith("PathFileType"):
        raise FormatError(f"{where}:1: not a .trc file; one begins with PathFileType.")
    about = dict(zip(lines[1].split(), lines[2].split()))
    scale = UNITS.get(about.get("Units", "mm").lower())
    if scale is None:
        raise FormatError(f"{where}:3: its unit {about.get('Units')!r} is none of {', '.join(UNITS)}.")
    names = tuple(x.strip() for x in lines[3].split("\t")[2:] if x.strip())
    if not names or len(names) > MOST_COLUMNS:
        raise FormatError(f"{where}:4: it names no marker.")
    times, rows = [], []
    for k, line in enumerate(lines[5:], 6):
        if not line.strip():
            continue
        cells = line.split("\t")
        cells += [""] * (2 + 3 * len(names) - len(cells))
        times.append(number(where, k, cells[1]))
        rows.append([number(where, k, x) if x.strip() else np.nan for x in cells[2 : 2 + 3 * len(names)]])
    if not rows or np.any(np.diff(times) <= 0):
        raise FormatError(f"{where}: {'there are no frames' if not rows else 'its times do not rise'}.")
    places = scale * np.array(rows).reshape(len(rows), len(names), 3) @ THEIRS
    return Markers(np.array(times), names, places)


def save_opensim(motion: Motion, path: str | Path, *, fps: float | None = None) -> Path:
    """Write a motion for OpenSim, by the ending: .mot and .sto have coordinates [m, degrees], .trc the places of all
    links as markers [mm]; x ahead, y up, z right. fps: frames a second, its own by default."""
    kind = Path(path).suffix.lower()
    if kind not in ENDINGS:
        raise InputError(f"opensim: {Path(path).name!r} ends in none of {', '.join(ENDINGS)}.")
    motion = motion if fps is None else motion.resampled(fps)
    if kind == ".trc":
        k = kinematics(motion.model, motion.q)
        names = tuple(f.name.replace("\t", " ") for f in motion.model.links)
        return write_markers(
            Markers(motion.times, names, np.stack([k.pose(f)[0] for f in motion.model.links], axis=1)), path
        )
    names, columns = ["time"], [motion.times]
    for j in (x for x in motion.model.joints if x.nv):
        q, name = motion.q[:, j.q], j.name.replace("\t", " ").replace(" ", "_")
        if j.kind in ("free", "ball"):
            R = THEIRS @ matrix(q[:, -4:]) @ THEIRS.T
            turns = np.degrees(np.unwrap(Rotation.from_matrix(R).as_euler("ZXY"), axis=0))
            names += [f"{name}_tilt", f"{name}_list", f"{name}_rotation"]
            columns += list(turns.T)
            if j.kind == "free":
                names += [f"{name}_tx", f"{name}_ty", f"{name}_tz"]
                columns += list((q[:, :3] @ THEIRS.T).T)
        elif j.traits.one_axis:
            names.append(name)
            columns.append(q[:, 0] if j.kind == "slider" else np.degrees(q[:, 0]))
        else:
            raise InputError(
                f"opensim: joint {j.name!r} is a {j.kind}; hinges, sliders, balls and a free base can be written."
            )
    return write_table(Table(tuple(names), np.column_stack(columns), True, motion.model.name), path)
