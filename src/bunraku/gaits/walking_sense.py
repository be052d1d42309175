"""Where a walking figure is, from its own instruments: attitude from the IMU, joints from the encoders, its velocity from
the edges that stand.

The point of a sole where the force sensor feels the pressure does not move; so the base moves as the joints say,
    v = - sum_f load_f u_f / sum_f load_f,      u_f: velocity of that point with the base at rest,
low-passed (`CUT`). A foot may roll on an edge: the point rolls with it. In the air the base falls. Nothing of the world's
true state is read. The place is nobody's business: the plan goes along with the foot that stands. Headings: `turned`
[rad] is taken off the attitude, so that a figure that walks a bend sees itself walk ahead. Checked in
tests/gaits/test_natural_walk.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bunraku.control.state_estimate import Instruments
from bunraku.dynamics.functions import Kinematics, kinematics
from bunraku.humanoid.foot import Foot
from bunraku.model.model import FrameInfo, Model
from bunraku.model.rotations import multiply

if TYPE_CHECKING:
    from bunraku.world.figure import Figure
    from bunraku.world.world import World

CUT, FORCE_CUT = 60.0, 150.0  # Hz
SURE = 20.0 / 677.0  # of the weight: less says nothing of where a sole is pressed


class WalkingSense:
    """State of what is felt: loads (2,) [N], pressure (2, 2) [m] in the soles, velocity (3,), place (3,)."""

    def __init__(
        self, world: World, figure: Figure, model: Model, feet: tuple[Foot, Foot], options: dict[str, Any] | None
    ) -> None:
        self.model, self.feet = model, feet
        self.instruments = Instruments(world, figure, model, feet, **(options or {}))
        self.weight = model.mass * float(np.linalg.norm(model.gravity))
        self.soles = [f.frame for f in feet]
        self.loads, self.pressure = np.full(2, 0.5 * self.weight), np.zeros((2, 2))
        self.velocity, self.place = np.zeros(3), np.zeros(3)
        self.q, self.v = model.neutral(), np.zeros(model.nv)

    def begin(self, place: np.ndarray) -> None:
        """At rest on both feet."""
        self.place[:] = place

    def look(self, dt: float, turned: float) -> Kinematics:
        """Take in what the instruments read, dt [s] after the last time; q and v are then what is believed."""
        i, q, v = self.instruments, self.q, self.v
        i.readings.read()
        gyro, attitude, joints, rates, wrench = np.split(i.readings.values, np.cumsum([3, 4, len(i.iq), len(i.iv)]))
        q[:3], v[:3], v[3:6] = 0.0, 0.0, gyro
        q[3:7] = multiply(np.array([np.cos(turned / 2), 0.0, 0.0, -np.sin(turned / 2)]), attitude)
        q[i.iq], v[i.iv] = joints, rates
        k = kinematics(self.model, q, v)
        keep = np.exp(-2 * np.pi * FORCE_CUT * dt)
        moved, sure = np.zeros(3), 0.0
        for f, (force, torque) in enumerate(wrench.reshape(2, 2, 3)):
            load = max(-force[2], 0.0)
            self.loads[f] = keep * self.loads[f] + (1 - keep) * load
            half = self.feet[f].half
            if load > SURE * self.weight:
                x, y = -torque[1] / force[2], torque[0] / force[2]
                self.pressure[f] = min(max(x, -half[0]), half[0]), min(max(y, -half[1]), half[1])
            rate, turn = moving(k, self.soles[f]), k.pose(self.soles[f])[1]
            arm = turn[:, 0] * self.pressure[f, 0] + turn[:, 1] * self.pressure[f, 1]
            own = max(load - SURE * self.weight, 0.0)
            moved += own * (rate[:3] + crossed(rate[3:], arm))
            sure += own
        if sure > 0:
            self.velocity += (1 - np.exp(-2 * np.pi * CUT * dt)) * (-moved / sure - self.velocity)
        else:
            self.velocity += dt * self.model.gravity
        self.place += dt * self.velocity
        q[:3], v[:3] = self.place, self.velocity
        return kinematics(self.model, q, v)


def crossed(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a x b of two vectors: numpy.cross takes ten times as long."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def moving(k: Kinematics, frame: FrameInfo) -> np.ndarray:
    """Velocity (6,) of a frame, as Kinematics.velocity gives it."""
    twist, arm = k.twist[frame.body], k.rotation[frame.body] @ frame.position
    return np.concatenate([twist[:3] + crossed(twist[3:], arm), twist[3:]])
