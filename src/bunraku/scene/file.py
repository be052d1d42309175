"""Reading a scene file: TOML into checked tables; every mistake is one sentence with file, table and key.

`TABLES` is the whole grammar: table -> key -> reader of its value. What depends on other tables – figures, links,
joints – is checked when the scene is built (scene.build). Checked in tests/scene/test_scene.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bunraku.errors import FormatError, InputError, closest
from bunraku.files import parse_toml, read_text
from bunraku.scene import values as of
from bunraku.scene.values import Reader

VIEWS = ("right", "left", "front", "top", "oblique")
MATERIAL: dict[str, Reader] = {"friction": of.not_negative, "restitution": of.share}
TIMES: dict[str, Reader] = {"from": of.not_negative, "until": of.not_negative}
SERVO: dict[str, Reader] = {
    "stiffness": of.not_negative,
    "damping": of.not_negative,
    "effort": of.positive,
    "target": of.pose,
    "joints": of.names,
}
SIZES: dict[str, Reader] = {"size": of.edges, "radius": of.positive, "length": of.positive}


def servo(x: Any) -> dict[str, Any]:
    """The table of figure.servo."""
    if not isinstance(x, dict) or not set(x) <= set(SERVO):
        raise ValueError("a table with " + ", ".join(SERVO))
    return {key: SERVO[key](value) for key, value in x.items()}


anything = of.reader("something", lambda x: True)
weights = of.reader(
    "a table { acceleration | force | torque | a joint = a number of 0 or more }",
    lambda x: isinstance(x, dict) and all(of.is_number(y) and y >= 0 for y in x.values()),
)
MOTION: dict[str, dict[str, Reader]] = {  # of a generated motion: bunraku.scene.generation
    "motion": {
        "seconds": of.positive, "friction": of.positive, "stiffness": of.positive, "bound": of.positive,
        "posture": of.numbers_of(2), "weights": weights,
    },
    "contact": {
        "frame": of.text, "on": of.text, "axes": of.text, "from": of.not_negative, "until": of.positive, "grip": of.flag,
        "at": anything, "rotation": of.rotation, "break_force": of.positive, "break_torque": of.positive, "most": anything,
    },
    "trajectory": {
        "of": of.text, "at": anything, "waypoints": anything, "samples": anything, "swing": anything, "rotation": anything,
        "axes": of.text, "weight": of.positive, "stiffness": of.not_negative, "from": of.not_negative, "until": of.positive,
    },
    "known": {"torque": of.text, "acceleration": of.text, "force": of.text, "value": anything, "share": anything},
}  # fmt: skip
TABLES: dict[str, dict[str, Reader]] = {
    "world": {
        "about": of.text, "dt": of.positive, "seconds": of.positive, "contact": of.text, "integrator": of.text, "gravity": of.vector,
        "tolerance": of.positive, "margin": of.positive, "sweeps": of.count,
        "stiffness": of.positive, "damping": of.not_negative, "seed": of.whole, "view": of.one_of(*VIEWS),
    },
    "ground": {**MATERIAL, "height": of.number},
    "fixed": {
        "shape": of.one_of("box", "sphere", "capsule", "cylinder", "cone", "ellipsoid", "plane", "height_field", "terrain_mesh"), **SIZES,
        "file": of.text, "spacing": of.positive, "scale": of.positive, "name": of.name, "position": of.vector,
        "rotation": of.rotation, **MATERIAL, "collides": of.flag,
    },
    "figure": {
        "model": of.text, "name": of.name, **SIZES, "mass": of.positive, "height": of.positive, "root": of.one_of("auto", "free", "fixed"),
        "at": of.vector, "rotation": of.rotation, "pose": of.pose, "stand": of.flag, "lower": of.number,
        "velocity": of.vector, "spin": of.vector, **MATERIAL, "servo": servo,
        "count": of.count, "spacing": of.vector, "scatter": of.vector, "scatter_turn": of.not_negative,
    },
    "connection": {
        "name": of.name, "a": of.text, "b": of.text, "at": of.vector, "axes": of.text, "rotation": of.rotation,
        "velocity_axes": of.text, "radius": of.positive, "restitution": of.shares, "break_force": of.positive,
        "break_torque": of.positive, "compliance": of.not_negative, "damping": of.not_negative, **TIMES,
    },
    "push": {"on": of.text, "force": of.vector, "torque": of.vector, "from": of.not_negative, "seconds": of.positive},
    "controller": {"kind": of.one_of("hold", "servo"), "figure": of.text, **SERVO, **TIMES},
    "walk": {"figure": of.text, "footsteps": of.text, "terrain": of.text, "pace": of.one_of("slowly", "usual", "briskly")},
    "spring": {
        "name": of.name, "a": of.text, "b": of.text, "at_a": of.vector, "at_b": of.vector, "stiffness": of.not_negative,
        "damping": of.not_negative, "rest": of.not_negative, "break_force": of.positive, **TIMES,
    },
    **MOTION, "motion": {**MOTION["motion"], "servo": servo, "servos": of.names},
}  # fmt: skip
SINGLE = ("world", "motion")
NEEDED = {
    "contact": ("frame",),
    "trajectory": ("of",),
    "fixed": ("shape",),
    "figure": ("model",),
    "connection": ("a",),
    "push": ("on", "seconds"),
    "controller": ("kind", "figure"),
    "spring": ("a", "stiffness"),
    "walk": ("figure",),
}


class Table(dict[str, Any]):
    """One table of a scene: its keys, and where it stands, for messages."""

    def __init__(self, where: str, content: dict[str, Any]) -> None:
        super().__init__(content)
        self.where = where

    def wrong(self, what: str) -> FormatError:
        """An error that names this table."""
        return FormatError(f"{self.where}: {what}")


def read(path: Path) -> dict[str, list[Table]]:
    """Every kind of table with its tables, in the order of the file; there is always one `world`."""
    content = parse_toml(read_text(path), path.name)
    out: dict[str, list[Table]] = {kind: [] for kind in TABLES}
    for kind, given in content.items():
        if kind not in TABLES:
            raise FormatError(f"{path.name}: there is no table [{kind}].{closest(kind, TABLES)}")
        single = kind in SINGLE
        head = f"[{kind}]" if single else f"[[{kind}]]"
        if isinstance(given, dict) != single or not isinstance(given, dict | list):
            raise FormatError(f"{path.name}: write {head} as the head of this table.")
        for k, one in enumerate([given] if isinstance(given, dict) else given, 1):
            out[kind].append(checked(kind, one, f"{path.name}: {head}" if single else f"{path.name}: {head} {k}"))
    if not out["world"]:
        out["world"] = [Table(f"{path.name}: [world]", {})]
    for kind in MOTION:
        if out[kind] and not out["motion"]:
            raise out[kind][0].wrong("it belongs to a generated motion; write [motion], too.")
    if not out["figure"]:
        raise FormatError(f'{path.name}: there is no [[figure]]; write e.g. [[figure]] and model = "human".')
    return out


def checked(
    kind: str,
    given: Any,
    where: str,
    tables: Mapping[str, Mapping[str, Reader]] = TABLES,
    needed: Mapping[str, Sequence[str]] = NEEDED,
) -> Table:
    """One table with every key known and every value read, by a grammar."""
    if not isinstance(given, dict):
        raise FormatError(f"{where}: not a table; write key = value below [[{kind}]].")
    if isinstance(given.get("name"), str):
        where = f"{where} ({given['name']!r})"
    table = Table(where, {})
    for key, value in given.items():
        if key not in tables[kind]:
            raise table.wrong(f"there is no key {key!r}.{closest(key, tables[kind])}")
        try:
            table[key] = tables[kind][key](value)
        except ValueError as error:
            raise table.wrong(f"{key} = {shown(value)} should be {error}.") from None
    for key in needed.get(kind, ()):
        if key not in table:
            raise table.wrong(f"{key!r} is missing.")
    if "until" in table and table["until"] <= table.get("from", 0.0):
        raise table.wrong(f"until = {table['until']:g} is not after from = {table.get('from', 0.0):g}.")
    return table


def shown(value: Any) -> str:
    """A value as it may stand in a message."""
    out = repr(value)
    return out if len(out) <= 60 else out[:57] + "..."


def built_in_folder() -> Path:
    """Where the scenes that come with Bunraku are."""
    return Path(__file__).resolve().parent / "built_in"


def find(name: str | Path) -> Path:
    """A file, or a built-in scene by its name."""
    path = Path(name)
    if path.is_file():
        return path
    ours = {p.stem: p for p in sorted(built_in_folder().glob("*.toml"))}
    if str(name) in ours:
        return ours[str(name)]
    if path.exists() or path.suffix == ".toml" or len(path.parts) > 1:
        read_text(path)  # says what is the matter
    raise InputError(f"{str(name)!r} is neither a file nor a built-in scene.{closest(str(name), ours)}")
