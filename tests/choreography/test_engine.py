"""Pins, drags, poses, limits, undo: what an animator relies on."""

import numpy as np
import pytest

import bunraku as bk
from asserts import asserts
from bunraku.choreography.gains import Gains
from bunraku.errors import InputError
from bunraku.model.limits import joints_beyond_limits


def test_a_figure_stands_still():
    c = bk.Choreography()
    start = c.figure.q.copy()
    c.run(1.0)
    assert np.abs(c.figure.q - start).max() < 1e-6 and c.report.state == "standing"
    assert c.report.forces.sum(0) == pytest.approx([0, 0, 9.80665 * c.model.mass], abs=0.01)


def test_a_drag_arrives_and_a_pin_holds():
    c = bk.Choreography()
    pin = c.pin("right_hand", axes="pose")
    drag = c.drag("left_hand", axes="pose")
    at, R = c.figure.pose("left_hand")
    turn = np.array([[0.96, -0.28, 0.0], [0.28, 0.96, 0.0], [0, 0, 1.0]])
    drag.to(at + np.array([0.05, 0.05, -0.05]), turn @ R)
    c.run(1.5)
    found = {v.item: v for v in c.violations}
    assert found[drag].metres < 0.01 and found[drag].radians < 0.05
    assert found[pin].metres < 0.005 and found[pin].radians < 0.02


@asserts("2002/constraint/no-force")
def test_pins_exert_no_force():
    """A figure pinned in the air by its hand falls: nothing but the floor may carry it."""
    c = bk.Choreography(at=(0, 0, 2.0))
    c.pin("left_hand")
    c.run(0.2)
    com = bk.centroidal(c.model, c.figure.q.copy(), c.figure.v.copy())
    assert com.com_velocity[2] == pytest.approx(-9.80665 * 0.2, abs=2e-3)  # of first order in dt


def test_pins_that_contradict_give_way_and_say_so():
    c = bk.Choreography()
    a = c.pin("left_hand", at=c.figure.pose("left_hand")[0] + [0.1, 0, 0.2])
    b = c.pin("left_hand", at=c.figure.pose("left_hand")[0] + [0.1, 0, 0.3])
    c.run(2.0)
    found = {v.item: v.metres for v in c.violations}
    assert found[a] + found[b] == pytest.approx(0.1, abs=0.01) and abs(found[a] - found[b]) < 0.02
    assert np.abs(c.figure.v).max() < 0.05 and c.report.state == "standing"


def test_unreachable_targets_leave_it_standing():
    c = bk.Choreography(steps=False)
    c.drag("left_hand").to((5.0, 0.0, 3.0))
    c.run(2.0)
    assert c.violations[0].metres > 1.0 and c.report.state == "standing" and np.abs(c.figure.v).max() < 5.0


def test_limits_are_never_passed():
    c = bk.Choreography()
    d, rng = c.drag("left_hand"), np.random.default_rng(1)
    c.pose({"left_knee": 2.6, "right_elbow": 2.6})
    for _ in range(20):
        d.to(c.figure.pose("trunk")[0] + rng.normal(size=3) * 0.4)
        for _ in range(10):
            c.run(0.01)
            beyond = joints_beyond_limits(c.model, c.figure.q, 1e-3)
            assert not beyond, beyond
            assert np.all(np.abs(c.figure.applied[6:]) <= c.model.effort[6:] * (1 + 1e-9))


def test_desired_joint_values_are_followed_in_what_is_left():
    c = bk.Choreography()
    c.pin("left_hand")
    c.pose({"right_elbow": 1.2, "neck": [1.0, 0.0, 0.2, 0.0]})
    c.run(1.5)
    assert c.figure.q[c.model.joint("right_elbow").q] == pytest.approx([1.2], abs=0.02)
    assert c.violations[0].metres < 0.003


def test_a_dragged_foot_waits_until_the_other_carries():
    c = bk.Choreography()
    d = c.drag("left_foot")
    d.to(d.target + np.array([0.1, 0.05, 0.2]))
    c.run(2.5)
    assert c.violations[0].metres < 0.03 and c.report.state == "standing" and c.report.supports == 1
    d.to(d.target - [0.0, 0.0, 0.2])
    c.run(2.0)
    d.release()
    c.run(1.5)
    assert c.report.supports == 2 and c.report.state == "standing"


def test_balance_can_be_switched():
    c = bk.Choreography()
    c.balance = False
    d = c.drag("left_hand")
    d.to(d.target + np.array([0.6, 0, 0]))
    c.run(3.0)
    assert c.report.state != "standing" and not c.balance


def test_undo_is_bit_for_bit():
    c = bk.Choreography()
    keep = c.drag("left_hand")
    keep.to(keep.target + np.array([0.1, 0.1, 0.2]))
    c.run(0.3)
    snap = c.snapshot()
    c.run(0.5)
    want = c.figure.q.copy()
    keep.release()
    c.pin("head")
    c.balance = False
    c.run(0.3)
    c.restore(snap)
    assert c.drags == (keep,) and keep.active and c.pins == () and c.balance
    c.run(0.5)
    assert np.array_equal(c.figure.q, want)


