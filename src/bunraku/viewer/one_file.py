"""A page that holds its own data: `export_html(scene, frames, path)` writes one file that opens from the file system.

The scene message stands in `<script type="application/json" id="bunraku-scene">`, the frames in `<script type=
"text/plain" id="bunraku-frames">` as base64 of a zlib stream. All numbers are little endian, every part starts on a
multiple of four bytes:

    uint32 count n; uint32 length of the header; header, JSON padded with spaces: version, count, bodies nb, figures ng,
        channels nx, contacts (rows of all frames together), start [s], scale and offset of poses (7 nb numbers),
        figures (6 ng), channels (nx) and contacts (10)
    float32 n            times after start, s
    uint16 n             contact rows of each frame
    int16 7 nb x n       poses, a column after the other, as differences in time modulo 2^16 (the first from zero)
    int16 6 ng x n, int16 nx x n    figures and channels, the same
    int16 10 x contacts  contact rows, a column after the other, no differences

value = integer * scale + offset with integers of -32767 … 32767; -32768 stands for "there is none" (NaN). A column's
error is at most its range / 131064: 0.08 mm for a figure that walks 10 m. Offsets are multiples of the scale, so that a
zero stays one. Checked in tests/viewer/test_one_file.py, and against the page that reads it in
tests/viewer/test_page.py.
"""

from __future__ import annotations

import base64
import html as markup
import json
import struct
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from bunraku.errors import InputError
from bunraku.files import write_text
from bunraku.viewer import page
from bunraku.viewer.messages import Frame, unpack_frame

LARGEST, MISSING = 32767, -32768


def read_frame(data: bytes, number: int = 0) -> Frame:
    """The numbers of a frame message that a page can show; `number` is only for the sentence of an error."""
    frame = unpack_frame(data, f"frame {number}")
    if not all(np.all(np.isfinite(x)) for x in (frame.time, frame.poses, frame.contacts)):
        raise InputError(f"frame {number}: its time, poses or contacts are not finite; export the frames before it.")
    return frame


