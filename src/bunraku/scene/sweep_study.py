"""What sweeps buy: residual, direction of slip and penetration against the number of sweeps, the published iteration of
Nakaoka et al. 2007 (`pgs_2007`) beside `pgs`.

    study = sweep_study()
    study["piles"]["pgs_2007"].residual          # one number for each of study["piles"]["pgs_2007"].sweeps

On contact problems of random piles of bodies, each solved from zero: medians of the true residual, mean angle between
friction and the direction opposite to slip over all contacts that press and slip, and how far bodies still approach in
a step of 1 ms (mean over piles of the worst contact). On the built-in scene `slope`, boxes that stick, slide and fall on
a slope, stepped with that many sweeps at the most: means of residual and angle over time, and the deepest penetration.
Drawn by bunraku.draw.sweep_plot; checked in tests/scene/test_sweep_study.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bunraku.contact.pgs import make_dense, solve_one
from bunraku.contact.pgs_2007 import iterate
from bunraku.contact.problem import CONTACT
from bunraku.kernel.record import handle
from bunraku.scene.scene import load_scene
from bunraku.world.world import World

SWEEPS = (1, 2, 4, 8, 15, 30, 60, 120, 240, 480)
SOLVERS = {"pgs_2007": iterate, "pgs": solve_one}
DT = 0.001  # s
PRESSES, SLIPS = 1e-6, 1e-3  # N s, m/s: contacts whose direction of slip counts
PRESSES_N, LOOK = 0.05, 10  # N of friction that counts in the scene; steps between looks


@dataclass(frozen=True, eq=False)
class Curve:
    """Of one solver: for each number of sweeps the residual, the slip's angle [degrees], the penetration [m]."""

    sweeps: tuple[int, ...]
    residual: np.ndarray
    angle: np.ndarray
    penetration: np.ndarray


def sweep_study(
    sweeps: Sequence[int] = SWEEPS, *, piles: int = 60, seconds: float = 1.2, seed: int = 0
) -> dict[str, dict[str, Curve]]:
    """Curves by where ("piles", "boxes") and solver ("pgs_2007", "pgs"); piles: how many random ones; seconds: of the
    scene; seed: of the piles."""
    rng, many = np.random.default_rng(seed), tuple(map(int, sweeps))
    problems = [random_pile(rng) for _ in range(piles)]
    return {
        "piles": {name: on_piles(problems, name, many) for name in SOLVERS},
        "boxes": {name: on_boxes(name, many, seconds) for name in SOLVERS},
    }


def random_pile(rng: np.random.Generator, bodies: int = 5, contacts: int = 10) -> tuple[np.ndarray, np.ndarray, float]:
    """(K, b, friction) of free bodies with random masses and speeds that touch each other and the ground at random
    points."""
    J, inverse = np.zeros((3 * contacts, 6 * bodies)), np.zeros(6 * bodies)
    for k, m in enumerate(np.exp(rng.uniform(-1.5, 1.5, size=bodies))):
        inverse[6 * k : 6 * k + 6] = 1 / np.r_[m, m, m, 0.01 * m * np.exp(rng.uniform(-0.7, 0.7, 3))]
    for k in range(contacts):
        a, b = rng.choice(bodies + 1, 2, replace=False)
        a, b = (a, b) if a < bodies else (b, a)
        axes = np.linalg.qr(rng.normal(size=(3, 3)))[0] if b < bodies else np.eye(3)[[2, 0, 1]]
        for body, sign in ((a, 1.0), (b, -1.0)):
            if body < bodies:
                arm = rng.uniform(-0.15, 0.15, 3)
                rows = np.hstack([axes, np.cross(arm, axes)])  # c . (v + w x arm) = c . v + (arm x c) . w
                J[3 * k : 3 * k + 3, 6 * body : 6 * body + 6] = sign * rows
    speed = rng.normal(size=6 * bodies)
    speed[2::6] -= 1.0
    return J @ (inverse[:, None] * J.T), J @ speed, float(rng.choice([0.2, 0.4, 0.8]))


