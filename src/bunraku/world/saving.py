"""A world in one file: written whole, read back, going on bit for bit.

The file is a NumPy .npz without compression: one array a member, and `structure`, JSON as bytes, with figures, fixed
shapes, materials, options, connections, pushes, sensors and the states of controllers. Its last 64 bytes (the comment
of the zip) are the SHA-256 of all that stands before them, so that a damaged or cut file is known as such before
anything in it is believed. What the kernels use as an index is checked even then. Nothing is pickled. Meshes are kept
by the path of their file. Checked in tests/world/test_saving.py.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bunraku.collision import Fixed
from bunraku.collision.geometry import order_in_ints
from bunraku.collision.shape_layout import ContactId
from bunraku.errors import BunrakuError, InputError
from bunraku.files import cannot_be_read, write_bytes
from bunraku.kernel.record import Many
from bunraku.model.description import Description, Shape
from bunraku.model.plain import from_plain, to_plain
from bunraku.step.step_arrays import Info, Numbers, Tie, TieKind
from bunraku.world.materials import Materials
from bunraku.world.sensors import load_sensor, saved_sensor
from bunraku.world.snapshot import GROWING, Snapshot, arrays_of, controller_name, put_back, take
from bunraku.world.ties import Connection, Ties

if TYPE_CHECKING:
    from bunraku.world.world import World

FORMAT, VERSION = "bunraku world", 1
DIGEST = 64
SETTINGS = ("sweep_limit", "fixed_pairs", "exact"), ("dt", "margin", "tolerance", "stiffness", "damping")
"""What of Info and of Numbers follows from the world's options and shapes."""
OLD_WORDS = {"tie_ints": 5, "tie_reals": 29}
"""Numbers of a connection in files of version 0.1."""
OPTIONS = ("dt", "contact", "integrator", "gravity", "tolerance", "sweeps", "margin", "stiffness", "damping")


def save(world: World, path: str | Path) -> Path:
    """Write a world; returns the path."""
    world._prepare()
    snapshot = take(world)
    text = json.dumps(structure(world, snapshot), allow_nan=False)
    members = {"structure": np.frombuffer(text.encode(), dtype=np.uint8), **snapshot.arrays}
    return write_bytes(path, sealed(members))


def structure(world: World, snapshot: Snapshot) -> dict[str, Any]:
    """All that is not an array."""
    from bunraku.version import __version__

    return {
        "format": FORMAT,
        "version": VERSION,
        "bunraku": __version__,
        "options": {name: to_plain(getattr(world, name)) for name in OPTIONS},
        "figures": [
            {
                "name": f.name,
                "description": to_plain(f.model.description),
                "gravity": to_plain(f.model.gravity),
                "material": world._material_of[f.name],
                "self_collision": world._self_collision[f.name],
            }
            for f in world.figures
        ],
        "fixed": [{"shape": to_plain(f.shape), "material": f.material} for f in world._fixed],
        "materials": world._materials._own,
        "pairs": [[a, b, mu, e] for (a, b), (mu, e) in world._materials._pairs.items()],
        "connections": [c.number for c in snapshot.connections],
        "pushes": [[figure, link, to_plain(wrench), end] for figure, link, wrench, end in snapshot.pushes],
        "controllers": [
            {"name": controller_name(c), "state": s} for c, s in zip(world._controllers, snapshot.controllers)
        ],
        "without_state": snapshot.without_state,
        "sensors": [saved_sensor(s) for s in world.sensors],
        "time": world.time,
    }


