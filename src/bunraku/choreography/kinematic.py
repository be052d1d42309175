"""Links that kinematics alone keeps where they stand (choreography.kinematic_step has the method)."""

from __future__ import annotations

import numpy as np

from bunraku.choreography.dance_arrays import HeldLink
from bunraku.dynamics.functions import kinematics
from bunraku.humanoid.opening_pose import bottom
from bunraku.kernel.record import Many, zeros
from bunraku.model.model import FrameInfo, Model

TOUCH = 1e-3  # m
MOST_HELD = 8  # links


def standing_links(model: Model, q: np.ndarray) -> list[FrameInfo]:
    """Links that touch z = 0 in a pose."""
    k = kinematics(model, q)
    bodies = {
        s.body for s in model.shapes if s.role != "visual" and bottom(s, k.rotation[s.body], k.position[s.body]) < TOUCH
    }
    return [next(f for f in model.links if f.body == b) for b in sorted(bodies)]


def held_links(model: Model, q: np.ndarray) -> np.ndarray:
    """Where the links that touch z = 0 are in a pose, as the kernel reads it (choreography.dance_arrays.HeldLink)."""
    k, out = kinematics(model, q), zeros(HeldLink, MOST_HELD)
    for stood, link in zip(Many(HeldLink, out), [f for f in standing_links(model, q) if f.body][:MOST_HELD]):
        stood.body = link.body
        stood.place, stood.turn = tuple(k.position[link.body]), tuple(k.rotation[link.body].ravel())
    return out
