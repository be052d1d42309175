"""Chapter 5: decks of GAIT, BIDYN and MOMA, basic walking patterns, cases of the ZMP."""

from __future__ import annotations

import numpy as np

from bunraku.gait1988.cards import read_dynamics_cards, read_gait_cards, write_dynamics_cards, write_gait_cards
from bunraku.gait1988.checks import progress
from bunraku.gait1988.library import flat
from bunraku.gait1988.report_integrator import ReportProgram
from bunraku.gait1988.report_shooting import search
from bunraku.gait1988.zmp import FLAT_CASES, USUAL_CASES
from bunraku_reproduce.experiment import Experiment, part
from bunraku_reproduce.jaeri_1988.printed import FIG_5_3, FIRST
from bunraku_reproduce.jaeri_1988.walks_1988 import exact

GAIT_DECK = """\
       2.0
   33   73
 BETA1
    6
    1   25   38   53   67   81
   -0.1396    0.1745    0.1047   -0.3839   -0.3665   -0.1396
 BETA2
    5
    1   35   43   50   81
   -0.1745    0.2268    0.5061    0.2094   -0.1745
"""
BIDYN_DECK = """\
 BETA1 AND BETA2 ARE READ

     1.0     1.0
    0.20     0.6   0.035    0.02
               0.007                0.30                0.70                 1.8
                0.02                0.30                0.70                 1.8
               0.007                0.40                0.70                 1.8
               0.007                0.30                0.70                 2.0
               0.007                0.30                0.70                 1.6
"""
MOMA_DECK = """\
 BETA1 AND BETA2 ARE READ

     1.0     1.0
     0.2     0.6   0.035    0.02
          0.00083247          0.03079999          0.70261312          2.12083340
"""
DEGREES = {
    "beta1": ((-8, 10, 6, -22, -21, -8), (-0.1396, 0.1745, 0.1047, -0.3839, -0.3665, -0.1396)),
    "beta2": ((-10, 13, 29, 12, -10), (-0.1745, 0.2268, 0.5061, 0.2094, -0.1745)),
}
"""Section 5.2: degrees read from Fig. 5.4, and radians (two misprints of its last column put right)."""
FIG_5_6 = {
    "I": ((1.0,), (0.0,)),
    "II": ((0.3, 0.5, 1.0), (0.0, 0.035, 0.070)),
    "III": ((0.5, 0.8, 1.0), (0.0, 0.035, 0.070)),
    "IV": ((0.2, 1.0), (-0.020, 0.0)),
    "V": ((0.2, 0.6, 1.0), (-0.020, 0.0, 0.035)),
}
FIG_5_7 = {
    "I": ((0.15, 0.5, 1.0), (-0.05, 0.0, 0.07)),
    "II": ((0.15, 0.6, 1.0), (-0.02, 0.0, 0.07)),
    "III": ((0.15, 0.6, 1.0), (-0.03, 0.0, 0.1)),
    "IV": ((1.0,), (0.0,)),
    "V": ((0.15, 1.0), (-0.05, 0.0)),
}
GAITS = {
    "2": ("arms free, usual walk", "usual"),
    "3": ("arms fixed, smooth walk", "smooth"),
    "4": ("arms fixed, usual walk", "usual"),
    "5": ("arms fixed, long stride", "long_stride"),
    "6": ("arms fixed, level feet, stairs up", "stairs_up"),
    "7": ("arms free, level feet, stairs down", "stairs_down"),
    "8": ("arms fixed, usual walk, sent by Vukobratovic", "usual"),
}


