"""The three ways of beginning anew, beside Gymnasium's own vectors of single environments, bit for bit; wrappers."""

import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import bunraku.environments
from bunraku.errors import BunrakuError, InputError

NAME = next(iter(bunraku.environments.TASKS))
OPTIONS: dict[str, Any] = {"seconds": 1.0, "shove": 30.0}
N, STEPS = 5, 80


def sides(mode):
    """(our vector, Gymnasium's over single environments)."""
    ours = gymnasium.make_vec(NAME, num_envs=N, autoreset_mode=mode, threads=2, **OPTIONS)
    single = [lambda: gymnasium.make(NAME, disable_env_checker=True, **OPTIONS) for _ in range(N)]
    return ours, SyncVectorEnv(single, autoreset_mode=mode)


def actions(seed):
    """Random actions from step to step."""
    return np.random.default_rng(seed).uniform(-1.2, 1.2, (STEPS, N, 28)).astype(np.float32)


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("seed", [7, [3, 1, 4, 1, 5]])
def test_sequences_are_those_of_single_environments(mode, seed):
    ours, theirs = sides(mode)
    seen = [side.reset(seed=seed)[0] for side in (ours, theirs)]
    assert seen[0].tobytes() == seen[1].tobytes()
    ended = np.zeros(2, dtype=int)
    for a in actions(0):
        x, y = ours.step(a), theirs.step(a)
        for mine, its in zip(x[:4], y[:4]):
            assert np.asarray(mine).dtype == np.asarray(its).dtype and np.asarray(mine).tobytes() == its.tobytes()
        assert x[4].keys() == y[4].keys()
        if "final_obs" in x[4]:
            assert x[4]["_final_obs"].tolist() == y[4]["_final_obs"].tolist()
            assert all(np.array_equal(p, q) for p, q in zip(x[4]["final_obs"], y[4]["final_obs"]) if p is not None)
        ended += x[2].sum(), x[3].sum()
        if mode == AutoresetMode.DISABLED and (x[2] | x[3]).any():
            mask = x[2] | x[3]
            again = [side.reset(options={"reset_mask": mask.copy()})[0] for side in (ours, theirs)]
            assert again[0].tobytes() == again[1].tobytes()
    assert ended.min() > 0  # some fell, some had their time
    ours.close()


def test_truncation_is_not_termination():
    env = gymnasium.make(NAME, seconds=0.1, shove=0.0)
    env.reset(seed=0)
    ends = [env.step(np.zeros(28, np.float32))[2:4] for _ in range(5)]
    assert ends == [(False, False)] * 4 + [(False, True)]


def test_wrappers_of_gymnasium_work():
    env = gymnasium.make_vec(NAME, num_envs=3, threads=1, **OPTIONS)
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)
    env = gymnasium.wrappers.vector.NormalizeObservation(env)
    env = gymnasium.wrappers.vector.ClipAction(env)
    seen, _ = env.reset(seed=0)
    for a in actions(1)[:20]:
        seen, *_ = env.step(a[:3])
    assert seen.shape == (3, 94) and np.isfinite(seen).all()
    env.close()


@pytest.mark.parametrize("many", [False, True])
def test_environments_are_pickled_as_they_were_made(many):
    env = (
        gymnasium.make_vec(NAME, num_envs=2, threads=1, **OPTIONS)
        if many
        else gymnasium.make(NAME, **OPTIONS).unwrapped
    )
    again = pickle.loads(pickle.dumps(env))
    assert env.reset(seed=3)[0].tobytes() == again.reset(seed=3)[0].tobytes()
    assert again.unwrapped.task.limit == 50
    again.close()


def test_actions_that_are_none_end_that_environment_with_a_reason():
    env = gymnasium.make_vec(NAME, num_envs=3, threads=1, autoreset_mode=AutoresetMode.NEXT_STEP, shove=0.0)
    env.reset(seed=0)
    a = np.zeros((3, 28), np.float32)
    a[1, 4] = np.nan
    seen, _, terminated, truncated, infos = env.step(a)
    assert terminated.tolist() == [False, True, False] and not truncated.any() and np.isfinite(seen).all()
    assert "not finite" in infos["why"][1]
    seen, rewards, terminated, *_ = env.step(np.zeros((3, 28), np.float32))
    assert not terminated.any() and rewards[1] == 0.0 and np.isfinite(seen).all()


BAD = {
    "no environments": (lambda: gymnasium.make_vec(NAME, num_envs=0), "n is 0"),
    "no time": (lambda: gymnasium.make_vec(NAME, num_envs=1, seconds=0.0), "seconds"),
    "shove": (lambda: gymnasium.make_vec(NAME, num_envs=1, shove=-1.0), "shove"),
    "render": (lambda: bunraku_env(render_mode="ansi"), "rgb_array"),
    "model": (lambda: bunraku_env(model="humna"), "human"),
    "a box": (lambda: bunraku_env(model=box()), "cannot stand"),
    "wrong actions": (lambda: started().step(np.zeros((2, 3))), "(2, 28)"),
    "wrong seeds": (lambda: started().reset(seed=[1]), "1 seeds for 2"),
    "negative seed": (lambda: started().reset(seed=-4), "seed -4"),
    "mask": (lambda: started().reset(options={"reset_mask": [True, False]}), "reset_mask"),
    "randomise": (lambda: bunraku_env(randomise={"fricton": (0, 1)}), "friction"),
}


def bunraku_env(**options):
    """A single environment, unwrapped."""
    from bunraku.environments.one import TaskEnv

    return TaskEnv(**options)


def box():
    """A model that has no feet."""
    import bunraku as bk

    return bk.box((1, 1, 1))


def started() -> Any:
    """Two environments."""
    env = gymnasium.make_vec(NAME, num_envs=2, threads=1)
    env.reset(seed=0)
    return env


@pytest.mark.parametrize("what", BAD)
def test_mistakes_are_one_sentence(what):
    do, said = BAD[what]
    with pytest.raises(BunrakuError) as error:
        do()
    assert said in str(error.value) and "\n" not in str(error.value)


def test_a_step_after_the_end_is_refused_where_nothing_begins_anew():
    env = gymnasium.make_vec(NAME, num_envs=1, threads=1, autoreset_mode=AutoresetMode.DISABLED, seconds=0.02)
    env.reset(seed=0)
    env.step(np.zeros((1, 28)))
    with pytest.raises(InputError, match="reset them first"):
        env.step(np.zeros((1, 28)))
