"""Motions for the tests of retargeting and of the filter: captured ones where the collection is at hand; a walk of our
own with noise; and a clip of our own making that looks like a captured one, so that the whole way from a file to a
motion is tested on every machine."""

import os
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import bunraku as bk
from bunraku.dynamics.functions import centroidal, kinematics
from bunraku.formats import bvh
from bunraku.formats.bvh import Bvh, BvhJoint
from bunraku.formats.bvh_motion import from_motion
from bunraku.humanoid.foot import feet_of
from bunraku.humanoid.parts import humanoid
from bunraku.model.human import describe_human
from bunraku.motion import Motion, walk_motion
from bunraku.motion.com_plan import course_of, planned
from bunraku.motion.footing import Footing
from bunraku.motion.plain_walk import bent
from bunraku.motion.settle import settled
from bunraku.walking.footsteps import footsteps
from bunraku.walking.min_jerk import min_jerk
from bunraku.walking.walking_pattern import walking_pattern

UNIT = 0.0254 / 0.45  # m: of the CMU collection's files
SHARED = Path(os.environ.get("BUNRAKU_SHARED", Path(__file__).resolve().parents[2] / "shared"))


def captured(name):
    """A clip of the CMU collection; the test is skipped where it is not on this machine."""
    path = SHARED / "data" / "bvh" / f"{name}.bvh"
    if not path.exists():
        pytest.skip(f"{path} is not on this machine: clips of the CMU collection are not part of the repository")
    return path


NAMES = {
    "pelvis": "Hips", "trunk": "Spine1", "head": "Head", "thigh": "UpLeg", "shank": "Leg", "foot": "Foot", "upper_arm": "Arm", "lower_arm": "ForeArm",
}  # fmt: skip


def renamed(link):
    """A link of ours by the name that the CMU collection has for its joint."""
    side, _, part = link.partition("_")
    return side.capitalize() + NAMES[part] if side in ("left", "right") else NAMES[link]


def t_posed(motion, scale):
    """The motion as a BVH with CMU names and hands, lengths divided by scale and a T-pose as its first frame."""
    model = motion.model
    t = model.neutral()
    for side, turn in (("left", 1.0), ("right", -1.0)):
        t[model.joint(f"{side}_shoulder").q] = [np.sqrt(0.5), turn * np.sqrt(0.5), 0, 0]
    step = float(motion.times[1] - motion.times[0])
    times = step * np.arange(len(motion) + 1)
    with_t = from_motion(Motion(model, times, np.vstack([t, motion.q])), scale=scale)
    joints, hands = [], {}
    for j in with_t.joints:
        joints.append(BvhJoint(renamed(j.name), j.parent, j.offset, j.channels, ()))
        if j.name.endswith("lower_arm"):
            hands[len(joints) - 1] = j.ends[0]
    for k, offset in hands.items():
        side = joints[k].name.removesuffix("ForeArm")
        joints.append(BvhJoint(f"{side}Hand", k, offset, ("Zrotation", "Yrotation", "Xrotation")))
    still = np.zeros((len(with_t.values), 3 * len(hands)))
    return Bvh(joints, np.hstack([with_t.values, still]), step)


def stranger():
    """A figure of other proportions than `human()`: taller and heavier, wider hips, long thighs and arms, short shanks."""
    fig = describe_human(1.82, 80.0)
    longer = {"thigh": (1, 1.1, 1), "shank": (1, 1, 1.05), "foot": (1, 1, 0.94), "lower_arm": (1, 1, 1.05)}
    for link in fig.links:
        x, y, z = link.position
        a, b, c = longer.get(link.name.partition("_")[2], (1, 1, 1))
        link.position = (a * x, b * y, c * z)
    return fig.build()


@cache
def strange_walk():
    """The stranger's walk over 1.4 m, 120 frames a second, arms swinging, from standing to standing."""
    h = humanoid(stranger())
    pattern = walking_pattern(h, footsteps("walk 1.4 m", h), dt=1.0 / 120.0)
    return Motion(h.model, pattern.times, pattern.q)


def own_clip(path, degrees=0.3, millimetres=1.0):
    """The stranger's walk as a clip of the CMU collection would be: its names and unit, a T-pose first, a little noise."""
    return bvh.write(shaken(t_posed(strange_walk(), UNIT), degrees, millimetres / (1000 * UNIT), seed=5), path)


