"""Which worlds can be stepped many at once, and why one of them stands still, in words."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bunraku.collision.shape_layout import FULL, PAIRS_FULL
from bunraku.errors import InputError
from bunraku.scene.actors import Events
from bunraku.scene.scene import load_scene
from bunraku.step.step_arrays import LOOPS_LARGE, NOT_FINITE, ROOM, ROOM_LARGE, ROOM_POOL, TOO_FAST
from bunraku.world.actuators import act
from bunraku.world.snapshot import controller_name
from bunraku.world.world import World

if TYPE_CHECKING:
    from bunraku.batch.worlds import Worlds

ROOM_STATUSES = (FULL, PAIRS_FULL, int(ROOM), int(ROOM_LARGE), int(ROOM_POOL))
TOO_LARGE = -40  # status of a world that no machine can be expected to hold


def scene_world(given: Any) -> World:
    """The World of a World, a Scene, or the name or path of a scene, ready to be stepped without Python."""
    if isinstance(given, str):
        given = load_scene(given)
    world = given if isinstance(given, World) else getattr(given, "build", lambda: None)()
    if not isinstance(world, World):
        raise InputError(f"Worlds: {given!r:.80} is neither a World nor a scene.")
    world._prepare()
    for controller in world._controllers:
        left = controller.order[controller.done :] if isinstance(controller, Events) else None
        if left:
            raise InputError(
                f"Worlds: something happens in the scene at {left[0][0]:g} s, which worlds of a batch do not know; "
                "take it out of the scene and do it between the steps."
            )
        if left is None:
            raise InputError(
                f"Worlds: controller {controller_name(controller)!r} is Python in every step; write tau or target_q of "
                "all worlds between the steps instead."
            )
    if world._ties.unborn:
        raise InputError(
            "Worlds: a connection with restitution is yet to be born; step the world once before you make worlds of it."
        )
    if world._equipped and act(world):
        names = ", ".join(repr(f.name) for f in world._equipped)
        raise InputError(
            f"Worlds: actuators or tendons of {names} are found in Python before every step; switch them off "
            "(figure.controls.off()) and use servos or tau."
        )
    return world


def reason(worlds: Worlds, i: int) -> str:
    """Why world i stands still; empty while it does not."""
    status = int(worlds.status[i])
    if status == 0:
        return ""
    at = f"world {i}, t={worlds.time[i]:.4f} s"
    if status == NOT_FINITE:
        for what in ("q", "v", "tau", "target_q", "target_v"):
            bad = np.flatnonzero(~np.isfinite(getattr(worlds, what)[i]))
            if len(bad):
                return f"{at}: {what}[{bad[0]}] is not finite; set it again, then reset the world."
        return f"{at}: something that was set was not finite; reset the world."
    if status == TOO_LARGE:
        return f"{at}: it needs more room than a machine can be expected to hold; spread the scene out."
    if status == LOOPS_LARGE:
        return f"{at}: an island of closed loops has too many rows for rk4. Try integrator='euler'."
    return (
        f"{at}: a step would not be finite, or faster than {TOO_FAST:g} m/s or rad/s. The last good state is kept. "
        f"Reset the world; try dt <= {worlds.dt / 2:.2g}, or take away what drives it."
    )
