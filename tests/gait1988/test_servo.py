"""The drives: their powers add up to dE/dt, their energies to the change of energy, and passive arms only lose."""

from __future__ import annotations

import numpy as np
import pytest

from asserts import asserts
from bunraku.gait1988.flow import Flow
from bunraku.gait1988.library import flat
from bunraku.gait1988.rigid_model import bodies_at, chain
from bunraku.gait1988.servo import drives, energies
from bunraku.gait1988.shooting import solve
from bunraku.gait1988.solved_walk import Walk, exact_walk, sample_flow
from bunraku.gait1988.twelve_bodies import G


@pytest.mark.parametrize("which", ["flat_walk", "usual_walk", "free_walk"])
@asserts("1988/servo/power")
def test_powers_add_up_to_the_change_of_energy(which: str, request: pytest.FixtureRequest) -> None:
    """Sum of all drives' power = dE/dt to 1e-8 W (rounding), at every time."""
    walk: Walk = request.getfixturevalue(which)
    total = np.sum([drive.power for drive in drives(walk)], axis=0)
    assert np.abs(walk.power).max() > 50.0
    np.testing.assert_allclose(total, walk.power, atol=1e-8)


def energy(walk: Walk, row: int) -> float:
    """Kinetic plus potential energy, J."""
    figure = chain(walk.arms_free, walk.springs)
    total = 0.0
    for i, body in enumerate(bodies_at(figure, walk.coordinates[row], walk.zmp[row])):
        spin = np.reshape(body.turn, (3, 3)).T @ body.w
        total += 0.5 * figure.mass[i] * np.dot(body.velocity, body.velocity) + 0.5 * figure.inertia[i] @ spin**2
        total += figure.mass[i] * G * body.centre[2]
    return float(total)


def test_dedt_is_the_derivative_of_the_energy() -> None:
    """Central difference of E over 2e-4 s inside a piece; error dt^2 E'''/6, with |E'''| below 1e6 W/s2."""
    flow = Flow(flat())
    solution = solve(flow)
    dt = 1e-4
    for t in (0.11, 0.31, 0.612, 0.89):
        walk = sample_flow(flow, solution, np.array([t - dt, t, t + dt]))
        slope = (energy(walk, 2) - energy(walk, 0)) / (2.0 * dt)
        assert slope == pytest.approx(walk.power[1], abs=1e6 / 6.0 * dt**2 + 1e-7)


def test_work_is_the_change_of_energy() -> None:
    """Trapezium rule on 2001 samples: net work of all drives = E(T) - E(0)."""
    walk = exact_walk(flat(), samples=2001)
    net = sum(e.net for e in energies(walk).values())
    assert net == pytest.approx(energy(walk, -1) - energy(walk, 0), abs=2e-2)


@asserts("1988/servo/drives")
def test_angles_are_those_of_the_report(flat_walk: Walk) -> None:
    """left ankle b2, knee b1 - b2, hip -b1; right hip -r1, knee r1 - r2, ankle r2; trunk psi; ankle roll theta."""
    c = flat_walk.coordinates[:, :, 0]
    found = {d.name: d.angle for d in drives(flat_walk)}
    wanted = {
        "left_ankle": c[:, 3],
        "left_knee": c[:, 2] - c[:, 3],
        "left_hip": -c[:, 2],
        "right_hip": -c[:, 5],
        "right_knee": c[:, 5] - c[:, 6],
        "right_ankle": c[:, 6],
        "waist": c[:, 1],
        "left_ankle_roll": c[:, 0],
        "left_hip_roll": -c[:, 0],
        "right_hip_roll": c[:, 0],
        "right_ankle_roll": -c[:, 0],
    }
    assert list(found) == list(wanted)
    for name, angle in wanted.items():
        np.testing.assert_allclose(found[name], angle, atol=1e-15)
    for drive in drives(flat_walk):
        slope = np.gradient(drive.angle, flat_walk.time)[1:-1]
        assert np.abs(slope - drive.speed[1:-1]).max() < 0.05  # O(dt^2) and corners of the cubic pieces


def test_passive_arms_only_take_energy(free_walk: Walk) -> None:
    """A damped joint gives nothing: over a period each shoulder and elbow takes energy in."""
    work = energies(free_walk)
    for name in ("right_shoulder", "right_elbow", "left_shoulder", "left_elbow"):
        assert work[name].net < 0.0


@asserts("1988/arms/swing", "1988/arms/unknowns")
def test_free_arms_do_swing(free_walk: Walk) -> None:
    """Six unknowns: shoulders and elbows move by more than 10 degrees, and elbows bend forward on average."""
    assert Flow(flat(), arms_free=True).n == 12
    found = {d.name: np.degrees(d.angle) for d in drives(free_walk)}
    for name in ("right_shoulder", "left_shoulder", "right_elbow", "left_elbow"):
        assert np.ptp(found[name]) > 10.0
    assert found["right_elbow"].mean() < -10.0


def test_historical_drives(report_walk: Walk) -> None:
    """The waist and the rolls are within a seventh of the exact ones; the sagittal legs carry the report's errors
    (ankle: 43 N m)."""
    exact = {d.name: d.torque for d in drives(exact_walk(flat()))}
    for drive in drives(report_walk):
        if drive.name in ("waist", "left_ankle_roll", "left_hip_roll"):
            assert np.abs(drive.torque - exact[drive.name]).max() < np.abs(exact[drive.name]).max() / 7.0
    ankle = next(d.torque for d in drives(report_walk) if d.name == "left_ankle")
    assert np.abs(ankle - exact["left_ankle"]).max() > 30.0