def sealed(members: dict[str, np.ndarray]) -> bytes:
    """The arrays as .npz with their digest at the end."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, a in members.items():
            one = io.BytesIO()
            np.lib.format.write_array(one, np.ascontiguousarray(a), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0)), one.getvalue())
        archive.comment = b"0" * DIGEST
    data = buffer.getvalue()[:-DIGEST]
    return data + hashlib.sha256(data).hexdigest().encode()


def opened(path: str | Path) -> dict[str, np.ndarray]:
    """The arrays of a saved file; InputError where it is damaged, cut off or something else."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise cannot_be_read(path, error) from None
    if data[:2] != b"PK":
        raise InputError(f"{path}: not a saved world; World.save writes one.")
    if hashlib.sha256(data[:-DIGEST]).hexdigest().encode() != data[-DIGEST:]:
        raise InputError(f"{path}: damaged or cut off, or not a saved world (its digest does not fit); save it again.")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if any(i.compress_type != zipfile.ZIP_STORED for i in archive.infolist()):
                raise ValueError("compressed")
            if sum(i.file_size for i in archive.infolist()) > len(data):
                raise ValueError("members that overlap")
            return {i.filename.removesuffix(".npy"): member(archive.read(i)) for i in archive.infolist()}
    except (zipfile.BadZipFile, ValueError, KeyError, EOFError, NotImplementedError, RuntimeError, OSError) as error:
        raise InputError(f"{path}: not a saved world ({error}).") from None


def member(data: bytes, kinds: str = "fiu") -> np.ndarray:
    """One array of one of the kinds (of dtypes); its header may not promise more than there is."""
    stream = io.BytesIO(data)
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ValueError("an array of another NumPy format")
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream)
    body = data[stream.tell() :]
    if dtype.kind not in kinds or fortran or len(body) != dtype.itemsize * math.prod(shape):
        raise ValueError("an array of another kind or size")
    return np.frombuffer(body, dtype=dtype).reshape(shape).copy()


def load(path: str | Path, controllers: Sequence[Callable[[World], None]] = ()) -> World:
    """A saved world with its controllers, which are given in the order in which they were added."""
    members = opened(path)
    try:
        text = json.loads(members.pop("structure").tobytes().decode())
        if text["format"] != FORMAT:
            raise KeyError("format")
        newer = int(text["version"]) > VERSION
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        raise InputError(f"{path}: an .npz file, but not a saved world.") from None
    if newer:
        raise InputError(f"{path}: written by Bunraku {text.get('bunraku')}, newer than this one; update Bunraku.")
    try:
        given, saved = len(controllers), [str(c["name"]) for c in text["controllers"]]
        if given not in (0, len(saved)):
            raise InputError(
                f"got {given} controllers; the world was saved with {', '.join(map(repr, saved)) or 'none'}."
            )
        world = built(text)
        snapshot = snapshot_of(world, text, members, keep=bool(controllers))
        for controller in controllers:
            world.add_controller(controller)
        put_back(world, snapshot)
        return world
    except BunrakuError as error:
        raise InputError(f"{path}: {error}") from None
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        raise InputError(f"{path}: not what World.save writes ({error!r}).") from None


def built(text: dict[str, Any]) -> World:
    """The world as it was made, before its state."""
    from bunraku.world.world import World

    world = World(**{name: from_plain(text["options"][name]) for name in OPTIONS})
    numbers = []
    for f in text["figures"]:
        description = from_plain(f["description"])
        if not isinstance(description, Description):
            raise InputError(f"figure {f['name']!r} has no description.")
        model = description.build()
        gravity = from_plain(f["gravity"])
        model = model if tuple(model.gravity) == gravity else model.with_gravity(gravity)
        world.add(model, name=str(f["name"]), self_collision=f.get("self_collision", True))
        numbers.append(int(f["material"]))
    world._material_of = dict(zip(world._figures, numbers))
    world._materials = Materials()
    for friction, restitution in text["materials"]:
        world._materials.add(friction, restitution)
    for a, b, friction, restitution in text["pairs"]:
        world._materials.pair(int(a), int(b), friction, restitution)
        numbers += [int(a), int(b)]
    for f in text["fixed"]:
        shape = from_plain(f["shape"])
        if not isinstance(shape, Shape):
            raise InputError("a fixed shape is none.")
        world._fixed.append(Fixed(shape, int(f["material"])))
        numbers.append(int(f["material"]))
    if numbers and not 0 <= min(numbers) <= max(numbers) < len(text["materials"]):
        raise InputError("a material is missing.")
    world._prepare()
    world.sensors += [load_sensor(world, s) for s in text.get("sensors", ())]
    return world


