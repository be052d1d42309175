"""A walking pattern: from footsteps to the joint angles of a whole figure that walks on them.

    footsteps -> time table: feet, zero-moment point (zmp_reference) -> centre of mass (com_preview) -> poses (walking_ik) -> zero-moment
    point of the whole figure by rnea -> its difference from the reference is taken off the one the centre of mass follows, `passes` times
    (as Kajita et al. 2003 do with preview control).
Times of steps without their own come from the walker's pace (bunraku.walking.pace), on stairs and slopes with care. The
walker's height is chosen so that no leg is stretched beyond its style's part of its length: one for the whole walk in
the style LEVEL; else as high as the steps allow, less the dip of a stiff leg's arc between two feet that stand apart.
Units SI, world z up. Checked in tests/walking/test_walking_pattern.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.ndimage import minimum_filter1d, uniform_filter1d

from bunraku.dynamics.functions import centroidal, kinematics
from bunraku.errors import InputError
from bunraku.humanoid.parts import Humanoid, humanoid
from bunraku.humanoid.walking_ik import walking_poses
from bunraku.model.configuration import continuous, normalized
from bunraku.model.model import Model
from bunraku.model.rotations import about
from bunraku.recording.motion import Motion
from bunraku.walking.arm_swing import wanted_poses
from bunraku.walking.com_preview import at_rest, second_difference
from bunraku.walking.foot_paths import STEPPED, StepPlan
from bunraku.walking.footsteps import Footstep, beside, footsteps, standing
from bunraku.walking.min_jerk import bump
from bunraku.walking.pace import LEVEL, NATURAL, Style, care_of, pace_of
from bunraku.walking.step_limits import check_footsteps
from bunraku.walking.walking_checks import check_poses, check_zmp
from bunraku.walking.whole_zmp import rates, whole_zmp
from bunraku.walking.zmp_reference import TimeTable, time_table

HIGH_STRETCH = 0.985  # of a leg's full length, at most, on stairs
SETTLE = 1.5  # times of a step in which the height follows what legs reach
ARMS = 0.5  # rad: how far arms swing for feet that are a leg's length apart
STILL, HEEL = 0.6, 0.3  # of a plain walk: s of standing at both ends; rad that heels rise in long steps
ENOUGH = 1e-3  # m: of the zero-moment point; no further pass is made


@dataclass(frozen=True, eq=False)
class WalkingPattern:
    """A planned walk of n samples dt [s] apart: q, v of the whole figure. zmp (n, 3) [m]: reference on the ground;
    multibody_zmp (n, 3) [m]: of the finished motion; contact (n, 2): which soles stand; load (n, 2): planned share of
    the weight; com [m], com_velocity [m/s] (n, 3); soles' places (n, 2, 3) [m] and rotations (n, 2, 3, 3)."""

    humanoid: Humanoid
    steps: tuple[Footstep, ...]
    dt: float
    times: np.ndarray
    q: np.ndarray
    v: np.ndarray
    com: np.ndarray
    com_velocity: np.ndarray
    zmp: np.ndarray
    multibody_zmp: np.ndarray
    sole_position: np.ndarray
    sole_rotation: np.ndarray
    contact: np.ndarray
    load: np.ndarray
    style: Style = LEVEL

    @property
    def model(self) -> Model:
        """The model that walks."""
        return self.humanoid.model

    @property
    def zmp_error(self) -> float:
        """The greatest distance [m] of the motion's zero-moment point from its reference."""
        return float(np.linalg.norm((self.multibody_zmp - self.zmp)[:, :2], axis=1).max())

    @property
    def duration(self) -> float:
        """Seconds."""
        return float(self.times[-1])

    def at_rate(self, dt: float) -> WalkingPattern:
        """The same walk with samples dt [s] apart: cubic splines through all samples; contacts as at the sample before."""
        if not (np.isfinite(dt) and 0 < dt <= 0.02):
            raise InputError(f"at_rate: dt {dt} s must be above 0 and at most 0.02 s.")
        times = dt * np.arange(int(np.floor(self.duration / dt + 1e-9)) + 1)
        at = np.clip(times, 0.0, self.duration)

        def smooth(x: np.ndarray) -> np.ndarray:
            return CubicSpline(self.times, x, bc_type="clamped")(at)

        q = normalized(self.model, smooth(continuous(self.model, self.q)))
        before = np.clip(np.floor(at / self.dt + 1e-9).astype(int), 0, len(self.times) - 1)
        after = np.clip(np.ceil(at / self.dt - 1e-9).astype(int), 0, len(self.times) - 1)
        k = kinematics(self.model, q)
        poses = [k.pose(f.frame) for f in self.humanoid.feet]
        v, _ = rates(self.model, q, dt)
        return replace(
            self,
            dt=float(dt),
            times=times,
            q=q,
            v=v,
            **{name: smooth(getattr(self, name)) for name in ("com", "com_velocity", "zmp", "multibody_zmp")},
            sole_position=np.stack([p for p, _ in poses], axis=1),
            sole_rotation=np.stack([R for _, R in poses], axis=1),
            contact=self.contact[before] & self.contact[after],
            load=np.clip(smooth(self.load), 0.0, 1.0),
        )


