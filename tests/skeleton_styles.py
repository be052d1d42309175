"""A motion of a skeleton rewritten into skeletons of other styles: other rest pose, bone axes, units, up axis, names,
rotation orders, added twist bones, fingers, roots and ends. What the person does stays the same."""

import warnings
from dataclasses import dataclass, field

import numpy as np
from scipy.spatial.transform import Rotation

from bunraku.formats.bvh import Bvh, BvhJoint

Z_UP = {  # columns: where x, y, z of a y-up file go
    "y": np.eye(3),
    "z, facing -y": np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]),
    "z, facing x": np.array([[0, 0, 1.0], [1, 0, 0], [0, 1, 0]]),
    "-y": np.diag([-1.0, -1.0, 1.0]),
}


@dataclass
class Tree:
    """Joints with names, parents, offsets in the parent's axes, rotations (n, 3, 3) in the world, the root's place (n, 3)
    and end sites."""

    names: list
    parents: list
    offsets: list
    turns: list
    place: np.ndarray
    ends: list
    frame_time: float
    notes: dict = field(default_factory=dict)


def tree(bvh: Bvh) -> Tree:
    """Of a file whose joints other than the root have rotation channels alone."""
    turns, n = [], len(bvh.values)
    place = np.tile(np.array(bvh.joints[0].offset), (n, 1))
    for k, j in enumerate(bvh.joints):
        values, R = bvh.values[:, bvh.columns(k)], np.tile(np.eye(3), (n, 1, 1))
        for c, x in zip(j.channels, values.T):
            if c.endswith("rotation"):
                R = R @ Rotation.from_euler(c[0], x[:, None], degrees=True).as_matrix()
            else:
                assert k == 0, "positions below the root are not rewritten"
                place[:, "XYZ".index(c[0])] += x
        turns.append(R if j.parent < 0 else turns[j.parent] @ R)
    joints = bvh.joints
    return Tree(
        [j.name for j in joints], [j.parent for j in joints], [np.array(j.offset) for j in joints], turns, place,
        [[np.array(e) for e in j.ends] for j in joints], bvh.frame_time,
    )  # fmt: skip


def file(t: Tree, orders) -> Bvh:
    """The tree as a BVH; orders: of the rotation channels of each joint."""
    joints, columns = [], [t.place]
    for k, (name, up) in enumerate(zip(t.names, t.parents)):
        R = t.turns[k] if up < 0 else np.swapaxes(t.turns[up], 1, 2) @ t.turns[k]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # locked gimbals are any of many right answers
            columns.append(Rotation.from_matrix(R).as_euler(orders[k], degrees=True))
        places = ("Xposition", "Yposition", "Zposition") if up < 0 else ()
        offset = (0.0, 0.0, 0.0) if up < 0 else tuple(t.offsets[k])
        joints.append(
            BvhJoint(name, up, offset, (*places, *(f"{a}rotation" for a in orders[k])), tuple(map(tuple, t.ends[k])))
        )
    return Bvh(joints, np.hstack(columns), t.frame_time)


def insert(t: Tree, below: int, share: float, name: str, twist: float = 0.0, angles=None) -> None:
    """A joint on the bone that ends at joint `below`, a share of its way down; it takes a part of the twist of the bone
    over from the joint above."""
    up = t.parents[below]
    t.names.append(name)
    t.parents.append(up)
    t.offsets.append(share * t.offsets[below])
    t.turns.append(t.turns[up].copy())
    t.ends.append([])
    t.parents[below] = len(t.names) - 1
    t.offsets[below] = (1 - share) * t.offsets[below]
    if twist:
        axis = t.offsets[below] / np.linalg.norm(t.offsets[below])
        t.turns[up] = t.turns[up] @ Rotation.from_rotvec(-twist * np.outer(angles, axis)).as_matrix()


def leaf(t: Tree, on: int, offset, name: str, end=None) -> None:
    """A joint without a meaning, such as a finger."""
    t.names.append(name)
    t.parents.append(on)
    t.offsets.append(np.asarray(offset, dtype=float))
    t.turns.append(t.turns[on].copy())
    t.ends.append([np.asarray(end if end is not None else offset, dtype=float)])


def rooted(t: Tree, name: str) -> None:
    """Another root above, which stands still on the floor at the beginning."""
    place, n = t.place.copy(), len(t.place)
    t.names.insert(0, name)
    t.parents = [-1, *(p + 1 for p in t.parents)]
    t.offsets.insert(0, np.zeros(3))
    t.offsets[1] = np.zeros(3)
    t.turns.insert(0, np.tile(np.eye(3), (n, 1, 1)))
    t.ends.insert(0, [])
    t.place = place  # the root goes with the hips


