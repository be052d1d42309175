"""Who and what is on stage besides the first figure, as a score writes it down: figures, loose things, and what does not
move.

    Member("figure", "bob", {"model": "human", "start": (…)})
    Member("thing", "box", {"shape": "box", "size": (0.2, 0.2, 0.2), "mass": 5.0, "at": (0.4, 0, 0.1)})
    Member("thing", "table", {"shape": "box", "size": (0.4, 0.6, 0.7), "at": (0.5, 0, 0.35), "fixed": True})

Checked in tests/choreography/test_grips.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from bunraku.choreography.pins import checked_point, checked_rotation
from bunraku.errors import InputError, closest
from bunraku.model import Model, Shape, box, capsule, cone, cylinder, ellipsoid, sphere
from bunraku.world.adding import fresh_name

if TYPE_CHECKING:
    from bunraku.choreography.engine import Choreography

MAKERS: dict[str, Any] = {
    "box": box, "sphere": sphere, "capsule": capsule, "cylinder": cylinder, "cone": cone, "ellipsoid": ellipsoid,
}  # fmt: skip
NEEDS = {
    "box": ("size",),
    "ellipsoid": ("size",),
    "sphere": ("radius",),
    "capsule": ("radius", "length"),
    "cylinder": ("radius", "length"),
    "cone": ("radius", "length"),
}
"""What describes a shape."""
THING = ("name", "shape", "size", "radius", "length", "mass", "at", "rotation", "fixed", "friction")


@dataclass
class Member:
    """See the module text."""

    kind: str
    name: str
    values: dict[str, Any] = field(default_factory=dict)


def check_thing(where: str, shape: Any, values: dict[str, Any]) -> None:
    """InputError where a thing is not described by what its shape needs."""
    if shape not in NEEDS:
        raise InputError(f"{where}: there is no shape {shape!r}.{closest(str(shape), NEEDS)}")
    for key in ("size", "radius", "length"):
        if (key in values) != (key in NEEDS[shape]):
            what = f"a {shape} needs {key!r}" if key in NEEDS[shape] else f"{key!r} does not describe a {shape}"
            raise InputError(f"{where}: {what}.")


def thing_model(shape: str, name: str, values: dict[str, Any]) -> Model:
    """The loose thing of a shape."""
    more = {"mass": values["mass"]} if "mass" in values else {}
    return MAKERS[shape](**{key: values[key] for key in NEEDS[shape]}, **more, name=name)


def fixed_shape(shape: str, name: str, values: dict[str, Any]) -> Shape:
    """The same as a shape that does not move."""
    thing_model(shape, name, values)  # refuses wrong numbers
    if "size" in NEEDS[shape]:
        size = tuple(0.5 * float(x) for x in values["size"])
    else:
        size = tuple(float(values[key]) / (2 if key == "length" else 1) for key in NEEDS[shape])
    return Shape(shape, size, tuple(values["at"]), values.get("rotation"), name=name)


def plain_values(values: dict[str, Any]) -> dict[str, Any]:
    """Values of a thing as a score keeps them; None is left out."""
    out: dict[str, Any] = {}
    for key, x in values.items():
        if x is None:
            continue
        try:
            out[key] = x if isinstance(x, str | bool) else np.asarray(x, dtype=float).tolist()
        except (TypeError, ValueError):
            raise InputError(f"add_thing: {key} {x!r} is no number and no list of numbers.") from None
        if not isinstance(x, str | bool) and not np.all(np.isfinite(np.asarray(x, dtype=float))):
            raise InputError(f"add_thing: {key} {x!r} is not finite.")
    return out


def add_thing(c: Choreography, shape: str, name: str | None, given: dict[str, Any], fixed: bool) -> str:
    """A thing of a choreography, as Choreography.add_thing describes it; returns its name."""
    where = f"add_thing {name or shape!r}"
    values = plain_values(given)
    check_thing(where, shape, values)
    at = checked_point(f"{where}: at", given["at"])
    turn = None if given["rotation"] is None else checked_rotation(where, given["rotation"])
    name, friction = (
        checked_name("add_thing", name) or fresh_name(shape, [*c.fixed, *(f.name for f in c.world.figures)]),
        given["friction"],
    )
    if name in c.fixed:
        raise InputError(f"{where}: there is already something called {name!r}.")
    if fixed:
        if given["mass"] is not None:
            raise InputError(f"{where}: what is fixed needs no mass.")
        solid = fixed_shape(shape, name, {**values, "rotation": turn})
        c.world.add_fixed(solid, friction=0.8 if friction is None else friction)
        c.fixed[name] = solid
    else:
        c.world.add(thing_model(shape, name, values), at=at.tolist(), rotation=turn, name=name, friction=friction)
    c.score.cast.append(Member("thing", name, {"shape": shape, **values, **({"fixed": True} if fixed else {})}))
    return name


def checked_name(who: str, name: str | None) -> str | None:
    """A name that links can be written after."""
    if name is not None and not (isinstance(name, str) and name and "." not in name and name.isprintable()):
        raise InputError(f"{who}: {name!r} is no name; write one without a point.")
    return name


def put_on_stage(c: Choreography, cast: list[Member], models: Mapping[str, Model], source: str) -> None:
    """Add all members to a choreography that has not begun."""
    for name in models:
        if name not in [m.name for m in cast if m.kind == "figure"]:
            raise InputError(f"{source}: it has no figure {name!r}.{closest(name, [m.name for m in cast])}")
    for m in cast:
        if m.kind == "figure":
            kind = m.values.get("model", "human")
            if kind != "human" and m.name not in models:
                raise InputError(f"{source}: figure {m.name!r} is {kind!r}; give its model in models=.")
            more = {key: m.values[key] for key in ("balance", "steps", "rises") if key in m.values}
            at = m.values.get("start", m.values.get("at"))
            c.add_figure(models.get(m.name), name=m.name, at=at, yaw=m.values.get("yaw", 0.0), **more)
        else:
            c.add_thing(m.values["shape"], name=m.name, **{k: v for k, v in m.values.items() if k != "shape"})
