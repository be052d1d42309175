"""Configurations: moving, comparing, drawing at random. q lives on a curved space: quaternions turn in their own (body)
axes.

`integrate(model, q, v, dt)` moves q along the constant rate v for dt; `difference(model, q0, q1)` is the rate that does
it in one second: integrate(q0, difference(q0, q1)) = q1. Both take one state or a batch (leading axis). Checked in
tests/model/test_configuration.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.errors import InputError
from bunraku.model.model import Model


def quaternions(model: Model) -> list[tuple[int, int]]:
    """(index into q, index into v) of every quaternion."""
    return [(j.iq + j.traits.adds, j.iv + j.traits.adds) for j in model.joints if j.nq > j.nv]


def linear(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """Indices into q and v of all coordinates that simply add."""
    iq, iv = [], []
    for j in model.joints:
        n = min(j.traits.adds, j.nv)
        iq += range(j.iq, j.iq + n)
        iv += range(j.iv, j.iv + n)
    return np.array(iq, dtype=int), np.array(iv, dtype=int)


def multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Quaternion product a b, wxyz, over leading axes."""
    aw, ax, ay, az = np.moveaxis(a, -1, 0)
    bw, bx, by, bz = np.moveaxis(b, -1, 0)
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        axis=-1,
    )


def exponential(w: np.ndarray) -> np.ndarray:
    """Quaternion of the rotation vector w [rad]."""
    half = 0.5 * np.linalg.norm(w, axis=-1, keepdims=True)
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * w], axis=-1)


def logarithm(q: np.ndarray) -> np.ndarray:
    """Rotation vector [rad] of a unit quaternion, the shorter way round."""
    q = np.where(q[..., :1] < 0, -q, q)
    n = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    small = n < 1e-12
    return np.where(small, 2.0, 2.0 * np.arctan2(n, q[..., :1]) / np.where(small, 1.0, n)) * q[..., 1:]


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
    iq, iv = linear(model)
    out[..., iq] += v[..., iv]
    for k, l in quaternions(model):
        x = multiply(out[..., k : k + 4], exponential(v[..., l : l + 3]))
        out[..., k : k + 4] = x / np.linalg.norm(x, axis=-1, keepdims=True)
    return out


def difference(model: Model, q0: np.ndarray, q1: np.ndarray) -> np.ndarray:
    """The rate v that leads from q0 to q1 in one second."""
    q0, q1 = np.asarray(q0, dtype=float), np.asarray(q1, dtype=float)
    _shaped(model, q0)
    _shaped(model, q1)
    shape = np.broadcast_shapes(q0.shape[:-1], q1.shape[:-1])
    out = np.zeros((*shape, model.nv))
    iq, iv = linear(model)
    out[..., iv] = q1[..., iq] - q0[..., iq]
    back = np.array([1.0, -1.0, -1.0, -1.0])
    for k, l in quaternions(model):
        out[..., l : l + 3] = logarithm(multiply(q0[..., k : k + 4] * back, q1[..., k : k + 4]))
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
