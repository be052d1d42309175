"""A task of many worlds: what its actions do, what is observed, what is rewarded, when an episode ends.

    actions       (n, joints) in [-1, 1]: servo targets about the pose at rest, times REACH [rad or m], 50 times a second;
                  three for a ball: a rotation vector
    observations  named terms side by side, in SI units; nothing is normalised
    reward        the sum of named terms
    ends          terminated: it fell, or its world stands still (`Worlds.why`); truncated: its time is over

All is found for all worlds at once, each row by itself: a single environment gives what a row of a vector of them gives,
bit for bit. Chance of an environment follows from its seed and episode alone. Checked in tests/environments/.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence

import numpy as np

from bunraku.batch.worlds import Worlds
from bunraku.control.servo_gains import servo_gains
from bunraku.environments.pose import Pose
from bunraku.errors import BunrakuError, InputError
from bunraku.humanoid.parts import humanoid
from bunraku.model.model import Model
from bunraku.model.named import as_model
from bunraku.world.world import World

DT, STEPS = 0.002, 10  # s, steps of an action: 50 Hz
REACH = 0.5  # rad or m
MOST = 1e5  # of any observation; what is faster stands still anyway
SETTLE = 100  # steps before the first episode


class Task:
    """See the module text. Subclasses say what `terms` are observed, `rewards` given, what `begins` with an episode and
    `acts` in each step, and who `fell`."""

    def __init__(
        self,
        n: int,
        model: Model | str | os.PathLike[str] = "human",
        *,
        seconds: float = 10.0,
        threads: int | None = None,
        randomise: Mapping[str, Sequence[float]] | None = None,
    ) -> None:
        if not (math.isfinite(seconds) and seconds >= DT * STEPS):
            raise InputError(f"environment: seconds {seconds!r} is not a time of {DT * STEPS:g} or more.")
        self.model, world = standing(model)
        self.worlds = Worlds(world, n, threads)
        self.n, self.limit = n, round(seconds / (DT * STEPS))
        self.pose = Pose(self.model, self.worlds.target_q[0].copy())
        self.height = float(self.worlds.q[0, 2])
        self.actions = np.zeros((n, len(self.pose.rates)))
        self.ticks = np.zeros(n, dtype=np.int64)
        self.worlds.randomise(randomise)
        self._seeded = np.zeros(n, dtype=bool)

    def seed(self, i: int, seed: int) -> None:
        """Let chance of environment i begin anew with a seed: its next episode is number 0."""
        if not (isinstance(seed, int | np.integer) and seed >= 0):
            raise InputError(f"environment: seed {seed!r} is not a whole number of 0 or more.")
        self.worlds.numbers[i], self.worlds.episode[i], self._seeded[i] = int(seed) % 2**32, -1, True

    def begin(self, chosen: np.ndarray) -> None:
        """The next episode of some environments; those that have no seed get one."""
        for i in chosen[~self._seeded[chosen]]:
            self.seed(int(i), int(np.random.SeedSequence().generate_state(1)[0]))
        self.worlds.reset(chosen)
        self.ticks[chosen], self.actions[chosen] = 0, 0.0
        if len(chosen):
            self.begins(chosen)

    def act(self, actions: np.ndarray, chosen: np.ndarray) -> None:
        """One action of some environments; the others stand still."""
        self.actions[chosen] = np.clip(actions[chosen], -1.0, 1.0)
        self.pose.lead(self.worlds.target_q, chosen, REACH * self.actions[chosen])
        self.acts(chosen)
        self.worlds.step(STEPS, chosen)
        self.ticks[chosen] += 1

    def observe(self) -> np.ndarray:
        """(n, numbers) float32: all terms side by side, in the order of `terms`."""
        seen = np.concatenate(list(self.terms().values()), axis=1, dtype=np.float32, casting="same_kind")
        return np.clip(seen, -MOST, MOST)

    def reward(self) -> np.ndarray:
        """(n,)"""
        total = np.zeros(self.n)
        for term in self.rewards().values():
            total += term
        return total

    def ended(self) -> tuple[np.ndarray, np.ndarray]:
        """(terminated, truncated), (n,) each."""
        terminated = self.fell() | (self.worlds.status != 0)
        return terminated, (self.ticks >= self.limit) & ~terminated

    def terms(self) -> dict[str, np.ndarray]:
        """What is observed, by name, (n, numbers) each."""
        raise NotImplementedError

    def rewards(self) -> dict[str, np.ndarray]:
        """What is rewarded, by name, (n,) each."""
        raise NotImplementedError

    def fell(self) -> np.ndarray:
        """(n,) whether it is on its way to the ground."""
        raise NotImplementedError

    def begins(self, chosen: np.ndarray) -> None:
        """Chance of an episode."""

    def acts(self, chosen: np.ndarray) -> None:
        """What happens in a step besides the action."""


def standing(what: Model | str | os.PathLike[str]) -> tuple[Model, World]:
    """(model, a World in which it stands on its feet, led by servos) of a humanoid: a Model, "human", or a file."""
    is_file = isinstance(what, os.PathLike) or (
        isinstance(what, str) and what != "human" and any(c in what for c in "./\\")
    )
    if is_file:
        from bunraku.formats import load

        what = load(what)  # pyright: ignore[reportArgumentType]
    model = as_model(what, "environment")
    try:
        parts = humanoid(model)
        q = parts.stand
    except BunrakuError as error:
        raise InputError(f"environment: {model.name!r} cannot stand: {error}") from None
    world = World(dt=DT)
    world.add_ground(friction=0.8)
    figure = world.add(parts.model)
    figure.q[:] = q
    legs = tuple(name for foot in parts.feet for name in foot.joints)
    stiffness, damping = servo_gains(parts.model, q, legs, "pd")
    dofs = np.concatenate([np.arange(j.iv, j.iv + j.nv) for j in parts.model.joints if j.nv and j.kind != "free"])
    figure.servo(stiffness[dofs], damping[dofs])
    world.step(SETTLE)
    return parts.model, world
