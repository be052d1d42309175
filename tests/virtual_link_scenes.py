"""Scenes for contact by virtual links in the World: each builds a world and says how long it runs; `run` counts the
steps handed on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import bunraku as bk
from bunraku.world import World

G = 9.80665
DT = 0.001


def slope_turn(angle: float) -> np.ndarray:
    """Rotation of a slope that falls towards +x."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def axis_turn(axis, angle: float) -> np.ndarray:
    """Rotation matrix about an axis (Rodrigues)."""
    a = np.asarray(axis, float) / np.linalg.norm(axis)
    S = np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
    return np.eye(3) + np.sin(angle) * S + (1 - np.cos(angle)) * S @ S


def standing(contact: str = "virtual_link"):
    """A human on both feet, held by servos."""
    world = World(dt=DT, contact=contact)
    world.add_ground(friction=0.8)
    fig = world.add(bk.human(), at=(0, 0, 0.901))
    fig.servo(500.0, 20.0)
    return world, 1.0


def ankle_lean(fig, forward: float, sideways: float) -> None:
    """Servo targets of both ankles: the figure leans forward and to its left [rad]."""
    n = np.hypot(forward, sideways)
    for side in ("left", "right"):
        q = fig.model.joint(f"{side}_ankle").q
        axis = np.array([sideways, -forward, 0.0]) / n if n > 0 else np.zeros(3)
        fig.target_q[q] = [np.cos(n / 2), *(np.sin(n / 2) * axis)]


def leaning(contact: str = "virtual_link", sideways: float = 0.3):
    """A human whose ankles turn until it stands on its toes, and topples."""
    world = World(dt=DT, contact=contact)
    world.add_ground(friction=0.8)
    fig = world.add(bk.human(), at=(0, 0, 0.901))
    fig.servo(3000.0, 150.0, effort=2000.0)

    def lean(w: World) -> None:
        x = 0.1 * (1 - np.cos(np.pi * min(w.time / 2.0, 1.0)))
        ankle_lean(fig, x, sideways * x)

    world.add_controller(lean)
    return world, 2.0


def squatting(contact: str = "virtual_link"):
    """A human that bends hips, knees and ankles at 1 Hz, 11 cm deep, its soles on the ground."""
    world = World(dt=DT, contact=contact)
    world.add_ground(friction=0.8)
    fig = world.add(bk.human(), at=(0, 0, 0.901))
    fig.servo(3000.0, 150.0, effort=2000.0)

    def bend(w: World) -> None:
        x, rate = 0.25 * (1 - np.cos(2 * np.pi * w.time)), 0.5 * np.pi * np.sin(2 * np.pi * w.time)
        for side in ("left", "right"):
            knee = fig.model.joint(f"{side}_knee")
            fig.target_q[knee.q], fig.target_v[knee.v] = 2 * x, 2 * rate
            for name in ("hip", "ankle"):
                joint = fig.model.joint(f"{side}_{name}")
                fig.target_q[joint.q] = [np.cos(x / 2), 0, -np.sin(x / 2), 0]
                fig.target_v[joint.v] = [0, -rate, 0]

    world.add_controller(bend)
    return world, 2.0


def sliding_and_spinning(contact: str = "virtual_link"):
    """A box that slides, turns and comes to rest."""
    world = World(dt=DT, contact=contact)
    world.add_ground(friction=0.4)
    box = world.add(bk.box((0.3, 0.2, 0.1), 2.0), at=(0, 0, 0.05))
    box.v[:] = [1.5, 0.4, 0, 0, 0, 5.0]
    return world, 1.0


def slope_boxes(contact: str = "virtual_link"):
    """Boxes on a slope: one sticks, one slides, one on top of another."""
    world = World(dt=DT, contact=contact)
    turn = slope_turn(0.35)
    world.add_fixed(bk.Shape("box", (20.0, 5.0, 0.5), tuple(-0.5 * turn[:, 2]), turn), friction=None)
    for k, mu in enumerate((0.6, 0.3, 0.5)):
        world.add(
            bk.box((0.3, 0.2, 0.1), 1.0),
            at=tuple(turn @ [0, k - 1.0, 0.05]),
            rotation=turn @ axis_turn((0, 0, 1), 0.4 * k),
            friction=mu,
        )
    world.add(bk.box((0.2, 0.2, 0.1), 1.0), at=tuple(turn @ [0.03, 1.0, 0.15]), rotation=turn, friction=0.5)
    return world, 1.0


def falling_box(contact: str = "virtual_link"):
    """A turned box that falls on a corner, tumbles and comes to rest."""
    world = World(dt=DT, contact=contact)
    world.add_ground(friction=0.5)
    box = world.add(bk.box((0.3, 0.2, 0.15), 2.0), at=(0, 0, 0.4), rotation=axis_turn((1, 2, 0.5), 0.6))
    box.v[:] = [0.5, 0, 0, 1.0, 2.0, 0.5]
    return world, 2.0


SCENES: dict[str, Callable] = {
    f.__name__: f for f in (standing, leaning, sliding_and_spinning, slope_boxes, falling_box, squatting)
}


def run(world: World, seconds: float, each: Callable[[World], None] | None = None) -> dict[str, float]:
    """Run step by step; counts and largest values; solves of the steps that are no fallback."""
    out = {"steps": 0, "fallbacks": 0, "solves": 0, "residual": 0.0, "penetration": 0.0}
    for _ in range(round(seconds / world.dt)):
        world.step()
        out["steps"] += 1
        if not world.report.fallback:
            out["solves"] = max(out["solves"], int(world._info.solves))
        out["residual"] = max(out["residual"], world.report.residual)
        out["penetration"] = max(out["penetration"], world.report.penetration)
        if each is not None:
            each(world)
    out["fallbacks"] = int(world._info.fallbacks)
    return out
