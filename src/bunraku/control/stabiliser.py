"""Stabiliser: a walking figure kept on its feet by what it feels: an IMU on the base, force sensors in the feet,
encoders at the joints.

Each period (default 4 ms):
    estimate     base, centre of mass c, capture point x = c + c'/w,  w^2 = g / height        (control.state_estimate)
    reference    plan at the clock, shifted to where the feet really stand                     (control.stepping)
    pressure     p = z_ref + (1 + k)(x - x_ref) + k_i s + k_p d,   s' = x - x_ref              (Caron, Kheddar, Tempier 2019; in terms of the
                 centre of mass Kajita and others 2010); d: what the pressure felt by the force sensors lacks of the one asked for, low-passed;
                 p is held in the soles, up to `lean` beyond: there the body bends at the hips
    damping      c'' = w^2 (c - p) in the level, spring and damper about the plan's height
    sharing      p divided between the feet and inside each of them                            (control.balance_kernel)
    uprightness  pelvis and trunk turn back to the plan's attitude; spin about the centre of mass is damped
    landing      the swinging foot gives way: its task ends with the first felt weight; a late ground is searched for
    stepping     the landing place and time follow the capture point; a figure that stands takes reserve steps when it must
    torques      of the whole-body problem: they carry the weight and make these accelerations
All this is computed by one kernel a period (control.balance_law), 40 us for a human figure, sensors included; Python
hands over and chooses plans. Torques alone act: no servo holds the joints, so rubber under the feet or a bump changes
the motion little. All it knows of the world's state is what its instruments read; its own state is a dict of plain
values, so that snapshots continue bit for bit. Checked in tests/control/test_stabiliser.py.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bunraku.control import balance_arrays as b
from bunraku.control import whole_body_arrays as at
from bunraku.control.balance_law import MAIN, STAY, balance
from bunraku.control.state_estimate import Instruments, StateEstimate
from bunraku.control.walking_plan import COM, FOOT, ZMP, FootLike, WalkingPlan
from bunraku.errors import InputError
from bunraku.model.layout import MASS
from bunraku.model.model import Model

if TYPE_CHECKING:
    from bunraku.world.figure import Figure
    from bunraku.world.world import World


SOLVER = {"y": at.W_Y, "acts": at.W_STATE, "multipliers": at.W_LAM, "cones": at.W_CONE, "bodies": at.W_CONTACT_BODY}
MISSED_CUT = 3.0  # Hz: of the difference between pressure asked for and felt


@dataclass(frozen=True)
class Gains:
    """Of the stabiliser; rates in 1/s. `capture` k, `integral` k_i [1/s], `pressure` k_p; pairs are (spring [1/s^2],
    damper [1/s]) of accelerations; weights are those of the whole-body problem; `lean` [m] beyond the soles; `steps`:
    landing places may move; `friction` that it counts on."""

    capture: float = 2.0
    integral: float = 1.0
    pressure: float = 0.3
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
        self.room.wire(self.instruments.readings.values, self.instruments.iq, self.instruments.iv)
        self.estimate = StateEstimate(self.room, model, feet, period, plan.q[0])
        self.stepping = Stepping(self.room)
        self._put_figure(plan)
        names = [j for j in model.joints if j.nv and j.kind != "free"]
        self.from_v = np.concatenate([np.arange(j.iv, j.iv + j.nv) for j in names])
        self.to_v = np.concatenate(
            [np.arange(j.iv, j.iv + j.nv) for j in map(figure.model.joint, (j.name for j in names))]
        )
        feel = self.room.w[b.B_FEEL]
        self.sum, self.missed, self.pressure = (feel[k : k + 2] for k in (b.SUM, b.MISSED, b.ASKED))
        self.pressure[:] = plan.rows[0, ZMP : ZMP + 2]
        self.moved: tuple[int, float, list[float]] | None = None  # reserve plan in use: side, yaw, shift
        self.kept_clock = 0.0
        self._follow()

    def _put_figure(self, plan: WalkingPlan) -> None:
        """B_FIGURE: constants of the figure and the gains."""
        w, g, model = self.room.w[b.B_FIGURE], self.gains, self.model
        length = plan.rows[0, COM + 2] - plan.rows[0, ZMP + 2]
        near = 2 * max(f.half[1] for f in self.feet) + 0.02
        w[b.MASS], w[b.FOOT_MASS] = model.mass, max(model.reals[f.body, MASS] for f in self.feet)
        w[b.KEEP_MISSED] = np.exp(-2 * np.pi * MISSED_CUT * self.period)
        w[b.G_CAPTURE], w[b.G_INTEGRAL], w[b.G_PRESSURE] = g.capture, g.integral, g.pressure
        w[b.HEIGHT_SPRING], w[b.HEIGHT_DAMPER] = g.height
        w[b.LEAN], w[b.EDGE], w[b.MAY_STEP] = g.lean, g.margin, g.steps
        w[[b.REACH_AHEAD, b.REACH_NEAR, b.REACH_FAR]] = 0.6 * length, near, max(0.6 * length, near)

    def __call__(self, world: World) -> None:
        """Set the figure's torques, once a period."""
        if round(world.time / world.dt) % self.every == 0:
            self.figure.tau[self.to_v] = self.torques()[self.from_v]

    def torques(self) -> np.ndarray:
        """(nv) of the rigid model, of one period."""
        handle = self.room.table.handle
        self.instruments.readings.read()
        choice = balance.call(handle, 0)
        if choice != STAY:
            self.take_up(None if choice == MAIN else choice)
            balance.call(handle, 1)
        return self.room.w[at.W_TAU]

    # ---- reserve steps
    # -------------------------------------------------------------------------------------------------------

    def take_up(self, side: int | None) -> None:
        """Play the reserve steps that begin with `side`, from its lift on, where the feet are now; None: the main plan
        again."""
        if side is None:
            self.moved = None
            self._follow()
            self.stepping.clock = self.kept_clock
            return
        assert self.reserve is not None
        if self.moved is None:
            self.kept_clock = self.stepping.clock
        plan, seen = self.reserve[side], self.estimate.seen
        soles = seen[b.OF_SOLE :].reshape(2, 2, 3)[:, 0]
        foot = seen[b.OF_BODY + b.TURN : b.OF_BODY + b.TURN + 9].reshape(3, 3)
        turn = level_axes(foot @ self.feet[0].rotation) @ level_axes(plan.foot_rotation[0, 0] @ self.feet[0].rotation).T
        middle = 0.5 * (plan.rows[0, FOOT : FOOT + 3] + plan.rows[0, FOOT + 3 : FOOT + 6])
        now = soles.mean(axis=0)
        shift = [*(now[:2] - turn @ middle[:2]).tolist(), float(now[2] - middle[2])]
        self.moved = (side, float(np.arctan2(turn[1, 0], turn[0, 0])), shift)
        moved = self._follow()
        self.stepping.clock = moved.swings[0][1] * moved.dt

    def _follow(self) -> WalkingPlan:
        """Put the plan that is followed now into the arrays: the main one, or the reserve steps where they were begun."""
        plan = self.main
        if self.moved is not None:
            assert self.reserve is not None
            side, yaw, shift = self.moved
            c, d = np.cos(yaw), np.sin(yaw)
            plan = self.reserve[side].moved(np.array([[c, -d, 0], [d, c, 0], [0, 0, 1.0]]), np.array(shift))
        self.room.follow(plan)
        self.room.w[b.B_FIGURE][b.RESERVE] = 0.0 if self.reserve is None else (1.0 if self.moved is None else 2.0)
        return plan

    # ---- state
    # ---------------------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """All that affects the next period."""
        return {
            "estimate": self.estimate.state(),
            "stepping": self.stepping.state(),
            "solver": {name: self.room.w[k].tolist() for name, k in SOLVER.items()},
            "contacts": int(self.room.w[at.W_COUNT][at.NC]),
            "task": self.room.w[at.W_TASK].tolist(),
            "sum": self.sum.tolist(),
            "missed": self.missed.tolist(),
            "pressure": self.pressure.tolist(),
            "moved": None if self.moved is None else [self.moved[0], self.moved[1], list(self.moved[2])],
            "kept_clock": self.kept_clock,
            "gains": asdict(self.gains),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go back to a state."""
        self.moved = (
            None if state["moved"] is None else (int(state["moved"][0]), float(state["moved"][1]), state["moved"][2])
        )
        self._follow()
        self.kept_clock = float(state["kept_clock"])
        self.estimate.restore(state["estimate"])
        self.stepping.restore(state["stepping"])
        for name, k in SOLVER.items():
            self.room.w[k][...] = np.array(state["solver"][name]).reshape(self.room.w[k].shape)
        self.room.w[at.W_COUNT][at.NC] = state["contacts"]
        self.room.w[at.W_TASK][...] = state["task"]
        self.sum[:], self.missed[:], self.pressure[:] = state["sum"], state["missed"], state["pressure"]


class Stepping:
    """Views of the state of stepping (bunraku.control.foot_placement) in the arrays of the law: `standing` (2),
    `offset` (2, 2) and others by name."""

    plain: ClassVar[dict[str, int]] = {
        "clock": b.CLOCK, "rate": b.PACE, "waited": b.WAITED, "swing": b.SWING, "done": b.DONE, "down": b.LOWERED, "held": b.HELD,
    }  # fmt: skip

    def __init__(self, room: b.BalanceRoom) -> None:
        s = self.s = room.w[b.B_STEP]
        self.standing, self.offset = s[b.STANDING : b.STANDING + 2], s[b.OFFSET : b.OFFSET + 4].reshape(2, 2)
        self.start, self.target = s[b.START : b.START + 2], s[b.TARGET : b.TARGET + 2]
        self.standing[:], s[b.PACE], s[[b.SWING, b.DONE]] = 1.0, 1.0, -1.0

    @property
    def clock(self) -> float:
        """Time in the plan [s]."""
        return float(self.s[b.CLOCK])

    @clock.setter
    def clock(self, seconds: float) -> None:
        self.s[b.CLOCK] = seconds

    def state(self) -> dict[str, Any]:
        """What a snapshot keeps."""
        plain = {name: float(self.s[k]) for name, k in self.plain.items()}
        arrays = {name: getattr(self, name).tolist() for name in ("offset", "start", "target")}
        return {**plain, **arrays, "standing": [bool(x) for x in self.standing]}

    def restore(self, state: dict[str, Any]) -> None:
        """Put it back."""
        for name, k in self.plain.items():
            self.s[k] = state[name]
        for name in ("standing", "offset", "start", "target"):
            getattr(self, name)[:] = state[name]


def level_axes(R: np.ndarray) -> np.ndarray:
    """(2, 2): ahead and left of a sole, seen from above."""
    x, y = R[0, 0], R[1, 0]
    n = max((x * x + y * y) ** 0.5, 1e-9)
    return np.array([[x / n, -y / n], [y / n, x / n]])
