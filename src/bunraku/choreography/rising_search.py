"""The key frames of bunraku.choreography.rising, searched for in simulation: `python -m bunraku.choreography.rising_search
--out frames.json`. No recorded motion; rising_frames.json was made by this search.

Three stages, each judged by geometry alone at its end, on several floors and figures at once (friction 0.5, 0.8, 1.2;
heights 1.7, 1.5, 1.9 m), so that no frame relies on one of them:
    knees   from lying on the front: shoulders and pelvis up, knees down and beneath the hips
    squat   from there: both soles flat, the centre of mass above their middle, nothing else carries
    roll    from lying on the back: on the front after the straightening frames, with both arms free
The search is a small evolution strategy: of so many tries about the present best, the mean of the better half, weighed by
rank, becomes the next one; the spread follows its path (Hansen & Ostermeier 2001, with a diagonal matrix). Checked in
tests/choreography/test_rising_search.py.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from bunraku.choreography.rising_frames import LIE, STIFF, after_roll, coordinates, even, opening, uneven
from bunraku.dynamics.functions import centre_of_mass, kinematics
from bunraku.errors import BunrakuError
from bunraku.files import write_text
from bunraku.humanoid.opening_pose import lowest
from bunraku.model.configuration import difference, integrate
from bunraku.model.human import human
from bunraku.model.model import Model
from bunraku.model.rotations import quaternion_about
from bunraku.progress import progress_bar
from bunraku.world import World
from bunraku.world.figure import Figure

CASES = ((0.5, 1.7), (0.8, 1.5), (1.2, 1.9))  # friction, height [m]
HEIGHT, MASS = 1.7, 69.0
NOISE = 0.04  # rad: joints at the start
WORST = 5.0  # cost of a trial that breaks down
# waist, hip, knee, ankle, shoulder raised, out, elbow, hip out, seconds
LEAST = np.array([-0.3, -0.3, 0, -0.6, -1.6, -0.2, 0, 0, 0.15])
MOST = np.array([0.9, 2.0, 2.6, 0.9, 2.9, 2.6, 2.6, 0.8, 1.5])
# waist 3, left hip 3, right hip 3, knees, left shoulder 2, right shoulder 2, elbows, seconds
ROLL_LEAST = np.array([-0.6, -0.6, -0.8, -0.5, -0.4, -0.7, -0.5, -0.8, -0.7, 0, 0, -0.8, -0.3, -0.8, -1.0, 0, 0, 0.25])
ROLL_MOST = np.array([0.8, 0.6, 0.8, 1.9, 0.8, 0.7, 1.9, 0.8, 0.7, 2.2, 2.2, 2.5, 2.9, 2.5, 2.9, 2.2, 2.2, 1.2])
KNEES = [[0, 0, 0.1, -0.3, 0, 1.3, 1.6, 0.15, 0.6], [0.1, 1.5, 1.6, 0.2, 1.5, 0.3, 0.2, 0.2, 1.0]]
SQUAT = [
    [0.5, 1.9, 2.2, 0.85, 1.6, 0.2, 0.1, 0.3, 0.7],
    [0.6, 1.9, 2.3, 0.85, 1.5, 0.1, 0.1, 0.3, 0.5],
    [0.6, 1.8, 2.4, 0.75, 1.3, 0.1, 0.1, 0.3, 0.5],
]
ROLL = [
    [0.2, 0, 0.6, 0, 0.1, 0, 1.3, -0.5, 0, 0, 1.2, 0, 2.6, 0.6, 1.6, 0.1, 0.2, 0.7],
    [0, 0, 0.8, 0, 0.1, 0, 1.0, -0.8, 0, 0, 0.8, 0, 2.6, 0.3, 2.4, 0.1, 0.1, 0.5],
    [0, 0, 0.8, 0, 0.1, 0, 0.6, -0.8, 0, 0, 0.4, 0, 2.6, 0, 2.4, 0.1, 0.1, 0.5],
]


@dataclass(frozen=True)
class Lying:
    """A figure on a floor, and where the servos' targets are."""

    model: Model
    friction: float
    height: float
    q: np.ndarray
    v: np.ndarray
    target: np.ndarray

    @property
    def size(self) -> float:
        """Against the figure for which heights are given."""
        return self.height / HEIGHT

    def world(self) -> tuple[World, Figure]:
        """A world with the figure as it is."""
        w = World(dt=0.001)
        w.add_ground(friction=self.friction)
        f = w.add(self.model, self_collision=True)
        f.q[:], f.v[:] = self.q, self.v
        return w, f

    def played(self, frames: Sequence[tuple[np.ndarray, float, float]], hold: float = 0.05) -> Lying:
        """What it is after key frames (q, seconds, part of the stiffness)."""
        w, f = self.world()
        begin = self.target
        for goal, seconds, stiff in frames:
            begin = lead(
                w, f, begin, goal, max(seconds, 0.15) * self.size**0.5, stiff * self.model.mass / MASS * self.size
            )
        lead(w, f, begin, begin, hold, self.model.mass / MASS * self.size)
        return replace(self, q=f.q.copy(), v=f.v.copy(), target=begin)


