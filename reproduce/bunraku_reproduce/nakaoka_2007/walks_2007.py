"""Section 4: nineteen steps in three forms, and the time that a step takes."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import bunraku as bk
from bunraku_reproduce.experiment import BUSY, Experiment, part
from bunraku_reproduce.nakaoka_2007.claims_2007 import small


@part(
    "Nineteen steps: rigid, on rubber, with stabiliser",
    section="4",
    figure="6",
    how="bunraku walk --footsteps nineteen --contact pgs_2007 --integrator rk4 [--bushes] [--no-stabiliser]",
    printed="Photographs of HRP-2 that falls over without its stabiliser, beside the simulation, which falls alike.",
)
def nineteen(e: Experiment) -> None:
    forms = {"rigid": (False, False), "rubber": (True, False), "stabilised": (True, True)}
    with tempfile.TemporaryDirectory() as folder:
        walks = {
            name: bk.walk(
                None,
                "nineteen",
                bushes=soft,
                stabiliser=held,
                contact="pgs_2007",
                sweeps=120,
                integrator="rk4",
                path=Path(folder) / f"{name}.bkr",
            )
            for name, (soft, held) in forms.items()
        }
        pattern = walks["rigid"].pattern
        e.equal("walk/steps", "4", "steps of the pattern", 19, len(pattern.steps), tolerance=0)
        e.equal("walk/seconds", "4", "length of the pattern", 20.0, pattern.duration, tolerance=0.5, unit="s")
        yaw, ahead = turns(pattern)
        e.holds("walk/turns", "4", "it turns", f"by {yaw:.0f} degrees", yaw > 10)
        e.holds("walk/backwards", "4", "and goes backwards", f"{ahead} steps backwards", ahead > 0)
        margin = least_margin(pattern)
        e.at_least(
            "walk/zmp",
            "4",
            "its zero-moment point stays in the stable region: least distance from the edge",
            0.0,
            1e3 * margin,
            unit="mm",
        )
        said = {name: told(walk) for name, walk in walks.items()}
        e.holds(
            "walk/rigid",
            "4",
            "without bushes it does not fall, even without a stabiliser",
            said["rigid"],
            complete(walks["rigid"]),
        )
        e.holds(
            "walk/rubber",
            "4, Fig. 6",
            "with bushes it falls without a stabiliser",
            said["rubber"],
            walks["rubber"].fell is not None,
        )
        e.holds(
            "walk/stabilised",
            "4",
            "with bushes and stabiliser it does not fall",
            said["stabilised"],
            complete(walks["stabilised"]),
        )
        small(
            e,
            "walk/place",
            "4",
            "and ends where it was to: the farther foot is off by",
            0.05,
            max(x.distance for x in walks["stabilised"].walker.footstep_error()),
            unit="m",
        )
        picture = Path(folder) / "fall.png"
        fall = walks["rubber"]
        bk.picture(fall.recording, picture, most=7, width=1100, height=460)
        e.picture(
            picture.read_bytes(),
            "Printed: HRP-2 and its simulation tip over sideways in the same way. Ours: the human "
            "figure on rubber without a "
            f"stabiliser, which falls at {fall.fell or 0:.1f} s.",
        )
        for walk in walks.values():
            walk.recording.close()


def turns(pattern: bk.WalkingPattern) -> tuple[float, int]:
    """Degrees turned, and steps backwards."""
    steps = pattern.steps
    back = 0
    for a, b in zip(steps, steps[2:]):
        way = np.subtract(b.position, a.position)[:2] @ (np.cos(b.yaw), np.sin(b.yaw))
        back += bool(way < -0.01)
    return float(np.degrees(steps[-1].yaw)), back


def least_margin(pattern: bk.WalkingPattern) -> float:
    """The least distance [m] of the reference from the edge of the one sole that stands, or of either where both do."""
    least = np.inf
    feet = pattern.humanoid.feet
    for k in range(0, len(pattern.times), 5):
        inside = []
        for f in feet:
            if pattern.contact[k, f.side]:
                at = pattern.sole_rotation[k, f.side].T @ (pattern.zmp[k] - pattern.sole_position[k, f.side])
                inside.append(float(min(f.half[0] - abs(at[0]), f.half[1] - abs(at[1]))))
        if len(inside) == 1:
            least = min(least, inside[0])
    return float(least)


def complete(walk: bk.Walk) -> bool:
    """Whether all steps were done and nothing fell."""
    return walk.fell is None and len(walk.report.landings) == 19


def told(walk: bk.Walk) -> str:
    """What happened."""
    end = "no fall" if walk.fell is None else f"fell at {walk.fell:.1f} s"
    return f"{len(walk.report.landings)} of 19 steps, {end}"


@part(
    "Time of a step against contact points",
    section="4",
    figure="7",
    how="bunraku bench walk",
    printed="Milliseconds of one step against the number of contact points, for HRP-2 with 36 "
    "degrees of freedom, on a Pentium D 940.",
)
def computing_time(e: Experiment) -> None:
    from bunraku.draw.walk_plots import contact_plot
    from bunraku_bench.bench_walk_time import against_contacts

    found = against_contacts(1, "pgs_2007", cuts=(1, 2, 3, 4), steps=4)
    ours = against_contacts(1, "pgs", cuts=(1, 4), steps=4)
    e.equal("time/dof", "4", "degrees of freedom, bushes included", 36, found["joint_dof"], tolerance=0)
    most = found["table"][-1]
    e.at_least("time/points", "Fig. 7", "contact points: some tens", 30, most["points"])
    e.at_most(
        "time/published",
        "4, Fig. 7",
        f"near real time, 1 ms, up to some tens of points: {most['points']} points, published iteration "
        "(detection included)",
        1.0,
        1e-3 * most["us"],
        unit="ms",
        reason=BUSY,
    )
    last = ours["table"][-1]
    e.at_most(
        "time/pgs",
        "4, Fig. 7",
        f"the same with Bunraku's solver, {last['points']} points",
        1.0,
        1e-3 * last["us"],
        unit="ms",
        reason=BUSY,
    )
    e.picture(
        contact_plot(found),
        "Printed: points that rise from below one to several milliseconds with the number of contact "
        "points. Ours: microseconds, median "
        "of pieces of 20 steps, published iteration with at most 120 sweeps.",
    )
