"""Reading a score's tables: every mistake is one sentence with file, table and key."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from bunraku.choreography.cast import NEEDS, THING, Member, check_thing
from bunraku.choreography.pins import checked_axes
from bunraku.errors import FormatError, InputError, closest

if TYPE_CHECKING:
    from bunraku.choreography.score import Score

TOP = ("format", "version", "model", "seconds", "start", "options", "pin", "drag", "pose", "balance", "dynamics")
TOP += ("steps", "rises", "get_up", "walk", "name", "cast", "grip")
OPTIONS = {
    "dt": float,
    "contact": str,
    "sweeps": int,
    "integrator": str,
    "balance": bool,
    "dynamics": bool,
    "steps": bool,
    "rises": bool,
    "priority": str,
    "friction": float,
    "seed": int,
}
PIN = ("link", "begin", "end", "point", "axes", "weight", "at", "rotation", "path")
DRAG = ("link", "begin", "end", "point", "axes", "weight", "rotation", "path")
FIGURE = ("name", "model", "start", "at", "yaw", "balance", "steps", "rises")
GRIP = ("link", "to", "begin", "end", "axes", "break_force", "break_torque", "reach", "order")
LONGEST = 24 * 3600.0  # s


class Table:
    """One table of a score with its place, for messages."""

    def __init__(self, data: Any, where: str, keys: tuple[str, ...]) -> None:
        if not isinstance(data, dict):
            raise FormatError(f"{where}: needs a table of keys, got {type(data).__name__}.")
        for key in data:
            if key not in keys:
                raise FormatError(f"{where}: there is no key {key!r}.{closest(key, keys)}")
        self.data, self.where = data, where

    def number(self, key: str, default: float | None = None, low: float = 0.0, high: float = LONGEST) -> Any:
        """A finite number in a range."""
        if key not in self.data:
            return default
        x = self.data[key]
        if isinstance(x, bool) or not isinstance(x, int | float) or not math.isfinite(x) or not low <= x <= high:
            raise FormatError(f"{self.where}: {key} {x!r} is not a number from {low:g} to {high:g}.")
        return float(x)

    def time(self, key: str) -> float:
        """A time that must be given."""
        if key not in self.data:
            raise FormatError(f"{self.where}: {key} [s] is missing.")
        return self.number(key)

    def numbers(self, key: str, counts: tuple[int, ...]) -> tuple[float, ...] | None:
        """A list of finite numbers."""
        return None if key not in self.data else row(self.data[key], f"{self.where}: {key}", counts)

    def word(self, key: str, choices: tuple[str, ...] | None = None, default: str | None = None) -> str:
        """A text that must be given, or one of some."""
        x = self.data.get(key, default)
        if x is None:
            raise FormatError(f"{self.where}: {key} is missing.")
        if not isinstance(x, str) or not x or (choices is not None and x not in choices):
            wanted = "a name" if choices is None else " or ".join(map(repr, choices))
            raise FormatError(f"{self.where}: {key} {x!r} is not {wanted}.")
        return x


def row(x: Any, what: str, counts: tuple[int, ...]) -> tuple[float, ...]:
    """Finite numbers, as many as one of `counts`."""
    good = isinstance(x, list) and len(x) in counts
    if not good or any(isinstance(v, bool) or not isinstance(v, int | float) or not math.isfinite(v) for v in x):
        raise FormatError(f"{what} needs {' or '.join(map(str, counts))} finite numbers, got {x!r:.80}.")
    return tuple(map(float, x))


def tables(data: dict[str, Any], key: str, source: str) -> list[tuple[str, Any]]:
    """The tables [[key]] with their places."""
    some = data.get(key, [])
    if not isinstance(some, list):
        raise FormatError(f"{source}: write [[{key}]], one table each.")
    return [(f"{source}: [[{key}]] {k + 1}", t) for k, t in enumerate(some)]


def read_score(data: dict[str, Any], source: str) -> Score:
    """A Score from a TOML document."""
    from bunraku.choreography.score import Score
    from bunraku.choreography.score_text import FORMAT, VERSION

    top = Table(data, source, TOP)
    if data.get("format") != FORMAT:
        raise FormatError(f'{source}: not a score; it begins with format = "{FORMAT}".')
    if data.get("version") != VERSION:
        raise FormatError(f"{source}: version {data.get('version')!r}; this Bunraku reads version {VERSION}.")
    out = Score(model=top.word("model", default="human"), seconds=top.number("seconds"), source=source)
    if "start" in data:
        start = data["start"]
        out.start = row(start, f"{source}: start", (len(start) if isinstance(start, list) else 0,))
    options = Table(data.get("options", {}), f"{source}: [options]", tuple(OPTIONS)).data
    for key, value in options.items():
        kind = OPTIONS[key]
        good = isinstance(value, bool) == (kind is bool) and isinstance(value, (int, float) if kind is float else kind)
        if not good:
            raise FormatError(f"{source}: [options]: {key} {value!r} is not of kind {kind.__name__}.")
        out.options[key] = value
    out.name = top.word("name", default="") if "name" in data else ""
    for where, t in tables(data, "cast", source):
        is_thing = isinstance(t, dict) and "shape" in t
        out.cast.append(read_thing(Table(t, where, THING)) if is_thing else read_figure(Table(t, where, FIGURE)))
    for where, t in tables(data, "grip", source):
        out.grips.append(read_grip(Table(t, where, GRIP), len(out.grips)))
    for kind, keys in (("pin", PIN), ("drag", DRAG)):
        for where, t in tables(data, kind, source):
            out.acts.append(read_act(Table(t, where, keys), kind))
    for where, t in tables(data, "pose", source):
        out.poses.append(read_pose(Table(t, where, ("time", "joints", "release"))))
    for name, switched in (
        ("balance", out.balances),
        ("dynamics", out.dynamics),
        ("steps", out.steps),
        ("rises", out.rises),
    ):
        for where, t in tables(data, name, source):
            table = Table(t, where, ("time", "on", "figure"))
            if not isinstance(table.data.get("on"), bool):
                raise FormatError(f"{where}: on {table.data.get('on')!r} is neither true nor false.")
            if name != "dynamics" and "figure" in table.data:
                out.told.append((table.time("time"), table.word("figure"), name, table.data["on"]))
                continue
            switched.append((table.time("time"), table.data["on"]))
    for where, t in tables(data, "get_up", source):
        table = Table(t, where, ("time", "figure"))
        if "figure" in table.data:
            out.told.append((table.time("time"), table.word("figure"), "get_up", None))
        else:
            out.get_ups.append(table.time("time"))
    for where, t in tables(data, "walk", source):
        table = Table(t, where, ("time", "to", "yaw", "figure"))
        place = table.numbers("to", (2,))
        if place is None:
            raise FormatError(f"{where}: to = [x, y] is missing.")
        goal = (place, table.number("yaw", None, -1e3, 1e3))
        if "figure" in table.data:
            out.told.append((table.time("time"), table.word("figure"), "walk", goal))
        else:
            out.walks.append((table.time("time"), *goal))
    return out


def read_act(t: Table, kind: str) -> Any:
    """A pin or drag."""
    from bunraku.choreography.score import Act

    act = Act(
        kind,
        t.word("link"),
        t.time("begin"),
        t.number("end"),
        t.numbers("point", (3,)) or (0.0, 0.0, 0.0),
        read_axes(t),
        t.number("weight", None, 1e-6, 1e6),
        t.numbers("at", (3,)),
        t.numbers("rotation", (4,)),
    )
    if act.end is not None and act.end < act.begin:
        raise FormatError(f"{t.where}: it ends at {act.end:g} s, before it begins at {act.begin:g} s.")
    path = t.data.get("path", [])
    if not isinstance(path, list):
        raise FormatError(f"{t.where}: path needs rows of time, x, y, z.")
    for k, x in enumerate(path):
        r = row(x, f"{t.where}: path, row {k + 1},", (4, 8) if act.axes == "pose" else (4,))
        if r[0] < act.begin or (act.end is not None and r[0] > act.end) or (act.path and r[0] < act.path[-1][0]):
            raise FormatError(
                f"{t.where}: path, row {k + 1}: time {r[0]:g} s is out of order, or outside begin and end."
            )
        act.path.append(r)
    return act


def read_figure(t: Table) -> Member:
    """A further figure."""
    values: dict[str, Any] = {"model": t.word("model", default="human")}
    start = t.data.get("start")
    if start is not None:
        values["start"] = row(start, f"{t.where}: start", (len(start) if isinstance(start, list) else 0,))
    for key, x in (("at", t.numbers("at", (2, 3))), ("yaw", t.number("yaw", None, -1e3, 1e3))):
        values |= {} if x is None else {key: x}
    for key in ("balance", "steps", "rises"):
        if key in t.data:
            if not isinstance(t.data[key], bool):
                raise FormatError(f"{t.where}: {key} {t.data[key]!r} is neither true nor false.")
            values[key] = t.data[key]
    return Member("figure", t.word("name"), values)


def read_thing(t: Table) -> Member:
    """A thing."""
    values: dict[str, Any] = {"shape": t.word("shape", tuple(NEEDS))}
    for key, counts in (("size", (3,)), ("at", (3,)), ("rotation", (4,))):
        values |= {} if key not in t.data else {key: t.numbers(key, counts)}
    for key in ("radius", "length", "mass", "friction"):
        values |= {} if key not in t.data else {key: t.number(key, None, 0.0, 1e6)}
    if "fixed" in t.data:
        if not isinstance(t.data["fixed"], bool):
            raise FormatError(f"{t.where}: fixed {t.data['fixed']!r} is neither true nor false.")
        values["fixed"] = t.data["fixed"]
    if "at" not in values:
        raise FormatError(f"{t.where}: at = [x, y, z] is missing.")
    try:
        check_thing(t.where, values["shape"], values)
    except InputError as error:
        raise FormatError(str(error)) from None
    return Member("thing", t.word("name"), values)


def read_grip(t: Table, number: int) -> Any:
    """A grip; those without an order begin as they stand in the file."""
    from bunraku.choreography.score import GripAct

    order = t.numbers("order", (2,)) or (2.0 * number + 1, 2.0 * number + 2)
    strength = {key: t.number(key, math.inf, 1e-9, 1e12) for key in ("break_force", "break_torque")}
    act = GripAct(
        t.word("link"),
        t.word("to"),
        t.time("begin"),
        t.number("end"),
        t.word("axes") if "axes" in t.data else None,
        **strength,
        reach=t.number("reach", None, 1e-6, 1e3),
        order=tuple(int(x) for x in order),
    )
    if act.end is not None and act.end < act.begin:
        raise FormatError(f"{t.where}: it ends at {act.end:g} s, before it begins at {act.begin:g} s.")
    return act


def read_axes(t: Table) -> str:
    """Axes of a pin or drag."""
    try:
        return checked_axes(t.where, t.word("axes", None, "xyz"))
    except InputError as error:
        raise FormatError(str(error)) from None


def read_pose(t: Table) -> tuple[float, dict[str, list[float]]]:
    """Desired joint values."""
    joints, free = t.data.get("joints", {}), t.data.get("release", [])
    if not isinstance(joints, dict) or (not joints and not free):
        raise FormatError(f"{t.where}: joints needs a table {{ joint = value }}.")
    if not isinstance(free, list) or not all(isinstance(name, str) and name not in joints for name in free):
        raise FormatError(f"{t.where}: release needs names of joints that have no value there, got {free!r:.80}.")
    out: dict[str, list[float]] = {name: [] for name in free}
    for name, value in joints.items():
        out[name] = list(row(value if isinstance(value, list) else [value], f"{t.where}: {name}", (1, 4)))
    return t.time("time"), out
