"""Walker: a walking pattern played in the physical world, by servos at the joints or by the stabiliser, on rigid or
rubber feet.

    walk = Walker(walking_pattern(bk.human(), steps), bushes=Bushes(), stabiliser=True)
    walk.run()
    walk.fell, walk.footstep_error()

Without stabiliser the pattern's joint angles lead servos ("pd", "velocity", "position": bunraku.control.servo_gains)
inside `world.step(n)`, a row a step, with no word of Python between: a replay that knows nothing of the floor. Targets
are ahead by what the planned torques bend the servos (bunraku.walking.walking_torques). With it
(bunraku.control.stabiliser) torques are found every few milliseconds from the figure's own sensors; servos are off.
With integrator="rk4" torques are explicit: servos and rubber are as soft as that needs, and joints that servos drive
have rotors (bunraku.control.servo_gains).
Both start where the pattern starts, at rest. A figure that carries something (bunraku.walking.carrying) begins with the
thing in its hands, a body of its own that is tied to them; what balances knows its mass, no sensor feels it. `fell` is
the time at which the base has turned by more than 60 degrees from upright or the centre of mass come down to `LOW` of its
height above the feet. Checked in tests/walking/test_walker.py.
"""

# pyright: reportUnnecessaryIsInstance=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from bunraku.control.bushes import Bushes
from bunraku.control.bushes import bushes as with_bushes
from bunraku.control.servo_gains import explicit_gains, servo_gains, with_rotors
from bunraku.control.soft_landing import soften_landings
from bunraku.control.stabiliser import Gains, Stabiliser
from bunraku.control.walking_plan import WalkingPlan, plan_of
from bunraku.dynamics.functions import kinematics
from bunraku.errors import InputError
from bunraku.humanoid.held_load import Holding
from bunraku.humanoid.opening_pose import own_collisions
from bunraku.humanoid.parts import Humanoid
from bunraku.model.description import Shape
from bunraku.model.model import Model
from bunraku.model.rotations import matrix
from bunraku.walking.footsteps import beside
from bunraku.walking.pace import LEVEL
from bunraku.walking.terrain import Terrain
from bunraku.walking.walking_pattern import WalkingPattern, walking_pattern
from bunraku.walking.walking_torques import servo_targets
from bunraku.world.figure import Figure
from bunraku.world.ties import Connection
from bunraku.world.world import World

LOW = 0.6  # of the height of the centre of mass over the lower foot: it fell
LOOK = 0.02  # s between looks whether it fell
REST = 0.5  # s that a run goes on behind the pattern's end
PERIOD = 0.002  # s of the stabiliser: a foot that touches is taken as standing before it can come off again


@dataclass(frozen=True)
class FootError:
    """How far a foot ends from its last footstep: distance in the level [m], turn about the vertical [degrees]."""

    side: int
    distance: float
    degrees: float