def test_a_world_with_other_things():
    c = bk.Choreography()
    box = c.world.add(bk.box((0.2, 0.2, 0.2), 1.0), at=(1.5, 0, 0.1))
    c.drag("left_hand").to(c.figure.pose("left_hand")[0] + [0.1, 0, 0.1])
    c.run(0.5)
    assert c.report.state == "standing" and box.pose(box.model.links[0].name)[0][2] == pytest.approx(0.1, abs=1e-3)
    assert c.violations[0].metres < 0.02


def test_a_push_is_answered():
    c = bk.Choreography()
    c.world.push(c.figure["trunk"], (80.0, 0, 0), 0.15)
    c.run(3.0)
    assert c.report.state == "standing" and np.linalg.norm(c.figure.com[:2] - c.report.reference) < 0.03


@pytest.mark.parametrize("contact", ["penalty", "virtual_link"])
def test_other_contact_models(contact):
    c = bk.Choreography(contact=contact)
    d = c.drag("left_hand")
    d.to(d.target + np.array([0.15, 0.05, 0.2]))
    c.run(1.5)
    assert c.report.state == "standing" and c.violations[0].metres < 0.01


def test_rk4():
    c = bk.Choreography(integrator="rk4")
    d = c.drag("left_hand")
    d.to(d.target + np.array([0.15, 0.05, 0.2]))
    c.run(1.0)
    assert c.report.state == "standing" and c.violations[0].metres < 0.02


def test_events_are_recorded(tmp_path):
    from bunraku.recording.reader import Recording

    c = bk.Choreography()
    with c.record(tmp_path / "a.bkr"):
        pin = c.pin("left_foot", axes="pose")
        c.step(3)
        pin.release()
    with Recording.open(tmp_path / "a.bkr") as r:
        texts = [e.get("text", "") for e in r.events]
        assert any("pin" in t and "left_foot" in t for t in texts) and any("release" in t for t in texts)


def test_mistakes_are_sentences():
    c = bk.Choreography()
    with pytest.raises(bk.UnknownName, match="left_hand"):
        c.drag("left_hnd")
    with pytest.raises(InputError, match="'xyz'"):
        c.pin("head", axes="xw")
    with pytest.raises(InputError, match="three finite"):
        c.drag("left_hand").to((0, 0, np.nan))
    with pytest.raises(InputError, match="pose"):
        c.drag("left_hand").to((0, 0, 1), (1, 0, 0, 0))
    with pytest.raises(InputError, match="root"):
        c.pose({"root": 0.0})
    with pytest.raises(InputError, match="released"):
        d = c.drag("head")
        d.release()
        d.to((0, 0, 1))
    for _ in range(13):
        c.pin("head")
    with pytest.raises(InputError, match="release one"):
        for _ in range(9):
            c.pin("head")
    with pytest.raises(InputError, match="score"):
        c.world.save("nowhere.npz")
    with pytest.raises(InputError, match="gains"):
        bk.Choreography(gains=Gains(drag_gain=-1.0))


def test_a_figure_on_round_soles():
    """Cylinders: contacts are found in Python, the torques after them."""
    d = bk.describe_human()
    for link in d.links:
        link.shapes[:] = [
            bk.Shape("cylinder", (0.06, s.size[2]), s.position, name=s.name) if s.name.endswith("sole") else s
            for s in link.shapes
        ]
    c = bk.Choreography(d.build())
    start = c.figure.q.copy()
    c.run(0.1)
    assert c.report.state == "standing" and c.report.supports == 2 and np.abs(c.figure.q - start).max() < 1e-3


def test_a_figure_with_joints_coupled_by_a_matrix():
    """A neck that turns half as fast as the waist: the hand arrives, the figure stands, the rates stay coupled."""
    d = bk.describe_human()
    neck = next(j for link in d.links for j in link.joints if j.name == "neck")
    neck.swing, neck.twist, neck.effort = np.inf, (-np.inf, np.inf), np.inf
    d.couple("neck", "waist", 0.5 * np.eye(3))
    c = bk.Choreography(d.build())
    drag = c.drag("right_hand")
    drag.to((0.45, -0.2, 1.3))
    c.run(1.5)
    assert c.violations[0].metres < 0.005 and c.report.state == "standing" and c.report.residual < 1e-6
    q = c.figure.q.copy()
    c.step()
    waist, neck = c.model.joint("waist"), c.model.joint("neck")
    moved = bk.difference(bk.human(), *(at_neck(x, neck) for x in (q, c.figure.q))) / c.world.dt
    assert np.abs(moved[bk.human().joint("neck").v] - 0.5 * c.figure.v[waist.v]).max() < 1e-6


def at_neck(q, neck):
    """The pose of a plain figure whose neck stands as this one's."""
    plain = bk.human().neutral()
    plain[bk.human().joint("neck").q] = q[neck.q]
    return plain
