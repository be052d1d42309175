"""One step of walking from the trajectories of a foot and of the pelvis, by the one equation (23); the load of the
stepping foot is given, too.

The pelvis shifts over the right foot, the left foot swings 0.25 m ahead, the pelvis follows. Before it lifts and after
it lands, the left foot's force is known, too: the share of the weight that the zero-moment point of the pelvis' path
gives it. Ends with checks: mechanics to 1e-9 of the weight from the saved file, no inadmissible frame, and a replay in
the world.
"""

import tempfile
from pathlib import Path

import numpy as np

import bunraku as bk

human = bk.human()
q = bk.stand(human, lower=0.05)
kin = bk.kinematics(human, q)
pelvis, left, right = (kin.pose(name)[0] for name in ("pelvis", "left_sole", "right_sole"))
ahead = np.array([0.25, 0.0, 0.0])
lift, land, end = 1.4, 2.1, 3.6

over = pelvis + np.array([0.0, right[1] + 0.012, -0.015])
path = bk.waypoints(
    [
        (0.0, pelvis),
        (lift - 0.1, over),
        (land, over + np.array([0.02, 0.0, -0.01])),
        (end - 0.3, pelvis + 0.5 * ahead - np.array([0.0, 0.0, 0.02])),
    ]
)


def left_load(t: float) -> np.ndarray:
    """Force and moment about the middle of the left sole: its share of the weight, straight up, at the middle."""
    before, place, after = (path(t + dt) for dt in (-1e-3, 0.0, 1e-3))
    acceleration = (after - 2 * place + before) / 1e-6
    zmp = (place - pelvis + bk.centre_of_mass(human, q) - 0.9 / 9.80665 * acceleration)[:2]
    line = (left + (ahead if t > lift else 0.0) - right)[:2]
    share = np.clip((zmp - right[:2]) @ line / (line @ line), 0.0, 1.0)
    return np.array([0.0, 0.0, share * human.mass * 9.80665, 0.0, 0.0, 0.0])


motion = bk.generate(
    human,
    seconds=end,
    dt=0.002,
    start=q,
    contacts=[bk.Contact("right_sole"), bk.Contact("left_sole", end=lift), bk.Contact("left_sole", begin=land)],
    trajectories=[
        bk.Trajectory("pelvis", path, rotation=lambda t: kin.pose("pelvis")[1]),
        bk.Trajectory("trunk", rotation=lambda t: kin.pose("trunk")[1]),
        bk.Trajectory(
            "left_sole",
            bk.swing(lift, land, left, left + ahead),
            rotation=lambda t: np.eye(3),
            begin=lift,
            end=land,
            stiffness=30.0,
        ),
    ],
    known={"force": {"left_sole": left_load}},
)
flagged = {name: int(rows.sum()) for name, rows in motion.flags.items()}
print(f"{len(motion) - 1} steps; flagged frames: {flagged}")
with tempfile.TemporaryDirectory() as folder, bk.Recording.open(motion.save(Path(folder) / "step.bkr")) as saved:
    found = bk.consistency(saved)
print(
    f"base rows from the file: {found.base:.1e} of the weight; pull {found.pull:.1e} N, outside the cone "
    f"{found.cone:.1e} N"
)
open_loop, led = bk.replay(motion, seconds=0.5), bk.replay(motion, stiffness=500.0, damping=30.0)
print(f"in the world: {open_loop.within(0.5):.1e} rad after 0.5 s of torques alone;", end=" ")
print(f"with PD {led.error.max():.1e} rad, {100 * led.share:.2f} % of the torque")
foot = bk.kinematics(human, motion.q[-1]).pose("left_sole")[0]
assert found.base < 1e-9 and found.pull < 1e-9 and found.cone < 1e-9 and np.all(motion.admissible)
assert np.linalg.norm(foot - left - ahead) < 1e-3
assert open_loop.within(0.5) < 5e-3 and led.error.max() < 2e-3