@part(
    "Decks",
    section="5.1",
    figure="5.1, 5.2, 5.3",
    how="bunraku gait convert flat a.gait; bunraku gait moments flat --moma a.moma; examples/gait_decks.py",
    printed="Cards of GAIT, BIDYN and MOMA in fixed columns.",
)
def decks(e: Experiment) -> None:
    legs = read_gait_cards(GAIT_DECK, "Fig. 5.1")
    again = read_gait_cards(write_gait_cards(legs)) == legs
    e.holds(
        "fig-5.1", "Fig. 5.1", "GAIT's deck is read, and written as it was", f"{len(legs.patterns)} patterns", again
    )
    bidyn = read_dynamics_cards(BIDYN_DECK, "Fig. 5.2")
    again = read_dynamics_cards(write_dynamics_cards(bidyn)) == bidyn
    e.holds("fig-5.2", "Fig. 5.2", "BIDYN's deck is read, and written as it was", f"{len(bidyn.starts)} starts", again)
    moma = read_dynamics_cards(MOMA_DECK, "Fig. 5.3", one_start=True)
    again = read_dynamics_cards(write_dynamics_cards(moma), one_start=True) == moma
    e.holds("fig-5.3", "Fig. 5.3", "MOMA's deck is read, and written as it was", "one start", again)
    found = search(ReportProgram(flat("V")), FIRST)
    e.table("fig-5.3/start", "Fig. 5.3", "the start on MOMA's deck: case V from the first start of Fig. 5.2", FIG_5_3, found.start,
            tolerance=0.001, unit="rad, rad/s")  # fmt: skip
    e.holds("card-2", "5.1", "card 2 of GAIT is 2F10.6", "2I5, and 2F10.6 where there is a decimal point", False,
            reason="The text says 2F10.6, its own example in Fig. 5.1 has whole numbers in five columns; both are read.")  # fmt: skip
    e.holds("tcym", "5.1", "TCYM is the time of one step", "of two steps", False,
            reason="Fig. 5.1 has TCYM = 2.0 and Fig. 6.1 a time step of 0.025 s = TCYM / 80: two steps.")  # fmt: skip
    card = flat("V").zmp.to_card()
    claim = "BE1, BE2: from the mass centre to the toe, from the heel to the mass centre"
    e.holds(
        "be1",
        "5.1",
        claim,
        "places of the ZMP ahead of the foot's centre and behind it",
        card == (0.2, 0.6, 0.035, 0.02),
    )


@part(
    "Basic walking patterns",
    section="5.2",
    figure="5.4, 5.5",
    how="bunraku gait smooth flat; bunraku gait solve usual",
    printed="Polylines of the angles of thigh and shank over two steps, read from graphs; a list of eight patterns, of which two were tried.",
)
def patterns(e: Experiment) -> None:
    for name, (degrees, radians) in DEGREES.items():
        ours = flat().beta1.angle if name == "beta1" else flat().beta2.angle
        e.table(
            f"{name}/radians",
            "5.2",
            f"{name}: degrees as radians",
            np.radians(degrees),
            radians,
            tolerance=1e-4,
            unit="rad",
        )
        e.table(
            f"{name}/used", "Fig. 5.1", f"{name} of the library's flat gait", radians, ours, tolerance=0.0, unit="rad"
        )
    e.holds("beta1/last", "5.2", "the last angle of beta1 is 8 degrees", "-8 degrees", False,
            reason="A sign lost in the table: its own radians are -0.1396, and the walk repeats.")  # fmt: skip
    e.holds("beta2/last", "5.2", "the last length of beta2 is -10.5 mm", "-5 mm", False,
            reason="The same line has -10 degrees, which is -5 mm at 2 degrees a millimetre.")  # fmt: skip
    walk = exact()
    switch = max(abs(walk.theta[0]), abs(walk.theta[-1]))
    e.zero(
        "switch",
        "5.2",
        "the feet change where theta goes through zero: theta there (rad; theta reaches 0.147)",
        switch,
        tolerance=0.005,
    )
    e.holds(
        "gait-1",
        "5.2",
        "pattern 1: arms fixed, feet always level",
        "the library's flat gait, of Fig. 5.1",
        len(flat().patterns) == 2,
    )
    for number, (name, ours) in GAITS.items():
        found = exact(ours)
        what = f"our {ours}: {progress(found):.2f} m a step, psi {np.degrees(found.psi.min()):.0f} to {np.degrees(found.psi.max()):.0f} degrees"
        e.holds(f"gait-{number}", "5.2", f"pattern {number}: {name}", what, False,
                reason="Its angles are not printed. Ours is made of a few lengths and passes all checks of a walk.")  # fmt: skip


@part(
    "Cases of the zero-moment point",
    section="5.3",
    figure="5.6, 5.7",
    how="bunraku gait solve flat --case II; bunraku gait solve usual --case III",
    printed="Five ways in which the ZMP moves under the foot, for the flat and for the usual gait.",
)
def cases(e: Experiment) -> None:
    for kind, printed, ours in (("flat", FIG_5_6, FLAT_CASES), ("usual", FIG_5_7, USUAL_CASES)):
        figure = "5.6" if kind == "flat" else "5.7"
        for case, (until, x) in printed.items():
            zmp, walk = ours[case], exact(kind, case, 81)
            same = zmp.until == until and zmp.x == x
            low, high = np.degrees(walk.psi.min()), np.degrees(walk.psi.max())
            solved = float(np.abs(walk.residual).max()) < 1e-9 and walk.force[:, 2].min() > 0.0
            e.holds(f"case-{kind}/{case}", f"Fig. {figure}", f"case {case} of the {kind} gait is a walk",
                    f"periodic, psi {low:.1f} to {high:.1f} degrees", same and solved)  # fmt: skip
