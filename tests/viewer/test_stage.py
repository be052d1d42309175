"""The stage over a socket: pins, drags and who may drag, undo, scores that replay, takes and files, disconnects; the
page's part is tested in test_stage_in_browser.py."""

import socket
import threading
import time

import numpy as np
import pytest

import bunraku as bk
from bunraku.viewer.messages import Command
from bunraku.viewer.stage import MOST_WAITING, REPORT, Stage
from bunraku.viewer.stage_messages import Refused
from viewer_client import PAGE, falling, hear, page, say

FOOT, HAND = {"link": "left_foot", "point": [0.0, 0.0, 0.0]}, {"link": "right_lower_arm", "point": [0.0, 0.0, -0.05]}


@pytest.fixture(scope="module")
def first():
    """A choreography whose kernels are there."""
    c = bk.Choreography()
    c.step(2)
    return c


@pytest.fixture
def c(first):
    return bk.Choreography()


@pytest.fixture
def view(c):
    with c.stage(browser=False, html=PAGE) as view:
        yield view


def items(count, kind=None):
    return lambda m: len([i for i in m["items"] if kind in (None, i["kind"])]) == count


def number(p):
    return hear(p, "you")["number"]


def target_of(m, kind="drag"):
    return next(i["target"] for i in m["items"] if i["kind"] == kind)


def drag(p, up=0.2):
    """Take the right hand and pull it up; returns the message that shows it."""
    say(p, "drag", **HAND, pose=False)
    begun = hear(p, "stage", items(1, "drag"))
    x, y, z = target_of(begun)
    say(p, "to", position=[x, y, z + up])
    return hear(p, "stage", lambda m: m["items"] and target_of(m)[2] == pytest.approx(z + up, abs=1e-4))


def test_the_scene_says_that_it_is_a_stage(view, c):
    with page(view.url) as p:
        assert hear(p, "scene")["stage"]["figure"] == "human"
        m = hear(p, "stage")
        assert (m["items"], m["holder"], m["balance"], m["undo"], m["recording"]) == ([], 0, True, None, None)
        assert hear(p, "stage", lambda m: m["state"] == "standing")


@pytest.mark.parametrize("pose", [False, True])
def test_pin_and_release(view, c, pose):
    with page(view.url) as p:
        say(p, "pin", **FOOT, pose=pose)
        (pin,) = hear(p, "stage", items(1))["items"]
        assert (pin["kind"], pin["link"], pin["pose"]) == ("pin", "left_foot", pose) and pin["metres"] < 1e-3
        assert [x.axes for x in c.pins] == ["pose" if pose else "xyz"]
        say(p, "release", name=pin["name"])
        hear(p, "stage", items(0))
        assert c.pins == ()


def test_a_point_near_a_named_frame_gets_its_name(view, c):
    """The point stays the same point of the body."""
    info = c.model.frame("left_hand")
    near, far = info.position + np.array([0.01, 0.02, 0.0]), np.array([0.0, 0.0, -0.02])
    with page(view.url) as p:
        say(p, "pin", link="left_lower_arm", point=near.tolist(), pose=False)
        say(p, "pin", link="left_lower_arm", point=far.tolist(), pose=False)
        a, b = hear(p, "stage", items(2))["items"]
        assert (a["link"], b["link"]) == ("left_hand", "left_lower_arm")
        assert a["point"] == pytest.approx(near.tolist(), abs=1e-5) and b["point"] == pytest.approx(
            far.tolist(), abs=1e-5
        )


def test_a_drag_raises_the_hand_while_a_pinned_foot_holds(view, c):
    with page(view.url) as p:
        say(p, "pin", **FOOT, pose=True)
        m = hear(p, "stage", items(1))
        with view.lock:
            hand, foot = c.figure.pose("right_hand")[0], c.figure.pose("left_foot")[0]
        drag(p, 0.25)
        m = hear(p, "stage", lambda m: m["items"][-1]["kind"] == "drag" and m["items"][-1]["metres"] < 0.03)
        with view.lock:
            assert c.figure.pose("right_hand")[0][2] > hand[2] + 0.15
            assert np.linalg.norm(c.figure.pose("left_foot")[0] - foot) < 0.005
        assert m["state"] == "standing"
        say(p, "drop")
        assert hear(p, "stage", lambda m: m["holder"] == 0 and items(1)(m))["items"][0]["kind"] == "pin"


