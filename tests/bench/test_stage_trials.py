"""The trials of a figure that steps on stage: some of the sixty far drags, and pushes from two sides."""

import numpy as np

import bunraku as bk
from bunraku_bench.drag_trials import directions
from bunraku_bench.stage_trials import far_drags, largest_stage_pushes


def test_far_drags_end_standing():
    """Directions turned by an angle that nothing was tuned on."""
    a = 0.9
    turn = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1.0]])
    found = far_drags(ways=directions()[2:8] @ turn.T, distances=(0.3, 0.9))
    assert sum(f.end == "standing" for f in found) >= 10 and sum(f.good for f in found) >= 9
    assert all(f.steps == 0 for f in found if f.distance == 0.3)  # within reach


def test_steps_catch_larger_pushes():
    most = [largest_stage_pushes(bk.Choreography(steps=steps), (180.0, 0.0), most=1.0) for steps in (True, False)]
    assert min(most[0]) >= 0.5 and np.mean(most[0]) > np.mean(most[1]) + 0.1
