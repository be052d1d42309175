"""The line style: what is drawn where, hidden lines, sheets over each other; footmarks over four steps."""

from __future__ import annotations

import numpy as np
import pytest

from asserts import asserts
from bunraku.draw.camera import look
from bunraku.gait1988.checks import progress
from bunraku.gait1988.library import flat
from bunraku.gait1988.line_figure import JOINTS, blocks, drawing, sheet
from bunraku.gait1988.plots import plot_footmarks
from bunraku.gait1988.solved_walk import Walk, historical_walk
from bunraku.gait1988.steps import posture, walk_on
from bunraku.gait1988.tables import path_csv
from bunraku.gait1988.twelve_bodies import D
from bunraku.gait1988.walker_solids import Look, strobe, times_of

CAMERA = look(np.array([0.1, -0.17, 0.8]), -90.0, 0.0, 6.0)
SIZE = (160, 200)


@asserts("1988/fig-7.1/solids")
def test_one_sphere_cubes_at_the_joints_prisms_for_the_rest(flat_walk: Walk) -> None:
    parts = blocks(flat_walk, 0.5)
    pose = posture(flat_walk, 0.5)
    assert sum(b.turn is None for b in parts) == 1
    cubes = [b for b in parts if b.turn is not None and np.ptp(b.half) == 0.0]
    assert len(cubes) == len(JOINTS)
    places = [pose.fixed(pose.places[body]) for body in JOINTS]
    np.testing.assert_allclose([c.centre for c in cubes], places)


def test_a_step_later_the_sides_are_exchanged(flat_walk: Walk) -> None:
    """Every block of time t + T is the mirror image, one step on, of a block of time t."""
    now, later = blocks(flat_walk, 0.5), blocks(flat_walk, 1.5)
    ahead = np.array([progress(flat_walk), 0.0, 0.0])
    for a, b in zip(now, later):
        mirror = a.centre * [1.0, -1.0, 1.0] + [0.0, -2.0 * D, 0.0] + ahead
        np.testing.assert_allclose(b.centre, mirror, atol=1e-12)
        if a.turn is not None and b.turn is not None:
            np.testing.assert_allclose(abs(b.turn), abs(a.turn), atol=1e-12)
            assert np.linalg.det(b.turn) == pytest.approx(1.0)


def test_lines_are_where_the_head_is(flat_walk: Walk) -> None:
    """The only lines in the rows of the head's middle are those of its outline, a circle of the right width."""
    head = next(b for b in blocks(flat_walk, 0.5) if b.turn is None)
    picture = sheet(flat_walk, 0.5, CAMERA, *SIZE)
    x, y = CAMERA.project(head.centre, *SIZE)
    top = CAMERA.project(head.centre + head.half[0] * CAMERA.up, *SIZE)
    dark = np.flatnonzero(picture[round(y)] < 128)
    assert abs(np.ptp(dark) - 2.0 * abs(y - top[1])) < 2.5
    assert abs(dark.mean() - x) < 1.5 and len(dark) < 8  # the inside is white: what is behind is hidden


def test_sheets_lie_over_each_other(flat_walk: Walk) -> None:
    """No figure hides another: where a single one has a line, the picture of both has one."""
    ends = (0.0, 1.0)
    one, two, both = (drawing(flat_walk, np.array(t), ends, CAMERA, SIZE) for t in ([0.2], [0.9], [0.2, 0.9]))
    assert both.shape == (200, 160, 3)
    dark = both[:, :, 0] < 200
    assert np.all(dark[one[:, :, 0] < 100]) and np.all(dark[two[:, :, 0] < 100])
    assert np.mean(both == 255) > 0.5


@asserts("1988/fig-7.8/shots")
def test_nine_shots_a_quarter_second_apart(flat_walk: Walk) -> None:
    """Fig. 7.8: 0 to 2 s every 0.25 s; nine heads beside each other over two steps."""
    times = times_of(0.0, 2.0, 0.25)
    assert len(times) == 9
    heads = np.array([next(b for b in blocks(flat_walk, float(t)) if b.turn is None).centre for t in times])
    assert heads[-1, 0] - heads[0, 0] == pytest.approx(2.0 * progress(flat_walk), abs=1e-6)
    picture = strobe(flat_walk, times, Look("right", style="stick", width=300, height=200))
    assert 0.02 < np.mean(picture < 128) < 0.4


@asserts("1988/fig-7.3/*", "1988/fig-3.1/*")
def test_zmp_and_footmarks_over_four_steps(report_walk: Walk) -> None:
    """Figs 3.1(b), 7.3: the ZMP stands under the foot that carries, at the case's places from its centre, every foot
    0.2766 m before the last one (section 6.2), on two tracks 0.34 m apart."""
    path = walk_on(report_walk, 4)
    for k in range(4):
        rows = path.step == k
        foot = path.bodies[rows][:, 11 if k % 2 == 0 else 10]
        np.testing.assert_allclose(foot[:, 0], k * progress(report_walk), atol=1e-12)
        np.testing.assert_allclose(path.zmp[rows, 0] - foot[:, 0], report_walk.zmp[path.row[rows]], atol=1e-12)
        np.testing.assert_allclose(path.zmp[rows, 1], foot[:, 1], atol=1e-12)
        np.testing.assert_allclose(foot[:, 1], -2.0 * D * (k % 2), atol=1e-12)
    assert progress(report_walk) == pytest.approx(0.2766, abs=1e-4)
    landing = [path.bodies[path.step == k][-1, 10 if k % 2 == 0 else 11, 0] for k in range(4)]
    np.testing.assert_allclose(np.diff(landing), 0.2766, atol=1e-4)
    head, *rows = path_csv(report_walk, 4).splitlines()
    assert head.endswith("zmp_x_m,zmp_y_m,zmp_z_m") and len(rows) == len(path.time)
    assert float(rows[0].split(",")[-3]) == -0.02


@asserts("1988/fig-7.2/t1")
def test_the_drawing_programs_shift_at_t1() -> None:
    """Fig. 7.2 adds BE2 from t = T1 on, while (as BIDYN has it) the row of T1 still has its origin at the old ZMP: the
    report's picture at exactly T1 stands BE2 = 20 mm too far ahead. Ours does not."""
    walk = historical_walk(flat("IV"))
    at = int(np.argmin(np.abs(walk.time - 0.2)))
    assert walk.zmp[at] == -0.02 and walk.zmp[at + 1] == 0.0
    listed = walk.bodies[at, 11, 0, 0] + 0.02  # X(12) of Fig. 7.2 at t = T1
    before = walk.bodies[at - 1, 11, 0, 0]
    assert listed - before == pytest.approx(0.02)
    feet = walk_on(walk, 1).bodies[:, 11, 0]
    assert np.ptp(feet) < 1e-12


def test_footmarks_are_a_picture(report_walk: Walk) -> None:
    assert plot_footmarks(report_walk)[:8] == b"\x89PNG\r\n\x1a\n"
