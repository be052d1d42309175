"""A swing on a horizontal bar: the hands grip it (bilateral, x y z), the hips are driven by given torques, the other
joints follow given paths.

A mixture of known components: torques of the hips, accelerations (by paths) of the other joints; the motion of the legs
and of the base, the grip's forces and the other torques follow from (11). The check is a law: the energy of the figure
changes by the work of its joints alone, as a bar that does not move does none.
"""

import numpy as np

import bunraku as bk

human = bk.human()
q = human.neutral()
arm = [np.cos(1.3), 0.0, -np.sin(1.3), 0.0]
for side in ("left", "right"):  # hanging: arms up, knees and elbows a little bent
    q[human.joint(f"{side}_shoulder").q] = arm
    q[human.joint(f"{side}_elbow").iq], q[human.joint(f"{side}_knee").iq] = 0.3, 0.3
hands = [bk.kinematics(human, q).pose(f"{side}_hand")[0] for side in ("left", "right")]
q[2] += 2.4 - hands[0][2]
bar = bk.Shape("capsule", (0.02, 0.8), (hands[0][0], 0.0, 2.4), [[1, 0, 0], [0, 0, -1], [0, 1, 0]], name="bar")

bent = [f"{side}_{joint}" for side in ("left", "right") for joint in ("elbow", "knee")]
straight = ("waist", "neck", "left_ankle", "right_ankle")
paths = [bk.Trajectory(joint, position=lambda t: 0.3) for joint in bent]
paths += [bk.Trajectory(joint, rotation=lambda t: [1.0, 0.0, 0.0, 0.0]) for joint in straight]
paths += [bk.Trajectory(f"{side}_shoulder", rotation=lambda t: arm) for side in ("left", "right")]


def kick(t: float) -> list[float]:
    """Torque of a hip [N m]."""
    return [0.0, -20.0 * np.sin(2 * np.pi * t / 1.3), 0.0]


swing = bk.generate(
    human,
    seconds=1.6,
    dt=1e-3,
    start=q,
    fixed=(bk.GROUND, bar),
    contacts=[bk.Contact(f"{side}_hand", "x y z", grip=True, fixed=1) for side in ("left", "right")],
    trajectories=paths,
    known={"torque": {"left_hip": kick, "right_hip": kick}},
)
energy = bk.energy(human, swing.q, swing.v)
work = np.concatenate(
    [[0.0], np.cumsum(np.einsum("ij,ij->i", swing.torques[1:], 0.5 * (swing.v[1:] + swing.v[:-1])) * swing.dt)]
)
off = np.abs(energy - energy[0] - work).max()
pull = np.linalg.norm(swing.force_on("left_lower_arm"), axis=1)
lean = np.ptp(swing.com[:, 0])
found = bk.consistency(swing)
hip = swing.torques[1:, human.joint("left_hip").v]
asked = np.abs(hip - [kick(t) for t in swing.times[:-1]]).max()
print(
    f"the centre of mass swings over {lean:.2f} m; a hand holds up to {pull.max():.0f} N; energy {np.ptp(energy):.1f} "
    "J up and down"
)
print(
    f"energy less work of the joints: {off:.2f} J; base rows {found.base:.1e} of the weight; hips off {asked:.1e} N m"
)
again = bk.replay(swing)
print(
    f"replayed by torques alone: {again.within(0.5):.1e} rad in 0.5 s, {again.error.max():.1e} rad in "
    f"{swing.times[-1]:g} s"
)
assert found.base < 1e-9 and np.all(swing.admissible) and lean > 0.2 and pull.max() > 300.0
assert asked < 1e-9
assert again.within(0.5) < 1e-4
assert (
    off < 0.05 * np.ptp(energy) and np.abs(bk.kinematics(human, swing.q).pose("left_hand")[0][:, 2] - 2.4).max() < 1e-3
)
