"""BVH files: a skeleton of joints with offsets and named channels, and a row of channel values a frame.

    HIERARCHY  ROOT name { OFFSET x y z  CHANNELS n names…  JOINT name { … }  End Site { OFFSET x y z } }
    MOTION     Frames: n   Frame Time: seconds   rows of numbers

Any number and order of the channels Xposition … Zrotation, at any joint, is read. Rotations [degrees] multiply in the
order of their channels, R = R1 R2 R3; a root stands at OFFSET + position, at any other joint a position replaces the
OFFSET along its axis. Lengths are in whatever unit the file has, y is up and z ahead. Numbers are written with nine
places, so what is read, written and read again is the same. Source: the Biovision format as described by M. Meredith
and S. Maddock, "Motion Capture File Formats Explained" (2001). What a motion is of it: bunraku.formats.bvh_motion.
Checked in tests/formats/test_bvh.py.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bunraku.errors import FormatError, InputError
from bunraku.files import read_text, write_text

CHANNELS = ("Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation")
BY_LOWER = {c.lower(): c for c in CHANNELS}
MOST_JOINTS = 10_000


@dataclass
class BvhJoint:
    """A joint: `parent` is the number of another (-1: the root); `ends` are the offsets of its end sites."""

    name: str
    parent: int
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)
    channels: tuple[str, ...] = ()
    ends: tuple[tuple[float, float, float], ...] = ()


@dataclass
class Bvh:
    """Joints, parents first; values (frames, channels) in the order of the joints and channels; frame_time [s]."""

    joints: list[BvhJoint]
    values: np.ndarray
    frame_time: float

    def columns(self, joint: int) -> slice:
        """Where the channels of a joint stand in `values`."""
        first = sum(len(j.channels) for j in self.joints[:joint])
        return slice(first, first + len(self.joints[joint].channels))

    def text(self) -> str:
        """The file. It names joints branch by branch, and its rows have the channels in that order."""
        lines, columns = ["HIERARCHY"], []
        children: list[list[int]] = [[] for _ in self.joints]
        for k, j in enumerate(self.joints[1:], 1):
            children[j.parent].append(k)
        todo: list[tuple[int, int] | str] = [(0, 0)]
        while todo:
            item = todo.pop()
            if isinstance(item, str):
                lines.append(item)
                continue
            k, depth = item
            joint, tab = self.joints[k], "\t" * depth
            columns += range(self.values.shape[1])[self.columns(k)]
            lines += [
                f"{tab}{'JOINT' if depth else 'ROOT'} {joint.name}",
                f"{tab}{{",
                f"{tab}\tOFFSET {numbers(joint.offset)}",
            ]
            lines.append(f"{tab}\tCHANNELS {' '.join([str(len(joint.channels)), *joint.channels])}")
            for end in joint.ends:
                lines += [f"{tab}\tEnd Site", f"{tab}\t{{", f"{tab}\t\tOFFSET {numbers(end)}", f"{tab}\t}}"]
            todo.append(f"{tab}}}")
            todo += [(c, depth + 1) for c in reversed(children[k])]
        lines += ["MOTION", f"Frames: {len(self.values)}", f"Frame Time: {self.frame_time:.9g}"]
        return "\n".join(lines + [numbers(row) for row in self.values[:, columns].tolist()]) + "\n"


def numbers(values) -> str:  # type: ignore[no-untyped-def]
    """Numbers with nine places."""
    return " ".join(f"{x:.9f}" for x in values)


def write(bvh: Bvh, path: str | Path) -> Path:
    """Write a BVH file whole or not at all."""
    return write_text(path, bvh.text())


def read(path: str | Path) -> Bvh:
    """Read a BVH file; FormatError with file and line where it is none."""
    return parse(read_text(path), Path(path).name)


class Words:
    """The words of a text with their lines."""

    def __init__(self, text: str, where: str) -> None:
        self.where = where
        self.lines = text.splitlines()
        self.row, self.left = 0, []

    def error(self, text: str) -> FormatError:
        """An error at the present line."""
        return FormatError(f"{self.where}:{max(self.row, 1)}: {text}")

    def line(self) -> list[str]:
        """The words of the next line that has any."""
        while self.row < len(self.lines):
            self.row += 1
            words = self.lines[self.row - 1].split()
            if words:
                return words
        raise self.error("the file ends too early.")

    def next(self, wanted: str = "") -> str:
        """The next word; it must be `wanted` if that is given."""
        if not self.left:
            self.left = self.line()
        word = self.left.pop(0)
        if wanted and word.upper() != wanted.upper():
            raise self.error(f"{word[:40]!r} stands where {wanted!r} should.")
        return word

    def rest(self) -> str:
        """What is left of the present line."""
        out, self.left = " ".join(self.left), []
        return out

    def number(self, what: str) -> float:
        """The next word as a finite number."""
        word = self.next()
        try:
            x = float(word)
        except ValueError:
            x = math.nan
        if not math.isfinite(x):
            raise self.error(f"{what} {word[:40]!r} is not a number.")
        return x

    def whole(self, what: str, most: int) -> int:
        """The next word as a whole number 0 … most."""
        x = self.number(what)
        if x != int(x) or not 0 <= x <= most:
            raise self.error(f"{what} {x:g} is not a whole number from 0 to {most}.")
        return int(x)

    def offset(self) -> tuple[float, float, float]:
        """OFFSET x y z."""
        self.next("OFFSET")
        return self.number("an offset"), self.number("an offset"), self.number("an offset")


def parse(text: str, where: str = "text") -> Bvh:
    """A BVH from its text."""
    words = Words(text, where)
    if not text.split() or text.split(maxsplit=1)[0].upper() != "HIERARCHY":
        raise FormatError(f"{where}:1: not a BVH file; one begins with HIERARCHY.")
    words.next("HIERARCHY")
    joints = hierarchy(words)
    words.next("Frames:")
    n = words.whole("the number of frames", 10**8)
    words.next("Frame")
    words.next("Time:")
    frame_time = words.number("the frame time")
    if not frame_time > 0:
        raise words.error(f"the frame time {frame_time:g} is not above 0; write seconds a frame.")
    return Bvh(joints, rows(words, n, sum(len(j.channels) for j in joints)), frame_time)


def hierarchy(words: Words) -> list[BvhJoint]:
    """The joints up to and with the word MOTION."""
    joints: list[BvhJoint] = []
    stack: list[int] = []
    while True:
        word = words.next().upper()
        if word == "MOTION" and joints and not stack:
            return joints
        if word == "MOTION" and stack:
            raise words.error(
                f"MOTION stands inside the joint {joints[stack[-1]].name[:40]!r}, which a }} must end first."
            )
        if word in ("ROOT", "JOINT"):
            if (word == "ROOT") != (not stack):
                raise words.error(f"{word} stands {'inside a joint' if stack else 'outside the root'}.")
            if word == "ROOT" and joints:
                raise words.error("there is a second ROOT; Bunraku reads one figure a file.")
            if len(joints) == MOST_JOINTS:
                raise words.error(f"there are more than {MOST_JOINTS} joints.")
            joint = BvhJoint(words.rest() or f"joint {len(joints) + 1}", stack[-1] if stack else -1)
            words.next("{")
            joint.offset = words.offset()
            joints.append(joint)
            stack.append(len(joints) - 1)
        elif word == "CHANNELS" and stack:
            joints[stack[-1]].channels = channels(words)
        elif word == "END" and stack:
            words.rest()
            words.next("{")
            joints[stack[-1]].ends += (words.offset(),)
            words.next("}")
        elif word == "}" and stack:
            stack.pop()
        else:
            wanted = "JOINT, CHANNELS, End Site or }" if stack else "MOTION" if joints else "ROOT"
            raise words.error(f"{word[:40]!r} is not expected here; wanted {wanted}.")


def channels(words: Words) -> tuple[str, ...]:
    """The names after CHANNELS."""
    names = [words.next() for _ in range(words.whole("the number of channels", 6))]
    for name in names:
        if name.lower() not in BY_LOWER:
            raise words.error(f"there is no channel {name[:40]!r}; the channels are {', '.join(CHANNELS)}.")
    known = tuple(BY_LOWER[name.lower()] for name in names)
    places = [c for c in known if c.endswith("position")]
    if len(set(places)) < len(places):
        raise words.error("a position channel stands twice.")
    return known


def rows(words: Words, n: int, columns: int) -> np.ndarray:
    """The values of all frames."""
    first = words.row
    flat = " ".join([words.rest(), *words.lines[first:]]).split()
    if len(flat) != n * columns:
        raise words.error(f"{n} frames of {columns} channels need {n * columns} numbers; there are {len(flat)}.")
    try:
        out = np.array(flat, dtype=float).reshape(n, columns)
    except ValueError:
        out = np.full((1, 1), np.nan)
    if not np.all(np.isfinite(out)) or n == 0:
        raise words.error("there are no frames." if n == 0 else f"{bad_word(flat)!r} among the frames is not a number.")
    return out


def bad_word(words: list[str]) -> str:
    """The first word that is not a finite number."""
    for word in words:
        try:
            if math.isfinite(float(word)):
                continue
        except ValueError:
            pass
        return word[:40]
    raise InputError("every word is a number.")
