"""How far a filtered motion is from the recorded one: root mean square and largest, of every joint, the centre of mass
and the base.

A ball's difference is the angle of the turn between both, a hinge's the difference of its values. Compared at the
recorded frames. Checked in tests/motion/test_departure.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bunraku.dynamics.functions import centroidal
from bunraku.model.configuration import difference
from bunraku.model.model import Model
from bunraku.motion.solved import Solved
from bunraku.recording.motion import Motion

Pair = tuple[float, float]


@dataclass(frozen=True)
class Moved:
    """(rms, largest) of joints [rad or m], of the centre of mass [m], of the base's place [m] and turn [rad]."""

    joints: dict[str, Pair]
    com: Pair
    base: Pair
    turn: Pair

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        two = ("rms", "max")
        joints = {name: dict(zip(two, x)) for name, x in self.joints.items()}
        return {
            "com_m": dict(zip(two, self.com)),
            "base_m": dict(zip(two, self.base)),
            "base_rad": dict(zip(two, self.turn)),
            "joints": joints,
        }

    def lines(self) -> list[str]:
        """A table."""
        out = [
            f"  {'centre of mass':<16} {1000 * self.com[0]:8.1f} mm rms {1000 * self.com[1]:8.1f} mm at most",
            f"  {'base':<16} {1000 * self.base[0]:8.1f} mm rms {1000 * self.base[1]:8.1f} mm at most",
            f"  {'base, turned':<16} {np.degrees(self.turn[0]):8.2f} °  rms {np.degrees(self.turn[1]):8.2f} °  at most",
        ]
        for name, (rms, most) in self.joints.items():
            out.append(f"  {name:<16} {np.degrees(rms):8.2f} °  rms {np.degrees(most):8.2f} °  at most")
        return out


def pair(x: np.ndarray) -> Pair:
    """(rms, largest) of numbers."""
    return float(np.sqrt(np.mean(x * x))), float(np.abs(x).max())


def how_far(model: Model, recorded: Motion, solved: Solved) -> Moved:
    """Compare both at the recorded frames that the solved motion covers."""
    rows = recorded.times <= solved.times[-1] + 1e-9
    q = solved.motion.at(recorded.times[rows])
    apart = difference(model, recorded.q[rows], q)
    joints = {j.name: pair(np.linalg.norm(apart[:, j.v], axis=1)) for j in model.joints if j.nv and j.kind != "free"}
    com = np.linalg.norm(centroidal(model, q).com - centroidal(model, recorded.q[rows]).com, axis=1)
    return Moved(
        joints, pair(com), pair(np.linalg.norm(apart[:, :3], axis=1)), pair(np.linalg.norm(apart[:, 3:6], axis=1))
    )
