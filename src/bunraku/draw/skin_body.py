"""The flesh of a human figure: lofts around its bones, by its own lengths, in the pose that it is meshed in.

Lengths along limbs are the figure's joints and frames; thicknesses are ours, of an adult of 1.7 m and 69 kg, and scale
with the height and with `girth`, which follows the body mass index. Heads of children are larger, waists and hips of
short adults rounder (`Build`). The figure is meshed with arms and legs apart (`bind`), so that what hangs side by side
at rest does not grow together. Axes: x ahead, y left, z up, of every link as of the figure at rest. Checked in
tests/draw/test_skin.py, and by looking.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bunraku.draw.skin_field import Flesh, Loft
from bunraku.model.body_2000 import HEIGHT
from bunraku.model.body_lengths import Measures
from bunraku.model.rotations import about

ARM_APART, LEG_APART = np.radians(55.0), np.radians(9.0)  # in the pose that is meshed
SIDES = ("left_", "right_")
BODIES = (
    "pelvis",
    "trunk",
    "head",
    *(s + x for s in SIDES for x in ("thigh", "shank", "foot", "upper_arm", "lower_arm")),
)
PARENTS = {"trunk": "pelvis", "head": "trunk"} | {
    s + child: (s + parent if parent in ("thigh", "shank", "upper_arm") else parent)
    for s in SIDES
    for child, parent in (("thigh", "pelvis"), ("shank", "thigh"), ("foot", "shank"), ("upper_arm", "trunk"), ("lower_arm", "upper_arm"))
}  # fmt: skip

Frame = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Build:
    """How a figure is built: thickness against that of 1.7 m and 69 kg; 0 … 1: a child's head; 0 … 1: round hips."""

    girth: float = 1.0
    child: float = 0.0
    hips: float = 0.0


def build_of(height: float, mass: float) -> Build:
    """The build of a height [m] and a mass [kg]."""
    index = mass / height**2 / (69.0 / HEIGHT**2)  # body mass index against that of the standard figure
    child = float(np.clip((1.45 - height) / 0.45, 0.0, 1.0))
    hips = float(np.clip((1.70 - height) / 0.15, 0.0, 1.0)) * (1.0 - child)
    return Build(float(np.clip(index**0.4, 0.85, 1.18)), child, hips)


def bind(m: Measures) -> dict[str, Frame]:
    """Origin and axes of every body in the pose that is meshed."""
    one = np.eye(3)
    floor = max(m.thigh[k] + m.shank[k] - m.hip[k][2] for k in (0, 1)) + m.ankle
    pelvis = np.array([0.0, 0.0, floor])
    trunk = pelvis + m.waist
    out = {"pelvis": (pelvis, one), "trunk": (trunk, one), "head": (trunk + m.neck, one)}
    for k, side in enumerate(SIDES):
        leg, arm = about(0, (1 - 2 * k) * LEG_APART), about(0, (1 - 2 * k) * ARM_APART)
        hip, shoulder = pelvis + m.hip[k], trunk + m.shoulder[k]
        knee, elbow = hip - m.thigh[k] * leg[:, 2], shoulder - m.upper_arm[k] * arm[:, 2]
        out |= {
            side + "thigh": (hip, leg),
            side + "shank": (knee, leg),
            side + "foot": (knee - m.shank[k] * leg[:, 2], one),
        }
        out |= {side + "upper_arm": (shoulder, arm), side + "lower_arm": (elbow, arm)}
    return out


def flesh_of(m: Measures, build: Build) -> Flesh:
    """The lofts of a figure in the pose that is meshed, in the order in which they are joined."""
    frames, L = bind(m), m.height / HEIGHT
    g = L * build.girth
    lofts = trunk_lofts(m, build, frames)
    for k in (0, 1):
        lofts += leg_lofts(m, k, g, frames) + arm_lofts(m, k, g, L, frames)
    return Flesh(lofts + head_lofts(m, build))