class Walker:
    """A walking pattern played in a physical world of its own: `run` walks, `fell` [s] and `footstep_error()` say how
    it went; `world`, `figure` are what it walks in and with.

    contact, sweeps, integrator: of the World; servo: "pd", "velocity" or "position", without a stabiliser; bushes:
    rubber feet; stabiliser: balance by the figure's own sensors; dt, period [s]: of the world and of the stabiliser;
    terrain: shapes for World.add_fixed besides the ground; ground: whether there is a plane z = 0; sensors: options of
    add_sensor by kind ("imu", "force_torque", "encoders"), e.g. {"imu": {"bias": {"gyro": 0.01}}}; torque_limits:
    servos let go at the model's limits, which the stabiliser keeps in any case; self_collision: whether the figure's
    own links touch each other; by default unless they are meshes or cylinders, whose hulls overlap at the joints. world:
    one that others are in already, with its ground and its step; thing: what it carries, where that is in the world already.
    """

    pattern: WalkingPattern
    humanoid: Humanoid
    bushes: Bushes | None
    model: Model  # with bushes, where there are any
    world: World
    figure: Figure
    upright: np.ndarray  # the vertical in the base's frame, as the pattern starts
    height: float  # m: of the centre of mass above the lower foot, as the pattern starts
    holding: Holding | None  # what the pattern's figure carries,
    thing: Figure | None  # the thing in the world,
    grips: tuple[Connection, ...]  # what ties it to the figure,
    pulled: np.ndarray  # N: and the largest force of each, looked at every LOOK s

    def __init__(
        self,
        pattern: WalkingPattern,
        *,
        contact: str = "pgs",
        sweeps: int | None = None,
        integrator: str = "euler",
        servo: str = "pd",
        bushes: Bushes | bool | None = None,
        stabiliser: bool | Gains = False,
        terrain: Terrain | Sequence[Shape] | None = None,
        ground: bool = True,
        friction: float = 0.8,
        dt: float = 0.001,
        period: float = PERIOD,
        seed: int = 0,
        sensors: dict[str, Any] | None = None,
        torque_limits: bool = False,
        self_collision: bool | None = None,
        world: World | None = None,
        thing: Figure | None = None,
    ) -> None:
        if not isinstance(pattern, WalkingPattern):
            raise InputError(f"Walker: {pattern!r} is no pattern; write bk.walking_pattern(bk.human(), 'walk 2 m').")
        if stabiliser and servo != "pd":
            raise InputError(f"walker: the stabiliser commands torques; with it servo must be 'pd', got {servo!r}.")
        self.pattern, self.humanoid, self.holding = pattern, pattern.humanoid, pattern.humanoid.holding
        rigid = self.humanoid.model if self.holding is None else self.holding.bare
        self.bushes = Bushes() if bushes is True else (bushes or None)
        feet = tuple(f.link for f in self.humanoid.feet)
        explicit = dt if integrator == "rk4" else None
        self._driven = rigid if stabiliser or not explicit else with_rotors(rigid, self.humanoid.stand, self._legs)
        self.model = self._driven
        if self.bushes is not None:
            self.model = with_bushes(self._driven, feet, self.bushes, explicit=explicit).build()
        self.world = world or World(dt=dt, contact=contact, sweeps=sweeps, integrator=integrator, seed=seed)
        if ground and world is None:
            self.world.add_ground(friction=friction)
        shapes = terrain.shapes if isinstance(terrain, Terrain) else terrain
        for shape in shapes or ():
            self.world.add_fixed(shape, friction=friction)
        own = own_collisions(self.model) if self_collision is None else self_collision
        self.figure = self.world.add(self.model, self_collision=own)
        q = across(rigid, self.model, pattern.q[:1])[0]
        self.figure.q[:] = q
        self.figure.target_q[:] = q
        self.thing, self.grips = None, ()
        if self.holding is not None:
            self.thing = thing or self.holding.add_to(self.world, pattern.q[0])
            self.grips = self.holding.tie(self.world, self.figure, self.thing)
        self.pulled = np.zeros(len(self.grips))
        self.fell: float | None = None
        self.stabiliser: Stabiliser | None = None
        self.upright = matrix(pattern.q[0, 3:7])[2]  # the vertical in the base's frame
        self.height = float(pattern.com[0, 2] - pattern.sole_position[0, :, 2].min())
        if stabiliser:
            gains = stabiliser if isinstance(stabiliser, Gains) else None
            self.stabiliser = stabilised(self.world, self.figure, pattern, gains=gains, period=period, sensors=sensors)
            self.world.add_controller(self.stabiliser)
        else:
            self._lead(servo, torque_limits)

    def _lead(self, servo: str, limits: bool) -> None:
        """Servos along the pattern."""
        h, rigid = self.humanoid, self.humanoid.model
        stiffness, damping = servo_gains(rigid, h.stand, self._legs, servo)
        if self.world.integrator == "rk4":
            stiffness, damping = explicit_gains(self._driven, h.stand, stiffness, damping, self.world.dt)
        names = [j.name for j in rigid.joints if j.nv and j.kind != "free"]
        rows = np.concatenate([np.arange(j.iv, j.iv + j.nv) for j in map(rigid.joint, names)])
        self.figure.servo(stiffness[rows], damping[rows], joints=names, effort=None if limits else np.inf)
        fine = self.pattern.at_rate(self.world.dt)
        rates = np.zeros((len(fine.q), self.model.nv))
        rates[:, dofs(rigid, self.model)] = fine.v
        targets = servo_targets(fine, np.maximum(stiffness, 1e-9))
        self.figure.follow(across(rigid, self.model, targets)[1:], rates[1:])

    @property
    def _legs(self) -> tuple[str, ...]:
        return tuple(name for f in self.humanoid.feet for name in f.joints)

    @property
    def duration(self) -> float:
        """Seconds that `run` takes."""
        return self.pattern.duration + REST

    def run(self, seconds: float | None = None, progress: Callable[[float], None] | None = None) -> Walker:
        """Walk on for some seconds, to the end of the pattern by default, or until it falls; progress is called with
        the part that is done."""
        end = self.world.time + seconds if seconds is not None else self.duration
        begin, many = self.world.time, max(1, round(LOOK / self.world.dt))
        while self.world.time < end - 0.5 * self.world.dt and self.fell is None:
            self.world.step(min(many, round((end - self.world.time) / self.world.dt)))
            self.look_at_grips()
            self.fell = self.world.time if self.is_down() else None
            if progress is not None:
                progress(min((self.world.time - begin) / max(end - begin, 1e-9), 1.0))
        return self

    def look_at_grips(self) -> None:
        """Keep the largest force of every grip."""
        for k, grip in enumerate(self.grips):
            self.pulled[k] = max(self.pulled[k], float(np.linalg.norm(grip.force)))

    def is_down(self) -> bool:
        """Whether it lies, or is about to."""
        k = kinematics(self.model, self.figure.q.copy())
        _, R = k.pose(self.model.joints[0].link)
        lower = min(k.pose(f.link)[0][2] for f in self.humanoid.feet)
        return float(R[2] @ self.upright) < 0.5 or float(self.figure.com[2] - lower) < LOW * self.height

    def footstep_error(self) -> tuple[FootError, FootError]:
        """Where the feet are against the end of the pattern."""
        out: list[FootError] = []
        for f in self.humanoid.feet:
            body, R = self.figure.pose(f.link)
            link = self.humanoid.model.frame(f.link)
            sole = body + R @ (link.rotation.T @ (f.position - link.position))
            turn = R @ link.rotation.T @ f.rotation
            gap = sole - self.pattern.sole_position[-1, f.side]
            away = self.pattern.sole_rotation[-1, f.side].T @ turn
            out.append(
                FootError(f.side, float(np.hypot(*gap[:2])), float(np.degrees(np.arctan2(away[1, 0], away[0, 0]))))
            )
        return out[0], out[1]


