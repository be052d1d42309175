"""Footsteps to a place on the floor: along a way around what stands there, up and down stairs, to a heading.

The way (bunraku.choreography.floor_map) has corners; at each of them the figure turns on the spot. Along a leg of it feet
are put down in turn, each as far ahead as the stride allows and where its sole finds level floor; in the end both stand
side by side. The compiled step takes the steps one after the other, and finds back to them where a push has moved it
(bunraku.choreography.step_choice). Units m, rad. Checked in tests/choreography/test_walk_to.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from bunraku.choreography.floor_map import RISE, FloorMap
from bunraku.choreography.stepper import Stepper
from bunraku.choreography.stepping_arrays import MOST_PLANNED
from bunraku.errors import InputError

STRIDE, LONG, LEAST = 0.30, 0.38, 0.06  # m of a step along the way, usual, longest and least, for a figure of 1.7 m
TURN = 0.5  # rad: of a step on the spot
EDGE = np.array([0.025, 0.012])  # m of level floor before and behind, and beside a sole
NEAR = 0.05  # m, and
ALIKE = 0.08  # rad: there already


def wrapped(a: float) -> float:
    """An angle within -pi ... pi."""
    return float((a + np.pi) % (2 * np.pi) - np.pi)


@dataclass
class Walk:
    """Steps as they are found: where the feet stand, and each step (side, x, y, z, yaw)."""

    stepper: Stepper
    floor: FloorMap
    feet: list[tuple[float, float, float]]  # x, y, yaw of both
    size: float
    steps: list[tuple[int, float, float, float, float]] = field(default_factory=list)
    next_side: int = 0

    def beside(self, side: int, place: np.ndarray, yaw: float) -> np.ndarray:
        """A foot's place where the figure is at a place."""
        out = (0.5 if side == 0 else -0.5) * self.stepper.humanoid.apart
        return place + out * np.array([-np.sin(yaw), np.cos(yaw)])

    def holds(self, side: int, at: np.ndarray, yaw: float) -> bool:
        """Whether a sole finds level floor, not much higher or lower than the other foot."""
        half = self.stepper.humanoid.feet[side].half + EDGE
        c, s = np.cos(yaw), np.sin(yaw)
        signs = np.array([(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)]) * half
        corners = at + signs @ np.array([[c, s], [-s, c]])
        return self.floor.flat(corners)

    def put(self, side: int, at: np.ndarray, yaw: float) -> None:
        """A step."""
        self.steps.append((side, float(at[0]), float(at[1]), self.floor.at(at), yaw))
        self.feet[side] = (float(at[0]), float(at[1]), yaw)
        self.next_side = 1 - side

    def stands(self, side: int, at: np.ndarray, yaw: float) -> bool:
        """Whether a foot is there already."""
        x, y, now = self.feet[side]
        return float(np.hypot(at[0] - x, at[1] - y)) < NEAR and abs(wrapped(yaw - now)) < ALIKE

    def turn(self, place: np.ndarray, begin: float, end: float) -> None:
        """Turn on the spot."""
        way = wrapped(end - begin)
        count = int(np.ceil(abs(way) / TURN - 1e-9))
        sides = (0, 1) if way > 0 else (1, 0)
        for k in range(count):
            yaw = begin + way * (k + 1) / count
            for side in sides:
                at = self.beside(side, place, yaw)
                if not self.stands(side, at, yaw):
                    self.put(side, at, yaw)

    def go(self, begin: np.ndarray, end: np.ndarray, yaw: float) -> None:
        """Along a straight leg."""
        along, length, done = np.array([np.cos(yaw), np.sin(yaw)]), float(np.linalg.norm(end - begin)), 0.0
        while done < length - 1e-6:
            side, other = self.next_side, self.feet[1 - self.next_side]
            ground = self.floor.at(other[:2])
            left, usual = length - done, STRIDE * self.size
            tries = [*np.arange(min(usual, left), 0.0, -0.01), *np.arange(usual, min(LONG * self.size, left), 0.01)]
            for far in [left] if left < LEAST * self.size else tries:
                at = self.beside(side, begin + along * (done + far), yaw)
                if left < LEAST * self.size or (
                    self.holds(side, at, yaw) and abs(self.floor.at(at) - ground) <= RISE * self.size
                ):
                    break
            else:
                foot = "left" if side == 0 else "right"
                raise InputError(f"walk_to: there is no room for the {foot} foot at ({at[0]:.2f}, {at[1]:.2f}).")
            self.put(side, at, yaw)
            done += float(far)
        side = self.next_side
        at = self.beside(side, end, yaw)
        if not self.stands(side, at, yaw):
            self.put(side, at, yaw)


def footsteps_to(
    stepper: Stepper,
    floor: FloorMap,
    feet: Sequence[tuple[float, float, float]],
    goal: Sequence[float],
    yaw: float | None,
) -> list[tuple[int, float, float, float, float]]:
    """(side, x, y, z, yaw) of the steps from feet (x, y, yaw) to a place and, where given, a heading there."""
    here = np.mean([f[:2] for f in feet], axis=0)
    heading = feet[1][2] + 0.5 * wrapped(feet[0][2] - feet[1][2])
    there = np.asarray(goal, dtype=float)
    if not floor.is_free(there):
        raise InputError(f"walk_to: there is no room to stand at ({there[0]:.2f}, {there[1]:.2f}).")
    way = floor.way(here, there)
    if way is None:
        raise InputError(f"walk_to: no way leads to ({there[0]:.2f}, {there[1]:.2f}).")
    walk = Walk(stepper, floor, [tuple(map(float, f)) for f in feet], stepper.height / 1.7)  # type: ignore[misc]
    for a, b in pairwise(way):
        if np.linalg.norm(b - a) < NEAR and len(way) == 2:
            break
        ahead = float(np.arctan2(b[1] - a[1], b[0] - a[0]))
        walk.turn(a, heading, ahead)
        walk.go(a, b, ahead)
        heading = ahead
    walk.turn(there, heading, heading if yaw is None else float(yaw))
    if len(walk.steps) > MOST_PLANNED:
        raise InputError(
            f"walk_to: the way takes {len(walk.steps)} steps; {MOST_PLANNED} are the most at once. Go there in parts."
        )
    return walk.steps
