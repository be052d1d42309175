"""`bunraku bench robots` and `bench shapes` run and report what they promise; how fast the machine is, is not tested."""

import json

import pytest

from bunraku.cli import main
from bunraku_bench.robot_files import KINDS, found


def test_at_least_twenty_robots_are_found():
    robots = found()
    assert len(robots) >= 20 and {r.kind for r in robots} == set(KINDS)
    assert all(path.is_file() for path in robots.values())
    assert len({r.name for r in robots}) == len(robots)


@pytest.mark.slow
def test_robots(capsys):
    assert main(["bench", "robots", "--json", "--repeats", "2", "--names", "ur5", "gym_ant"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert not report["refused"] and len(report["results"]) == len(report["limp"]) == 4
    for r in report["results"]:
        assert r["ratio"] == pytest.approx(r["peer_us"] / r["ours_us"]) and r["ours_us"] > 0
        assert r["residual_max"] <= 1e-6 and r["deepest_m"] < 1e-3
    assert all(not r["diverged"] for r in report["limp"])
    assert report["summary"]["apart"]["robots"] == 2


@pytest.mark.slow
def test_shapes(capsys):
    assert main(["bench", "shapes", "--json", "--repeats", "2"]) == 0
    rows = {r["name"]: r for r in json.loads(capsys.readouterr().out)["results"]}
    assert len(rows) == 5 and all(r["ratio"] == pytest.approx(r["ours_us"] / r["peer_us"]) for r in rows.values())
    touching = rows["two hulls touching, detection"]
    assert touching["contacts"] >= 40 <= touching["peer_contacts"]
    assert rows["two hulls apart, detection"]["contacts"] == 0
