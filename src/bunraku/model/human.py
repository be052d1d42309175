"""The human figure of Nakamura & Yamane 2000: 28 degrees of freedom and a free base, 69 kg, soles of 19 x 12 cm.

Masses and principal inertias: Table 3 of that paper; its smallest principal inertia lies along the segment, which is
our assumption (the table does not say how its axes lie). Joints: Fig. 5 there – waist 3, neck 3, and on each side hip
3, knee 1, ankle 3, shoulder 3, elbow 1. Hands are frames of the lower arms. Segment lengths are fractions of the height
after Drillis and Contini (as printed in D. A. Winter, Biomechanics and Motor Control of Human Movement); the waist, the
neck and the distance of the hips, which they do not give, and all ranges and torque limits are ours. Everything scales:
lengths with height / 1.7 m, masses with mass / 69 kg, inertias with both.

Axes at rest: x forward, y left, z up; every link's z points up along its segment, so that the twist of a ball joint
turns the segment about itself. Knee and elbow are positive in flexion. The base is the pelvis, placed so that the soles
touch z = 0.
"""

from __future__ import annotations

import math

from bunraku.errors import InputError
from bunraku.model.description import Description, Joint, Shape, ball, free, hinge
from bunraku.model.model import Model

# height fractions (Drillis and Contini)
ANKLE, KNEE, HIP, SHOULDER = 0.039, 0.285, 0.530, 0.818
UPPER_ARM, LOWER_ARM, SHOULDER_HALF = 0.186, 0.146, 0.129
# height fractions of ours
WAIST, NECK, HIP_HALF = 0.600, 0.850, 0.050
# Table 3 of Nakamura & Yamane 2000: mass [kg], inertia across and along the segment [kg m^2]
TABLE_3 = {
    "body": (15.0, 0.4, 0.2),
    "upper body": (16.0, 0.8, 0.4),
    "head": (4.0, 0.1, 0.1),
    "leg": (5.0, 0.2, 0.1),
    "lower leg": (4.0, 0.2, 0.1),
    "foot": (2.0, 0.02, 0.02),
    "arm": (4.0, 0.2, 0.1),
    "lower arm": (2.0, 0.2, 0.1),
}
Place = tuple[float, float, float]
SOLE = (0.19, 0.12)  # m, at a height of 1.7 m
HEEL = 0.065  # m behind the ankle, at a height of 1.7 m


def human(height: float = 1.7, mass: float = 69.0) -> Model:
    """The 28-DoF figure as a Model. height [m], mass [kg]."""
    return describe_human(height, mass).build()


