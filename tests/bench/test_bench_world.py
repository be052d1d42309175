"""`bunraku bench world`: a short run has the promised figures; the twin in MuJoCo is the same robot."""

import json

import numpy as np
import pytest

from bunraku_bench import bench_world
from bunraku_bench.bench_mujoco import twin


def test_twin_has_the_same_mass_matrix():
    """MuJoCo's joint-space inertia of the twin at the standing pose is ours, but for the order of the base's rates."""
    import mujoco

    import bunraku as bk

    robot = bench_world.ROBOTS["talos_reduced"]
    d = bench_world.description_of(robot)
    model = d.build()
    q, _ = bench_world.poses(model, robot)
    m, data, _, _ = bench_world.peers(robot)[0]
    M = np.zeros((m.nv, m.nv))
    mujoco.mj_fullM(m, data, M)
    assert m.nv == model.nv
    names = twin(mujoco, d, 1.0, 1.0, 1.0)[1]
    mine = bk.crba(model, q)
    order = [model.joint(n).iv for n in names]
    theirs = [m.joint(n).dofadr[0] for n in names]
    assert np.abs(M[np.ix_(theirs, theirs)] - mine[np.ix_(order, order)]).max() < 1e-6
    assert M[0, 0] == pytest.approx(model.mass, rel=1e-9)


@pytest.mark.slow
def test_json_has_the_promised_keys(capsys, monkeypatch):
    monkeypatch.setattr(bench_world, "STACKS", (1, 5, 10))
    assert bench_world.world(json=True, repeats=2, robots=("simple_humanoid",)) == 0
    report = json.loads(capsys.readouterr().out)
    keys = {"name", "robot", "contact", "ours_us", "peer_us", "ratio", "contacts", "sweeps", "residual_max"}
    assert {(r["name"], r["contact"]) for r in report["results"]} >= {("stand", "pgs"), ("squat", "pgs")}
    for r in report["results"]:
        assert keys <= set(r) and r["contacts"] == 8 and r["residual_max"] <= 1e-6 and r["ours_us"] > 0
    assert np.isfinite(report["slope_contacts"])
    assert all(s["residual_max"] <= 1e-6 and s["unsolved"] == 0 for s in report["stacks"])
