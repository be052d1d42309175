"""The body of Nakamura & Yamane 2000, written down once and for good: whatever the default figure becomes,
`human(body="2000")` has these numbers.

Masses and principal inertias are those printed in Table 3 there, the sole is the rectangle of section 5. The table does
not say how its axes lie: that the smallest inertia of each link lies along its segment is our assumption. The paper
took the lengths of the links from the subject who was captured (`human(body="2000", like="clip.bvh")`); without one
they are fractions of the height after Drillis and Contini (as printed in D. A. Winter, Biomechanics and Motor Control
of Human Movement), and where these give none, of ours. Checked in tests/model/test_human.py.
"""

from __future__ import annotations

HEIGHT, MASS = 1.7, 69.0  # m, kg: of the figure whose lengths and masses these are
TABLE_3 = {  # mass [kg], inertia across and along the segment [kg m^2]
    "body": (15.0, 0.4, 0.2),
    "upper body": (16.0, 0.8, 0.4),
    "head": (4.0, 0.1, 0.1),
    "leg": (5.0, 0.2, 0.1),
    "lower leg": (4.0, 0.2, 0.1),
    "foot": (2.0, 0.02, 0.02),
    "arm": (4.0, 0.2, 0.1),
    "lower arm": (2.0, 0.2, 0.1),
}
SOLE, HEEL = (0.19, 0.12), 0.065  # m: length and width; ours: how far the heel is behind the ankle
# height fractions (Drillis and Contini)
ANKLE, KNEE, HIP, SHOULDER = 0.039, 0.285, 0.530, 0.818
UPPER_ARM, LOWER_ARM, SHOULDER_HALF = 0.186, 0.146, 0.129
# height fractions of ours
WAIST, NECK, HIP_HALF = 0.600, 0.850, 0.050
