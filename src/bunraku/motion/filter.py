"""Dynamics filter: a recorded or imported motion in, the nearest physically consistent motion out, with ground
reaction, ZMP and torques.

    filtered = dynamics_filter(retarget(load_bvh("02_01.bvh"), human()))
    filtered.solved.save("walk.bkr");  print(filtered.text())

In order (after Yamane and Nakamura's dynamics filter, with a plan of the whole motion instead of a local one):
  1  arms that are inside the body come out (motion.apart);
  2  the feet: when and where they stand, fly and turn (motion.contact_times, motion.footing), and ways that land and
     leave without speed;
  3  the centre of mass and the angular momentum: the nearest path whose zero-moment point stays in the soles and which
     flies freely in the air, with stances that may move (motion.com_plan), made anew when the figure leaves it
     (motion.steering);
  4  step by step (motion.filter_step) the whole-body problem: joint accelerations and floor forces together that follow
     all this and the recorded pose; then v += dt a, q along v, as World steps.
What comes out obeys mechanics by construction whatever went in; how far it had to move is measured. A figure that
cannot follow falls, physically: then what leads there is slowed (motion.slowing), and all is done again, until it can
or `slow` is reached. Checked in tests/motion/test_filter.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypedDict, cast

import numpy as np

from bunraku.dynamics.functions import centroidal
from bunraku.errors import InputError
from bunraku.humanoid.foot_loads import runs
from bunraku.model.configuration import integrate
from bunraku.motion.apart import arms_outside
from bunraku.motion.com_plan import Begin, ComPlan
from bunraku.motion.departure import Moved, how_far
from bunraku.motion.equation import State
from bunraku.motion.filter_step import FilterStep
from bunraku.motion.footing import Footing, find_feet
from bunraku.motion.settle import rates, settled
from bunraku.motion.slowing import lasting, slower, stretched, told
from bunraku.motion.solved import Solved, assemble
from bunraku.motion.steering import Steering
from bunraku.motion.verdict import Flaw, flaws
from bunraku.recording.motion import MOST_FRAMES, Motion

FPS = 120.0  # at most, of what is planned
SHORTEST = 0.2  # s
LOST, RUNAWAY = 0.15, 300.0  # m; m/s or rad/s
# of slowing, at most; s of the recording that a round must bring; rounds that do not, until it is given up
ROUNDS, FURTHER, VAIN = 8, 0.02, 2
NO_START = "filter: the figure cannot follow the motion from its start; is its floor level, are its feet found?"


class CannotStart(InputError):
    """The figure falls in its first steps."""


@dataclass(frozen=True, eq=False)
class Filtered:
    """The consistent motion `solved`, the recorded one, slowed where it had to be, its feet, the plan of its centre of
    mass, and how far it moved [m, rad]; pace: how many times as long each frame of the motion that was given lasts,
    `given` [s] when these frames came; `text()` tells of it."""

    solved: Solved
    recorded: Motion
    feet: tuple[Footing, ...]
    plan: ComPlan
    moved: Moved
    given: np.ndarray
    pace: np.ndarray

    @cached_property
    def flaws(self) -> tuple[Flaw, ...]:
        """What is wrong with it, see bunraku.motion.verdict; nothing where it is done."""
        return flaws(self.recorded, self.solved, self.lost)

    @property
    def slowed(self) -> list[dict[str, float]]:
        """Each slowed part: from_s, to_s of the motion that was given [s], times: as long as it was, at most."""
        return told(self.given, self.pace)

    @property
    def load(self) -> np.ndarray:
        """(n - 1,): vertical ground reaction of every step, as a fraction of the weight."""
        return self.solved.ground_reaction[1:, 2] / self.solved.weight

    @property
    def lost(self) -> float | None:
        """The time [s] from which on it is farther than LOST from the planned path of its centre of mass: it fell, and
        the motion ends soon after; None where it never is."""
        apart = np.linalg.norm(self.solved.com - self.plan.spline(self.solved.times), axis=1)
        rows = np.flatnonzero(apart > LOST)
        if len(rows):
            return float(self.solved.times[rows[0]])
        end = float(self.solved.times[-1])
        return end if end < float(self.recorded.times[-1]) - 0.05 else None

    def stances(self) -> dict[str, list[tuple[float, float]]]:
        """Foot -> [(begin, end) of each time it stands, s]."""
        t, dt = self.recorded.times, self.recorded.duration / (len(self.recorded) - 1)
        return {f.foot.link: [(float(t[a]), float(t[b - 1] + dt)) for a, b in runs(f.touches)] for f in self.feet}

    def text(self) -> str:
        """A short table."""
        load = f"ground reaction {self.load.min():.2f} to {self.load.max():.2f} of the weight"
        head = f"{len(self.recorded)} frames, {self.recorded.duration:.3g} s; {load}"
        feet = [
            f"  {name:<16} stands {', '.join(f'{a:.2f}-{b:.2f}' for a, b in times)} s"
            for name, times in self.stances().items()
        ]
        slow = [
            f"  slowed up to {x['times']:.2f} times from {x['from_s']:.2f} to {x['to_s']:.2f} s" for x in self.slowed
        ]
        wrong = [f"  {x.text()}" for x in self.flaws]
        return "\n".join([head, *feet, *slow, *wrong, "moved by", *self.moved.lines()])


class FilterOptions(TypedDict, total=False):
    """Options of dynamics_filter that `follow` passes on."""

    dt: float
    load: tuple[float, float] | None
    margin: float
    slow: float


def dynamics_filter(
    motion: Motion,
    *,
    dt: float = 0.002,
    friction: float = 0.8,
    load: tuple[float, float] | None = None,
    margin: float = 0.015,
    strength: float = 1.0,
    slow: float = 3.0,
    progress: Callable[[int, int], None] | None = None,
) -> Filtered:
    """The nearest physically consistent motion to a recorded or imported one, with ground reaction, zero-moment point
    and torques. dt [s]: of its frames; friction of the floor; load: least and largest ground reaction planned, of the
    weight; by default (0.5, 1.6), where the motion has flights (0.05, 3.5). margin [m]: how far inside the soles the
    zero-moment point is planned. strength: what the torque limits of the figure are multiplied with. slow: how many
    times as long parts may last that cannot be done otherwise; 1: none does."""
    model = motion.model
    if not model.joints or model.joints[0].kind != "free":
        raise InputError(f"filter: {model.name!r} has no free base; only what can fall needs a filter.")
    if not 0 < dt <= 0.02 or motion.duration < 10 * dt:
        raise InputError(f"filter: dt {dt} s must be above 0, at most 0.02 s, and a tenth of the motion at the most.")
    if motion.duration < SHORTEST:
        raise InputError(
            f"filter: {len(motion)} frames of {motion.duration:.2g} s are too few to tell where feet stand; {SHORTEST:g} s or more are needed."
        )
    if not 0 < strength < np.inf:
        raise InputError(f"filter: strength {strength} is not a number above 0.")
    if not 1 <= slow < np.inf:
        raise InputError(f"filter: slow {slow} is not a number of 1 or more.")
    if motion.duration / dt > MOST_FRAMES:
        raise InputError(f"filter: {motion.duration:g} s in steps of {dt:g} s are more than {MOST_FRAMES} frames.")
    given, pace, best, furthest, vain = motion, np.ones(len(motion)), None, -1.0, 0
    for _ in range(ROUNDS):
        try:
            found = once(stretched(given, pace), dt, friction, load, margin, strength, progress)
            found = replace(found, given=given.times, pace=pace)
            fails = found.lost
        except CannotStart:
            found, fails = None, float(given.times[0])
            if slow == 1 or (pace.max() == slow and best is None):
                raise
        if fails is None:
            return cast(Filtered, found)
        when = float(np.interp(fails, lasting(given.times, pace), given.times))
        vain += 1
        if found is not None and (best is None or when > furthest + FURTHER):
            best, furthest, vain = found, when, 0
        now = slower(given.times, pace, when, slow)
        if vain == VAIN or (motion.duration * now.mean()) / dt > MOST_FRAMES or np.allclose(now, pace):
            break
        pace = now
    if best is None:
        raise CannotStart(NO_START)
    return best  # as far as it goes, the least slowed of those


def once(
    motion: Motion,
    dt: float,
    friction: float,
    load: tuple[float, float] | None,
    margin: float,
    strength: float,
    progress: Callable[[int, int], None] | None,
) -> Filtered:
    """The filter at the motion's own pace; see dynamics_filter."""
    motion = even(motion)
    recorded, motion = motion, arms_outside(motion)
    model = motion.model
    steer = Steering(motion, find_feet(motion), load, margin, friction)
    near = settled(motion, steer.feet, steer.plan.spline(motion.times), 1)
    steps = round(motion.duration / dt)
    at = motion.times[0] + dt * np.arange(steps + 1)
    step = FilterStep(motion, steer, at, friction, strength)
    q = near.q[0].copy()
    twists = [(f.foot.link, p.twist[0]) for f, p in zip(steer.feet, step.paths)]
    v = rates(model, q, step.ref.v[0], twists, steer.plan.at(at[0])[1], steer.plan.spin(at[0])[0])
    out_q, out_v, out_tau, touches = [q], [v], [np.zeros(model.nv)], [[]]
    for k in range(steps):
        state, whole = State(model, q, v), centroidal(model, q, v)
        now, frame = Begin(whole.com, whole.com_velocity, whole.angular), int(step.frame[k])
        if k and frame > step.frame[k - 1] and steer.leaves(now, at[k]):
            early = float(motion.times[frame] - at[k])
            if steer.renew(frame, replace(now, com=now.com + early * now.rate)):
                step.see_feet()
        a, tau, touching = step.solve(k, state, now)
        v = v + dt * a
        q = integrate(model, q, v, dt)
        off = float(np.linalg.norm(centroidal(model, q).com - steer.plan.at(at[k + 1])[0]))
        if not (off < 2 * LOST and np.abs(v).max() < RUNAWAY):  # it falls: what was before is kept
            if k < 50:
                raise CannotStart(NO_START)
            break
        out_q.append(q)
        out_v.append(v)
        out_tau.append(tau)
        touches.append(touching)
        if progress is not None:
            progress(k + 1, steps)
    meta: dict[str, Any] = {"made by": "dynamics filter", "source": str(motion.meta.get("source", model.name))}
    if strength != 1.0:
        meta["strength"] = strength  # whoever follows it is as strong
    solved = assemble(
        model, dt, np.array(out_q), np.array(out_v), np.array(out_tau), touches, start=float(at[0]), friction=friction, meta=meta
    )  # fmt: skip
    as_it_came = recorded.times, np.ones(len(recorded))
    return Filtered(solved, recorded, steer.feet, steer.plan, how_far(model, recorded, solved), *as_it_came)


def even(motion: Motion) -> Motion:
    """The motion with even frames, FPS a second where it has others or more."""
    steps = np.diff(motion.times)
    rate = 1.0 / float(steps.mean())
    if not rate >= 20.0:
        raise InputError(f"filter: {rate:.3g} frames a second are too few to tell what feet do; 20 or more are needed.")
    return motion if rate < 1.2 * FPS and np.ptp(steps) <= 1e-3 * steps.mean() else motion.resampled(FPS)
