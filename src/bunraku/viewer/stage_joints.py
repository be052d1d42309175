"""The joint panel of a stage: which joints have sliders, their values, and what is desired of them.

A hinge or slider has one number [rad or m], a ball three: its rotation vector [rad], of which x and y reach as far as
its swing and z as its twist; together they are moved inside its limits. Checked in tests/viewer/test_stage_joints.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bunraku.errors import InputError
from bunraku.model.model import JointInfo, Model
from bunraku.model.rotations import exponential, logarithm

FARTHEST = 2 * np.pi  # rad or m: range of a slider whose joint has no limits


def with_sliders(model: Model) -> list[JointInfo]:
    """Joints with values of their own: hinges, sliders and balls, but no base and no followers."""
    return [j for j in model.joints if j.kind != "free" and j.nv in (1, 3) and j.nq]


def reach(joint: JointInfo) -> tuple[list[float], list[float]]:
    """(least, most) of each of a joint's numbers."""
    if joint.kind == "ball":
        swing = min(float(joint.swing), np.pi)
        low, high = [-swing, -swing, float(joint.twist[0])], [swing, swing, float(joint.twist[1])]
    else:
        low, high = [float(x) for x in joint.lower], [float(x) for x in joint.upper]
    return np.maximum(low, -FARTHEST).tolist(), np.minimum(high, FARTHEST).tolist()


def panel(model: Model) -> list[dict[str, Any]]:
    """What the page needs to draw the sliders."""
    out = []
    for j in with_sliders(model):
        low, high = reach(j)
        out.append({"name": j.name, "unit": j.unit, "least": low, "most": high})
    return out


def shown(joint: JointInfo, value: Sequence[float] | np.ndarray) -> list[float]:
    """A joint's coordinates as the numbers of its sliders."""
    x = np.asarray(value, dtype=float)
    return np.round(logarithm(x / np.linalg.norm(x)) if joint.kind == "ball" else x, 5).tolist()


def coordinates(model: Model, name: str, value: Sequence[float]) -> list[float]:
    """Numbers of sliders as a joint's coordinates; an InputError says what is wrong with them."""
    joint = model.joint(name)
    if joint not in with_sliders(model):
        raise InputError(f"joint {name!r} has no value of its own to desire.")
    low, high = reach(joint)
    if len(value) != len(low):
        raise InputError(f"joint {name!r} needs {len(low)} numbers, got {len(value)}.")
    for x, least, most in zip(value, low, high):
        if not least - 1e-6 <= x <= most + 1e-6:
            raise InputError(f"joint {name!r}: {x:g} {joint.unit} is not between {least:g} and {most:g}.")
    return exponential(np.asarray(value, dtype=float)).tolist() if joint.kind == "ball" else list(value)
