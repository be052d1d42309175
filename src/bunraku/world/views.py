"""What a user reads after a step: contact patches with their states, wrenches and margins, and the report.

A patch is a pair of shapes. Its region is the convex polygon of the points that touch; its state follows from the
centre of pressure pv = sum(fz p) / sum(fz): inside the region it is a surface, on an edge (or inside a line) a line, on
a corner a point, and without force it is none. How the forces share themselves out among the points is not unique; pv
and so the state are.

    motion   stick: the region rests on the other side · spin: it turns about a centre of rotation (-vy/wz, vx/wz) inside
             it · slide: anything else
    margins  normal  fz [N]
             edge    distance of pv from the region's rim [m]; 0 for a point, to the nearer end for a line
             friction  mu fz - |f| [N]
             spin    nzS - |nzv| [N m], nzS = d (mu fz - |f|), nzv the moment about pv, d the mean distance of the
                     region from pv (Nakamura & Yamane 2000, (33))

The iterative solver gives each point a friction cone of its own, and corners lie further out than d: there `spin` may
be below zero. Forces are means of the step, points are those of its start, `slip` and `motion` are of its end. Checked
in tests/world/test_views.py.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bunraku.collision.regions import Region, region
from bunraku.collision.shape_layout import Contact
from bunraku.kernel.record import Many, zeros
from bunraku.step.step_log import PRESSING, TOUCH
from bunraku.step.virtual_link.link_memory import link_state
from bunraku.world.laststep import cross, last_contacts

if TYPE_CHECKING:
    from bunraku.world.world import World

RESTING = 1e-4  # m/s of slip below which a patch sticks


@dataclass(frozen=True, eq=False, repr=False)
class ContactInfo:
    """One contact patch: two shapes that touch. Forces [N] act on `a`; world axes, SI units. `force`, `cop`, `state`,
    `motion` and `margins` say how it carries; see docs/world.md."""

    a: str
    b: str
    bodies: tuple[tuple[str, str], tuple[str, str]]  # (figure, link) of a and of b; ("world", shape) for fixed shapes
    points: np.ndarray  # (n, 3) all points that detection found, anticlockwise
    normal: np.ndarray  # from b towards a
    gaps: np.ndarray  # (n,) m, negative where they overlap
    forces: np.ndarray  # (n, 3) N on a, at the points
    cop: np.ndarray  # centre of pressure, the foot's own ZMP [m]; the middle of the points where nothing presses
    twist: np.ndarray  # (6,) velocity of a against b at `cop`: linear, angular
    mu: float  # friction coefficient
    solves: int  # sweeps of the iterative solver in the step, solves of virtual links
    link: str | None = None  # state that contact by virtual links found

    def __repr__(self) -> str:
        sides = " on ".join(f"{figure}.{link}" for figure, link in self.bodies)
        at = ", ".join(f"{x:.3f}" for x in self.cop)
        return f"<ContactInfo {sides}: {self.state}, {float(self.force @ self.normal):.4g} N at ({at})>"

    @property
    def force(self) -> np.ndarray:
        """Sum of the forces [N]."""
        return self.forces.sum(0)

    @property
    def torque(self) -> np.ndarray:
        """Moment of the forces about the centre of pressure [N m]."""
        return cross(self.points - self.cop, self.forces).sum(0)

    @property
    def wrench(self) -> np.ndarray:
        """(6,): force and torque about the origin of `frame`."""
        force = self.force
        return np.concatenate([force, self.torque + cross(self.cop - self.frame[0], force)])

    @property
    def slip(self) -> np.ndarray:
        """Velocity of a along b at the centre of pressure [m/s]."""
        v = self.twist[:3]
        return v - (v @ self.normal) * self.normal

    @property
    def region(self) -> np.ndarray:
        """(n, 3) [m]: convex polygon of the points that touch, anticlockwise about the normal; (0, 3) where none does."""
        return self._region.points if self._region is not None else np.zeros((0, 3))

    @cached_property
    def state(self) -> str:
        """none, point, line or surface."""
        if self.link is not None:
            return self.link
        return "none" if self._feature is None else self._feature.state

    @property
    def frame(self) -> tuple[np.ndarray, np.ndarray]:
        """(origin [m], rotation): origin in the middle of the surface, line or point that presses; columns x y z, z the
        normal, x along a line."""
        f = self._feature or self._region or _patch(self.points, self.normal)
        return f.origin, f.rotation

    @cached_property
    def motion(self) -> str:
        """none, stick, slide or spin."""
        f = self._feature
        if f is None:
            return "none"
        vx, vy, _ = f.rotation.T @ self.slip
        wz = float(self.twist[3:] @ self.normal)
        reach = max(float(np.linalg.norm(f.points - self.cop, axis=1).max()), TOUCH)
        if np.hypot(vx, vy) < RESTING and abs(wz) * (reach if f.state != "point" else 1.0) < RESTING:
            return "stick"
        if np.hypot(vx, vy) < RESTING:
            return "spin"
        if abs(wz) * reach < RESTING:
            return "slide"
        x, y, _ = f.rotation.T @ (self.cop - f.origin)
        centre = f.nearest((x - vy / wz, y + vx / wz))
        return "spin" if centre.distance <= 1e-3 * reach else "slide"

    @cached_property
    def margins(self) -> dict[str, float]:
        """What is left before the patch lets go, tips, slides or spins: normal, edge, friction, spin.

        All 0 where nothing presses.
        """
        if self._region is None or self._feature is None:
            return dict.fromkeys(("normal", "edge", "friction", "spin"), 0.0)
        force = self.force
        fz = float(force @ self.normal)
        left = self.mu * fz - float(np.linalg.norm(force - fz * self.normal))
        held = self._region.mean_distance(self.cop) * left
        return {
            "normal": fz,
            "edge": max(0.0, -self._region.nearest(self.cop).distance),
            "friction": left,
            "spin": held - abs(float(self.torque @ self.normal)),
        }

    @cached_property
    def _region(self) -> Region | None:
        touching = (self.gaps <= TOUCH) | (self.forces @ self.normal > PRESSING)
        return _patch(self.points[touching], self.normal) if touching.any() else None

    @cached_property
    def _feature(self) -> Region | None:
        """The part of the region that carries the centre of pressure."""
        whole = self._region
        if whole is None or not (self.forces @ self.normal).sum() > PRESSING:
            return None
        n, corners = len(whole.points), whole.points
        off = np.linalg.norm(corners - self.cop, axis=1)
        if off.min() <= TOUCH:
            return _patch(corners[[int(off.argmin())]], self.normal)
        near = whole.nearest(self.cop)
        if n < 3 or near.distance < -TOUCH:
            return whole
        edge = _edge(whole.coordinates, (self.cop - whole.origin) @ whole.rotation[:, :2])
        return _patch(corners[[edge, (edge + 1) % n]], self.normal)


def _patch(points: np.ndarray, normal: np.ndarray) -> Region:
    """The region of points (n, 3)."""
    data = zeros(Contact, len(points))
    contacts: Many[Contact] = Many(Contact, data)
    contacts.column("point")[:], contacts.column("normal")[:] = points, normal
    return region(data, tolerance=TOUCH)


def _edge(corners: np.ndarray, p: np.ndarray) -> int:
    """First corner of the edge of a convex polygon (n, 2) that is nearest to p."""
    along = np.roll(corners, -1, axis=0) - corners
    t = np.clip(((p - corners) * along).sum(1) / (along * along).sum(1), 0.0, 1.0)
    return int(np.linalg.norm(corners + t[:, None] * along - p, axis=1).argmin())


@dataclass(frozen=True)
class Report:
    """Figures of the last step: contacts, islands, constraint rows of the largest island, sweeps of the solver,
    relative residual, overlap `penetration` [m], islands `unsolved`, kinetic and potential energy [J];
    `worst_residual`, `most_sweeps` and `unsolved_in_all` are those of all steps since `World.forget_worst`."""

    contacts: int = 0
    islands: int = 0
    rows: int = 0
    sweeps: int = 0
    residual: float = 0.0
    penetration: float = 0.0
    unsolved: int = 0
    energy: float = 0.0
    worst_residual: float = 0.0
    most_sweeps: int = 0
    unsolved_in_all: int = 0
    fallback: int = 0  # 1 where virtual links handed the step to the iterative solver
    fallbacks: int = 0  # such steps in the world's life
    solves: int = 0
    extra: dict[str, float] = field(default_factory=dict[str, float])

    @staticmethod
    def of(world: World) -> Report:
        """Read it off a world."""
        from bunraku.dynamics.functions import energy

        info, numbers = world._info, world._numbers
        gaps = world._step.detection.contacts.column("gap")[: info.contacts]
        return Report(
            contacts=int(info.contacts),
            islands=int(info.islands),
            rows=int(info.largest),
            sweeps=int(info.sweeps),
            residual=float(numbers.residual),
            penetration=float(max(0.0, -gaps.min(initial=0.0))),
            unsolved=int(info.unsolved),
            worst_residual=float(numbers.worst_residual),
            most_sweeps=int(info.most_sweeps),
            unsolved_in_all=int(info.unsolved_in_all),
            fallback=int(info.fell),
            fallbacks=int(info.fallbacks),
            solves=int(info.solves),
            energy=float(energy(world.model, world.q, world.v)),
        )


def friction_of(world: World, shape_a: int, shape_b: int) -> float:
    """Friction coefficient between two shapes of a world, by their numbers."""
    kinds, materials = world._geometry.kinds, world._step.materials
    count = round(len(materials) ** 0.5)
    return float(materials[kinds[shape_a].material * count + kinds[shape_b].material].static)


def owner_of(world: World, shape: int) -> tuple[str, str]:
    """(figure, link) of a shape; ("world", its name or kind) where it is fixed."""
    g = world._geometry
    number = int(g.figure[shape])
    return (list(world._figures)[number], g.links[shape]) if number >= 0 else ("world", g.names[shape])


def contact_views(world: World) -> list[ContactInfo]:
    """Patches of the last step."""
    last = last_contacts(world)
    if len(last) == 0:
        return []
    g, poses, sweeps = world._geometry, world._last.poses(), int(world._info.sweeps)
    out: list[ContactInfo] = []
    linked = world.contact == "virtual_link"
    if linked and not world._info.fell:
        sweeps = int(world._info.solves)
    for patch in dict.fromkeys(last.patch.tolist()):
        rows = np.flatnonzero(last.patch == patch)
        first = int(rows[0])
        points, normal, force = last.point[rows], last.normal[first], last.force[rows]
        press = np.maximum(force @ normal, 0.0)
        cop = press @ points / press.sum() if press.sum() > 0 else points.mean(0)
        twist, a, b = np.zeros(6), int(last.a[first]), int(last.b[first])
        for shape, sign in ((a, 1.0), (b, -1.0)):
            body = g.body[shape]
            t = poses.twist[body]
            twist[:3] += sign * (t[:3] + cross(t[3:], cop - poses.position[body]))
            twist[3:] += sign * t[3:]
        bodies, state = (owner_of(world, a), owner_of(world, b)), None
        if linked:
            state = link_state(world._step.memory[first].linked)
        out.append(
            ContactInfo(
                g.names[a], g.names[b], bodies, points, normal.copy(), last.gap[rows], force, cop, twist,
                friction_of(world, a, b), sweeps, state,
            )
        )  # fmt: skip
    return out
