"""A fallen figure gets up: its key frames, stages, torques within limits, by itself and on command, snapshots and scores."""

import numpy as np
import pytest

import bunraku as bk
from asserts import asserts
from bunraku.choreography.rising_arrays import IDLE, RISE, SQUAT, FrameStage, KeyFrame
from bunraku.choreography.rising_frames import can_rise, coordinates, rising_arrays, searched, stages, uneven
from bunraku.kernel.record import Many
from bunraku_bench.fall_trials import fall_trial, fallen


@asserts("2002/balance/rise")
@pytest.mark.parametrize("seed", [9001, 9002])
def test_a_random_fall_is_got_up_from(seed):
    """Seeds that nothing was tuned on; 24 of them in `bunraku bench choreography --falls`."""
    found = fall_trial(seed)
    assert found.up and found.seconds < 20.0 and found.end == "standing"


def test_nothing_pulls_it_up():
    """Knees and elbows stay within the model's limits all the way, and nothing drives the base. (A ball's axis at its
    limit may give more while its other axes have implicit terms: bunraku.step.drive.)"""
    c, *_ = fallen(9003)
    c.rises = True
    hinges = [j.iv for j in c.model.joints if j.kind == "hinge"]
    most = c.model.effort[hinges] * 1.02
    for _ in range(150):
        c.run(0.05)
        assert (np.abs(c.figure.applied[hinges]) <= most).all() and np.abs(c.figure.applied[:6]).max() == 0.0


def test_it_lies_until_it_is_told_to():
    c, *_ = fallen(9002)
    c.rises = False
    c.run(1.0)
    assert not c.rising
    c.get_up()
    c.run(0.1)
    assert c.rising
    snap = c.snapshot()
    c.run(3.0)
    q, stage = c.figure.q.copy(), c.world.rising_state.stage
    c.restore(snap)
    c.run(3.0)
    assert np.array_equal(q, c.figure.q) and stage == c.world.rising_state.stage


def test_standing_it_has_nothing_to_do():
    c = bk.Choreography()
    c.run(0.1)
    c.get_up()
    c.run(0.5)
    assert not c.rising and c.world.rising_state.stage == IDLE and c.report.state == "standing"


def test_a_score_with_a_fall_is_done_again_bit_for_bit(tmp_path):
    c = bk.Choreography(rises=False, steps=False, friction=0.7)
    drag = c.drag("left_hand")
    drag.to((2.2, 0.3, 0.0))
    c.run(2.5)  # it falls on its face
    drag.release()
    assert c.report.state == "fallen"
    c.get_up()
    c.run(2.5)
    assert c.rising
    again = bk.Choreography.perform(bk.Score.load(c.score.save(tmp_path / "a.toml", c.time)))
    assert np.array_equal(again.figure.q, c.figure.q) and again.score.get_ups == c.score.get_ups and not again.rises


def test_key_frames_are_poses_of_the_figure():
    model = bk.human(1.6, 60)
    arrays = rising_arrays(model, height=1.6)
    chain = list(Many(FrameStage, arrays["rising_stage"]))
    assert len(chain) == len(stages(searched())) == SQUAT + 1 < RISE
    assert sum(s.count for s in chain) == len(arrays["rising_pose"]) == len(arrays["rising_frame"])
    for q in arrays["rising_pose"]:
        assert not bk.joints_beyond_limits(model, q, 1e-6)
    assert all(0.1 < key.seconds < 2.0 and 0 < key.stiff <= 1 for key in Many(KeyFrame, arrays["rising_frame"]))


def test_a_mirrored_roll_is_the_mirror_image():
    model = bk.human()
    row = searched()["roll"][0]
    k, m = (bk.kinematics(model, coordinates(model, uneven(row, mirrored)[0])) for mirrored in (False, True))
    for left, right in (("left_hand", "right_hand"), ("left_toe", "right_toe"), ("right_sole", "left_sole")):
        assert k.pose(left)[0] * [1, -1, 1] == pytest.approx(m.pose(right)[0], abs=1e-12)


def test_who_cannot_get_up_says_so():
    c = bk.Choreography(priority="2002")
    assert not c.rises
    with pytest.raises(bk.InputError, match="cannot get up"):
        c.get_up()
    assert can_rise(bk.human()) and not can_rise(bk.sphere(0.1))
