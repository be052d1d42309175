"""`bunraku bench walk --norms`: the natural walk beside people's figures, at three speeds, measured in the world.

People: speeds and times after Winter (Biomechanics and Motor Control of Human Movement, 2009) and Bohannon (Age and Ageing
26, 1997), angles after Perry & Burnfield (Gait Analysis, 2010), rounded; forces in weights. Ours: the middle steps of a
walk from standing to standing, on sensors, every millisecond; humps and valley are means over 15 ms, peaks over 5 ms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bunraku.gaits.natural_walk import NaturalWalk
from bunraku.gaits.stride_plan import Leg

SPEEDS = (0.8, 1.3, 1.7)  # m/s, of a figure of 1.7 m
PEOPLE = {  # least and most of what is usual at these speeds
    "speed [m/s]": ((0.76, 0.84), (1.24, 1.36), (1.62, 1.78)),
    "cadence [1/min]": ((81, 99), (104, 126), (114, 140)),
    "step length [m]": ((0.48, 0.58), (0.61, 0.75), (0.72, 0.88)),
    "both feet down [% of the cycle]": ((24, 36), (16, 28), (12, 20)),
    "knee at heel strike [degrees]": ((0, 15), (0, 15), (0, 15)),
    "knee in loading": ((5, 20), (10, 25), (15, 30)),
    "knee in midstance": ((0, 12), (0, 12), (0, 12)),
    "knee in swing": ((45, 65), (50, 70), (55, 75)),
    "first hump [weights]": ((0.95, 1.1), (1.02, 1.25), (1.15, 1.45)),
    "valley": ((0.8, 1.0), (0.6, 0.9), (0.45, 0.75)),
    "second hump": ((0.95, 1.1), (1.02, 1.25), (1.1, 1.4)),
    "arms' swing [degrees]": ((10, 35), (20, 40), (25, 50)),
    "centre of mass up and down [m]": ((0.02, 0.04), (0.03, 0.06), (0.04, 0.07)),
}


@dataclass(frozen=True)
class Stretch:
    """Rows of a walk, one a millisecond: time, q, forces upwards (n, 2) [weights], where in the sole each foot is pressed
    (n, 2) [m from its middle, ahead], height of the centre of mass; landings (time, side) of the tracker."""

    walk: NaturalWalk
    times: np.ndarray
    q: np.ndarray
    loads: np.ndarray
    pressed: np.ndarray
    com: np.ndarray
    landings: list[tuple[float, int]]


def measure_norms(steps: int = 16, progress: Callable[[float], None] | None = None) -> list[dict[str, Any]]:
    """A row for each speed."""
    out: list[dict[str, Any]] = []
    for i, speed in enumerate(SPEEDS):
        out.append({"asked [m/s]": speed, **figures(walked(speed, steps))})
        if progress is not None:
            progress((i + 1) / len(SPEEDS))
    return out


def walked(speed: float, steps: int) -> Stretch:
    """A walk at a speed, looked at each millisecond."""
    walk = NaturalWalk(legs=[Leg(speed, steps=steps)])
    weight = walk.rigid.mass * 9.80665
    feet, kept = walk.humanoid.feet, []
    while walk.world.time < walk.duration and walk.figure.q[2] > 0.65 * walk.high:
        walk.world.step(1)
        load, pressed = np.zeros(2), np.full(2, np.nan)
        for c in walk.world.contacts:
            for f, foot in enumerate(feet):
                if foot.link in (c.bodies[0][1], c.bodies[1][1]) and abs(float(c.force[2])) > 0:
                    load[f] += abs(float(c.force[2])) / weight
                    at, turn = walk.figure.pose(foot.link)
                    pressed[f] = float((turn.T @ (c.cop - at))[0] - foot.position[0])
        kept.append((walk.world.time, walk.figure.q.copy(), load, pressed, float(walk.figure.com[2])))
    times, q, loads, pressed, com = (np.array(x) for x in zip(*kept))
    return Stretch(walk, times, q, loads, pressed, com, [(t, f) for t, f, _ in walk.tracker.events])


def figures(s: Stretch) -> dict[str, Any]:
    """The figures of the steps that are as fast as was asked."""
    planned = s.walk.planned
    fastest = max(x.speed for x in planned) if planned[1].speed > planned[0].speed else planned[len(planned) // 2].speed
    steady = [i for i, x in enumerate(planned[: len(s.landings)]) if abs(x.speed - fastest) < 1e-6 and x.kind == "step"]
    steady = steady[2:]  # step i begins at landing i - 1; the first two settle
    strikes = [(s.landings[i - 1], s.landings[i], s.landings[i + 1]) for i in steady if i + 1 < len(s.landings)]
    if not strikes:
        return {"fell": True}
    knees = {f: s.q[:, s.walk.model.joint(f"{side}_knee").iq] for f, side in enumerate(("left", "right"))}
    mean = lambda x, n: np.convolve(x, np.ones(n) / n, "same")  # noqa: E731
    rows: list[dict[str, float]] = []
    for (t0, side), (t1, _), (t2, _) in strikes:
        a, b, c = (int(np.searchsorted(s.times, t)) for t in (t0, t1, t2))
        load, knee = s.loads[:, side], np.degrees(knees[side])
        off = b + int(np.argmax(load[b:c] < 0.005)) if (load[b:c] < 0.005).any() else c
        u = np.linspace(0, 1, off - a)
        smooth, sharp = mean(load, 15)[a:off], mean(load, 5)
        down = np.flatnonzero(load[a - 20 : off] > 0.02)
        inside = s.pressed[a - 20 : off, side][down]
        rows.append({
            "side": side,
            "seconds": t1 - t0,
            "both feet down [% of the cycle]": 100 * float((s.loads[a:b] > 0.005).all(axis=1).sum() / (b - a)),
            "knee at heel strike [degrees]": float(knee[a]),
            "knee in loading": float(knee[a:off][u < 0.35].max()),
            "knee in midstance": float(knee[a:off][(u > 0.35) & (u < 0.75)].min()),
            "knee in swing": float(knee[off : min(off + round(1000 * (t2 - t0)) // 2, len(knee))].max()),
            "first hump [weights]": float(smooth[u < 0.5].max()),
            "valley": float(smooth[(u > 0.25) & (u < 0.75)].min()),
            "second hump": float(smooth[u > 0.5].max()),
            "landing peak, 5 ms [weights]": float(sharp[a - 5 : a + 50].max()),
            "largest, 5 ms": float(sharp[a - 5 : off].max()),
            "heel first": float(np.mean(inside[:10]) < 0),
            "toe last": float(np.mean(inside[-10:]) > 0),
        })  # fmt: skip
    a, b = (int(np.searchsorted(s.times, t)) for t in (strikes[0][0][0], strikes[-1][1][0]))
    seconds = s.times[b] - s.times[a]
    way = float(np.hypot(*(s.q[b, :2] - s.q[a, :2])))
    arms = [np.degrees(arm_angle(s, f, a, b)) for f in (0, 1)]
    out: dict[str, Any] = {
        "fell": s.walk.fell is not None or bool(s.q[-1, 2] < 0.65 * s.walk.high),
        "steps": len(rows),
        "speed [m/s]": way / seconds,
        "cadence [1/min]": 60 * len(strikes) / seconds,
        "step length [m]": way / len(strikes),
        "arms' swing [degrees]": float(np.mean([np.ptp(x) for x in arms])),
        "centre of mass up and down [m]": float(np.ptp(s.com[a:b])),
    }
    for key in rows[0]:
        if key not in ("side", "seconds"):
            out[key] = float(np.mean([r[key] for r in rows]))
    for key in ("landing peak, 5 ms [weights]", "largest, 5 ms"):
        out[key] = max(r[key] for r in rows)
    both = [[r for r in rows if r["side"] == f] for f in (0, 1)]
    if all(both):
        seconds_of = [float(np.mean([r["seconds"] for r in x])) for x in both]
        out["left and right differ [%]"] = 100 * abs(seconds_of[0] / seconds_of[1] - 1)
    return out


def arm_angle(s: Stretch, side: int, begin: int, end: int) -> np.ndarray:
    """Of an upper arm to the vertical, in the plane of the walk [rad]."""
    from bunraku.dynamics.functions import kinematics

    k = kinematics(s.walk.model, s.q[begin:end:5])
    name = "left_upper_arm" if side == 0 else "right_upper_arm"
    down = -k.pose(name)[1][:, :, 2]
    return np.arctan2(down[:, 0], -down[:, 2])


def text(rows: list[dict[str, Any]]) -> str:
    """The table: people's figures and ours."""
    lines = [f"{'':34}" + "".join(f"{'people':>14}{'ours':>8}" for _ in rows)]
    keys = ["asked [m/s]", *PEOPLE, *(k for k in rows[0] if k not in PEOPLE and k != "asked [m/s]")]
    for key in keys:
        line = f"{key:34}"
        for i, row in enumerate(rows):
            people = PEOPLE.get(key)
            usual = "" if people is None else "{:g} to {:g}".format(*people[i])
            value = row.get(key)
            line += f"{usual:>14}" + (
                f"{value:>8.3g}" if isinstance(value, float | int) and value is not True else f"{value!s:>8}"
            )
        lines.append(line)
    return "\n".join(lines)
