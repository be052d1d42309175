"""The joint panel over a socket: values that are desired and released, what is refused, undo, and scores that keep them."""

import json

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import InputError
from bunraku.viewer.messages import Command
from bunraku.viewer.stage import Stage
from bunraku.viewer.stage_joints import coordinates, panel, reach, shown, with_sliders
from figures import random_figure
from viewer_client import PAGE, hear, page, say


@pytest.fixture
def c():
    return bk.Choreography()


@pytest.fixture
def view(c):
    with c.stage(browser=False, html=PAGE) as view:
        yield view


def test_every_joint_has_its_range():
    """One number of a hinge, three of a ball, the base none; JSON can hold them."""
    for model in (bk.human(), *map(random_figure, range(6))):
        rows = json.loads(json.dumps(panel(model), allow_nan=False))
        joints = with_sliders(model)
        assert [r["name"] for r in rows] == [j.name for j in joints]
        assert all(len(r["least"]) == len(r["most"]) == j.nv for r, j in zip(rows, joints))
        assert all(np.all(np.array(r["least"]) <= r["most"]) for r in rows)
    assert "root" not in [j.name for j in with_sliders(bk.human())]


def test_sliders_show_what_was_desired():
    """Numbers to coordinates and back, at random within the ranges."""
    model, rng = bk.human(), np.random.default_rng(0)
    for j in with_sliders(model):
        low, high = reach(j)
        value = 0.6 * rng.uniform(low, high)
        assert shown(j, coordinates(model, j.name, value.tolist())) == pytest.approx(value, abs=2e-5)


@pytest.mark.parametrize(
    ("joint", "value", "says"),
    [
        ("left_elbw", [1.0], "left_elbow"),
        ("root", [0.0], "no value of its own"),
        ("left_elbow", [2.7], "2.7 rad is not between 0 and 2.6"),
        ("left_elbow", [-0.1], "not between"),
        ("left_elbow", [0.1, 0.0, 0.0], "needs 1 numbers, got 3"),
        ("neck", [0.1], "needs 3 numbers, got 1"),
        ("neck", [0.0, 3.0, 0.0], "not between -1 and 1"),
        ("left_elbow", [float("nan")], "not between"),
    ],
)
def test_what_cannot_be_desired_is_one_sentence(joint, value, says):
    with pytest.raises((InputError, bk.UnknownName), match=says):
        coordinates(bk.human(), joint, value)


def test_values_are_desired_released_and_undone(view, c, tmp_path):
    with page(view.url) as p:
        scene = hear(p, "scene")
        assert {"name": "left_elbow", "unit": "rad", "least": [0.0], "most": [2.6]} in scene["stage"]["joints"]
        say(p, "desire", joint="left_elbow", value=[1.2])
        hear(p, "stage", lambda m: m["desired"] == {"left_elbow": [1.2]} and m["undo"] == "joint left_elbow")
        hear(p, "stage", lambda m: abs(m["joints"]["left_elbow"][0] - 1.2) < 0.1)
        say(p, "desire", joint="neck", value=[0.0, 0.3, 0.0])
        hear(p, "stage", lambda m: m["desired"].get("neck") == pytest.approx([0.0, 0.3, 0.0], abs=1e-4))
        say(p, "undesire", joint="left_elbow")
        hear(p, "stage", lambda m: list(m["desired"]) == ["neck"] and m["undo"] == "release joint left_elbow")
        say(p, "undesire", joint="left_elbow")
        assert "desired" in hear(p, "status", lambda m: m["error"])["error"]
        say(p, "desire", joint="left_elbow", value=[9.0])
        assert "not between" in hear(p, "status", lambda m: m["error"] and "between" in m["error"])["error"]
        say(p, "desire", joint="nose", value=[0.0])
        assert "nose" in hear(p, "status", lambda m: m["error"] and "nose" in m["error"])["error"]
        say(p, "undo")
        hear(p, "stage", lambda m: set(m["desired"]) == {"left_elbow", "neck"})
        say(p, "undo")
        say(p, "undo")
        hear(p, "stage", lambda m: m["desired"] == {} and m["undo"] is None)


def test_a_slider_that_moves_on_is_one_act_and_the_score_keeps_it(tmp_path):
    """Ten values in a row: one undo; the score performs all of them to the same pose, release included."""
    c = bk.Choreography()
    show = Stage(c, playing=False)
    for k in range(10):
        show._do(Command("desire", data={"joint": "right_elbow", "value": [0.1 * k]}))
        c.step(20)
    show._do(Command("undesire", data={"joint": "right_elbow"}))
    c.step(100)
    assert [b.act for b in show._undo] == ["joint right_elbow", "release joint right_elbow"] and c.desired == {}
    want = c.figure.q.copy()
    again = bk.Choreography.perform(bk.Score.load(c.score.save(tmp_path / "s.toml", c.time)))
    assert np.array_equal(again.figure.q, want) and again.desired == {}
    show._do(Command("undo", data={}))
    assert c.desired == {"right_elbow": [pytest.approx(0.9)]}
    show.stop()


def test_sliders_that_wait_count_as_the_last():
    show = Stage(bk.Choreography(), playing=False)
    for k in range(5):
        show.command(Command("desire", viewer=1, data={"joint": "left_elbow", "value": [0.1 * k]}))
    show.command(Command("desire", viewer=1, data={"joint": "neck", "value": [0.0, 0.0, 0.1]}))
    assert [(a.data["joint"], a.data["value"][0]) for a in show._acts] == [("left_elbow", 0.4), ("neck", 0.0)]
    show.stop()
