"""Tree dynamics: kinematics, Jacobians, momentum, energy; rnea, crba, aba, Delassus, their derivatives; inverse
kinematics."""

from bunraku.dynamics.delassus import delassus
from bunraku.dynamics.derivatives import Derivatives, aba_derivatives, rnea_derivatives
from bunraku.dynamics.functions import (
    Centroidal,
    Kinematics,
    aba,
    centre_of_mass,
    centroidal,
    crba,
    energy,
    frame_jacobian,
    joint_jacobians,
    kinematics,
    momentum_matrix,
    rnea,
    wrenches,
)
from bunraku.dynamics.ik import Pose, inverse_kinematics
from bunraku.dynamics.ik_targets import Target
from bunraku.dynamics.work import Work

__all__ = [
    "Centroidal",
    "Derivatives",
    "Kinematics",
    "Pose",
    "Target",
    "Work",
    "aba",
    "aba_derivatives",
    "centre_of_mass",
    "centroidal",
    "crba",
    "delassus",
    "energy",
    "frame_jacobian",
    "inverse_kinematics",
    "joint_jacobians",
    "kinematics",
    "momentum_matrix",
    "rnea",
    "rnea_derivatives",
    "wrenches",
]
