"""What the viewer's server and its page say to each other: the scene (JSON), frames (binary), connections, commands and
status (JSON).

A frame, little endian:  "BKF1" · uint32 sequence · float64 time [s] · uint32 nb nc ng nx · then float32
    poses     nb x 7   x y z qw qx qy qz of the body frames, world axes
    contacts  nc x 10  x y z fx fy fz patch state body_a body_b; state 0 none, 1 point, 2 line, 3 surface; 4: no contact but
                       what a connection pulls with; bodies by their number in the scene, -1 the world; forces on body_a
    figures   ng x 6   centre of mass, zero-moment point; NaN where there is none
    channels  nx
SI units, z up; channels say their own unit. One message is one frame, or, after the scene of a recording, many in a
row: its overview. A page sends one JSON object a message; `parse` answers with a Command or an InputError of one
sentence, whatever arrives. Checked in tests/viewer/test_messages.py.
"""

from __future__ import annotations

import json
import math
import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from bunraku.errors import InputError, closest
from bunraku.model.forest import combine
from bunraku.viewer.mesh_messages import Meshes
from bunraku.viewer.shapes import bodies_of, shapes_of
from bunraku.viewer.skins import skins_of
from bunraku.viewer.stage_messages import KEYS, check_values

if TYPE_CHECKING:
    from bunraku.viewer.recorded import Recorded
    from bunraku.world.world import World

VERSION = 1
MAGIC, FILE_MAGIC = b"BKF1", b"BKD1"
HEADER = struct.Struct("<4sIdIIII")
POSE, CONTACT, FIGURE = 7, 10, 6
"""Numbers a body, a contact and a figure have in a frame."""
MOST_BYTES = 4096
"""Of a message from a page."""
SLOWEST, FASTEST = 0.01, 100.0
MOST_STEPS = 100_000


@dataclass(frozen=True)
class Command:
    """What a viewer asks for. `kind`: one of VALUES with its number, or one of bunraku.viewer.stage_messages with its
    values in `data`. `viewer` is the number of who asks, 0 for the user's own program."""

    kind: str
    value: float = 0.0
    data: dict[str, Any] = field(default_factory=dict)
    viewer: int = 0


@dataclass(frozen=True, eq=False)
class Frame:
    """A frame taken apart; see the module text."""

    sequence: int
    time: float
    poses: np.ndarray
    contacts: np.ndarray
    figures: np.ndarray
    channels: np.ndarray


@dataclass(frozen=True)
class Channel:
    """A curve of the plots. `group`: forces, torques, angles, energy, zmp or other."""

    name: str
    unit: str
    group: str


def pack_frame(
    sequence: int, time: float, poses: np.ndarray, contacts: np.ndarray, figures: np.ndarray, channels: np.ndarray
) -> bytes:
    """The bytes of a frame."""
    counts = len(poses), len(contacts), len(figures), len(channels)
    values = np.concatenate([poses.ravel(), contacts.ravel(), figures.ravel(), channels])
    with np.errstate(over="ignore"):  # beyond float32 it is infinite for the page, too
        return HEADER.pack(MAGIC, sequence & 0xFFFFFFFF, time, *counts) + values.astype("<f4").tobytes()


def unpack_frame(data: bytes, name: str = "frame") -> Frame:
    """A frame from its bytes; `name`: for the sentence of an error."""
    frames = unpack_frames(data, name)
    if len(frames) != 1:
        raise InputError(f"{name}: {len(data)} bytes are {len(frames)} frames, wanted one.")
    return frames[0]


def unpack_frames(data: bytes, name: str = "frame") -> list[Frame]:
    """The frames of a message, which may hold several in a row."""
    out, at = [], 0
    while at < len(data) or not out:
        if len(data) - at < HEADER.size or data[at : at + 4] != MAGIC:
            begin = bytes(data[at : at + 4])
            raise InputError(f"{name}: not a frame message (it starts with {begin!r}, wanted {MAGIC!r}).")
        _, sequence, time, nb, nc, ng, nx = HEADER.unpack_from(data, at)
        shapes = (nb, POSE), (nc, CONTACT), (ng, FIGURE), (nx,)
        sizes = [math.prod(shape) for shape in shapes]
        end = at + HEADER.size + 4 * sum(sizes)
        if len(data) < end:
            raise InputError(f"{name}: {len(data) - at} bytes, wanted {end - at} for its counts.")
        values = np.split(np.frombuffer(data, "<f4", sum(sizes), at + HEADER.size), np.cumsum(sizes)[:-1])
        out.append(Frame(sequence, time, *(part.reshape(shape) for part, shape in zip(values, shapes))))
        at = end
    return out