def test_one_drags_the_others_watch(view, c):
    with page(view.url) as a, page(view.url) as b:
        first, second = number(a), number(b)
        assert first != second
        drag(a)
        assert hear(b, "stage", items(1, "drag"))["holder"] == first
        for _ in range(25):  # asking politely is no mistake, however often
            say(b, "drag", **HAND, pose=False)
            status = hear(b, "status", lambda m: m["error"])
            assert "else is dragging" in status["error"] and status["note"] is True
        say(b, "to", position=[0, 0, 5])  # not heard
        say(b, "drop")
        say(b, "pin", **FOOT, pose=False)  # pins are for all
        m = hear(a, "stage", items(2))
        assert m["holder"] == first and target_of(m)[2] < 2.0
        say(a, "drop")
        hear(b, "stage", lambda m: m["holder"] == 0)
        say(b, "drag", **HAND, pose=False)
        assert hear(a, "stage", lambda m: m["holder"] == second and items(1, "drag")(m))


def test_a_lost_connection_ends_the_drag(view, c):
    with page(view.url) as watching:
        with page(view.url) as p:
            drag(p)
            hear(watching, "stage", items(1, "drag"))
            p.socket.shutdown(socket.SHUT_RDWR)  # without a goodbye
            hear(watching, "stage", lambda m: m["holder"] == 0 and not m["items"])
        assert c.drags == ()
        say(watching, "drag", **HAND, pose=False)
        hear(watching, "stage", items(1, "drag"))


def test_undo_goes_back_bit_for_bit(c):
    with c.stage(browser=False, html=PAGE, play=False) as view, page(view.url) as p:
        say(p, "step", n=50)
        hear(p, "frame", lambda f: f.time == pytest.approx(0.05))
        before, v, t = c.figure.q.copy(), c.figure.v.copy(), c.time
        say(p, "pin", **FOOT, pose=False)
        assert hear(p, "stage", items(1))["undo"] == "pin left_foot"
        say(p, "balance", on=False)
        hear(p, "stage", lambda m: not m["balance"])
        say(p, "step", n=100)
        hear(p, "frame", lambda f: f.time == pytest.approx(0.15))
        say(p, "undo")
        assert hear(p, "stage", lambda m: m["balance"])["undo"] == "pin left_foot" and len(c.pins) == 1 and c.balance
        say(p, "undo")
        assert hear(p, "stage", items(0))["undo"] is None
        assert np.array_equal(c.figure.q, before) and np.array_equal(c.figure.v, v) and c.time == t
        assert c.score.acts == [] and c.score.balances == []
        say(p, "undo")
        assert "nothing to undo" in hear(p, "status", lambda m: m["error"])["error"]


def test_undo_of_a_drag_lets_go(view, c):
    with page(view.url) as p:
        drag(p)
        say(p, "undo")
        m = hear(p, "stage", lambda m: m["holder"] == 0 and not m["items"])
        assert m["undo"] is None and c.drags == ()
        say(p, "to", position=[0, 0, 3])  # of a hand that holds nothing any more
        say(p, "pin", **FOOT, pose=False)
        hear(p, "stage", items(1, "pin"))
        assert view.error is None


def test_reset_can_be_undone(c):
    with c.stage(browser=False, html=PAGE, play=False) as view, page(view.url) as p:
        start = c.figure.q.copy()
        say(p, "pin", **FOOT, pose=False)
        drag(p, 0.1)
        say(p, "step", n=80)
        hear(p, "frame", lambda f: f.time == pytest.approx(0.08))
        q = c.figure.q.copy()
        say(p, "reset")
        hear(p, "stage", items(0))
        assert c.time == 0.0 and np.array_equal(c.figure.q, start) and c.score.acts == []
        say(p, "undo")
        hear(p, "stage", items(1, "pin"))
        assert c.time == pytest.approx(0.08) and np.array_equal(c.figure.q, q)
        assert [(a.kind, a.end) for a in c.score.acts] == [("pin", None), ("drag", pytest.approx(0.08))]


