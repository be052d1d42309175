"""Flat, thin, doubled, broken and huge meshes by chance: `python tests/fuzz_meshes.py 10000 [SEED]` makes as many, lets
each be a link's hull, terrain, and a picture, and tells what neither works nor is refused or named by one sentence, or
took longer than `PATIENCE`. The suite runs a sample (tests/formats/test_fuzz.py)."""

from __future__ import annotations

import contextlib
import random
import struct
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

import numpy as np

PATIENCE = 60.0  # s of the processor for one mesh
URDF = """<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
<visual><geometry><mesh filename="{0}" scale="{1}"/></geometry></visual>
<collision><geometry><mesh filename="{0}" scale="{1}"/></geometry></collision></link></robot>"""
AWAY = (
    "../../../../../../etc/passwd",
    "/dev/zero",
    "nothing.stl",
    "package://../x.stl",
    ".",
    "",
    "~/x.obj",
    "/",
    "a\x7fb.stl",
)
SCALES = (
    "1 1 1",
    "0.001 0.001 0.001",
    "1000 1000 1000",
    "-1 1 1",
    "0 1 1",
    "1e-200 1 1",
    "1e200 1 1",
    "nan 1 1",
    "1",
    "1e-9 1e-9 1e-9",
)


def points_of(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of a body that is more or less one."""
    n = int(rng.choice([1, 2, 3, 4, 8, 30, 300]))
    x = rng.normal(size=(n, 3)) * 10.0 ** rng.uniform(-4, 2)
    t = rng.integers(0, n, (int(rng.choice([1, 2, 4, 3 * n])), 3))
    for _ in range(int(rng.integers(0, 3))):
        how = int(rng.integers(12))
        if how == 0:
            x[:, rng.integers(3)] = rng.normal()  # flat
        elif how == 1:
            x[:, 1:] *= 10.0 ** -rng.uniform(3, 18)  # a needle
        elif how == 2:
            x = np.repeat(x, 3, axis=0)
        elif how == 3:
            x[rng.integers(len(x))] = rng.choice([np.nan, np.inf, -np.inf, 1e300, 1e-300])
        elif how == 4:
            x = x + 10.0 ** rng.uniform(2, 12)  # far away
        elif how == 5:
            t = t + rng.choice([-1, len(x), 10**9])
        elif how == 6:
            t[:, 1] = t[:, 0]
        elif how == 7:
            t = np.concatenate([t, t[:, ::-1], t])  # both sides, doubled
        elif how == 8:
            x = np.round(x, 1)
        elif how == 9:
            k = max(2, int(np.sqrt(n)))
            i, j = np.meshgrid(np.arange(k), np.arange(k))
            x = np.stack([i, j, rng.choice([0.0, 1e-7, 0.1]) * rng.normal(size=(k, k))], axis=-1).reshape(-1, 3) * 0.1
            a = (np.arange(k - 1)[:, None] * k + np.arange(k - 1)).ravel()
            t = np.concatenate([np.stack([a, a + 1, a + k], 1), np.stack([a + 1, a + k + 1, a + k], 1)])
        elif how == 10:
            t = t[:0]
        else:
            from scipy.spatial import ConvexHull, QhullError

            with contextlib.suppress(QhullError, ValueError):
                t = ConvexHull(x).simplices.astype(int)
    return x, t


def obj(x: np.ndarray, t: np.ndarray) -> bytes:
    lines = [f"v {a!r} {b!r} {c!r}" for a, b, c in x.tolist()] + [
        f"f {a + 1} {b + 1} {c + 1}" for a, b, c in t.tolist()
    ]
    return "\n".join(lines).encode()


def off(x: np.ndarray, t: np.ndarray) -> bytes:
    lines = ["OFF", f"{len(x)} {len(t)} 0", *(" ".join(map(repr, p)) for p in x.tolist())]
    return "\n".join([*lines, *(f"3 {a} {b} {c}" for a, b, c in t.tolist())]).encode()


def ply(x: np.ndarray, t: np.ndarray) -> bytes:
    head = f"ply\nformat ascii 1.0\nelement vertex {len(x)}\nproperty double x\nproperty double y\nproperty double z\nelement face {len(t)}\nproperty list uchar int vertex_indices\nend_header\n"  # noqa: E501
    return (
        head + "\n".join([*(" ".join(map(repr, p)) for p in x.tolist()), *(f"3 {a} {b} {c}" for a, b, c in t.tolist())])
    ).encode()


def stl(x: np.ndarray, t: np.ndarray) -> bytes:
    with np.errstate(all="ignore"):
        corners = x.astype(np.float32)[np.clip(t, 0, len(x) - 1)].reshape(-1, 9)
    body = b"".join(struct.pack("<3f9fH", 0, 0, 0, *row, 0) for row in corners.tolist())
    return bytes(80) + struct.pack("<I", len(t)) + body


FORMATS = {"m.obj": obj, "m.off": off, "m.ply": ply, "m.stl": stl}


def many(rng: np.random.Generator) -> bytes:
    """A million triangles."""
    rows = np.zeros(10**6, dtype=[("n", "<f4", 3), ("c", "<f4", 9), ("a", "<u2")])
    rows["c"] = rng.normal(size=(10**6, 9))
    return bytes(80) + struct.pack("<I", len(rows)) + rows.tobytes()


def case(seed: str) -> tuple[str, bytes, str, str]:
    """(file, content, the address that a robot gives, its scale)."""
    dice, rng = random.Random(seed), np.random.default_rng(abs(hash_of(seed)))
    name = dice.choice(list(FORMATS))
    data = FORMATS[name](*points_of(rng))
    if dice.random() < 0.2:
        k = dice.randrange(len(data) + 1)
        data = (
            data[:k]
            + bytes(dice.randrange(256) for _ in range(dice.choice([0, 1, 50])))
            + data[k + dice.randrange(40) :]
        )
    if dice.random() < 0.05:
        data = data[: dice.randrange(len(data) + 1)]
    if dice.random() < 0.03:
        name, data = (
            dice.choice(["m.stl", "m.dae", "m.glb", "m.gltf", "m.obj"]),
            bytes(dice.randrange(256) for _ in range(300)),
        )
    if dice.random() < 0.0005:
        name, data = "m.stl", many(rng)
    address = dice.choice(AWAY) if dice.random() < 0.05 else name
    return name, data, address, dice.choice(SCALES) if dice.random() < 0.3 else "1 1 1"


def hash_of(text: str) -> int:
    """The same in every process."""
    return int.from_bytes(text.encode(), "little") % (2**63)


def tried(what) -> str:
    """Do it; a fault in words, or ''."""
    import bunraku as bk

    try:
        what()
    except bk.BunrakuError as error:
        text = str(error)
        return "" if "\n" not in text and 0 < len(text) < 900 and text.isprintable() else f"not one sentence: {text!r}"
    except Exception:
        return traceback.format_exc()
    return ""


def verdict(folder: Path, seed: str) -> str:
    """What is wrong with how a mesh is taken, or ''."""
    import bunraku as bk
    from bunraku.draw.solids import mesh_of

    name, data, address, scale = case(seed)
    (folder / name).write_bytes(data)
    (folder / "r.urdf").write_text(URDF.format(address.replace("\x7f", ""), scale))

    def as_link() -> None:
        model = bk.load(folder / "r.urdf")
        world = bk.World()
        world.add_ground()
        figure = world.add(model, at=(0, 0, 0.5))
        world.step(3)
        if not np.all(np.isfinite(figure.q)):
            raise ValueError("the state is not finite")
        for shape in model.shapes:
            mesh_of(shape)

    def as_ground() -> None:
        world = bk.World()
        world.add_fixed(bk.terrain_mesh(folder / name))
        figure = world.add(bk.box((0.2, 0.2, 0.1)), at=(0, 0, 0.05))
        world.step(3)
        if not np.all(np.isfinite(figure.q)):
            raise ValueError("the state is not finite")

    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        faults = [tried(as_link), tried(as_ground)]
    took = time.process_time() - start
    (folder / name).unlink()
    return "\n".join(filter(None, [*faults, f"took {took:.0f} s" if took > PATIENCE else ""]))


def run(count: int, seed: int, folder: Path, say=print) -> int:
    """Try `count` meshes; returns the number of faults, which are told with their number."""
    from bunraku.draw import visual_mesh

    visual_mesh._said.update(["quiet"])
    faults = 0
    for k in range(count):
        if text := verdict(folder, f"{seed} {k}"):
            faults += 1
            say(f"mesh {k} of seed {seed} ({case(f'{seed} {k}')[0]}): {text}")
    return faults


if __name__ == "__main__":
    number, start = (int(x) for x in (*sys.argv[1:], *("1000", "0")[len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as place:
        found = run(number, start, Path(place))
    print(f"{number} meshes, {found} faults")
    sys.exit(1 if found else 0)
