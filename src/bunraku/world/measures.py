"""What the last step's contacts did to a figure: ground reaction, zero-moment point, support polygon.

With F, M the force and moment about the world's origin of all fixed shapes on the figure, the zero-moment point at
height h is where M - p x F has no horizontal part:
    x = (h Fx - My) / Fz,    y = (Mx + h Fy) / Fz
h is the mean height of the ground's points weighted with their vertical forces: the ground's own height where it is
level. Forces are means of the step, so dP/dt = F + m g and dL/dt = M + ... hold for its velocities to rounding, for its
positions to O(dt). World axes, SI units. Checked in tests/world/test_measures.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bunraku.world.laststep import cross, last_contacts
from bunraku.world.views import PRESSING, TOUCH, ContactInfo, contact_views

if TYPE_CHECKING:
    from bunraku.world.world import World


def contacts_of(world: World, figure: str) -> list[ContactInfo]:
    """Patches of the last step in which a figure takes part."""
    world._prepare()
    return [c for c in contact_views(world) if figure in (c.bodies[0][0], c.bodies[1][0])]


def ground_points(world: World, figure: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(points (n, 3), forces on the figure (n, 3), gaps (n,)) of its contacts with what does not move."""
    world._prepare()
    last, g, number = last_contacts(world), world._geometry, list(world._figures).index(figure)
    sign = np.zeros(len(last))
    for ours, theirs, s in ((last.a, last.b, 1.0), (last.b, last.a, -1.0)):
        ground = (g.figure[ours] == number) & (g.body[theirs] == 0)
        sign[ground & (g.body[ours] > 0)] = s
    rows = np.flatnonzero(sign)
    return last.point[rows], sign[rows, None] * last.force[rows], last.gap[rows]


def ground_reaction(world: World, figure: str) -> np.ndarray:
    """(6,): force [N] and moment about the world's origin [N m] of fixed shapes on a figure."""
    points, forces, _ = ground_points(world, figure)
    return np.concatenate([forces.sum(0), cross(points, forces).sum(0)])


def zmp(world: World, figure: str) -> np.ndarray | None:
    """The zero-moment point of a figure [m]; None where no ground pushes it up."""
    points, forces, _ = ground_points(world, figure)
    fx, fy, fz = forces.sum(0)
    if not fz > PRESSING:
        return None
    mx, my, _ = cross(points, forces).sum(0)
    h = points[:, 2] @ forces[:, 2] / fz
    return np.array([(h * fx - my) / fz, (mx + h * fy) / fz, h])


def support(world: World, figure: str) -> np.ndarray:
    """(n, 2): convex hull of the ground points that touch or press, seen from above, anticlockwise; (0, 2) in the air."""
    points, forces, gaps = ground_points(world, figure)
    pressing = np.linalg.norm(forces, axis=1) > PRESSING
    return convex_hull(points[(gaps <= TOUCH) | pressing, :2])


def convex_hull(points: np.ndarray) -> np.ndarray:
    """Corners of the convex hull of points (n, 2), anticlockwise, by two monotone chains; points within 1e-12 m^2 of an
    edge are left out."""
    p = np.unique(points, axis=0)
    if len(p) < 3:
        return p

    def chain(some: np.ndarray) -> list[np.ndarray]:
        kept: list[np.ndarray] = []
        for x in some:
            while len(kept) > 1:
                a, b = kept[-1] - kept[-2], x - kept[-2]
                if a[0] * b[1] - a[1] * b[0] > 1e-12:
                    break
                kept.pop()
            kept.append(x)
        return kept

    return np.array(chain(p)[:-1] + chain(p[::-1])[:-1])
