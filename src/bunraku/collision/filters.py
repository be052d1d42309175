"""Which shapes may never touch, worked out once for a scene.

Never: two fixed shapes; two shapes on one body; bodies of `collide_exclude`; bodies joined directly (a body and the
nearest one below it that carries a link: the massless bodies inside a universal joint do not count); two bodies of a
figure whose self-collision is off, and what of it stands fixed (but for planes and what an MJCF file puts into the
world itself); pairs of its bodies that are given beside (bunraku.collision.rest_overlaps). A body joined to the world
by anything but a free joint does not touch shapes of its own figure that are fixed to the world (the foot of an arm),
except planes and terrain. Checked in
tests/collision/test_geometry.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from bunraku.collision.shape_layout import PLANE, TERRAIN, ShapeKind
from bunraku.collision.shape_masks import Marks
from bunraku.kernel.record import Many
from bunraku.model.layout import FREE, PARENT
from bunraku.model.layout import KIND as JOINT_KIND
from bunraku.model.model import Model


def neighbours(model: Model) -> set[tuple[int, int]]:
    """Pairs (inner, outer) of bodies joined directly; (0, i) only where body i's joint to the world is not free."""
    carries = {f.body for f in model.frames if f.is_link} | {0}
    pairs = set()
    for i in carries - {0}:
        free = model.ints[i, JOINT_KIND] == FREE
        p = int(model.ints[i, PARENT])
        while p not in carries:
            free = free or model.ints[p, JOINT_KIND] == FREE
            p = int(model.ints[p, PARENT])
        if p or not free:
            pairs.add((p, i))
    return pairs


def excluded_keys(
    ints: np.ndarray,
    models: Iterable[tuple[int, Model, int, bool, Iterable[tuple[int, int]]]],
    exclude: Iterable[tuple[int, int]],
    links: Sequence[str],
    marks: Marks,
) -> np.ndarray:
    """Sorted numbers a * ns + b (a < b) of shapes that may not touch for a reason other than body or fixedness.

    models: (figure, model, body offset, self-collision, further pairs of its bodies); exclude: further pairs of body
    indices of the scene; links: the link of each shape; marks: what files say of shapes."""
    models = list(models)
    ns, kinds = len(ints), Many(ShapeKind, ints)
    kind, on, of = (kinds.column(name).tolist() for name in ("kind", "body", "figure"))
    on_body: dict[int, list[int]] = {}
    for s, b in enumerate(on):
        on_body.setdefault(b, []).append(s)
    keys: set[int] = set()

    def forbid(a: Iterable[int], b: Iterable[int]) -> None:
        keys.update(min(s, t) * ns + max(s, t) for s in a for t in b if s != t)

    of_figure: dict[int, list[int]] = {}
    for s, f in enumerate(of):
        of_figure.setdefault(f, []).append(s)
    for figure, model, offset, self_collision, apart in models:
        own = of_figure.get(figure, [])
        moving = [s for s in own if on[s]]
        fixed = [s for s in own if not on[s]]
        base = [
            s for s in fixed if kind[s] not in (PLANE, TERRAIN) and links[s] != "world"
        ]  # the foot of an arm, not its room
        if not self_collision:
            forbid(moving, moving)
            forbid(base, moving)

        def shapes(body: int, offset: int = offset, fixed: list[int] = fixed) -> list[int]:
            return on_body.get(offset + body, []) if body else fixed

        for a, b in neighbours(model):
            inner = shapes(a) if a else [s for s in fixed if kind[s] not in (PLANE, TERRAIN)]
            forbid(inner, shapes(b))
        for a, b in (*model.collide_exclude, *apart):
            forbid(shapes(a), shapes(b))
    for one, two in marks.apart():
        forbid(one, two)
    keys -= {min(a, b) * ns + max(a, b) for a, b in marks.pairs([model for _, model, *_ in models])}
    for _, _, offset, _, apart in models:  # what overlaps at rest would be pushed apart, a pair or not
        for a, b in apart:
            forbid(on_body.get(offset + a, []) if a else [], on_body.get(offset + b, []))
    for a, b in exclude:
        forbid(on_body.get(a, []), on_body.get(b, []))
    return np.array(sorted(keys), dtype=np.int64)


def candidate_pairs(ints: np.ndarray, excluded: np.ndarray) -> np.ndarray:
    """All pairs (a, b), a < b, that the filters allow, in order."""
    kinds = Many(ShapeKind, ints)
    kind, body = kinds.column("kind"), kinds.column("body")
    a, b = np.triu_indices(len(ints), 1)
    keep = (body[a] != body[b]) & ~((kind[a] == PLANE) & (kind[b] == PLANE))
    keep &= ~np.isin(a * len(ints) + b, excluded)
    return np.ascontiguousarray(np.stack([a[keep], b[keep]], axis=1), dtype=np.int64)