def snapshot_of(world: World, text: dict[str, Any], arrays: dict[str, np.ndarray], keep: bool) -> Snapshot:
    """The state as a snapshot of this world, checked; `keep`: with the states of controllers."""
    ties: Ties = world._ties
    arrays.setdefault("controls", world._controls.copy())  # worlds of version 0.2 had none
    for name, of in (("tie_ints", TieKind), ("tie_reals", Tie)):  # fields that version 0.1 did not have are zero
        if arrays[name].ndim == 2 and arrays[name].shape[1] == OLD_WORDS[name]:
            arrays[name] = np.pad(arrays[name], ((0, 0), (0, of.layout.words - OLD_WORDS[name])))
    ties.resize(len(arrays["tie_ints"]))
    check_arrays(world, arrays)
    connections = []
    for number in text["connections"]:
        if not 0 <= int(number) < len(ties.ints):
            raise InputError(f"connection {number} has no place.")
        connections.append(Connection(int(number), ties))
    active = set(np.flatnonzero(Many(TieKind, arrays["tie_ints"]).column("active")).tolist())
    if not active <= {c.number for c in connections}:
        raise InputError("a connection is missing.")
    pushes = []
    for figure, link, wrench, end in text["pushes"]:
        world[figure].model.frame(link)
        values = np.array(from_plain(wrench), dtype=float)
        if values.shape != (6,) or not np.all(np.isfinite(values)):
            raise InputError("a push is not six finite numbers.")
        pushes.append((figure, link, values, float(end)))
    states = tuple(c["state"] for c in text["controllers"]) if keep else ()
    if not np.isfinite(float(text["time"])):
        raise InputError("the time is not a number.")
    return Snapshot(
        tuple(world._figures),
        arrays,
        float(text["time"]),
        tuple(connections),
        tuple(pushes),
        states,
        tuple(text["without_state"]),
        tuple(s["drawn"] for s in text.get("sensors", ())),
    )


def within(index: np.ndarray, count: int) -> bool:
    """Whether all are numbers of one of `count` things."""
    return bool(np.all((index >= 0) & (index < count)))


def check_arrays(world: World, arrays: dict[str, np.ndarray]) -> None:
    """Sizes and kinds as this world has them, and every index within its range."""
    own = arrays_of(world)
    if set(arrays) != set(own):
        raise InputError(f"arrays {sorted(set(arrays) ^ set(own))} are missing or unknown.")
    for name, a in arrays.items():
        same = a.shape[1:] == own[name].shape[1:] if name in GROWING else a.shape == own[name].shape
        if not same or a.ndim != own[name].ndim or a.dtype != own[name].dtype:
            raise InputError(f"array {name!r} is {a.dtype} {a.shape}, the world's {own[name].dtype} {own[name].shape}.")
        if a.dtype == np.float64 and not np.all(np.isfinite(a)):
            raise InputError(f"array {name!r} is not finite.")
    info, numbers, shapes = Info(arrays["info"]), Numbers(arrays["numbers"]), world._geometry.ns
    known, warm = len(arrays["contact_ids"]), len(arrays["warm_ids"])
    ids, ties = Many(ContactId, arrays["contact_ids"]), Many(TieKind, arrays["tie_ints"])
    if info.fixed_pairs == world._geometry.plain_pairs:  # version 0.1 listed no others
        info.fixed_pairs = world._info.fixed_pairs
    good = (
        all(getattr(info, name) == getattr(world._info, name) for name in SETTINGS[0])
        and all(getattr(numbers, name) == getattr(world._numbers, name) for name in SETTINGS[1])
        and info.contacts == known == len(arrays["contact_data"])
        and len(arrays["warm_force"]) == warm >= info.warm >= 0
        and len(arrays["track_q"]) == len(arrays["track_v"])
        and info.track_at >= 0
        and np.array_equal(np.sort(arrays["sweep_order"][order_in_ints(shapes)]), np.arange(shapes))
        and all(within(ids.column(name), shapes) for name in ("a", "b"))
        and all(within(ties.column(name), world.model.nb) for name in ("body_a", "body_b"))
    )
    if not good:
        raise InputError("a number in it does not fit the rest.")
