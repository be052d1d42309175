"""`bunraku view SCENE|MODEL|FILE`: run a scene or a figure in real time and watch it in the browser; Ctrl-C ends it.

A scene is a TOML file or a built-in one by name, a model "human" or a URDF or MJCF file: it stands on a ground with
servos that hold its pose. A recording (.bkr) or motion (.bvh) is played, as by `bunraku play`. BUNRAKU_TOKEN in the
environment is the token of its address, instead of a new one each time.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from bunraku.cli.common import FIGURES, figure
from bunraku.cli.page_options import Page, PageOptions, stay
from bunraku.errors import InputError, closest

if TYPE_CHECKING:
    from bunraku.world import World

MODELS = (".urdf", ".xml", ".mjcf")
RECORDINGS = (".bkr", ".part", ".bvh")
STIFFNESS, DAMPING = 3000.0, 60.0
"""Of the servos that hold a model: N m/rad and N m s/rad."""


def main(
    what: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="SCENE|MODEL|FILE")],
    /,
    *,
    page: PageOptions = Page(),  # noqa: B008 - frozen
) -> int:
    """Watch a scene, a figure, a recording or a motion in the browser.

    Args:
        what: a scene (TOML file or built-in name), "human", a URDF or MJCF file, a recording (.bkr) or a motion (.bvh).
    """
    options = page.options()
    if Path(what).suffix in RECORDINGS:
        from bunraku.cli.play_command import open_recording

        return stay(open_recording(Path(what), **options))
    from bunraku.viewer.view import view_world

    world, title = world_of(what)
    return stay(view_world(world, title=title, **options))


def world_of(what: str) -> tuple[World, str]:
    """(world, title) of a scene or a model."""
    if what in FIGURES or Path(what).suffix in MODELS:
        return standing(what), Path(what).stem
    from bunraku.scene import built_in, load

    scenes = built_in()
    if what not in scenes and not Path(what).exists() and Path(what).suffix != ".toml":
        known = [*FIGURES, *scenes]
        raise InputError(f"{what!r} is neither a file nor a scene or figure of Bunraku.{closest(what, known)}")
    scene = load(what)
    return scene.build(), scene.about or scene.name


def standing(name: str) -> World:
    """A model on the ground, held by servos."""
    from bunraku.humanoid.opening_pose import lowest
    from bunraku.viewer.shapes import drawn_shapes
    from bunraku.world import World

    model = figure(name)
    world = World()
    world.add_ground()
    fig = world.add(model)
    root = model.joints[0] if model.joints and model.joints[0].kind == "free" else None
    if root is not None:
        fig.q[root.iq + 2] -= lowest(model, model.neutral(), [s for s in drawn_shapes(model) if s.body])
    fig.servo(STIFFNESS, DAMPING)
    return world
