"""Force plates' measurements: OpenSim's .mot or .sto of ground forces, or a recording of ours, all plates together.

Of a table every group of columns  …_vx, _vy, _vz  (force on the person [N]) with  …_px, _py, _pz  (where, [m]) counts, and
`torque` for `force_v` in the name, if there is (the free moment [N m]):  ground_force_vx, 1_ground_force_vx,
ground_force_1_vx. OpenSim's axes are turned into ours. The zero-moment point of all is on z = 0. Source: OpenSim's
documentation of .mot files of ground reactions. Checked in tests/formats/test_plates.py.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bunraku.errors import InputError
from bunraku.formats.opensim import THEIRS, Table, read_table
from bunraku.motion.ground_forces import Plates
from bunraku.recording.reader import Recording

LEAST = 1.0  # N: less presses nowhere


def read_plates(path: str | Path) -> Plates:
    """The ground's force and zero-moment point of a file."""
    if Path(path).suffix.lower() == ".bkr":
        with Recording.open(path) as recording:
            if len(recording.figures) != 1 or len(recording) < 8:
                raise InputError(f"{path} is not a recording of one figure of 8 frames or more.")
            zmp = np.nan_to_num(np.asarray(recording.zmp[1:, 0, :2], dtype=float))
            force = np.asarray(recording.forces[1:, 0], dtype=float)
            return Plates(np.asarray(recording.times[1:], dtype=float) - recording.dt / 2, force, zmp)
    return of_table(read_table(path), str(path))


def of_table(table: Table, name: str) -> Plates:
    """The same of a table that was read; `name` for complaints."""
    stems = [c[:-2] for c in table.columns if c.endswith("vx")]
    stems = [s for s in stems if all(f"{s}{k}{axis}" in table.columns for k in "vp" for axis in "xyz")]
    if not stems:
        raise InputError(f"{name} has no ground forces: no columns … _vx, _vy, _vz with _px, _py, _pz.")
    force, moment = np.zeros((len(table.values), 3)), np.zeros((len(table.values), 3))
    for stem in stems:
        push, at = (np.column_stack([table.column(f"{stem}{k}{x}") for x in "xyz"]) @ THEIRS for k in "vp")
        turns = [stem.replace("force_", "torque_") + x for x in "xyz"]
        free = [table.column(x) if x in table.columns else np.zeros(len(push)) for x in turns]
        force += np.nan_to_num(push)
        moment += np.nan_to_num(np.cross(at, push) + np.column_stack(free) @ THEIRS)
    up = np.where(force[:, 2] > LEAST, force[:, 2], np.inf)
    return Plates(table.column("time"), force, np.column_stack([-moment[:, 1], moment[:, 0]]) / up[:, None])
