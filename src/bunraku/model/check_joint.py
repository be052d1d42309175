"""Checks of joints and of the gears that couple them.

A joint needs a known kind, an axis with a direction (a universal one two that are not parallel), ordered limits, and
constants of the right sign. A gear q_follower = ratio * q_leader + offset ties two different 1-DoF joints; a follower
has one leader, and following the leaders never comes back to the start. Tested by tests/model/test_check.py.
"""

from __future__ import annotations

import math

import numpy as np

from bunraku.errors import ModelError, closest
from bunraku.model.check_values import direction, finite, per_dof, place, vector
from bunraku.model.description import Description, Gear, Joint
from bunraku.model.joint_kinds import KINDS, TABLE

CONSTANTS = ("damping", "friction", "stiffness", "armature")
BOUNDS = ("effort", "velocity")


def check_joint(joint: Joint, at: str) -> None:
    """One joint; `at` starts every message."""
    if joint.kind not in KINDS:
        raise ModelError(f"{at} has the unknown kind {joint.kind!r}; choose one of {', '.join(KINDS)}.")
    kind = KINDS[joint.kind]
    dof = max(kind.axes, 1)  # how many values each constant may have
    if kind.axes:
        axis = direction(joint.axis, at, "axis")
        if kind.axes == 2:
            if joint.axis2 is None:
                raise ModelError(f"{at} is {kind.name} and needs a second axis; set `axis2`.")
            if np.linalg.norm(np.cross(axis, direction(joint.axis2, at, "axis2"))) < 1e-6:
                raise ModelError(f"{at}: its two axes are parallel, so it turns about one line only; use a hinge.")
    for name in filter(None, (other.needs for other in TABLE)):
        given = finite(getattr(joint, name), at, name)
        if name == kind.needs and given == 0.0:
            raise ModelError(f"{at} is {kind.name} and needs a {name} other than 0; set `{name}`.")
        if name != kind.needs and given != 0.0:
            raise ModelError(f"{at}: a {name} has no meaning on a {kind.name} joint; leave it out.")
    vector(joint.anchor, 3, at, "anchor")
    for name in CONSTANTS:
        if np.any(per_dof(getattr(joint, name), dof, at, name) < 0.0):
            raise ModelError(f"{at} has the negative {name} {getattr(joint, name)}; write 0 or more.")
    for name in BOUNDS:
        if np.any(per_dof(getattr(joint, name), dof, at, f"{name} limit", infinite=True) < 0.0):
            raise ModelError(f"{at} has the negative {name} limit {getattr(joint, name)}; write 0 or more.")
    for name in ("rest", "reference"):
        if np.any(per_dof(getattr(joint, name), dof, at, name)) and kind.limits != "range":
            raise ModelError(f"{at}: {name} has no meaning on a {joint.kind} joint, whose rest is its described pose.")
    _limits(joint, dof, at)


def _limits(joint: Joint, dof: int, at: str) -> None:
    lower = per_dof(joint.lower, dof, at, "lower limit", infinite=True)
    upper = per_dof(joint.upper, dof, at, "upper limit", infinite=True)
    if np.any(lower > upper):
        raise ModelError(f"{at}: the lower limit {joint.lower} is above the upper limit {joint.upper}; exchange them.")
    if np.any(lower == math.inf) or np.any(upper == -math.inf):
        raise ModelError(f"{at}: the limits {joint.lower}, {joint.upper} leave no room to move.")
    limits = KINDS[joint.kind].limits
    if limits != "range" and (np.isfinite(lower).any() or np.isfinite(upper).any()):
        instead = "limit a ball by swing and twist" if limits == "cone" else "leave them out"
        raise ModelError(f"{at}: lower and upper have no meaning on a {joint.kind} joint; {instead}.")
    swing = vector([joint.swing], 1, at, "swing limit", infinite=True)[0]
    if swing <= 0.0:
        raise ModelError(f"{at}: the swing limit {swing:g} is not positive; write an angle in rad.")
    low, high = vector(joint.twist, 2, at, "twist limit", infinite=True)
    if low > high:
        raise ModelError(f"{at}: the lower twist limit {low:g} is above the upper one {high:g}; exchange them.")
    if limits != "cone" and (math.isfinite(swing) or math.isfinite(low) or math.isfinite(high)):
        raise ModelError(f"{at}: swing and twist are limits of a ball joint; this one is a {joint.kind}.")


def check_gears(description: Description) -> None:
    """Every gear by itself, then the net of gears."""
    kinds = {joint.name: joint.kind for link in description.links for joint in link.joints}
    leader_of: dict[str, Gear] = {}
    for gear in description.gears:
        at = f"{place(gear.where)}gear {gear.follower!r} <- {gear.leader!r}"
        for name in (gear.follower, gear.leader):
            if name not in kinds:
                raise ModelError(f"{at}: there is no joint {name!r}.{closest(str(name), kinds)}")
            if not KINDS[kinds[name]].one_axis:
                raise ModelError(f"{at}: joint {name!r} is a {kinds[name]}; a gear couples joints with one axis only.")
        if gear.follower == gear.leader:
            raise ModelError(f"{at}: a joint cannot follow itself.")
        if finite(gear.ratio, at, "ratio") == 0.0:
            raise ModelError(f"{at}: the ratio is 0, so the follower would not move; make its joint fixed.")
        finite(gear.offset, at, "offset")
        if gear.follower in leader_of:
            other = leader_of[gear.follower].leader
            raise ModelError(f"{at}: the joint already follows {other!r}; a follower has one leader.")
        leader_of[gear.follower] = gear
    _no_cycle(leader_of)


def _no_cycle(leader_of: dict[str, Gear]) -> None:
    ends: set[str] = set()  # joints whose chain of leaders is known to end
    for start in leader_of:
        path: dict[str, None] = {}  # an ordered set
        name = start
        while name in leader_of and name not in ends:
            if name in path:
                cycle = " <- ".join(repr(n) for n in [*path, name][list(path).index(name) :])
                raise ModelError(f"{place(leader_of[start].where)}the gears {cycle} form a cycle; let one joint lead.")
            path[name] = None
            name = leader_of[name].leader
        ends.update(path)
