"""The twin is the figure, in other coordinates."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.dynamics.functions import kinematics
from bunraku.gaits.gait import walking_twin
from bunraku.gaits.hinge_twin import swapped
from draws import fresh_rng


@pytest.fixture(scope="module")
def twin():
    return walking_twin(1.7, 69.0)


def test_links_are_where_the_figure_has_them(twin):
    Q = fresh_rng().uniform(-0.5, 0.5, (20, twin.model.nv))
    ours, figures = kinematics(twin.model, Q), kinematics(twin.figure, twin.figure_q(Q))
    for link in twin.figure.description.links:
        for a, b in zip(ours.pose(link.name), figures.pose(link.name)):
            assert np.abs(a - b).max() < 1e-12, link.name


def test_energy_is_the_figures(twin):
    """Kinetic energy of the twin at rates v is that of the figure at the rates that differences give."""
    rng = fresh_rng()
    Q, V = rng.uniform(-0.5, 0.5, (2, twin.model.nv))
    h = 1e-5
    before, after = twin.figure_q(np.array([Q - h * V, Q + h * V]))
    q, v = twin.figure_q(Q)[0], bk.difference(twin.figure, before, after) / (2 * h)
    mine, whole = bk.centroidal(twin.model, Q, V), bk.centroidal(twin.figure, q, v)
    assert mine.kinetic == pytest.approx(whole.kinetic, rel=1e-7)
    assert mine.angular == pytest.approx(whole.angular, abs=1e-6)


def test_mirrored_poses_are_mirrored(twin):
    """The mirrored pose has every link of one side where the other's was, y turned round."""
    place, sign = twin.mirror
    Q = fresh_rng().uniform(-0.5, 0.5, twin.model.nv)
    here, there = (kinematics(twin.model, x) for x in (Q, sign * Q[place]))
    for link in twin.figure.description.links:
        other = swapped(link.name)
        assert here.pose(link.name)[0] * [1, -1, 1] == pytest.approx(there.pose(other)[0], abs=1e-12), link.name
    assert np.array_equal(place[place], np.arange(len(place))) and np.array_equal(
        sign * sign[place], np.ones(len(sign))
    )
