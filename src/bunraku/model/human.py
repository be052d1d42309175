"""The human figure of Nakamura & Yamane 2000: 28 degrees of freedom and a free base, 69 kg, soles of 19 x 12 cm.

Masses, principal inertias, sole and lengths: bunraku.model.body_2000. Joints: Fig. 5 of the paper – waist 3, neck 3, and
on each side hip 3, knee 1, ankle 3, shoulder 3, elbow 1. Hands are frames of the lower arms. All ranges and torque limits
are ours. Everything scales: lengths with height / 1.7 m, masses with mass / 69 kg, inertias with both. A figure may have
a person's measures instead (bunraku.model.body_lengths): inertias of limbs then scale with the limb's own length.

Axes at rest: x forward, y left, z up; every link's z points up along its segment, so that the twist of a ball joint
turns the segment about itself. Knee and elbow are positive in flexion. The base is the pelvis, placed so that the soles
(that of the longer leg, where legs differ) touch z = 0.
"""

from __future__ import annotations

import math
from dataclasses import replace

from bunraku.errors import InputError
from bunraku.model.body_2000 import HEEL, HEIGHT, HIP, MASS, SOLE, TABLE_3
from bunraku.model.body_lengths import Measures, Place, standard
from bunraku.model.description import Description, Joint, Shape, ball, free, hinge
from bunraku.model.model import Model

SKIN, CLOTH, SHOE = (0.87, 0.72, 0.6, 1.0), (0.25, 0.4, 0.65, 1.0), (0.2, 0.2, 0.22, 1.0)
HAND = 0.03  # m from the wrist to the middle of the hand, at a height of 1.7 m


def human(height: float = HEIGHT, mass: float = MASS) -> Model:
    """The 28-DoF figure as a Model. height [m], mass [kg]."""
    return describe_human(height, mass).build()


def describe_human(height: float = HEIGHT, mass: float = MASS) -> Description:
    """The figure of `human` as a Description, to be changed before it is built. height [m], mass [kg]."""
    in_range("height", height, 0.3, 3.0)
    in_range("mass", mass, 1.0, 500.0)
    return figure_of(standard(height), mass)


def describe_2000(measures: Measures) -> Description:
    """The figure with the masses and inertias of Table 3 as printed, and the sole of 19 x 12 cm, of whatever length its
    links are."""
    return figure_of(replace(measures, sole=SOLE, heel=HEEL), None)


def in_range(name: str, x: float, low: float, high: float) -> None:
    """Refuse what is no number of a person."""
    if not isinstance(x, int | float) or not (math.isfinite(x) and low <= x <= high):
        raise InputError(f"human: {name} {x} is not a number between {low} and {high}.")