def across(rigid: Model, model: Model, q: np.ndarray) -> np.ndarray:
    """Rows of coordinates of the rigid figure as those of the same figure with bushes, which rest."""
    if model is rigid:
        return q.copy()
    out = np.tile(model.neutral(), (len(q), 1))
    for j in rigid.joints:
        if j.nv:
            out[:, model.joint(j.name).q] = q[:, j.q]
    return out


def dofs(rigid: Model, model: Model) -> np.ndarray:
    """Where each of the rigid figure's rates stands in those of the figure with bushes."""
    out = np.zeros(rigid.nv, dtype=int)
    for j in rigid.joints:
        if j.nv:
            k = model.joint(j.name)
            out[j.v] = np.arange(k.iv, k.iv + k.nv)
    return out


def stabilised(
    world: World,
    figure: Figure,
    pattern: WalkingPattern,
    *,
    gains: Gains | None = None,
    period: float = PERIOD,
    sensors: dict[str, Any] | None = None,
) -> Stabiliser:
    """A stabiliser, with its sensors, that walks a figure of a world along a pattern; it is to be added to the world's
    controllers while the figure stands as the pattern starts."""
    h = pattern.humanoid
    plan, reserve = stabiliser_plan(pattern, period), reserve_plans(h, period)
    firm = () if h.holding is None else h.holding.joints
    return Stabiliser(
        world, figure, h.model, h.feet, h.trunk, plan, gains=gains, period=period, reserve=reserve, sensors=sensors, firm=firm,
    )  # fmt: skip


def stabiliser_plan(pattern: WalkingPattern, period: float) -> WalkingPlan:
    """A pattern as the stabiliser's plan, with soft landings."""
    p, h = pattern.at_rate(period), pattern.humanoid
    plan = plan_of(h.model, h.feet, h.trunk, period, q=p.q, v=p.v, contact=p.contact, load=p.load, zmp=p.zmp)
    soften_landings(plan)
    return plan


@lru_cache(maxsize=8)
def reserve_plans(h: Humanoid, period: float) -> tuple[WalkingPlan, WalkingPlan] | None:
    """Four quick steps on the spot, beginning with the left foot or the right: what a figure that stands does when it
    is pushed. Slower ones where the figure's joints do not allow them; None where they allow none."""
    beat = float(np.sqrt(max(h.legs) / 9.81))  # s, about 0.3 for a human figure
    for slower in (1.0, 1.3, 1.7):
        try:
            out: list[WalkingPlan] = []
            for first in (0, 1):
                steps = [beside(h, (first + k) % 2, 0.0, 0.0, 0.0) for k in range(4)]
                one, two = 1.2 * slower * beat, 0.3 * slower * beat
                pattern = walking_pattern(h, steps, single=one, double=two, end=1.2, arms=0.0, style=LEVEL, passes=2)
                out.append(stabiliser_plan(pattern, period))
            return out[0], out[1]
        except InputError:
            continue
    return None
