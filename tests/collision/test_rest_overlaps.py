"""Links that overlap in the pose at rest: found, named, left out, and let touch where that is asked for."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.collision.rest_overlaps import overlaps_at_rest
from bunraku.errors import InputError


def arm(fixed=True):
    """Three links in a row; the first and the third overlap by 2 cm, neighbours wholly."""
    d = bk.Description("arm")
    ball = [bk.Shape("sphere", (0.06,))]
    d.add("foot", None, None if fixed else bk.free("root"), mass=1.0, moments=(0.1,) * 3, shapes=ball)
    for k, parent in enumerate(("foot", "lower", "middle")):
        name = ("lower", "middle", "upper")[k]
        d.add(name, parent, bk.hinge(f"j{k}", (0, 1, 0)), at=(0, 0, 0.05), mass=1.0, moments=(0.1,) * 3, shapes=ball)
    return d.build()


def touching(world):
    return {(c.bodies[0][1], c.bodies[1][1]) for c in world.contacts}


@pytest.mark.parametrize("fixed", [True, False])
def test_they_are_left_out_and_named(fixed):
    world = bk.World(gravity=(0, 0, 0))
    world.add(arm(fixed))
    world.step(50)
    assert not world.contacts and np.abs(world.v).max() == 0.0
    (note,) = [n for n in world.notes if "overlap" in n.text]
    assert note.count == 2 and "foot and middle" in note.text and "lower and upper" in note.text


def test_all_of_them_may_touch():
    world = bk.World(gravity=(0, 0, 0))
    world.add(arm(), self_collision="all")
    world.step()
    assert len(world.contacts) == 2 and not [n for n in world.notes if "overlap" in n.text]


def test_links_pass_through_their_own_foot_where_none_touch():
    world = bk.World(gravity=(0, 0, 0))
    fig = world.add(arm(), self_collision=False)
    fig.q[:] = (0.0, 2.5, 0.0)  # folded back onto the foot
    world.step()
    assert not world.contacts


def test_what_only_touches_is_kept():
    d = bk.Description("row")
    ball = [bk.Shape("sphere", (0.05,))]
    d.add("a", None, bk.free("root"), mass=1.0, moments=(0.1,) * 3, shapes=ball)
    d.add("b", "a", bk.hinge("ab", (0, 1, 0)), at=(0, 0, 0.05), mass=1.0, moments=(0.1,) * 3, shapes=ball)
    d.add("c", "b", bk.hinge("bc", (0, 1, 0)), at=(0, 0, 0.05), mass=1.0, moments=(0.1,) * 3, shapes=ball)
    assert overlaps_at_rest(d.build()) == () and overlaps_at_rest(bk.human()) == ()


def test_saved_worlds_keep_the_choice(tmp_path):
    world = bk.World(gravity=(0, 0, 0))
    world.add(arm(), self_collision="all")
    world.step()
    world.save(tmp_path / "world.npz")
    other = bk.World.load(tmp_path / "world.npz")
    other.step()
    assert len(other.contacts) == 2


def test_another_word_is_refused():
    with pytest.raises(InputError, match="self_collision"):
        bk.World().add(arm(), self_collision="some")
