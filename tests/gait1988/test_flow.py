"""The extrapolation integrator against scipy's DOP853, its order, and pieces at the ZMP's jumps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from bunraku.errors import InputError
from bunraku.gait1988.flow import Flow
from bunraku.gait1988.library import flat
from bunraku.gait1988.zmp import Zmp

START = np.array([0.0, -0.08, 0.7, 2.2])


def reference(flow: Flow, start: np.ndarray) -> np.ndarray:
    """The same right-hand side through scipy, piece by piece."""
    x = start.copy()
    for piece in range(flow.pieces):

        def right(s: float, y: np.ndarray, piece: int = piece) -> np.ndarray:
            return flow.rate(piece, s, y) * flow.h

        span = (flow.frac0[piece], flow.frac1[piece])
        x = solve_ivp(right, span, x, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    return x


def test_agrees_with_dop853() -> None:
    """A step of walking multiplies errors by about 30; DOP853 is asked for 1e-12."""
    flow = Flow(flat())
    end = flow.advance(START, 0, flow.pieces)
    assert end is not None
    np.testing.assert_allclose(end, reference(flow, START), atol=2e-9)


def test_free_arms_agree_with_dop853() -> None:
    flow = Flow(flat(), arms_free=True)
    start = np.zeros(12)
    start[[0, 1, 6, 7]] = START
    end = flow.advance(start, 0, flow.pieces)
    assert end is not None
    np.testing.assert_allclose(end, reference(flow, start), atol=5e-9)


def test_order_grows_with_the_levels() -> None:
    """1, 2, 3, 4 levels: order 2, 4, 6, 8 at a step of 0.025 s."""
    flow = Flow(flat())
    best = flow.advance(START, 0, flow.pieces)
    assert best is not None
    errors = []
    for levels in (1, 2, 3):
        end = flow.advance(START, 0, flow.pieces, levels)
        assert end is not None
        errors.append(np.abs(end - best).max())
    assert errors[0] < 0.1
    assert errors[1] < errors[0] / 50.0
    assert errors[2] < errors[1] / 50.0


def test_pieces_are_cut_where_the_zmp_jumps() -> None:
    """A jump off the time steps cuts an interval; crossing in two parts gives the same as the exact instant asks."""
    gait = replace(flat(), zmp=Zmp((0.213, 1.0), (-0.02, 0.0)))
    flow = Flow(gait)
    assert flow.pieces == 41
    assert np.isclose(flow.time, 0.213).any()
    end = flow.advance(START, 0, flow.pieces)
    assert end is not None
    np.testing.assert_allclose(end, reference(flow, START), atol=2e-9)


def test_partway_meets_the_whole() -> None:
    flow = Flow(flat())
    whole = flow.advance(START, 0, 1)
    assert whole is not None
    np.testing.assert_allclose(flow.partway(START, 0, 1.0), whole, atol=1e-14)


def test_mirror_twice_is_nothing() -> None:
    for arms_free in (False, True):
        flow = Flow(flat(), arms_free=arms_free)
        x = np.arange(1.0, flow.n + 1.0)
        np.testing.assert_array_equal(flow.mirror(flow.mirror(x)), x)


def test_wrong_size_is_refused() -> None:
    with pytest.raises(InputError, match="4 numbers"):
        Flow(flat()).advance(np.zeros(5), 0, 1)
