"""NumPy .npz of a recording: its arrays by name, for programs that know nothing of Bunraku. Nothing is pickled.

times q v torques, com zmp energy, patch_count patches normal points forces as bunraku.world.frames has them, force_on
(frames, figures, 3), names as text: figures, joints (coordinates of q), dofs (of v and torques), shapes; `header` and
`events` are JSON. Checked in tests/formats/test_csvfile.py.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from bunraku.errors import BunrakuError, FormatError
from bunraku.files import cannot_be_read, check_unpacked, write_bytes
from bunraku.formats.csvfile import coordinates
from bunraku.recording.reader import Recording
from bunraku.world.frames import LAYOUT
from bunraku.world.saving import member

MISTAKES = (ValueError, KeyError, TypeError, AttributeError, EOFError, NotImplementedError, RuntimeError, zlib.error)


def arrays(recording: Recording) -> dict[str, np.ndarray]:
    """All that stands in the file."""
    frames, figures = recording.frames, recording.figures
    com, energy, zmp = recording.measures(frames)
    header = {
        "format": "bunraku npz", "version": 1, "title": recording.title, "dt": recording.dt, "every": recording.every,
        "contact": recording.contact, "gravity": list(recording.gravity), "meta": recording.meta,
    }  # fmt: skip
    return {
        **{name: getattr(frames, name) for name, _, _, _ in LAYOUT},
        "com": com, "zmp": zmp, "energy": energy, "force_on": recording.forces,
        "figures": np.array([f.name for f in figures]),
        "coordinates": np.array([f"{f.name}.{n} [{unit}]" for f in figures for n, unit in coordinates(f.model)]),
        "dofs": np.array(recording.model.dof_names),
        "shapes": np.array([".".join(recording.shape_owner(k)) for k in range(len(recording.shapes))]),
        "header": np.array(json.dumps(header)), "events": np.array(json.dumps(recording.events)),
    }  # fmt: skip


def write(recording: Recording, path: str | Path) -> Path:
    """Write a .npz file whole or not at all."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays(recording))  # pyright: ignore[reportArgumentType]
    return write_bytes(path, buffer.getvalue())


def read(path: str | Path) -> dict[str, Any]:
    """The arrays of such a file, `header` and `events` as they were."""
    try:
        with zipfile.ZipFile(path) as file:
            check_unpacked(file, path)
            out: dict[str, Any] = {
                i.filename.removesuffix(".npy"): member(file.read(i), "fiuU") for i in file.infolist()
            }
        for name in ("header", "events"):
            out[name] = json.loads(str(out[name]))
        if out["header"].get("format") != "bunraku npz":
            raise KeyError("format")
    except BunrakuError:
        raise
    except OSError as error:
        raise cannot_be_read(path, error) from None
    except (*MISTAKES, zipfile.BadZipFile) as error:
        raise FormatError(f"{path}: not an .npz file of a recording ({error}).") from None
    return out
