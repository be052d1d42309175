"""Inverse inertia felt at points of a figure: K = J M^-1 J' for any set of bodies and directions, without forming M or
J.

The recursion is in delassus_kernel.py; cost O(n m + m^2) for m rows on a figure of n bodies.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bunraku.dynamics.arguments import as_rows, check_work
from bunraku.dynamics.delassus_kernel import delassus_one
from bunraku.dynamics.functions import kinematics
from bunraku.dynamics.work import Work, work_of
from bunraku.errors import InputError
from bunraku.model.model import Model


def delassus(
    model: Model,
    q: np.ndarray,
    frames: Sequence[str | int],
    directions: np.ndarray,
    points: np.ndarray | None = None,
    *,
    work: Work | None = None,
) -> np.ndarray:
    """K (m, m): acceleration [m/s^2 or rad/s^2] along row i per unit force [N or N m] along row j.

    frames: for each row, a link or frame (its origin is the point of action) or a body index (its origin). directions
    (m, 3): forces, or (m, 6): wrenches (f, n). points (m, 3): other points of action, in the world. All in world axes.
    """
    w = work or work_of(model)
    check_work(w, model)
    model.refuse_massless("delassus")
    q = np.asarray(q, dtype=float)
    if q.ndim == 2:
        if points is not None:
            raise InputError("delassus: points belong to one state; call it once a state.")
        states = [delassus(model, x, frames, directions, work=work) for x in q]
        return np.stack(states) if states else np.zeros((0, len(frames), len(frames)))
    q = as_rows("q", q, model.nq, None)
    d = np.atleast_2d(np.asarray(directions, dtype=float))
    m = len(frames)
    if d.ndim != 2 or d.shape[0] != m or d.shape[1] not in (3, 6) or not np.all(np.isfinite(d)):
        raise InputError(
            f"delassus: directions has shape {d.shape}; {m} frames need ({m}, 3) or ({m}, 6) finite numbers."
        )
    k = kinematics(model, q, work=w)
    body = np.empty(m, dtype=np.int64)
    arm = np.zeros((m, 3))  # from the body's origin to the point of action
    for i, f in enumerate(frames):
        if isinstance(f, str):
            info = model.frame(f)
            body[i], arm[i] = info.body, k.rotation[info.body] @ info.position
        elif 0 <= int(f) < model.nb:
            body[i] = int(f)
        else:
            raise InputError(f"delassus: body {f} does not exist; there are 0 to {model.nb - 1}.")
    if points is not None:
        arm = np.asarray(points, dtype=float).reshape(m, 3) - k.position[body]
    wrench = np.zeros((m, 6))  # (n, f) at the body's origin
    wrench[:, 3:] = d[:, :3]
    wrench[:, :3] = np.cross(arm, d[:, :3]) + (d[:, 3:] if d.shape[1] == 6 else 0.0)
    bodies, row_body = np.unique(body, return_inverse=True)
    nb, n = model.nb, len(bodies)
    K = np.empty((m, m))
    delassus_one.call(
        w.handle,
        q,
        bodies,
        wrench,
        row_body.astype(np.int64).reshape(m),
        np.empty(nb, dtype=np.int64),
        np.empty((nb, 6, 6)),
        np.empty((m, nb, 6)),
        np.empty((n * n, 2), dtype=np.int64),
        K,
    )
    return K
