"""A BVH file in the viewer: the figure moves as the file says."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.cli import main
from bunraku.formats import bvh
from bunraku.formats.bvh_motion import from_motion, load_bvh
from bunraku.motion import Motion
from bunraku.viewer import view as module
from bunraku.viewer.messages import scene_message, unpack_frame
from bunraku.viewer.recorded import Moved, RecordedFrames
from viewer_client import PAGE


@pytest.fixture
def clip(tmp_path):
    """A figure of ours that walks ahead while an arm swings, 1 s at 20 frames a second."""
    model = bk.human()
    times = np.arange(21) / 20
    q = np.tile(model.neutral(), (21, 1))
    q[:, 0], q[:, 2] = 0.5 * times, 0.9
    q[:, model.joint("left_elbow").iq] = 0.8 * np.sin(6 * times) ** 2
    return bvh.write(from_motion(Motion(model, times, q), fps=20), tmp_path / "clip.bvh")


def test_bodies_are_where_the_motion_has_them(clip):
    motion = load_bvh(clip)
    moved = Moved(motion, "clip")
    scene, frames = scene_message(moved, "clip"), RecordedFrames(moved)
    assert scene["duration"] == pytest.approx(1.0) and scene["shapes"][-1]["kind"] == "plane" and len(frames) == 21
    for k in (0, 7, 20):
        frame, where = unpack_frame(frames.frame(k)), bk.kinematics(motion.model, motion.q[k])
        assert np.allclose(frame.poses[:, :3], where.position[1:], atol=1e-6) and len(frame.contacts) == 0
        assert frame.poses[0, 0] == pytest.approx(0.5 * k / 20, abs=1e-5) and np.all(np.isnan(frame.figures[0, 3:]))


@pytest.mark.parametrize("command", ["view", "play"])
def test_commands(clip, monkeypatch, capsys, command):
    shown = []
    monkeypatch.setattr(module, "page_html", lambda: PAGE)
    monkeypatch.setattr("bunraku.cli.view_command.stay", lambda view: shown.append(view) or 0)
    monkeypatch.setattr("bunraku.cli.play_command.stay", lambda view: shown.append(view) or 0)
    assert main([command, str(clip), "--no-browser", "--no-play"]) == 0
    with shown[0] as view:
        assert view._show.duration == pytest.approx(1.0) and view._show.title == "clip"
    clip.write_text("HIERARCHY\nnothing")
    assert main([command, str(clip), "--no-browser"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "clip.bvh" in err
