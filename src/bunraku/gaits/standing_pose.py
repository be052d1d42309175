"""Standing at ease as a pose of the twin: feet side by side and flat, knees nearly straight, the centre of mass over the
middle of the soles. Where walks begin and end. Checked in tests/gaits/test_gait_library.py."""

from __future__ import annotations

import numpy as np
from scipy.optimize import least_squares

from bunraku.dynamics.functions import centroidal
from bunraku.gaits.hinge_twin import Twin
from bunraku.gaits.sole_points import AHEAD, HEEL, carriers, soles

KNEE, ELBOW = 0.06, 0.3  # rad


def standing_pose(twin: Twin, width: float, sole_length: float, half_width: float) -> np.ndarray:
    """Coordinates (n,) of the twin; width [m] between its ankles; heels stand at x = 0."""
    name, carry = twin.index, carriers(twin)
    moved = [name[i] for i in ("x", "z", "left_hip y", "left_ankle y", "left_hip x")]
    Q = np.zeros(len(twin.names))
    Q[name["z"]] = twin.figure.q0[2]
    for side in ("left", "right"):
        Q[name[f"{side}_knee"]], Q[name[f"{side}_elbow"]] = KNEE, ELBOW

    def pose(x: np.ndarray) -> np.ndarray:
        q = Q.copy()
        q[moved] = x
        q[name["right_hip y"]], q[name["right_ankle y"]] = q[name["left_hip y"]], q[name["left_ankle y"]]
        q[name["right_hip x"]] = -q[name["left_hip x"]]
        q[name["left_ankle x"]], q[name["right_ankle x"]] = -q[name["left_hip x"]], q[name["left_hip x"]]
        return q

    def off(x: np.ndarray) -> np.ndarray:
        q = pose(x)
        s = soles(twin, q[None], half_width, carry).value[0, 0]
        com = centroidal(twin.model, q[None]).com[0]
        heel = s[HEEL]
        return np.array([heel[0], heel[1] - width / 2, heel[2], s[AHEAD][2], com[0] - sole_length / 2])

    begin = np.array([0.065, twin.figure.q0[2] - 0.002, -0.03, -0.03, 0.0])
    return pose(least_squares(off, begin, xtol=1e-14, ftol=1e-14, gtol=1e-14).x)
