"""`bunraku bench worlds`: what it prints is measured, and both sides do the same."""

import json

import numpy as np
import pytest

from bunraku_bench import bench_worlds


@pytest.mark.parametrize("job", bench_worlds.JOBS)
def test_both_sides_do_the_same(job):
    """The same targets in the same step, to the bit; standing, the bases are equally high within 2 mm (squatting, MuJoCo's
    robots hop by up to 1 cm)."""
    robot = bench_worlds.ROBOTS["talos_reduced"]
    kicks, phases = np.zeros((3, 3)), np.array([0, 140, 390])
    us = bench_worlds.OurTurn(robot, job, 1, kicks, phases)
    them = bench_worlds.TheirTurn(bench_worlds.peers(robot)[0], job, 1, kicks, phases)
    for _ in range(2):
        us()
        them()
    us.check("fell")
    assert np.array_equal(np.sort(us.worlds.target_q[:, 7:]), np.sort(them.asked))
    assert np.abs(us.worlds.q[:, 2] - them.states[:, 3]).max() < (0.02 if job == "squat" else 2e-3)


def test_it_prints_json(capsys):
    assert bench_worlds.worlds(json=True, repeats=1, count=4, robots=("simple_humanoid",), jobs=("stand",)) == 0
    results = json.loads(capsys.readouterr().out)["results"]
    assert [(r["name"], r["robot"], r["threads"]) for r in results] == [("stand", "simple_humanoid", n) for n in (1, 2)]
    assert all(r["ratio"] > 0 and r["residual_max"] <= 1e-6 for r in results)