def trunk_lofts(m: Measures, build: Build, frames: dict[str, Frame]) -> list[Loft]:
    """Pelvis, waist and chest in one; a yoke from shoulder to shoulder."""
    L, h = m.height / HEIGHT, build.hips
    g = L * build.girth
    low = frames["pelvis"][0]
    waist, neck = frames["trunk"][0] - low, frames["head"][0] - low
    joints = [frames[s + "upper_arm"][0] - low for s in SIDES]
    top = 0.5 * (joints[0] + joints[1])  # middle between the shoulders
    wide = float(joints[0][1] - joints[1][1]) / (0.4386 * L)  # against the standard figure's
    hip = max(float(np.abs(np.array(m.hip)[:, 1]).max()) / (0.085 * L), 0.6)
    slim, chest = 1.0 - 0.07 * h, wide * (1.0 - 0.04 * h)
    #        z along pelvis … waist … shoulders … neck; middle x; radii x, y
    table = [
        (-0.080 * L, -0.008 * L, 0.074 * g, 0.085 * g * hip),
        (-0.035 * L, -0.016 * L, 0.103 * g, (0.150 + 0.008 * h) * g * hip),
        (0.030 * L, -0.014 * L, 0.106 * g, (0.160 + 0.010 * h) * g * hip),
        (0.75 * waist[2], -0.004 * L, 0.095 * g, 0.148 * g * hip),
        (1.20 * waist[2], 0.004 * L, 0.086 * g * slim, 0.130 * g * slim),
        (waist[2] + 0.25 * (top[2] - waist[2]), 0.004 * L, 0.090 * g * slim, 0.134 * g * slim),
        (waist[2] + 0.50 * (top[2] - waist[2]), 0.002 * L, 0.103 * g, 0.153 * g * chest),
        (waist[2] + 0.72 * (top[2] - waist[2]), 0.002 * L, 0.112 * g, 0.166 * g * chest),
        (waist[2] + 0.88 * (top[2] - waist[2]), -0.006 * L, 0.099 * g, 0.163 * g * chest),
        (waist[2] + 1.00 * (top[2] - waist[2]), -0.016 * L, 0.070 * g, 0.125 * g * chest),
        (top[2] + 0.045 * L, -0.022 * L, 0.050 * g, 0.070 * g),
    ]
    knots = []
    for z, x, rx, ry in table:
        lean = (
            waist + (neck - waist) * (z - waist[2]) / (neck[2] - waist[2]) if z > waist[2] else waist * (z / waist[2])
        )
        knots.append((z, lean[0] + x, lean[1], rx, ry))
    out = [Loft(low, np.eye(3), rising(knots), (0.045 * g, 0.02 * g), 0.03 * L)]
    for joint, sign in zip(joints, (1.0, -1.0)):
        start = low + top + np.array([-0.012 * L, sign * 0.05 * L, -0.030 * L])
        end = low + joint + np.array([-0.004 * L, -sign * 0.018 * L, -0.040 * L])
        out.append(tube(start, end, (0.058 * g, 0.050 * g), 0.04 * L))
    if h > 0 or build.child < 1:  # a chest that shows which side is the front
        for sign in (1.0, -1.0):
            place = low + np.array([top[0] + 0.062 * g, top[1] + sign * 0.072 * g * wide, 0.0])
            place[2] = low[2] + waist[2] + (0.66 - 0.02 * h) * (top[2] - waist[2])
            size = (0.040 + 0.020 * h) * g * (1 - 0.7 * build.child)
            out.append(ball(place, (size, 1.35 * size, 1.15 * size), 0.035 * L))
    for sign in (1.0, -1.0):  # and a seat that shows the back
        place = low + np.array([-0.060 * g, sign * 0.068 * g * hip, -0.035 * L])
        out.append(ball(place, (0.058 * g, 0.076 * g, 0.078 * g), 0.045 * L))
    return out


