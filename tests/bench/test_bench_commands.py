"""The benchmarks run and report what they promise; how fast the machine is, is not tested."""

import json

import pytest

from bunraku.cli import main
from viewer_browser import find_chromium


@pytest.mark.slow
def test_dynamics(capsys):
    assert main(["bench", "dynamics", "--json", "--repeats", "2"]) == 0
    report = json.loads(capsys.readouterr().out)
    names = {(r["name"], r["robot"]) for r in report["results"]}
    calls = ("aba", "rnea", "crba", "jacobians", "aba_batch")
    assert names == {(n, r) for n in calls for r in ("talos_reduced", "simple_humanoid")}
    for r in report["results"]:
        assert r["ratio"] == pytest.approx(r["peer_us"] / r["ours_us"]) and r["ours_us"] > 0
    assert 0.5 < report["slope_aba"] < 1.5
    assert "numba" in report["machine"]


@pytest.mark.slow
def test_startup(capsys):
    assert main(["bench", "startup", "--json", "--repeats", "1"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["info_imports_numba"] is False
    assert 0 < report["import_alone_s"] < report["first_aba_s"]


@pytest.mark.slow
def test_viewer(capsys):
    assert main(["bench", "viewer", "--json", "--repeats", "2"]) == 0
    report = json.loads(capsys.readouterr().out)
    for clock in ("cpu", "wall"):
        r = report[clock]
        assert r["percent"] == pytest.approx(100 * (r["viewed_us"] / r["alone_us"] - 1)) and r["alone_us"] > 0
    recording = report["recording"]
    assert (
        recording["frames"] == 3073
        and recording["seconds"] == pytest.approx(3.073)
        and 1.0 < recording["size_ratio"] < 1.3
    )
    for clock in ("cpu", "wall"):
        r = recording[clock]
        assert r["percent"] == pytest.approx(100 * (r["recorded_us"] / r["alone_us"] - 1)) and r["alone_us"] > 0
    assert report["published"] == 2 * 15 and 0.8 * report["published"] <= report["received"]


@pytest.mark.slow
def test_page(capsys):
    """Draws and triangles within the page's budget, as far as the picture goes; how long scripts took is told."""
    find_chromium()
    pytest.importorskip("playwright")
    assert main(["bench", "page", "--json", "--frames", "2", "--windows", "1"]) == 0
    scenes = json.loads(capsys.readouterr().out)["scenes"]
    assert list(scenes) == ["two figures", "a hundred boxes"]
    for name, cost in scenes.items():
        assert 0 < cost["script_ms"] < 1e4 and 4 <= cost["calls"] <= 24
        assert cost["triangles"] <= (60_000 if "figures" in name else 80_000)
