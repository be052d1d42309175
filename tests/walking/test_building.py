"""The building: walked in the physical world through the door, round the corner and up the stairs, touching the ground
with the soles and nothing else."""

import numpy as np
import pytest

import bunraku as bk
from asserts import asserts
from bunraku.errors import InputError
from bunraku.humanoid.parts import humanoid
from bunraku.walking.building import RISER, STAIRS, building
from bunraku.walking.terrain import Terrain
from bunraku.walking.terrain_words import terrain
from bunraku.walking.walker import Walker
from bunraku.walking.walking_pattern import walking_pattern


def spans(t: Terrain, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest corner of a shape, axes of the world."""
    s = next(s for s in t.shapes if s.name == name)
    R = np.eye(3) if s.rotation is None else np.asarray(s.rotation)
    half = np.abs(R @ np.asarray(s.size))
    return np.asarray(s.position) - half, np.asarray(s.position) + half


@pytest.fixture(scope="module")
def walked():
    """(terrain, path of the base (n, 3), what touched what, walker) of a whole walk, looked at every 20 ms."""
    t = terrain("building", bk.human())
    walker = Walker(walking_pattern(bk.human(), t.steps, begin=t.begin), stabiliser=True, terrain=t)
    path, touched = [], set()
    while walker.world.time < walker.duration and not walker.is_down():
        walker.world.step(20)
        path.append(walker.figure.pose("pelvis")[0].copy())
        touched |= {tuple(sorted(c.bodies)) for c in walker.world.contacts}
    return t, np.array(path), touched, walker


@asserts("1988/building")
def test_it_ends_upright_on_the_landing(walked):
    t, path, _, walker = walked
    assert not walker.is_down() and walker.world.time >= walker.duration
    low, high = spans(t, "landing")
    top = STAIRS * RISER
    assert np.isclose(high[2], top)
    for foot in ("left_foot", "right_foot"):
        x, y, z = walker.figure.pose(foot)[0]
        assert low[0] < x < high[0] and low[1] < y < high[1] and top < z < top + 0.15
    assert max(e.distance for e in walker.footstep_error()) < 0.005
    assert path[-1, 2] - path[0, 2] == pytest.approx(top, abs=0.03)


def test_the_way_leads_through_the_door_along_the_corridor_and_round_the_corner(walked):
    t, path, _, _ = walked
    left, right, lintel = (spans(t, n) for n in ("wall left of the door", "wall right of the door", "lintel"))
    k = int(np.argmax(path[:, 0] > left[0][0]))
    assert k > 0 and right[1][1] < path[k, 1] < left[0][1] and path[k, 2] < lintel[0][2]
    corridor, stairs = spans(t, "left wall of the corridor"), spans(t, "left wall of the stairs")
    along = path[(path[:, 0] > corridor[0][0]) & (path[:, 0] < corridor[1][0])]
    assert len(along) > 50 and np.all(np.abs(along[:, 1]) < corridor[0][1])
    up = path[path[:, 1] > corridor[1][1]]
    assert len(up) > 50 and np.all(up[:, 0] > stairs[1][0])


def test_soles_alone_touch_the_ground_and_the_stairs(walked):
    _, _, touched, _ = walked
    outside = [pair for pair in touched if any(body == "world" for body, _ in pair)]
    ground = {"plane", "landing", *(f"stair {k + 1}" for k in range(STAIRS))}
    assert {link for pair in outside for body, link in pair if body != "world"} == {"left_foot", "right_foot"}
    assert {link for pair in outside for body, link in pair if body == "world"} <= ground
    assert len(outside) >= STAIRS + 2


def test_walls_that_would_hide_the_figure_stand_whole_and_are_drawn_low(walked):
    t, _, _, walker = walked
    for name in ("right wall of the corridor", "right wall of the stairs"):
        whole, seen = spans(t, name), spans(t, f"{name}, seen")
        assert np.allclose(whole[0], seen[0]) and whole[1][2] > 2.0 and seen[1][2] < 0.5
    from bunraku.draw.world_pictures import world_scene
    from bunraku.viewer.shapes import shapes_of

    drawn = sum(s.role != "collision" for s in t.shapes)
    bare, all_of_it = (len(world_scene(walker.world, [walker.world.q], fixed=f).solids) for f in (False, True))
    assert all_of_it - bare == drawn
    assert len(shapes_of([], t.shapes)) == drawn < len(t.shapes)


def test_a_child_has_a_smaller_one():
    small, large = building(bk.human(height=1.3)), building(bk.human())
    assert spans(small, "lintel")[1][2] < 0.85 * spans(large, "lintel")[1][2]
    assert len(small.steps) > 10


def test_a_slip_of_its_name_is_told():
    with pytest.raises(InputError, match=r"'bulding' is not understood; say e\.g\. .*'building'"):
        terrain("bulding", humanoid(bk.human()))
