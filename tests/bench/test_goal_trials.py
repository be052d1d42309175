"""A goal among boxes is walked to; rooms have stairs and boxes, and nothing where the figure begins."""

import numpy as np

import bunraku as bk
from bunraku_bench.goal_trials import BOXES, STAIRS, goal_trial, room


def test_a_goal_is_reached():
    found = goal_trial(303)
    assert found.reached and found.off < 0.1 and found.degrees < 5 and found.steps > 0


def test_a_room_has_boxes_and_stairs():
    c = bk.Choreography()
    room(c, np.random.default_rng(0))
    names = [f.shape.name for f in c.world._fixed]
    assert sum(n.startswith("box") for n in names) == BOXES and sum(n.startswith("stair") for n in names) == STAIRS
    assert all(np.hypot(*f.shape.position[:2]) >= 0.9 for f in c.world._fixed if f.shape.name.startswith("box"))
