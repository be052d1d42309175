"""Section 4, Fig. 2: the left hand dragged down, by dynamics and by kinematics alone."""

from __future__ import annotations

import numpy as np

import bunraku as bk
from bunraku.draw.picture import png_bytes
from bunraku.draw.render import camera_for, render
from bunraku.draw.world_pictures import world_scene
from bunraku_reproduce.experiment import Experiment, part

DOWN, SECONDS, PARTS = 0.3, 1.0, 50  # m, s in which the target goes there, and in how many parts


def drag_down(hand: str, **options: object) -> tuple[bk.Choreography, np.ndarray]:
    """(the choreography at its end, rows of time, way of the pelvis (3), height of the hand): 1 s down, 0.1 s more."""
    c = bk.Choreography(**options)  # type: ignore[arg-type]
    start, d = c.figure.pose("pelvis")[0].copy(), c.drag(hand)
    high, rows = d.target.copy(), [[0.0, 0.0, 0.0, 0.0, 0.0]]
    for k in range(PARTS + 5):
        d.to(high - [0.0, 0.0, DOWN * min((k + 1) / PARTS, 1.0)])
        c.run(SECONDS / PARTS)
        rows.append([c.time, *(c.figure.pose("pelvis")[0] - start), c.figure.pose(hand)[0][2] - high[2]])
    return c, np.array(rows)


@part(
    "The left hand dragged down",
    section="4",
    figure="2",
    how="c = bk.Choreography(balance=False); d = c.drag('left_hand'); d.to(…); c.run(…)  and the same with dynamics=False",
    printed="Standing on both feet, the left hand is dragged down; the hips shift to the right while it goes down. "
    "The kinematic method does not move the hips.",
)
def hand_down(e: Experiment) -> None:
    (c, by_dynamics), (still, by_kinematics) = (
        drag_down("left_hand", **o) for o in ({"balance": False}, {"dynamics": False})
    )
    mirrored = drag_down("right_hand", balance=False)[1]
    t, right = by_dynamics[:, 0], -by_dynamics[:, 2]
    first = float(t[np.argmax(right > 0.01)])
    e.equal(
        "fig2/down", "Fig. 2", "the hand goes down, as dragged", -DOWN, by_dynamics[-1, 4], tolerance=0.02, unit="m"
    )
    e.holds("fig2/hips", "Fig. 2", "the hips shift to the right while the hand goes down",
            f"10 mm at {first:.2f} s, {1e3 * right[-1]:.0f} mm at {t[-1]:.2f} s",
            right[-1] > 0.03 and first < 1.0)  # fmt: skip
    least = 1e3 * float(right[t > 0.2].min())
    e.at_least(
        "fig2/while",
        "Fig. 2",
        "and are there all the while from 0.2 s on: least way to the right",
        10.0,
        least,
        unit="mm",
    )
    e.holds("fig2/standing", "Fig. 2", "on both feet", f"{c.report.state}, {c.report.supports} feet carry",
            c.report.state == "standing" and c.report.supports == 2)  # fmt: skip
    way = float(np.linalg.norm(by_kinematics[:, 1:4], axis=1).max())
    e.at_most("fig2/kinematic", "4", "the kinematic method, eq. (4), does not move the hips: way in all, at any time to "
              f"{by_kinematics[-1, 0]:.2f} s", 1.0, 1e3 * way, unit="mm")  # fmt: skip
    e.equal(
        "fig2/kinematic-down",
        "4",
        "by it the hand goes down as well",
        -DOWN,
        by_kinematics[-1, 4],
        tolerance=0.02,
        unit="m",
    )
    off = float(np.abs(by_dynamics[-1, 1:4] - mirrored[-1, 1:4] * [1, -1, 1]).max())
    e.zero("fig2/mirror", "Fig. 2", "the right hand gives the mirror image", off, tolerance=1e-3, unit="m")
    scenes = [world_scene(x.world, [np.array(x.score.start), x.world.q.copy()], "front") for x in (c, still)]
    camera = camera_for(scenes[0], "front", 480 / 600)
    e.picture(png_bytes(np.hstack([render(scene, camera, 480, 600) for scene in scenes])),
              "Printed: a figure seen from the front whose left hand goes down and whose hips go to its right. Ours at the "
              f"start (pale) and at {t[-1]:.1f} s: with dynamics (left), by kinematics alone (right).")  # fmt: skip
