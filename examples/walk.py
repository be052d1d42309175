"""A figure on rubber feet walks four steps and is pushed; the report of its recording says how it went."""

import bunraku as bk

human = bk.human()  # or bk.load("robot.urdf"); bk.Humanoid.of(model, "mapping.toml") where feet cannot be found
walk = bk.walk(human, "four steps", bushes=True, pushes=[bk.Push(60.0, time=2.0, degrees=90.0)])
report = walk.report
print(walk)
print(f"cost of transport {report.cost_of_transport:.2f}, real-time factor {walk.real_time_factor:.0f}")
print(f"noise of the foot force on one foot: {100 * report.noise[0]:.1f} % of the weight")
for foot in walk.walker.footstep_error():
    print(f"{('left', 'right')[foot.side]} foot {100 * foot.distance:.1f} cm from its place")
with walk.recording as recording:
    highest = recording.forces[:, 0, 2].max() / (human.mass * 9.80665)
print(f"the floor carries up to {highest:.2f} times the weight")
assert walk.fell is None and report.fell is None
assert len(report.landings) == 4 and len(report.pushes) == 1
assert max(foot.distance for foot in walk.walker.footstep_error()) < 0.05
