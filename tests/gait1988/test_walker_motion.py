"""A walk as a motion: the same mass centres as the path, rates that are derivatives, a base that needs no force; written
as recording, BVH, page and film; followed in a World."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import bunraku as bk
from asserts import asserts
from bunraku.cli import main
from bunraku.dynamics.functions import centroidal, kinematics, rnea
from bunraku.gait1988.library import library_gait
from bunraku.gait1988.solved_walk import Walk, exact_walk
from bunraku.gait1988.steps import walk_on
from bunraku.gait1988.twelve_bodies import BODY_NAMES, MASS, UH, D
from bunraku.gait1988.walker_motion import treads, walked, walker_model, walker_motion, walker_solved
from bunraku.model.configuration import difference


@pytest.fixture(scope="module")
def stairs() -> Walk:
    return exact_walk(library_gait("stairs_up"), samples=161)


@pytest.mark.parametrize("which", ["flat_walk", "usual_walk", "free_walk", "stairs"])
def test_every_body_is_where_the_path_has_it(which: str, request: pytest.FixtureRequest) -> None:
    """Four steps, both sides in turn: 12 mass centres within rounding, of mode exact."""
    walk: Walk = request.getfixturevalue(which)
    w, path = walked(walk, 4), walk_on(walk, 4)
    np.testing.assert_allclose(w.times, path.time)
    kin = kinematics(w.model, w.q)
    for body, name in enumerate(BODY_NAMES):
        place, R = kin.pose(name)
        com = next(link.inertia.com for link in w.model.description.links if link.name == name)
        np.testing.assert_allclose(place + R @ np.asarray(com), path.bodies[:, body], atol=1e-12)


def misses(walk: Walk) -> tuple[float, float]:
    """Medians of what the trapezoidal rule misses of the changes of q by v, and of v by a, inside steps."""
    w = walked(walk, 2)
    dt, same = np.diff(w.times)[:, None], w.step[:-1] == w.step[1:]
    off_v = difference(w.model, w.q[:-1], w.q[1:]) / dt - 0.5 * (w.v[:-1] + w.v[1:])
    off_a = np.diff(w.v, axis=0) / dt - 0.5 * (w.a[:-1] + w.a[1:])
    moving = np.abs(w.v).max(axis=0) > 0.0
    return float(np.median(np.abs(off_v[same][:, moving]))), float(np.median(np.abs(off_a[same][:, moving])))


@pytest.mark.parametrize(("name", "arms_free"), [("flat", False), ("usual", False), ("flat", True)])
def test_rates_and_accelerations_are_derivatives(name: str, arms_free: bool) -> None:
    """An interval half as long: a quarter of the error."""
    coarse, fine = (misses(exact_walk(library_gait(name), arms_free=arms_free, samples=n)) for n in (161, 321))
    assert 0.2 < fine[0] / coarse[0] < 0.3 and coarse[0] < 1e-3
    assert 0.2 < fine[1] / coarse[1] < 0.3 and coarse[1] < 2e-2


@pytest.mark.parametrize("which", ["flat_walk", "usual_walk", "free_walk", "stairs"])
def test_the_base_needs_no_force(which: str, request: pytest.FixtureRequest) -> None:
    """rnea with the ground reaction of the recording: the six rows of the free base vanish (700 N to 1e-9)."""
    walk: Walk = request.getfixturevalue(which)
    solved, w = walker_solved(walk, 3), walked(walk, 3)
    kin = kinematics(w.model, w.q)
    frames = solved.frames
    for k in range(0, len(w.q), 9):
        rows = slice(3 * k, 3 * k + 3)
        points, forces = frames.points[rows], frames.forces[rows]
        body = w.model.body("left_foot" if w.left[k] else "right_foot")
        push = np.zeros((w.model.nb, 6))
        push[body, :3] = forces.sum(axis=0)
        push[body, 3:] = np.cross(points - kin.position[k, body], forces).sum(axis=0)
        tau = rnea(w.model, w.q[k], w.v[k], w.a[k], push)
        assert np.abs(tau[:6]).max() < 1e-9
        np.testing.assert_allclose(solved.torques[k, 6:], tau[6:], atol=1e-9)
    np.testing.assert_allclose(solved.ground_reaction, w.force, atol=1e-9)
    assert w.model.mass == pytest.approx(9.81 * MASS.sum())


def test_the_zmp_of_the_recording_is_the_given_one(usual_walk: Walk) -> None:
    solved, w = walker_solved(usual_walk, 3), walked(usual_walk, 3)
    np.testing.assert_allclose(solved.zmp, w.zmp[:, :2], atol=1e-12)
    assert np.ptp(w.zmp[:, 1]) == pytest.approx(2.0 * D)  # left and right in turn


def test_treads_lie_under_the_soles(stairs: Walk) -> None:
    boxes, w = treads(stairs, 3), walked(stairs, 3)
    kin = kinematics(w.model, w.q)
    for k in np.flatnonzero(np.diff(w.step, append=3)):
        foot = kin.pose("left_foot" if w.left[k] else "right_foot")[0][k]
        box = boxes[int(w.step[k]) + 1]
        top = box.position[2] + box.size[2]
        assert abs(foot[2] - 0.07 - UH - top) < 1e-9
        assert abs(foot[0] - box.position[0]) < box.size[0]


def test_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("w.bkr", "w.bvh", "w.html", "w.gif"):
        assert main(["gait", "export", "usual", "--steps", "2", "--out", str(tmp_path / name)]) == 0
    assert "2 steps, 2 s" in capsys.readouterr().out
    with bk.Recording.open(tmp_path / "w.bkr") as r:
        assert len(r) == 401 and r.duration == pytest.approx(2.0)
        motion = walker_motion(exact_walk(library_gait("usual"), samples=201), 2)
        np.testing.assert_allclose(r.q, motion.q, atol=1e-12)
    back = bk.load_bvh(tmp_path / "w.bvh")
    hips = kinematics(back.model, back.q).pose(back.model.joints[0].link)[0]
    np.testing.assert_allclose(hips[::20], motion.q[::20, :3], atol=2e-5)
    assert "usual gait" in (tmp_path / "w.html").read_text()
    film = Image.open(tmp_path / "w.gif")
    film.seek(40)  # 20 a second: at its own speed
    with pytest.raises(EOFError):
        film.seek(41)


def test_historical_walks_are_written_too(tmp_path: Path) -> None:
    """Mode historical: the same angles with rigid links, 41 rows a step."""
    assert (
        main(["gait", "export", "flat", "--mode", "historical", "--steps", "2", "--out", str(tmp_path / "h.bkr")]) == 0
    )
    with bk.Recording.open(tmp_path / "h.bkr") as r:
        assert len(r) == 81


def test_the_ground_only_pushes(usual_walk: Walk) -> None:
    """Its mean is the weight, and friction 0.25 is enough but for the couple about z."""
    solved = walker_solved(usual_walk, 2)
    lift = solved.ground_reaction[:, 2]
    assert lift.min() > 0.0 and lift.mean() == pytest.approx(solved.weight, rel=0.01)
    side = np.linalg.norm(solved.ground_reaction[:, :2], axis=1)
    assert (side / lift).max() < 0.25
    np.testing.assert_allclose(centroidal(solved.model, solved.q).com, solved.com)


@asserts("1988/world")
def test_the_usual_walk_is_followed_in_the_world(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Four steps, 2 m, by its own torques, base free: upright to the end, no help."""
    out = tmp_path / "followed.bkr"
    assert main(["gait", "follow", "usual", "--steps", "4", "--out", str(out), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["fell_s"] is None and data["help_impulse"] == 0.0
    assert data["distance_m"] == pytest.approx(2.0, abs=0.02) and data["com_error_m"]["max"] < 0.01
    with bk.Recording.open(out) as r:
        assert r.duration == pytest.approx(4.0, abs=0.02)


def test_the_flat_walk_is_followed_with_its_ankle_turned(capsys: pytest.CaptureFixture[str]) -> None:
    """The report's own gait: two steps upright, its centre of mass within 2 cm; joints do not keep to its angles, since
    its foot lands 4.9 mm above the floor."""
    assert main(["gait", "follow", "flat", "--steps", "2", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["fell_s"] is None and data["com_error_m"]["max"] < 0.02
    assert data["joint_error_rad"]["max"] > 0.1


MISTAKES = [
    (["gait", "export", "flat", "--out", "x.doc"], "must end in .bkr or .bvh or .html or .gif or .mp4"),
    (["gait", "export", "flat", "--steps", "0"], "steps: wanted 1 to 10000"),
    (["gait", "export", "flat", "--view", "left", "--out", "x.bvh"], "--view has no effect but on films"),
    (["gait", "follow", "stairs_up"], "gait 'stairs_up' climbs stairs"),
    (["gait", "follow", "flat", "--mode", "historical"], "are not rigid"),
    (["gait", "follow", "flat", "--out", "x.gif"], "must end in .bkr"),
]


@pytest.mark.parametrize(("args", "sentence"), MISTAKES)
def test_mistakes(
    args: list[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(args) == 2
    assert sentence in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_model_is_the_figure_with_free_hips(flat_walk: Walk) -> None:
    model = walker_model(flat_walk)
    assert {link.name for link in model.links} == set(BODY_NAMES)
    assert model.joints[0].kind == "free" and model.joints[0].link == "pelvis"
    assert model.warnings == ()
