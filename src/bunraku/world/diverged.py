"""What can go wrong in a step, in words; how many steps are asked for."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from bunraku.errors import BunrakuError, InputError
from bunraku.step.step_arrays import DIVERGED, LOOPS_LARGE, TOO_FAST

if TYPE_CHECKING:
    from bunraku.world.world import World


class StepDiverged(BunrakuError):
    """A step gave something that is not finite or absurdly fast; the world keeps its last good state."""


def whole_steps(n: float) -> int:
    """A number of steps; InputError where it is none."""
    if not (isinstance(n, Real) and isfinite(n) and n >= 0 and n == int(n)):
        raise InputError(f"step: {n!r} is not a whole number of 0 or more; `run` takes seconds.")
    return int(n)


def steps_in(seconds: float, dt: float) -> int:
    """How many steps a time [s] has, rounded; InputError where it goes backwards."""
    if not (isinstance(seconds, Real) and isfinite(seconds) and seconds >= 0):
        raise InputError(f"run: {seconds!r} s is not a time of 0 or more; go back with a snapshot.")
    return round(seconds / dt)


def free_steps(world: World, controller: object) -> int:
    """Steps from now to the next one before which a controller wants to be called."""
    every = max(1, int(getattr(controller, "every", 1)))
    return every - round(world.time / world.dt) % every


def diverged(world: World, status: int = int(DIVERGED)) -> str:
    """Which degree of freedom, when, why, and what to try next, after status DIVERGED or LOOPS_LARGE."""
    if status == LOOPS_LARGE:
        return f"t={world.time:.4f} s: an island of closed loops has too many rows for rk4. Try integrator='euler'."
    acceleration, moved = world._step.accel, world._moved
    with np.errstate(all="ignore"):
        if not np.all(np.isfinite(acceleration)):
            x, what = acceleration, "would accelerate at {:.3g} from the forces on it alone"
        elif not np.all(np.abs(moved) < TOO_FAST):
            x, what = moved, "would move at {:.3g}"
        else:
            x, what = world.v + world.dt * acceleration, "moves at {:.3g}, and the constraints on it are not finite"
        worst = int(np.argmax(np.nan_to_num(np.abs(x), nan=np.inf)))
    solver = f"{world.contact}, residual {world._numbers.residual:.2g}"
    return (
        f"t={world.time:.4f} s: {world.model.dof_names[worst]!r} {what.format(x[worst])} ({solver}). The last good state is kept. "
        f"Try dt <= {world.dt / 2:.2g}, or take away what drives it."
    )


def check_finite(world: World) -> None:
    """Raise if something a user set is not finite."""
    total = np.add.reduce  # as x.sum(), in half the time
    if isfinite(total(world.q) + total(world.v) + total(world.tau) + total(world.target_q) + total(world.target_v)):
        return
    rates = (("v", world.v), ("tau", world.tau), ("target_v", world.target_v))
    for what, a, names in [(what, a, world.model.dof_names) for what, a in rates]:
        bad = np.flatnonzero(~np.isfinite(a))
        if len(bad):
            raise StepDiverged(
                f"t={world.time:.4f} s: {what} of {names[bad[0]]!r} is not finite; set it again, or restore a snapshot."
            )
    for what, a in (("q", world.q), ("target_q", world.target_q)):
        bad = np.flatnonzero(~np.isfinite(a))
        if len(bad):
            name = next((j.name for j in world.model.joints if j.iq <= bad[0] < j.iq + max(j.nq, 1)), "?")
            raise StepDiverged(
                f"t={world.time:.4f} s: {what} of {name!r} is not finite; set it again, or restore a snapshot."
            )