def solved(K: np.ndarray, b: np.ndarray, mu: float, solver: str, sweeps: int) -> tuple[np.ndarray, float]:
    """(impulses, residual) of a problem of contacts after so many sweeps from zero."""
    n, d = len(b) // 3, make_dense(len(b), len(b) // 3)
    d.K[:], d.problem.b[:] = K, b
    for k in range(n):
        block = d.problem.blocks[k]
        block.kind, block.row, block.mu = CONTACT, 3 * k, mu
    tolerance = 1e-14 if solver == "pgs_2007" else 1e-9
    _, _, residual = SOLVERS[solver].call(handle(d), len(b), n, tolerance, sweeps)
    return d.problem.lam[: len(b)].copy(), float(residual)


def off_opposite(friction: np.ndarray, slip: np.ndarray) -> np.ndarray:
    """Degrees between friction (n, …) and the direction opposite to slip (n, …)."""
    along = -np.sum(friction * slip, axis=1) / np.linalg.norm(friction, axis=1) / np.linalg.norm(slip, axis=1)
    return np.degrees(np.arccos(np.clip(along, -1.0, 1.0)))


def slip_angles(K: np.ndarray, b: np.ndarray, lam: np.ndarray) -> np.ndarray:
    """The same of the contacts of a problem that press and slip."""
    f, v = lam.reshape(-1, 3), (K @ lam + b).reshape(-1, 3)
    some = (np.linalg.norm(f[:, 1:], axis=1) > PRESSES) & (np.linalg.norm(v[:, 1:], axis=1) > SLIPS)
    return off_opposite(f[some, 1:], v[some, 1:])


def on_piles(problems: list[tuple[np.ndarray, np.ndarray, float]], solver: str, sweeps: tuple[int, ...]) -> Curve:
    """A curve over random piles."""
    rows = []
    for n in sweeps:
        found = [(K, b, *solved(K, b, mu, solver, n)) for K, b, mu in problems]
        approach = [max(0.0, -float((K @ lam + b)[::3].min())) for K, b, lam, _ in found]
        angles = np.concatenate([slip_angles(K, b, lam) for K, b, lam, _ in found])
        rows.append((np.median([r for *_, r in found]), angles.mean(), DT * np.mean(approach)))
    return Curve(sweeps, *np.array(rows).T)


def on_boxes(contact: str, sweeps: tuple[int, ...], seconds: float) -> Curve:
    """A curve over the boxes on the slope."""
    return Curve(sweeps, *np.array([boxes(contact, n, seconds) for n in sweeps]).T)


def boxes(contact: str, sweeps: int, seconds: float) -> tuple[float, float, float]:
    """(mean residual, mean angle [degrees], deepest penetration [m]) of one run."""
    world = load_scene("slope").changed(contact=contact, sweeps=sweeps).build()
    residuals, angles, deepest = [], [np.zeros(0)], 0.0
    for _ in range(round(seconds / world.dt / LOOK)):
        world.step(LOOK)
        report = world.report
        deepest = max(deepest, report.penetration)
        if report.contacts:
            residuals.append(report.residual)
            angles.append(angles_in(world))
    return float(np.mean(residuals)), float(np.concatenate(angles).mean()), deepest


def angles_in(world: World) -> np.ndarray:
    """Degrees between friction and the direction opposite to slip, of every contact point that presses and slips."""
    found = [np.zeros(0)]
    for c in world.contacts:
        speed = c.twist[:3] + np.cross(c.twist[3:], c.points - c.cop)
        across = np.eye(3) - np.outer(c.normal, c.normal)
        friction, slip = c.forces @ across, speed @ across
        some = (np.linalg.norm(friction, axis=1) > PRESSES_N) & (np.linalg.norm(slip, axis=1) > SLIPS)
        found.append(off_opposite(friction[some], slip[some]))
    return np.concatenate(found)
