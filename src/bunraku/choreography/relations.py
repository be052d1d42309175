"""End-link relations of Yamane & Nakamura 2002, eqs (1) and (2):   r'' = L f + Phi q'' + phi

r'' are the accelerations of some links, position only (3 rows) or position and orientation (6 rows: linear, then
angular), f the forces (or wrenches: force, then moment) of the floor on the same links, q'' the prescribed joint
accelerations, the base's six left out. The figure answers f as one composite body; see bunraku.control.end_links for
the recursion, which costs O(N) a link. World axes, classical accelerations, gravity in phi. Checked in
tests/choreography/test_relations.py against the dense formulas to 1e-9; cost in `bunraku bench choreography
--relations`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bunraku.control.end_links import (
    ROOT,
    add_joints,
    answer,
    base_bias,
    base_of,
    direction_bias,
    joint_answers,
    joints_of,
    point_of,
    survey,
)
from bunraku.control.whole_body_arrays import one_base
from bunraku.dynamics.arguments import OK, as_rows
from bunraku.dynamics.work import Work, opened, work_of
from bunraku.errors import InputError
from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import borrow
from bunraku.kernel.vec import add, cross, ld3, sub
from bunraku.model.layout import NW, POS
from bunraku.model.model import Model

AXES = ("xyz", "pose")


@dataclass(frozen=True)
class Relations:
    """L (rows, rows), Phi (rows, joints), phi (rows,); `links` names the links, `rows[k]` where link k's rows stand."""

    links: tuple[str, ...]
    rows: tuple[slice, ...]
    L: np.ndarray
    Phi: np.ndarray
    phi: np.ndarray


def end_link_relations(
    model: Model,
    q: np.ndarray,
    v: np.ndarray,
    links: Sequence[str],
    *,
    axes: str | Sequence[str] = "xyz",
    points: np.ndarray | None = None,
    work: Work | None = None,
) -> Relations:
    """L, Phi and phi of `links`, "xyz" (3 rows) or "pose" (6 rows) each; points (links, 3) [m] in the links' frames,
    their origins by default."""
    kinds = [axes] * len(links) if isinstance(axes, str) else list(axes)
    if len(kinds) != len(links) or any(k not in AXES for k in kinds):
        raise InputError(f"relations: axes must be 'xyz' or 'pose', one or {len(links)} of them, got {axes!r}.")
    one_base(model, "relations")
    own = np.zeros((len(links), 3)) if points is None else np.asarray(points, dtype=float)
    if own.shape != (len(links), 3) or not np.all(np.isfinite(own)):
        raise InputError(f"relations: points needs {len(links)} rows of three finite numbers.")
    frames = [model.frame(name) for name in links]
    if any(f.body == 0 for f in frames):
        raise InputError("relations: a link that is fixed to the world does not move; leave it out.")
    bodies = np.array([f.body for f in frames], dtype=np.int64)
    at = np.array([f.position + f.rotation @ p for f, p in zip(frames, own)]).reshape(-1, 3)
    n = len(links)
    first = joints_of(model.ints)
    L, Phi, phi = np.zeros((6 * n, 6 * n)), np.zeros((6 * n, model.nv - first)), np.zeros(6 * n)
    columns, wrenches = np.zeros((model.nv - first, 6)), np.zeros((6 * n, 12))
    w = work if work is not None else work_of(model)
    state = as_rows("q", q, model.nq, None), as_rows("v", v, model.nv, None)
    relate.call(w.handle, *state, bodies, at, columns, wrenches, L, Phi, phi)
    keep = np.concatenate([6 * k + np.arange(3 if kind == "xyz" else 6) for k, kind in enumerate(kinds)]).astype(int)
    ends = np.cumsum([3 if kind == "xyz" else 6 for kind in kinds])
    rows = tuple(slice(e - (3 if kind == "xyz" else 6), e) for e, kind in zip(ends.tolist(), kinds))
    return Relations(tuple(links), rows, L[np.ix_(keep, keep)], Phi[keep], phi[keep])


@entry("h D D I DD DD DD DD DD D")
def relate(handle, q, v, bodies, points, columns, wrenches, L, Phi, phi):
    """Fill L (6 n, 6 n), Phi (6 n, joints), phi (6 n); rows of a link: linear 3, angular 3.

    `columns`, `wrenches` are scratch.
    """
    ints, reals, work = opened(handle)
    survey(ints, reals, borrow(q), borrow(v), work)
    joint_answers(ints, reals, work, columns)
    base = base_of(ints, reals, work)
    bias = base_bias(ints, reals, work)
    origin = ld3(work, ROOT * NW + POS)
    zero = (0.0, 0.0, 0.0)
    for e in range(bodies.shape[0]):
        x = point_of(work, bodies[e], (points[e, 0], points[e, 1], points[e, 2]))
        for k in range(6):
            r = 6 * e + k
            d = (1.0 if k % 3 == 0 else 0.0, 1.0 if k % 3 == 1 else 0.0, 1.0 if k % 3 == 2 else 0.0)
            n = zero if k < 3 else d
            f = d if k < 3 else zero
            phi[r] = direction_bias(ints, work, bodies[e], x, n, f, bias)
            moment = add(n, cross(sub(x, origin), f))
            al, a = answer(base, moment, f)
            for c in range(3):
                wrenches[r, c] = moment[c]
                wrenches[r, 3 + c] = f[c]
                wrenches[r, 6 + c] = al[c]
                wrenches[r, 9 + c] = a[c]
            for j in range(columns.shape[0]):
                Phi[r, j] = 0.0
                for c in range(6):
                    Phi[r, j] += wrenches[r, c] * columns[j, c]
            add_joints(ints, reals, work, bodies[e], x, n, f, Phi[r])
    for r in range(L.shape[0]):
        for s in range(L.shape[1]):
            L[r, s] = 0.0
            for c in range(6):
                L[r, s] += wrenches[r, c] * wrenches[s, 6 + c]
    return OK
