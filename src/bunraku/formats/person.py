"""Figures of persons: `human`, with the lengths of whoever moved in a clip, and the small TOML file that keeps them.

    format = "bunraku person"
    version = 1
    like = "02_01"              # whom: the clip's name
    height = 1.497              # m
    mass = 53.5                 # kg
    body = "1996"               # inertias of de Leva (1996); or, without mass, "2000": those of Nakamura & Yamane 2000
    [lengths]                   # m, left and right; without this table those of the standard figure at this height
    thigh = [0.4286, 0.4283]
    …

Numbers are written with all their digits, so the figure of the file is the figure that was measured, bit for bit.
Checked in tests/formats/test_person.py.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from bunraku.errors import FormatError, InputError, closest
from bunraku.files import parse_toml
from bunraku.model.body_1996 import with_inertias_of_1996
from bunraku.model.body_2000 import HEEL, HEIGHT, MASS, SOLE
from bunraku.model.body_lengths import Measures, standard
from bunraku.model.description import Description
from bunraku.model.human import describe_2000, figure_of, in_range

if TYPE_CHECKING:
    from bunraku.model import Model
    from bunraku.motion.measure import Measured
    from bunraku.recording.motion import Motion

FORMAT, VERSION = "bunraku person", 1
KEYS = ("format", "version", "like", "height", "mass", "body", "lengths")
LENGTHS = tuple(f.name for f in fields(Measures) if f.name != "height")
LONGEST = 3.0  # m
WANTED = {"hip": "two places [x, y, z]", "shoulder": "two places [x, y, z]", "ankle": "a number", "heel": "a number",
          "waist": "a place [x, y, z]", "neck": "a place [x, y, z]", "head": "a place [x, y, z]"}  # fmt: skip


@dataclass(frozen=True)
class Person:
    """The measures of a person and the mass [kg]; None: masses, inertias and sole of Nakamura & Yamane 2000. like: whose
    measures they are; found: how they were measured, where they were just now; segments: whether masses and inertias of
    the links are de Leva's (1996)."""

    measures: Measures
    mass: float | None
    like: str = ""
    found: Measured | None = None
    segments: bool = False

    def describe(self) -> Description:
        """The figure."""
        if self.mass is None:
            return describe_2000(self.measures)
        figure = figure_of(self.measures, self.mass)
        return with_inertias_of_1996(figure, self.measures, self.mass) if self.segments else figure

    def text(self) -> str:
        """The file."""
        m = self.measures
        lines = [f'format = "{FORMAT}"', f"version = {VERSION}"]
        lines += [f"like = {json.dumps(self.like)}"] if self.like else []
        lines += [f"height = {m.height!r}  # m"]
        lines += ['body = "2000"  # Nakamura & Yamane 2000' if self.mass is None else f"mass = {self.mass!r}  # kg"]
        lines += ['body = "1996"  # de Leva 1996'] if self.segments else []
        lines += ["", "[lengths]  # m; left, right; x ahead, y left, z up"]
        return "\n".join([*lines, *(f"{x} = {plain(getattr(m, x))}" for x in LENGTHS)]) + "\n"


def human(
    height: float | None = None,
    mass: float | None = None,
    *,
    like: str | os.PathLike[str] | Motion | None = None,
    body: Literal["1996", "2000"] | None = None,
    mapping: Mapping[str, str | Sequence[str]] | None = None,
) -> Model:
    """The 28-DoF human figure as a Model. height [m]: 1.7 by default; mass [kg]: 69, or, of a person, 69 at 1.7 m and
    with the square of the height else.

    like: a BVH file, or a motion as load_bvh gives it: links are as long as those of the person who moves in it, and the
    motion, retargeted, fits without scaling; with height, all lengths are scaled to it. mapping: as for retarget, where
    the names of its joints are unknown. body="2000": the masses and inertias of Table 3 of Nakamura & Yamane 2000 and
    their sole of 19 x 12 cm, for good, whatever the lengths of the links and whatever the default figure becomes.
    body="1996": masses, centres and moments of the segments after de Leva (1996)."""
    return person(height, mass, like=like, body=body, mapping=mapping).describe().build()


