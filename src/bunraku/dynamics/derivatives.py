"""Derivatives of inverse and forward dynamics with respect to configuration, velocity, and acceleration or torque.

rnea: analytic (derivative_kernel). aba, from M(q) v' + b = tau:   dv'/dtau = M^-1,  dv'/dq = -M^-1 dtau/dq,  dv'/dv =
-M^-1 dtau/dv with d tau taken at v' = aba(q, v, tau). M is factored by Cholesky (LAPACK, through SciPy). Derivatives in
q are along v (tangent space).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bunraku.dynamics.arguments import as_forces, as_rows, batch_of, check_work
from bunraku.dynamics.derivative_kernel import derivatives_many, make_differentiation
from bunraku.dynamics.functions import aba, crba
from bunraku.dynamics.work import Work, work_of
from bunraku.kernel.record import handle
from bunraku.model.model import Model


class Derivatives(NamedTuple):
    """Matrices (nv, nv), with a leading batch axis if q had one: by q (along v) [.../rad or /m], by v [.../(rad/s) or
    /(m/s)], and by what was given beside them. Columns belong to the degrees of freedom of v."""

    dq: np.ndarray
    dv: np.ndarray
    dx: np.ndarray  # by acceleration (rnea: the mass matrix) or by torque (aba: its inverse)


def rnea_derivatives(
    model: Model,
    q: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
    f_ext: np.ndarray | None = None,
    *,
    work: Work | None = None,
) -> Derivatives:
    """d tau / d q, d tau / d v, d tau / d v' of `rnea`: `dq`, `dv`, `dx` (nv, nv), tau in N m or N; dx is the mass matrix.

    External wrenches are held fixed in world axes at the bodies' origins.
    """
    w = work or work_of(model)
    check_work(w, model)
    batch = batch_of(q, model)
    n = 1 if batch is None else batch
    rows = [
        np.atleast_2d(as_rows(k, x, m, batch))
        for k, x, m in (("q", q, model.nq), ("v", v, model.nv), ("a", a, model.nv))
    ]
    forces = as_forces(np.zeros((model.nb, 6)) if f_ext is None else f_ext, model.nb, batch)
    assert forces is not None
    if w.differentiation is None:
        w.differentiation = make_differentiation(model.nb, w.columns)
    tau, dq, dv = np.empty((n, model.nv)), np.empty((n, model.nv, model.nv)), np.empty((n, model.nv, model.nv))
    derivatives_many.call(w.handle, handle(w.differentiation), *rows, np.atleast_2d(forces), tau, dq, dv)
    M = crba(model, q, work=w)
    return Derivatives(dq, dv, M) if batch is not None else Derivatives(dq[0], dv[0], M)


def aba_derivatives(
    model: Model,
    q: np.ndarray,
    v: np.ndarray,
    tau: np.ndarray,
    f_ext: np.ndarray | None = None,
    *,
    work: Work | None = None,
) -> Derivatives:
    """d v' / d q, d v' / d v, d v' / d tau of `aba`: `dq`, `dv`, `dx` (nv, nv), v' in m/s^2 or rad/s^2; dx is the inverse
    of the mass matrix."""
    from scipy.linalg import cho_factor, cho_solve

    a = aba(model, q, v, tau, f_ext, work=work)
    d = rnea_derivatives(model, q, v, a, f_ext, work=work)
    if a.ndim == 1:
        c = cho_factor(d.dx, check_finite=False)
        right = np.hstack([-d.dq, -d.dv, np.eye(model.nv)])
        return Derivatives(*np.hsplit(cho_solve(c, right, check_finite=False), 3))
    right = np.concatenate([-d.dq, -d.dv, np.broadcast_to(np.eye(model.nv), d.dq.shape)], axis=-1)
    return Derivatives(*np.split(np.linalg.solve(d.dx, right), 3, axis=-1))
