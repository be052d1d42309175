"""Which shapes may never touch, worked out once for a scene.

Never: two fixed shapes; two shapes on one body; bodies of `collide_exclude`; bodies joined directly (a body and the
nearest one below it that carries a link: the massless bodies inside a universal joint do not count); two bodies of a
figure whose self-collision is off. A body joined to the world by anything but a free joint does not touch shapes of
its own figure that are fixed to the world (the foot of an arm), except planes. Checked in
tests/collision/test_geometry.py.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from bunraku.collision.shape_layout import GENERAL, PLANE, ShapeKind
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
    models: Iterable[tuple[int, Model, int, bool]],
    exclude: Iterable[tuple[int, int]],
) -> np.ndarray:
    """Sorted numbers a * ns + b (a < b) of shapes that may not touch for a reason other than body or fixedness.

    models: (figure, model, body offset, self-collision); exclude: further pairs of body indices of the scene."""
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
    for figure, model, offset, self_collision in models:
        own = of_figure.get(figure, [])
        moving = [s for s in own if on[s]]
        fixed = [s for s in own if not on[s]]
        if not self_collision:
            forbid(moving, moving)

        def shapes(body: int, offset: int = offset, fixed: list[int] = fixed) -> list[int]:
            return on_body.get(offset + body, []) if body else fixed

        for a, b in neighbours(model):
            inner = shapes(a) if a else [s for s in fixed if kind[s] != PLANE]
            forbid(inner, shapes(b))
        for a, b in model.collide_exclude:
            forbid(shapes(a), shapes(b))
    for a, b in exclude:
        forbid(on_body.get(a, []), on_body.get(b, []))
    return np.array(sorted(keys), dtype=np.int64)


def candidate_pairs(ints: np.ndarray, excluded: np.ndarray, *, general: bool) -> np.ndarray:
    """All pairs (a, b), a < b, that the filters allow, in order: those for kernels, or those with a general shape."""
    ns, kinds = len(ints), Many(ShapeKind, ints)
    kind, body = kinds.column("kind"), kinds.column("body")
    others = np.flatnonzero(kind >= GENERAL)
    if general:  # each general shape with every shape, once
        a, b = (x.ravel() for x in np.meshgrid(others, np.arange(ns), indexing="ij"))
        once = (a < b) | (kind[b] < GENERAL)
        a, b = np.minimum(a, b)[once], np.maximum(a, b)[once]
        order = np.argsort(a * ns + b)
        a, b = a[order], b[order]
    else:
        plain = np.flatnonzero(kind < GENERAL)
        a, b = (plain[x] for x in np.triu_indices(len(plain), 1))
    keep = (body[a] != body[b]) & ~((kind[a] == PLANE) & (kind[b] == PLANE))
    keep &= ~np.isin(a * ns + b, excluded)
    return np.ascontiguousarray(np.stack([a[keep], b[keep]], axis=1), dtype=np.int64)
