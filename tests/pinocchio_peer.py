"""Pinocchio as a peer: the same URDF, with our q, v, tau translated into its conventions.

Its free base has v = (linear, angular) both in body axes, its quaternions are xyzw, and a continuous joint has q =
(cos, sin).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin

import bunraku as bk


class Peer:
    """One robot in Pinocchio, free base."""

    def __init__(self, path: Path, ours: bk.Model) -> None:
        self.ours = ours
        self.model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
        self.model.gravity.linear = ours.gravity
        self.data = self.model.createData()

    def q(self, q: np.ndarray) -> np.ndarray:
        """Our q in its order and conventions."""
        out = pin.neutral(self.model)
        out[:3], out[3:7] = q[:3], q[[4, 5, 6, 3]]
        for j in self.ours.joints:
            if j.kind == "free":
                continue
            k = self.model.getJointId(j.name)
            assert k < self.model.njoints, j.name
            joint = self.model.joints[k]
            value = j.ratio * q[j.iq] + j.offset
            if joint.nq == 2:
                out[joint.idx_q : joint.idx_q + 2] = np.cos(value), np.sin(value)
            else:
                out[joint.idx_q] = value
        return out

    def rate_matrix(self, q: np.ndarray) -> np.ndarray:
        """T with v_theirs = T v_ours; gears included, so that M_ours = T' M T and tau_ours = T' tau."""
        R = pin.Quaternion(*q[3:7]).matrix()
        T = np.zeros((self.model.nv, self.ours.nv))
        T[:3, :3], T[3:6, 3:6] = R.T, np.eye(3)
        for j in self.ours.joints:
            if j.kind != "free":
                T[self.model.joints[self.model.getJointId(j.name)].idx_v, j.iv] = j.ratio
        return T

    def base_turn(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """T' v: what the acceleration gains because the base's linear velocity is in world axes with us: a_theirs = T
        a_ours + this."""
        R = pin.Quaternion(*q[3:7]).matrix()
        out = np.zeros(self.model.nv)
        out[:3] = -np.cross(v[3:6], R.T @ v[:3])
        return out
