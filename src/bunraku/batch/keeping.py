"""Worlds in one file: written whole, read back, going on bit for bit.

As a saved world (bunraku.world.saving), an .npz sealed by a digest: the scene's world is one member, as it is saved by
itself, then the arrays of all worlds. Nothing is pickled. Checked in tests/batch/test_keeping.py.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bunraku.batch.batch_arrays import Push
from bunraku.batch.worlds_snapshot import WorldsSnapshot
from bunraku.errors import BunrakuError, InputError
from bunraku.files import write_bytes
from bunraku.kernel.record import Many
from bunraku.step.step_arrays import Info
from bunraku.world.saving import opened, sealed
from bunraku.world.world import World

if TYPE_CHECKING:
    from bunraku.batch.worlds import Worlds

FORMAT, VERSION = "bunraku worlds", 1
PARTS = ("arrays", "values", "counters")


def save(worlds: Worlds, path: str | Path) -> Path:
    """Write all worlds; returns the path."""
    from bunraku.version import __version__

    shot, start = worlds.snapshot(), worlds._start
    with tempfile.TemporaryDirectory() as folder:
        scene = worlds._world.save(Path(folder) / "scene.npz").read_bytes()
    members = {"scene": np.frombuffer(scene, dtype=np.uint8), "ring": shot.ring, "pushes": shot.pushes}
    for part in PARTS:
        members |= {f"{part}/{name}": a for name, a in getattr(shot, part).items()}
    for w, own in shot.own.items():
        members |= {f"own/{w}/{name}": a for name, a in own.items()}
    members |= {f"start/{name}": a for name, a in start.arrays.items()}
    members |= {"start pushes": start.pushes, "numbers": worlds.numbers}
    text = {
        "format": FORMAT,
        "version": VERSION,
        "bunraku": __version__,
        "n": worlds.n,
        "seed": worlds.seed,
        "begun": worlds._begun,
        "ranges": worlds._ranges,
    }
    members["structure"] = np.frombuffer(json.dumps(text).encode(), dtype=np.uint8)
    return write_bytes(path, sealed(members))


def load(path: str | Path, threads: int | None) -> Worlds:
    """Worlds that were saved."""
    members = opened(path)
    try:
        text = json.loads(members.pop("structure").tobytes().decode())
        if text["format"] != FORMAT:
            raise KeyError("format")
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError(f"{path}: not saved worlds; Worlds.save writes them.") from None
    if int(text["version"]) > VERSION:
        raise InputError(f"{path}: written by Bunraku {text.get('bunraku')}, newer than this one; update Bunraku.")
    try:
        return _filled(text, members, threads)
    except BunrakuError as error:
        raise InputError(f"{path}: {error}") from None
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        raise InputError(f"{path}: not what Worlds.save writes ({error!r}).") from None


def _filled(text: dict[str, Any], members: dict[str, np.ndarray], threads: int | None) -> Worlds:
    from bunraku.batch.worlds import Worlds

    with tempfile.TemporaryDirectory() as folder:
        scene = Path(folder) / "scene.npz"
        write_bytes(scene, members["scene"].tobytes())
        worlds = Worlds(World.load(scene), int(text["n"]), threads, seed=int(text["seed"]))
    parts: dict[str, dict[str, np.ndarray]] = {part: {} for part in (*PARTS, "start")}
    own: dict[int, dict[str, np.ndarray]] = {}
    for name, a in members.items():
        part, _, key = name.partition("/")
        if part == "own":
            w, _, field = key.partition("/")
            own.setdefault(int(w), {})[field] = a
        elif part in parts:
            parts[part][key] = a
    _check(worlds, parts, own)
    pushed = Many(Push, members["pushes"]).column("body"), Many(Push, members["start pushes"]).column("body")
    if any(np.any((bodies < 0) | (bodies >= worlds._world.model.nb)) for bodies in pushed):
        raise InputError("a push is on no body.")
    worlds.numbers[:] = members["numbers"]
    worlds._begun, worlds._ranges = (
        float(text["begun"]),
        {k: (float(a), float(b)) for k, (a, b) in text["ranges"].items()},
    )
    worlds._start = WorldsSnapshot(parts["start"], {}, {}, {}, np.zeros(0), members["start pushes"])
    shot = WorldsSnapshot(parts["arrays"], own, parts["values"], parts["counters"], members["ring"], members["pushes"])
    worlds.restore(shot)
    return worlds


def _check(worlds: Worlds, parts: dict[str, dict[str, np.ndarray]], own: dict[int, dict[str, np.ndarray]]) -> None:
    """Shapes and kinds as these worlds have them; whole numbers that kernels use as an index as the scene has them."""
    bank = worlds._seats.bank
    for part, n in (("arrays", worlds.n), ("start", 1)):
        for name, a in parts[part].items():
            known = bank.get(name.removeprefix("late "))
            if known is None or a.shape[0] != n or a.shape[2:] != known.shape[2:] or a.dtype != known.dtype:
                raise InputError(f"array {name!r} does not fit the scene.")
            if name not in ("ids", "contacts", "last_ids", "memory") and a.shape[1:] != known.shape[1:]:
                raise InputError(f"array {name!r} does not fit the scene.")
    shapes, bodies = worlds._world._geometry.ns, worlds._world.model.nb
    for ids in (a[name] for a in (parts["arrays"], parts["start"], *own.values()) for name in ("ids", "last_ids")):
        if np.any((ids[..., :2] < 0) | (ids[..., :2] >= shapes)):
            raise InputError("a contact is of no shape.")
    ties = parts["arrays"]["tie_kinds"]
    if ties.size and (ties[..., 1:3].min() < 0 or ties[..., 1:3].max() >= bodies):
        raise InputError("a connection is of no body.")
    for part in ("arrays", "start"):
        for w, row in enumerate(parts[part]["info"]):
            grown = part == "arrays" and w in own
            room = len(own[w]["ids"]) if grown else parts[part]["ids"].shape[1]
            info = Info(row.copy())
            counted = 0 <= info.contacts <= room and 0 <= info.warm <= room
            if not counted or info.fixed_pairs != worlds._world._info.fixed_pairs:
                raise InputError("a count of contacts does not fit.")
    if np.any(parts["counters"]["_now"] < 0):
        raise InputError("a number of steps is below 0.")
