"""Verdict: what is wrong with a filtered motion, each flaw in a sentence with its time. A motion without flaws is done.

    fell        the centre of mass left its way, or the motion ended early
    leans       the trunk is more than LEAN off the recorded attitude (the angle between both uprights)
    presses     the floor carries more than LOAD weights
    strains     a torque is above STRAIN of its limit
    overlaps    two links are inside each other, deeper than DEEP
Checked in tests/motion/test_verdict.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bunraku.dynamics.functions import kinematics
from bunraku.model.model import Model
from bunraku.motion.apart import overlaps
from bunraku.motion.solved import Solved
from bunraku.recording.motion import Motion

LEAN, LOAD, STRAIN, DEEP = np.radians(30.0), 4.0, 1.2, 0.02  # rad, weights, of the limit, m
SEEN = 0.02  # s: how often overlaps are looked for


@dataclass(frozen=True)
class Flaw:
    """What is wrong (fell, leans, presses, strains, overlaps), from when on [s], and how much: s, rad, weights, of the
    limit, m; `where`: a joint or links."""

    kind: str
    time: float
    size: float
    where: str = ""

    def text(self) -> str:
        """A sentence."""
        words = {
            "fell": f"it could not follow from {self.time:.2f} s on, and fell",
            "leans": f"the trunk is up to {np.degrees(self.size):.0f}° off, from {self.time:.2f} s on",
            "presses": f"the floor carries up to {self.size:.1f} weights, at {self.time:.2f} s",
            "strains": f"{self.where} needs {self.size:.2f} of its torque limit, at {self.time:.2f} s",
            "overlaps": f"{self.where} are {1000 * self.size:.0f} mm inside each other, at {self.time:.2f} s",
        }
        return words[self.kind]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"kind": self.kind, "time_s": self.time, "size": self.size, "where": self.where}


def lean(model: Model, recorded: Motion, solved: Solved) -> np.ndarray:
    """(n,): the angle between the trunk's upright and the recorded one [rad]; of the base where there is no trunk."""
    names = [f.name for f in model.links]
    body = next((model.frame(x).body for x in ("trunk", "torso") if x in names), 1)
    at = np.clip(solved.times, recorded.times[0], recorded.times[-1])
    up, was = (kinematics(model, q).rotation[:, body, :, 2] for q in (solved.q, recorded.at(at)))
    return np.arctan2(np.linalg.norm(np.cross(up, was), axis=1), np.sum(up * was, axis=1))


def flaws(recorded: Motion, solved: Solved, lost: float | None) -> tuple[Flaw, ...]:
    """All flaws, the first of each kind that matters first in the list above; what comes after a fall does not count."""
    model, out = solved.model, []
    until = np.inf if lost is None else lost
    rows = np.flatnonzero(solved.times <= until)
    if lost is not None:
        out.append(Flaw("fell", lost, float(recorded.times[-1] - lost)))
    off = lean(model, recorded, solved)[rows]
    if off.max() > LEAN:
        out.append(Flaw("leans", float(solved.times[rows[np.argmax(off > LEAN)]]), float(off.max())))
    load = solved.ground_reaction[rows, 2] / solved.weight
    if load.max() > LOAD:
        out.append(Flaw("presses", float(solved.times[rows[np.argmax(load)]]), float(load.max())))
    effort = model.effort * float(solved.meta.get("strength", 1.0))
    limited = np.flatnonzero(np.isfinite(effort) & (effort > 0.0))
    limited = limited[limited >= 6]
    if len(limited):
        part = np.abs(solved.torques[np.ix_(rows, limited)]) / effort[limited]
        if part.max() > STRAIN:
            when, which = np.unravel_index(int(part.argmax()), part.shape)
            joint = next(j.name for j in model.joints if j.nv and limited[which] in range(j.iv, j.iv + j.nv))
            out.append(Flaw("strains", float(solved.times[rows[when]]), float(part.max()), joint))
    return (*out, *_overlapping(model, solved, rows))


def _overlapping(model: Model, solved: Solved, rows: Sequence[int] | np.ndarray) -> list[Flaw]:
    """The pair of links that is deepest inside each other, if it is deeper than DEEP."""
    seen = np.asarray(rows)[:: max(1, round(SEEN / solved.dt))]
    pairs = overlaps(model, solved.q[seen], DEEP)
    if not pairs:
        return []
    (a, b), depth = max(pairs.items(), key=lambda x: x[1])
    when = next(k for k in seen if overlaps(model, solved.q[k : k + 1], 0.999 * depth).get((a, b)))
    return [Flaw("overlaps", float(solved.times[when]), depth, f"{a} and {b}")]
