"""Films show what the page shows: the outline of a figure, drawn from the page's own camera, is that of the page."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.draw.camera import Camera
from bunraku.draw.render import render
from bunraku.draw.world_pictures import world_scene
from bunraku.motion import Recording
from bunraku.viewer.recording_page import page as write_page
from robots import robot
from viewer_browser import browser, open_page, pixels, until  # noqa: F401 - a fixture

FOV = 32.0  # degrees, of the page's camera (page/src/stage.ts)


def outline(picture):
    """Where a picture without ground shows something: what differs from the colour of its corner."""
    picture = np.asarray(picture, dtype=int)
    return np.abs(picture - picture[3, 3]).max(axis=2) > 12


def world_of(name):
    """A figure in the air, in a pose that is not its neutral one."""
    world = bk.World()
    figure = world.add(bk.human() if name == "human" else bk.load(robot("g1")), at=(0, 0, 1))
    rng = np.random.default_rng(7)
    for joint in figure.model.joints[1:]:
        if joint.nv == 1:
            figure.q[joint.iq] += rng.uniform(-0.3, 0.3)
    return world


@pytest.mark.slow
@pytest.mark.parametrize("name", ["human", "g1"])
def test_outline_of_page_and_film(name, browser, tmp_path):  # noqa: F811
    """Intersection over union of the two outlines is at least 0.97, with the skin and with a robot's meshes."""
    world = world_of(name)
    with world.record(tmp_path / "run.bkr"):
        world.step(1)
    with Recording.open(tmp_path / "run.bkr") as recording:
        write_page(recording, tmp_path / "run.html")
        q = recording.q[0].astype(float)
        page = open_page(browser, (tmp_path / "run.html").as_uri(), width=700, height=620)
        until(page, "window.bunraku && bunraku.drawn > 0 && bunraku.errors.length === 0")
        least = 0.0
        for _ in range(60):  # until the skin has come and is drawn
            place, target = (np.array(page.evaluate(f"bunraku.{what}")) for what in ("camera", "target"))
            shown = outline(pixels(page))
            height, width = shown.shape
            forward = (target - place) / np.linalg.norm(target - place)
            right = np.cross(forward, (0.0, 0.0, 1.0))
            right /= np.linalg.norm(right)
            camera = Camera(place, right, np.cross(right, forward), forward, FOV)
            scene = world_scene(recording, [q])
            drawn = outline(render(scene, camera, width, height))
            least = (shown & drawn).sum() / (shown | drawn).sum()
            if least >= 0.97:
                break
            page.wait_for_timeout(100)
        assert drawn.sum() > 0.01 * drawn.size and least >= 0.97
        assert page.faults == []
        page.close()
