"""walk_to: ways around boxes and over stairs, footsteps on level floor, what cannot be; arrival, scores, snapshots."""

from itertools import pairwise

import numpy as np
import pytest

import bunraku as bk
from bunraku.choreography.floor_map import FloorMap
from bunraku.model.description import Shape
from bunraku.model.rotations import about
from bunraku.world import World


def floor_with(*shapes, places=((0, 0), (3, 0))):
    w = World()
    w.add_ground()
    for s in shapes:
        w.add_fixed(s)
    return FloorMap(w, "", places)


def arrive(c, goal, yaw=None, longest=40.0):
    c.run(0.2)
    steps = c.walk_to(goal, yaw)
    for _ in range(int(longest / 0.25)):
        c.run(0.25)
        if not c.walking and c.world.step_state.mode == 0:
            break
    c.run(0.8)
    s = c.world.step_state
    middle = 0.5 * (np.array(s.foot[0].place) + np.array(s.foot[1].place))
    return steps, middle, float(s.heading)


def test_a_way_goes_around_a_box_and_keeps_clear_of_it():
    floor = floor_with(Shape("box", (0.3, 0.5, 0.5), (1.5, 0.1, 0.5), about(2, 0.4)))
    way = floor.way((0, 0), (3, 0))
    assert len(way) > 2 and np.allclose(way[[0, -1]], [(0, 0), (3, 0)])
    turn = about(2, 0.4)[:2, :2]
    for a, b in pairwise(way):
        for u in np.linspace(0, 1, 50):
            off = np.abs(turn.T @ (a + (b - a) * u - (1.5, 0.1))) - (0.3, 0.5)
            assert np.linalg.norm(np.maximum(off, 0)) > 0.25  # m from the box
    assert floor.at((1.5, 0.1)) == 1.0 and floor.at((0, 0)) == 0.0


def test_free_floor_is_crossed_straight_and_walls_are_not():
    assert len(floor_with().way((0, 0), (3, 1))) == 2
    sides = (((0.1, 1.1, 1.0), (2.0, 0, 1.0)), ((0.1, 1.1, 1.0), (4.0, 0, 1.0)))
    ends = (((1.1, 0.1, 1.0), (3.0, 1.0, 1.0)), ((1.1, 0.1, 1.0), (3.0, -1.0, 1.0)))
    wall = floor_with(*(Shape("box", half, place) for half, place in (*sides, *ends)))
    assert wall.way((0, 0), (3, 0)) is None
    assert not wall.is_free((2.2, 0)) and wall.is_free((3, 0))


def test_it_walks_to_a_place_and_a_heading():
    c = bk.Choreography()
    steps, middle, heading = arrive(c, (0.9, 0.6), yaw=-0.5)
    assert steps >= 4 and np.linalg.norm(middle[:2] - (0.9, 0.6)) < 0.05
    assert abs(heading + 0.5) < np.radians(5) and c.report.state == "standing"


def test_it_walks_around_a_box_without_touching_it():
    c = bk.Choreography()
    c.world.add_fixed(Shape("box", (0.2, 0.25, 0.5), (0.9, 0.0, 0.5), name="box"))
    c.run(0.1)
    _, middle, _ = arrive(c, (1.8, 0.0))
    assert np.linalg.norm(middle[:2] - (1.8, 0.0)) < 0.1 and c.report.state == "standing"


@pytest.mark.slow
def test_it_walks_up_stairs():
    c = bk.Choreography()
    for k, (near, far) in enumerate(((0.5, 0.78), (0.78, 1.06), (1.06, 2.6)), 1):
        high = 0.15 * k
        c.world.add_fixed(Shape("box", (0.5 * (far - near), 0.7, 0.5 * high), (0.5 * (near + far), 0, 0.5 * high)))
    _, middle, heading = arrive(c, (1.9, 0.0), yaw=0.0)
    assert np.linalg.norm(middle - (1.9, 0.0, 0.45)) < 0.1 and abs(heading) < np.radians(5)


def test_a_score_with_a_walk_is_done_again_bit_for_bit(tmp_path):
    c = bk.Choreography()
    c.run(0.2)
    c.walk_to((0.6, -0.2), yaw=0.3)
    c.run(1.0)
    snap = c.snapshot()
    c.run(1.0)
    q = c.figure.q.copy()
    c.restore(snap)
    c.run(1.0)
    assert np.array_equal(q, c.figure.q) and c.walking
    again = bk.Choreography.perform(bk.Score.load(c.score.save(tmp_path / "a.toml", c.time)))
    assert np.array_equal(again.figure.q, q) and again.score.walks == c.score.walks


@pytest.mark.parametrize(
    ("place", "yaw", "word"),
    [
        ((1.0,), None, "x, y"),
        ((np.nan, 0.0), None, "x, y"),
        ((1.0, 0.0), "north", "yaw"),
        ((1.0, 0.0), None, "no way|room"),
    ],
)
def test_what_cannot_be_is_said(place, yaw, word):
    c = bk.Choreography()
    c.world.add_fixed(Shape("box", (0.5, 0.5, 0.5), (1.0, 0.0, 0.5)))
    c.run(0.05)
    with pytest.raises(bk.InputError, match=word):
        c.walk_to(place, yaw)
    assert not c.walking