def walking_pattern(
    figure: Humanoid | Model | str,
    steps: Sequence[Footstep] | str,
    *,
    begin: tuple[Footstep, Footstep] | None = None,
    single: float | None = None,
    double: float | None = None,
    start: float = 1.4,
    end: float = 1.6,
    shift: float = 0.6,
    lift: float | None = None,
    heel: float = 0.0,
    arms: float = ARMS,
    pace: str = "usual",
    style: Style | None = None,
    passes: int = 6,
    dt: float = 0.005,
) -> WalkingPattern:
    """The pattern of a walk over footsteps, or as words say (`footsteps`). begin: where the feet stand at first (side
    by side at the origin by default); single, double [s]: on one foot, on both, for all steps; else steps keep their own seconds, or those of
    the pace ("slowly", "usual", "briskly"); start, end [s]: standing before and after, the last and first `shift` s of
    which move the weight; lift [m]: of a swinging foot; heel [rad]: how far heels rise before feet leave in steps of
    half a leg's length (0: soles stay flat on level ground); arms [rad]: how far they swing for feet a leg's length
    apart; style: see bunraku.walking.pace, NATURAL on level ground; passes: at most so many corrections by the
    zero-moment point of the whole figure."""
    h = humanoid(figure)
    steps = footsteps(steps, h, pace=pace) if isinstance(steps, str) else steps
    usual = h.mapping.get("walk", {})
    feet = standing(h) if begin is None else begin
    heights = [s.position[2] for s in (*feet, *steps)]
    stepped = float(np.abs(np.diff(heights)).max()) > STEPPED * h.legs[0]
    sloped = stepped or any(abs(z - heights[0]) > 1e-6 for z in heights) or any(s.normal[2] < 1.0 - 1e-9 for s in steps)
    style = (LEVEL if sloped else NATURAL) if style is None else style
    singles, doubles = step_times(h, steps, single, double, pace, 0.2 if stepped else 0.0 if sloped else None)
    lift = float(usual.get("lift", 0.06 * h.legs[0])) if lift is None else float(lift)
    check_footsteps(h, steps, feet)
    toe = max(float(f.half[0]) for f in h.feet)
    plan = StepPlan(feet, steps, singles, doubles, lift, toe, h.legs[0], heel, style)
    table = time_table(plan, start=start, end=end, shift=shift, dt=dt)
    gravity = -float(h.model.gravity[2])
    given = wanted_poses(h, table, arms)
    first = bump(table.times / table.still[0])
    last = bump((table.times - table.times[-1]) / table.still[1] + 1.0)
    hips = h.hips(h.stand)[None] - centroidal(h.model, h.stand).com  # (1, 2, 3), turned with the base
    hips = turned(table.heading, hips)
    height = float(centroidal(h.model, h.stand).com[2])
    tallest = 1.1 * height if stepped or style.bob > 0.0 else height
    height, dip = np.full(len(table.times), tallest), style.bob * table.dip
    settle = min(SETTLE * float((singles + doubles).max(initial=0.0)), 0.9 * min(start, end)) / dt
    residual, q, best = np.zeros((len(table.times), 2)), given.copy(), None
    for n in range(passes + 1):
        for _ in range(2):  # the height changes the way a little, and the way the height
            level = table.level + height
            up = second_difference(level, dt)
            com, added = at_rest(table.zmp[:, :2] - residual, level - table.zmp[:, 2], up, dt, gravity, first, last)
            top = np.minimum(highest(h, table, com, hips, HIGH_STRETCH if stepped else style.stretch), tallest)
            if style.bob > 0.0:
                height = below(top + dip, settle) - dip
            else:
                height = np.minimum(height, top.min())
        com = np.column_stack([com, table.level + height])
        zmp = table.zmp.copy()
        zmp[:, :2] += added
        if n == 0:
            q[:, :3] = com - turned(table.heading, (centroidal(h.model, h.stand).com - h.stand[:3])[None, None])[:, 0]
        poses = walking_poses(h, q, given, table.position, table.rotation, com)
        check_poses(h, table, poses, steps)
        q = poses.q
        v, a = rates(h.model, q, dt)
        multibody = whole_zmp(h.model, q, v, a, table.zmp[:, 2])
        hips = h.hips(q) - com[:, None]
        error = float(np.linalg.norm((multibody - zmp)[:, :2], axis=1).max())
        if best is None or error < best[0]:
            best = error, q, v, com, zmp, multibody
        if error < ENOUGH or error > 3.0 * best[0]:
            break
        residual = residual + (multibody - zmp)[:, :2]
        residual[[0, -1]] = 0.0
    assert best is not None
    error, q, v, com, zmp, multibody = best
    check_zmp(h, table, zmp, multibody, steps)
    return WalkingPattern(
        h,
        tuple(steps),
        float(dt),
        table.times,
        q,
        v,
        com,
        np.gradient(com, dt, axis=0),
        zmp,
        multibody,
        table.position,
        table.rotation,
        table.contact,
        table.load,
        style,
    )