def leg_lofts(m: Measures, k: int, g: float, frames: dict[str, Frame]) -> list[Loft]:
    """Thigh and shank in one, and a shoe."""
    side, out_ = SIDES[k], 1.0 - 2.0 * k
    L, thigh, shank = m.height / HEIGHT, m.thigh[k], m.shank[k]
    hip, turn = frames[side + "thigh"]
    upper = [  # share of the length from the hip; middle x, y (to the outside); radii x, y
        (0.00, -0.006, 0.006, 0.088, 0.080),
        (0.20, -0.002, 0.005, 0.090, 0.083),
        (0.45, 0.004, 0.003, 0.081, 0.075),
        (0.75, 0.006, 0.001, 0.065, 0.061),
        (0.97, 0.006, 0.000, 0.057, 0.054),
    ]
    lower = [
        (0.10, 0.001, 0.000, 0.053, 0.051),
        (0.27, -0.010, 0.003, 0.058, 0.054),
        (0.45, -0.010, 0.002, 0.053, 0.048),
        (0.70, -0.006, 0.000, 0.042, 0.039),
        (0.90, -0.004, 0.000, 0.036, 0.033),
        (1.00, -0.004, 0.000, 0.036, 0.032),
    ]
    knots = along(upper, thigh, 0.0, L, g, out_) + along(lower, shank, thigh, L, g, out_)
    return [Loft(hip, turn, rising(knots), (0.030 * g, 0.060 * g), 0.035 * L), *shoe_lofts(m, k, frames)]


def shoe_lofts(m: Measures, k: int, frames: dict[str, Frame]) -> list[Loft]:
    """A shoe on the sole's rectangle: its sections stand across the foot, from the heel to the toe; flat below."""
    ankle, length, L = m.ankle, m.sole[0], m.height / HEIGHT
    at = frames[SIDES[k] + "foot"][0]
    ahead = np.array([[0.0, 0, 1], [0, -1, 0], [1, 0, 0]])  # its z ahead, x up, y right: sections (up, right)
    wide, high, inner = m.sole[1] / 0.12, ankle / 0.066, 1.0 - 2.0 * k
    shape = [  # share of the sole from the heel; height of the upper; half width; middle to the inside
        (0.08, 0.075, 0.033, 0.000),
        (0.25, 0.092, 0.036, 0.000),
        (0.45, 0.082, 0.040, 0.002),
        (0.70, 0.057, 0.047, 0.003),
        (0.90, 0.045, 0.045, 0.001),
        (1.00, 0.040, 0.040, -0.001),
    ]
    knots, welt = [], []
    for x, h, b, y in shape:
        z = x * length - m.heel
        knots.append((z, 0.5 * h * high - ankle, inner * y * wide, 0.5 * h * high, b * wide))
        welt.append((z, 0.012 * L - ankle, inner * y * wide, 0.017 * L, (b + 0.003) * wide))
    near = np.array([0.30, 0.15, 0.10]) * L
    plate = np.array([(z, -ankle - 2.0 * L, 0.0, 2.0 * L, 2.0 * L) for z in (-near[0], near[0])])
    return [
        Loft(at, ahead, rising(knots), (0.022 * L, 0.034 * L), 0.024 * L),
        Loft(at, ahead, rising(welt), (0.020 * L, 0.031 * L), 0.008 * L),
        Loft(at, ahead, plate, (L, L), 0.006 * L, hollow=True, only=(at - near, at + near)),
    ]


