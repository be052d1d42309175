"""A reach of the left hand and a squat, by the one equation (23): hand or centre of mass is given, torques and floor
forces follow.

Ends with checks: mechanics to 1e-9 of the weight, no inadmissible frame, and replays in the world: by torques alone for
a short time, with light PD for all of it.
"""

import numpy as np

import bunraku as bk

human = bk.human()
q = bk.stand(human)
com, hand = bk.centre_of_mass(human, q), bk.kinematics(human, q).pose("left_hand")[0]
soles = [bk.Contact("left_sole"), bk.Contact("right_sole")]
upright = [bk.Trajectory(link, rotation=lambda t: np.eye(3)) for link in ("pelvis", "trunk")]

there = hand + np.array([0.25, 0.05, 0.35])
reach = bk.generate(
    human,
    seconds=1.0,
    start=q,
    contacts=soles,
    trajectories=[
        bk.Trajectory("left_hand", bk.waypoints([(0.0, hand), (0.8, there)])),
        bk.Trajectory("com", lambda t: com),
        *upright,
    ],
)
squat = bk.generate(
    human,
    seconds=2.0,
    start=q,
    contacts=soles,
    trajectories=[bk.Trajectory("com", bk.waypoints([(0.0, com), (0.9, com - [0, 0, 0.22]), (1.8, com)])), upright[1]],
)
assert np.linalg.norm(bk.kinematics(human, reach.q[-1]).pose("left_hand")[0] - there) < 1e-3
assert abs(squat.com[900, 2] - com[2] + 0.22) < 2e-3
for name, motion in (("reach", reach), ("squat", squat)):
    found, open_loop, led = (
        bk.consistency(motion),
        bk.replay(motion, seconds=0.3),
        bk.replay(motion, stiffness=500.0, damping=30.0),
    )
    load = motion.ground_reaction[1:, 2] / motion.weight
    print(
        f"{name}: ground reaction {load.min():.3f} to {load.max():.3f} of the weight, largest torque "
        f"{np.abs(motion.torques).max():.0f} N m"
    )
    print(
        f"  base rows {found.base:.1e} of the weight; torques alone {open_loop.within(0.3):.1e} rad in 0.3 s;", end=" "
    )
    print(f"PD {led.error.max():.1e} rad, {100 * led.share:.3f} % of the torque")
    assert np.all(motion.admissible) and found.base < 1e-9 and found.pull < 1e-9 and found.cone < 1e-9
    assert open_loop.within(0.3) < 2e-3 and led.error.max() < 1e-3 and led.share < 0.01