def test_a_saved_score_replays_to_the_same_pose(c, tmp_path):
    """What was done over the socket while time ran, drags with their paths and a drop in the very step of a move,
    performed without a display."""
    path = tmp_path / "own.toml"
    with c.stage(browser=False, html=PAGE, score=path) as view, page(view.url) as p:
        say(p, "pin", **FOOT, pose=True)
        m = drag(p, 0.15)
        x, y, z = target_of(m)
        for k in range(20):
            say(p, "to", position=[x + 0.005 * k, y, z + 0.005 * k])
        say(p, "drop")
        hear(p, "stage", items(0, "drag"))
        say(p, "balance", on=False)
        say(p, "balance", on=True)
        now = hear(p, "frame").time
        hear(p, "frame", lambda f: f.time > now + 0.2)
        say(p, "pause")
        hear(p, "status", lambda m: not m["playing"])
        say(p, "save")
        name, content = hear(p, "file")
        assert "Saved as" in hear(p, "status", lambda m: m["error"])["error"]
        end, t = c.figure.q.copy(), c.time
    assert name == "own.toml" and content == path.read_bytes()
    score = bk.Score.load(path)
    assert score.seconds == t and [a.kind for a in score.acts] == ["pin", "drag"] and len(score.acts[1].path) >= 2
    again = bk.Choreography.perform(score)
    assert again.time == pytest.approx(t, abs=1e-9)
    assert np.max(np.abs(again.figure.q - end)) < 1e-6


def test_a_move_and_a_drop_in_one_step_replay(c):
    d = c.drag("right_hand")
    c.step(10)
    d.to(d.target + np.array([0, 0, 0.1]))
    d.release()
    c.step(5)
    c.score.seconds = c.time
    assert np.array_equal(bk.Choreography.perform(c.score).figure.q, c.figure.q)


@pytest.mark.parametrize("kind, head", [("csv", b"time"), ("bvh", b"HIERARCHY"), ("gif", b"GIF8")])
def test_a_take_becomes_a_file(c, tmp_path, kind, head):
    with c.stage(browser=False, html=PAGE, recordings=tmp_path / "takes") as view, page(view.url) as p:
        say(p, "export", format=kind)
        assert "record something first" in hear(p, "status", lambda m: m["error"])["error"]
        say(p, "record", on=True)
        hear(p, "stage", lambda m: (m["recording"] or 0) > 0.2)
        say(p, "export", format=kind)  # ends the take
        m = hear(p, "stage", lambda m: m["making"] == kind)
        assert m["recording"] is None and m["take"] is True
        reached = view.time
        name, content = hear(p, "file")
        assert name == f"take-1.{kind}" and content[: len(head)].lower() == head.lower() and len(content) > 500
        assert view.time > reached  # the stage went on meanwhile
        hear(p, "stage", lambda m: m["making"] is None)
        assert view.error is None
    with bk.motion.Recording.open(tmp_path / "takes" / "take-1.bkr") as r:
        assert r.times[-1] - r.times[0] > 0.2
    assert [f.name for f in (tmp_path / "takes").iterdir()] == ["take-1.bkr"]


def test_going_back_ends_a_take(view, c):
    with page(view.url) as p:
        say(p, "pin", **FOOT, pose=False)
        say(p, "record", on=True)
        hear(p, "stage", lambda m: (m["recording"] or 0) > 0.05)
        say(p, "undo")
        m = hear(p, "stage", lambda m: m["recording"] is None)
        assert m["take"] is True and view.error is None
        now = hear(p, "frame").time
        hear(p, "frame", lambda f: f.time > now + 0.05)


def test_what_the_engine_refuses_is_told_to_who_asked(view, c):
    with page(view.url) as a, page(view.url) as b:
        say(a, "pin", link="left_food", point=[0, 0, 0], pose=False)
        status = hear(a, "status", lambda m: m["error"])
        assert "left_food" in status["error"] and "left_foot" in status["error"]
        for _ in range(16):
            say(a, "pin", **FOOT, pose=False)
        hear(a, "stage", items(16))
        say(a, "drag", **HAND, pose=False)
        assert "16 pins and drags already" in hear(a, "status", lambda m: m["error"])["error"]
        assert hear(b, "stage", items(16))["holder"] == 0
        say(b, "release_all")
        hear(b, "stage", items(0))
        say(b, "undo")
        assert hear(b, "stage", items(16)) and view.error is None