def walk_motion(
    model: Model,
    steps: int = 6,
    *,
    length: float = 0.35,
    single: float = 0.5,
    double: float = 0.16,
    height: float = 0.06,
    lower: float = 0.03,
    fps: float = 100.0,
) -> Motion:
    """A straight walk along x from standing to standing, as a motion without forces: `steps` steps of length [m], the
    last of which closes the feet, each with `single` [s] on one foot and `double` [s] on both; height [m]: of the
    swinging foot; lower [m]: how much lower than upright the figure walks, at least. To be filtered, or compared."""
    if steps < 1 or not (length > 0 and single > 0 and double > 0 and fps > 0):
        raise InputError("walk_motion: steps must be 1 or more; length, single, double and fps above 0.")
    h = humanoid(model)
    ahead = [length * min(n + 1, max(steps - 1, 1)) for n in range(steps)]
    places = [beside(h, n % 2, x, 0.0, 0.0) for n, x in enumerate(ahead)]
    style = replace(LEVEL, bob=NATURAL.bob, stretch=min(HIGH_STRETCH, 1.0 - lower / h.legs[0]))
    pattern = walking_pattern(
        h, places, single=single, double=double, start=STILL + double, end=STILL, shift=0.5 * STILL, lift=height,
        heel=HEEL, style=style, dt=min(1.0 / fps, 0.01),
    )  # fmt: skip
    return Motion(model, pattern.times, pattern.q, {"title": "walk", "source": "footsteps"}).resampled(fps)


def turned(yaw: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Points x (1 or n, m, 3) turned about z by yaw (n)."""
    return np.einsum("nij,nmj->nmi", about(2, yaw), np.broadcast_to(x, (len(yaw), *x.shape[1:])))


def step_times(
    h: Humanoid, steps: Sequence[Footstep], single: float | None, double: float | None, pace: str, care: float | None
) -> tuple[np.ndarray, np.ndarray]:
    """Seconds on one foot and on both of every step, see walking_pattern; care: how much longer both are with care,
    None where none is needed."""
    usual = pace_of(h, pace)
    times = np.array([usual.time if s.seconds is None else s.seconds for s in steps])
    one, two = (1.0 - usual.double) * times, usual.double * times
    if care is not None:
        said = np.array([s.seconds is not None for s in steps])
        slow = care_of(h, care)
        one, two = np.where(said, one, slow[0]), np.where(said, two, slow[1])
    n = len(steps)
    return one if single is None else np.full(n, float(single)), two if double is None else np.full(n, float(double))


def highest(h: Humanoid, table: TimeTable, com: np.ndarray, hips: np.ndarray, stretch: float) -> np.ndarray:
    """(n,): the greatest height [m] of the centre of mass above the level of the ground with which no leg is too short."""
    out = np.full(len(com), np.inf)
    for f, length in zip(h.feet, h.legs):
        ankle = table.position[:, f.side] - np.einsum("nij,j->ni", table.rotation[:, f.side] @ f.rotation.T, f.position)
        across = np.sum((com[:, :2] + hips[:, f.side, :2] - ankle[:, :2]) ** 2, axis=1)
        top = ankle[:, 2] + np.sqrt(np.maximum((stretch * length) ** 2 - across, 0.0)) - hips[:, f.side, 2]
        out = np.minimum(out, top - table.level)
    return out


def below(top: np.ndarray, samples: float) -> np.ndarray:
    """A smooth line nowhere above another one: the least value in a window of some samples, then three running means
    that are together as wide; level at both ends, where a walk is at rest."""
    third = max(2 * int(samples / 6) + 1, 1)
    wide = 3 * third - 2
    out = minimum_filter1d(top, wide, mode="nearest")
    out[: wide // 2 + 3], out[-(wide // 2) - 3 :] = out[: wide // 2 + 3].min(), out[-(wide // 2) - 3 :].min()
    for _ in range(3):
        out = uniform_filter1d(out, third, mode="nearest")
    return out
