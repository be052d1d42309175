"""What a page may ask of a stage, and what the stage says of itself: every value is checked here before anything else
sees it.

    pin, drag   link (a body of the figure), point [m, in the body's frame], pose (orientation too)
    to          position [m] of the drag's target, world axes          drop     end the drag
    release     name of a pin                                           release_all
    pin, drag may also say  axes ("xz", "z rx ry"), rotation ("link" or a quaternion): as of Choreography.pin
    grip        link, point (of a hand; the one that is dragged), other: it takes hold of that, or of what is nearest; a
                hand that holds something lets go
    desire      joint, value [rad or m; three numbers of a ball]        undesire  joint
    balance, dynamics, steps, rises, record   on                        undo, reset, save, get_up
    walk        place [m, two numbers] on the floor
    export      format: bvh, csv, gif

Unknown keys are refused as well. Checked in tests/viewer/test_stage_messages.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bunraku.choreography.pins import named_axes
from bunraku.errors import InputError
from bunraku.scene.values import is_number, reader

if TYPE_CHECKING:
    from bunraku.choreography.pins import Violation
    from bunraku.model.model import JointInfo

FAR = 1000.0  # m: targets and points lie within
LONGEST_NAME = 200
FORMATS = ("bvh", "csv", "gif")
KEYS: dict[str, tuple[str, ...]] = {
    "pin": ("link", "point", "pose"),
    "drag": ("link", "point", "pose"),
    "to": ("position",),
    "drop": (),
    "release": ("name",),
    "release_all": (),
    "grip": (),
    "desire": ("joint", "value"),
    "undesire": ("joint",),
    "balance": ("on",),
    "dynamics": ("on",),
    "steps": ("on",),
    "rises": ("on",),
    "get_up": (),
    "walk": ("place",),
    "record": ("on",),
    "undo": (),
    "reset": (),
    "save": (),
    "export": ("format",),
}
OPTIONAL = {"pin": ("axes", "rotation"), "drag": ("axes", "rotation"), "grip": ("link", "point", "other")}


class Refused(InputError):
    """Something sensible that cannot be done now; who asked is told, and it is no mistake of his."""


def check_values(kind: str, data: dict[str, Any]) -> dict[str, Any]:
    """The values of a message of one of KEYS; an InputError of one sentence says what was wrong."""
    keys, more = KEYS[kind], OPTIONAL.get(kind, ())
    for key in data:
        if key not in (*keys, *more) and key != "type":
            raise InputError(f"message: {kind} has no {key[:40]!r}; it takes {', '.join(keys) or 'nothing'}.")
    out = {}
    for key in (*keys, *(key for key in more if key in data)):
        try:
            out[key] = CHECKS[key](data.get(key))
        except ValueError as error:
            got = str(data.get(key))[:40]
            raise InputError(f"message: {kind} needs {key!r}, {error}, got {got}.") from None
    return out


FLAG = reader("true or false", lambda x: isinstance(x, bool))
NAME = reader(f"a name of at most {LONGEST_NAME} letters", lambda x: isinstance(x, str) and 0 < len(x) <= LONGEST_NAME)
POINT = reader(
    f"three numbers between -{FAR:g} and {FAR:g}",
    lambda x: isinstance(x, list) and len(x) == 3 and all(is_number(v) and abs(v) <= FAR for v in x),
    lambda x: tuple(map(float, x)),
)
PLACE = reader(
    f"two numbers between -{FAR:g} and {FAR:g}",
    lambda x: isinstance(x, list) and len(x) == 2 and all(is_number(v) and abs(v) <= FAR for v in x),
    lambda x: tuple(map(float, x)),
)
FORMAT = reader(f"one of {', '.join(FORMATS)}", lambda x: x in FORMATS)
VALUE = reader(
    f"one or three numbers between -{FAR:g} and {FAR:g}",
    lambda x: isinstance(x, list) and len(x) in (1, 3) and all(is_number(v) and abs(v) <= FAR for v in x),
    lambda x: list(map(float, x)),
)
HOLDS = reader("axes such as xyz, xz or z rx ry", lambda x: isinstance(x, str) and len(x) <= 20 and bool(named_axes(x)))
TURNED = reader(
    '"link" or four numbers, a quaternion',
    lambda x: x == "link" or (isinstance(x, list) and len(x) == 4 and all(is_number(v) and abs(v) <= FAR for v in x)),
)
CHECKS = {
    "link": NAME,
    "name": NAME,
    "other": NAME,
    "joint": NAME,
    "point": POINT,
    "position": POINT,
    "place": PLACE,
    "pose": FLAG,
    "on": FLAG,
    "format": FORMAT,
    "value": VALUE,
    "axes": HOLDS,
    "rotation": TURNED,
}


def item_message(violation: Violation, body: int, position: np.ndarray, rotation: np.ndarray) -> dict[str, Any]:
    """A pin or drag: its point in the frame of `body` (its number in the scene), its target, and how far off it is.
    position and rotation: of its link in the body's frame."""
    item, metres, radians = violation
    return {
        "name": item.name,
        "kind": item.kind,
        "link": item.link,
        "body": body,
        "point": _short(position + rotation @ item.point),
        "pose": item.axes == "pose",
        "axes": item.axes,
        "target": _short(item.target),
        "metres": round(min(metres, 1e9), 5),
        "radians": round(radians, 4),
    }


def beyond(joint: JointInfo, excess: float) -> str:
    """By how much a joint is beyond its limits, for a person."""
    return f"{1e3 * abs(excess):.1f} mm" if joint.unit == "m" else f"{np.degrees(abs(excess)):.1f}°"


def _short(x: np.ndarray) -> list[float]:
    return [round(float(v), 5) for v in x]