def test_joints_beyond_their_limits_are_named(c):
    with c.stage(browser=False, html=PAGE, play=False) as view, page(view.url) as p:
        assert hear(p, "stage")["limits"] == {}
        knee = c.model.joint("left_knee")
        with view.lock:
            c.figure.q[knee.q] = knee.upper + np.radians(5.0)
        time.sleep(REPORT)  # the state is looked at so often at the most
        view.show()
        assert hear(p, "stage", lambda m: m["limits"])["limits"] == {"left_knee": "5.0°"}


def test_many_acts_do_not_pile_up(first):
    show = Stage(bk.Choreography())
    show.command(Command("drag", data={**HAND, "pose": False}, viewer=1))
    for k in range(1000):
        show.command(Command("to", data={"position": (0.0, 0.0, float(k))}, viewer=1))
    assert len(show._acts) == 2 and show._acts[-1].data["position"][2] == 999.0
    with pytest.raises(Refused):
        for _ in range(MOST_WAITING + 1):
            show.command(Command("undo", viewer=1))
    show.command(Command("drop", viewer=1))  # that is always heard
    assert show._holder == 0
    show.stop()


def test_a_world_that_is_no_stage():
    with falling().view(browser=False, html=PAGE) as view, page(view.url) as p:
        say(p, "undo")
        assert "bunraku stage" in hear(p, "status", lambda m: m["error"])["error"]


def test_dynamics_is_switched_and_undone(view, c):
    """Kinematics alone: no contact forces; a drag is followed; back by undo."""
    with page(view.url) as p:
        say(p, "dynamics", on=False)
        hear(p, "stage", lambda m: m["dynamics"] is False and m["undo"] == "dynamics off")
        drag(p, 0.05)
        say(p, "drop")
        say(p, "record", on=True)
        assert "dynamics=True" in hear(p, "status", lambda m: m["error"])["error"]
        say(p, "undo")
        say(p, "undo")
        hear(p, "stage", lambda m: m["dynamics"] is True and m["undo"] is None)
    assert c.dynamics and c.score.dynamics == []


def test_a_stage_may_begin_with_kinematics(first):
    c = bk.Choreography(dynamics=False)
    with c.stage(browser=False, html=PAGE) as view, page(view.url) as p:
        hear(p, "stage", lambda m: m["dynamics"] is False and m["state"] == "standing")
        say(p, "dynamics", on=True)
        hear(p, "stage", lambda m: m["dynamics"] is True)


def test_a_pin_along_some_axes_over_the_wire(view, c):
    with page(view.url) as p:
        say(p, "pin", link="left_foot", point=[0.0, 0.0, 0.0], pose=False, axes="zx", rotation="link")
        (item,) = hear(p, "stage", items(1))["items"]
        assert item["axes"] == "xz" and item["pose"] is False
        with view.lock:
            assert c.pins[0].frame is not None
        say(p, "pin", link="left_foot", point=[0.0, 0.0, 0.0], pose=False, axes="x", rotation=[0, 0, 0, 0])
        assert "quaternion" in hear(p, "status", lambda m: m["error"])["error"]


def test_real_time_is_kept_while_a_page_drags(view):
    """Simulated time follows the clock while messages come and frames go."""
    with page(view.url) as p:
        drag(p)
        began, start = time.perf_counter(), view.time
        for k in range(40):
            say(p, "to", position=[0.2, -0.3, 1.0 + 0.005 * k])
            hear(p, "frame")
        passed, simulated = time.perf_counter() - began, view.time - start
        assert 0.3 * passed < simulated < passed + 0.15  # a busy machine may be late, never early


def test_closing_leaves_no_thread_and_no_folder(c):
    before = set(threading.enumerate())
    view = c.stage(browser=False, html=PAGE)
    folder = view._show.takes.folder
    with page(view.url) as p:
        say(p, "record", on=True)
        hear(p, "stage", lambda m: m["recording"] is not None)
        assert folder.is_dir()
        assert "iframe" in view._repr_html_()
        view.close()
    assert not folder.exists()
    assert not {t for t in threading.enumerate() if t.name.startswith("bunraku")} - before
    c.step(10)  # the choreography is the user's again