def figure_of(m: Measures, mass: float | None) -> Description:
    """The figure of some measures and a mass [kg]; None: masses and inertias of Table 3 as printed."""
    usual, L = standard(m.height), m.height / HEIGHT
    M = 1.0 if mass is None else mass / MASS
    sole, heel, ankle, hand = m.sole, m.heel, m.ankle, HAND * L
    low, up, top = m.waist[2], m.neck[2], m.head[2]
    middle = sole[0] / 2 - heel  # of the sole, from the ankle
    fig = Description(name="human")

    def segment(
        name: str, parent: str | None, joint: Joint, at: Place, of: str, com: Place, shapes: list[Shape], *, size: float = L
    ) -> None:  # fmt: skip
        """size: of the segment, of the figure's whose inertia is printed."""
        own, lateral, along = TABLE_3[of]
        k = 1.0 if mass is None else M * size * size
        moments = (k * lateral, k * lateral, k * along)
        fig.add(name, parent, joint, at=at, mass=M * own, com=com, moments=moments, shapes=shapes)

    def limb(length: float, radius: float, color: tuple[float, float, float, float]) -> Shape:
        return Shape("capsule", (radius * L, max(length / 2 - radius * L, 0.01)), (0, 0, -length / 2), color=color)

    def joint3(name: str, swing: float, twist: float, effort: float) -> Joint:
        return ball(name, swing=swing, twist=(-twist, twist), effort=effort * M * L)

    def joint1(name: str, forward: float, effort: float) -> Joint:
        return hinge(name, (0, forward, 0), lower=0.0, upper=2.6, effort=effort * M * L)

    def half(a: Place, z: float) -> Place:
        """Half way to a place, at height z."""
        return (a[0] / 2, a[1] / 2, z)

    legs = [m.thigh[k] + m.shank[k] - m.hip[k][2] for k in (0, 1)]
    floor = HIP * m.height if m == usual else max(legs) + ankle
    wide = m.shoulder[0][1] - m.shoulder[1][1], usual.shoulder[0][1] - usual.shoulder[1][1]
    waist = (0.085 * L, 0.15 * L, max(low / 2 + 0.02 * L, 0.04 * L))
    hips = Shape("box", waist, half(m.waist, low / 2 - 0.02 * L), color=CLOTH)
    segment("pelvis", None, free("root"), (0, 0, floor), "body", half(m.waist, low / 2), [hips])
    breast = (0.09 * L, 0.16 * L * (wide[0] / wide[1]), max(up / 2 - 0.02 * L, 0.04 * L))
    chest = Shape("box", breast, half(m.neck, up / 2), color=CLOTH)
    throat = Shape("capsule", (0.05 * L, 0.02 * L), m.neck, color=SKIN)
    joint = joint3("waist", 0.9, 0.8, 250)
    segment("trunk", "pelvis", joint, m.waist, "upper body", half(m.neck, up / 2), [chest, throat])
    round_ = min(0.105 * L, max(0.45 * top, 0.03 * L))
    skull = Shape("sphere", (round_,), (0.01 * L + m.head[0], m.head[1], top - round_), color=SKIN)
    segment("head", "trunk", joint3("neck", 1.0, 1.3, 40), m.neck, "head", half(m.head, top / 2), [skull])
    fig.frame("head_top", "head", m.head)
    own = usual.thigh[0], usual.shank[0], usual.upper_arm[0], usual.lower_arm[0]
    for k, side in enumerate(("left_", "right_")):
        thigh_, shank_, foot_, upper_, lower_ = (side + x for x in ("thigh", "shank", "foot", "upper_arm", "lower_arm"))
        thigh, shank, arm, forearm = m.thigh[k], m.shank[k], m.upper_arm[k], m.lower_arm[k]
        size = [L * (a / b) for a, b in zip((thigh, shank, arm, forearm), own)]
        joint, shapes = joint3(side + "hip", 2.0, 0.8, 220), [limb(thigh, 0.07, CLOTH)]
        segment(thigh_, "pelvis", joint, m.hip[k], "leg", (0, 0, -0.433 * thigh), shapes, size=size[0])
        joint, shapes = joint1(side + "knee", 1.0, 220), [limb(shank, 0.05, CLOTH)]
        com = (0, 0, -0.433 * shank)
        segment(shank_, thigh_, joint, (0, 0, -thigh), "lower leg", com, shapes, size=size[1])
        box = (sole[0] / 2, sole[1] / 2, ankle / 2)
        shoe = Shape("box", box, (middle, 0, -ankle / 2), color=SHOE, name=side + "sole")
        joint = joint3(side + "ankle", 0.9, 0.6, 150)
        segment(foot_, shank_, joint, (0, 0, -shank), "foot", (middle / 2, 0, -ankle / 2), [shoe])
        fig.frame(side + "sole", foot_, (middle, 0, -ankle))
        fig.frame(side + "toe", foot_, (sole[0] - heel, 0, -ankle))
        fig.frame(side + "heel", foot_, (-heel, 0, -ankle))
        joint, shapes = joint3(side + "shoulder", 2.9, 1.6, 90), [limb(arm, 0.045, CLOTH)]
        segment(upper_, "trunk", joint, m.shoulder[k], "arm", (0, 0, -0.436 * arm), shapes, size=size[2])
        fist = Shape("sphere", (0.045 * L,), (0, 0, -forearm - hand), color=SKIN)
        joint, shapes = joint1(side + "elbow", -1.0, 60), [limb(forearm, 0.037, SKIN), fist]
        segment(lower_, upper_, joint, (0, 0, -arm), "lower arm", (0, 0, -0.43 * forearm), shapes, size=size[3])
        fig.frame(side + "hand", lower_, (0, 0, -forearm - hand))
        fig.collide_exclude += [("pelvis", thigh_), ("trunk", thigh_), ("trunk", upper_)]
        fig.collide_exclude += [(thigh_, shank_), (shank_, foot_), (upper_, lower_)]
    fig.collide_exclude += [("pelvis", "trunk"), ("trunk", "head"), ("left_thigh", "right_thigh")]
    return fig
