"""Sections 4.2 and 4.5: which motions each state of a contact constrains, cell by cell (Tables 1 and 2), and where the
virtual link's frame stands (Fig. 2)."""

from __future__ import annotations

import numpy as np

import bunraku as bk
from bunraku_reproduce.experiment import Experiment, part
from bunraku_reproduce.nakamura_yamane_2000.one_box import REGIONS, Answer, answer

# small enough that nothing slips or lets go, and every free motion would accelerate
PUSH = (0.3, 0.2, 0.0, 0.03, 0.02, 0.01)
NAMES = ("vx", "vy", "vz", "wx", "wy", "wz")
STILL = 1e-9  # of an acceleration that is constrained
TABLE_1 = {"point": "vz", "line": "vz wy", "surface": "vz wx wy"}
"""What is constrained whatever slips."""


def constrained(x: Answer, k: int) -> bool:
    """Whether motion k is held; if not, its force is known (zero about a free axis) and it accelerates."""
    return abs(x.a[k]) < STILL and abs(x.free[k]) > 1e-3


def left_free(x: Answer, k: int) -> bool:
    """Whether motion k accelerates and bears no moment."""
    return abs(x.a[k]) > 1e-3 and abs(x.f[k]) < STILL


@part(
    "Constrained motions of a contact",
    section="4.2",
    table="1",
    how="bunraku.step.virtual_link.link_hypotheses.forces(K, a0, c, v, regions, dt, buffers)",
    printed="A table of the contact states point, line and surface (1, 2, 3 or more points): which of vx, vy, "
    "vz, wx, wy, wz "
    "are constrained. vx and vy are while nothing slips, wz while nothing slips or turns.",
)
def states(e: Experiment) -> None:
    for state, region in REGIONS.items():
        x = answer(region, PUSH)
        e.holds(
            f"table-1/{state}/state",
            "Table 1",
            f"{len(region)} contact points are a {state}",
            x.state,
            x.state == state,
        )
        for k in (2, 3, 4):
            held = NAMES[k] in TABLE_1[state].split()
            ok = constrained(x, k) if held else left_free(x, k)
            word = "constrained" if held else "unconstrained"
            found = f"acceleration {x.a[k]:.1e}, " + (f"force {x.f[k]:.3g}" if held else f"moment {x.f[k]:.1e}")
            e.holds(f"table-1/{state}/{NAMES[k]}", "Table 1", f"{state}: {NAMES[k]} is {word}", found, ok)
        ok = constrained(x, 0) and constrained(x, 1)
        e.holds(
            f"table-1/{state}/vx-vy-at-rest",
            "Table 1",
            f"{state}: vx, vy are constrained while vs = 0",
            f"accelerations {x.a[0]:.1e}, {x.a[1]:.1e}",
            ok,
        )
        held = state != "point"
        e.holds(
            f"table-1/{state}/wz-at-rest",
            "Table 1",
            f"{state}: wz is {'constrained' if held else 'unconstrained'} while vs = 0 and wz = 0",
            f"acceleration {x.a[5]:.1e}, moment {x.f[5]:.1e}",
            constrained(x, 5) if held else left_free(x, 5),
        )
        x = answer(region, PUSH, (0.9, 0.4, 0, 0, 0, 0))
        e.holds(
            f"table-1/{state}/vx-vy-slipping",
            "Table 1",
            f"{state}: vx, vy are unconstrained while vs > 0",
            f"{x.mode}, accelerations {x.a[0]:.2f}, {x.a[1]:.2f} m/s2",
            x.mode == "slip" and min(abs(x.a[:2])) > 1e-3,
        )
        about_pv = x.f[5] - x.pv[0] * x.f[1] + x.pv[1] * x.f[0]
        e.holds(
            f"table-1/{state}/wz-slipping",
            "Table 1",
            f"{state}: wz is unconstrained while vs > 0",
            f"acceleration {x.a[5]:.2f} rad/s2, moment about pv {about_pv:.1e} N m",
            abs(x.a[5]) > 1e-3 and abs(about_pv) < 1e-3,
        )


