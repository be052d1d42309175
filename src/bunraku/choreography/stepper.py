"""The figure that steps: its soles, legs, trunk and limbs as bunraku.choreography.stepping reads them. Found as a
walker's are (bunraku.humanoid.parts); a figure without two feet takes no steps. Checked in
tests/choreography/test_stepping.py."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from bunraku.choreography.rising_frames import HEIGHT
from bunraku.choreography.step_gains import LEG, StepGains
from bunraku.choreography.stepping_arrays import (
    MOST_PLANNED,
    LimbReach,
    PlannedStep,
    SoleShape,
    StrideState,
    UprightLink,
)
from bunraku.control.whole_body_arrays import MOST_TASKS
from bunraku.dynamics.functions import centre_of_mass, kinematics
from bunraku.errors import InputError
from bunraku.humanoid.parts import Humanoid, chain, humanoid, parent_bodies
from bunraku.kernel.record import Many, flat, zeros
from bunraku.model.model import Model

LEAN = 0.15  # m: how far a trunk or head is moved without a step


class Stepper:
    """See the module text. `arrays`: what the kernels read; `kept`: what snapshots keep."""

    def __init__(self, h: Humanoid, model: Model, stance: np.ndarray, gains: StepGains | None = None) -> None:
        self.humanoid, self.model = h, model
        self.height = HEIGHT / LEG * min(h.legs)
        self.parents = parent_bodies(model)
        self.standing = kinematics(model, stance)
        feet = [self.standing.pose(f.frame) for f in h.feet]
        self.middle = 0.5 * (feet[0][0] + feet[1][0])
        self.legs = [[b for name in f.joints for b in (model.joint(name).body,)] for f in h.feet]
        first = 6  # a walker has a free base
        leg = np.zeros(model.nv - first)
        for f in h.feet:
            for name in f.joints:
                j = model.joint(name)
                leg[j.iv - first : j.iv - first + j.nv] = 1.0
        soles = zeros(SoleShape, 2)
        for f, sole in zip(h.feet, Many(SoleShape, soles)):
            sole.body, sole.place, sole.turn = f.body, tuple(f.position), tuple(f.rotation.ravel())
            sole.half, sole.out = tuple(f.half), 1.0 if f.side == 0 else -1.0
        links = [1, model.frame(h.trunk).body]
        upright = zeros(UprightLink, len(set(links)))
        for body, row in zip(sorted(set(links)), Many(UprightLink, upright)):
            row.body, row.turn = body, tuple(self.standing.rotation[body].ravel())
        numbers = (gains or StepGains()).numbers(min(h.legs), h.apart)
        self.arrays: dict[str, Any] = {"sole": soles, "upright": upright, "leg": leg, "stepper": numbers}
        state = StrideState()
        state.stance_height = float(centre_of_mass(model, stance)[2] - self.middle[2])
        state.last = 1
        self.kept: dict[str, np.ndarray] = {
            "step": flat(state),
            "planned": zeros(PlannedStep, MOST_PLANNED),
            "limb": zeros(LimbReach, MOST_TASKS),
        }

    def reach(self, body: int, point: np.ndarray) -> tuple[np.ndarray, float]:
        """Where the limb of a body begins, standing (ahead, left of the feet's middle, up from the soles), and its
        length to a point of the body [m]; a length of 0: a leg, which asks for no step."""
        k, bodies = self.standing, chain(self.parents, body)
        trunk = set(chain(self.parents, self.model.frame(self.humanoid.trunk).body))
        legs = {b for leg in self.legs for b in leg}
        if legs & set(bodies):
            return np.zeros(3), 0.0
        limb = [b for b in bodies if b not in trunk]
        if not limb or not self._is_arm(limb[-1]):
            return k.position[body] + k.rotation[body] @ point - self.middle, LEAN
        length = float(np.linalg.norm(point))
        for below, above in pairwise(limb):
            length += float(np.linalg.norm(k.position[below] - k.position[above]))
        return k.position[limb[-1]] - self.middle, length

    def _is_arm(self, body: int) -> bool:
        hands = [self.model.frame(name).body for name in self.humanoid.hands if name]
        return any(body in chain(self.parents, hand) for hand in hands)


def stepper_of(body: Model, model: Model, stance: np.ndarray, gains: StepGains | None = None) -> Stepper | None:
    """The stepper of a figure on stage, None where it has no two feet to step with."""
    try:
        return Stepper(humanoid(body), model, stance, gains)
    except InputError:
        return None


def nothing_kept() -> dict[str, np.ndarray]:
    """What snapshots keep of a figure that cannot step."""
    return {"step": flat(StrideState()), "planned": zeros(PlannedStep, 0), "limb": zeros(LimbReach, MOST_TASKS)}


def no_arrays(joints: int) -> dict[str, np.ndarray]:
    """What kernels read of a figure that cannot step."""
    return {
        "sole": zeros(SoleShape, 2),
        "upright": zeros(UprightLink, 0),
        "leg": np.zeros(joints),
        "stepper": StepGains().numbers(1.0, 0.2),
    }
