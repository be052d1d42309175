"""Stand: Gymnasium's own check, what is observed against the World, shoves as drawn, other robots."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import bunraku as bk
import bunraku.environments
from bunraku.environments.pose import Pose
from bunraku.environments.stand import Stand
from bunraku.model.rotations import multiply
from draws import fresh_rng


@pytest.mark.parametrize("name", bunraku.environments.TASKS)
def test_gymnasium_finds_nothing_to_say(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(name).unwrapped, skip_render_check=True)
        check_env(gymnasium.make(name, render_mode="rgb_array").unwrapped)


def test_what_is_observed_is_what_the_world_has():
    task = Stand(3, shove=4.0, threads=1)
    for i in range(3):
        task.seed(i, i)
    task.begin(np.arange(3))
    rng = fresh_rng()
    for _ in range(30):
        task.act(rng.uniform(-1, 1, (3, 28)), np.arange(3))
    terms = task.terms()
    for i in range(3):
        figure = task.worlds[i].figures[0]
        link = figure.model.links[0].name
        position, R = figure.pose(link)
        moves = figure.velocity(link)
        linear, angular = np.ravel(moves)[:3], np.ravel(moves)[3:]
        assert terms["height"][i, 0] == pytest.approx(position[2])
        assert terms["up"][i] == pytest.approx(R[2], abs=1e-12)
        assert terms["velocity"][i] == pytest.approx(R.T @ linear, abs=1e-9)
        assert terms["turning"][i] == pytest.approx(R.T @ angular, abs=1e-9)
    assert task.observe().dtype == np.float32
    assert np.array_equal(task.observe(), np.concatenate(list(terms.values()), axis=1).astype(np.float32))


@pytest.mark.parametrize("turned", [False, True])
def test_poses_are_read_as_they_were_led(turned):
    """A rotation vector r of a ball, in its own axes at rest, reads as 2 sin(|r|/2) r / |r|; hinges read as they are."""
    model = bk.human()
    rng = fresh_rng()
    rest = bk.random_configuration(model, rng) if turned else model.neutral()
    pose = Pose(model, rest)
    away = rng.uniform(-0.8, 0.8, (6, 28))
    away[5] = 0.0
    target = np.tile(rest, (8, 1))
    chosen = np.array([0, 2, 3, 5, 6, 7])
    pose.lead(target, chosen, away)
    seen = pose.read(target)
    balls = [np.arange(k, k + 3) for k, _ in pose._balls]
    single = np.setdiff1d(np.arange(28), np.concatenate(balls))
    assert np.abs(seen[chosen][:, single] - away[:, single]).max() < 1e-14
    for cols, (_, iq) in zip(balls, pose._balls):
        r = away[:, cols]
        angle = np.maximum(np.linalg.norm(r, axis=1, keepdims=True), 1e-300)
        assert np.abs(seen[chosen][:, cols] - 2 * np.sin(angle / 2) * r / angle).max() < 1e-14
        turns = np.concatenate([np.cos(angle / 2), np.sin(angle / 2) * r / angle], axis=1)
        led = np.array([multiply(rest[iq : iq + 4], turn) for turn in turns])
        assert np.abs(target[chosen, iq : iq + 4] - led).max() < 1e-14
    assert np.abs(seen[[1, 4]]).max() < 1e-15 and len(pose.names) == 28


def test_shoves_are_those_that_were_drawn():
    """In the air the momentum gained in an action's time is that of shove and weight, to first order in the step, as it is
    read at the pose after it."""
    task = Stand(4, shove=2.0, threads=2)
    for i in range(4):
        task.seed(i, 100 + i)
    task.begin(np.arange(4))
    task.worlds.q[:, 2] += 50.0
    zero = np.zeros((4, 28))
    for k in range(110):
        before = [task.worlds[i].figures[0].momentum for i in range(4)] if k in task.due else []
        due = task.due == k
        task.act(zero, np.arange(4))
        for i in np.flatnonzero(due):
            gained = task.worlds[int(i)].figures[0].momentum - before[i]
            weight = task.mass * np.array([0, 0, -9.80665])
            assert gained[:3] == pytest.approx(0.02 * (task.force[i] + weight), rel=1e-3, abs=1e-3)
    assert np.all(np.linalg.norm(task.force, axis=1) <= task.mass * 2.0 / 0.1)


def test_the_same_seed_gives_the_same_episode_in_any_company():
    def run(n, seeds, row):
        task = Stand(n, shove=2.0, threads=2, randomise={"friction": (0.3, 1.0), "gains": (0.8, 1.2)})
        for i, s in enumerate(seeds):
            task.seed(i, s)
        seen = []
        for _ in range(2):
            task.begin(np.arange(n))
            for _ in range(12):
                task.act(np.full((n, 28), 0.1), np.arange(n))
                seen.append(task.observe()[row].tobytes())
        return seen

    assert run(1, [5], 0) == run(4, [9, 8, 5, 7], 2) != run(1, [6], 0)


@pytest.mark.parametrize("robot", ["talos", "simple_humanoid"])
def test_robots_stand_too(robot):
    model = bk.robot(robot)
    task = Stand(2, model=model, shove=0.0, threads=1, seconds=2.0)
    task.begin(np.arange(2))
    for _ in range(50):
        task.act(np.zeros((2, len(task.pose.rates))), np.arange(2))
    assert not task.ended()[0].any() and task.reward() == pytest.approx([1.0, 1.0], abs=0.01)
