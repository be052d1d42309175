"""`bunraku view SCENE|MODEL|FILE`: run a scene or a figure in real time and watch it in the browser; Ctrl-C ends it.

A scene is a TOML file or a built-in one by name, a model "human" or a URDF or MJCF file: it stands on a ground with
servos that hold its pose. A recording (.bkr) or motion (.bvh) is played, as by `bunraku play`. BUNRAKU_TOKEN in the
environment is the token of its address, instead of a new one each time.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from bunraku.cli.common import FIGURES, figure, idle, progress_bar
from bunraku.cli.page_options import Page, PageOptions, stay
from bunraku.errors import InputError, closest
from bunraku.files import read_text
from bunraku.kernel.needed import prepare

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
    self_collision: bool = True,
    loop: bool = False,
) -> int:
    """Watch a scene, a figure, a recording or a motion in the browser.

    Args:
        what: a scene (TOML file or built-in name), "human", a file of `bunraku human`, a URDF or MJCF file, a recording (.bkr) or a motion (.bvh).
        self_collision: links of a model collide with each other; --no-self-collision lets them pass through, which is quicker.
        loop: play a recording or a motion again and again; the page switches it, too.
    """
    options = page.options()
    if Path(what).suffix in RECORDINGS:
        from bunraku.cli.play_command import open_recording

        idle("has no effect on recordings and motions", no_self_collision=not self_collision)
        return stay(open_recording(Path(what), loop=loop, **options))
    idle("has no effect on worlds, which have no end", loop=loop)
    if not is_model(what):
        idle("has no effect on scenes, whose files say it of each figure", no_self_collision=not self_collision)
    with progress_bar(None, f"loading {Path(what).name}"):
        from bunraku.viewer.view import view_world

        world, title = world_of(what, self_collision)
        prepare("view", world.contact)
        view = view_world(world, title=title, **options)
    return stay(view)


def is_model(what: str) -> bool:
    """Whether it names a figure or its file."""
    return what in FIGURES or Path(what).suffix in MODELS or of_a_person(what)


def world_of(what: str, self_collision: bool = True) -> tuple[World, str]:
    """(world, title) of a scene or a model."""
    if is_model(what):
        return standing(what, self_collision), Path(what).stem
    from bunraku.scene import built_in, load

    scenes = built_in()
    if what not in scenes and not Path(what).exists() and Path(what).suffix != ".toml":
        known = [*FIGURES, *scenes]
        raise InputError(f"{what!r} is neither a file nor a scene or figure of Bunraku.{closest(what, known)}")
    scene = load(what)
    return scene.build(), scene.about or scene.name


def of_a_person(what: str) -> bool:
    """Whether it is a file of `bunraku human`: scenes are TOML files, too."""
    from bunraku.formats.person import is_person

    return Path(what).suffix == ".toml" and Path(what).is_file() and is_person(read_text(what))


def standing(name: str, self_collision: bool = True) -> World:
    """A model on the ground, held by servos."""
    from bunraku.humanoid.opening_pose import lowest
    from bunraku.viewer.shapes import drawn_shapes
    from bunraku.world import World

    model = figure(name)
    world = World()
    world.add_ground()
    fig = world.add(model, self_collision=self_collision)
    root = model.joints[0] if model.joints and model.joints[0].kind == "free" else None
    if root is not None:
        fig.q[root.iq + 2] -= lowest(model, model.neutral(), [s for s in drawn_shapes(model) if s.body])
    fig.servo(STIFFNESS, DAMPING)
    return world
