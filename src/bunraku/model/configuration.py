"""Configurations: moving, comparing, drawing at random. q lives on a curved space: quaternions turn in their own (body)
axes.

`integrate(model, q, v, dt)` moves q along the constant rate v for dt; `difference(model, q0, q1)` is the rate that does
it in one second: integrate(q0, difference(q0, q1)) = q1. Both take one state or a batch (leading axis); a figure with
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
    4) and v (n, 3)."""

    q: np.ndarray
    v: np.ndarray
    turns_q: np.ndarray
    turns_v: np.ndarray


@lru_cache(maxsize=32)
def _parts(model: Model) -> _Parts:
    q, v, turns_q, turns_v = [], [], [], []
    for j in model.joints:
        adding = min(j.traits.adds, j.nv)
        q += range(j.iq, j.iq + adding)
        v += range(j.iv, j.iv + adding)
        if j.nq > j.nv:
            turns_q.append(np.arange(4) + j.iq + adding)
            turns_v.append(np.arange(3) + j.iv + adding)
    of_q, of_v = np.array(turns_q, dtype=int).reshape(-1, 4), np.array(turns_v, dtype=int).reshape(-1, 3)
    return _Parts(np.array(q, dtype=int), np.array(v, dtype=int), of_q, of_v)


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
    out[..., at.q] += v[..., at.v]
    out[..., at.turns_q] = multiply(out[..., at.turns_q], exponential(v[..., at.turns_v]))
    return normalized(model, out)


def difference(model: Model, q0: np.ndarray, q1: np.ndarray) -> np.ndarray:
    """The rate v [m/s or rad/s] that leads from q0 to q1 in one second."""
    q0, q1 = np.asarray(q0, dtype=float), np.asarray(q1, dtype=float)
    _shaped(model, q0)
    _shaped(model, q1)
    shape = np.broadcast_shapes(q0.shape[:-1], q1.shape[:-1])
    out = np.zeros((*shape, model.nv))
    at = _parts(model)
    out[..., at.v] = q1[..., at.q] - q0[..., at.q]
    out[..., at.turns_v] = turn_between(q0[..., at.turns_q], q1[..., at.turns_q])
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
        if j.nq > j.nv:
            x, adds = rng.normal(size=4), j.traits.adds
            q[j.iq + adds : j.iq + j.nq] = x / np.linalg.norm(x)
            q[j.iq : j.iq + adds] += rng.uniform(-1, 1, adds)
        else:
            half = np.pi if j.unit == "rad" else 1.0
            low = np.maximum(model.lower[j.v], -half)
            high = np.minimum(model.upper[j.v], half)
            low, high = np.minimum(low, model.upper[j.v]), np.maximum(high, model.lower[j.v])
            q[j.q] = rng.uniform(low, np.maximum(high, low))
    return q
