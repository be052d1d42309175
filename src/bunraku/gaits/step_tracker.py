"""A walk kept up in the physical world: planned steps followed by torques, on what the figure feels.

Each period (2 ms) of a phase that runs from 0, when the leading foot comes down, to 1:
    where     the plan goes along with the edge of the leading foot that stands: only what is relative to it counts
    balance   capture point x = c + c'/w;  c'' = c''_plan + w^2 (c - c_plan) - w^2 (1 + k) (x - x_plan) in the level; the
              height has a small weight, so that knees decide it
    step      an error of the capture point grows by e^(w t) until the foot lands, t seconds on; what the pressure under
              the sole cannot take back moves the landing place
    landing   when the sensor of the swinging foot feels weight, early or late: the phase goes on from where it is (early:
              below 0); a late ground is searched for; from then on the foot carries `REST` of the weight at least, so that
              it touches the ground once
    sole      its front edge comes down no faster than it can be stopped (`APPROACH`), and carries from the moment it is
              felt: it no longer moves though it was to sink
    torques   of the whole-body problem (control.whole_body): the plan's accelerations with springs about it, its rates
              of momentum, corners of the soles that stand near to the plan's forces
The law is that of control.capture_point about a moving reference. Sources: Englsberger et al. (2011) for the capture point,
Griffin et al. (2017) for knees that decide the height. Checked in tests/gaits/test_natural_walk.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from bunraku.control.capture_point import GYRATION
from bunraku.control.state_estimate import Instruments
from bunraku.gaits.step_rows import StepRows
from bunraku.gaits.tracker_law import GOES_ON, NEXT, follow
from bunraku.gaits.walk_arrays import WalkRoom
from bunraku.gaits.walking_sense import CUT, FORCE_CUT
from bunraku.kernel.record import flat, load, save

if TYPE_CHECKING:
    from bunraku.humanoid.foot import Foot
    from bunraku.model.model import Model
    from bunraku.world.figure import Figure
    from bunraku.world.world import World

LEGS, KNEES = ("hip", "ankle"), ("knee",)


@dataclass(frozen=True)
class TrackerGains:
    """Pairs are (spring [1/s^2], damper [1/s]); weights are those of the whole-body problem; capture: k; hold [1/s]: of
    corners that stand; spin [1/s]."""

    posture: tuple[float, float] = (200.0, 28.0)
    body: tuple[float, float] = (300.0, 35.0)
    foot: tuple[float, float] = (900.0, 60.0)
    height: tuple[float, float] = (60.0, 15.0)
    capture: float = 1.5
    spin: float = 6.0
    hold: float = 40.0
    weight_posture: float = 1.0
    weight_leg: float = 2.0
    weight_knee: float = 10.0
    weight_body: float = 300.0
    weight_foot: float = 1000.0
    weight_edge: float = 8000.0
    weight_level: float = 1e4
    weight_height: float = 50.0
    weight_spin: float = 20.0
    weight_force: float = 1e-4
    friction: float = 0.6


class Steps(Protocol):
    """Where the tracker gets its steps from: the first one, and the next one each time a foot has landed."""

    def next_step(self) -> tuple[StepRows, float]:
        """(the step, how far the walk turns to the left in it [rad])."""
        ...

    def state(self) -> int:
        """How many were given."""
        ...

    def restore(self, state: int) -> StepRows:
        """Go back to a state; the step that was given last."""
        ...


class StepTracker:
    """A controller: `world.add_controller(StepTracker(…))`. See the module text."""

    name = "steps"

    def __init__(
        self,
        world: World,
        figure: Figure,
        model: Model,
        feet: tuple[Foot, Foot],
        steps: Steps,
        *,
        gains: TrackerGains | None = None,
        period: float = 0.002,
        sensors: dict[str, Any] | None = None,
    ) -> None:
        self.every, self.period = max(round(period / world.dt), 1), period
        self.figure, self.model, self.feet, self.steps = figure, model, feet, steps
        self.gains = gains or TrackerGains()
        self.instruments = Instruments(world, figure, model, feet, **(sensors or {}))
        self.room = WalkRoom(model, feet, self.gains.friction, self.gains.weight_force)
        self.room.wire(self.instruments.readings.values, self.instruments.iq, self.instruments.iv)
        self.walking = self.room.w
        self.now, self.felt = self.walking.now, self.walking.felt
        self.step, self.now.turn = steps.next_step()
        self.now.flat = 1
        self._put_figure()
        self._put_weights()
        self.room.follow(self.step)
        names = [j.name for j in model.joints if j.nv and j.kind != "free"]
        self.from_v = np.concatenate(
            [np.arange(model.joint(n).iv, model.joint(n).iv + model.joint(n).nv) for n in names]
        )
        there = [figure.model.joint(n) for n in names]
        self.to_v = np.concatenate([np.arange(j.iv, j.iv + j.nv) for j in there])
        self.events: list[tuple[float, int, float]] = []  # landings: time, side, phase

    def _put_figure(self) -> None:
        """Constants of the figure and the gains, where the kernel reads them; the estimate at rest on both feet."""
        w, g, model, rows = self.walking.figure, self.gains, self.model, self.step.of[0]
        w.period, w.mass, w.gravity = self.period, model.mass, tuple(model.gravity)
        w.weight = model.mass * float(np.linalg.norm(model.gravity))
        w.pendulum = float(np.sqrt(9.80665 / rows.com[:, 2].mean()))
        w.keep_load, w.keep_velocity = np.exp(-2 * np.pi * np.array([FORCE_CUT, CUT]) * self.period)
        w.capture, w.spin_damper, w.hold = g.capture, g.spin, g.hold
        w.posture, w.body, w.foot, w.height = g.posture, g.body, g.foot, g.height
        w.weight_body, w.weight_foot, w.weight_edge = g.weight_body, g.weight_foot, g.weight_edge
        self.felt.loads[:] = 0.5 * w.weight
        self.felt.place[:] = rows.q[self.step.first, :3]

    def _put_weights(self) -> None:
        """Weights of the posture and of the rates of momentum."""
        g, p, m = self.gains, self.walking.problem, self.model.mass
        weights = p.posture.column("weight")
        weights[:] = g.weight_posture
        for side in ("left", "right"):
            for part, weight in (*((x, g.weight_leg) for x in LEGS), *((x, g.weight_knee) for x in KNEES)):
                j = self.model.joint(f"{side}_{part}")
                weights[j.iv - 6 : j.iv - 6 + j.nv] = weight
        linear, spin = np.array([g.weight_level, g.weight_level, g.weight_height]) / m**2, (GYRATION * m) ** 2
        p.momentum.column("weight")[:] = [*linear, *[g.weight_spin / spin] * 3]

    def __call__(self, world: World) -> None:
        """Set the figure's torques, once a period."""
        if round(world.time / world.dt) % self.every == 0:
            self.figure.tau[self.to_v] = self.torques(world.time)[self.from_v]

    def torques(self, time: float) -> np.ndarray:
        """(nv) of the rigid model, of one period."""
        handle, now = self.room.table.handle, self.now
        self.instruments.readings.read()
        answer = follow.call(handle, 0)
        if answer != GOES_ON:
            self.events.append((time, 1 - int(now.lead), float(now.phase)))
        if answer == NEXT:
            self.begin_step()
            follow.call(handle, 1)
        return self.walking.problem.tau

    def begin_step(self) -> None:
        """The swinging foot has landed: the next step begins, where the figure is."""
        now = self.now
        now.heading += now.turn
        rest, seconds = now.phase - 1.0, self.step.plan.seconds
        self.step, now.turn = self.steps.next_step()
        early = -self.step.first / self.step.many
        now.phase = max(rest * seconds / self.step.plan.seconds, early) if rest < 0 else 0.0
        now.lead, now.flat, now.still, now.closed = 1 - now.lead, 0, 0, 0
        now.target[:] = 0.0
        now.landings += 1
        self.room.follow(self.step)

    # ---- state -----------------------------------------------------------------------------------------------------

    def _kept(self) -> dict[str, np.ndarray]:
        """Arrays that affect the next period: what is felt, and what the whole-body problem begins with."""
        p = self.walking.problem
        begin = {"y": p.y, "acts": p.acts, "multipliers": p.lam, "cones": p.cone.rows, "bodies": p.contact_body}
        return {"felt": flat(self.felt), **begin}

    def state(self) -> dict[str, Any]:
        """All that affects the next period."""
        return {
            "now": save(self.now),
            "steps": self.steps.state(),
            "contacts": int(self.walking.problem.count.contacts),
            "events": [list(e) for e in self.events],
            **{name: x.tolist() for name, x in self._kept().items()},
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go back to a state."""
        load(self.now, state["now"])
        self.step = self.steps.restore(state["steps"])
        self.room.follow(self.step)
        self.walking.problem.count.contacts = int(state["contacts"])
        self.events = [(float(a), int(b), float(c)) for a, b, c in state["events"]]
        for name, x in self._kept().items():
            x[...] = np.array(state[name]).reshape(x.shape)
