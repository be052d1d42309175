"""A gait as a TOML file: the same content as the cards, readable, with any number of ZMP places, stairs and notes.

    name = "flat"
    cycle = 2.0               # s, two steps
    swing_start = 33          # time steps 1 … 81
    support_start = 73
    [beta1]                   # beta2, and beta3 if the foot turns
    index = [1, 25, …, 81]
    angle = [-0.1396, …]      # rad
    [zmp]
    until = [0.2, 1.0]        # s
    x = [-0.02, 0.0]          # m ahead of the foot's centre

Optional: time_factor, angle_factor, rise, source, note, starts (rows of theta, psi, theta', psi'). Unknown keys are
errors. Numbers are written so that they read back to the same bits. Checked in tests/gait1988/test_gaitfile.py.
"""

from __future__ import annotations

import json
from typing import Any

from bunraku.errors import FormatError, InputError, closest
from bunraku.files import parse_toml
from bunraku.gait1988.pattern import Gait, Pattern
from bunraku.gait1988.zmp import Zmp

NUMBERS = ("cycle", "time_factor", "angle_factor", "rise")
WHOLES = ("swing_start", "support_start")
TEXTS = ("name", "source", "note")
TABLES = ("beta1", "beta2", "beta3", "zmp")
KEYS = (*TEXTS, *NUMBERS, *WHOLES, *TABLES, "starts")


def read_gait_toml(text: str, file: str = "gait.toml") -> Gait:
    """Read a gait from TOML text."""
    data = parse_toml(text, file)
    known(data, KEYS, file, "the file")
    missing = [key for key in ("name", "beta1", "beta2", "zmp") if key not in data]
    if missing:
        raise FormatError(f"{file}: {missing[0]!r} is missing; a gait needs name, beta1, beta2 and zmp.")
    options: dict[str, Any] = {}
    for key in TEXTS[1:]:
        if key in data:
            options[key] = kind(data[key], str, file, key, "a text")
    for key in NUMBERS:
        if key in data:
            options[key] = number(data[key], file, key)
    for key in WHOLES:
        if key in data:
            options[key] = kind(data[key], int, file, key, "a whole number")
    rows = kind(data.get("starts", []), list, file, "starts", "rows of four numbers")
    starts = []
    for k, row in enumerate(rows):
        values = numbers(row, file, f"starts[{k}]")
        if len(values) != 4:
            raise FormatError(f"{file}: starts[{k}] has {len(values)} numbers, wanted 4 (theta, psi, theta', psi').")
        starts.append((values[0], values[1], values[2], values[3]))
    table = kind(data["zmp"], dict, file, "zmp", "a table")
    known(table, ("until", "x", "name"), file, "[zmp]")
    try:
        zmp = Zmp(
            numbers(table.get("until"), file, "zmp.until"),
            numbers(table.get("x"), file, "zmp.x"),
            kind(table.get("name", ""), str, file, "zmp.name", "a text"),
        )
        beta3 = pattern(data["beta3"], file, "beta3") if "beta3" in data else None
        name = kind(data["name"], str, file, "name", "a text")
        b1, b2 = pattern(data["beta1"], file, "beta1"), pattern(data["beta2"], file, "beta2")
        return Gait(name, b1, b2, zmp, beta3, starts=tuple(starts), **options)
    except InputError as error:
        raise FormatError(f"{file}: {error}") from None


def pattern(table: Any, file: str, key: str) -> Pattern:
    """One polyline."""
    table = kind(table, dict, file, key, "a table")
    known(table, ("index", "angle", "name"), file, f"[{key}]")
    index = kind(table.get("index"), list, file, f"{key}.index", "a list of time steps")
    steps = tuple(kind(value, int, file, f"{key}.index", "whole time steps") for value in index)
    title = kind(table.get("name", key.upper()), str, file, f"{key}.name", "a text")
    return Pattern(title, steps, numbers(table.get("angle"), file, f"{key}.angle"))


def known(table: dict[str, Any], keys: tuple[str, ...], file: str, where: str) -> None:
    """Refuse unknown keys."""
    for key in table:
        if key not in keys:
            raise FormatError(f"{file}: {where} has an unknown key {key!r}.{closest(key, keys)}")


def kind(value: Any, wanted: type, file: str, key: str, words: str) -> Any:
    """A value of the wanted type (a bool is not a number)."""
    if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
        raise FormatError(f"{file}: {key} must be {words}, got {shown(value)}.")
    return value


def number(value: Any, file: str, key: str) -> float:
    """A number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FormatError(f"{file}: {key} must be a number, got {shown(value)}.")
    try:
        return float(value)
    except OverflowError:
        raise FormatError(f"{file}: {key} is too large a number.") from None


def numbers(value: Any, file: str, key: str) -> tuple[float, ...]:
    """A list of numbers."""
    return tuple(number(item, file, key) for item in kind(value, list, file, key, "a list of numbers"))


def shown(value: Any) -> str:
    """A value in a message, not too long."""
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def write_gait_toml(gait: Gait) -> str:
    """A gait as TOML text."""
    lines = [f"name = {quoted(gait.name)}"]
    lines += [f"{key} = {quoted(getattr(gait, key))}" for key in ("source", "note") if getattr(gait, key)]
    lines += [
        f"cycle = {gait.cycle!r}  # s, two steps",
        f"swing_start = {gait.swing_start}  # time steps 1 ... 81",
        f"support_start = {gait.support_start}",
        f"time_factor = {gait.time_factor!r}",
        f"angle_factor = {gait.angle_factor!r}",
        f"rise = {gait.rise!r}  # m per step",
    ]
    if gait.starts:
        lines += ["starts = [", *(f"    {[float(v) for v in start]}," for start in gait.starts), "]"]
    for k, item in enumerate(gait.patterns):
        lines += ["", f"[beta{k + 1}]", f"name = {quoted(item.name)}"]
        lines += ["index = [", *wrapped([str(i) for i in item.index]), "]"]
        lines += ["angle = [", *wrapped([repr(float(a)) for a in item.angle]), "]"]
    lines += ["", "[zmp]"]
    if gait.zmp.name:
        lines.append(f"name = {quoted(gait.zmp.name)}")
    lines += [f"until = {[float(t) for t in gait.zmp.until]}  # s", f"x = {[float(v) for v in gait.zmp.x]}  # m"]
    return "\n".join(lines) + "\n"


def quoted(text: str) -> str:
    """A TOML basic string."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def wrapped(items: list[str], per_line: int = 12) -> list[str]:
    """Items in lines of a list."""
    return ["    " + ", ".join(items[k : k + per_line]) + "," for k in range(0, len(items), per_line)]
