"""Pictures of worlds: things are seen where they are, strobes leave out what did not move, plots are PNG."""

import numpy as np

import bunraku as bk
from bunraku.draw.render import camera_for, render
from bunraku.draw.solid_scene import BOX, SPHERE
from bunraku.draw.world_pictures import chosen, plot, strobe, world_scene
from bunraku.model import Shape
from bunraku.scene import load


def world():
    w = bk.World()
    w.add_ground(height=-0.2)
    w.add_fixed(Shape("plane", rotation=(0.9, 0.4, 0, 0)))
    w.add(bk.box((0.2, 0.2, 0.2)), at=(1, 0, 0.5))
    w.add(bk.sphere(0.1), at=(-1, 0, 0.5))
    w.add(bk.cylinder(0.1, 0.6), at=(0, 1, 0.5))
    return w


def test_every_shape_is_drawn_where_it_is():
    w = world()
    scene = world_scene(w, [w.q])
    kinds = [int(solid.kind) for solid in scene.solids]
    assert kinds == [BOX, BOX, SPHERE] and len(scene.surfaces) == 1 and scene.floor == -0.2
    camera = camera_for(scene, "front", 1.0)
    with_box = render(scene, camera, 200, 200)
    column, row = (int(x) for x in camera.project(np.array([1.0, 0, 0.5]), 200, 200))
    scene.solids.pop(1)
    assert not np.array_equal(with_box[row, column], render(scene, camera, 200, 200)[row, column])


def test_strobe_leaves_out_what_did_not_move():
    w = world()
    states = np.array([w.q] * 10)
    assert len(chosen(w, states, 6)) == 1
    states[:, 0] += np.linspace(0, 2, 10)
    assert len(chosen(w, states, 6)) == 6
    assert np.array_equal(chosen(w, states, 6)[-1], states[-1])


def test_pictures_of_a_run():
    record = load("slope").changed(seconds=0.3).run()
    image = strobe(record, 160, 120)
    assert image.shape == (120, 160, 3) and image.std() > 10
    assert plot(record)[:4] == b"\x89PNG"
