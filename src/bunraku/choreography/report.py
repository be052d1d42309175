"""What a choreography's last step found, in plain numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bunraku.choreography import dance_arrays as of
from bunraku.choreography.kinematic import standing_links
from bunraku.control import whole_body_arrays as wb
from bunraku.dynamics.functions import centroidal
from bunraku.model.limits import within_limits

if TYPE_CHECKING:
    from bunraku.choreography.engine import Choreography

UPRIGHT = 0.6  # part of the height of the centre of mass at the start, below which a figure lies, unless its feet alone touch the floor
LOW = 0.25  # part of that height below which it has fallen in any case
EDGE = 0.05  # m: a capture point so far outside the support is falling


@dataclass(frozen=True)
class DanceReport:
    """iterations and factorisations of the whole-body problem; forces (contacts, 3) [N] it foresaw, world axes; torques (nv,) [N m or N]; `limited`
    torques at their limits; joints at their limits {name: excess}; com [m], capture point [m] and its reference; `supports`: links that carry;
    state: "standing", "falling" or "fallen"; residual of the world's own contact problem."""

    iterations: int
    factors: int
    limited: int
    forces: np.ndarray
    torques: np.ndarray
    beyond_limits: dict[str, float]
    com: np.ndarray
    capture: np.ndarray
    reference: np.ndarray
    supports: int
    state: str
    residual: float


def state_of(c: Choreography) -> str:
    """ "standing", "falling" or "fallen"."""
    start = np.array(c.score.start)
    now = centroidal(c.model, c.figure.q.copy(), c.figure.v.copy())
    height = float(centroidal(c.model, start).com[2])
    if now.com[2] < UPRIGHT * height and (now.com[2] < LOW * height or not on_its_feet(c)):
        return "fallen"
    feet = support(c)
    if feet is None:
        return "falling"
    speed = np.sqrt(9.80665 / max(float(now.com[2]), 0.1))
    capture = now.com[:2] + now.com_velocity[:2] / speed
    return "standing" if outside(feet, capture) < EDGE else "falling"


def on_its_feet(c: Choreography) -> bool:
    """Whether nothing touches the floor but what did at the start."""
    feet = {f.body for f in standing_links(c.model, np.array(c.score.start))}
    touching = {
        name for p in c.figure.contacts if len(p.region) for figure, name in p.bodies if figure == c.figure.name
    }
    return {c.model.frame(name).body for name in touching} <= feet


def support(c: Choreography) -> np.ndarray | None:
    """Corners of the support polygon from above, None in the air."""
    s = c.figure.support if c.dynamics else None
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


def report_of(c: Choreography) -> DanceReport:
    """The report."""
    beyond = within_limits(c.model, c.figure.q, 1e-6)
    if not c.dynamics:
        zero = np.zeros(2)
        com = centroidal(c.model, c.figure.q.copy()).com
        return DanceReport(0, 0, 0, np.zeros((0, 3)), np.zeros(c.model.nv), beyond, com, zero, zero, 0, "standing", 0.0)
    c.world._prepare()
    w, seen = c.world.problem.w, c.world.kept["dance_seen"]
    count = w[wb.W_COUNT]
    return DanceReport(
        int(count[wb.ITERATIONS]),
        int(count[wb.FACTORS]),
        int(count[wb.LIMITED]),
        w[wb.W_FORCE][: count[wb.NC]].copy(),
        w[wb.W_TAU].copy(),
        beyond,
        seen[of.COM : of.COM + 3].copy(),
        seen[of.CAPTURE : of.CAPTURE + 2].copy(),
        seen[of.REFERENCE : of.REFERENCE + 2].copy(),
        int(seen[of.SUPPORTS]),
        state_of(c),
        float(c.world.report.residual),
    )