def arm_lofts(m: Measures, k: int, g: float, L: float, frames: dict[str, Frame]) -> list[Loft]:
    """Upper arm and forearm in one; a hand, its palm towards the thigh, a little closed."""
    side, out_ = SIDES[k], 1.0 - 2.0 * k
    upper = [
        (0.00, -0.002, -0.018, 0.042, 0.034),
        (0.17, -0.002, -0.011, 0.053, 0.044),
        (0.35, 0.000, -0.004, 0.051, 0.046),
        (0.60, 0.002, 0.000, 0.048, 0.044),
        (0.97, 0.000, 0.000, 0.040, 0.039),
    ]
    lower = [
        (0.20, 0.003, 0.000, 0.044, 0.040),
        (0.45, 0.002, 0.000, 0.040, 0.036),
        (0.80, 0.000, 0.000, 0.030, 0.026),
        (1.00, 0.000, 0.000, 0.028, 0.022),
    ]
    shoulder, turn = frames[side + "upper_arm"]
    elbow, turn_2 = frames[side + "lower_arm"]
    knots = along(upper, m.upper_arm[k], 0.0, L, g, out_) + along(lower, m.lower_arm[k], m.upper_arm[k], L, g, out_)
    wrist = elbow - m.lower_arm[k] * turn_2[:, 2]
    palm = [(0.00, 0.000, 0.000, 0.027, 0.020), (0.035, 0.003, 0.001, 0.038, 0.021), (0.075, 0.003, 0.000, 0.043, 0.019),
            (0.100, 0.002, -0.004, 0.041, 0.0165), (0.122, 0.001, -0.014, 0.038, 0.015), (0.138, 0.000, -0.026, 0.032, 0.013)]  # fmt: skip
    hand = [(-t * L, x * L, out_ * y * L, a * L, b * L) for t, x, y, a, b in palm]
    thumb = [np.array([0.020, 0.000, -0.022]), np.array([0.052, -0.010, -0.062]), np.array([0.056, -0.020, -0.090])]
    place = [wrist + turn_2 @ (L * p * np.array([1.0, out_, 1.0])) for p in thumb]
    return [
        Loft(shoulder, turn, rising(knots), (0.02 * g, 0.028 * g), 0.032 * L),
        Loft(wrist, turn_2, rising(hand), (0.016 * L, 0.02 * L), 0.018 * L),
        tube(place[0], place[1], (0.016 * L, 0.0135 * L), 0.014 * L),
        tube(place[1], place[2], (0.0135 * L, 0.0115 * L), 0.006 * L),
    ]


@dataclass(frozen=True)
class Head:
    """Measures of a head: `s` scales widths, `z` heights [m], both 1 of the standard figure; `lean`: ahead and left by
    height; `drop`: how much lower a child's chin is."""

    at: np.ndarray
    s: float
    z: float
    lean: np.ndarray
    drop: float

    def spot(self, x: float, y: float, t: float) -> np.ndarray:
        """A place: x, y in widths, t in heights."""
        return self.at + np.array(
            [x * self.s + self.lean[0] * t * self.z, y * self.s + self.lean[1] * t * self.z, t * self.z]
        )


def head_of(m: Measures, build: Build) -> Head:
    """The head of a figure."""
    L, top = m.height / HEIGHT, np.asarray(m.head, dtype=float)
    lean = top[:2] / max(float(top[2]), 1e-6)
    return Head(
        bind(m)["head"][0],
        L * (1.0 + 0.16 * build.child),
        max(float(top[2]) / 0.255, 0.3 * L),
        lean,
        0.03 * build.child,
    )


def face_places(m: Measures, build: Build) -> dict[str, np.ndarray]:
    """Where the parts of the face are, in the pose that is meshed."""
    h = head_of(m, build)
    out = {
        "forehead": h.spot(0.088, 0.0, 0.188),
        "nape": h.spot(-0.050, 0.0, 0.066),
        "mouth": h.spot(0.094, 0.0, 0.081 - 0.5 * h.drop),
    }
    for name, y in (("left", 1.0), ("right", -1.0)):
        out |= {"ear " + name: h.spot(0.002, y * 0.080, 0.128), "eye " + name: h.spot(0.094, y * 0.031, 0.138)}
        out |= {"brow " + name: h.spot(0.094, y * 0.031, 0.157)}
    return out


