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

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from bunraku.control.capture_point import GYRATION
from bunraku.control.whole_body import Contact, Task, WholeBody
from bunraku.dynamics.functions import Kinematics, centroidal
from bunraku.gaits.step_rows import Rows, StepRows
from bunraku.gaits.walking_sense import WalkingSense, crossed, moving
from bunraku.model.configuration import difference

if TYPE_CHECKING:
    from bunraku.humanoid.foot import Foot
    from bunraku.model.model import Model
    from bunraku.world.figure import Figure
    from bunraku.world.world import World

SIDES = ("left", "right")
FEEL, SOONEST = 0.03, 0.8  # of the weight: a foot that landed; of the step, from when on it may
REST = 0.05  # of the weight: a foot that has landed carries as much
OFF = 0.002  # of the weight: the trailing foot left the ground
SINK, APPROACH = 0.04, 30.0  # m/s, 1/s: speed of a front edge that comes down, and more by its height
STOPS, EDGE = 4, 0.02  # periods in which a front edge does not move, of the weight: it stands
HALT = 80.0  # 1/s: of a foot that comes down faster
SEARCH = 0.3  # m/s of a late foot downwards
ROOM = (0.02, 0.015)  # m: errors that the pressure takes back
NEAR, AHEAD, FAR = 0.02, (-0.5, 0.35), 0.25  # m: how far landing places move inwards, along, outwards
TAKE_UP, LAST = 0.03, 0.04  # s: of a new landing place; before the landing, when it stays


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


@dataclass
class Now:
    """State of the tracker between two periods: side that leads, phase, whether the leading sole is flat and how long
    its front edge was still, whether the foot of a stop is down; target [m] of the landing place; heading [rad] and its
    turn in this step; number of landings."""

    lead: int = 0
    phase: float = 0.0
    flat: bool = True
    still: int = 0
    closed: bool = False
    target: list[float] = field(default_factory=lambda: [0.0, 0.0])
    heading: float = 0.0
    turn: float = 0.0
    landings: int = 0


