"""What grips cost: a step of a figure that holds a box, of two figures hand in hand, and of a stage with two figures and
three things, against that of a figure alone.

Each scene is a choreography of steps of 1 ms with a hand that is dragged along a curve, moved every sixtieth of a second.
All of them take turns, portion by portion, so that a busy machine slows all alike; the ratio is of the least processor time
of a portion, and of the median. `realtime_factor`: simulated time over processor time of the stage's portions.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from bunraku.cli.common import progress_bar

if TYPE_CHECKING:
    from bunraku import Choreography

FRAME = 1.0 / 60.0
MOST = {"held_box": 1.5, "hand_in_hand": 2.6}  # times a figure alone
REAL_TIME = 4.0


def alone() -> Choreography:
    """A figure."""
    import bunraku as bk

    return bk.Choreography(name="ann")


def held_box() -> Choreography:
    """A figure with a box of 5 kg in its left hand, which is dragged."""
    c = alone()
    c.add_thing("box", name="box", size=(0.2, 0.2, 0.2), mass=5.0, at=c.figure.pose("left_hand")[0] + [0.13, 0.0, 0.0])
    c.grip("left_hand", "box")
    return c


def hand_in_hand() -> Choreography:
    """Two figures side by side; one holds the other's hand."""
    import numpy as np

    c = alone()
    apart = float(c.figure.pose("left_hand")[0][1] - c.figure.pose("right_hand")[0][1]) + 0.12
    c.add_figure(name="bob", at=(0.0, apart))
    gap = np.linalg.norm(c.figure.pose("left_hand")[0] - c["bob"].figure.pose("right_hand")[0])
    c.grip("left_hand", "bob.right_hand", reach=max(0.15, float(gap) + 0.01))
    return c


def full_stage() -> Choreography:
    """Two figures and three things, one of them held."""
    c = held_box()
    c.add_figure(name="bob", at=(1.2, 0.0), yaw=3.14159)
    c.add_thing("sphere", name="ball", radius=0.1, mass=1.0, at=(0.6, 0.8, 0.1))
    c.add_thing("cylinder", name="can", radius=0.1, length=0.3, mass=1.0, at=(0.6, -0.8, 0.15))
    return c


SCENES = {"alone": alone, "held_box": held_box, "hand_in_hand": hand_in_hand, "full_stage": full_stage}


def measure_grips(seconds: float) -> dict[str, Any]:
    """Microseconds a step of each scene, and their ratios."""
    import numpy as np

    casts = {name: make() for name, make in SCENES.items()}
    drags = {name: c.drag("left_hand") for name, c in casts.items()}
    starts = {name: d.target.copy() for name, d in drags.items()}
    steps, count = round(FRAME / 0.001), max(10, round(seconds / FRAME))
    portions: dict[str, list[float]] = {name: [] for name in casts}
    for c in casts.values():
        c.step(steps)
    with progress_bar(count, "bench choreography --grips") as update:
        for k in range(count):
            for name, c in casts.items():
                t = c.time
                first = time.process_time()
                drags[name].to(starts[name] + 0.05 * np.array((np.sin(2 * t), np.sin(3 * t), 1 - np.cos(2.5 * t))))
                c.step(steps)
                portions[name].append((time.process_time() - first) / steps * 1e6)
            update(k)
    us = {name: np.array(x) for name, x in portions.items()}
    one = us["alone"]
    return {
        "grips": {
            name: {
                "least_us": float(x.min()),
                "median_us": float(np.median(x)),
                "times_alone": float(x.min() / one.min()),
                "times_alone_median": float(np.median(x) / np.median(one)),
                "realtime_factor": float(1e3 / x.mean()),
                "state": casts[name].report.state,
            }
            for name, x in us.items()
        }
    }


def grip_lines(grips: dict[str, dict[str, Any]]) -> list[str]:
    """The table in words."""
    lines = []
    for name, x in grips.items():
        said = f", at most {MOST[name]} is wanted" if name in MOST else ""
        lines.append(
            f"{name.replace('_', ' '):<14} {x['least_us']:5.0f} us a step at the least, {x['median_us']:5.0f} median: {x['times_alone']:.2f} "
            f"({x['times_alone_median']:.2f}) times a figure alone{said}; {x['realtime_factor']:.1f} times real time"
        )
    return [*lines, f"a stage with two figures and three things should be {REAL_TIME:.0f} times real time at the least"]