def clip(name, folder):
    """The file of a clip: "own", made now in `folder`, or a captured one."""
    return own_clip(folder / "own.bvh") if name == "own" else captured(name)


@cache
def walk(steps=3):
    """A walk of our own."""
    return walk_motion(bk.human(), steps, fps=100.0)


def noisy(path, steps=3, degrees=1.0, millimetres=5.0, seed=7):
    """Our walk as a BVH file with white noise on every channel."""
    return noised(walk(steps), path, degrees, millimetres, seed)


def noised(motion, path, degrees=1.0, millimetres=5.0, seed=7):
    """A motion as a BVH file with white noise on every channel."""
    return bvh.write(shaken(from_motion(motion), degrees, 0.1 * millimetres, seed), path)


def shaken(file, degrees, units, seed):
    """White noise on every channel of a BVH: on angles, and on places in units of the file."""
    place = np.array([c.endswith("position") for j in file.joints for c in j.channels])
    file.values[:] += np.random.default_rng(seed).normal(size=file.values.shape) * np.where(place, units, degrees)
    return file


@cache
def springing(strides, length, stance, flight, lower=0.06, lift=0.1, rest=0.0, fps=120.0):
    """Jumps from foot to foot, or on both feet where `strides` is [(0, 1), …]: in each element the feet that stand;
    `length` [m] from one to the next, `stance` and `flight` [s]; `rest` [s] of standing before and after. The centre of
    mass flies freely; feet swing by polynomials."""
    model = bk.human()
    period, home = stance + flight, kinematics(model, model.neutral())
    times = np.arange(0.0, 2 * rest + len(strides) * period - flight + 1e-9, 1.0 / fps)
    feet = []
    for side, s in enumerate(feet_of(model)):
        at = [
            (
                i * period + (rest if i else 0.0),
                i * period + stance + rest * (2 if i == len(strides) - 1 else 1),
                i * length,
            )
            for i, on in enumerate(strides)
            if side in on
        ]
        on = np.any([(times >= a - 1e-9) & (times < b - 1e-9) for a, b, _ in at], axis=0)
        x, z = np.zeros(len(times)), np.zeros(len(times))
        ends = [(-period, at[0][0], at[0][2] - 2 * length, at[0][2])]
        ends += [(a[1], b[0], a[2], b[2]) for a, b in pairwise(at)]
        ends += [(at[-1][1], at[-1][1] + 2 * period, at[-1][2], at[-1][2] + 2 * length)]
        for a, b, where in at:
            x[(times >= a - 1e-9) & (times < b - 1e-9)] = where
        for a, b, x0, x1 in ends:
            now = ~on & (times >= a - 1e-9) & (times < b + 1e-9)
            u = np.clip((times[now] - a) / (b - a), 0.0, 1.0)
            x[now], z[now] = x0 + (x1 - x0) * min_jerk(u), lift * 6.75 * u * (1 - u) ** 2
        place = home.position[s.body] + np.column_stack([x, 0 * x, z])
        feet.append(Footing(s, on, on, (), place, np.tile(home.rotation[s.body], (len(times), 1, 1))))
    supports = [np.vstack([f.corners(k) for f in feet]) for k in range(len(times))]
    upright = centroidal(model, model.neutral()).com
    ahead = (times - 0.5 * stance) * length / period + 0.02
    com = np.column_stack([ahead, 0 * times, np.full(len(times), upright[2] - lower)])
    plan = planned(
        course_of(times, com, np.zeros((len(times), 3)), supports, model.mass, 9.80665, load=(0.05, 3.5), margin=0.03)
    )
    q = np.tile(bent(model), (len(times), 1))
    q[:, :3] += plan.spline(times) - upright
    return settled(Motion(model, times, q, {"title": "springing"}), tuple(feet), plan.spline(times))


def hop():
    """Standing, a hop in place on both feet with 0.2 s in the air, standing."""
    return springing(((0, 1), (0, 1)), 0.0, 0.3, 0.2, rest=0.5)


def jog():
    """Six strides of 0.9 m, each 0.22 s on one foot and 0.13 s in the air: 2.6 m/s."""
    return springing(((0,), (1,)) * 3, 0.9, 0.22, 0.13, lift=0.15)
