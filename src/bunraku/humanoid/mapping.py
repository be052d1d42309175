"""Mapping files: what a walker must know of a robot that its model does not say, as TOML.

    models = ["talos"]                 # names of models that the file is for
    trunk = "torso_2_link"             # optional, as everything below
    hands = ["left link", "right link"]
    collisions = "soles"               # only the soles touch the world: other shapes are seen, not felt; feet of meshes become boxes,
                                       # links of meshes get sticks for pictures (bunraku.humanoid.stick_figure)
    [feet]
    left = "leg_left_6_link"
    right = "leg_right_6_link"
    sole = { below = 0.1, ahead = 0.03, half = [0.12, 0.07] }   # m: from the foot's link, where shapes do not tell
    [joints.NAME]                      # ranges [rad] and torques [N m] that the model has wrong
    lower = -0.5
    upper = 0.5
    effort = 160
    [stance]                           # rad: joints of the stance that are not 0
    NAME = 0.3
    [walk]                             # usual times [s] and sizes [m] of this walker: single, double, apart, step, side, lift, turn [rad]

`mapping_of` finds the file of a model by its name among bunraku/mappings; `changed` builds the model that walks.
Checked in tests/humanoid/test_parts.py.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from bunraku.errors import FormatError, InputError, closest
from bunraku.files import parse_toml, read_text
from bunraku.humanoid.stick_figure import add_sticks
from bunraku.model.description import Description, Shape
from bunraku.model.model import Model

KEYS = ("models", "trunk", "hands", "collisions", "feet", "joints", "stance", "walk")
WALK = ("apart", "single", "double", "step", "lift", "turn", "side")
FEET = ("left", "right", "sole")
JOINT = ("lower", "upper", "effort")
FILES = Path(__file__).parent / "mappings"
THICK = 0.02  # m: of a sole's box


def mapping_of(model: Model, mapping: str | os.PathLike[str] | Mapping[str, Any] | None) -> dict[str, Any]:
    """The mapping of a model: given, or the one of bunraku/mappings with its name, or empty."""
    if isinstance(mapping, Mapping):
        return checked(dict(mapping), "mapping", model)
    if mapping is not None:
        name = os.fspath(mapping)
        return checked(parse_toml(read_text(name), name), name, model)
    for file in sorted(FILES.glob("*.toml")):
        data = parse_toml(read_text(file), file.name)
        if model.name in data.get("models", ()):
            return checked(data, file.name, model)
    return {}


def checked(data: dict[str, Any], file: str, model: Model) -> dict[str, Any]:
    """The same mapping, with every name and number looked at."""

    def known(keys: Any, allowed: tuple[str, ...], where: str) -> None:
        for key in keys:
            if key not in allowed:
                raise FormatError(f"{file}: {where}unknown key {key!r}.{closest(str(key), allowed)}")

    def table(name: str) -> dict[str, Any]:
        value = data.get(name, {})
        if not isinstance(value, Mapping):
            raise FormatError(f"{file}: {name} must be a table, written [{name}].")
        return dict(value)

    def number(value: Any, what: str) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
            raise FormatError(f"{file}: {what} must be a finite number, got {value!r}.")
        return float(value)

    known(data, KEYS, "")
    known(table("feet"), FEET, "[feet] ")
    known(table("walk"), WALK, "[walk] ")
    for name, value in table("walk").items():
        if number(value, f"[walk] {name}") <= 0:
            raise FormatError(f"{file}: [walk] {name} must be above 0, got {value}.")
    for name, value in table("joints").items():
        model.joint(name)
        if not isinstance(value, Mapping):
            raise FormatError(f"{file}: joints.{name} must be a table, e.g. {{ lower = -0.5, upper = 0.5 }}.")
        known(value, JOINT, f"[joints.{name}] ")
        for key, x in value.items():
            number(x, f"[joints.{name}] {key}")
    for name, value in table("stance").items():
        if not model.joint(name).traits.one_axis:
            raise FormatError(
                f"{file}: [stance] {name} is a {model.joint(name).kind} joint; only hinges and sliders can be set."
            )
        number(value, f"[stance] {name}")
    if data.get("collisions", "all") not in ("all", "soles"):
        raise FormatError(f"{file}: collisions must be 'all' or 'soles', got {data['collisions']!r}.")
    hands = data.get("hands", (None, None))
    if (
        not isinstance(hands, list | tuple)
        or len(hands) != 2
        or not all(x is None or isinstance(x, str) for x in hands)
    ):
        raise FormatError(f"{file}: hands must be two names, left and right.")
    sole = table("feet").get("sole")
    if sole is not None:
        if not isinstance(sole, Mapping) or not isinstance(sole.get("half"), list | tuple):
            raise FormatError(
                f"{file}: [feet] sole must be a table with half = [length / 2, width / 2], e.g. {{ below = 0.1, half = [0.1, 0.05] }}."
            )
        known(sole, ("below", "ahead", "left", "half"), "[feet] sole: ")
        half = sole["half"]
        if len(half) != 2 or min(number(x, "[feet] sole: half") for x in half) <= 0:
            raise FormatError(f"{file}: [feet] sole: half must be two lengths above 0 [m], half length and half width.")
        for key in ("below", "ahead", "left"):
            number(sole.get(key, 0.0), f"[feet] sole: {key}")
    return data


def changed(model: Model, known: Mapping[str, Any], feet: tuple[str, str]) -> Model:
    """The model with the mapping's ranges, torques and collision shapes; the same one where the mapping changes
    nothing."""
    limits, soles = known.get("joints", {}), known.get("collisions") == "soles"
    stated = known.get("feet", {}).get("sole")
    if not limits and not soles and stated is None:
        return model
    description: Description = copy.deepcopy(model.description)
    for link in description.links:
        for joint in link.joints:
            for key, value in limits.get(joint.name, {}).items():
                setattr(joint, key, float(value))
    if soles:
        only_soles(model, description, feet, stated)
        add_sticks(description)
    return description.build()


def only_soles(model: Model, description: Description, feet: tuple[str, str], stated: Mapping[str, Any] | None) -> None:
    """Take all shapes out of collisions but those of the feet; feet of meshes, cylinders or nothing get a box."""
    from bunraku.dynamics.functions import kinematics
    from bunraku.humanoid.sole_shape import foot_on

    k = kinematics(model, model.neutral())
    bodies = {model.body(name) for name in feet}
    for link in description.links:
        kept = []
        simple = link.name in feet and stated is None
        for shape in link.shapes:
            plain = shape.kind in ("box", "sphere", "capsule")
            if shape.role == "visual" or (simple and plain):
                kept.append(shape)
            elif shape.role == "both":
                shape.role = "visual"
                kept.append(shape)
        link.shapes = kept
    for side, name in enumerate(feet):
        if any(s.role != "visual" for x in description.links if x.name == name for s in x.shapes):
            continue
        info = model.frame(name)
        if info.body not in bodies:
            raise InputError(f"humanoid: {name!r} is no foot.")
        known = {"feet": {"sole": stated}} if stated else {}
        foot = foot_on(model, name, side, k, known)
        # from the body's frame to the link's own
        at = info.rotation.T @ (foot.position - info.position)
        turn = info.rotation.T @ foot.rotation
        box = Shape(
            "box",
            (float(foot.half[0]), float(foot.half[1]), THICK / 2),
            tuple(at + turn @ np.array([0.0, 0.0, THICK / 2])),
            turn,
            role="both",
            name=f"{name} sole",
            color=(0.2, 0.2, 0.22, 1.0),
        )
        next(x for x in description.links if x.name == name).shapes.append(box)
