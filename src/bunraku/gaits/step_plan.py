"""What is asked of a step: speed, length, when heel and toe of each foot stand, and what counts as comfortable.

Nodes run from one heel strike (left foot, in front) to the next. The leading foot stands on its heel edge, then flat, then
on its front edge; the trailing foot on its front edge until `both` of the step is over, then it swings:

    leading   |heel|        flat        |     front edge      |
    trailing  | front edge |                swing             |
              0   `flat`  `both`      `heel_off`              1

A walk begins with a step of kind "start", from both feet side by side, and ends with one of kind "stop":

    start, leading   |         flat         | front edge |        stop, leading  |heel|            flat                |
    start, trailing  |  flat  | edge | swing             |        stop, trailing | front edge | swing |      flat      |
                     0   0.8 both  both   `heel_off`     1                       0  `flat`    both    `land`           1

bunraku.gaits.make_gait.plan_of fills in what people do at a speed. Checked in tests/gaits/test_step_plan.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class StepPlan:
    """speed [m/s]; length of a step [m]; width [m] between the ankles; shares of a step's time; clearance of the swinging
    foot [m]; friction; force: most of a foot, in weights; knee [rad]: least anywhere, most at heel strike, in loading and
    in midstance; kind: step, start or stop; lasting [s], where speed and length do not say it; land: when the foot of a
    stop is down again."""

    speed: float
    length: float
    nodes: int = 48
    width: float = 0.15
    both: float = 0.22
    flat: float = 0.14
    heel_off: float = 0.66
    clearance: float = 0.04
    friction: float = 0.6
    force: float = 1.12
    knee: tuple[float, float, float, float] = (0.03, 0.26, 0.40, 0.19)
    kind: str = "step"
    lasting: float = 0.0
    land: float = 1.0

    @property
    def seconds(self) -> float:
        """Of a step."""
        return self.lasting or self.length / self.speed

    @property
    def leading(self) -> np.ndarray:
        """What of the leading foot stands at each node: h, f or t."""
        u = np.arange(self.nodes) / self.nodes
        heel = 0.0 if self.kind == "start" else self.flat
        toe = 1.0 if self.kind == "stop" else self.heel_off
        return np.where(u < heel, "h", np.where(u < toe, "f", "t"))

    @property
    def trailing(self) -> np.ndarray:
        """What of the trailing foot stands: f, t or -."""
        u = np.arange(self.nodes) / self.nodes
        flat = (u < 0.8 * self.both) if self.kind == "start" else u >= self.land
        return np.where(flat, "f", np.where(u < self.both, "t", "-"))

    def behind(self, k: int) -> float:
        """How far the trailing foot stands behind the leading one [m] at node k."""
        return self.length if self.kind == "step" or (self.kind == "stop" and k < self.both * self.nodes) else 0.0

    def lift(self, k: int) -> float:
        """The least height [m] of the swinging foot at node k."""
        u = (k / self.nodes - self.both) / (self.land - self.both)
        if not 0 < u < 1:
            return 0.0
        return self.clearance * float(np.clip(min(8 * u * (1 - u), 5 * (1 - u) - 0.3), 0, 1))


STANDS = {"h": (True, True, False, False), "f": (True,) * 4, "t": (False, False, True, True), "-": (False,) * 4}