def posed(t: Tree, constants) -> None:
    """Other axes, and so another zero pose: each joint's rotation is multiplied by a constant from the right."""
    for k in range(len(t.names)):
        up = t.parents[k]
        if up >= 0:
            t.offsets[k] = constants[up].T @ t.offsets[k]
        t.ends[k] = [constants[k].T @ e for e in t.ends[k]]
    t.turns = [R @ C for R, C in zip(t.turns, constants)]


def along_x(t: Tree) -> list:
    """Constants after which every bone lies along x in its joint's axes."""
    out = []
    for k in range(len(t.names)):
        below = [t.offsets[c] for c, p in enumerate(t.parents) if p == k] + t.ends[k]
        far = max(below, key=np.linalg.norm, default=np.array([1.0, 0, 0]))
        if np.linalg.norm(far) < 1e-9:
            out.append(np.eye(3))
            continue
        x = far / np.linalg.norm(far)
        y = np.cross(np.eye(3)[int(np.abs(x).argmin())], x)
        y /= np.linalg.norm(y)
        out.append(np.column_stack([x, y, np.cross(x, y)]))
    return out


def ordered(t: Tree) -> Tree:
    """Joints parents first."""
    order = [k for k, p in enumerate(t.parents) if p < 0]
    for k in order:
        order += [c for c, p in enumerate(t.parents) if p == k]
    new = {k: n for n, k in enumerate(order)} | {-1: -1}
    pick = lambda x: [x[k] for k in order]  # noqa: E731
    return Tree(
        pick(t.names),
        [new[t.parents[k]] for k in order],
        pick(t.offsets),
        pick(t.turns),
        t.place,
        pick(t.ends),
        t.frame_time,
    )


def rewritten(bvh: Bvh, seed: int, kind: str = "random") -> Bvh:
    """The motion in a skeleton of another style, drawn at random; kind: "names" alone, "axes" alone, …, "random": all."""
    rng, t = np.random.default_rng(seed), tree(bvh)
    n, everything = len(t.place), kind == "random"
    if kind == "twist" or (everything and rng.random() < 0.6):
        wave = 0.5 * np.sin(2 * np.pi * 0.7 * np.arange(n) * t.frame_time)
        long = 0.6 * max(map(np.linalg.norm, t.offsets))
        for k in [
            k
            for k in range(1, len(t.names))
            if np.linalg.norm(t.offsets[k]) > long and t.parents.count(t.parents[k]) == 1
        ]:
            insert(t, k, float(rng.uniform(0.35, 0.65)), f"twist {k}", 0.0 if kind == "twist" else 1.0, wave)
    if kind == "fingers" or (everything and rng.random() < 0.6):
        tips = [
            k for k in range(len(t.names)) if k not in t.parents and "oot" not in t.names[k] and "oe" not in t.names[k]
        ]
        size = max(map(np.linalg.norm, t.offsets))
        for k in tips:
            for f in range(int(rng.integers(1, 4))):
                leaf(t, k, 0.1 * size * rng.normal(size=3) / 2, f"finger {k} {f}")
    if kind == "root" or (everything and rng.random() < 0.5):
        rooted(t, "reference")
    t = ordered(t)
    if kind == "axes":
        posed(t, along_x(t))
    elif kind == "rest":
        posed(t, [Rotation.random(random_state=int(rng.integers(1 << 30))).as_matrix() for _ in t.names])
    elif everything:
        what = rng.integers(3)
        if what == 0:
            posed(t, along_x(t))
        elif what == 1:
            posed(t, [Rotation.random(random_state=int(rng.integers(1 << 30))).as_matrix() for _ in t.names])
    world = Z_UP[rng.choice(list(Z_UP))] if everything else Z_UP["z, facing -y"] if kind == "up" else np.eye(3)
    t.place, t.turns = t.place @ world.T, [world @ R for R in t.turns]
    t.notes["world"] = world
    unit = float(rng.choice([1.0, 0.01, 0.001, 1 / 2.54, 7.3])) if everything or kind == "unit" else 1.0
    t.place, t.offsets = unit * t.place, [unit * x for x in t.offsets]
    t.ends = [[unit * e for e in ends] for ends in t.ends]
    if kind in ("names", "random"):
        t.names = [f"b{rng.integers(1 << 30):x}.{k}" for k in range(len(t.names))]
    every = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
    orders = [str(rng.choice(every)) if everything or kind == "orders" else "ZYX" for _ in t.names]
    return file(t, orders)


KINDS = ("names", "axes", "rest", "up", "unit", "twist", "fingers", "root", "orders", "random")
