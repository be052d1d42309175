"""Steps of a choreographed figure: pushed, dragged beyond reach, not where they are not needed; the pressure stays inside
what carries; snapshots and scores bit for bit; strict levels take none."""

import numpy as np
import pytest

import bunraku as bk
from asserts import asserts
from bunraku.choreography.dance_arrays import Dance
from bunraku.choreography.step_choice import arrival
from bunraku.choreography.stepping_arrays import STAND, SWING
from bunraku_bench.stage_trials import far_drag, push


def hand_at(c, way, seconds=3.0, go=1.0):
    """Drag the left hand along a way [m] within a second."""
    drag = c.drag("left_hand")
    start = drag.target.copy()
    for k in range(20):
        drag.to(start + np.array(way) * (k + 1) / 20)
        c.run(go / 20)
    c.run(seconds - go)
    return drag


@asserts("2002/balance/step")
@pytest.mark.parametrize("degrees", [10, 170, 190, 350])
def test_a_push_that_nobody_withstands_is_caught_by_steps(degrees):
    """0.8 N s/kg ahead and back, beyond what feet in place withstand (0.6, 0.5), beside the directions it was tuned on."""
    c = bk.Choreography()
    c.run(0.2)
    assert push(c, 0.8, degrees) == "standing" and c.world.step_state.taken >= 1


def test_a_hand_is_dragged_beyond_reach_and_the_figure_follows():
    c = bk.Choreography()
    drag = hand_at(c, (1.0, 0.0, 0.2), 4.0)
    assert c.violations[0].metres < 0.05 and c.world.step_state.taken >= 2 and c.report.state == "standing"
    drag.release()
    c.run(3.0)
    feet = [c.figure.pose(f"{side}_sole") for side in ("left", "right")]
    apart = np.linalg.norm((feet[0][0] - feet[1][0])[:2])
    assert c.report.state == "standing" and apart < 0.3  # feet together again
    assert all(R[2, 2] > 0.999 and abs(p[2]) < 2e-3 for p, R in feet)


def test_within_reach_it_takes_no_step():
    c = bk.Choreography()
    hand_at(c, (0.25, 0.1, 0.3))
    assert c.world.step_state.taken == 0 and c.violations[0].metres < 0.01


def test_it_turns_towards_what_is_far_aside():
    c = bk.Choreography()
    hand_at(c, (0.0, 1.2, 0.2), 6.5)
    assert c.violations[0].metres < 0.05 and c.world.step_state.heading > 0.5


def test_without_steps_it_stays_where_it_is():
    c = bk.Choreography(steps=False)
    assert not c.steps
    hand_at(c, (0.8, 0.0, 0.2))
    assert c.world.step_state.taken == 0
    c.steps = True
    c.run(3.0)
    assert c.world.step_state.taken > 0


def test_the_pressure_asked_for_is_inside_what_carries():
    """A push that leaves the soles asks for no more than their edge can give: c'' = w^2 (c - p) with p in the hull."""
    c = bk.Choreography()
    c.run(0.1)
    c.world.push(c.figure["trunk"], (300.0, 150.0, 0.0), 0.1)
    swung = 0
    for _ in range(60):
        c.run(0.01)
        s, seen, p = c.world.step_state, c.world.seen, c.world.problem.p
        wanted = np.array([p.momentum[k].wanted for k in (0, 1)]) / c.model.mass
        if np.abs(wanted).max() > 5.99:
            continue  # held at the bound
        pressure = np.array(seen.com[:2]) - wanted / seen.pendulum**2
        edges = np.array([s.edge[k] for k in range(s.edges)])
        along, off = np.roll(edges, -1, 0) - edges, pressure - edges
        inside = (along[:, 0] * off[:, 1] - along[:, 1] * off[:, 0]) / np.linalg.norm(along, axis=1)
        assert inside.min() > -1e-4
        swung += s.mode == SWING
    assert swung > 5


def test_the_arrival_is_the_pendulums():
    """x'' = w^2 (x - p): the capture point after T, integrated."""
    c = bk.Choreography()
    c.run(0.05)
    d = Dance(c.world._table)
    d.seen.capture = (0.2, 0.05)
    w = d.seen.pendulum
    (ex, ey), (px, py) = arrival(d, 1, 0.3)
    foot = d.step.foot[1]
    x = np.array([0.2 - foot.place[0], 0.05 - foot.place[1]])
    for _ in range(30000):
        x = x + 1e-5 * w * (x - np.array([px, py]))
    assert (ex, ey) == pytest.approx(x, rel=1e-4)
    half = d.sole[1].half
    assert abs(px) < half[0] and abs(py) < half[1]


def test_snapshots_in_the_middle_of_a_step_go_on_bit_for_bit():
    c = bk.Choreography()
    hand_at(c, (0.9, 0.3, 0.1), 1.3)
    assert c.world.step_state.mode != STAND
    snap = c.snapshot()
    c.run(1.5)
    q, taken = c.figure.q.copy(), c.world.step_state.taken
    c.restore(snap)
    c.run(1.5)
    assert np.array_equal(q, c.figure.q) and taken == c.world.step_state.taken


def test_a_score_with_steps_is_done_again_bit_for_bit(tmp_path):
    c = bk.Choreography()
    drag = hand_at(c, (0.9, -0.2, 0.1), 2.5)
    c.steps = False
    c.run(0.2)
    c.steps = True
    drag.release()
    c.run(1.0)
    path = c.score.save(tmp_path / "a.toml", c.time)
    again = bk.Choreography.perform(bk.Score.load(path))
    assert np.array_equal(again.figure.q, c.figure.q) and again.steps and again.score.steps == c.score.steps


@pytest.mark.parametrize(("height", "mass"), [(1.5, 50.0), (1.9, 90.0)])
def test_people_of_other_heights_step_too(height, mass):
    found = far_drag(np.array([0.8, -0.5, 0.3]) / np.linalg.norm([0.8, -0.5, 0.3]), 0.9, model=bk.human(height, mass))
    assert found.good and found.steps >= 2


def test_a_slow_step_is_no_fall():
    c = bk.Choreography()
    drag = c.drag("left_hand")
    start, seen = drag.target.copy(), set()
    for k in range(60):
        drag.to(start + np.array((0.8, 0.0, 0.2)) * min(1.0, (k + 1) / 20))
        c.run(0.05)
        seen.add(c.report.state)
    assert seen == {"standing"} and c.world.step_state.taken >= 2


def test_strict_levels_take_no_steps():
    c = bk.Choreography(priority="2002")
    assert not c.steps
    with pytest.raises(bk.InputError, match="strict levels"):
        c.steps = True
