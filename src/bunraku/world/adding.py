"""A figure comes into a world: where its base goes, its rows in the arrays of all figures.

Checked in tests/world/.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Container, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bunraku.errors import InputError
from bunraku.model.forest import Part
from bunraku.model.model import Model
from bunraku.model.rotations import multiply, quaternion, rotation_matrix
from bunraku.world import joints

if TYPE_CHECKING:
    from bunraku.world.world import World


def fresh_name(name: str, taken: Container[str]) -> str:
    """The name, or with the first number that makes it new."""
    if name not in taken:
        return name
    return next(f"{name}{k}" for k in range(2, 10**9) if f"{name}{k}" not in taken)


def placed(model: Model, at: Sequence[float] | None, rotation: Any) -> np.ndarray:
    """Coordinates of a model at rest, its free base moved to `at` and turned by `rotation`."""
    q = model.neutral()
    if at is None and rotation is None:
        return q
    root = model.joints[0] if model.joints and model.joints[0].kind == "free" else None
    if root is None:
        raise InputError(f"World: {model.name!r} has a fixed base; it cannot be placed with `at` or `rotation`.")
    if at is not None:
        x = np.asarray(at, dtype=float)
        if x.shape != (3,) or not np.all(np.isfinite(x)):
            raise InputError(f"World: `at` needs three finite numbers, got {at}.")
        q[root.iq : root.iq + 3] = x
    if rotation is not None:
        turned = slice(root.iq + 3, root.iq + 7)
        q[turned] = multiply(quaternion(rotation_matrix(rotation)), q[turned])
    return q


def join(world: World, name: str, model: Model, q: np.ndarray) -> None:
    """Room for the state of a figure; the others keep theirs."""
    nv = model.nv
    last = next(reversed(world._parts.values()), None)
    offsets = (last.body + last.model.nb - 1, last.q.stop, last.v.stop) if last else (0, 0, 0)
    world._parts[name] = Part(name, model, *offsets)
    for rates in ("v", "tau", "_also", "target_v", "applied"):
        setattr(world, rates, np.concatenate([getattr(world, rates), np.zeros(nv)]))
    world.q = np.concatenate([world.q, q])
    world.target_q = np.concatenate([world.target_q, q])
    world.drive = np.concatenate([world.drive, joints.drive_rows(model)])