def quantise(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Integers (int16), scale and offset of each column of an array (rows, columns); NaN and infinities are MISSING."""
    there = np.isfinite(columns)
    low = np.min(columns, axis=0, where=there, initial=np.inf)
    high = np.max(columns, axis=0, where=there, initial=-np.inf)
    empty = low > high
    low, high = np.where(empty, 0.0, low), np.where(empty, 0.0, high)
    scale = np.array(_numbers(0.5 * (high - low) / (LARGEST - 1)))
    middle = 0.5 * (high + low)
    offset = np.where(scale > 0.0, np.rint(middle / np.where(scale > 0.0, scale, 1.0)) * scale, middle)
    steps = np.rint((np.where(there, columns, offset) - offset) / np.where(scale > 0.0, scale, 1.0))
    return np.where(there, steps, MISSING).astype("<i2"), scale, offset


def pack(
    frames: Iterable[bytes],
    progress: Callable[[int], None] | None = None,
    scene: dict[str, Any] | None = None,
) -> bytes:
    """The frame stream (before base64) of frame messages in order of time; `progress` is told how many are read."""
    read: list[Frame] = []
    for number, data in enumerate(frames):
        frame = read_frame(data, number)
        if read:
            _check_next(read[0], read[-1], frame, number)
        elif scene is not None:
            _check_scene(scene, frame)
        read.append(frame)
        if progress is not None:
            progress(number + 1)
    if not read:
        raise InputError("export: there are no frames; record for at least one.")
    n, first = len(read), read[0]
    rows = np.concatenate([f.contacts for f in read]).astype(float)
    parts = {
        name: np.array([getattr(f, name).ravel() for f in read], dtype=float)
        for name in ("poses", "figures", "channels")
    }
    header: dict[str, Any] = {
        "version": 1,
        "count": n,
        "bodies": len(first.poses),
        "figures": len(first.figures),
        "channels": len(first.channels),
        "contacts": len(rows),
        "start": first.time,
        "scale": {},
        "offset": {},
    }
    times = np.array([f.time - first.time for f in read], dtype="<f4")
    blocks = [times.tobytes(), np.array([len(f.contacts) for f in read], dtype="<u2").tobytes()]
    for name, columns in parts.items():
        steps, scale, offset = quantise(columns.reshape(n, -1))
        header["scale"][name], header["offset"][name] = scale.tolist(), offset.tolist()
        differences = np.diff(steps.view("<u2"), axis=0, prepend=np.zeros((1, steps.shape[1]), dtype="<u2"))
        blocks.append(np.ascontiguousarray(differences.T).astype("<u2").tobytes())
    steps, scale, offset = quantise(rows)
    # patch, state and bodies are whole numbers and stay what they are
    steps[:, 6:], scale[6:], offset[6:] = np.rint(rows[:, 6:]).astype("<i2"), 1.0, 0.0
    header["scale"]["contacts"], header["offset"]["contacts"] = scale.tolist(), offset.tolist()
    blocks.append(np.ascontiguousarray(steps.T).tobytes())
    text = json.dumps(header, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    whole = struct.pack("<II", n, len(text)) + text + b"".join(block + bytes(-len(block) % 4) for block in blocks)
    return zlib.compress(whole, 9)


def _numbers(values: np.ndarray) -> list[float]:
    """Scales with the nine digits that a float32 has."""
    return [float(f"{x:.9g}") for x in values]


def _check_next(first: Frame, last: Frame, frame: Frame, number: int) -> None:
    """Frames of one scene have the same counts, and time runs forward."""
    for name in ("poses", "figures", "channels"):
        wanted, got = len(getattr(first, name)), len(getattr(frame, name))
        if got != wanted:
            raise InputError(f"frame {number}: {got} {name}, wanted {wanted} as in frame 0.")
    if frame.time <= last.time:
        raise InputError(f"frame {number}: time {frame.time:.6g} s after {last.time:.6g} s; frames must be in order.")


def _check_scene(scene: dict[str, Any], first: Frame) -> None:
    """The scene and its frames speak of the same bodies, figures and channels."""
    for name, got in (("bodies", first.poses), ("figures", first.figures), ("channels", first.channels)):
        if len(scene.get(name, ())) != len(got):
            raise InputError(f"export: the scene has {len(scene.get(name, ()))} {name}, its frames have {len(got)}.")


def export_html(
    scene: dict[str, Any],
    frames: Iterable[bytes],
    path: str | Path,
    *,
    progress: Callable[[int], None] | None = None,
) -> Path:
    """Write the self-contained page of a scene message and its frame messages; returns the path.

    `progress(done)` is called after each frame read. Ten seconds of 28 bodies and 40 channels at 30 Hz: 0.70 MB for a
    smooth walk, 0.9 MB if nothing could be compressed.
    """
    return write_text(path, page_text(scene, frames, progress=progress))


def page_text(scene: dict[str, Any], frames: Iterable[bytes], *, progress: Callable[[int], None] | None = None) -> str:
    """The text of that page."""
    if scene.get("type") != "scene" or scene.get("version") != 1:
        raise InputError("export: the scene message must have type 'scene' and version 1; make it with scene_message.")
    stream = pack(frames, progress, scene)
    try:
        text = json.dumps(scene, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    except (TypeError, ValueError) as error:
        raise InputError(f"export: the scene message cannot be written as JSON ({error}).") from None
    whole = page.html()
    title = markup.escape(str(scene.get("title") or "Bunraku"))
    data = (
        f'<script type="application/json" id="bunraku-scene">{text}</script>\n'
        f'    <script type="text/plain" id="bunraku-frames">{base64.b64encode(stream).decode()}</script>'
    )
    head = f'<meta http-equiv="Content-Security-Policy" content="{page.policy(whole)}" />'
    whole = whole.replace(page.HEAD, head, 1).replace("<title>Bunraku</title>", f"<title>{title}</title>", 1)
    return whole.replace(page.DATA, data, 1)
