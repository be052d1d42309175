"""What a user reads after a step: contact patches with their wrenches and centres of pressure, and the report."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from bunraku.collision import layout as at
from bunraku.constraint import arrays

if TYPE_CHECKING:
    from bunraku.world.world import World


@dataclass(frozen=True)
class ContactInfo:
    """One contact patch: two shapes that touch. The wrench acts on body `a`, world axes, about `cop`."""

    a: str
    b: str
    points: np.ndarray  # (n, 3) corners of the region, in order
    normal: np.ndarray  # from b towards a
    gaps: np.ndarray  # (n,) m, negative where they overlap
    forces: np.ndarray  # (n, 3) N on a, at the points
    cop: np.ndarray  # centre of pressure [m]; the middle of the points where nothing presses

    @property
    def force(self) -> np.ndarray:
        """Sum of the forces [N]."""
        return self.forces.sum(0)

    @property
    def torque(self) -> np.ndarray:
        """Moment of the forces about the centre of pressure [N m]."""
        return np.cross(self.points - self.cop, self.forces).sum(0)

    @property
    def state(self) -> str:
        """none, point, line or surface: by the points that press."""
        pressing = self.points[self.forces @ self.normal > 1e-9]
        if len(pressing) == 0:
            return "none"
        spread = np.linalg.matrix_rank(pressing - pressing[0], tol=1e-9)
        return ("point", "line", "surface")[min(int(spread), 2)]


@dataclass(frozen=True)
class Report:
    """Figures of the last step: contacts, constraint rows of the largest island, sweeps, residual, overlap [m], what did not converge."""

    contacts: int = 0
    islands: int = 0
    rows: int = 0
    sweeps: int = 0
    residual: float = 0.0
    penetration: float = 0.0
    unsolved: int = 0
    energy: float = 0.0
    extra: dict[str, float] = field(default_factory=dict)

    @staticmethod
    def of(world: World) -> Report:
        """Read it off a world."""
        from bunraku.dynamics.functions import energy

        info, n = world._info, int(world._info[0])
        gaps = world._contacts.data[:n, at.GAP]
        return Report(
            contacts=n,
            islands=int(info[5]),
            rows=int(info[6]),
            sweeps=int(info[2]),
            residual=float(world._numbers[arrays.RESIDUAL]),
            penetration=float(max(0.0, -gaps.min(initial=0.0))),
            unsolved=int(info[4]),
            energy=float(energy(world.model, world.q, world.v)),
        )


def contact_views(world: World) -> list[ContactInfo]:
    """Patches of the last step."""
    n, names = int(world._info[0]), world._geometry.names
    ids, data = world._contacts.ids[:n], world._contacts.data[:n]
    force = world._warm_force[:n, :3] / world.dt
    out = []
    for patch in np.unique(ids[:, at.PATCH]):
        rows = np.flatnonzero(ids[:, at.PATCH] == patch)
        points, normal = data[rows, at.POINT : at.POINT + 3], data[rows[0], at.NORMAL : at.NORMAL + 3]
        press = np.maximum(force[rows] @ normal, 0.0)
        cop = press @ points / press.sum() if press.sum() > 0 else points.mean(0)
        a, b = (names[ids[rows[0], k]] for k in (at.SHAPE_A, at.SHAPE_B))
        out.append(ContactInfo(a, b, points.copy(), normal.copy(), data[rows, at.GAP].copy(), force[rows].copy(), cop))
    return out