def lead(w: World, f: Figure, begin: np.ndarray, goal: np.ndarray, seconds: float, strength: float) -> np.ndarray:
    """Servos from one pose to another, smoothly; returns the goal."""
    kp = np.zeros(f.model.nv - 6)
    for j in f.model.joints:
        if j.nv and j.kind != "free":
            kp[j.iv - 6 : j.iv - 6 + j.nv] = strength * STIFF[j.name.split("_")[-1]]
    way = difference(f.model, begin, goal)
    way[:6] = 0.0
    f.servo(kp, 0.12 * kp, target=begin)
    n = max(1, round(seconds / 0.01))
    for k in range(n):
        u = (k + 1) / n
        f.target_q[7:] = integrate(f.model, begin, u * u * u * (10 - 15 * u + 6 * u * u) * way)[7:]
        w.step(10)
    return goal


def lying(friction: float, height: float, prone: bool, rng: np.random.Generator) -> Lying:
    """A figure that lies straight, on its front or back, its joints a little off."""
    model = human(height, MASS * (height / HEIGHT) ** 3)
    straight = coordinates(model, LIE)
    off = np.zeros(model.nv)
    off[6:] = NOISE * rng.normal(size=model.nv - 6)
    q = integrate(model, straight, off)
    q[3:7] = quaternion_about(1, 0.5 * np.pi if prone else -0.5 * np.pi)
    q[2] = 0.0
    q[2] = 0.002 - lowest(model, q)
    return Lying(model, friction, height, q, np.zeros(model.nv), straight).played([(straight, 0.4, 1.0)], 0.3)


# ---- what a stage shall lead to ------------------------------------------------------------------------------------


def off_knees(x: Lying) -> float:
    """From hands and knees."""
    k, s = kinematics(x.model, x.q), x.size
    arms = [float(k.pose(f"{side}_upper_arm")[0][2]) / s for side in ("left", "right")]
    knee, thigh = k.pose("left_shank")[0], k.pose("left_thigh")[0]
    gap = float(np.linalg.norm((knee - thigh)[:2])) / s
    cost = (
        2 * max(0.0, 0.45 - arms[0]) + 2 * max(0.0, 0.38 - float(x.q[2]) / s) + 2 * max(0.0, float(knee[2]) / s - 0.08)
    )
    return cost + max(0.0, gap - 0.2) + 2 * abs(arms[0] - arms[1]) + 0.05 * min(float(np.abs(x.v).max()), 5.0)


def off_squat(x: Lying) -> float:
    """From a squat on flat soles."""
    k = kinematics(x.model, x.q)
    soles = [k.pose(f"{side}_sole") for side in ("left", "right")]
    tilt = float(np.mean([1.0 - R[2, 2] for _, R in soles]))
    off = (centre_of_mass(x.model, x.q) - 0.5 * (soles[0][0] + soles[1][0]))[:2] / x.size
    ahead = soles[0][1][:2, 0] + soles[1][1][:2, 0]
    ahead = ahead / max(float(np.linalg.norm(ahead)), 1e-9)
    far, aside = abs(float(off @ ahead)), abs(float(ahead[0] * off[1] - ahead[1] * off[0]))
    w, f = x.world()
    w.step(1)
    others = sum(
        float(np.abs(c.force[2]))
        for c in f.contacts
        if not any("foot" in name for who, name in c.bodies if who == f.name)
    )
    up = float(k.pose("trunk")[1][2, 2])
    cost = 2 * min(float(np.hypot(max(far - 0.02, 0.0), aside)), 0.5) + 2 * tilt + max(0.0, 0.4 - up)
    return (
        cost
        + others / (9.8 * x.model.mass)
        + max(0.0, 0.3 - float(x.q[2]) / x.size)
        + 0.08 * min(float(np.abs(x.v).max()), 5.0)
    )


def off_front(x: Lying) -> float:
    """From lying on the front with free arms and legs that are not crossed."""
    k = kinematics(x.model, x.q)
    faces = 0.5 * (k.pose("pelvis")[1] + k.pose("trunk")[1])[2]
    if faces[0] > -0.3:
        return 2.5 + float(faces[0])
    x = x.played([(coordinates(x.model, pose), s, stiff) for pose, s, stiff in opening(True)], 0.3)
    k = kinematics(x.model, x.q)
    faces, off = 0.5 * (k.pose("pelvis")[1] + k.pose("trunk")[1])[2], difference(x.model, x.q, x.target)
    arms, legs = (
        [off[x.model.joint(f"{side}_{name}").iv :][:3] for side in ("left", "right")] for name in ("shoulder", "hip")
    )
    cost = 1.0 + float(faces[0]) + 0.5 * abs(float(faces[1])) + 0.4 * min(float(np.abs(arms).max()), 2.0)
    return cost + min(float(np.abs(legs).max()), 1.0)


# ---- the search ----------------------------------------------------------------------------------------------------


