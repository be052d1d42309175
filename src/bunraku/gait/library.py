"""The gait library: the report's flat gait, and walks of our own for the other kinds it names (section 5.2)."""

from __future__ import annotations

from bunraku.gait.pattern import Gait, Pattern
from bunraku.gait.zmp import zmp_case


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
    )
