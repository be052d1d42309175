"""What a choreography's last step found, in plain numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bunraku.choreography.kinematic import standing_links
from bunraku.choreography.stepping_arrays import STAND
from bunraku.dynamics.functions import centroidal
from bunraku.model.limits import joints_beyond_limits

if TYPE_CHECKING:
    from bunraku.choreography.dancer import Dancer

# parts of the height of the centre of mass at the start
UPRIGHT = 0.6  # below it a figure lies, unless its feet alone touch the floor
LOW = 0.25  # below it a figure has fallen in any case
EDGE = 0.05  # m: a capture point so far outside the support is falling


@dataclass(frozen=True, kw_only=True)
class DanceReport:
    """Of the last step. Without dynamics there are no torques, forces and supports."""

    iterations: int = 0  # of the whole-body problem
    factors: int = 0  # its factorisations
    limited: int = 0  # torques at their limits
    forces: np.ndarray  # (contacts, 3) [N] it foresaw, world axes
    torques: np.ndarray  # (nv,) [N m or N]
    beyond_limits: dict[str, float]  # joints at their limits {name: excess}
    com: np.ndarray  # [m]
    capture: np.ndarray  # capture point [m]
    reference: np.ndarray  # where it should be [m]
    supports: int = 0  # links that carry
    state: str  # "standing", "falling" or "fallen"
    residual: float = 0.0  # of the world's own contact problem


def state_of(c: Dancer) -> str:
    """ "standing", "falling" or "fallen"."""
    start = c.start
    now = centroidal(c.model, c.figure.q.copy(), c.figure.v.copy())
    height = float(centroidal(c.model, start).com[2])
    if now.com[2] < UPRIGHT * height and (now.com[2] < LOW * height or not on_its_feet(c)):
        return "fallen"
    step = c.arrays.step_state
    if c.steps and step.mode != STAND and not step.quick:
        return "standing"  # from one foot to the other
    feet = support(c)
    if feet is None:
        return "falling"
    speed = np.sqrt(9.80665 / max(float(now.com[2]), 0.1))
    capture = now.com[:2] + now.com_velocity[:2] / speed
    return "standing" if outside(feet, capture) < EDGE else "falling"


def on_its_feet(c: Dancer) -> bool:
    """Whether nothing touches the floor but what did at the start."""
    feet = {f.body for f in standing_links(c.model, c.start)}
    touching = {
        name for p in c.figure.contacts if len(p.region) for figure, name in p.bodies if figure == c.figure.name
    }
    return {c.model.frame(name).body for name in touching} <= feet


def support(c: Dancer) -> np.ndarray | None:
    """Corners of the support polygon from above, None in the air."""
    s = c.figure.support if c.owner.dynamics else None
    return None if s is None or len(s) == 0 else np.asarray(s)[:, :2]


def outside(polygon: np.ndarray, x: np.ndarray) -> float:
    """Distance [m] of a point from a convex polygon (anticlockwise); 0 inside."""
    n = len(polygon)
    inside, best = n > 2, np.inf
    for a, b in zip(polygon, np.roll(polygon, -1, axis=0)):
        e, d = b - a, x - a
        inside &= bool(e[0] * d[1] - e[1] * d[0] >= 0)
        t = np.clip(d @ e / max(e @ e, 1e-12), 0.0, 1.0)
        best = min(best, float(np.linalg.norm(d - t * e)))
    return 0.0 if inside else best


def report_of(c: Dancer) -> DanceReport:
    """The report."""
    beyond = joints_beyond_limits(c.model, c.figure.q, 1e-6)
    if not c.owner.dynamics:
        return DanceReport(
            forces=np.zeros((0, 3)),
            torques=np.zeros(c.model.nv),
            beyond_limits=beyond,
            com=centroidal(c.model, c.figure.q.copy()).com,
            capture=np.zeros(2),
            reference=np.zeros(2),
            state="standing",
        )
    c.owner.world._prepare()
    p, seen = c.arrays.problem.p, c.arrays.seen
    count = p.count
    return DanceReport(
        iterations=int(count.iterations),
        factors=int(count.factors),
        limited=int(count.limited),
        forces=p.force[: count.contacts].copy(),
        torques=p.tau.copy(),
        beyond_limits=beyond,
        com=np.array(seen.com),
        capture=np.array(seen.capture),
        reference=np.array(seen.reference),
        supports=int(seen.supports),
        state=state_of(c),
        residual=float(c.owner.world.report.residual),
    )