def all_cases(cases: Sequence[Lying], end: Callable[[Lying], float], frames: Callable[[Model, np.ndarray], Any]) -> Any:
    """The cost of rows of numbers: the mean and the worst of all cases, and the time they take."""

    def cost(rows: np.ndarray) -> float:
        found = []
        for x in cases:
            try:
                found.append(min(end(x.played(frames(x.model, rows), 0.25)), WORST))
            except BunrakuError:
                found.append(WORST)
        return 0.6 * float(np.mean(found)) + 0.4 * max(found) + 0.02 * float(rows[:, -1].sum())

    return cost


def evolve(
    cost: Callable[[np.ndarray], float],
    start: np.ndarray,
    bounds: tuple[np.ndarray, np.ndarray],
    *,
    seconds: float,
    rng: np.random.Generator,
    enough: float,
    spread: float = 0.2,
    tries: int = 10,
    progress: Callable[[float], None] | None = None,
) -> tuple[float, np.ndarray]:
    """(cost, rows) of the best that was found in a time [s], or the first that is good enough."""
    least, most = (np.tile(b, len(start)) for b in bounds)
    x, n, half = np.clip(start.ravel(), least, most), start.size, tries // 2
    wide, path = (most - least) / 2.5, np.zeros(start.size)
    rank = np.log(half + 0.5) - np.log(np.arange(1, half + 1))
    rank /= rank.sum()
    mass = 1.0 / float((rank**2).sum())
    keep, learn = (mass + 2) / (n + mass + 5), 0.3 * mass / (n + mass)
    best, began = (cost(x.reshape(start.shape)), x.copy()), time.monotonic()
    while (spent := time.monotonic() - began) < seconds and best[0] > enough:
        drawn = rng.normal(size=(tries, n))
        rows = np.clip(x + spread * drawn * wide, least, most)
        found = np.array([cost(row.reshape(start.shape)) for row in rows])
        order = np.argsort(found)
        if found[order[0]] < best[0]:
            best = (float(found[order[0]]), rows[order[0]].copy())
        mean = rank @ drawn[order[:half]]
        x = np.clip(x + spread * wide * mean, least, most)
        path = (1 - keep) * path + np.sqrt(keep * (2 - keep) * mass) * mean
        wide = np.sqrt((1 - learn) * wide**2 + learn * wide**2 * (rank @ drawn[order[:half]] ** 2))
        spread *= float(np.exp(0.5 * keep * (np.linalg.norm(path) / np.sqrt(n) - 1)))
        if progress is not None:
            progress(min(spent / seconds, 1.0))
    return best[0], best[1].reshape(start.shape)


def even_frames(model: Model, rows: np.ndarray) -> list[tuple[np.ndarray, float, float]]:
    """Key frames of rows with both sides alike."""
    return [(coordinates(model, pose), s, 1.0) for pose, s in (even(row.tolist()) for row in rows)]


def roll_frames(model: Model, rows: np.ndarray) -> list[tuple[np.ndarray, float, float]]:
    """Key frames of a roll, and those after it."""
    rolled = [(pose, s, 1.0) for pose, s in (uneven(row.tolist()) for row in rows)]
    return [(coordinates(model, pose), s, stiff) for pose, s, stiff in (*rolled, *after_roll())]


def search(
    seconds: float, seed: int = 0, start: dict[str, Any] | None = None, cases: Sequence[tuple[float, float]] = CASES
) -> dict[str, Any]:
    """Key frames found in a time [s], a fifth of it for the knees, and two for each of the others; start: from these."""
    rng, given = np.random.default_rng(seed), start or {"knees": KNEES, "squat": SQUAT, "roll": ROLL}
    out: dict[str, Any] = {}
    front = [lying(mu, h, True, rng) for mu, h in cases]
    back = [lying(mu, h, False, rng) for mu, h in cases]
    plan = (("knees", 0.2, front, off_knees, even_frames, 0.1), ("squat", 0.4, front, off_squat, even_frames, 0.2))
    for name, part, where, end, frames, enough in (*plan, ("roll", 0.4, back, off_front, roll_frames, 0.2)):
        bounds = (ROLL_LEAST, ROLL_MOST) if name == "roll" else (LEAST, MOST)
        with progress_bar(1, name) as update:
            cost, rows = evolve(
                all_cases(where, end, frames), np.array(given[name], dtype=float), bounds,
                seconds=part * seconds, rng=rng, enough=enough, progress=update,
            )  # fmt: skip
        out[name], out[f"{name} cost"] = np.round(rows, 3).tolist(), round(cost, 3)
        if name == "knees":
            front[:] = [x.played(even_frames(x.model, rows), 0.25) for x in front]
    return out


def main(arguments: Sequence[str] | None = None) -> int:
    """Search, and write what was found."""
    parser = argparse.ArgumentParser(description="Search the key frames along which a fallen figure gets up.")
    parser.add_argument("--seconds", type=float, default=900.0, help="of searching")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=Path, help="a file to begin from")
    parser.add_argument("--out", type=Path, required=True, help="a JSON file")
    o = parser.parse_args(arguments)
    start = None if o.start is None else json.loads(o.start.read_text(encoding="utf-8"))
    found = search(o.seconds, o.seed, start)
    write_text(o.out, json.dumps(found) + "\n")
    print(", ".join(f"{name}: {found[f'{name} cost']}" for name in ("knees", "squat", "roll")))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
