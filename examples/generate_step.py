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
from bunraku.motion import Contact, Recording, Trajectory, consistency, generate, replay, stand, waypoints
from bunraku.motion.paths import rates, swing

human = bk.human()
q = stand(human, lower=0.05)
kin = bk.kinematics(human, q)
pelvis, left, right = (kin.pose(name)[0] for name in ("pelvis", "left_sole", "right_sole"))
ahead = np.array([0.25, 0.0, 0.0])
lift, land, end = 1.4, 2.1, 3.6

over = pelvis + np.array([0.0, right[1] + 0.012, -0.015])
path = waypoints(
    [
        (0.0, pelvis),
        (lift - 0.1, over),
        (land, over + np.array([0.02, 0.0, -0.01])),
        (end - 0.3, pelvis + 0.5 * ahead - np.array([0.0, 0.0, 0.02])),
    ]
)


def left_load(t: float) -> np.ndarray:
    """Force and moment about the middle of the left sole: its share of the weight, straight up, at the middle."""
    place, _, acceleration = rates(path, t)
    zmp = (place - pelvis + bk.centre_of_mass(human, q) - 0.9 / 9.80665 * acceleration)[:2]
    line = (left + (ahead if t > lift else 0.0) - right)[:2]
    share = np.clip((zmp - right[:2]) @ line / (line @ line), 0.0, 1.0)
    return np.array([0.0, 0.0, share * human.mass * 9.80665, 0.0, 0.0, 0.0])


motion = generate(
    human,
    seconds=end,
    dt=0.002,
    start=q,
    contacts=[Contact("right_sole"), Contact("left_sole", end=lift), Contact("left_sole", begin=land)],
    trajectories=[
        Trajectory("pelvis", path, rotation=lambda t: kin.pose("pelvis")[1]),
        Trajectory("trunk", rotation=lambda t: kin.pose("trunk")[1]),
        Trajectory(
            "left_sole",
            swing(lift, land, left, left + ahead),
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
with tempfile.TemporaryDirectory() as folder, Recording.open(motion.save(Path(folder) / "step.bkr")) as saved:
    found = consistency(saved)
print(
    f"base rows from the file: {found.base:.1e} of the weight; pull {found.pull:.1e} N, outside the cone "
    f"{found.cone:.1e} N"
)
open_loop, led = replay(motion, seconds=0.5), replay(motion, stiffness=500.0, damping=30.0)
print(f"in the world: {open_loop.within(0.5):.1e} rad after 0.5 s of torques alone;", end=" ")
print(f"with PD {led.error.max():.1e} rad, {100 * led.share:.2f} % of the torque")
foot = bk.kinematics(human, motion.q[-1]).pose("left_sole")[0]
assert found.base < 1e-9 and found.pull < 1e-9 and found.cone < 1e-9 and np.all(motion.admissible)
assert np.linalg.norm(foot - left - ahead) < 1e-3
assert open_loop.within(0.5) < 5e-3 and led.error.max() < 2e-3
