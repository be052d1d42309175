"""Chance by counter: known answers, moments, and episodes that replay alone."""

import numpy as np

import batch_scenes as scenes
from bunraku.batch import Worlds
from bunraku.batch.chance import normal, philox, uniform
from draws import fresh_rng


def test_philox_gives_the_known_answers():
    """Of Salmon, Moraes, Dror and Shaw's own test vectors, philox4x32 with ten rounds."""
    known = [
        ((0, 0, 0, 0), (0, 0), "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        ((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0), "d16cfe09 94fdcceb 5001e420 24126ea1"),
    ]  # fmt: skip
    for counter, key, words in known:
        got = philox(np.array(counter, dtype=np.uint64), key)
        assert " ".join(f"{int(x):08x}" for x in got) == words


def test_numbers_follow_from_their_counter_alone():
    worlds, episodes, first = np.arange(50), np.full(50, 3), np.zeros(50, dtype=int)
    all_of_them = uniform(7, worlds, episodes, first, 40)
    order = fresh_rng().permutation(50)
    assert np.array_equal(uniform(7, worlds[order], episodes, first, 40), all_of_them[order])
    assert np.array_equal(uniform(7, worlds, episodes, first + 13, 20), all_of_them[:, 13:33])
    others = [uniform(8, worlds, episodes, first, 40), uniform(7, worlds, episodes + 1, first, 40)]
    others.append(uniform(7, worlds, episodes, first, 40, stream=1))
    assert all(not np.any(x == all_of_them) for x in others) and len(np.unique(all_of_them)) == all_of_them.size


def test_moments():
    """Mean and variance within five standard deviations of what they are of so many numbers, drawn once and for all."""
    n = 200 * 500
    u = uniform(1, np.arange(200), np.zeros(200), np.zeros(200, dtype=int), 500)
    x = normal(1, np.arange(200), np.zeros(200), np.zeros(200, dtype=int), 500)
    assert u.min() >= 0 and u.max() < 1 and abs(u.mean() - 0.5) < 5 / np.sqrt(12 * n)
    assert abs(x.mean()) < 5 / np.sqrt(n) and abs(x.var() - 1) < 5 * np.sqrt(2 / n)
    assert abs(np.mean(x[:, 1:] * x[:, :-1])) < 5 / np.sqrt(n)


def go(worlds, steps=6):
    """An episode with noise on the targets; all states on the way."""
    way = []
    for _ in range(steps):
        worlds.target_q[:, 7:] += 0.01 * worlds.normal(worlds.q.shape[1] - 7)
        worlds.push(None, "human.trunk", 20 * worlds.uniform(3), 0.01)
        worlds.step(4)
        way.append(worlds.q.copy())
    return np.array(way)


def test_any_episode_replays_alone_bit_for_bit():
    worlds = Worlds(scenes.stand(), 9, 2, seed=42)
    worlds.randomise({"friction": (0.4, 1.0), "mass of human.trunk": (0.8, 1.2), "delay": (0, 3), "gains": (0.8, 1.2)})
    rng, ways = fresh_rng(), {}
    for _ in range(4):
        begun = rng.random(9) < 0.7
        worlds.reset(begun)
        way = go(worlds)
        ways |= {(w, int(worlds.episode[w])): way[:, w] for w in np.flatnonzero(begun)}
    fresh = Worlds(scenes.stand(), 9, 1, seed=42)
    fresh.randomise(worlds._ranges)
    for w, episode in list(ways)[:10]:
        assert go(fresh.replay(w, episode))[:, 0].tobytes() == ways[w, episode].tobytes()
    worlds.reset(seed=42)
    first = go(worlds)
    for w in range(9):
        assert go(fresh.replay(w, 0))[:, 0].tobytes() == first[:, w].tobytes()
