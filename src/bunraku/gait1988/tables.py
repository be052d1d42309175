"""A walk as arrays on disk: CSV tables a spreadsheet reads, and one NPZ with everything (SI units).

CSV: one header line with names and units. NPZ: plain arrays (no pickle). Checked in tests/gait1988/test_solved_walk.py.
"""

from __future__ import annotations

import io

import numpy as np

from bunraku.gait1988.pattern import Gait
from bunraku.gait1988.report_moments import JOINT_NAMES
from bunraku.gait1988.rigid_model import COORDINATES
from bunraku.gait1988.servo import drives
from bunraku.gait1988.smooth import leg_table
from bunraku.gait1988.solved_walk import Walk
from bunraku.gait1988.steps import walk_on
from bunraku.gait1988.twelve_bodies import BODY_NAMES

LEGS = ("left_beta1", "left_beta2", "left_beta3", "right_beta1", "right_beta2", "right_beta3")


def csv_text(names: list[str], columns: np.ndarray) -> str:
    """A CSV table; numbers with 10 significant digits."""
    lines = [",".join(names)]
    lines += [",".join(f"{value:.10g}" for value in row) for row in columns]
    return "\n".join(lines) + "\n"


def smooth_csv(gait: Gait) -> str:
    """Leg angles over one step: angle, velocity, acceleration of six segments."""
    table = leg_table(gait, digits=None)
    time = np.linspace(0.0, gait.step_time, len(table))
    names = ["time_s"] + [f"{leg}_{unit}" for leg in LEGS for unit in ("rad", "rad_s", "rad_s2")]
    return csv_text(names, np.column_stack([time, table.reshape(len(table), -1)]))


def walk_csv(walk: Walk) -> str:
    """theta, psi with derivatives, ground reaction and ZMP over one step."""
    c = walk.coordinates
    names = ["time_s", "theta_rad", "psi_rad", "dtheta_rad_s", "dpsi_rad_s", "d2theta_rad_s2", "d2psi_rad_s2"]
    names += ["force_x_N", "force_y_N", "force_z_N", "zmp_m"]
    columns = [walk.time, *(c[:, :2, order] for order in range(3)), walk.force, walk.zmp]
    return csv_text(names, np.column_stack(columns))


def moments_csv(walk: Walk) -> str:
    """Joint moments on the bodies beyond each joint, and the mass centres."""
    names = ["time_s"] + [f"{joint}_{axis}_Nm" for joint in JOINT_NAMES for axis in "xyz"]
    names += [f"{body}_{axis}_{unit}" for body in BODY_NAMES for axis in "xyz" for unit in ("m", "m_s", "m_s2")]
    n = len(walk.time)
    return csv_text(names, np.column_stack([walk.time, walk.moments.reshape(n, -1), walk.bodies.reshape(n, -1)]))


def path_csv(walk: Walk, steps: int) -> str:
    """Mass centres and the ZMP over several steps in a fixed frame (`steps.walk_on`), m."""
    path = walk_on(walk, steps)
    names = ["time_s", "step", "left_carries"] + [f"{body}_{axis}_m" for body in BODY_NAMES for axis in "xyz"]
    names += [f"zmp_{axis}_m" for axis in "xyz"]
    centres = path.bodies.reshape(len(path.time), -1)
    return csv_text(names, np.column_stack([path.time, path.step, path.left_carries, centres, path.zmp]))


def servo_csv(walk: Walk) -> str:
    """Angle, speed, torque and power of every drive."""
    names, columns = ["time_s"], [walk.time]
    for drive in drives(walk):
        names += [f"{drive.name}_{unit}" for unit in ("rad", "rad_s", "Nm", "W")]
        columns += [drive.angle, drive.speed, drive.torque, drive.power]
    return csv_text(names, np.stack(columns, axis=1))


def walk_npz(walk: Walk) -> bytes:
    """Everything as one NPZ file."""
    names = ("time", "coordinates", "bodies", "joints", "moments", "force", "zmp", "start", "end")
    arrays = {
        **{name: getattr(walk, name) for name in names},
        "coordinate_names": np.array(COORDINATES),
        "body_names": np.array(BODY_NAMES),
        "joint_names": np.array(JOINT_NAMES),
        "gait": np.array(walk.gait.name),
        "mode": np.array(walk.mode),
    }
    for drive in drives(walk):
        arrays[f"drive_{drive.name}"] = np.stack([drive.angle, drive.speed, drive.torque, drive.power], axis=1)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()
