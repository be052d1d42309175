"""Planar linkages with closed loops: a tree of hinged rods, closed by connections.

SI units; the plane is x-z with gravity, or x-y.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import bunraku as bk
from bunraku.world import Figure, World

THIN = 1e-5  # kg m^2 about the length of a rod: in the plane it has no effect


def rod(fig: bk.Description, name: str, parent: str | None, at: np.ndarray, along: np.ndarray, mass: float) -> None:
    """A uniform rod in the plane y = 0, hinged about y at `at` (parent's axes), its far end at `along` from there."""
    length = float(np.linalg.norm(along))
    u = along / length
    moments = mass * length**2 / 12 * (np.eye(3) - np.outer(u, u)) + THIN * np.outer(u, u)
    fig.add(name, parent, bk.hinge(name, (0, 1, 0)), at=at, mass=mass, com=along / 2, moments=moments)


def point(x: float, z: float) -> np.ndarray:
    """A point of the plane."""
    return np.array([x, 0.0, z])


def far(fig: Figure, name: str, along: np.ndarray) -> np.ndarray:
    """The far end of a rod in the world."""
    p, R = fig.pose(name)
    return p + R @ along


@dataclass
class FourBar:
    """A crank of 0.4 m, a coupler of 1 m and a rocker of 0.8 m on pivots 1.2 m apart; it starts at rest with the crank
    upright."""

    world: World
    fig: Figure
    gap: Callable[[], float]


def four_bar(**options) -> FourBar:
    """See FourBar; `options` are those of the world."""
    a, d = point(0.0, 0.4), point(1.2, 0.0)
    reach = float(np.linalg.norm(d - a))
    u = (d - a) / reach
    x = (1.0**2 - 0.8**2 + reach**2) / (2 * reach)
    b = a + x * u + np.sqrt(1.0 - x * x) * np.array([-u[2], 0.0, u[0]])
    fig = bk.Description(name="four_bar")
    rod(fig, "crank", None, np.zeros(3), a, 0.5)
    rod(fig, "coupler", "crank", a, b - a, 1.0)
    rod(fig, "rocker", None, d, b - d, 0.8)
    world = World(**options)
    figure = world.add(fig.build())
    world.connect(figure["coupler"], figure["rocker"], at=b, axes="x y z")
    return FourBar(
        world, figure, lambda: float(np.linalg.norm(far(figure, "coupler", b - a) - far(figure, "rocker", b - d)))
    )


def windows(n: int, **options) -> tuple[World, Figure]:
    """The N-four-bar mechanism (IFToMM A02): n + 1 upright rods of 1 m and 1 kg, n level rods on top; the tops start at
    1 m/s along x."""
    fig = bk.Description(name="windows", gravity=(0, 0, -9.81))
    up, level = point(0, 1), point(1, 0)
    for k in range(n + 1):
        rod(fig, f"v{k}", None, point(k, 0), up, 1.0)
    for k in range(n):
        rod(fig, f"h{k}", f"v{k}", up, level, 1.0)
    world = World(gravity=(0, 0, -9.81), **options)
    figure = world.add(fig.build())
    for k in range(n):
        world.connect(figure[f"h{k}"], figure[f"v{k + 1}"], at=point(k + 1, 1), axes="x y z")
    for k in range(n + 1):
        figure.v[figure.model.joint(f"v{k}").iv] = 1.0
    for k in range(n):
        figure.v[figure.model.joint(f"h{k}").iv] = -1.0
    return world, figure


# Andrews' squeezer (Schiehlen, Multibody Systems Handbook, 1990; Hairer & Wanner, Solving ODE II, VII.7): seven bodies
# in the plane x-y
SQUEEZER_START = (
    -0.0617138900142764496358948458001, 0.0, 0.455279819163070380255912382449, 0.222668390165885884674473185609,
    0.487364979543842550225598953530, -0.222668390165885884674473185609, 1.23054744454982119249735015568,
)  # fmt: skip
SQUEEZER_JOINTS = ("beta", "theta", "gamma", "phi", "delta", "omega", "epsilon")


def squeezer(**options) -> tuple[World, Figure]:
    """Andrews' squeezer at its start, driven by 0.033 N m at beta, with its spring; q in the order of SQUEEZER_JOINTS
    by `joint(name)`."""
    rr, d, e, zt, zf, u = 7e-3, 28e-3, 2e-2, 4e-2, 2e-2, 4e-2
    ra, da, ea, sa, sb, sc, sd = 92e-5, 115e-4, 1421e-5, 1874e-5, 1043e-5, 18e-3, 2e-2
    ta, tb, ua, ub, fa = 2308e-5, 916e-5, 1228e-5, 449e-5, 1421e-5
    A, B, C = (-0.06934, -0.00227, 0.0), (-0.03635, 0.03273, 0.0), (0.014, 0.072, 0.0)
    fig = bk.Description(name="squeezer", gravity=(0, 0, 0))

    def body(name, parent, joint, at, mass, com, inertia):
        moments = (inertia, inertia, inertia)  # only that about z matters
        fig.add(name, parent, bk.hinge(joint, (0, 0, 1)), at=at, mass=mass, com=(*com, 0.0), moments=moments)

    body("b1", None, "beta", (0, 0, 0), 0.04325, (ra, 0), 2.194e-6)
    body("b2", "b1", "theta", (rr, 0, 0), 0.00365, (-da, 0), 4.410e-7)
    body("b3", None, "gamma", B, 0.02373, (sb, -sa), 5.255e-6)
    body("b5", None, "delta", A, 0.07050, (ta, tb), 1.169e-5)
    body("b4", "b5", "phi", (zt, 0, 0), 0.00706, (0, -(e - ea)), 5.667e-7)
    body("b7", None, "epsilon", A, 0.05498, (-ub, -ua), 1.912e-5)
    body("b6", "b7", "omega", (0, -u, 0), 0.00706, (zf - fa, 0), 5.667e-7)
    world = World(gravity=(0, 0, 0), **options)
    figure = world.add(fig.build())
    for name, value in zip(SQUEEZER_JOINTS, SQUEEZER_START):
        figure.q[figure.model.joint(name).iq] = value
    p, R = figure.pose("b2")
    for other in ("b3", "b4", "b6"):  # z is redundant in the plane, and kept
        world.connect(figure["b2"], figure[other], at=p + R @ [-d, 0, 0], axes="x y z")
    p, R = figure.pose("b3")
    world.spring(figure["b3"], at_a=p + R @ [sd, -sc, 0], at_b=C, stiffness=4530.0, rest=0.07785)
    figure.tau[figure.model.joint("beta").iv] = 0.033
    return world, figure
