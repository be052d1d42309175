"""Benchmarks of two versions in turns: who runs when, which numbers are compared, what is refused."""

import json
from pathlib import Path

import pytest

from bunraku.cli import main
from bunraku_bench import bench_beside
from bunraku_bench.bench_beside import environment, figures

ROOT = Path(__file__).parents[2]
REPORT = {
    "results": [
        {"name": "aba", "robot": "talos", "ours_us": 2.0, "peer_us": 7.0, "ratio": 3.5},
        {"name": "rnea", "robot": "talos", "ours_us": 1.0, "peer_us": 3.0, "ratio": 3.0},
    ],
    "slope_aba": 1.1,
    "chain": [{"links": 10, "us": 0.5}, {"links": 20, "us": 1.0}],
    "machine": {"us": 1.0},
    "latency": {"median_ms": 19.0, "frames": 3},
}


def test_times_of_ours_have_names():
    assert dict(figures(REPORT)) == {
        "results[aba talos]/ours_us": 2.0,
        "results[rnea talos]/ours_us": 1.0,
        "chain[links 10]/us": 0.5,
        "chain[links 20]/us": 1.0,
        "latency/median_ms": 19.0,
    }


@pytest.mark.parametrize("words", [[], ["--checkout", str(ROOT)]])
def test_sides_take_turns_and_the_least_counts(words, monkeypatch, capsys):
    """The first run of each side warms up; this version's second run is the quicker one, the other's the first."""
    ran = []
    times = {False: [9.0, 3.0, 2.0], True: [9.0, 4.0, 5.0]}

    def run(name, env, options):
        other = env.get("BUNRAKU_KERNELS") == "jit" or env.get("PYTHONPATH", "").startswith(str(ROOT / "src"))
        ran.append(other)
        return {"results": [{"name": name, "ours_us": times[other][ran.count(other) - 1]}]}

    monkeypatch.setattr(bench_beside, "one_run", run)
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    assert main(["bench", "beside", "dynamics", "--rounds", "2", "--json", *words]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert ran == [False, True] * 3
    assert rows == [{"figure": "dynamics/results[dynamics]/ours_us", "this": 2.0, "other": 4.0, "ratio": 0.5}]


def test_another_version_has_its_own_sources():
    env = environment(ROOT)
    assert env["PYTHONPATH"].split(":")[:2] == [str(ROOT / "src"), str(ROOT / "bench")]
    assert "BUNRAKU_KERNELS" not in env


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothing"], "there is no benchmark 'nothing' to run; there are choreography, dynamics, gait"),
        (["startup"], "no benchmark 'startup'"),
        (["--rounds", "0"], "rounds 0 is not"),
        (["--checkout", "/"], "no src/bunraku in it"),
    ],
)
def test_slips(words, said, capsys):
    assert main(["bench", "beside", *words]) == 2
    assert said in capsys.readouterr().err
