"""The figure in the line style of chapter 7 (JAERI-M 88-080, Figs 7.8 to 7.10): head a sphere, joints cubes, the rest
square prisms, drawn by their edges on white.

Each figure hides its own lines: its solids are painted white from the farthest to the nearest (painter's algorithm, by
the depth of their middles), each with the edges of the faces that are turned to the camera. Figures of several times
lie over each other as sheets of paper held to the light (the report's LINK mode): lines of one do not hide another's;
earlier ones are fainter (ours).
Drawn SUPER times as large and brought down, so that lines are smooth. Checked in tests/gait1988/test_line_figure.py and
by looking.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bunraku.draw.camera import Camera
from bunraku.gait1988.checks import progress, sole_of
from bunraku.gait1988.solved_walk import Walk
from bunraku.gait1988.steps import Posture, posture
from bunraku.gait1988.twelve_bodies import BODY_NAMES, D
from bunraku.gait1988.twelve_body_model import shapes_of
from bunraku.model.rotations import rotation_matrix

SUPER, PEN = 3, 1.3  # times as large; pixels: width of a line
CUBE = 0.055  # m: half an edge of a joint's cube
JOINTS = (1, 2, 4, 5, 6, 7, 8, 9)  # bodies whose own joint is a knee, hip, shoulder or elbow; ankles are in the feet
FAINT = 0.45  # of the last figure's ink: the first one's
PRISM = 0.8  # of a capsule's radius: half the width of the prism in its place
FACES = (((0, 1, 3, 2), 0, -1), ((4, 5, 7, 6), 0, 1), ((0, 1, 5, 4), 1, -1), ((2, 3, 7, 6), 1, 1),
         ((0, 2, 6, 4), 2, -1), ((1, 3, 7, 5), 2, 1))  # fmt: skip
"""Corners of a box's faces, and the axis and sign of their outward normal."""
CORNERS = np.array([[i, j, k] for i in (-1.0, 1.0) for j in (-1.0, 1.0) for k in (-1.0, 1.0)])


@dataclass(frozen=True, eq=False)
class Block:
    """A box (half sizes along the columns of turn) or, where turn is None, a sphere of radius half[0]; m."""

    centre: np.ndarray
    half: np.ndarray
    turn: np.ndarray | None


def blocks(walk: Walk, time: float) -> list[Block]:
    """The figure at one time: prisms for limbs and trunk, cubes at the joints, a sphere for the head."""
    pose, sole, out = posture(walk, time), sole_of(walk.gait), []
    for body in range(len(BODY_NAMES)):
        place, turn = pose.places[body], pose.rotations[body]
        for s in shapes_of(body, walk.arms_free, sole):
            at, axes = place + turn @ s.position, turn @ rotation_matrix(s.rotation)
            size = np.asarray(s.size, dtype=float)
            if s.kind == "sphere":
                out.append(Block(pose.fixed(at), size, None))
            else:
                half = (
                    size if s.kind == "box" else np.array([PRISM * size[0], PRISM * size[0], size[1] + 0.5 * size[0]])
                )
                out.append(fixed_box(pose, at, half, axes))
    cubes = [fixed_box(pose, pose.places[body], np.full(3, CUBE), np.eye(3)) for body in JOINTS]
    return out + cubes


def fixed_box(pose: Posture, at: np.ndarray, half: np.ndarray, axes: np.ndarray) -> Block:
    """A box of the solved step in the fixed frame."""
    return Block(pose.fixed(at), half, axes * np.outer(pose.flip, pose.flip))


def sheet(walk: Walk, time: float, camera: Camera, width: int, height: int) -> np.ndarray:
    """(height, width) grey: one figure's lines, black on white."""
    from PIL import Image, ImageDraw

    w, h = SUPER * width, SUPER * height
    page = Image.new("L", (w, h), 255)
    pen = ImageDraw.Draw(page)
    line = max(1, round(SUPER * PEN))
    parts = blocks(walk, time)
    for block in sorted(parts, key=lambda b: -float((b.centre - camera.place) @ camera.forward)):
        if block.turn is None:
            x, y = camera.project(block.centre, w, h)
            top = camera.project(block.centre + block.half[0] * camera.up, w, h)
            r = abs(y - top[1])
            pen.ellipse((x - r, y - r, x + r, y + r), fill=255, outline=0, width=line)
            continue
        corners = block.centre + CORNERS * block.half @ block.turn.T
        seen = [camera.project(c, w, h) for c in corners]
        for numbers, axis, sign in FACES:
            normal = sign * block.turn[:, axis]
            middle = block.centre + block.half[axis] * normal
            towards = camera.place - middle if camera.fov > 0.0 else -camera.forward
            if normal @ towards > 0.0:
                outline = [seen[k] for k in numbers]
                pen.polygon(outline, fill=255)
                pen.line([*outline, outline[0]], fill=0, width=line, joint="curve")
    return np.asarray(page.resize((width, height), Image.Resampling.BOX))


def floor_lines(walk: Walk, ends: tuple[float, float], camera: Camera, width: int, height: int) -> np.ndarray:
    """(height, width) grey: the edges of the floor, or of the treads, along the way from one time to another."""
    from PIL import Image, ImageDraw

    page = Image.new("L", (SUPER * width, SUPER * height), 255)
    pen = ImageDraw.Draw(page)
    step, rise, span = progress(walk), walk.gait.rise, walk.gait.step_time
    middle = 0.5 * sum(sole_of(walk.gait))
    first, last = int(np.floor(ends[0] / span)) - 1, int(np.floor(ends[1] / span)) + 1
    points = []
    for k in range(first, last + 1):
        x = k * step + middle
        points += [(x - 0.5 * step, k * rise), (x + 0.5 * step, k * rise)]
    for y in (-D - 0.3, -D + 0.3):
        seen = [camera.project(np.array([x, y, z]), SUPER * width, SUPER * height) for x, z in points]
        pen.line(seen, fill=150, width=max(1, round(0.7 * SUPER * PEN)))
    return np.asarray(page.resize((width, height), Image.Resampling.BOX))


def drawing(
    walk: Walk, times: np.ndarray, ends: tuple[float, float], camera: Camera, size: tuple[int, int]
) -> np.ndarray:
    """(height, width, 3): the figure at all of the times, sheet over sheet, on the floor or treads of the times from one
    end to the other; size: (width, height)."""
    out = floor_lines(walk, ends, camera, *size)
    for k, t in enumerate(times):
        ink = 1.0 if len(times) == 1 else FAINT + (1.0 - FAINT) * k / (len(times) - 1)
        lines = 255.0 - ink * (255.0 - sheet(walk, float(t), camera, *size))
        out = np.minimum(out, lines.round().astype(np.uint8))
    return np.repeat(out[:, :, None], 3, axis=2)
