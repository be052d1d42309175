"""Configurations: moving, comparing, drawing at random. q lives on a curved space: quaternions turn in their own (body)
axes.

`integrate(model, q, v, dt)` moves q along the constant rate v for dt; `difference(model, q0, q1)` is the rate that does
it in one second: integrate(q0, difference(q0, q1)) = q1, but for joints that follow others by a matrix: their
coordinates go where their own rates lead. Both take one state or a batch (leading axis); a figure with
ten balls takes 60 us. Checked in tests/model/test_configuration.py.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from bunraku.errors import InputError
from bunraku.model.model import Model
from bunraku.model.rotations import exponential, multiply, turn_between, without_jumps


class _Parts(NamedTuple):
    """Coordinates by kind: those that simply add, as indices into q and v; quaternions, as rows of indices into q (n,
    4) and v (n, 3). The first `own` of each belong to joints with rates in v; of those that follow by a matrix the
    indices go into `followers` @ v, counted from nv on."""

    q: np.ndarray
    v: np.ndarray
    turns_q: np.ndarray
    turns_v: np.ndarray
    own: tuple[int, int]
    followers: np.ndarray


@lru_cache(maxsize=32)
def _parts(model: Model) -> _Parts:
    q, v, turns_q, turns_v = [], [], [], []
    rows = [np.zeros((0, model.nv))]
    followers = [j for j in model.joints if j.matrix is not None]
    for j in [j for j in model.joints if j.nv] + followers:
        iv = j.iv if j.nv else model.nv + sum(map(len, rows))
        adding = j.traits.adds
        q += range(j.iq, j.iq + adding)
        v += range(iv, iv + adding)
        if j.turns:
            turns_q.append(np.arange(4) + j.iq + adding)
            turns_v.append(np.arange(3) + iv + adding)
        if j.matrix is not None:
            row = np.zeros((len(j.matrix), model.nv))
            row[:, j.iv : j.iv + j.matrix.shape[1]] = j.matrix
            rows.append(row)
    of_q, of_v = np.array(turns_q, dtype=int).reshape(-1, 4), np.array(turns_v, dtype=int).reshape(-1, 3)
    own = len(q) - sum(j.traits.adds for j in followers), len(turns_q) - sum(j.turns for j in followers)
    return _Parts(np.array(q, dtype=int), np.array(v, dtype=int), of_q, of_v, own, np.concatenate(rows))


def _shaped(model: Model, q: np.ndarray, v: np.ndarray | None = None) -> None:
    if q.shape[-1:] != (model.nq,):
        raise InputError(f"q has shape {q.shape}; this figure needs ({model.nq},) or (batch, {model.nq}).")
    if v is not None and v.shape[-1:] != (model.nv,):
        raise InputError(f"v has shape {v.shape}; this figure needs ({model.nv},) or (batch, {model.nv}).")


def integrate(model: Model, q: np.ndarray, v: np.ndarray, dt: float = 1.0) -> np.ndarray:
    """q moved along v for dt [s]; quaternions come out with length one."""
    q, v = np.asarray(q, dtype=float), np.asarray(v, dtype=float) * dt
    _shaped(model, q, v)
    out = np.array(np.broadcast_to(q, (*np.broadcast_shapes(q.shape[:-1], v.shape[:-1]), model.nq)))
    at = _parts(model)
    if len(at.followers):
        v = np.concatenate([v, np.einsum("...j,ij->...i", v, at.followers)], axis=-1)
    out[..., at.q] += v[..., at.v]
    out[..., at.turns_q] = multiply(out[..., at.turns_q], exponential(v[..., at.turns_v]))
    return normalized(model, out)


def difference(model: Model, q0: np.ndarray, q1: np.ndarray) -> np.ndarray:
    """The rate v [m/s or rad/s] that leads from q0 to q1 in one second; joints that follow by a matrix are not asked."""
    q0, q1 = np.asarray(q0, dtype=float), np.asarray(q1, dtype=float)
    _shaped(model, q0)
    _shaped(model, q1)
    shape = np.broadcast_shapes(q0.shape[:-1], q1.shape[:-1])
    out = np.zeros((*shape, model.nv))
    at = _parts(model)
    plain, turns = at.own
    iq, of_q = at.q[:plain], at.turns_q[:turns]
    out[..., at.v[:plain]] = q1[..., iq] - q0[..., iq]
    out[..., at.turns_v[:turns]] = turn_between(q0[..., of_q], q1[..., of_q])
    return out


def normalized(model: Model, q: np.ndarray) -> np.ndarray:
    """q with quaternions of length one; changes q."""
    at = _parts(model).turns_q
    turns = q[..., at]
    q[..., at] = turns / np.linalg.norm(turns, axis=-1, keepdims=True)
    return q


def continuous(model: Model, q: np.ndarray) -> np.ndarray:
    """Rows of q (n, nq) with quaternions that never change sign from row to row: what splines and filters can take."""
    out, at = np.array(q, dtype=float), _parts(model).turns_q
    out[:, at] = without_jumps(out[:, at])
    return out


def random_configuration(model: Model, rng: np.random.Generator | int | None = None) -> np.ndarray:
    """A configuration within the limits (±pi where there is none; free bases within a metre), uniform on rotations."""
    rng = np.random.default_rng(rng)
    q = model.neutral()
    for j in model.joints:
        if j.nq == 0:
            continue
        if j.turns:
            x, adds = rng.normal(size=4), j.traits.adds
            q[j.iq + adds : j.iq + j.nq] = x / np.linalg.norm(x)
            q[j.iq : j.iq + adds] += rng.uniform(-1, 1, adds)
        else:
            half = np.pi if j.unit == "rad" else 1.0
            lower, upper = (model.lower[j.v], model.upper[j.v]) if j.nv else (np.array(j.lower), np.array(j.upper))
            low = np.maximum(lower, -half)
            high = np.minimum(upper, half)
            low, high = np.minimum(low, upper), np.maximum(high, lower)
            q[j.q] = rng.uniform(low, np.maximum(high, low))
    return q