@part(
    "Slipping and turning",
    section="4.5",
    table="2",
    how="as above, with velocities",
    printed="A table: at rest slip and rotation are constrained; where a point of the region is at rest and it "
    "turns, slip is; "
    "where it slips and turns, neither is.",
)
def slipping(e: Experiment) -> None:
    region = REGIONS["surface"]
    rest, turns, both = (
        answer(region, PUSH),
        answer(region, twist=(0, 0, 0, 0, 0, 6.0)),
        answer(region, twist=(1.5, 0.3, 0, 0, 0, 3.0)),
    )
    both_held = constrained(rest, 0) and constrained(rest, 1)
    e.holds("table-2/rest/slip", "Table 2", "vs = 0, wz = 0: slip constrained", f"{rest.a[0]:.1e} m/s2", both_held)
    e.holds(
        "table-2/rest/turn",
        "Table 2",
        "vs = 0, wz = 0: rotation constrained",
        f"{rest.a[5]:.1e} rad/s2",
        constrained(rest, 5),
    )
    moved = np.abs(turns.a[:2]).max()
    e.holds(
        "table-2/turning/slip",
        "Table 2",
        "vs = 0, wz ≠ 0: slip constrained",
        f"{turns.mode}, {moved:.1e} m/s2",
        turns.mode == "spin" and moved < STILL,
    )
    e.holds(
        "table-2/turning/turn",
        "Table 2",
        "vs = 0, wz ≠ 0: rotation unconstrained",
        f"{turns.a[5]:.2f} rad/s2",
        abs(turns.a[5]) > 1e-3,
    )
    e.holds(
        "table-2/both/slip",
        "Table 2",
        "vs ≠ 0, wz ≠ 0: slip unconstrained",
        f"{both.mode}, {both.a[0]:.2f} m/s2",
        both.mode == "slip" and abs(both.a[0]) > 1e-3,
    )
    e.holds(
        "table-2/both/turn",
        "Table 2",
        "vs ≠ 0, wz ≠ 0: rotation unconstrained",
        f"{both.a[5]:.2f} rad/s2",
        abs(both.a[5]) > 1e-3,
    )
    about = answer(region, twist=(0, 0.1, 0, 0, 0, 5.0))
    e.table(
        "centre",
        "4.2",
        "the frame's origin is the instantaneous centre of rotation where that lies in the region",
        (-0.02, 0.0),
        about.centre,
        tolerance=1e-9,
        unit="m",
    )


@part(
    "Frames of virtual links",
    section="4.2",
    figure="1, 2",
    how='bk.World(contact="virtual_link"); world.contacts[k].frame',
    printed="A virtual link that hangs on its parent by six degrees of freedom; "
    "three sketches of a foot on the ground that touches at a point, along a line and with its whole "
    "sole: z is along the "
    "normal out of the parent link, on a line x is along it.",
)
def frames(e: Experiment) -> None:
    world = bk.World(contact="virtual_link")
    world.add_ground(friction=0.8)
    things = {
        "point": world.add(bk.sphere(0.1, 1.0), at=(0, 0, 0.1), name="ball"),
        "line": world.add(bk.capsule(0.1, 0.5, 1.0), at=(1, 0, 0.1), rotation=laid(0.6), name="log"),
        "surface": world.add(bk.box((0.19, 0.12, 0.05), 1.0), at=(2, 0, 0.025), name="sole"),
    }
    world.run(0.05)
    for state, thing in things.items():
        (c,) = thing.contacts
        normal = float(np.abs(c.frame[1][:, 2] - [0, 0, 1]).max())
        e.holds(
            f"fig-2/{state}",
            "Fig. 2",
            f"{state}: z of the frame is the normal out of the parent, the floor",
            f"{c.state}, off by {normal:.1e}",
            c.state == state and normal < 1e-9,
        )
        if state == "line":
            x = c.frame[1][:, 0]
            off = abs(np.cross(x, [np.cos(0.6), np.sin(0.6), 0]))
            e.zero("fig-2/line-x", "Fig. 2", "on a line, x is along it", off.max(), tolerance=1e-6)
    from bunraku.draw.picture import png_bytes

    e.picture(
        png_bytes(bk.picture(world, view="oblique", width=720, height=400)),
        "The printed figure sketches one foot in three states; here a ball, a lying log and a sole touch the "
        "floor at a point, "
        "along a line and with a surface.",
    )


def laid(heading: float) -> np.ndarray:
    """The rotation of a log that lies on the floor, its length (its own z) along a heading."""
    along = np.array([np.cos(heading), np.sin(heading), 0])
    return np.column_stack([[0, 0, -1], np.cross(along, [0, 0, -1]), along])