@dataclass(frozen=True, eq=False)
class Instant:
    """One period: what is seen, the plan's rows and the one of now, its shift (3) [m] to where the figure is, whether the plan
    moves (1) or waits (0), how late the landing is [s], the phase."""

    seen: Kinematics
    rows: Rows
    row: int
    shift: np.ndarray
    moves: float
    late: float
    phase: float


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
        self.sense = WalkingSense(world, figure, model, feet, sensors)
        self.body = WholeBody(model, contacts=8, tasks=6)
        self.now, self.weight = Now(), self.sense.weight
        self.step, _ = steps.next_step()
        rows = self.step.of[0]
        self.sense.begin(rows.q[self.step.first, :3])
        self.rate = float(np.sqrt(9.80665 / rows.com[:, 2].mean()))  # w of the capture point
        self.outline = [f.outline[:, 1] for f in feet]
        self.posture_weight = self._weights()
        names = [j.name for j in model.joints if j.nv and j.kind != "free"]
        self.from_v = np.concatenate(
            [np.arange(model.joint(n).iv, model.joint(n).iv + model.joint(n).nv) for n in names]
        )
        there = [figure.model.joint(n) for n in names]
        self.to_v = np.concatenate([np.arange(j.iv, j.iv + j.nv) for j in there])
        self.events: list[tuple[float, int, float]] = []  # landings: time, side, phase

    def _weights(self) -> np.ndarray:
        g, w = self.gains, np.full(self.body.joints, self.gains.weight_posture)
        for side in SIDES:
            for part, weight in (("hip", g.weight_leg), ("ankle", g.weight_leg), ("knee", g.weight_knee)):
                j = self.model.joint(f"{side}_{part}")
                w[j.iv - 6 : j.iv - 6 + j.nv] = weight
        return w

    def __call__(self, world: World) -> None:
        """Set the figure's torques, once a period."""
        if round(world.time / world.dt) % self.every == 0:
            self.figure.tau[self.to_v] = self.torques(world.time)[self.from_v]

    # ---- one period ------------------------------------------------------------------------------------------------

    def torques(self, time: float) -> np.ndarray:
        """(nv) of the rigid model."""
        n = self.now
        u = min(max(n.phase, 0.0), 1.0)
        k = self.sense.look(self.period, n.heading + n.turn * u * u * (3 - 2 * u))
        loads = self.sense.loads / self.weight
        self.land(time, k, loads)
        step, plan, lead = self.step, self.step.plan, n.lead
        phase = n.phase
        n.phase = min(phase + self.period / plan.seconds, 3.0 if plan.kind != "stop" else 1.0)
        late = max(phase - 1.0, 0.0) * plan.seconds if plan.kind != "stop" else 0.0
        moves = 0.0 if late > 0 or (phase >= 1 and plan.kind == "stop") else 1.0
        rows, row = step.of[lead], step.row(phase)
        self.feel_front_edge(k, loads, phase)
        what = (
            "t" if phase >= plan.heel_off and plan.kind != "stop" else "f" if n.flat else "h",
            *self.behind(phase, loads),
        )
        edge = f"{SIDES[lead]}_{'toe' if what[0] == 't' else 'heel'}"
        shift = k.pose(edge)[0] - rows.links[edge].place[row]
        c = centroidal(self.model, self.sense.q, self.sense.v)
        com, com_rate = c.com - rows.com[row] - shift, c.com_velocity - rows.com_rate[row]
        capture = com[:2] + com_rate[:2] / self.rate
        self.place_foot(rows, row, c.com - shift, c.com_velocity, phase)
        tasks, contacts = self.ends(Instant(k, rows, row, shift, moves, late, phase), what)
        g, w = self.gains, self.rate
        wish = moves * rows.com_change[row]
        wish[:2] += w * w * com[:2] - w * w * (1 + g.capture) * capture
        wish[2] -= g.height[0] * com[2] + g.height[1] * com_rate[2]
        m = self.model.mass
        force = m * (wish - self.model.gravity)
        moment = moves * rows.spin_change[row] + g.spin * (rows.spin[row] - c.angular)
        inertia = (GYRATION * m) ** 2
        momentum = {d: (force[d], (g.weight_level if d < 2 else g.weight_height) / m**2) for d in range(3)}
        momentum |= {3 + d: (moment[d], g.weight_spin / inertia) for d in range(3)}
        error = difference(self.model, self.sense.q, rows.q[row])
        posture = moves * rows.a[row] + g.posture[0] * error + g.posture[1] * (moves * rows.v[row] - self.sense.v)
        least = self.body.problem.contact.column("least")
        least[:] = 0.0
        if what[0] == "h":
            least[:2] = REST / 2 * self.weight
        elif n.closed:
            least[4:8] = REST / 4 * self.weight
        found = self.body.solve(
            self.sense.q, self.sense.v, tasks=tasks, contacts=contacts, posture=posture[6:],
            posture_weight=self.posture_weight, momentum=momentum, force_weight=g.weight_force, rounds=1,
        )  # fmt: skip
        return found.tau

    def land(self, time: float, k: Kinematics, loads: np.ndarray) -> None:
        """Whether the swinging foot came down; then the next step begins."""
        n, plan = self.now, self.step.plan
        trail = 1 - n.lead
        if plan.kind == "stop":
            if not n.closed and n.phase > SOONEST * plan.land and loads[trail] > FEEL:
                n.closed = True
                self.events.append((time, trail, n.phase))
            return
        if not (n.phase > SOONEST and loads[trail] > FEEL):
            return
        self.events.append((time, trail, n.phase))
        n.heading += n.turn
        rest, seconds = n.phase - 1.0, plan.seconds
        self.step, n.turn = self.steps.next_step()
        early = -self.step.first / self.step.many
        n.phase = max(rest * seconds / self.step.plan.seconds, early) if rest < 0 else 0.0
        n.lead, n.flat, n.still, n.closed, n.target = trail, False, 0, False, [0.0, 0.0]
        n.landings += 1

    def feel_front_edge(self, k: Kinematics, loads: np.ndarray, phase: float) -> None:
        """The leading sole is flat as soon as its front edge is felt."""
        n, side = self.now, SIDES[self.now.lead]
        sinks = self.rate_of(k, f"{side}_toe")[2] - self.rate_of(k, f"{side}_heel")[2]
        n.still = n.still + 1 if sinks > -0.5 * SINK else 0
        half = self.feet[n.lead].half[0]
        carried = loads[n.lead] * (self.sense.pressure[n.lead, 0] + half) / (2 * half)
        if n.still > 0 and (carried > EDGE or n.still >= STOPS):
            n.flat = True

    def behind(self, phase: float, loads: np.ndarray) -> tuple[str]:
        """What of the trailing foot stands."""
        n, plan = self.now, self.step.plan
        load = loads[1 - n.lead]
        if plan.kind == "start" and phase < 0.8 * plan.both:
            return ("f",)
        if plan.kind == "stop" and n.closed:
            return ("f",)
        if phase < min(1.3 * plan.both, 0.5 * (plan.both + plan.land)) and load > OFF:
            return ("t",)
        return ("-",)

    def place_foot(self, rows: Rows, row: int, com: np.ndarray, com_rate: np.ndarray, phase: float) -> None:
        """Where the swinging foot shall come down, against the plan: see the module text."""
        n, plan, w = self.now, self.step.plan, self.rate
        left = (plan.land - phase) * plan.seconds
        if not (phase > 0.5 * plan.both and left > LAST) or n.closed:
            return
        grow = np.exp(w * left)
        end = self.step.row(plan.land)
        goal = rows.com[end, :2] + rows.com_rate[end, :2] / w
        here = rows.com[row, :2] + rows.com_rate[row, :2] / w
        pressure = (goal - here * grow) / (1 - grow)
        off = pressure + (com[:2] + com_rate[:2] / w - pressure) * grow - goal
        x, y = np.sign(off) * np.maximum(np.abs(off) - np.array(ROOM) * (grow - 1), 0.0)
        out = 1.0 if n.lead == 1 else -1.0
        wanted = min(max(x, AHEAD[0]), AHEAD[1]), out * min(max(out * y, -NEAR), FAR)
        near = min(self.period / TAKE_UP, 1.0)
        n.target = [t + near * (a - t) for t, a in zip(n.target, wanted)]

    # ---- what is asked of feet and trunk ---------------------------------------------------------------------------

    def ends(self, i: Instant, what: Sequence[str]) -> tuple[list[Task], list[Contact]]:
        """Tasks and contacts of this period."""
        g, n = self.gains, self.now
        tasks = [self.task(i, link, g.body, (0.0, g.weight_body)) for link in ("pelvis", "trunk")]
        contacts: list[Contact] = []
        forces, lead, trail = i.rows.forces[i.row], SIDES[n.lead], SIDES[1 - n.lead]
        if what[0] == "h":
            contacts += self.corners(i.seen, n.lead, (0, 1), forces)
            tasks += self.lower(i)
        elif what[0] == "f":
            contacts += self.corners(i.seen, n.lead, (0, 1, 2, 3), forces)
        else:
            contacts += self.corners(i.seen, n.lead, (2, 3), forces)
            tasks.append(self.task(i, f"{lead}_toe", g.foot, (0.0, 0.1 * g.weight_foot)))
        if what[1] != "-":
            contacts += self.corners(i.seen, 1 - n.lead, (0, 1, 2, 3) if what[1] == "f" else (2, 3), forces)
        else:
            tasks.append(self.swing(i, f"{trail}_heel"))
        return tasks, contacts

    def task(
        self, i: Instant, name: str, gain: tuple[float, float], weight: tuple[float, float],
        extra: np.ndarray | None = None, rate: np.ndarray | None = None,
    ) -> Task:  # fmt: skip
        """A link held to the plan; weights of place and of turning; `extra` (3) [m] and its `rate` are added."""
        link, row = i.rows.links[name], i.row
        place, turn = i.seen.pose(name)
        error = np.concatenate([link.place[row] + i.shift - place, turn_error(turn, link.turn[row])])
        speed = i.moves * link.rate[row]
        if extra is not None and rate is not None:
            error[:3] += extra
            speed[:3] += rate
        wanted = i.moves * link.change[row] + gain[0] * error + gain[1] * (speed - self.rate_of(i.seen, name))
        return Task(name, wanted, weight=[weight[0]] * 3 + [weight[1]] * 3)

    def swing(self, i: Instant, name: str) -> Task:
        """The swinging foot on its way to where it shall land; a late one goes on down."""
        g, plan, target, late = self.gains, self.step.plan, np.array(self.now.target), i.late
        span = 0.93 * plan.land - plan.both
        u = min(max((i.phase - plan.both) / span, 0.0), 1.0)
        way, rate = u**3 * (10 - 15 * u + 6 * u * u), 30 * u * u * (1 - u) ** 2 / (span * plan.seconds)
        if plan.kind == "stop":
            late = max(i.phase - plan.land, 0.0) * plan.seconds
        extra = np.array([*(way * target), -SEARCH * late])
        speed = np.array([*(rate * target), -SEARCH if late > 0 else 0.0])
        task = self.task(i, name, g.foot, (g.weight_foot, g.weight_foot), extra, speed)
        if plan.kind == "stop":
            toe = name.replace("heel", "toe")
            ground = min(i.seen.pose(f"{SIDES[self.now.lead]}_{e}")[0][2] for e in ("heel", "toe"))
            height = min(i.seen.pose(x)[0][2] for x in (name, toe)) - ground
            down = max(-self.rate_of(i.seen, x)[2] for x in (name, toe))
            slow = HALT * (down - SINK - APPROACH * max(height, 0.0))
            task.wanted[2] = max(task.wanted[2], slow)
        return task

    def lower(self, i: Instant) -> list[Task]:
        """The leading foot stands on its heel: its front edge comes down gently, and on until it is felt."""
        g, side, plan = self.gains, SIDES[self.now.lead], self.step.plan
        heel, toe = f"{side}_heel", f"{side}_toe"
        link, edge, k = i.rows.links[heel], i.rows.links[toe], i.seen
        (place, turn), rate = k.pose(heel), self.rate_of(k, heel)
        angular = g.foot[0] * turn_error(turn, link.turn[i.row]) + g.foot[1] * (
            i.moves * link.rate[i.row, 3:] - rate[3:]
        )
        height = k.pose(toe)[0][2] - place[2]
        speed = self.rate_of(k, toe)[2] - rate[2]
        wanted = i.moves * edge.rate[i.row, 2] + 20.0 * (edge.place[i.row, 2] - height)
        wanted = max(wanted, -(SINK + APPROACH * max(height, 0.0)))
        if i.phase > 0.6 * plan.flat:
            wanted = min(wanted, -SINK)
        own = 0.3 * g.weight_foot
        return [
            Task(heel, [0, 0, 0, *angular], weight=[0, 0, 0, own, 0, own]),
            Task(toe, [0, 0, HALT * (wanted - speed)], weight=[0, 0, g.weight_edge]),
        ]

    def corners(self, k: Kinematics, side: int, which: Sequence[int], forces: np.ndarray) -> list[Contact]:
        """Corners of a sole that stand."""
        out: list[Contact] = []
        for edge, pair in (("heel", (0, 1)), ("toe", (2, 3))):
            if pair[0] not in which:
                continue
            name = f"{SIDES[side]}_{edge}"
            rate, across = self.rate_of(k, name), k.pose(name)[1][:, 1]
            for c in pair:
                y = float(self.outline[side][c])
                wanted = -self.gains.hold * (rate[:3] + crossed(rate[3:], y * across))
                near = forces[side, c]
                out.append(Contact(name, (0.0, y, 0.0), friction=self.gains.friction, wanted=wanted, near=near))
        return out

    def rate_of(self, k: Kinematics, name: str) -> np.ndarray:
        """Velocity (6,) of a link or frame."""
        return moving(k, self.model.frame(name))

    # ---- state -----------------------------------------------------------------------------------------------------

    def _kept(self) -> dict[str, np.ndarray]:
        """Arrays that affect the next period: what is felt, and what the whole-body problem begins with."""
        s, p = self.sense, self.body.problem
        felt = {"loads": s.loads, "pressure": s.pressure, "velocity": s.velocity, "place": s.place}
        return felt | {"y": p.y, "acts": p.acts, "multipliers": p.lam, "cones": p.cone.rows, "upper": p.upper}

    def state(self) -> dict[str, Any]:
        """All that affects the next period."""
        return {
            "now": asdict(self.now),
            "steps": self.steps.state(),
            "contacts": self.body.contacts,
            "events": [list(e) for e in self.events],
            **{name: x.tolist() for name, x in self._kept().items()},
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go back to a state."""
        now: dict[str, Any] = {name: list(x) if isinstance(x, list) else x for name, x in state["now"].items()}
        self.now = Now(**now)
        self.step = self.steps.restore(state["steps"])
        self.body.contacts = int(state["contacts"])
        self.events = [(float(a), int(b), float(c)) for a, b, c in state["events"]]
        for name, x in self._kept().items():
            x[...] = np.array(state[name]).reshape(x.shape)


def turn_error(turn: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """Rotation vector (of small turns) from one rotation to another, world axes."""
    E = goal @ turn.T
    return 0.5 * np.array([E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]])
