"""Many environments of a task as one: `gymnasium.make_vec("Bunraku/Stand-v0", num_envs=1024)`.

All three ways of beginning anew (autoreset_mode): in the next step, in the same step (the last observation is then in
`infos["final_obs"]`), or by `reset(options={"reset_mask": mask})` alone. Sequences are those of Gymnasium's SyncVectorEnv
over single environments of the same seeds, which tests/environments/test_modes.py checks bit for bit.
"""

from __future__ import annotations

import importlib
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from bunraku.environments import TASKS
from bunraku.environments.task import DT, MOST, STEPS, Task
from bunraku.errors import InputError

METADATA = {"render_modes": ["rgb_array"], "render_fps": round(1 / (DT * STEPS))}


def task_of(name: str, n: int, options: dict[str, Any]) -> Task:
    """A task by its id."""
    module, _, kind = TASKS[name].partition(":")
    return getattr(importlib.import_module(module), kind)(n, **options)


def spaces_of(task: Task) -> tuple[gymnasium.spaces.Box, gymnasium.spaces.Box]:
    """(observations, actions) of one environment."""
    seen = gymnasium.spaces.Box(-MOST, MOST, (task.observe().shape[1],), np.float32)
    return seen, gymnasium.spaces.Box(-1.0, 1.0, (len(task.pose.rates),), np.float32)


class TaskVectorEnv(VectorEnv):
    """See the module text. options: those of the task, e.g. model="g1.xml", seconds=10, shove=1.2, threads=2, randomise={…}."""

    metadata: dict[str, Any] = {**METADATA, "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012 - as Gymnasium has it

    def __init__(
        self,
        task: str = "Bunraku/Stand-v0",
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self._made = {"task": task, "num_envs": num_envs, "render_mode": render_mode, **options}
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self._made["autoreset_mode"] = self.autoreset_mode.value
        self.metadata = {**METADATA, "autoreset_mode": self.autoreset_mode}
        check_render(render_mode)
        self.task = task_of(task, num_envs, options)
        self.num_envs, self.render_mode = num_envs, render_mode
        self.single_observation_space, self.single_action_space = spaces_of(self.task)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._done = np.zeros(num_envs, dtype=bool)
        self._said = np.zeros((num_envs, *self.single_observation_space.shape), dtype=np.float32)  # what was last seen

    def __reduce__(self) -> Any:
        return _made_again, (self._made,)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin all environments anew, or those of options["reset_mask"]. seed: environment i gets seed + i, or a list."""
        chosen = np.arange(self.num_envs)
        if options is not None and "reset_mask" in options:
            mask = options["reset_mask"]
            if not (
                isinstance(mask, np.ndarray) and mask.dtype == bool and mask.shape == (self.num_envs,) and mask.any()
            ):
                raise InputError(f"reset: reset_mask is {self.num_envs} booleans, some of them true.")
            chosen = np.flatnonzero(mask)
        if seed is not None:
            seeds = [seed + i for i in range(self.num_envs)] if isinstance(seed, int | np.integer) else list(seed)
            if len(seeds) != self.num_envs:
                raise InputError(f"reset: {len(seeds)} seeds for {self.num_envs} environments.")
            for i in chosen:
                if seeds[i] is not None:
                    self.task.seed(int(i), seeds[i])
        self.task.begin(chosen)
        self._done[chosen] = False
        self._said[chosen] = self.task.observe()[chosen]
        return self._said.copy(), {}

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One action of every environment."""
        a = np.asarray(actions, dtype=float)
        if a.shape != self.action_space.shape:
            raise InputError(f"step: actions need shape {self.action_space.shape}, got {a.shape}.")
        mode = self.autoreset_mode
        if mode == AutoresetMode.DISABLED and self._done.any():
            raise InputError("step: some episodes are over; reset them first, by options={'reset_mask': …}.")
        again = self._done.copy()
        chosen = np.flatnonzero(~again)
        self.task.begin(np.flatnonzero(again))
        self.task.act(a, chosen)
        seen, rewards = self.task.observe(), self.task.reward()
        terminated, truncated = self.task.ended()
        rewards[again], terminated[again], truncated[again] = 0.0, False, False
        infos: dict[str, Any] = {}
        over = terminated | truncated
        for i in np.flatnonzero(over):
            why = self.task.worlds.why(int(i))
            info = {"why": why} if why else {}
            if mode == AutoresetMode.SAME_STEP:
                info = {"final_obs": seen[i].copy(), "final_info": info}
            infos = self._add_info(infos, info, int(i))
        if mode == AutoresetMode.SAME_STEP and over.any():
            begun = np.flatnonzero(over)
            self.task.begin(begun)
            seen[begun] = self.task.observe()[begun]
            over = np.zeros_like(over)
        self._done, self._said = over, seen
        return seen.copy(), rewards, terminated, truncated, infos

    def render(self) -> tuple[np.ndarray, ...] | None:
        """A picture of every environment."""
        if self.render_mode is None:
            return None
        return tuple(picture_of(self.task, i) for i in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        self.task.worlds.close()


def _made_again(options: dict[str, Any]) -> TaskVectorEnv:
    return TaskVectorEnv(**options)


def check_render(mode: str | None) -> None:
    """InputError for a render mode that is none."""
    if mode not in (None, *METADATA["render_modes"]):
        raise InputError(f"environment: there is no render mode {mode!r}; take 'rgb_array'.")


def picture_of(task: Task, i: int) -> np.ndarray:
    """(320, 480, 3) bytes: environment i, by the ray caster."""
    from bunraku.draw.film import picture

    return picture(task.worlds[i], view="oblique", width=480, height=320)
