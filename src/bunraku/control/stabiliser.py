"""Stabiliser: a walking figure kept on its feet by what it feels.

It has an IMU on the base, force sensors in the feet, encoders at the joints. Each period (default 2 ms):
    estimate     base, centre of mass c, capture point x = c + c'/w,  w^2 = g / height        (control.state_estimate)
    reference    plan at the clock, shifted to where the feet really stand                     (control.foot_placement)
    pressure     p = z_ref + (1 + k)(x - x_ref) + k_i s + k_p d,   s' = x - x_ref           (control.capture_point;
                 Caron, Kheddar & Tempier 2019; in terms of the centre of mass Kajita et al. 2010); d: what the pressure
                 felt by the force sensors lacks of the one asked for, low-passed; p is held in the soles, up to `lean`
                 beyond: there the body bends at the hips
    damping      c'' = w^2 (c - p) in the level, spring and damper about the plan's height
    sharing      p divided between the feet and inside each of them                            (control.balance_kernel)
    uprightness  pelvis and trunk turn back to the plan's attitude; spin about the centre of mass is damped
    landing      a foot sinks onto the ground (control.soft_landing) and stands with the first felt weight, once: from
                 then on it carries `rest` of the weight at least, while its corners' speed along the normal dies out
                 with `settle`; a late ground is searched for
    stepping     the landing place and time follow the capture point; a figure that stands takes reserve steps when it
                 must
    torques      of the whole-body problem: they carry the weight and make these accelerations
One kernel computes all this each period (control.balance_law), in 40 us for a human figure, sensors included; Python
hands over the readings and chooses plans. Torques alone act: no servo holds the joints, so rubber under the feet or a
bump changes the motion little. The stabiliser knows of the world's state what its instruments read, no more; its own
state is a dict of plain values, so that snapshots continue bit for bit. Checked in tests/control/test_stabiliser.py.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bunraku.control.balance_arrays import BalanceRoom, Springs
from bunraku.control.balance_law import MAIN, STAY, balance
from bunraku.control.state_estimate import Instruments, begin_estimate
from bunraku.control.walking_plan import WalkingPlan
from bunraku.errors import InputError
from bunraku.humanoid.foot import Foot
from bunraku.kernel.record import flat, load, save
from bunraku.model.layout import MASS
from bunraku.model.model import Model

if TYPE_CHECKING:
    from bunraku.world.figure import Figure
    from bunraku.world.world import World


FIRM_ARMS = 100.0  # of the posture's weight: of joints that hold a load, which shall not swing it for the balance
MISSED_CUT = 3.0  # Hz: of the difference between pressure asked for and felt


@dataclass(frozen=True)
class Gains:
    """Of the stabiliser; rates in 1/s. `capture` k, `integral` k_i [1/s], `pressure` k_p; pairs are (spring [1/s^2],
    damper [1/s]) of accelerations; weights are those of the whole-body problem; `lean` [m] beyond the soles; `steps`:
    landing places may move; `friction` that it counts on; `settle` [1/s] and `rest` [of the weight]: of a foot that
    stands, see above; one about to leave carries LEAVES of `rest`."""

    capture: float = 2.0
    integral: float = 1.0
    pressure: float = 0.3
    height: tuple[float, float] = (80.0, 18.0)
    body: tuple[float, float] = (150.0, 25.0)
    foot: tuple[float, float] = (1600.0, 80.0)
    posture: tuple[float, float] = (100.0, 20.0)
    hold: tuple[float, float] = (0.0, 10.0)  # of the corners that stand
    settle: float = 40.0
    rest: float = 0.1
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

    def put_into(self, s: Springs) -> None:
        """Where the kernel reads them."""
        s.body_spring, s.body_damper = self.body
        s.foot_spring, s.foot_damper = self.foot
        s.pose_spring, s.pose_damper = self.posture
        s.hold_spring, s.hold_damper = self.hold
        s.settle = self.settle
        s.spin_damper = self.spin
        s.weigh_level, s.weigh_height, s.weigh_spin = self.weight_force, self.weight_height, self.weight_spin
        s.weigh_body, s.weigh_foot = self.weight_body, self.weight_foot
        s.weigh_pose, s.weigh_share = self.weight_posture, self.weight_share


class Stabiliser:
    """A controller: `world.add_controller(Stabiliser(…))`. See the module text. firm: joints that keep their planned
    pose before they help the balance, because they hold something."""

    name = "stabiliser"

    def __init__(
        self,
        world: World,
        figure: Figure,
        model: Model,
        feet: tuple[Foot, Foot],
        trunk: str,
        plan: WalkingPlan,
        *,
        gains: Gains | None = None,
        period: float = 0.002,
        reserve: tuple[WalkingPlan, WalkingPlan] | None = None,
        sensors: dict[str, Any] | None = None,
        firm: Collection[str] = (),
    ) -> None:
        self.every = round(period / world.dt)
        if self.every < 1 or abs(self.every * world.dt - period) > 1e-9:
            raise InputError(f"stabiliser: its period {period} s is not a multiple of the world's step {world.dt} s.")
        self.figure, self.model, self.feet, self.period = figure, model, feet, period
        self.gains = gains or Gains()
        self.main, self.reserve = plan, reserve
        self.instruments = Instruments(world, figure, model, feet, **(sensors or {}))
        self.room = BalanceRoom(model, feet, trunk, self.gains.friction)
        self.gains.put_into(self.room.b.springs)
        for name in firm:
            self.room.b.firm[model.joint(name).v] = FIRM_ARMS
        self.room.wire(self.instruments.readings.values, self.instruments.iq, self.instruments.iv)
        begin_estimate(self.room.b, model, feet, period, plan.q[0])
        self.seen, self.stepping = self.room.b.seen, self.room.b.step
        load(self.stepping, {"standing": [1.0, 1.0], "pace": 1.0, "swing": -1.0, "done": -1.0})
        self._put_figure(plan)
        names = [j for j in model.joints if j.nv and j.kind != "free"]
        self.from_v = np.concatenate([np.arange(j.iv, j.iv + j.nv) for j in names])
        self.to_v = np.concatenate(
            [np.arange(j.iv, j.iv + j.nv) for j in map(figure.model.joint, (j.name for j in names))]
        )
        feel = self.room.b.feel
        self.sum, self.missed, self.pressure = feel.sum, feel.missed, feel.asked
        self.pressure[:] = plan.rows[0].zmp[:2]
        self.moved: tuple[int, float, list[float]] | None = None  # reserve plan in use: side, yaw, shift
        self.kept_clock = 0.0
        self._follow()

    def _put_figure(self, plan: WalkingPlan) -> None:
        """Constants of the figure and the gains, where the kernel reads them."""
        w, g, model = self.room.b.figure, self.gains, self.model
        length = plan.rows[0].com[2] - plan.rows[0].zmp[2]
        near = 2 * max(f.half[1] for f in self.feet) + 0.02
        w.mass, w.foot_mass = model.mass, max(model.reals[f.body, MASS] for f in self.feet)
        w.keep_missed = np.exp(-2 * np.pi * MISSED_CUT * self.period)
        w.capture, w.integral, w.pressure = g.capture, g.integral, g.pressure
        w.height_spring, w.height_damper = g.height
        w.lean, w.edge, w.may_step = g.lean, g.margin, g.steps
        w.rest = g.rest
        w.reach_ahead, w.reach_near, w.reach_far = 0.6 * length, near, max(0.6 * length, near)

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
        return self.room.b.problem.tau

    # ---- reserve steps ---------------------------------------------------------------------------------------------

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
        plan, seen = self.reserve[side], self.seen
        foot = np.array(seen.body[0].turn).reshape(3, 3)
        turn = level_axes(foot @ self.feet[0].rotation) @ level_axes(plan.foot_rotation[0, 0] @ self.feet[0].rotation).T
        left, right = (np.array(place) for place in plan.rows[0].foot)
        middle = 0.5 * (left + right)
        now = seen.sole.column("place").mean(axis=0)
        shift = [*(now[:2] - turn @ middle[:2]).tolist(), float(now[2] - middle[2])]
        self.moved = (side, float(np.arctan2(turn[1, 0], turn[0, 0])), shift)
        moved = self._follow()
        self.stepping.clock = moved.swings[0][1] * moved.dt

    def _follow(self) -> WalkingPlan:
        """Put the plan that is followed now into the arrays: the main one, or the reserve steps where they began."""
        plan = self.main
        if self.moved is not None:
            assert self.reserve is not None
            side, yaw, shift = self.moved
            c, d = np.cos(yaw), np.sin(yaw)
            plan = self.reserve[side].moved(np.array([[c, -d, 0], [d, c, 0], [0, 0, 1.0]]), np.array(shift))
        self.room.follow(plan)
        self.room.b.figure.reserve = 0.0 if self.reserve is None else (1.0 if self.moved is None else 2.0)
        return plan

    # ---- state -----------------------------------------------------------------------------------------------------

    def _kept(self) -> dict[str, dict[str, np.ndarray]]:
        """Arrays that affect the next period: of the estimate, and what the whole-body problem begins with."""
        b, p, feel = self.room.b, self.room.b.problem, self.room.b.feel
        felt = {"load": feel.loads, "pressure": feel.felt.rows, "fresh": feel.fresh, "planned": feel.planned}
        begin = {"y": p.y, "acts": p.acts, "multipliers": p.lam, "cones": p.cone.rows, "bodies": p.contact_body}
        return {"estimate": {"state": flat(b.state), **felt}, "solver": begin}

    def state(self) -> dict[str, Any]:
        """All that affects the next period."""
        p = self.room.b.problem
        return {
            **{part: {name: x.tolist() for name, x in arrays.items()} for part, arrays in self._kept().items()},
            "stepping": {SAVED_AS.get(name, name): value for name, value in save(self.stepping).items()},
            "contacts": int(p.count.contacts),
            "task": p.task.rows.tolist(),
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
        for part, arrays in self._kept().items():
            for name, x in arrays.items():
                x[...] = np.array(state[part][name]).reshape(x.shape)
        kept = {"raised": 0.0, **state["stepping"]}  # which version 0.1 did not know
        load(self.stepping, {name: kept[SAVED_AS.get(name, name)] for name in self.stepping.layout.fields})
        p = self.room.b.problem
        p.count.contacts = state["contacts"]
        p.task.rows[...] = state["task"]
        self.sum[:], self.missed[:], self.pressure[:] = state["sum"], state["missed"], state["pressure"]


SAVED_AS = {"pace": "rate", "lowered": "down"}  # names in snapshots, since version 0.1


def level_axes(R: np.ndarray) -> np.ndarray:
    """(2, 2): ahead and left of a sole, seen from above."""
    x, y = R[0, 0], R[1, 0]
    n = max((x * x + y * y) ** 0.5, 1e-9)
    return np.array([[x / n, -y / n], [y / n, x / n]])
