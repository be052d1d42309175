"""A series that was measured, to lie beside a simulated walk: a CSV file whose header names every column with its unit.

    time [s],left foot force [N],right foot force [N]
    0.000,331.2,340.9

The first column is the time from the start of the walk, s or ms, growing; the others are any of
    left foot force, right foot force      upwards: N, kN, or "weight" (shares of the figure's own weight)
    zmp x, zmp y, com x, com y             world axes: m, cm or mm
    zmp margin                             m, cm or mm
    torque JOINT                           N m; a joint with several axes: torque left_hip.y
    power                                  of all joints: W or kW
An empty field is no number. Values are kept in SI units. Drawn by bunraku.draw.walk_plots, checked in
tests/formats/test_measured.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bunraku.errors import FormatError, closest
from bunraku.formats import csvfile
from bunraku.model.model import Model

LENGTH = {"m": 1.0, "cm": 0.01, "mm": 0.001}
TIME = {"s": 1.0, "ms": 0.001}
FORCES = ("left foot force", "right foot force")
PLACES = ("zmp x", "zmp y", "com x", "com y", "zmp margin")
KNOWN = (*FORCES, *PLACES, "power", "torque JOINT")


@dataclass(frozen=True, eq=False)
class Measured:
    """times (n) [s] and series (n) by name, SI units."""

    times: np.ndarray
    series: Mapping[str, np.ndarray]

    def __contains__(self, name: str) -> bool:
        return name in self.series

    def __getitem__(self, name: str) -> np.ndarray:
        return self.series[name]


def read_measured(path: str | Path, model: Model) -> Measured:
    """The series of a CSV file for a figure; FormatError where the file or a column is not what the module text says."""
    where, table = Path(path).name, csvfile.read(path)
    if table.columns[0][0] != "time":
        raise FormatError(f"{where}:1: the first column is {table.columns[0][0]!r}; it must be 'time [s]'.")
    if len(table.columns) < 2:
        raise FormatError(f"{where}:1: there is no column beside the time; wanted e.g. 'left foot force [N]'.")
    times = table.data[:, 0] * factor(where, *table.columns[0], TIME)
    if len(times) < 2 or not np.all(np.isfinite(times)) or not np.all(np.diff(times) > 0):
        raise FormatError(f"{where}: the times must be two or more finite numbers that grow from row to row.")
    names, weight = list(model.dof_names), model.mass * float(np.linalg.norm(model.gravity))
    series = {}
    for (name, unit), values in zip(table.columns[1:], table.data[:, 1:].T):
        values = values * factor(where, name, unit, units_of(where, name, names, weight))
        if np.any(np.isinf(values)) or not np.any(np.isfinite(values)):
            raise FormatError(f"{where}: column {name!r} holds no finite numbers.")
        series[name] = values
    return Measured(times, series)


def units_of(where: str, name: str, joints: Iterable[str], weight: float) -> dict[str, float]:
    """Units of a series, each with its size in SI."""
    if name in FORCES:
        return {"N": 1.0, "kN": 1e3, "weight": weight}
    if name in PLACES:
        return LENGTH
    if name == "power":
        return {"W": 1.0, "kW": 1e3}
    kind, _, joint = name.partition(" ")
    if kind == "torque":
        if joint not in joints:
            raise FormatError(f"{where}:1: the figure has no joint {joint!r} for {name!r}.{closest(joint, joints)}")
        return {"N m": 1.0}
    raise FormatError(f"{where}:1: {name!r} is in no plot of a walk; wanted {', '.join(KNOWN)}.{closest(name, KNOWN)}")


def factor(where: str, name: str, unit: str, units: Mapping[str, float]) -> float:
    """What a number in this unit is in SI."""
    if unit not in units:
        raise FormatError(f"{where}:1: unit [{unit}] of {name!r} is not one of {', '.join(f'[{u}]' for u in units)}.")
    return units[unit]
