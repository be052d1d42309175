"""Reading a scene file: TOML into checked tables; every mistake is one sentence with file, table and key.

`TABLES` is the whole grammar: table -> key -> reader of its value. What depends on other tables – figures, links,
joints – is checked when the scene is built (scene.build). Checked in tests/scene/test_scene.py.
"""

from __future__ import annotations

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


TABLES: dict[str, dict[str, Reader]] = {
    "world": {
        "about": of.text, "dt": of.positive, "seconds": of.positive, "contact": of.text, "integrator": of.text, "gravity": of.vector,
        "tolerance": of.positive, "margin": of.positive, "sweeps": of.count,
        "stiffness": of.positive, "damping": of.not_negative, "seed": of.whole, "view": of.one_of(*VIEWS),
    },
    "ground": {**MATERIAL, "height": of.number},
    "fixed": {
        "shape": of.one_of("box", "sphere", "capsule", "cylinder", "plane"), **SIZES, "name": of.name, "position": of.vector,
        "rotation": of.rotation, **MATERIAL, "collides": of.flag,
    },
    "figure": {
        "model": of.text, "name": of.name, **SIZES, "mass": of.positive, "height": of.positive, "root": of.one_of("auto", "free", "fixed"),
        "at": of.vector, "rotation": of.rotation, "pose": of.pose, "velocity": of.vector, "spin": of.vector, **MATERIAL, "servo": servo,
        "count": of.count, "spacing": of.vector, "scatter": of.vector, "scatter_turn": of.not_negative,
    },
    "connection": {
        "name": of.name, "a": of.text, "b": of.text, "at": of.vector, "axes": of.text, "break_force": of.positive,
        "break_torque": of.positive, "compliance": of.not_negative, "damping": of.not_negative, **TIMES,
    },
    "push": {"on": of.text, "force": of.vector, "torque": of.vector, "from": of.not_negative, "seconds": of.positive},
    "controller": {"kind": of.one_of("hold", "servo"), "figure": of.text, **SERVO, **TIMES},
    "spring": {
        "name": of.name, "a": of.text, "b": of.text, "at_a": of.vector, "at_b": of.vector, "stiffness": of.not_negative,
        "damping": of.not_negative, "rest": of.not_negative, "break_force": of.positive, **TIMES,
    },
}  # fmt: skip
NEEDED = {
    "fixed": ("shape",),
    "figure": ("model",),
    "connection": ("a",),
    "push": ("on", "seconds"),
    "controller": ("kind", "figure"),
    "spring": ("a", "stiffness"),
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
        single = kind == "world"
        if isinstance(given, dict) != single or not isinstance(given, dict | list):
            raise FormatError(f"{path.name}: write {'[world]' if single else f'[[{kind}]]'} as the head of this table.")
        for k, one in enumerate([given] if isinstance(given, dict) else given, 1):
            out[kind].append(checked(kind, one, f"{path.name}: [world]" if single else f"{path.name}: [[{kind}]] {k}"))
    if not out["world"]:
        out["world"] = [Table(f"{path.name}: [world]", {})]
    if not out["figure"]:
        raise FormatError(f'{path.name}: there is no [[figure]]; write e.g. [[figure]] and model = "human".')
    return out


def checked(kind: str, given: Any, where: str) -> Table:
    """One table with every key known and every value read."""
    if not isinstance(given, dict):
        raise FormatError(f"{where}: not a table; write key = value below [[{kind}]].")
    if isinstance(given.get("name"), str):
        where = f"{where} ({given['name']!r})"
    table = Table(where, {})
    for key, value in given.items():
        if key not in TABLES[kind]:
            raise table.wrong(f"there is no key {key!r}.{closest(key, TABLES[kind])}")
        try:
            table[key] = TABLES[kind][key](value)
        except ValueError as error:
            raise table.wrong(f"{key} = {shown(value)} should be {error}.") from None
    for key in NEEDED.get(kind, ()):
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
