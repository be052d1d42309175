"""Grips on stage over a socket: hands take hold of things and hand them over; undo, scores, what cannot be held."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.choreography.score import Score
from bunraku.viewer.stage_grips import actors, full_name, hand_at, hands_of, named, nearest, thing_of
from viewer_client import PAGE, hear, page, say
from viewer_scenes import with_parcel

G = 9.80665


@pytest.fixture
def c():
    return with_parcel()


def test_who_is_on_stage_and_what_a_page_calls_them(c):
    assert actors(c) == ["ann", "bob", "parcel"]
    hand = c.model.frame("right_hand").position
    assert named(c, "right_lower_arm", tuple(hand))[0] == "right_hand"
    assert named(c, "bob.right_lower_arm", tuple(hand))[0] == "bob.right_hand"
    name, point = named(c, "parcel.parcel", (0.07, 0.01, 0.02))
    assert name == "parcel" and point == pytest.approx([0.07, 0.01, 0.02])
    assert thing_of(c, "parcel.parcel") == "parcel" and thing_of(c, "table") == "table"
    assert hand_at(c, "right_lower_arm") == "right_hand" and hand_at(c, "bob.left_hand") == "bob.left_hand"
    assert hand_at(c, "trunk") is None and hand_at(c, "parcel") is None
    assert hands_of(c, c["bob"].figure) == ["bob.left_hand", "bob.right_hand"]
    assert full_name(c, c.figure, "trunk") == "trunk" and nearest(c, "right_hand") == "parcel"
    with pytest.raises(bk.InputError, match="nothing is in reach; the nearest is"):
        nearest(c, "left_hand")


def test_a_hand_takes_hold_and_lets_go_and_undo_takes_it_back(c):
    c.step(2)
    with c.stage(browser=False, html=PAGE) as view, page(view.url) as p:
        assert hear(p, "scene")["stage"]["actors"] == ["ann", "bob", "parcel"]
        say(p, "grip", link="right_lower_arm", point=c.model.frame("right_hand").position.tolist())
        m = hear(p, "stage", lambda m: len(m["grips"]) == 1)
        assert (m["grips"][0]["link"], m["grips"][0]["other"]) == ("right_hand", "parcel")
        assert m["undo"] == "grip right_hand"
        say(p, "drag", link="right_lower_arm", point=c.model.frame("right_hand").position.tolist(), pose=False)
        m = hear(p, "stage", lambda m: any(i["kind"] == "drag" for i in m["items"]))
        x, y, z = next(i["target"] for i in m["items"])
        say(p, "to", position=[x, y, z + 0.2])
        # in the air it pulls with its weight: what is drawn is the force on the hand
        m = hear(p, "stage", lambda m: m["grips"] and m["grips"][0]["at"][2] > z + 0.15)
        m = hear(p, "stage", lambda m: abs(m["grips"][0]["force"][2] + 2.0 * G) < 2.0)
        say(p, "drop")
        say(p, "grip", link="right_lower_arm", point=c.model.frame("right_hand").position.tolist())
        assert hear(p, "stage", lambda m: not m["grips"])["undo"] == "release right_hand"
        say(p, "undo")
        hear(p, "stage", lambda m: len(m["grips"]) == 1)
        for _ in range(2):
            say(p, "undo")
        hear(p, "stage", lambda m: not m["grips"] and m["undo"] is None)
    assert c.grips == [] and c.score.grips == []


def test_dropping_a_dragged_hand_on_a_thing_grips_it(c):
    c.step(2)
    hand = c.model.frame("right_hand").position.tolist()
    with c.stage(browser=False, html=PAGE) as view, page(view.url) as p:
        say(p, "drag", link="trunk", point=[0.0, 0.0, 0.0], pose=False)
        say(p, "grip", other="parcel.parcel")  # a trunk takes hold of nothing
        say(p, "drop")
        say(p, "drag", link="right_lower_arm", point=hand, pose=False)
        say(p, "grip", other="parcel.parcel")
        say(p, "drop")
        m = hear(p, "stage", lambda m: len(m["grips"]) == 1 and not m["items"])
        assert m["grips"][0]["link"] == "right_hand"
        say(p, "drag", link="parcel.parcel", point=[0.0, 0.0, 0.0], pose=False)  # what is held is moved itself
        hear(p, "stage", lambda m: [i["link"] for i in m["items"]] == ["parcel"])
        say(p, "drop")


@pytest.mark.parametrize(
    "link, other, says",
    [
        ("left_lower_arm", "parcel.parcel", "m away and a grip reaches"),
        ("left_lower_arm", None, "nothing is in reach"),
        ("tail", None, "no link, figure or thing 'tail'"),
        ("parcel.parcel", None, "a thing cannot grip"),
    ],
)
def test_what_cannot_be_held_is_said(c, link, other, says):
    c.step(2)
    with c.stage(browser=False, html=PAGE) as view, page(view.url) as p:
        say(p, "grip", link=link, point=[0.0, 0.0, -0.3], **({} if other is None else {"other": other}))
        assert says in hear(p, "status", lambda m: m.get("note"))["error"]
    assert c.grips == []


def test_a_score_of_what_was_held_on_stage_replays_bit_for_bit(c, tmp_path):
    c.step(2)
    hand = c.model.frame("right_hand").position.tolist()
    with c.stage(browser=False, html=PAGE) as view, page(view.url) as p:
        say(p, "grip", link="right_lower_arm", point=hand)
        hear(p, "stage", lambda m: len(m["grips"]) == 1)
        say(p, "grip", link="right_lower_arm", point=hand)
        hear(p, "stage", lambda m: not m["grips"])
        say(p, "pause")
        hear(p, "status", lambda m: not m["playing"])
    path = c.score.save(tmp_path / "held.toml", c.time)
    score = Score.load(path)
    again = score.choreography()
    score.play(again)
    assert again.time == pytest.approx(c.time) and len(again.score.grips) == 1
    assert np.array_equal(again.world.q, c.world.q) and np.array_equal(again.world.v, c.world.v)
