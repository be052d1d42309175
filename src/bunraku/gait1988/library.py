"""The gait library: the report's flat gait, and walks of our own for the other kinds it names (section 5.2).

Only data (1), the flat gait, is printed (Fig. 5.1). The others – usual, smooth and long-stride walks, stairs up and
down – are ours, made by `stride` from a few lengths and marked `source = "Bunraku"`. In the usual gait the foot rolls
over its heel or toe only while the ZMP stands there: a flat sole that bears in its middle cannot turn; so in case IV
it stays flat, in case V it rolls over the heel only. The hip is as high as the legs reach, less 2 to 13 mm, so that the
knees are no more bent than one carrying foot at a time asks for: at the switch of feet both legs reach the floor a
step apart. Checked in tests/gait1988/test_library.py: every gait solves and
passes `checks`, the report's own except where the report says so.
"""

from __future__ import annotations

from collections.abc import Callable

from bunraku.errors import UnknownName, closest
from bunraku.gait1988.pattern import Gait, Pattern
from bunraku.gait1988.stride import Stride, make_gait
from bunraku.gait1988.twelve_bodies import SOLE_HEEL, SOLE_TOE
from bunraku.gait1988.zmp import Zmp, zmp_case


def flat(case: str = "IV") -> Gait:
    """Data (1) of the report (Fig. 5.1): arms fixed, feet always level; ZMP case I-V of Fig. 5.6."""
    return Gait(
        "flat",
        Pattern("BETA1", (1, 25, 38, 53, 67, 81), (-0.1396, 0.1745, 0.1047, -0.3839, -0.3665, -0.1396)),
        Pattern("BETA2", (1, 35, 43, 50, 81), (-0.1745, 0.2268, 0.5061, 0.2094, -0.1745)),
        zmp_case("flat", case),
        starts=(
            (0.007, 0.3, 0.7, 1.8),
            (0.02, 0.3, 0.7, 1.8),
            (0.007, 0.4, 0.7, 1.8),
            (0.007, 0.3, 0.7, 2.0),
            (0.007, 0.3, 0.7, 1.6),
        ),
        source="JAERI-M 88-080, data (1), Fig. 5.1",
        note="Feet always level, arms fixed.",
    )


USUAL_HIP = {"I": 0.885, "II": 0.875, "III": 0.875, "IV": 0.865, "V": 0.865}
"""Height of the hip in m by ZMP case: the further the foot rolls over its toe, the longer the leg behind reaches."""


def usual(case: str = "I") -> Gait:
    """A usual walk (ours): 0.5 m steps, rolling over heel and toe; ZMP case I-V of Fig. 5.7."""
    zmp = zmp_case("usual", case)
    heel, toe = zmp.x[0], zmp.x[-1]
    stride = Stride(
        step=0.5,
        hip=USUAL_HIP[case.upper()],
        surge=0.03,
        dip=0.02,
        lift=0.055,
        heel_pitch=0.25 if heel < 0.0 else 0.0,
        toe_pitch=0.40 if toe > 0.0 else 0.0,
        heel=heel if heel < 0.0 else SOLE_HEEL,
        toe=toe if toe > 0.0 else SOLE_TOE,
    )
    return make_gait("usual", stride, zmp, "Usual walk: lands on the heel, leaves over the toe where the ZMP allows.")


def smooth() -> Gait:
    """A smooth walk (ours): 0.4 m steps, level feet, the ZMP moving forward in six small steps."""
    zmp = Zmp((0.15, 0.3, 0.45, 0.6, 0.75, 1.0), (-0.03, -0.015, 0.0, 0.015, 0.03, 0.045), "smooth")
    return make_gait(
        "smooth", Stride(0.4, 0.87, surge=0.03, lift=0.055), zmp, "Smooth walk: short steps, little trunk motion."
    )


def long_stride() -> Gait:
    """A walk with a long stride (ours): 0.66 m steps with bent knees."""
    zmp = Zmp((0.15, 0.6, 1.0), (-0.05, 0.0, 0.10), "long stride")
    stride = Stride(0.66, 0.835, surge=0.05, dip=0.02, lift=0.08, heel_pitch=0.3, toe_pitch=0.45, heel=-0.05, toe=0.10)
    return make_gait("long_stride", stride, zmp, "Long stride: 0.66 m steps, knees bent.")


def stairs_up() -> Gait:
    """Stairs up (ours): treads 0.30 m, rise 0.15 m, level feet."""
    stride = Stride(0.30, 0.725, rise=0.15, surge=0.02, lift=0.05, lead=-0.01, forward=(0.2, 1.0), upward=(0.0, 0.7))
    return make_gait("stairs_up", stride, Zmp((1.0,), (0.02,), "stairs"), "Stairs up: 0.30 m treads, 0.15 m rise.")


def stairs_down() -> Gait:
    """Stairs down (ours): treads 0.30 m, fall 0.15 m, level feet."""
    stride = Stride(0.30, 0.87, rise=-0.15, surge=0.02, lift=0.05, lead=-0.02, forward=(0.0, 0.8), upward=(0.3, 1.0))
    return make_gait("stairs_down", stride, Zmp((1.0,), (0.02,), "stairs"), "Stairs down: 0.30 m treads, 0.15 m fall.")


GAITS: dict[str, Callable[..., Gait]] = {
    "flat": flat,
    "usual": usual,
    "smooth": smooth,
    "long_stride": long_stride,
    "stairs_up": stairs_up,
    "stairs_down": stairs_down,
}
"""Every gait of the library by name; `flat` and `usual` take a ZMP case I-V."""

CASED = ("flat", "usual")


def library_gait(name: str, case: str | None = None) -> Gait:
    """A gait by name, with a ZMP case of the report where it has them."""
    if name not in GAITS:
        raise UnknownName(f"there is no gait {name!r} in the library.{closest(name, GAITS)}")
    if case is None:
        return GAITS[name]()
    if name not in CASED:
        raise UnknownName(f"gait {name!r} has no ZMP cases; those of the report belong to {' and '.join(CASED)}.")
    return GAITS[name](case)
