"""Gains of joint servos from a model's own inertias, so that they fit any humanoid.

    k = w^2 I,   d = 2 zeta w I,        w = 2 pi f
I is the inertia about the joint's axis of what it has to move: the limb beyond it, or, for a leg, which carries the
rest of the figure when its foot stands, the heavier of the limb and the rest. Servos (all act at the end of the step,
implicitly, so that any stiffness is stable):
    "pd"        a torque motor with spring and damper about the pattern: f = 15 Hz, critically damped
    "velocity"  a stiff velocity loop d (rate wanted - v) with d = 250 I / s; the rate wanted is the pattern's,
                and 40 / s of the position error
    "position"  a servo behind a gear that loads hardly turn: f = 40 Hz
They take what torque they need: a report says how much that was. Where you want the model's torque limits to hold,
ask for them; a servo at its limit lets go. The inertia of the locked figure about an axis is x'M x with the base's six
rows of the mass matrix M.

Runge-Kutta takes torques explicitly, so that a foot in the air, which is light, bounds the gains of the ankle that has
to carry the figure: `explicit_gains` lowers them to what a step of dt bears, and `with_rotors` gives the joints the
inertia of motors behind gears, ROTOR of what they move (0.3 kg m^2 at the ankle of a person), as robots have it.
Checked in tests/walking/test_walker.py.
"""

from __future__ import annotations

import copy

import numpy as np

from bunraku.dynamics.functions import crba, joint_jacobians, kinematics
from bunraku.errors import InputError, closest
from bunraku.model.model import Model

SERVOS = ("pd", "velocity", "position")
ROTOR = 0.005  # of the moved inertia
BEARS = 0.5  # of inertia / dt and of inertia / dt^2: damping and stiffness that an explicit step bears


def moved_inertia(model: Model, q: np.ndarray, legs: tuple[str, ...]) -> np.ndarray:
    """(nv) [kg m^2 or kg] of each degree of freedom in the pose q; `legs` name joints that carry the figure.

    0 on the base.
    """
    M, J = crba(model, q), joint_jacobians(model, q)
    base = kinematics(model, q)
    body = model.joints[0].body
    out = np.diag(M).copy() - model.armature
    out[:6] = 0.0
    for name in legs:
        j = model.joint(name)
        for d in range(j.iv, j.iv + j.nv):
            spin = J[d, 3:]
            x = np.concatenate([J[d, :3] + np.cross(spin, base.position[body]), base.rotation[body].T @ spin])
            whole = float(x @ M[:6, :6] @ x)
            out[d] = max(out[d], whole - out[d])
    return out


def servo_gains(model: Model, q: np.ndarray, legs: tuple[str, ...], servo: str) -> tuple[np.ndarray, np.ndarray]:
    """(stiffness (nv), damping (nv)) of a kind of servo."""
    if servo not in SERVOS:
        raise InputError(f"walker: there is no servo {servo!r}.{closest(servo, SERVOS)}")
    inertia = moved_inertia(model, q, legs)
    if servo == "velocity":
        damping = 250.0 * inertia
        return 40.0 * damping, damping
    w = 2 * np.pi * (15.0 if servo == "pd" else 40.0)
    return w * w * inertia, 2 * w * inertia


def explicit_gains(
    model: Model, q: np.ndarray, stiffness: np.ndarray, damping: np.ndarray, dt: float
) -> tuple[np.ndarray, np.ndarray]:
    """(stiffness (nv), damping (nv)), lowered where a step dt [s] with explicit torques does not bear them; the inertia
    that counts is that of a degree of freedom with all others free, 1 / (M^-1)_ii."""
    inertia = 1.0 / np.diag(np.linalg.inv(crba(model, q)))
    return np.minimum(stiffness, BEARS * inertia / dt**2), np.minimum(damping, BEARS * inertia / dt)


def with_rotors(model: Model, q: np.ndarray, legs: tuple[str, ...]) -> Model:
    """A figure whose joints have at least ROTOR of the inertia they move as that of their motors."""
    inertia, description = moved_inertia(model, q, legs), copy.deepcopy(model.description)
    for joint in (j for link in description.links for j in link.joints):
        info = model.joint(joint.name)
        if info.nv and info.leader is None and info.kind != "free":
            joint.armature = np.maximum(joint.armature, ROTOR * float(inertia[info.v].max())).tolist()
    return description.build()