def pack_file(name: str, content: bytes) -> bytes:
    """A file for the page to keep: "BKD1", uint32 length of its name, the name (UTF-8), the content."""
    text = name.encode()
    return FILE_MAGIC + struct.pack("<I", len(text)) + text + content


def scene_message(source: World | Recorded, title: str = "") -> dict[str, Any]:
    """All that does not change from frame to frame, ready for JSON."""
    from bunraku.viewer.curves import Curves
    from bunraku.world.world import World

    if isinstance(source, World):
        from bunraku.viewer.world_frames import connections_of

        figures, model = [(f.name, f.model) for f in source.figures], source.model
        fixed = [item.shape for item in source._fixed]
        dt, start, duration, connections = source.dt, source.time, None, connections_of(source)
        events: list[dict[str, Any]] = []
    else:
        from bunraku.viewer.recorded import figures_of
        from bunraku.viewer.recorded_events import connections_of_recording, events_of_recording

        figures, fixed = figures_of(source), source.fixed
        model = combine(figures)[0]
        times = np.asarray(source.times, dtype=float)
        start, duration = (float(times[0]), float(times[-1] - times[0])) if len(times) else (0.0, 0.0)
        dt, connections = float(source.dt), connections_of_recording(source)
        events = events_of_recording(source)
    curves = Curves(model, figures)
    meshes = Meshes()
    return {
        "type": "scene",
        "version": VERSION,
        "title": title or ", ".join(name for name, _ in figures[:3]),
        "dt": dt,
        "bodies": bodies_of(figures),
        "shapes": shapes_of(figures, fixed, meshes),
        "meshes": meshes.messages,
        "skins": skins_of(figures),
        "figures": [name for name, _ in figures],
        "channels": [vars(c) for c in curves.channels],
        "limits": curves.limits,
        "start": start,
        "duration": duration,
        "live": duration is None,
        "connections": connections,
        "events": events,
    }


VALUES = {
    "hello": None,  # send everything again
    "ready": None,  # the first picture is drawn: what waits for its audience begins
    "play": None,
    "pause": None,
    "restart": None,  # play from the beginning
    "step": ("n", -float(MOST_STEPS), float(MOST_STEPS)),  # steps of a world, frames of a recording
    "frame": ("n", -float(MOST_STEPS), float(MOST_STEPS)),  # frames as they are displayed, of a sixtieth of a second
    "speed": ("value", SLOWEST, FASTEST),
    "seek": ("time", -1e9, 1e9),  # [s]
    "go_on": ("time", -1e9, 1e9),  # seek and play
    "loop": ("on", 0.0, 1.0),  # at the end begin anew
}
"""What a page may say: (name of its number, least, most)."""
COUNTED = ("step", "frame")
"""Those whose number is a count."""


def parse(message: str | bytes) -> Command:
    """A checked command; an InputError says what was wrong with it."""
    if not isinstance(message, str):
        raise InputError(f"message: {len(message)} binary bytes; a viewer sends JSON text.")
    size = len(message.encode("utf-8", "surrogatepass"))
    if size > MOST_BYTES:
        raise InputError(f"message: {size} bytes; at most {MOST_BYTES} are read.")
    try:
        data = json.loads(message, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise InputError('message: not JSON as a viewer sends it; write e.g. {"type": "play"}.') from None
    if not isinstance(data, dict):
        raise InputError(f"message: a JSON object is wanted, got a {type(data).__name__}.")
    kind = data.get("type")
    if isinstance(kind, str) and kind in KEYS:
        return Command(kind, data=check_values(kind, data))
    if not isinstance(kind, str) or kind not in VALUES:
        known = [*VALUES, *KEYS]
        hint = closest(kind[:40], known) if isinstance(kind, str) else closest("", known)
        raise InputError(f"message: the type {str(kind)[:40]!r} is unknown.{hint}")
    wanted = VALUES[kind]
    if wanted is None:
        return Command(kind)
    name, least, most = wanted
    return Command(kind, _number(kind, name, data.get(name, 1 if kind in COUNTED else None), least, most))


def _no_constant(word: str) -> float:
    raise ValueError(word)


def _number(kind: str, name: str, x: Any, least: float, most: float) -> float:
    if isinstance(x, int | float) and not isinstance(x, bool) and least <= x <= most:  # a NaN is not
        value = float(math.trunc(x)) if kind in COUNTED else float(x)
        if value or kind not in COUNTED:
            return value
    whole = " a whole number other than 0" if kind in COUNTED else " a number"
    raise InputError(f"message: {kind} needs {name!r},{whole} between {least:g} and {most:g}, got {str(x)[:40]}.")
