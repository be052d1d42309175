"""A figure of a scene that walks: [[walk]] gives it footsteps or a terrain, and a stabiliser keeps it on its feet.

    [[walk]]
    figure = "person"
    terrain = "building"       # brings its shapes and footsteps; or: footsteps = "walk 2 m, turn 90 degrees"
    pace = "slowly"            # with footsteps

The walk is planned when the scene is made ready (bunraku.walking.walk); the figure stands where its footsteps begin, at
the origin, looking along x. A saved world goes on: `Kept` holds the state of a controller that was saved until the
world's own takes it over. Checked in tests/scene/test_walks.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bunraku.errors import BunrakuError
from bunraku.scene.file import Table
from bunraku.world.world import Figure, World

if TYPE_CHECKING:
    from bunraku.model.model import Model
    from bunraku.walking.terrain import Terrain
    from bunraku.walking.walking_pattern import WalkingPattern

STANDS = ("at", "rotation", "pose", "velocity", "spin", "count", "spacing", "scatter", "scatter_turn", "servo")
"""Keys of a [[figure]] that would have it begin otherwise than its walk does."""


def plan(table: Table, model: Model) -> tuple[WalkingPattern, Terrain | None]:
    """The walk of a [[walk]] for a figure's model, and the terrain it brings."""
    from bunraku.walking.walk import planned

    words = table.get("footsteps")
    if words is not None and Path(words).suffix == ".toml":
        raise table.wrong(f'footsteps = {words!r} should be words, e.g. "walk 2 m, turn 90 degrees".')
    try:
        return planned(named_humanoid(model), words, table.get("terrain"), table.get("pace"))
    except BunrakuError as error:
        raise table.wrong(str(error)) from None


def named_humanoid(model: Model) -> Any:
    """What walks, of a model."""
    from bunraku.humanoid.parts import humanoid

    return humanoid(model)


def check_start(table: Table, figure: Table) -> None:
    """Refuse a figure that is to begin elsewhere than its walk does."""
    for key in STANDS:
        if key in figure:
            raise figure.wrong(f"{key!r} has no effect: it stands where {table.where.split(': ')[-1]} begins.")


def set_off(world: World, figure: Figure, pattern: WalkingPattern) -> None:
    """Put a figure where its walk begins, and give it the stabiliser that walks it."""
    from bunraku.walking.walker import stabilised

    figure.q[:] = figure.target_q[:] = pattern.q[0]
    figure.v[:] = 0.0
    try:
        world.add_controller(stabilised(world, figure, pattern))
    except BunrakuError as error:
        raise error.__class__(f"[[walk]] of {figure.name!r}: {error}") from None


class Kept:
    """A controller that does nothing but hold the state that was saved."""

    name = "kept"

    def __init__(self) -> None:
        self._state: dict[str, Any] = {}

    def __call__(self, world: World) -> None:
        """Nothing."""

    def state(self) -> dict[str, Any]:
        """What was saved."""
        return self._state

    def restore(self, state: dict[str, Any]) -> None:
        """Hold it."""
        self._state = state
