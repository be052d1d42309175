"""Scores: what was done, saved, loaded and performed again to the same motion; mistakes in files are one sentence."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.choreography import Choreography, Score
from bunraku.errors import BunrakuError, FormatError


def dance(c):
    """Some of everything."""
    c.pin("right_foot", axes="pose")
    c.run(0.1)
    d = c.drag("left_hand", (0, 0, 0.01))
    rng = np.random.default_rng(0)
    for _ in range(15):
        d.to(d.target + 0.02 * rng.normal(size=3))
        c.run(0.02)
    turned = c.drag("head", axes="pose")
    turned.to(turned.target + np.array([0.02, 0, 0]), [0.99, 0.0, 0.0, 0.14])
    c.pose({"right_elbow": 0.9})
    c.run(0.2)
    d.release()
    c.balance = False
    c.run(0.1)
    c.balance = True
    c.run(0.2)


def test_a_saved_score_gives_the_same_motion(tmp_path):
    c = bk.Choreography(friction=0.7, seed=3)
    dance(c)
    path = c.score.save(tmp_path / "dance.toml", c.time)
    again = Choreography.perform(Score.load(path))
    assert again.time == pytest.approx(c.time, abs=1e-9)
    assert np.array_equal(again.figure.q, c.figure.q) and again.world.dt == c.world.dt
    second = again.score.save(tmp_path / "again.toml", c.time)
    assert np.array_equal(Choreography.perform(Score.load(second)).figure.q, c.figure.q)


def test_undo_takes_back_the_score():
    c = bk.Choreography()
    d = c.drag("left_hand")
    c.step(5)
    snap = c.snapshot()
    d.to(d.target + np.array([0, 0, 0.1]))
    d.release()
    c.pin("head")
    c.pose({"left_elbow": 1.0})
    c.restore(snap)
    assert len(c.score.acts) == 1 and c.score.acts[0].end is None and not c.score.acts[0].path and not c.score.poses


def test_a_score_written_by_hand(tmp_path):
    path = tmp_path / "wave.toml"
    path.write_text(
        """
        format = "bunraku score"
        version = 1
        seconds = 0.6
        [[pin]]
        link = "left_foot"
        begin = 0.0
        end = 0.4
        [[drag]]
        link = "right_hand"
        begin = 0.1
        path = [[0.1, 0.4, -0.3, 1.0], [0.3, 0.4, -0.3, 1.2]]
        [[pose]]
        time = 0.2
        joints = { left_elbow = 0.8 }
        """
    )
    c = Choreography.perform(Score.load(path))
    assert c.time == pytest.approx(0.6) and not c.pins and len(c.drags) == 1 and c.report.state == "standing"


HEAD = 'format = "bunraku score"\nversion = 1\n'
BAD = {
    "": "not a score",
    "format = 3": "not a score",
    'format = "bunraku score"\nversion = 9': "version",
    "x = [": "not TOML",
    HEAD + "[[pin]]\nbegin = 0.0": "link",
    HEAD + '[[pin]]\nlink = "head"': "begin",
    HEAD + '[[pin]]\nlink = "head"\nbegin = -1.0': "begin",
    HEAD + '[[pin]]\nlink = "head"\nbegin = nan': "begin",
    HEAD + '[[pin]]\nlink = "head"\nbegin = 2.0\nend = 1.0': "ends",
    HEAD + '[[pin]]\nlink = "head"\nbegin = 0.0\nbegn = 1.0': "begn",
    HEAD + '[[drag]]\nlink = "head"\nbegin = 0.0\npath = [[0.0, 1.0]]': "path, row 1",
    HEAD + '[[drag]]\nlink = "head"\nbegin = 1.0\npath = [[0.0, 1.0, 0.0, 1.0]]': "out of order",
    HEAD + '[[drag]]\nlink = "head"\nbegin = 0.0\naxes = "xw"': "axes",
    HEAD + "[pin]\nbegin = 0.0": "[[pin]]",
    HEAD + "[options]\ndt = true": "dt",
    HEAD + "[options]\ngravity = 1.0": "gravity",
    HEAD + "[[pose]]\ntime = 0.0\njoints = {}": "joints",
    HEAD + "[[balance]]\ntime = 0.0\non = 1": "on",
    HEAD + "seconds = 1e12": "seconds",
    HEAD + "start = [1.0, true]": "start",
}


@pytest.mark.parametrize("text", list(BAD))
def test_bad_scores_are_one_sentence(text, tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(FormatError) as error:
        Score.load(path)
    assert BAD[text] in str(error.value) and "bad.toml" in str(error.value) and "\n" not in str(error.value)


def test_paths_may_lead_up_to_the_moment_of_release(tmp_path):
    """The last place of a path is where its drag ends; two drags may end at once."""
    path = tmp_path / "both.toml"
    drags = "".join(
        f"""
        [[drag]]
        link = "{side}_hand"
        begin = 0.1
        end = 0.3
        path = [[0.1, 0.3, {y}, 1.0], [0.3, 0.4, {y}, 1.1]]
        """
        for side, y in (("left", 0.3), ("right", -0.3))
    )
    path.write_text(f'format = "bunraku score"\nversion = 1\nseconds = 0.4\n{drags}')
    c = Choreography.perform(Score.load(path))
    assert c.time == pytest.approx(0.4) and not c.violations and c.report.state == "standing"


def test_unknown_links_are_named_when_performed(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text(HEAD + '[[pin]]\nlink = "hed"\nbegin = 0.0\n')
    with pytest.raises(BunrakuError, match="head"):
        Choreography.perform(Score.load(path))
