"""What a user writes, with names of `bk` alone; checked by a strict type checker and run by tests/test_public_face.py."""

import tempfile
from pathlib import Path

import numpy as np

import bunraku as bk

folder = Path(tempfile.mkdtemp())
human = bk.human(height=1.7, mass=69.0)
assert bk.human(body="2000").nv == human.nv

# dynamics
q, zero = human.neutral(), np.zeros(human.nv)
pose = bk.inverse_kinematics(human, bk.Target("left_hand", (0.3, 0.3, 1.2)), fixed=["root"])
acceleration = bk.aba(human, pose.q, zero, zero)
assert acceleration.shape == (human.nv,) and pose.reached

# a world with contacts and sensors
world = bk.World(dt=0.001, contact="pgs")
world.add_ground(friction=0.8)
figure = world.add(human, at=(0.0, 0.0, 0.901))
box = world.add(bk.box((0.2, 0.2, 0.2), mass=2.0), at=(1.0, 0.0, 0.1))
imu = world.add_sensor("imu", at=figure["trunk"], noise={"gyro": 0.01})
sole = world.add_sensor("sole", at=figure["left_foot"])
knee = world.add_sensor("joint", at="human.left_knee")
figure.servo(800.0, 40.0)
world.push("human.trunk", force=(20.0, 0.0, 0.0), seconds=0.05)
with world.record(folder / "stand.bkr") as recorder:
    world.run(0.2)
    recorder.note("it stands")
lift = sum(float(contact.force[2]) for contact in world.contacts if contact.state != "none")
print(world, figure, box.name, world.report.residual, f"{lift:.0f} N", imu.gyro, sole.cop, knee.position)
image = bk.picture(world, folder / "world.png", width=160, height=120)
assert image.shape == (120, 160, 3)
start: bk.Snapshot = world.snapshot()
world.step(5)
world.restore(start)

# read back
with bk.Recording.open(folder / "stand.bkr") as recording:
    motion: bk.Motion = recording.motion("human")
    print(recording.duration, recording.zmp.shape, recording.contacts[-1].force.sum(axis=0), motion.v.shape)
    bk.save_bvh(motion, folder / "stand.bvh", fps=60)
    bk.save_opensim(motion, folder / "stand.mot", fps=50.0)
    bk.save_tracker(motion, folder / "stand.npz", "mujoco-npz", fps=50.0)
captured = bk.load_bvh(folder / "stand.bvh")
assert captured.duration > 0.15

# walk
walk = bk.walk(human, "two steps", stabiliser=False, pushes=["10@0.6:left"], path=folder / "walk.bkr")
report: bk.WalkReport = walk.report
print(walk, walk.pattern.zmp_error, report.distance, report.speed, report.summary()["steps"])
assert walk.fell is None
with walk.recording as recording:
    again = bk.walk_report(recording, human, walk.pattern)
    bk.film(recording, folder / "walk.gif", fps=2.0, width=80, height=60)
assert again.distance == report.distance
pattern = bk.walking_pattern(human, bk.footsteps("one step", human))
walker = bk.Walker(pattern, bushes=bk.Bushes(), servo="pd")
walker.run(seconds=0.1)
print(walker.fell, walker.footstep_error()[0].distance)

# choreograph
dance = bk.Choreography()
pin: bk.Pin = dance.pin("right_hand")
drag: bk.Drag = dance.drag("left_hand", axes="xyz")
drag.to(drag.target + np.array([0.1, 0.0, 0.1]))
dance.run(0.1)
drag.release()
score = bk.Score.load(dance.score.save(folder / "dance.toml", dance.time))
performed = bk.Choreography.perform(score, balance=True)
print(dance.report.state, [violation.metres for violation in performed.violations], pin.active)

# filter
bk.save_bvh(bk.walk_motion(human, 1), folder / "step.bvh")
filtered = bk.dynamics_filter(bk.retarget(bk.load_bvh(folder / "step.bvh"), human), dt=0.004)
found = bk.consistency(filtered.solved)
print(filtered.text(), found.base)
assert found.base < 1e-9