def person(
    height: float | None = None,
    mass: float | None = None,
    *,
    like: str | os.PathLike[str] | Motion | None = None,
    body: str | None = None,
    mapping: Mapping[str, str | Sequence[str]] | None = None,
) -> Person:
    """What `human` builds, before it is built."""
    if height is not None:
        in_range("height", height, 0.3, 3.0)
    if mass is not None:
        in_range("mass", mass, 1.0, 500.0)
    if body not in (None, "1996", "2000"):
        raise InputError(f"human: there is no body {body!r}; write '1996' or '2000', or leave it out.")
    if body == "2000" and mass is not None:
        raise InputError(f"human: body '2000' has the masses of its table, {MASS:g} kg together; leave mass out.")
    if like is None:
        if mapping is not None:
            raise InputError("human: a mapping names the joints of a skeleton; give one with like.")
        usual = standard(HEIGHT if height is None else height)
        if body == "2000":
            return of_2000(Person(usual, None))
        return Person(usual, MASS if mass is None else mass, segments=body == "1996")
    from bunraku.formats.bvh_motion import load_bvh
    from bunraku.motion.measure import measured
    from bunraku.recording.motion import Motion

    if not isinstance(like, Motion | str | os.PathLike):
        raise InputError(f"human: like = {str(like)[:40]!r} is no BVH file and no motion; write like='clip.bvh'.")
    found = measured(like if isinstance(like, Motion) else load_bvh(Path(like)), height, mapping)
    own, name = found.measures, like.model.name if isinstance(like, Motion) else Path(like).stem
    if body == "2000":
        return of_2000(Person(own, None, name, found))
    weight = MASS * (own.height / HEIGHT) ** 2 if mass is None else mass
    return Person(own, weight, name, found, body == "1996")


def of_2000(x: Person) -> Person:
    """The same with the sole of Nakamura & Yamane 2000."""
    return replace(x, measures=replace(x.measures, sole=SOLE, heel=HEEL))


def is_person(text: str) -> bool:
    """Whether a text is a file of a person: it says so in one of its first lines."""
    return re.search(rf"^\s*format\s*=\s*[\"']{FORMAT}[\"']", text[:4000], re.MULTILINE) is not None


def parse(text: str, name: str) -> Person:
    """The person of a file's text; every mistake is one sentence with the file, the table and the key."""
    data = parse_toml(text, name)
    for key in data:
        if key not in KEYS:
            raise FormatError(f"{name}: there is no key {key!r}.{closest(key, KEYS)}")
    if data.get("version") != VERSION:
        raise FormatError(f"{name}: version = {data.get('version')!r} is unknown; this Bunraku reads {VERSION}.")
    if not isinstance(data.get("like", ""), str):
        raise FormatError(f"{name}: like = {data['like']!r} should be text, the name of whom it was measured on.")
    if ("mass" in data) == (data.get("body", "1996") != "1996"):
        raise FormatError(f'{name}: write either mass = …, in kg, or body = "2000".')
    for key in ("height", "mass"):
        if key in data and not is_number(data[key]):
            raise FormatError(f"{name}: {key} = {shown(data[key])} should be a number.")
    try:
        x = person(data.get("height"), data.get("mass"), body=data.get("body"))
    except InputError as error:
        raise FormatError(f"{name}: {error}") from None
    if "lengths" not in data:
        return replace(x, like=data.get("like", ""))
    lengths = data["lengths"]
    if not isinstance(lengths, dict):
        raise FormatError(f"{name}: write [lengths] as the head of a table.")
    for key in lengths:
        if key not in LENGTHS:
            raise FormatError(f"{name}: [lengths]: there is no key {key!r}.{closest(key, LENGTHS)}")
    usual = standard(x.measures.height)
    values: dict[str, Any] = {}
    for key in LENGTHS:
        if key not in lengths:
            raise FormatError(f"{name}: [lengths]: {key!r} is missing.")
        values[key] = like_this(lengths[key], getattr(usual, key), key in ("hip", "waist", "neck", "shoulder", "head"))
        if values[key] is None:
            wanted = WANTED.get(key, "two numbers, left and right" if key != "sole" else "length and width")
            raise FormatError(f"{name}: [lengths]: {key} = {shown(lengths[key])} should be {wanted}, in metres.")
    own = replace(x.measures, **values)
    if not (own.hip[0][1] > own.hip[1][1] and own.shoulder[0][1] > own.shoulder[1][1]):
        raise FormatError(f"{name}: [lengths]: the left hip and shoulder must be left (y) of the right ones.")
    x = replace(x, measures=own, like=data.get("like", ""))
    return of_2000(x) if x.mass is None else x


def like_this(x: Any, pattern: Any, signed: bool) -> Any:
    """A value as tuples of numbers, shaped as another; None where it is not."""
    if isinstance(pattern, tuple):
        if not isinstance(x, list) or len(x) != len(pattern):
            return None
        inner = tuple(like_this(a, b, signed) for a, b in zip(x, pattern))
        return None if None in inner else inner
    return float(x) if is_number(x) and abs(x) <= LONGEST and (signed or x > 0) else None


def is_number(x: Any) -> bool:
    """Whether it is a finite number; true and false are none."""
    return isinstance(x, int | float) and not isinstance(x, bool) and math.isfinite(x)


def plain(x: Any) -> str:
    """A length, or lengths, as TOML has them."""
    return f"[{', '.join(plain(y) for y in x)}]" if isinstance(x, tuple) else repr(float(x))


def shown(value: Any) -> str:
    """A value as it may stand in a message."""
    out = repr(value)
    return out if len(out) <= 60 else out[:57] + "..."
