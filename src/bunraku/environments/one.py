"""One environment of a task: `gymnasium.make("Bunraku/Stand-v0")`; a batch of one world. Checked in tests/environments/."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from bunraku.environments.many import METADATA, check_render, picture_of, spaces_of, task_of
from bunraku.errors import InputError


class TaskEnv(gymnasium.Env[np.ndarray, np.ndarray]):
    """An environment of a task; options: those of the task, e.g. model="g1.xml", seconds=10, shove=1.2, randomise={…}."""

    metadata = METADATA

    def __init__(self, task: str = "Bunraku/Stand-v0", *, render_mode: str | None = None, **options: Any) -> None:
        self._made = {"task": task, "render_mode": render_mode, **options}
        check_render(render_mode)
        self.task = task_of(task, 1, {"threads": 1, **options})
        self.render_mode = render_mode
        self.observation_space, self.action_space = spaces_of(self.task)

    def __reduce__(self) -> Any:
        return _made_again, (self._made,)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode; with a seed, episode 0 of that seed."""
        super().reset(seed=seed)
        if seed is not None:
            self.task.seed(0, seed)
        self.task.begin(np.array([0]))
        return self.task.observe()[0], {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """One action."""
        a = np.asarray(action, dtype=float)
        if a.shape != self.action_space.shape:
            raise InputError(f"step: an action needs shape {self.action_space.shape}, got {a.shape}.")
        self.task.act(a[None], np.array([0]))
        terminated, truncated = self.task.ended()
        why = self.task.worlds.why(0)
        reward = float(self.task.reward()[0])
        return self.task.observe()[0], reward, bool(terminated[0]), bool(truncated[0]), {"why": why} if why else {}

    def render(self) -> Any:
        """A picture (320, 480, 3), or None."""
        return None if self.render_mode is None else picture_of(self.task, 0)

    def close(self) -> None:
        """End what it holds."""
        self.task.worlds.close()


def _made_again(options: dict[str, Any]) -> TaskEnv:
    return TaskEnv(**options)
