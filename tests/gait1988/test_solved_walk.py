"""Walks of both modes: shapes, sampling, units, refusals; listings and tables say what the arrays say."""

from __future__ import annotations

import io
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import bunraku.gait1988
from bunraku.errors import InputError, NoWalk, UnknownName
from bunraku.gait1988.flow import Flow
from bunraku.gait1988.library import flat
from bunraku.gait1988.listing import bidyn_listing, bidyn_rows, gait_listing, moma_listing, servo_listing
from bunraku.gait1988.shooting import solve
from bunraku.gait1988.solved_walk import Walk, exact_walk, historical_walk, sample_flow, solve_walk
from bunraku.gait1988.tables import moments_csv, path_csv, servo_csv, smooth_csv, walk_csv, walk_npz
from bunraku.gait1988.twelve_bodies import MASS, G


def test_force_is_the_acceleration_of_the_mass_centre(flat_walk: Walk) -> None:
    """Newton: F = sum m (a + g)."""
    wanted = G * np.einsum("i,nia->na", MASS, flat_walk.bodies[..., 2] + np.array([0.0, 0.0, G]))
    np.testing.assert_allclose(flat_walk.force, wanted, rtol=1e-12)


def test_samples_do_not_change_the_walk(flat_walk: Walk) -> None:
    """41 and 161 samples agree where they meet: the walk is integrated, not interpolated."""
    few = exact_walk(flat())
    np.testing.assert_allclose(few.coordinates, flat_walk.coordinates[::4], atol=1e-9)


def test_zmp_side_at_a_jump() -> None:
    """At t = 0.2 s the old ZMP holds; asked for the other side, the new one."""
    flow = Flow(flat())
    solution = solve(flow)
    before = sample_flow(flow, solution, np.array([0.0, 0.2, 1.0]))
    after = sample_flow(flow, solution, np.array([0.0, 0.2, 1.0]), after=True)
    np.testing.assert_allclose(before.zmp, [-0.02, -0.02, 0.0])
    np.testing.assert_allclose(after.zmp, [-0.02, 0.0, 0.0])
    np.testing.assert_allclose(before.theta, after.theta, atol=1e-12)


def test_time_and_angle_factors() -> None:
    """PER doubles the step time; SFO halves the angles."""
    slow = exact_walk(replace(flat(), time_factor=1.5, zmp=replace(flat().zmp, until=(0.3, 1.5))))
    assert slow.time[-1] == pytest.approx(1.5)
    small = exact_walk(replace(flat(), angle_factor=0.5))
    np.testing.assert_allclose(small.coordinates[:, 2, 0], 0.5 * exact_walk(flat()).coordinates[:, 2, 0], atol=1e-12)


def test_refusals() -> None:
    with pytest.raises(UnknownName, match=r"no mode 'exakt'\. Closest: 'exact'"):
        solve_walk(flat(), "exakt")
    with pytest.raises(InputError, match="mode exact only"):
        solve_walk(flat(), "historical", arms_free=True)
    with pytest.raises(InputError, match="41 rows"):
        solve_walk(flat(), "historical", samples=10)
    with pytest.raises(NoWalk, match="mode exact, which needs none"):
        historical_walk(flat(), start=np.array([0.007, 0.4, 0.7, 1.8]))


def test_listings(report_walk: Walk, flat_walk: Walk) -> None:
    """The printed first row of Fig. 6.2(c) appears; every listing has its rows."""
    text = bidyn_listing(report_walk)
    assert "SOLUTION FOUND IN 16 ITERATIONS" in text
    assert "ITERATION 16" in text
    row = text.split("(RAD/SEC**2)\n")[1].splitlines()[0].split()
    np.testing.assert_allclose([float(v) for v in row[:5]], [0.0, -0.0009, -0.0938, 0.7027, 2.3207], atol=1.1e-4)
    assert "ITERATION   4" in bidyn_listing(flat_walk)
    assert gait_listing(flat()).count("\n") > 160
    moma = moma_listing(report_walk)
    assert moma.count("TRANSLATION TORQUES") == 41
    assert "8.99440E-01" in moma  # Fig. 6.3(b): TQX of joint 1 is 0.89944E+00
    assert "LEFT_HIP_ROLL" in servo_listing(flat_walk)
    assert bidyn_rows(flat_walk).shape == (161, 10)


def test_exact_torque_tables_add_up(flat_walk: Walk) -> None:
    """TOTAL = TRANSLATION - ROTATION, and TOTAL = -moments / g."""
    from bunraku.gait1988.listing import torque_tables

    translation, rotation, total = torque_tables(flat_walk)
    np.testing.assert_allclose(total, translation - rotation, atol=1e-12)
    np.testing.assert_allclose(-G * total, flat_walk.moments, atol=1e-12)
    np.testing.assert_allclose(rotation[:, 5], 0.0, atol=1e-9)  # a level foot does not turn


def test_tables(flat_walk: Walk) -> None:
    for text, columns in (
        (smooth_csv(flat()), 19),
        (walk_csv(flat_walk), 11),
        (moments_csv(flat_walk), 1 + 21 + 108),
        (servo_csv(flat_walk), 1 + 44),
        (path_csv(flat_walk, 3), 3 + 36 + 3),
    ):
        lines = text.splitlines()
        assert all(len(line.split(",")) == columns for line in lines)
    values = np.genfromtxt(io.StringIO(walk_csv(flat_walk)), delimiter=",", names=True)
    np.testing.assert_allclose(values["psi_rad"], flat_walk.psi, rtol=1e-9)
    data = np.load(io.BytesIO(walk_npz(flat_walk)), allow_pickle=False)
    np.testing.assert_array_equal(data["moments"], flat_walk.moments)
    assert str(data["mode"]) == "exact"


def test_the_sentence_of_the_manual_works() -> None:
    """`import bunraku.gait1988` gives the parts when asked for, and loads neither them nor numpy and numba before."""
    code = (
        "import sys\n"
        "import bunraku.gait1988\n"
        "print([m for m in sys.modules if m.startswith('bunraku.gait1988.') or m in ('numpy', 'numba')])\n"
        "walk = bunraku.gait1988.solved_walk.solve_walk(bunraku.gait1988.library.flat())\n"
        "print(type(walk).__name__, walk.time.shape)\n"
        "print(set(bunraku.gait1988.__all__) <= set(dir(bunraku.gait1988)))\n"
        "print([type(getattr(bunraku.gait1988, name)).__name__ for name in bunraku.gait1988.__all__].count('module'))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    parts = len(bunraku.gait1988.__all__)
    assert done.stdout.splitlines() == ["[]", "Walk (41,)", "True", str(parts)]
    with pytest.raises(AttributeError, match="no attribute 'walkk'"):
        _ = bunraku.gait1988.walkk


def test_bad_starts() -> None:
    for start in (np.array([np.nan, 0.0, 0.0, 0.0]), np.array([0.0, 0.0, np.inf, 0.0])):
        for mode in ("exact", "historical"):
            with pytest.raises(InputError, match="start must be finite"):
                solve_walk(flat(), mode, start=start)
    with pytest.raises(InputError, match="wanted 12 numbers"):
        exact_walk(flat(), arms_free=True, start=np.zeros(4))
