"""Inverse kinematics: configurations that bring frames, and the centre of mass, where they are wanted, within joint
ranges. One state, or a batch of states at once; a start near the solution (a warm one) makes it quick.

Minimises  sum_t w_t |e_t(q)|^2 + sum_i r_i (q - q_rest)_i^2  by Newton steps (bunraku.dynamics.ik_step) in v-space. e is
a frame's position error [m], its rotation vector error times `length` [m] or the error of the centre of mass [m]
(bunraku.dynamics.ik_targets); an infinite weight makes it zero. Ranges are hard or soft (bunraku.dynamics.ik_ranges).
Damped (Levenberg-Marquardt), a step that makes it worse is taken back and made smaller, so that singular and
unreachable targets stay bounded and the result is the nearest pose found; undamped, steps are full ones of at most
BIG_STEP. Each state is solved by itself: one more in the batch changes nothing. Checked in tests/dynamics/test_ik.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bunraku.dynamics.ik_ranges import Ranges
from bunraku.dynamics.ik_step import Quadratic
from bunraku.dynamics.ik_targets import Rows, Target, goal_of, points_of
from bunraku.dynamics.work import Work
from bunraku.errors import InputError
from bunraku.model.configuration import difference, integrate
from bunraku.model.model import Model
from bunraku.model.named import as_model

FREE = 1e-5  # m^2/rad^2: the Hessian of coordinates that nothing weighs on, of full steps
BIG_STEP = 0.3  # rad or m
STILL = 1e-12  # rad or m: a step that ends it, where targets do not
DAMPING, MORE, LESS, LEAST = 1e-3, 4.0, 0.2, 1e-12  # at first; after a step that was worse, or better; at least
PATIENCE = 30  # steps that are worse, one after the other: the state is done


@dataclass(frozen=True)
class Pose:
    """What inverse_kinematics finds: q, whether every target was met, the largest errors left [m, rad], and the number
    of iterations; of a batch, q, `reached` and the errors have one row for each state."""

    q: np.ndarray
    reached: Any  # bool
    position_error: Any  # m
    rotation_error: Any  # rad
    iterations: int
    com_error: Any = 0.0  # m


def inverse_kinematics(
    model: Model | str,
    targets: Target | Sequence[Target],
    q: np.ndarray | None = None,
    *,
    com: Sequence[float] | np.ndarray | None = None,
    com_weight: float = 1.0,
    fixed: Sequence[str] = (),
    rest: np.ndarray | None = None,
    rest_weight: float | np.ndarray = 0.0,
    limits: str = "hard",
    length: float = 0.3,
    tolerance: float = 1e-8,
    iterations: int = 200,
    damped: bool = True,
    still: float = STILL,
    work: Work | None = None,
) -> Pose:
    """A configuration that brings frames to their targets within joint limits, found from the start `q` (the neutral
    pose by default; rows for a batch of states).

    com [m]: where the centre of mass should be. `fixed` names joints that must not move; `rest` is a posture to stay
    near with `rest_weight` [m^2/rad^2], one or one for each degree of freedom; limits: "hard" or "soft", see
    bunraku.dynamics.ik_ranges; `length` [m] converts rotation errors; `tolerance` is in m and, over `length`, in rad;
    `still` [rad or m]: the size of a step that ends it; damped: for any start and any target; False: for a start near
    the solution, and for targets that must hold exactly.
    """
    model = as_model(model, "inverse_kinematics")
    wanted = [targets] if isinstance(targets, Target) else list(targets)
    if not wanted and com is None:
        raise InputError("inverse_kinematics: there is no target.")
    if not all(isinstance(t, Target) for t in wanted):
        raise InputError(
            f"inverse_kinematics: {targets!r} is no Target; write e.g. Target('left_hand', (0.4, 0.3, 1))."
        )
    start = np.array(model.neutral() if q is None else q, dtype=float)
    if start.shape[-1:] != (model.nq,) or start.ndim > 2:
        raise InputError(f"q has shape {start.shape}; this figure needs ({model.nq},) or (batch, {model.nq}).")
    states = np.atleast_2d(start)
    n = len(states)
    movable = np.ones(model.nv, dtype=bool)
    for name in fixed:
        movable[model.joint(name).v] = False
    if limits not in ("hard", "soft"):
        raise InputError(f"inverse_kinematics: limits {limits!r} is neither 'hard' nor 'soft'.")
    moving = np.flatnonzero(movable)
    goals = [goal_of(model, t, n) for t in wanted]
    centre = None if com is None else (points_of(com, n, "inverse_kinematics: com"), com_weight)
    rows = Rows(model, goals, centre, length, moving, work)
    if damped and (limits == "soft" or np.any(np.isinf(rows.weight))):
        raise InputError("inverse_kinematics: soft limits and targets of infinite weight need damped=False.")
    near_to = np.broadcast_to(states if rest is None else np.asarray(rest, dtype=float), states.shape)
    weight = np.broadcast_to(np.asarray(rest_weight, dtype=float), (model.nv,))[moving]
    solver = Solver(rows, Ranges(model, moving), near_to, weight, limits == "hard")
    if damped:
        found, count = solver.damped_steps(states, tolerance, still, iterations)
    else:
        found, count = solver.full_steps(states, still, iterations)
    place, turn, centre_error = rows.largest(rows.errors(found, np.arange(n)))
    near = max(tolerance, 1e-6)
    reached = (place < near) & (turn < near / length) & (centre_error < near)
    if start.ndim == 2:
        return Pose(found, reached, place, turn, count, centre_error)
    return Pose(found[0], bool(reached[0]), float(place[0]), float(turn[0]), count, float(centre_error[0]))


@dataclass(frozen=True, eq=False)
class Solver:
    """Solves a batch of n states; see the module text. rest (n, nq): the posture to stay near; weight: of that, one a
    movable degree of freedom."""

    rows: Rows
    ranges: Ranges
    rest: np.ndarray
    weight: np.ndarray
    hard: bool

    def full_steps(self, q: np.ndarray, still: float, iterations: int) -> tuple[np.ndarray, int]:
        """(q (n, nq), iterations) by steps of at most BIG_STEP."""
        q, at, count = self._inside(q.copy()), np.arange(len(q)), 0  # at: states that are not done
        for count in range(1, iterations + 1):  # noqa: B007 - its last value is reported
            x = q[at]
            step = self._step(x, self._problem(x, at, self.rows.errors(x, at), FREE))
            size = np.abs(step).max(axis=1, initial=0.0)
            q[at] = self._moved(x, step * np.minimum(1.0, BIG_STEP / np.maximum(size, 1e-12))[:, None])
            at = at[size > still]
            if len(at) == 0:
                break
        return q, count

    def damped_steps(self, q: np.ndarray, tolerance: float, still: float, iterations: int) -> tuple[np.ndarray, int]:
        """(q (n, nq), iterations) by steps that never make it worse."""
        q, at, count = self._inside(q.copy()), np.arange(len(q)), 0
        e, damping = self.rows.errors(q, at), np.full(len(q), DAMPING)
        cost, enough = self._cost(q, at, e), -1.0 if np.any(self.weight) else tolerance
        for count in range(1, iterations + 1):  # noqa: B007 - its last value is reported
            at = at[np.abs(e[at]).max(axis=1) >= enough]
            if len(at) == 0:
                break
            problem, todo, going = (
                self._problem(q[at], at, e[at], 0.0),
                np.arange(len(at)),
                np.zeros(len(at), dtype=bool),
            )
            for _ in range(PATIENCE):  # todo: those of `at` that have not become better yet
                now = at[todo]
                step = self._step(q[now], problem.part(todo).damped(damping[now]))
                x = self._moved(q[now], step)
                errors = self.rows.errors(x, now)
                gain = cost[now] - self._cost(x, now, errors)
                better = gain >= 0.0
                damping[now] = np.where(better, np.maximum(LESS * damping[now], LEAST), MORE * damping[now])
                took = now[better]
                q[took], e[took], cost[took] = x[better], errors[better], (cost[now] - gain)[better]
                small = np.abs(step).max(axis=1, initial=0.0) < still
                going[todo] = better & ~small & (gain > 1e-16 * cost[now])
                todo = todo[~better]
                if len(todo) == 0:
                    break
            at = at[going]
        return q, count

    def _inside(self, q: np.ndarray) -> np.ndarray:
        return self.ranges.inside(q) if self.hard else q

    def _moved(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """q after a step, inside hard ranges."""
        full = np.zeros((len(q), self.rows.model.nv))
        full[:, self.rows.moving] = step
        return self._inside(integrate(self.rows.model, q, full))

    def _away(self, q: np.ndarray, at: np.ndarray) -> np.ndarray:
        """(k, moving): how far from the posture."""
        if not np.any(self.weight):
            return np.zeros((len(q), len(self.weight)))
        return difference(self.rows.model, self.rest[at], q)[:, self.rows.moving]

    def _cost(self, q: np.ndarray, at: np.ndarray, e: np.ndarray) -> np.ndarray:
        """(k,): what is minimised inside hard ranges."""
        return (e * e) @ self.rows.weight + self._away(q, at) ** 2 @ self.weight

    def _problem(self, q: np.ndarray, at: np.ndarray, e: np.ndarray, free: float) -> Quadratic:
        """What the next step minimises, at poses q of the states `at` with errors e; free: the Hessian of coordinates
        that have no weight."""
        H = np.tile(np.where(self.weight > 0.0, self.weight, free), (len(q), 1))
        problem = Quadratic(self.rows.jacobian(q, e), e, self.rows.weight, H, self.weight * self._away(q, at), [])
        if not self.hard:
            slope, bend, problem.blocks = self.ranges.soft(q)
            problem.g, problem.H = problem.g + slope, problem.H + bend
        return problem

    def _step(self, q: np.ndarray, problem: Quadratic) -> np.ndarray:
        """(k, moving), within hard ranges."""
        if not self.hard:
            return problem.step()
        room = self.ranges.room(q)
        step = problem.bounded_step(*room)
        problem.blocks = self.ranges.held(q, step, problem.stiffness().mean(axis=1))
        return problem.bounded_step(*room) if problem.blocks else step
