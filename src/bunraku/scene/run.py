"""Running a scene and remembering it: worst values of every step, and a sample every few steps for plots and pictures.

Forces are what each figure feels from everything that is not itself, world axes [N]. Energy is the world's [J]. Checked
in tests/scene/test_scene.py.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bunraku.motion.perform import Performer
from bunraku.scene.actors import Events
from bunraku.scene.scene import Scene
from bunraku.world.ties import Connection
from bunraku.world.world import World

SAMPLES = 400


@dataclass
class Recording:
    """See the module text. `time` (n,), `q` (n, nq), `energy` (n,), `force` figure -> (n, 3); `broken` (name, time)."""

    scene: Scene
    world: World
    time: np.ndarray
    q: np.ndarray
    energy: np.ndarray
    force: dict[str, np.ndarray]
    broken: list[tuple[str, float]]
    steps: int
    wall: float
    penetration: float
    residual: float
    sweeps: int
    unsolved: int
    solves: int
    fallbacks: int
    servo_share: float | None = None  # of a generated motion: what servos add to its torques

    def summary(self) -> dict[str, Any]:
        """What a person wants to know, as plain data."""
        simulated = self.steps * self.world.dt
        return {
            "scene": self.scene.name,
            "contact": self.world.contact,
            "dt_s": self.world.dt,
            "seed": self.scene.options.get("seed", 0),
            "steps": self.steps,
            "simulated_s": simulated,
            "wall_s": self.wall,
            "real_time_factor": simulated / self.wall if self.wall > 0 else None,
            "largest_penetration_m": self.penetration,
            "worst_residual": self.residual,
            "most_sweeps": self.sweeps,
            "steps_unsolved": self.unsolved,
            "most_solves": self.solves,
            "steps_with_fallback": self.fallbacks,
            "broken": [{"connection": name, "time_s": t} for name, t in self.broken],
            "energy_J": float(self.energy[-1]),
            **({} if self.servo_share is None else {"servo_share": self.servo_share}),
            "figures": {f.name: {"com_m": f.com.tolist(), "base_m": place(f)} for f in self.world.figures},
        }


def place(figure: Any) -> list[float]:
    """Where its first link is."""
    return figure.pose(figure.model.links[0].name)[0].tolist()


def record(scene: Scene, world: World, progress: Callable[[int, int], None] | None = None) -> Recording:
    """Step a world of this scene for the scene's time."""
    steps = max(1, round(scene.seconds / world.dt))
    every = max(1, steps // SAMPLES)
    events = next((c for c in world._controllers if isinstance(c, Events)), None)
    performer = next((c for c in world._controllers if isinstance(c, Performer)), None)
    broken: dict[int, tuple[Connection, str, float]] = {}
    times, qs, energies, forces = [], [], [], []
    worst: dict[str, Any] = {"penetration": 0.0, "residual": 0.0, "sweeps": 0, "solves": 0}
    unsolved, fallbacks, wall = 0, 0, 0.0
    for k in range(steps):
        began = time.perf_counter()
        world.step()
        wall += time.perf_counter() - began if k else 0.0  # the first step may compile
        report = world.report
        for key in worst:
            worst[key] = max(worst[key], getattr(report, key))
        unsolved += report.unsolved > 0
        fallbacks += report.fallback > 0
        for name, tie in [c for x in (events, performer) if x is not None for c in x.connections(world)]:
            if tie.broken and id(tie) not in broken:
                broken[id(tie)] = (tie, name, world.time)
        if k % every == 0 or k == steps - 1:
            times.append(world.time)
            qs.append(world.q.copy())
            energies.append(report.energy)
            forces.append(contact_forces(world))
            if progress is not None:
                progress(k + 1, steps)
    wall *= steps / max(steps - 1, 1)
    figures = [f.name for f in world.figures]
    return Recording(
        scene,
        world,
        np.array(times),
        np.array(qs),
        np.array(energies),
        {name: np.array([f[name] for f in forces]) for name in figures},
        [(name, t) for _, name, t in broken.values()],
        steps,
        wall,
        unsolved=unsolved,
        fallbacks=fallbacks,
        servo_share=None if performer is None else performer.share,
        **worst,
    )


def contact_forces(world: World) -> dict[str, np.ndarray]:
    """Force on each figure from everything that is not itself [N]."""
    out = {f.name: np.zeros(3) for f in world.figures}
    for c in world.contacts:
        (a, _), (b, _) = c.bodies
        if a != b:
            for figure, sign in ((a, 1.0), (b, -1.0)):
                if figure in out:
                    out[figure] += sign * c.force
    return out
