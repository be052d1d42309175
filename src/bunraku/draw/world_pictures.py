"""Worlds as pictures: every shape of every figure and every fixed shape, at one or at several instants, and plots of a
run.

Human figures are drawn with their skins (bunraku.draw.skin), other shapes and meshes as they are (bunraku.draw.solids);
the ground is the floor, other planes are thin plates. In a strobe picture earlier instants are paler, and an instant is
left out while nothing has moved APART since the last one. Checked in tests/draw/test_world_pictures.py and by looking.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bunraku.draw.plotting import COLORS, figure, lines, png
from bunraku.draw.render import render_view
from bunraku.draw.skin import poses_of, skin_of
from bunraku.draw.solid_scene import Scene, pale
from bunraku.draw.solids import MESHES, mesh_parts, solids
from bunraku.draw.triangles import Surface
from bunraku.dynamics.functions import kinematics
from bunraku.model.description import Shape
from bunraku.model.model import ShapeInfo
from bunraku.model.rotations import rotation_matrix
from bunraku.recording.reader import Recording as Recorded
from bunraku.scene.run import Recording
from bunraku.world.world import World

APART = 0.12  # m
BEHIND, MOST_BEHIND = (
    0.0025,
    0.006,
)  # m: what is of earlier instants is thinner; where nothing moves the last is seen
SHADES = (
    (0.20, 0.42, 0.78),
    (0.90, 0.50, 0.16),
    (0.35, 0.62, 0.40),
    (0.72, 0.35, 0.32),
    (0.52, 0.42, 0.70),
    (0.55, 0.50, 0.40),
)
FIXED = (0.80, 0.77, 0.70)


def fixed_shapes(world: World | Recorded) -> list[Shape]:
    """What does not move."""
    return [item.shape for item in world._fixed] if isinstance(world, World) else list(world.fixed)


def shapes_at(
    world: World | Recorded, q: np.ndarray, *, under_skin: bool = True
) -> list[tuple[ShapeInfo, np.ndarray, np.ndarray, tuple[float, ...]]]:
    """(shape, place, turn, colour) of all shapes of figures at a state q of the world; under_skin: those for which a skin
    stands, too."""
    out = []
    for k, f in enumerate(world.figures):
        pose = kinematics(f.model, np.ascontiguousarray(q[f.part.q], dtype=float))
        skin = None if under_skin else skin_of(f.model)
        for s in solids(f.model):
            if skin is not None and skin.covers(s.link):
                continue
            R = pose.rotation[s.body]
            color = tuple(s.color[:3]) if s.color is not None else SHADES[k % len(SHADES)]
            out.append((s, pose.position[s.body] + R @ s.position, R @ s.rotation, color))
    return out


def skins_at(world: World | Recorded, q: np.ndarray) -> list[Surface]:
    """The skins of human figures at a state q of the world."""
    out = []
    for f in world.figures:
        skin = skin_of(f.model)
        if skin is not None:
            pose = kinematics(f.model, np.ascontiguousarray(q[f.part.q], dtype=float))
            out.append(skin.posed(poses_of(pose.rotation, pose.position)))
    return out


def world_scene(
    world: World | Recorded, states: Sequence[np.ndarray], view: str = "oblique", *, fixed: bool = True
) -> Scene:
    """A drawing scene with the figures at every one of the states, the later the stronger, and what does not move."""
    scene = Scene(floor=None, sun=(0.35, 0.5 if view == "left" else -0.5, 0.9))
    for shape in fixed_shapes(world) if fixed else ():
        turn = rotation_matrix(shape.rotation)
        place = np.asarray(shape.position, dtype=float)
        if shape.role == "collision":
            continue
        if shape.kind == "plane" and turn[2, 2] > 1 - 1e-9:
            scene.floor = float(place[2]) if scene.floor is None else min(scene.floor, float(place[2]))
        else:
            put(scene, shape, place, turn, FIXED, 0.0)
    for k, q in reversed(list(enumerate(states))):  # of two at one place the first is drawn
        share = 0.0 if len(states) == 1 else 0.7 * (1.0 - k / (len(states) - 1))
        back = min(BEHIND * (len(states) - 1 - k), MOST_BEHIND)
        for s, place, turn, color in shapes_at(world, q, under_skin=False):
            put(scene, s, place, turn, color, share, back)
        for surface in skins_at(world, q):
            scene.surface(surface.paler(share).thinner(back) if share else surface)
    return scene


def put(
    scene: Scene,
    s: Any,
    place: np.ndarray,
    turn: np.ndarray,
    color: Sequence[float],
    share: float,
    back: float = 0.0,
) -> None:
    """Add a shape, or the parts of a mesh, at a place; share: how pale; back: how much thinner [m]."""
    if s.kind not in MESHES:
        scene.shape(s.kind, [max(x - back, 0.5 * x) for x in s.size], place, turn, pale(color, share))
        return
    for part in mesh_parts(s, color):
        part = part.at(place, turn)
        scene.surface(part.paler(share).thinner(back) if share else part)


def chosen(world: World | Recorded, q: np.ndarray, most: int) -> list[np.ndarray]:
    """At most `most` states, evenly over the run, that can be told apart; the first and the last are among them."""
    rows = np.linspace(0, len(q) - 1, min(most, len(q))).round().astype(int)
    places = [np.array([p for _, p, _, _ in shapes_at(world, q[r])]) for r in rows]
    keep = [len(rows) - 1]  # from the end, which is drawn strongest
    for i in range(len(rows) - 2, -1, -1):
        if np.linalg.norm(places[i] - places[keep[-1]], axis=1).max(initial=0.0) >= APART:
            keep.append(i)
    return [q[rows[i]] for i in reversed(keep)]


def strobe(record: Recording, width: int = 960, height: int = 640, most: int = 6) -> np.ndarray:
    """One picture of a run: the end, and up to `most` - 1 instants before it, paler."""
    view = record.scene.view
    return render_view(world_scene(record.world, chosen(record.world, record.q, most), view), view, width, height)


def plot(record: Recording, most: int = 7) -> bytes:
    """Contact forces on the figures and the energy against time, PNG."""
    drawing, axes = figure(3, f"{record.scene.name}: {record.scene.about}" if record.scene.about else record.scene.name)
    names = list(record.force)[:most]
    lines(axes[0], record.time, {n: record.force[n][:, 2] for n in names}, "force upward, N")
    across = {n: np.hypot(record.force[n][:, 0], record.force[n][:, 1]) for n in names}
    lines(axes[1], record.time, across, "force across, N")
    for axis, curves in ((axes[0], [record.force[n][:, 2] for n in names]), (axes[1], list(across.values()))):
        bound_impacts(axis, np.concatenate(curves))
    lines(axes[2], record.time, {"kinetic and potential": record.energy}, "energy, J")
    for k, (name, t) in enumerate(record.broken):
        for axis in axes:
            axis.axvline(t, color=COLORS[3], lw=0.8, ls=":", label=f"{name} breaks" if axis is axes[2] else None)
        axes[2].text(
            t, 0.95 - 0.1 * k, f" {name} breaks", fontsize=7, va="top", transform=axes[2].get_xaxis_transform()
        )
    return png(drawing)


def bound_impacts(axis, values: np.ndarray) -> None:  # type: ignore[no-untyped-def]
    """Let impacts of rigid bodies, an impulse over one step, leave the frame where they would flatten all else; says
    so."""
    usual, largest = 3.0 * float(np.percentile(values, 95)), float(values.max())
    if 0.0 < 2.0 * usual < largest:
        axis.set_ylim(min(0.0, float(values.min())) - 0.02 * usual, usual)
        text = f"impacts up to {largest:.3g} N leave the frame"
        axis.text(0.01, 0.97, text, fontsize=7, va="top", transform=axis.transAxes)
