"""Descriptions as plain values that JSON can hold, and back: what a saved world says about its figures.

A dataclass becomes a dict with its class name under "class"; arrays and tuples become lists and come back as tuples; a
number that JSON lacks becomes {"float": "inf"}. Only the classes of bunraku.model.description come back, so a file
cannot ask for anything else. Numbers survive bit for bit, as Python writes the shortest text that reads back as the
same number. Checked in tests/world/test_saving.py.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from bunraku.errors import InputError
from bunraku.model.description import Description, Frame, Gear, Inertia, Joint, Link, MatrixGear, Note, Shape, ShapePair
from bunraku.model.equipment import Actuator, Closure, Keyframe, Meter, Mount, Tendon
from bunraku.model.relief import Relief

EQUIPMENT = (Actuator, Closure, Keyframe, Meter, Mount, Tendon)
CLASSES: dict[str, Any] = {
    c.__name__: c
    for c in (*EQUIPMENT, Relief, Description, Frame, Gear, Inertia, Joint, Link, MatrixGear, Note, Shape, ShapePair)
}


def to_plain(x: Any) -> Any:
    """A description, or any part of one, as plain values."""
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        fields = {f.name: to_plain(getattr(x, f.name)) for f in dataclasses.fields(x)}
        return {"class": type(x).__name__, **fields}
    if isinstance(x, np.ndarray | np.generic):
        return to_plain(x.tolist())
    if isinstance(x, list | tuple):
        return [to_plain(i) for i in x]
    if isinstance(x, float) and not math.isfinite(x):
        return {"float": str(x)}
    if x is None or isinstance(x, bool | int | float | str):
        return x
    raise InputError(f"a {type(x).__name__} cannot be saved; descriptions hold numbers, text and lists.")


def from_plain(x: Any) -> Any:
    """The opposite of `to_plain`; raises InputError on what it never writes."""
    if isinstance(x, list):
        return tuple(from_plain(i) for i in x)
    if not isinstance(x, dict):
        return x
    if set(x) == {"float"}:
        return float(x["float"])
    kind = CLASSES.get(x.get("class", ""))
    names = {f.name: f for f in dataclasses.fields(kind)} if kind else {}
    if kind is None or not set(x) - {"class"} <= set(names):
        raise InputError("a description in the file is of an unknown kind.")
    values = {name: from_plain(value) for name, value in x.items() if name != "class"}
    return kind(**{n: list(v) if names[n].default_factory is list else v for n, v in values.items()})
