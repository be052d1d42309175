"""What a finished walk must keep: poses that reach their plan within the joints' ranges, and a zero-moment point that
stays in the soles.

Each refusal is one sentence: the step, what is too much, what to do. Checked in tests/walking/test_walking_pattern.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bunraku.dynamics.ik import Pose
from bunraku.errors import InputError
from bunraku.humanoid.parts import Humanoid
from bunraku.model.limits import beyond_limits
from bunraku.walking.footsteps import Footstep
from bunraku.walking.zmp_reference import TimeTable

CLOSE = 1e-7  # m: soles and centre of mass
MOST_APART = 0.4
SMALLER = "make the step shorter, lower or less turned."


def check_poses(h: Humanoid, table: TimeTable, poses: Pose, steps: Sequence[Footstep]) -> None:
    """Refuse poses that do not reach their plan or leave a range."""
    off = np.maximum(poses.position_error, poses.rotation_error)
    bad = np.flatnonzero((off > CLOSE) | (poses.com_error > CLOSE))
    if len(bad):
        k = int(bad[np.argmax(off[bad])])
        raise InputError(
            f"walking_pattern: step {table.step[k] + 1} of {len(steps)} is too much for {h.model.name!r}: at "
            f"{table.times[k]:.2f} s no pose within its joints' ranges has the feet in place ({1e3 * off[k]:.1f} mm are "
            f"missing); {SMALLER}"
        )
    beyond = beyond_limits(h.model, poses.q)
    k, i = np.unravel_index(np.argmax(beyond), beyond.shape)
    if beyond[k, i] > 1e-6:
        raise InputError(
            f"walking_pattern: step {table.step[k] + 1} of {len(steps)} bends {h.model.joints[i].name!r} of "
            f"{h.model.name!r} by {beyond[k, i]:.3f} rad beyond its range; {SMALLER}"
        )


def check_zmp(h: Humanoid, table: TimeTable, zmp: np.ndarray, multibody: np.ndarray, steps: Sequence[Footstep]) -> None:
    """Refuse a walk whose zero-moment point is farther from its reference than MOST_APART of a sole's half width."""
    apart = np.linalg.norm((multibody - zmp)[:, :2], axis=1)
    k = int(np.argmax(apart))
    room = MOST_APART * min(float(f.half.min()) for f in h.feet)
    if apart[k] > room:
        raise InputError(
            f"walking_pattern: at {table.times[k]:.2f} s, in step {table.step[k] + 1} of {len(steps)}, the zero-moment point of {h.model.name!r} is "
            f"{1e3 * apart[k]:.0f} mm from its reference, more than {1e3 * room:.0f} mm: a joint meets the end of its range too suddenly; walk "
            "slower (single, double), or with shorter, lower or less turned steps."
        )
