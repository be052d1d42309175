"""Stabiliser: a walking figure kept on its feet by what it feels: an IMU on the base, force sensors in the feet, encoders at the joints.

Each period (default 4 ms):
    estimate     base, centre of mass c, capture point x = c + c'/w,  w^2 = g / height        (control.state_estimate)
    reference    plan at the clock, shifted to where the feet really stand                     (control.stepping)
    pressure     p = z_ref + (1 + k)(x - x_ref) + k_i s,   s' = x - x_ref                       (Caron, Kheddar, Tempier 2019; in terms of the
                 centre of mass Kajita and others 2010); p is held in the soles, up to `lean` beyond: there the body bends at the hips
    damping      c'' = w^2 (c - p) in the level, spring and damper about the plan's height
    sharing      p divided between the feet and inside each of them                            (control.balance_kernel)
    uprightness  pelvis and trunk turn back to the plan's attitude; spin about the centre of mass is damped
    landing      the swinging foot gives way: its task ends with the first felt weight; a late ground is searched for
    stepping     the landing place and time follow the capture point; a figure that stands takes reserve steps when it must
    torques      of the whole-body problem: they carry the weight and make these accelerations
Torques alone act: no servo holds the joints, so rubber under the feet or a bump changes the motion little. All it knows of the world's state is
what its instruments read; its own state is a dict of plain values, so that snapshots continue bit for bit.
Checked in tests/control/test_stabiliser.py.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bunraku.control import balance_arrays as b
from bunraku.control import whole_body_arrays as at
from bunraku.control.balance_kernel import act
from bunraku.control.state_estimate import Instruments, StateEstimate
from bunraku.control.stepping import FAST, Reach, Stepping
from bunraku.control.walking_plan import COM, COM_RATE, FOOT, ZMP, FootLike, WalkingPlan
from bunraku.errors import InputError
from bunraku.model.layout import MASS
from bunraku.model.model import Model

if TYPE_CHECKING:
    from bunraku.world.figure import Figure
    from bunraku.world.world import World


SOLVER = {"y": at.W_Y, "acts": at.W_STATE, "multipliers": at.W_LAM, "cones": at.W_CONE, "bodies": at.W_CONTACT_BODY}

RISE = 0.25  # m/s: how fast the centre of mass goes back to its height after legs were stretched


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

    def as_set(self) -> list[float]:
        """In the order of balance_arrays.B_SET."""
        pairs = [*self.body, *self.foot, *self.posture, *self.hold, self.spin]
        weights = [self.weight_force, self.weight_height, self.weight_spin, self.weight_body, self.weight_foot]
        return [*pairs, *weights, self.weight_posture, self.weight_share]


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
        self.room = b.BalanceRoom(model, feet, trunk, self.gains.friction)
        self.room.w[b.B_SET][:] = self.gains.as_set()
        self.estimate = StateEstimate(self.instruments, self.room, model, feet, period, plan.q[0])
        self.mass = model.mass
        self.foot_mass = float(max(model.reals[f.body, MASS] for f in feet))
        self.weight = self.estimate.weight
        length = plan.rows[0, COM + 2] - plan.rows[0, ZMP + 2]
        width = max(f.half[1] for f in feet)
        near = 2 * width + 0.02
        self.stepping = Stepping(plan, self.weight, Reach(0.6 * length, near, max(0.6 * length, near)), period)
        names = [j for j in model.joints if j.nv and j.kind != "free"]
        self.from_v = np.concatenate([np.arange(j.iv, j.iv + j.nv) for j in names])
        self.to_v = np.concatenate(
            [np.arange(j.iv, j.iv + j.nv) for j in map(figure.model.joint, (j.name for j in names))]
        )
        self.sum = np.zeros(2)
        self.moved: tuple[int, float, list[float]] | None = None  # reserve plan in use: side, yaw, shift
        self.kept_clock = 0.0
        self.error = np.zeros(2)  # of the capture point
        self.pressure = plan.rows[0, ZMP : ZMP + 2].copy()
        self.halves = [np.asarray(f.half, dtype=float) for f in feet]

    def __call__(self, world: World) -> None:
        """Set the figure's torques, once a period."""
        if round(world.time / world.dt) % self.every == 0:
            self.figure.tau[self.to_v] = self.torques()[self.from_v]

    # ---- one period ----------------------------------------------------------------------------------------------------------

    def torques(self) -> np.ndarray:
        """(nv) of the rigid model."""
        e, s, g = self.estimate, self.stepping, self.gains
        e.update(s.standing)
        seen = e.seen
        soles = seen[b.OF_SOLE :].reshape(2, 2, 3)[:, 0]
        swung = self.foot_mass * abs(float(self.room.w[at.W_TASK][2, at.WANTED + 2])) if s.swing >= 0 else 0.0
        lifted, landed = s.lift_and_land(e.load, soles[:, 2], swung)
        if lifted >= 0:
            e.fresh[lifted] = False
        k, row = s.reference()
        if landed >= 0:
            s.found(landed, soles[landed, :2])
            e.land(landed, float(s.plan.rows[s.landing(), FOOT + 3 * landed + 2]))
        for side in (0, 1):
            if e.firm(side, s.standing):
                s.found(side, soles[side, :2])
        com, rate = seen[b.COM : b.COM + 3], seen[b.COM_RATE : b.COM_RATE + 3]
        omega = (self.weight / self.mass / max(float(com[2] - row[ZMP + 2]), 0.2)) ** 0.5
        capture = com[:2] + rate[:2] / omega
        if self.reserve is not None and s.swing < 0 and self.step_out_if_needed(capture, soles):
            k, row = s.reference()
        zmp_shift, capture_shift = s.shifts(row, omega)
        wanted = row[COM : COM + 2] + row[COM_RATE : COM_RATE + 2] / omega + capture_shift
        error = self.error = capture - wanted
        self.sum = np.minimum(np.maximum((1 - 0.5 * self.period) * self.sum + self.period * error, -0.05), 0.05)
        pressure = row[ZMP : ZMP + 2] + zmp_shift + (1.0 + g.capture) * error + g.integral * self.sum
        self.mind_the_step(error, capture, soles, omega)
        self.ask(k, row, soles, self.into_soles(pressure, soles), omega)
        act.call(self.room.table.handle)
        s.advance()
        return self.room.w[at.W_TAU]

    def mind_the_step(self, error: np.ndarray, capture: np.ndarray, soles: np.ndarray, omega: float) -> None:
        """Where the foot in the air shall land; whether the next one may leave the ground."""
        s = self.stepping
        if not self.gains.steps:
            return
        if s.swing >= 0:
            s.held = 0.0
            stand = 1 - s.plan.swings[s.swing][0]
            s.catch(error, np.maximum(self.halves[stand] - 0.02, 0.0), self.axes(stand), omega)
            return
        beyond = float(np.max(self.outside(capture, soles)))
        s.rate = FAST if beyond > 0.0 else 1.0  # to the next step, if there is one
        if beyond < self.gains.lean and s.due() >= 0:
            s.consider(error)
        else:
            s.held = 0.0

    def axes(self, side: int) -> np.ndarray:
        """(2, 2): ahead and left of a sole, seen from above."""
        n = b.OF_BODY + b.BODY_SIZE * side + b.TURN
        return level_axes(self.estimate.seen[n : n + 9].reshape(3, 3) @ self.feet[side].rotation)

    def outside(self, point: np.ndarray, soles: np.ndarray) -> np.ndarray:
        """How far a point is beyond the soles of both feet and the ground between them, along and across (2) [m]; below 0 inside."""
        way = soles[1, :2] - soles[0, :2]
        t = min(max(float((point - soles[0, :2]) @ way) / max(float(way @ way), 1e-9), 0.0), 1.0)
        return np.abs((point - soles[0, :2] - t * way) @ self.axes(0)) - self.halves[0]

    def into_soles(self, p: np.ndarray, soles: np.ndarray) -> np.ndarray:
        """The pressure held in the soles that stand, and `lean` beyond; each foot's share and its own pressure go into the problem's arrays."""
        s, ask, lean = self.stepping, self.room.w[b.B_ASK], self.gains.lean
        t = float(s.standing[1])
        if s.standing[0] and s.standing[1]:
            way = soles[1, :2] - soles[0, :2]
            t = min(max(float((p - soles[0, :2]) @ way) / max(float(way @ way), 1e-9), 0.0), 1.0)
        middle = soles[0, :2] + t * (soles[1, :2] - soles[0, :2])
        main = int(t > 0.5)
        axes = self.axes(main)
        half = np.maximum(self.halves[main] - self.gains.margin, 0.005)
        local = (p - middle) @ axes
        held = np.minimum(np.maximum(local, -half), half)
        ask[b.PART : b.PART + 2] = 1.0 - t, t
        ask[b.INSIDE : b.INSIDE + 2] = ask[b.INSIDE + 2 : b.INSIDE + 4] = held
        return middle + axes @ (held + np.minimum(np.maximum(local - held, -lean), lean))

    def ask(self, k: int, row: np.ndarray, soles: np.ndarray, pressure: np.ndarray, omega: float) -> None:
        """What the figure shall do now, into the problem's arrays."""
        s, w, seen, plan = self.stepping, self.room.w, self.estimate.seen, self.stepping.plan
        self.pressure = pressure
        ask = w[b.B_ASK]
        w[b.B_ROW][:] = row
        w[b.B_TURNS][:18], w[b.B_TURNS][18:] = plan.foot_rotation[k].ravel(), plan.body_rotation[k].ravel()
        w[b.B_GOAL_Q][:], w[b.B_GOAL_V][:] = plan.q[k], plan.v[k]
        spring, damper = self.gains.height
        rise = min(max(spring / damper * float(row[COM + 2] - seen[b.COM + 2]), -RISE), RISE)
        lift = damper * (rise + row[COM_RATE + 2] - seen[b.COM_RATE + 2])
        ask[b.FORCE : b.FORCE + 2] = self.mass * omega**2 * (seen[b.COM : b.COM + 2] - pressure)
        ask[b.FORCE + 2] = self.weight + self.mass * min(max(lift, -4.0), 4.0)
        ask[b.RATE], ask[b.WEIGHT], ask[b.SWINGS] = s.rate, self.weight, -1.0
        ask[b.STANDS : b.STANDS + 2] = s.standing
        if s.swing >= 0:
            side = plan.swings[s.swing][0]
            shift, rate = s.foot_shift()
            shift[2] += soles[1 - side, 2] - row[FOOT + 3 * (1 - side) + 2]
            ask[b.SWINGS], ask[b.SHIFT : b.SHIFT + 3], ask[b.SHIFT_RATE : b.SHIFT_RATE + 3] = side, shift, rate

    # ---- reserve steps -------------------------------------------------------------------------------------------------------

    def step_out_if_needed(self, capture: np.ndarray, soles: np.ndarray) -> bool:
        """Where the figure stands and the capture point leaves its soles: begin the reserve steps; after them, go on with the plan. Whether it
        did."""
        s = self.stepping
        k, _ = s.row()
        if self.moved is not None and k >= len(s.plan) - 2:
            self.take_up(None)
            return True
        if not s.standing.all():
            return False
        ahead, left = self.outside(capture, soles)
        outwards = int(float((capture - soles.mean(axis=0)[:2]) @ self.axes(0)[:, 1]) < 0)
        coming = [side for side, lift, _ in s.plan.swings if 0 <= lift - k < 0.4 / s.plan.dt]
        if coming:  # the plan's own step comes in time, if it is the right foot's
            if self.moved is not None or left < max(0.0, ahead) or coming[0] == outwards:
                return False
            self.take_up(outwards)
            return True
        if max(ahead, left) < -0.02:
            return False
        self.take_up(outwards if left > -0.02 else int(self.estimate.load[1] < self.estimate.load[0]))
        return True

    def take_up(self, side: int | None) -> None:
        """Play the reserve steps that begin with `side`, from its lift on; None: the main plan again."""
        s = self.stepping
        soles = self.estimate.seen[b.OF_SOLE :].reshape(2, 2, 3)[:, 0]
        if side is None:
            s.take(self.main, self.kept_clock)
            self.moved = None
        else:
            assert self.reserve is not None
            if self.moved is None:
                self.kept_clock = s.clock
            plan = self.reserve[side]
            turn = self.axes(0) @ level_axes(plan.foot_rotation[0, 0] @ self.feet[0].rotation).T
            yaw = float(np.arctan2(turn[1, 0], turn[0, 0]))
            middle = 0.5 * (plan.rows[0, FOOT : FOOT + 3] + plan.rows[0, FOOT + 3 : FOOT + 6])
            now = soles.mean(axis=0)
            shift = np.array([*(now[:2] - turn @ middle[:2]), now[2] - middle[2]])
            self.moved = (side, yaw, shift.tolist())
            moved = self.moved_plan()
            s.take(moved, moved.swings[0][1] * moved.dt)
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
            "solver": {name: self.room.w[k].tolist() for name, k in SOLVER.items()},
            "contacts": int(self.room.w[at.W_COUNT][at.NC]),
            "task": self.room.w[at.W_TASK].tolist(),
            "sum": self.sum.tolist(),
            "moved": None if self.moved is None else [self.moved[0], self.moved[1], list(self.moved[2])],
            "kept_clock": self.kept_clock,
            "gains": asdict(self.gains),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go back to a state."""
        self.moved = (
            None if state["moved"] is None else (int(state["moved"][0]), float(state["moved"][1]), state["moved"][2])
        )
        self.stepping.plan = self.main if self.moved is None else self.moved_plan()
        self.kept_clock = float(state["kept_clock"])
        self.estimate.restore(state["estimate"])
        self.stepping.restore(state["stepping"])
        for name, k in SOLVER.items():
            self.room.w[k][...] = np.array(state["solver"][name]).reshape(self.room.w[k].shape)
        self.room.w[at.W_COUNT][at.NC] = state["contacts"]
        self.room.w[at.W_TASK][...] = state["task"]
        self.sum = np.array(state["sum"], dtype=float)


def level_axes(R: np.ndarray) -> np.ndarray:
    """(2, 2): ahead and left of a sole, seen from above."""
    x, y = R[0, 0], R[1, 0]
    n = max((x * x + y * y) ** 0.5, 1e-9)
    return np.array([[x / n, -y / n], [y / n, x / n]])
