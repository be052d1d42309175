"""The figure of the 1988 report: 12 bodies, their sizes, masses and moments of inertia (JAERI-M 88-080, Tables 3.1,
3.2).

Bodies (index here = number in the report - 1): 1 left shank, 2 left thigh, 3 pelvis, 4 trunk with head, 5 right upper
arm, 6 right forearm, 7 left upper arm, 8 left forearm, 9 right thigh, 10 right shank, 11 right foot, 12 left
(support) foot. The left foot carries, the right one swings.

Frames: x forward, y to the left, z up; origin at the zero-moment point (ZMP) on the floor. Units of the report: masses
in kgf s2/m, moments of inertia in kgf m s2, forces in kp (= kgf). `G` times a mass gives kilograms. The tables are
checked through every printed figure (tests/gait1988/test_report.py); `Jy` of body 9 and the sum of the trunk are the
report's program errors (see `report_model`), the `exact` figure uses the mirror image of body 2.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

G = 9.81
"""Standard gravity used by the report, m/s2; also kg per kgf s2/m."""

BODY_NAMES = (
    "left_shank",
    "left_thigh",
    "pelvis",
    "trunk",
    "right_upper_arm",
    "right_forearm",
    "left_upper_arm",
    "left_forearm",
    "right_thigh",
    "right_shank",
    "right_foot",
    "left_foot",
)

# Table 3.1, metres
F = 0.193  # half the shank
O = 0.214  # half the thigh
Q = 0.246  # mass centre of the trunk above the waist
RR = 0.406  # shoulder above the waist
E = 0.154  # half the upper arm
SS = 0.132  # half the forearm
H = 0.070  # ankle above the mass centre of the foot
D = 0.170  # pelvis: used as half the distance of the hips
FF = 0.222  # shoulder from the spine
UH = 0.030  # mass centre of the foot above the floor
PP = 0.092  # mass centre of the pelvis (= waist) above the hips
A11 = 0.707  # share of the forearm seen forward and inward; a factor, although printed as radians

MASS = np.array([0.321, 0.841, 0.696, 3.085, 0.207, 0.114, 0.207, 0.114, 0.841, 0.321, 0.153, 0.153])
"""Masses of the 12 bodies, kgf s2/m (Table 3.2); their sum is 7.053, that is 69.19 kg."""

# Sole, metres from the foot centre: the largest BE2 and BE1 of Figs 5.6, 5.7, which the report calls heel and toe;
# width ours.
SOLE_HEEL = -0.050
SOLE_TOE = 0.100
SOLE_HALF_WIDTH = 0.045


class Inertias(NamedTuple):
    """Moments of inertia of the 12 bodies about their own axes, each an array of 12, kgf m s2."""

    jx: np.ndarray
    jy: np.ndarray
    jz: np.ndarray


def report_inertias() -> Inertias:
    """Table 3.2 as the program had it: Jy of body 9 is 0.12; the blank Jy of body 8 completes bodies 3-8 to 0.14975."""
    jx = np.array([0.0039, 0.0112, 0.0, 0.0, 0.0, 0.0025, 0.0, 0.0, 0.0112, 0.0039, 0.0006, 0.0])
    jy = np.array([0.004, 0.012, 0.0, 0.137, 0.002, 0.00425, 0.002, 0.0045, 0.12, 0.004, 0.0005, 0.0])
    jz = np.array([0.00038, 0.003, 0.0, 0.0, 0.00022, 0.00014, 0.00022, 0.00014, 0.003, 0.00038, 0.00045, 0.0])
    return Inertias(jx, jy, jz)


def exact_inertias() -> Inertias:
    """The same made a possible rigid body: left and right alike, blanks filled (ours), triangle inequality kept.

    Values that differ from the table belong to bodies that never turn about that axis (pelvis, trunk and arms do not
    roll or yaw), so they change no result; the two feet get the table's values of body 11.
    """
    jx = np.array([0.0039, 0.0112, 0.006, 0.137, 0.002, 0.0042, 0.002, 0.0042, 0.0112, 0.0039, 0.0006, 0.0006])
    jy = np.array([0.004, 0.012, 0.004, 0.137, 0.002, 0.00425, 0.002, 0.00425, 0.012, 0.004, 0.0005, 0.0005])
    jz = np.array([0.00038, 0.003, 0.006, 0.03, 0.00022, 0.00014, 0.00022, 0.00014, 0.003, 0.00038, 0.00045, 0.00045])
    return Inertias(jx, jy, jz)
