"""Stabiliser: a walking figure kept on its feet by what it feels: an IMU on the base, force sensors in the feet, encoders at the joints.

Each period (default 4 ms):
    estimate     base, centre of mass c, capture point x = c + c'/w,  w^2 = g / height          (control.state_estimate)
    reference    plan at the clock, shifted to where the feet really stand                       (control.stepping)
    pressure     p = z_ref + (1 + k)(x - x_ref) + k_i s,   s' = x - x_ref                         eq. (20) of Caron, Kheddar, Tempier 2019, capture-point form
                 of Kajita and others 2010; p is held in the soles, up to `lean` beyond: there the body bends at the hips
    damping      c'' = w^2 (c - p) in the level, spring and damper about the plan's height
    sharing      p divided between the feet and inside each of them                              (control.balance_problem)
    uprightness  pelvis and trunk turn back to the plan's attitude; spin about the centre of mass is damped
    landing      the swinging foot gives way: its task ends with the first felt weight; a late ground is searched for
    stepping     the landing place and time follow the capture point; a figure that stands takes reserve steps when it must
    torques      of the whole-body problem: they carry the weight and make these accelerations

Torques alone act: no servo holds the joints, so rubber under the feet or a bump changes the motion little. All it knows of the world's state is what its
instruments read; its own state is a dict of plain values, so that snapshots continue bit for bit. Checked in tests/control/test_stabiliser.py.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bunraku.control.balance_problem import BalanceProblem
from bunraku.control.state_estimate import Instruments, StateEstimate
from bunraku.control.stepping import Reach, Stepping
from bunraku.control.walking_plan import (
    COM,
    COM_RATE,
    FOOT,
    FOOT_ACC,
    FOOT_RATE,
    LOAD,
    SPIN,
    TURN,
    ZMP,
    FootLike,
    WalkingPlan,
)
from bunraku.errors import InputError
from bunraku.model.model import Model

if TYPE_CHECKING:
    from bunraku.world.figure import Figure
    from bunraku.world.world import World


@dataclass(frozen=True)
class Gains:
    """Of the stabiliser; rates in 1/s. `capture` k, `integral` [1/s]; pairs are (spring [1/s^2], damper [1/s]) of accelerations; weights are those
    of the whole-body problem; `lean` [m] beyond the soles; `steps`: landing places may move; `friction` that it counts on."""

    capture: float = 2.0
    integral: float = 1.0
    height: tuple[float, float] = (80.0, 18.0)
    body: tuple[float, float] = (150.0, 25.0)
    foot: tuple[float, float] = (600.0, 50.0)
    posture: tuple[float, float] = (100.0, 20.0)
    hold: tuple[float, float] = (0.0, 10.0)  # of the corners that stand
    weight_force: float = 1e4
    weight_height: float = 2e3
    weight_spin: float = 20.0
    weight_body: float = 500.0
    weight_foot: float = 2e3
    weight_posture: float = 2.0
    weight_share: float = 1e-4
    lean: float = 0.02
    spin: float = 4.0
    margin: float = 0.01
    steps: bool = True
    friction: float = 0.6


class Stabiliser:
    """A controller: `world.add_controller(Stabiliser(…))`. See the module text."""

    name = "stabiliser"

    def __init__(
        self,
        world: World,
        figure: Figure,
        model: Model,
        feet: tuple[FootLike, FootLike],
        trunk: str,
        plan: WalkingPlan,
        *,
        gains: Gains | None = None,
        period: float = 0.004,
        reserve: tuple[WalkingPlan, WalkingPlan] | None = None,
        sensors: dict[str, Any] | None = None,
    ) -> None:
        self.every = round(period / world.dt)
        if self.every < 1 or abs(self.every * world.dt - period) > 1e-9:
            raise InputError(f"stabiliser: its period {period} s is not a multiple of the world's step {world.dt} s.")
        self.figure, self.model, self.feet, self.period = figure, model, feet, period
        self.gains = gains or Gains()
        self.main, self.reserve = plan, reserve
        self.instruments = Instruments(world, figure, model, feet, **(sensors or {}))
        self.estimate = StateEstimate(self.instruments, model, feet, period, plan.q[0])
        self.weight = self.estimate.weight
        length = plan.rows[0, COM + 2] - plan.rows[0, ZMP + 2]
        width = max(f.half[1] for f in feet)
        near = 2 * width + 0.02
        self.stepping = Stepping(plan, self.weight, Reach(0.5 * length, near, max(0.5 * length, near)), period)
        self.stepping.adapt = self.gains.steps
        self.problem = BalanceProblem(model, feet, trunk, self.gains.friction)
        names = [j for j in model.joints if j.nv and j.kind != "free"]
        self.from_v = np.concatenate([np.arange(j.iv, j.iv + j.nv) for j in names])
        self.to_v = np.concatenate([np.arange(j.iv, j.iv + j.nv) for j in map(figure.model.joint, (j.name for j in names))])
        self.posture_weight = np.full(model.nv, self.gains.weight_posture)
        self.sum = np.zeros(2)
        self.moved: tuple[int, float, list[float]] | None = None  # reserve plan in use: side, yaw, shift
        self.kept_clock = 0.0
        self.error = np.zeros(2)  # of the capture point
        self.pressure = plan.rows[0, ZMP : ZMP + 2].copy()
        self.calls = 0

    def __call__(self, world: World) -> None:
        """Set the figure's torques, once a period."""
        if round(world.time / world.dt) % self.every == 0:
            self.figure.tau[self.to_v] = self.torques()[self.from_v]

    # ---- one period ----------------------------------------------------------------------------------------------------------

    def torques(self) -> np.ndarray:
        """(nv) of the rigid model."""
        e, s, g = self.estimate, self.stepping, self.gains
        e.update(s.standing)
        self.calls += 1
        soles = e.position[e.bodies] + np.einsum("kij,kj->ki", e.rotation[e.bodies], e.soles)
        _, landed = s.lift_and_land(e.load)
        k, part = s.row()
        rows = s.plan.rows
        row = (1.0 - part) * rows[k] + part * rows[k + 1]
        if landed >= 0:
            e.land(landed, float(row[FOOT + 3 * landed + 2]))
            s.found(landed, soles[landed, :2])
        height = max(float(e.com[2] - row[ZMP + 2]), 0.2)
        omega = (self.weight / self.model.mass / height) ** 0.5
        zmp_shift, capture_shift, _ = s.shifts(row, omega)
        capture = e.com[:2] + e.com_rate[:2] / omega
        wanted = row[COM : COM + 2] + row[COM_RATE : COM_RATE + 2] / omega * s.rate + capture_shift
        error = capture - wanted
        self.error = error
        self.sum = np.clip(self.sum * (1 - 0.5 * self.period) + self.period * error, -0.05, 0.05)
        zmp = row[ZMP : ZMP + 2] + zmp_shift
        pressure = zmp + (1.0 + g.capture) * error + g.integral * self.sum
        pressure, share, inside = self.into_soles(pressure, soles)
        self.pressure = pressure
        if self.reserve is not None and s.swing < 0:
            self.step_out_if_needed(capture, soles)
        if s.swing >= 0:
            stand = 1 - s.plan.swings[s.swing][0]
            axes = level_axes(e.rotation[e.bodies[stand]] @ self.feet[stand].rotation)
            room = np.maximum(np.asarray(self.feet[stand].half) - 0.02, 0.0)
            s.catch(error, room, axes, omega)
        self.fill(k, row, soles, omega, pressure, share, inside)
        tau = self.solve(omega, pressure, row)
        s.advance()
        return tau

    def into_soles(self, p: np.ndarray, soles: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(pressure held in the soles that stand, each foot's share, each foot's own pressure in its axes)."""
        e, s, margin = self.estimate, self.stepping, self.gains.margin
        inside = np.zeros((2, 2))
        if s.standing.all():
            way = soles[1, :2] - soles[0, :2]
            t = float(np.clip((p - soles[0, :2]) @ way / max(float(way @ way), 1e-9), 0.0, 1.0))
            share = np.array([1.0 - t, t])
            middle = soles[0, :2] + t * way
        else:
            share = s.standing.astype(float)
            middle = soles[int(not s.standing[0]), :2]
        if not s.standing.any():
            return p, share, inside
        main = int(share[1] > share[0])
        axes = level_axes(e.rotation[e.bodies[main]] @ self.feet[main].rotation)
        half = np.maximum(np.asarray(self.feet[main].half) - margin, 0.005)
        local = axes.T @ (p - middle)
        held = np.clip(local, -half, half)
        for side in (0, 1):
            inside[side] = held
        beyond = np.clip(local - held, -self.gains.lean, self.gains.lean)
        return middle + axes @ (held + beyond), share, inside

    def fill(
        self,
        k: int,
        row: np.ndarray,
        soles: np.ndarray,
        omega: float,
        pressure: np.ndarray,
        share: np.ndarray,
        inside: np.ndarray,
    ) -> None:
        """Posture, contacts and tasks into the problem's arrays."""
        e, s, g, problem = self.estimate, self.stepping, self.gains, self.problem
        q, v = e.q, e.v
        spring, damper = g.posture
        wanted = spring * problem.posture_error(q, s.plan.q[k]) + damper * (s.rate * s.plan.v[k] - v)
        problem.put_posture(q, v, wanted, self.posture_weight)
        normals, corners = np.zeros((2, 3)), np.zeros((2, 4, 3))
        for side in (0, 1):
            body = e.bodies[side]
            R = e.rotation[body]
            goal = s.plan.foot_rotation[k, side]
            normals[side] = (goal @ self.feet[side].rotation)[:, 2]
            if s.standing[side]:
                turn = g.hold[0] * turn_error(R, goal)
                turn -= turn @ normals[side] * normals[side]
                alpha = turn - g.hold[1] * e.twist[body, 3:]
                arm = (problem.corners[side] - e.soles[side]) @ R.T
                corners[side] = np.cross(alpha, arm)
        problem.put_contacts(s.standing, normals, share, inside, self.weight, corners, g.weight_share)
        spring, damper = g.body
        for n, body in enumerate(problem.bodies):
            wanted = np.zeros(6)
            spin = s.rate * row[TURN + 3 * n : TURN + 3 * n + 3]
            wanted[3:] = spring * turn_error(e.rotation[body], s.plan.body_rotation[k, n]) + damper * (
                spin - e.twist[body, 3:]
            )
            problem.put_task(n, body, np.zeros(3), wanted, np.repeat([0.0, g.weight_body], 3))
        self.tasks = 2
        if s.swing >= 0:
            side = s.plan.swings[s.swing][0]
            body = e.bodies[side]
            shift, rate = s.foot_shift()
            shift[2] += float(soles[1 - side, 2] - row[FOOT + 3 * (1 - side) + 2])
            spring, damper = g.foot
            wanted = np.zeros(6)
            arm = e.rotation[body] @ e.soles[side]
            speed = e.twist[body, :3] + np.cross(e.twist[body, 3:], arm)
            a, b, c, d = (x + 3 * side for x in (FOOT, FOOT_RATE, FOOT_ACC, SPIN))
            wanted[:3] = (
                s.rate**2 * row[c : c + 3]
                + spring * (row[a : a + 3] + shift - soles[side])
                + damper * (s.rate * row[b : b + 3] + rate - speed)
            )
            wanted[3:] = spring * turn_error(e.rotation[body], s.plan.foot_rotation[k, side]) + damper * (
                s.rate * row[d : d + 3] - e.twist[body, 3:]
            )
            problem.put_task(2, body, e.soles[side], wanted, np.full(6, g.weight_foot))
            self.tasks = 3

    def solve(self, omega: float, pressure: np.ndarray, row: np.ndarray) -> np.ndarray:
        """Torques for the wanted force on the centre of mass."""
        e, g, mass = self.estimate, self.gains, self.model.mass
        momentum, weight = np.zeros(6), np.zeros(6)
        momentum[:2] = mass * omega**2 * (e.com[:2] - pressure)
        spring, damper = g.height
        lift = spring * (row[COM + 2] - e.com[2]) + damper * (row[COM_RATE + 2] - e.com_rate[2])
        momentum[2] = self.weight + mass * float(np.clip(lift, -6.0, 6.0))
        momentum[3:] = -g.spin * e.spin
        weight[:2], weight[2] = g.weight_force / mass**2, g.weight_height / mass**2
        weight[3:] = g.weight_spin / (0.15 * mass) ** 2
        return self.problem.solve(self.tasks, momentum, weight)

    # ---- reserve steps -------------------------------------------------------------------------------------------------------

    def step_out_if_needed(self, capture: np.ndarray, soles: np.ndarray) -> None:
        """Where the figure stands and the capture point leaves its soles: begin the reserve steps; after them, go on with the plan."""
        s = self.stepping
        k, _ = s.row()
        if self.moved is not None and k >= len(s.plan) - 2:
            self.take_up(None)
            return
        if any(0 < lift - k < 0.4 / s.plan.dt for _, lift, _ in s.plan.swings) or not s.standing.all():
            return
        way = soles[1, :2] - soles[0, :2]
        t = float(np.clip((capture - soles[0, :2]) @ way / max(float(way @ way), 1e-9), 0.0, 1.0))
        R = self.estimate.rotation[self.estimate.bodies[0]] @ self.feet[0].rotation
        axes = level_axes(R)
        local = axes.T @ (capture - soles[0, :2] - t * way)
        half = np.asarray(self.feet[0].half)
        if np.all(np.abs(local) < half - 0.02):
            return
        if abs(local[1]) > half[1] - 0.02:
            side = 0 if local[1] > 0 else 1
        else:
            side = int(self.estimate.load[1] < self.estimate.load[0])
        self.take_up(side)

    def take_up(self, side: int | None) -> None:
        """Play the reserve steps that begin with `side`, from its lift on; None: the main plan again."""
        s = self.stepping
        e = self.estimate
        soles = e.position[e.bodies] + np.einsum("kij,kj->ki", e.rotation[e.bodies], e.soles)
        if side is None:
            s.plan, s.clock, self.moved = self.main, self.kept_clock, None
        else:
            assert self.reserve is not None
            if self.moved is None:
                self.kept_clock = s.clock
            plan = self.reserve[side]
            goal = level_axes(e.rotation[e.bodies[0]] @ self.feet[0].rotation)
            here = level_axes(plan.foot_rotation[0, 0] @ self.feet[0].rotation)
            turn = goal @ here.T
            yaw = float(np.arctan2(turn[1, 0], turn[0, 0]))
            middle = 0.5 * (plan.rows[0, FOOT : FOOT + 3] + plan.rows[0, FOOT + 3 : FOOT + 6])
            now = soles.mean(axis=0)
            shift = np.array([*(now[:2] - turn @ middle[:2]), now[2] - middle[2]])
            self.moved = (side, yaw, shift.tolist())
            s.plan = self.moved_plan()
            s.clock = s.plan.swings[0][1] * s.plan.dt
        k, _ = s.row()
        for foot in (0, 1):
            s.found(foot, soles[foot, :2])

    def moved_plan(self) -> WalkingPlan:
        """The reserve plan in use."""
        assert self.moved is not None and self.reserve is not None
        side, yaw, shift = self.moved
        c, d = np.cos(yaw), np.sin(yaw)
        return self.reserve[side].moved(np.array([[c, -d, 0], [d, c, 0], [0, 0, 1.0]]), np.array(shift))

    # ---- state ---------------------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """All that affects the next period."""
        return {
            "estimate": self.estimate.state(),
            "stepping": self.stepping.state(),
            "problem": self.problem.state(),
            "sum": self.sum.tolist(),
            "moved": None if self.moved is None else [self.moved[0], self.moved[1], list(self.moved[2])],
            "kept_clock": self.kept_clock,
            "gains": asdict(self.gains),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go back to a state."""
        self.moved = None if state["moved"] is None else (int(state["moved"][0]), float(state["moved"][1]), state["moved"][2])
        self.stepping.plan = self.main if self.moved is None else self.moved_plan()
        self.kept_clock = float(state["kept_clock"])
        self.estimate.restore(state["estimate"])
        self.stepping.restore(state["stepping"])
        self.problem.restore(state["problem"])
        self.sum = np.array(state["sum"], dtype=float)


def level_axes(R: np.ndarray) -> np.ndarray:
    """(2, 2): ahead and left of a sole, seen from above."""
    x, y = R[0, 0], R[1, 0]
    n = max((x * x + y * y) ** 0.5, 1e-9)
    return np.array([[x / n, -y / n], [y / n, x / n]])


def turn_error(R: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """Rotation vector (of small turns) from R to goal, world axes: the axial part of goal R'."""
    E = goal @ R.T
    return 0.5 * np.array([E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]])
