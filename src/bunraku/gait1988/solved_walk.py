"""A solved walk: one step sampled in time, in either mode, SI units throughout.

`solve_walk(gait, mode=…)` runs the program: `historical` follows the report (search from the gait's starts, its
integrator, its equations), `exact` solves the rigid figure without a start. `Walk` holds what later parts need:
coordinates, mass centres with derivatives, ground reaction, joint moments on the outer side, and the state. Times are
those of the report's tables (41 rows) unless `samples` asks for more. Frame: origin at the ZMP of that instant, x
forward, y left, z up; the left foot carries. At an instant where the ZMP jumps the old place holds (as in the
report). Checked in tests/gait1988/test_solved_walk.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from bunraku.errors import InputError, NoWalk, UnknownName, closest
from bunraku.gait1988.flow import Flow
from bunraku.gait1988.pattern import Gait
from bunraku.gait1988.report_integrator import ReportProgram
from bunraku.gait1988.report_moments import BEYOND, report_moments
from bunraku.gait1988.report_shooting import ReportSearch, search
from bunraku.gait1988.rigid_model import ArmSprings
from bunraku.gait1988.shooting import LARGEST_PSI, LARGEST_THETA, Solution, solve
from bunraku.gait1988.smooth import ROWS
from bunraku.gait1988.twelve_bodies import G

MODES = ("exact", "historical")
JOINT_BODY = (0, 1, 2, 8, 9, 10, 3)
"""Body whose own joint is joint 1 … 7 (the right hip etc. belong to the body beyond them)."""


@dataclass(frozen=True)
class Walk:
    """One step of walking. n samples; bodies and joints numbered as in the report, from 0."""

    gait: Gait
    mode: str
    arms_free: bool
    time: np.ndarray  # (n,) s
    coordinates: np.ndarray  # (n, 12, 3) angles of rigid_model.COORDINATES, rates, accelerations
    bodies: np.ndarray  # (n, 12, 3, 3) mass centres: axis, order (m, m/s, m/s2)
    joints: np.ndarray  # (n, 7, 3) m
    moments: np.ndarray  # (n, 7, 3) N m on the bodies beyond the joint
    force: np.ndarray  # (n, 3) ground reaction, N
    zmp: np.ndarray  # (n,) m ahead of the foot's centre
    residual: np.ndarray  # (n, 2) moment left at the ZMP, N m
    power: np.ndarray  # (n,) dE/dt, W (nan in mode historical: its links are not rigid)
    start: np.ndarray  # state at t = 0
    end: np.ndarray  # state at the end of the step
    iterations: int
    search: ReportSearch | Solution
    springs: ArmSprings | None = None

    @property
    def theta(self) -> np.ndarray:
        """Lateral lean of the legs, rad."""
        return self.coordinates[:, 0, 0]

    @property
    def psi(self) -> np.ndarray:
        """Forward lean of the trunk, rad."""
        return self.coordinates[:, 1, 0]

    @property
    def stride(self) -> float:
        """How far one step goes, m: the swinging foot ahead of the support foot at the end."""
        last = self.bodies[-1, :, 0, 0]
        return float(last[10] - last[11])


def sample_times(gait: Gait, samples: int = ROWS) -> np.ndarray:
    """Equally spaced times over one step, both ends counted."""
    if not 2 <= samples <= 100_001:
        raise InputError(f"samples: wanted 2 to 100001, got {samples}.")
    return np.linspace(0.0, gait.step_time, samples)


def checked_start(start: np.ndarray, size: int) -> np.ndarray:
    """A start as floats, of the right size and finite."""
    out = np.asarray(start, dtype=float)
    if out.shape != (size,):
        raise InputError(f"start: wanted {size} numbers (angles, then rates), got an array of shape {out.shape}.")
    if not np.isfinite(out).all():
        raise InputError(f"start must be finite (rad, rad/s), got ({', '.join(f'{v:g}' for v in out)}).")
    return out


def exact_walk(
    gait: Gait,
    *,
    arms_free: bool = False,
    springs: ArmSprings | None = None,
    samples: int = ROWS,
    start: np.ndarray | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> Walk:
    """Solve and sample the walk of the rigid figure."""
    flow = Flow(gait, arms_free=arms_free, springs=springs)
    solution = solve(flow, None if start is None else checked_start(start, 12 if arms_free else 4), progress)
    walk = sample_flow(flow, solution, sample_times(gait, samples))
    lift = float(walk.force[:, 2].min())
    if lift <= 0.0:
        when = walk.time[walk.force[:, 2].argmin()]
        raise NoWalk(
            f"gait {gait.name!r}: at t = {when:.3f} s the ground would have to pull with {-lift:.0f} N, "
            "which is not a walk; lengthen the cycle or move the legs less."
        )
    return walk


def states_at_pieces(flow: Flow, start: np.ndarray) -> np.ndarray:
    """State at the beginning of every piece and at the end of the step (pieces + 1, n)."""
    states = [np.asarray(start, dtype=float)]
    for piece in range(flow.pieces):
        following = flow.advance(states[-1], piece, piece + 1)
        if following is None:
            raise NoWalk(f"gait {flow.gait.name!r}: the walk cannot be integrated past t = {flow.time[piece]:.3f} s.")
        states.append(following)
    return np.array(states)


def sample_flow(flow: Flow, solution: Solution, times: np.ndarray, *, after: bool = False) -> Walk:
    """Evaluate everything at the given times; `after` takes the new ZMP at an instant where it jumps."""
    states = states_at_pieces(flow, solution.start)
    samples = []
    for t in times:
        side = "right" if after else "left"
        piece = int(np.clip(np.searchsorted(flow.time - (1e-9 if after else -1e-9), t, side) - 1, 0, flow.pieces - 1))
        whole = (t - flow.time[piece]) / (flow.time[piece + 1] - flow.time[piece])
        x = (
            states[piece]
            if whole <= 1e-9
            else states[piece + 1]
            if whole >= 1.0 - 1e-9
            else flow.partway(states[piece], piece, whole)
        )
        frac = flow.frac0[piece] + np.clip(whole, 0.0, 1.0) * (flow.frac1[piece] - flow.frac0[piece])
        c = flow.coordinates(piece, frac, x)
        body = flow.bodies(piece, c)
        centre, velocity = body.column("centre"), body.column("velocity")
        f, m = body.column("force"), body.column("moment")
        joints, moments = np.empty((7, 3)), np.empty((7, 3))
        for k, beyond in enumerate(BEYOND):
            chosen, joints[k] = list(beyond), body[JOINT_BODY[k]].joint
            moments[k] = (np.cross(centre[chosen] - joints[k], f[chosen]) + m[chosen]).sum(axis=0)
        bodies = np.stack([centre, velocity, body.column("acceleration")], axis=2)
        about = (np.cross(centre, f) + m).sum(axis=0)
        power = np.sum(f * velocity) + np.sum(m * body.column("w"))
        samples.append((c, bodies, joints, moments, f.sum(axis=0), flow.zmp[piece], about[:2], power))
    return Walk(
        flow.gait,
        "exact",
        flow.arms_free,
        np.asarray(times, dtype=float),
        *(np.array(values) for values in zip(*samples)),
        start=solution.start,
        end=states[-1],
        iterations=solution.iterations,
        search=solution,
        springs=flow.springs,
    )


def historical_walk(gait: Gait, *, start: np.ndarray | None = None) -> Walk:
    """Follow the report: search from the given start, or from the gait's starts one after the other, or, where it has
    none (our own gaits), from the start of the exact walk; then its tables."""
    program = ReportProgram(gait)
    if start is None and not gait.starts:
        start = solve(Flow(gait)).start
    starts = [checked_start(s, 4) for s in (map(np.array, gait.starts) if start is None else [start])]
    tried: list[ReportSearch] = []
    for first in starts:
        found = search(program, first)
        if found.converged:
            return report_walk(program, replace(found, failed=tuple(tried)))
        tried.append(found)
    said = "; ".join(f"({', '.join(f'{v:g}' for v in f.first)}): {f.told}" for f in tried)
    raise NoWalk(
        f"gait {gait.name!r}: the historical iteration found no walk from {len(tried)} start(s), {said}. "
        "Try another start, or mode exact, which needs none."
    )


def moma_walk(gait: Gait) -> Walk:
    """MOMA alone: the step from the one start that a gait has (its cards bring it), without a search."""
    program = ReportProgram(gait)
    (first,) = (checked_start(np.array(s), 4) for s in gait.starts)
    _, stopped = program.end(first, 1e3)
    given = ReportSearch(first, first, "norm too big" if stopped else "given", stopped=stopped)
    if stopped:
        raise NoWalk(
            f"gait {gait.name!r}: from the start ({', '.join(f'{v:g}' for v in first)}) the figure falls, {given.told}; "
            "give MOMA the start that BIDYN found."
        )
    return report_walk(program, given)


def report_walk(program: ReportProgram, found: ReportSearch) -> Walk:
    """The tables of the report from the start that was found."""
    gait, run = program.gait, program.run(found.start, 1e3)
    if np.abs(run.state[:, 1]).max() > LARGEST_PSI or np.abs(run.state[:, 0]).max() > LARGEST_THETA:
        raise NoWalk(
            f"gait {gait.name!r}: the historical iteration ended in a solution that leans the trunk by "
            f"{np.degrees(np.abs(run.state[:, 1]).max()):.0f} degrees, which is not a walk; try another start."
        )
    moments = report_moments(program, run, corrected=True)
    coordinates = np.zeros((ROWS, 12, 3))
    coordinates[:, 2:8] = program.table
    coordinates[:, 0] = np.stack([run.state[:, 0], run.state[:, 2], run.rates[:, 2]], axis=1)
    coordinates[:, 1] = np.stack([run.state[:, 1], run.state[:, 3], run.rates[:, 3]], axis=1)
    coordinates[:, 8:] = coordinates[:, 1:2]
    mass = program.mass[:, None]
    weight = np.array([0.0, 0.0, G])
    newton = mass * (run.bodies[..., 2] + weight)
    about = (np.cross(run.bodies[..., 0], newton) + run.spins).sum(axis=1)
    return Walk(
        gait,
        "historical",
        False,
        run.time,
        coordinates,
        run.bodies,
        moments.joints,
        -G * moments.total,
        G * program.forces(run),
        program.zmp,
        G * about[:, :2],
        np.full(ROWS, np.nan),
        run.state[0],
        run.state[-1],
        len(found.iterations),
        found,
    )


def solve_walk(
    gait: Gait,
    mode: str = "exact",
    *,
    arms_free: bool = False,
    samples: int = ROWS,
    start: np.ndarray | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> Walk:
    """Solve a gait in mode 'exact' or 'historical'."""
    if mode not in MODES:
        raise UnknownName(f"there is no mode {mode!r}.{closest(mode, MODES)}")
    if mode == "exact":
        return exact_walk(gait, arms_free=arms_free, samples=samples, start=start, progress=progress)
    if arms_free:
        raise InputError("free arms exist in mode exact only: the report's program has them fixed.")
    if samples != ROWS:
        raise InputError(f"mode historical has the report's {ROWS} rows; samples = {samples} needs mode exact.")
    return historical_walk(gait, start=start)