def head_lofts(m: Measures, build: Build) -> list[Loft]:
    """Neck, head with hair, ears, and a face: brow, eyes' hollows, nose, lips, chin."""
    L, head = m.height / HEIGHT, head_of(m, build)
    g, at, s, z, lean, drop, spot = L * build.girth, head.at, head.s, head.z, head.lean, head.drop, head.spot
    face = [
        (0.042 - drop, 0.046, 0.034, 0.030),
        (0.058 - drop, 0.036, 0.052, 0.046),
        (0.085 - 0.7 * drop, 0.024, 0.072, 0.059),
        (0.120, 0.012, 0.088, 0.068),
        (0.163, 0.002, 0.098, 0.074),
    ]
    hair = [(0.085, -0.034, 0.052, 0.058), (0.120, -0.022, 0.078, 0.071), (0.163, -0.009, 0.100, 0.080)]
    knots, crown = (
        rising([(t * z, x * s + lean[0] * t * z, lean[1] * t * z, a * s, b * s) for t, x, a, b in table])
        for table in (face, hair)
    )
    neck = [(-0.075 * L, -0.024 * L, 0.0, 0.058 * g, 0.064 * g), (-0.03 * L, -0.016 * L, 0.0, 0.053 * g, 0.055 * g),
            (0.02 * L, -0.004 * L, 0.0, 0.050 * g, 0.049 * g), (0.08 * z, 0.006 * L, 0.0, 0.048 * g, 0.047 * g)]  # fmt: skip

    out = [
        Loft(at, np.eye(3), rising(neck), (0.03 * L, 0.03 * L), 0.035 * L),
        Loft(at, np.eye(3), knots, (0.014 * z, 0.086 * z), 0.012 * L),
        Loft(at, np.eye(3), crown, (0.024 * z, 0.094 * z), 0.006 * L),
        tube(spot(0.095, 0.0, 0.148), spot(0.106, 0.0, 0.114), (0.007 * s, 0.011 * s), 0.012 * L),  # nose
    ]
    for y in (1.0, -1.0):
        out.append(ball(spot(0.106, y * 0.031, 0.138), (0.011 * s, 0.020 * s, 0.012 * s), 0.016 * L, hollow=True))
        out.append(ball(spot(0.002, y * 0.076, 0.128), (0.017 * s, 0.010 * s, 0.028 * z), 0.006 * L))  # ear
        out.append(ball(spot(0.101, y * 0.008, 0.111), (0.009 * s, 0.008 * s, 0.006 * s), 0.006 * L))  # nostril
    out.append(ball(spot(0.090, 0.0, 0.081 - 0.5 * drop), (0.009 * s, 0.020 * s, 0.008 * z), 0.008 * L))  # lips
    out.append(ball(spot(0.078, 0.0, 0.052 - drop), (0.013 * s, 0.018 * s, 0.014 * z), 0.016 * L))  # chin
    return out


def along(
    table: list[tuple[float, ...]], length: float, start: float, L: float, g: float, side: float
) -> list[tuple[float, ...]]:
    """Knots of a part of a limb that goes down its z axis from `start`; y of the table is to the outside."""
    return [(-start - t * length, x * L, side * y * L, a * g, b * g) for t, x, y, a, b in table]


def rising(knots: list[tuple[float, ...]]) -> np.ndarray:
    """Knots in order of z, apart from each other, with radii that are some."""
    table = np.array(sorted(knots), dtype=float)
    table[:, 0] = np.maximum.accumulate(table[:, 0] + 1e-6 * np.arange(len(table)))
    table[:, 3:] = np.maximum(table[:, 3:], 1e-3)
    return table


def tube(a: np.ndarray, b: np.ndarray, radii: tuple[float, float], blend: float) -> Loft:
    """A round loft from a to b."""
    axis = b - a
    length = float(np.linalg.norm(axis))
    z = axis / length
    x = np.cross(z, [0.0, 1.0, 0.0] if abs(z[1]) < 0.9 else [1.0, 0.0, 0.0])
    x /= np.linalg.norm(x)
    turn = np.column_stack([x, np.cross(z, x), z])
    knots = np.array([(0.0, 0.0, 0.0, radii[0], radii[0]), (length, 0.0, 0.0, radii[1], radii[1])])
    return Loft(a, turn, knots, radii, blend)


def ball(at: np.ndarray, radii: tuple[float, float, float], blend: float, hollow: bool = False) -> Loft:
    """An ellipsoid along the axes."""
    thin = 0.02 * radii[2]
    knots = np.array([(-thin, 0.0, 0.0, radii[0], radii[1]), (thin, 0.0, 0.0, radii[0], radii[1])])
    return Loft(at, np.eye(3), knots, (radii[2], radii[2]), blend, hollow)
