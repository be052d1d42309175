"""A score as TOML that an animator can read: numbers with all their digits."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from bunraku.choreography.score import Score

FORMAT, VERSION = "bunraku score", 1


def score_text(score: Score, seconds: float | None) -> str:
    """The file; seconds: its length, where it has one."""
    lines = [f'format = "{FORMAT}"', f"version = {VERSION}", f"model = {text(score.model)}"]
    lines += [f"seconds = {plain(seconds)}"] if seconds is not None else []
    lines += [f"name = {text(score.name)}"] if score.name else []
    lines += [f"start = {plain(list(score.start))}"] if score.start else []
    lines += ["", "[options]", *(f"{k} = {plain(v)}" for k, v in score.options.items())]
    for m in score.cast:
        lines += [
            "",
            "[[cast]]",
            f"name = {text(m.name)}",
            *(f"{k} = {plain(v)}" for k, v in m.values.items()),
        ]
    for g in score.grips:
        lines += ["", "[[grip]]", f"link = {text(g.link)}", f"to = {text(g.to)}", f"begin = {plain(g.begin)}"]
        lines += [f"end = {plain(g.end)}"] if g.end is not None else []
        lines += [f"axes = {text(g.axes)}"] if g.axes is not None else []
        for key in ("break_force", "break_torque", "reach"):
            x = getattr(g, key)
            lines += [f"{key} = {plain(x)}"] if x is not None and math.isfinite(x) else []
        lines += [f"order = {plain(list(g.order))}"]
    for a in score.acts:
        lines += ["", f"[[{a.kind}]]", f"link = {text(a.link)}", f"begin = {plain(a.begin)}"]
        lines += [f"end = {plain(a.end)}"] if a.end is not None else []
        lines += [f"point = {plain(list(a.point))}", f"axes = {text(a.axes)}"]
        lines += [f"weight = {plain(a.weight)}"] if a.weight is not None else []
        if a.kind == "pin":
            lines += [f"at = {plain(list(a.at))}"] if a.at is not None else []
        if a.rotation is not None and (a.kind == "pin" or a.axes != "pose"):
            lines += [f"rotation = {plain(list(a.rotation))}"]
        if a.path:
            lines += ["path = [", *(f"  {plain(list(row))}," for row in a.path), "]"]
    for t, joints in score.poses:
        values = ", ".join(f"{text(k)} = {plain(v[0] if len(v) == 1 else v)}" for k, v in joints.items() if v)
        free = [k for k, v in joints.items() if not v]
        lines += ["", "[[pose]]", f"time = {plain(t)}"]
        lines += [f"joints = {{ {values} }}"] if values else []
        lines += [f"release = {plain(free)}"] if free else []
    for name, switched in (
        ("balance", score.balances),
        ("dynamics", score.dynamics),
        ("steps", score.steps),
        ("rises", score.rises),
    ):
        for t, on in switched:
            lines += ["", f"[[{name}]]", f"time = {plain(t)}", f"on = {plain(on)}"]
    for t in score.get_ups:
        lines += ["", "[[get_up]]", f"time = {plain(t)}"]
    for t, place, yaw in score.walks:
        lines += ["", "[[walk]]", f"time = {plain(t)}", f"to = {plain(list(place))}"]
        lines += [f"yaw = {plain(yaw)}"] if yaw is not None else []
    for t, who, what, value in score.told:
        lines += ["", f"[[{what}]]", f"time = {plain(t)}", f"figure = {text(who)}"]
        if what == "walk":
            lines += [
                f"to = {plain(list(value[0]))}",
                *([f"yaw = {plain(value[1])}"] if value[1] is not None else []),
            ]
        elif what != "get_up":
            lines += [f"on = {plain(value)}"]
    return "\n".join(lines) + "\n"


def text(s: str) -> str:
    """A TOML string."""
    safe = s.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(ch if ch.isprintable() else f"\\u{ord(ch):04x}" for ch in safe) + '"'


def plain(x: Any) -> str:
    """A TOML value: numbers with all their digits."""
    if isinstance(x, bool | np.bool_):
        return "true" if x else "false"
    if isinstance(x, list | tuple):
        return "[" + ", ".join(map(plain, x)) + "]"
    if isinstance(x, str):
        return text(x)
    if isinstance(x, int | np.integer):
        return str(int(x))
    return repr(float(x))
