"""Steering: where the feet stand and what way the centre of mass goes, planned for a whole motion, and planned again
when the figure leaves it.

A figure that has left its path by an error of e cannot simply be pulled back: with its zero-moment point inside small
soles, or on one toe, the error grows as exp(t sqrt(g / z)). So the plan (bunraku.motion.com_plan) is made anew from the
place, velocity and angular momentum that the figure has, AHEAD seconds far, and stances that begin later than LATE from
now may move: that is a step of recovery, of millimetres mostly. Checked in tests/motion/test_steering.py.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bunraku.dynamics.functions import centroidal
from bunraku.motion.com_plan import Begin, ComPlan, Course, course_of, planned
from bunraku.motion.footing import Footing, moved, stretches
from bunraku.motion.settle import reach
from bunraku.recording.motion import Motion

WALK, RUN = (0.5, 1.6), (0.05, 3.5)  # of the weight: what the ground may carry without and with flight
GRIP = 0.6  # of friction: how much the plan uses
AHEAD, LATE = 2.5, 0.2  # s
EVERY, ENOUGH = 0.06, 0.6  # s: between two plans; of a plan that is left
# m: how far the figure may be from its path, without and with flights; s: 1 m/s counts as so many metres
LEFT, SOON = (0.05, 0.01), 0.2
STEPPED = 0.002  # m: smaller moves of stances are none


class Steering:
    """feet, plan: where they stand and the way of the centre of mass, as planned at first; now: the plan that is
    followed; share (feet, n): what each foot should carry, of the weight, in every frame."""

    def __init__(
        self,
        motion: Motion,
        feet: tuple[Footing, ...],
        load: tuple[float, float] | None,
        margin: float,
        friction: float,
    ) -> None:
        self.motion, model = motion, motion.model
        whole = centroidal(model, motion.q, motion.v)
        supports, numbers = supported(feet, len(motion))
        self.flies = any(len(s) == 0 for s in supports)
        allowed = load or (RUN if self.flies else WALK)

        def course(feet: tuple[Footing, ...], supports: list[np.ndarray], stances: list[np.ndarray] | None) -> Course:
            return course_of(
                motion.times, whole.com, whole.angular, supports, model.mass, float(np.linalg.norm(model.gravity)), load=allowed,
                margin=margin, highest=reach(motion, feet, whole.com, self.flies), stances=stances, grip=GRIP * friction,
            )  # fmt: skip

        self.feet = shifted(motion, feet, planned(course(feet, supports, numbers)).shifts)
        self.numbers = numbers
        self.course = course(self.feet, supported(self.feet, len(motion))[0], None)
        self.plan = self.now = planned(self.course)
        self.share = loads(self.feet, self.plan)
        self.renewed, self._last = 0, -np.inf

    def leaves(self, begin: Begin, time: float) -> bool:
        """Whether the figure has left its path, or the path soon ends."""
        place, rate, _ = self.now.at(time)
        off = np.linalg.norm(begin.com - place) + SOON * np.linalg.norm(begin.rate - rate)
        left = float(self.now.times[-1]) - time
        return time >= self._last + EVERY and bool(
            off > LEFT[self.flies] or (left < ENOUGH and left < self.course.times[-1] - time)
        )

    def renew(self, frame: int, begin: Begin) -> bool:
        """A new plan from a frame on; True where feet were moved."""
        times, n = self.course.times, len(self.course.times)
        end = min(n, frame + 1 + round(AHEAD * (n - 1) / float(times[-1] - times[0])))
        if end - frame < 8:
            return False
        self._last, self.renewed = float(times[frame]), self.renewed + 1
        late = np.searchsorted(times, times[frame] + LATE)
        stay = np.unique(np.concatenate([[-1], *self.numbers[: late + 1]]))
        numbers = [np.where(np.isin(x, stay), -1, x) for x in self.numbers]
        self.now = planned(replace(self.course, stances=numbers).part(frame, end), begin)
        stepped = bool(np.abs(self.now.shifts).max(initial=0.0) > STEPPED)
        if stepped:
            self.feet = shifted(self.motion, self.feet, self.now.shifts)
            self.course = replace(self.course, supports=supported(self.feet, n)[0])
        self.share[:, frame:end] = loads(self.feet, self.now, frame)
        return stepped


def shifted(motion: Motion, feet: tuple[Footing, ...], shifts: np.ndarray) -> tuple[Footing, ...]:
    """Feet with their stretches moved by shifts (as many as move, 2), numbered as `supported` does."""
    parts, first = [], 0
    for f in feet:
        count = max(stretches(f.stances), default=-1) + 1
        part = np.zeros((count, 2))
        known = shifts[first : first + count]
        part[: len(known)] = known
        parts.append(part)
        first += count
    return moved(motion, feet, parts)


def supported(feet: tuple[Footing, ...], frames: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """(corners (m, 3) that touch, the number of the stretch of stances that each belongs to) in every frame; those of
    all feet are counted on."""
    owner, count = [], 0
    for f in feet:
        of = np.full(frames, -1)
        for st, n in zip(f.stances, stretches(f.stances)):
            of[st.first : st.end] = count + n
        owner.append(of)
        count += max(stretches(f.stances), default=-1) + 1
    corners = [[f.corners(k) for f in feet] for k in range(frames)]
    numbers = [np.concatenate([np.full(len(c), of[k]) for c, of in zip(row, owner)]) for k, row in enumerate(corners)]
    return [np.vstack(row) for row in corners], numbers


def loads(feet: tuple[Footing, ...], plan: ComPlan, first: int = 0) -> np.ndarray:
    """(feet, n): what each foot should carry in the frames of a plan from `first` on, of the weight: where the planned
    zero-moment point is between those that stand."""
    out = np.zeros((len(feet), len(plan.times)))
    for k in range(len(plan.times)):
        stand = [n for n, f in enumerate(feet) if f.touches[first + k]]
        share = np.full(len(stand), 1.0 / max(1, len(stand)))
        if len(stand) == 2:
            a, b = (feet[n].corners(first + k)[:, :2].mean(axis=0) for n in stand)
            second = float(np.clip((plan.zmp[k] - a) @ (b - a) / max(1e-9, float((b - a) @ (b - a))), 0.0, 1.0))
            share = np.array([1.0 - second, second])
        out[stand, k] = share * plan.load[k]
    return out
