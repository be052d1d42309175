"""The state of a random generator as an array, so that a snapshot can hold it: (state, inc) of PCG64 in halves, then
its spare half draw.

Checked in tests/world/test_sensors.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bunraku.errors import InputError

HALF = (1 << 64) - 1


def packed(rng: np.random.Generator) -> np.ndarray:
    """(6,) int64, the bits of unsigned numbers."""
    s = _state(rng)
    a, b = s["state"]["state"], s["state"]["inc"]
    return np.array([a >> 64, a & HALF, b >> 64, b & HALF, s["has_uint32"], s["uinteger"]], dtype=np.uint64).view(
        np.int64
    )


def unpack(rng: np.random.Generator, numbers: np.ndarray) -> None:
    """Put a generator back to a packed state."""
    s, x = _state(rng), [int(k) for k in np.ascontiguousarray(numbers).view(np.uint64)]
    if x[4] > 1 or x[5] >> 32 or x[3] % 2 == 0:
        raise InputError("the state of the random generator is not one of PCG64.")
    s["state"] = {"state": x[0] << 64 | x[1], "inc": x[2] << 64 | x[3]}
    s["has_uint32"], s["uinteger"] = x[4], x[5]
    rng.bit_generator.state = s


def _state(rng: np.random.Generator) -> dict[str, Any]:
    s = dict(rng.bit_generator.state)
    if s["bit_generator"] != "PCG64":
        raise InputError(
            f"world.rng uses {s['bit_generator']}; snapshots know PCG64 only, as numpy.random.default_rng makes it."
        )
    return s