def describe_human(height: float = 1.7, mass: float = 69.0) -> Description:
    """The figure of `human` as a Description, to be changed before it is built. height [m], mass [kg]."""
    for name, x, low, high in (("height", height, 0.3, 3.0), ("mass", mass, 1.0, 500.0)):
        if not isinstance(x, int | float) or not (math.isfinite(x) and low <= x <= high):
            raise InputError(f"human: {name} {x} is not a number between {low} and {high}.")
    L, M, H = height / 1.7, mass / 69.0, height
    skin, cloth, shoe = (0.87, 0.72, 0.6, 1.0), (0.25, 0.4, 0.65, 1.0), (0.2, 0.2, 0.22, 1.0)
    thigh, shank, ankle = (HIP - KNEE) * H, (KNEE - ANKLE) * H, ANKLE * H
    arm, forearm, hand = UPPER_ARM * H, LOWER_ARM * H, 0.03 * L
    low, up, top = (WAIST - HIP) * H, (NECK - WAIST) * H, (1 - NECK) * H
    sole, heel = (SOLE[0] * L, SOLE[1] * L), HEEL * L
    middle = sole[0] / 2 - heel  # of the sole, from the ankle
    fig = Description(name="human")

    def segment(
        name: str, parent: str | None, joint: Joint, at: Place, of: str, com: Place, shapes: list[Shape]
    ) -> None:
        m, lateral, along = TABLE_3[of]
        k = M * L * L
        fig.add(
            name,
            parent,
            joint,
            at=at,
            mass=M * m,
            com=com,
            moments=(k * lateral, k * lateral, k * along),
            shapes=shapes,
        )

    def limb(length: float, radius: float, color: tuple[float, float, float, float]) -> Shape:
        return Shape("capsule", (radius * L, max(length / 2 - radius * L, 0.01)), (0, 0, -length / 2), color=color)

    def joint3(name: str, swing: float, twist: float, effort: float) -> Joint:
        return ball(name, swing=swing, twist=(-twist, twist), effort=effort * M * L)

    def joint1(name: str, forward: float, effort: float) -> Joint:
        return hinge(name, (0, forward, 0), lower=0.0, upper=2.6, effort=effort * M * L)

    hips = Shape("box", (0.085 * L, 0.15 * L, low / 2 + 0.02 * L), (0, 0, low / 2 - 0.02 * L), color=cloth)
    segment("pelvis", None, free("root"), (0, 0, HIP * H), "body", (0, 0, low / 2), [hips])
    chest = Shape("box", (0.09 * L, 0.16 * L, up / 2 - 0.02 * L), (0, 0, up / 2), color=cloth)
    throat = Shape("capsule", (0.05 * L, 0.02 * L), (0, 0, up), color=skin)
    segment(
        "trunk", "pelvis", joint3("waist", 0.9, 0.8, 250), (0, 0, low), "upper body", (0, 0, up / 2), [chest, throat]
    )
    skull = Shape("sphere", (0.105 * L,), (0.01 * L, 0, top - 0.105 * L), color=skin)
    segment("head", "trunk", joint3("neck", 1.0, 1.3, 40), (0, 0, up), "head", (0, 0, top / 2), [skull])
    fig.frame("head_top", "head", (0, 0, top))
    for side, y in (("left_", 1.0), ("right_", -1.0)):
        thigh_, shank_, foot_, upper_, lower_ = (side + x for x in ("thigh", "shank", "foot", "upper_arm", "lower_arm"))
        hip = (0, y * HIP_HALF * H, 0)
        segment(
            thigh_,
            "pelvis",
            joint3(side + "hip", 2.0, 0.8, 220),
            hip,
            "leg",
            (0, 0, -0.433 * thigh),
            [limb(thigh, 0.07, cloth)],
        )
        knee = joint1(side + "knee", 1.0, 220)
        segment(shank_, thigh_, knee, (0, 0, -thigh), "lower leg", (0, 0, -0.433 * shank), [limb(shank, 0.05, cloth)])
        shoe_ = Shape(
            "box", (sole[0] / 2, sole[1] / 2, ankle / 2), (middle, 0, -ankle / 2), color=shoe, name=side + "sole"
        )
        segment(
            foot_,
            shank_,
            joint3(side + "ankle", 0.9, 0.6, 150),
            (0, 0, -shank),
            "foot",
            (middle / 2, 0, -ankle / 2),
            [shoe_],
        )
        fig.frame(side + "sole", foot_, (middle, 0, -ankle))
        fig.frame(side + "toe", foot_, (sole[0] - heel, 0, -ankle))
        fig.frame(side + "heel", foot_, (-heel, 0, -ankle))
        shoulder = (0, y * SHOULDER_HALF * H, (SHOULDER - WAIST) * H)
        joint = joint3(side + "shoulder", 2.9, 1.6, 90)
        segment(upper_, "trunk", joint, shoulder, "arm", (0, 0, -0.436 * arm), [limb(arm, 0.045, cloth)])
        fist = Shape("sphere", (0.045 * L,), (0, 0, -forearm - hand), color=skin)
        shapes = [limb(forearm, 0.037, skin), fist]
        segment(
            lower_, upper_, joint1(side + "elbow", -1.0, 60), (0, 0, -arm), "lower arm", (0, 0, -0.43 * forearm), shapes
        )
        fig.frame(side + "hand", lower_, (0, 0, -forearm - hand))
        fig.collide_exclude += [("pelvis", thigh_), ("trunk", thigh_), ("trunk", upper_)]
        fig.collide_exclude += [(thigh_, shank_), (shank_, foot_), (upper_, lower_)]
    fig.collide_exclude += [("pelvis", "trunk"), ("trunk", "head"), ("left_thigh", "right_thigh")]
    return fig
