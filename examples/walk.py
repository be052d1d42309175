"""A figure on rubber feet walks four steps and is pushed; the report of its recording says how it went."""

import tempfile
from pathlib import Path

import bunraku as bk
from bunraku.humanoid.foot import feet_in
from bunraku.humanoid.parts import humanoid
from bunraku.motion import Recording
from bunraku.walking.footsteps import footsteps
from bunraku.walking.walk_report import walk_report
from bunraku.walking.walker import Walker
from bunraku.walking.walking_pattern import walking_pattern

h = humanoid(bk.human())  # or bk.load("robot.urdf"), with a mapping file where feet cannot be found
pattern = walking_pattern(h, footsteps("four steps", h))
walk = Walker(pattern, bushes=True, stabiliser=True)
path = Path(tempfile.mkdtemp()) / "walk.bkr"
with walk.world.record(path):
    walk.run(seconds=2.0)
    walk.world.push(walk.figure["trunk"], force=(0.0, 60.0, 0.0), seconds=0.1)
    walk.run()

with Recording.open(path) as recording:
    report = walk_report(recording, feet_in(walk.model, h.feet, h.model), pattern)
print(
    f"{len(report.landings)} steps, {report.distance:.2f} m at {report.speed:.2f} m/s, cost of transport "
    f"{report.cost_of_transport:.2f}"
)
print(f"noise of the foot force on one foot: {100 * report.noise[0]:.1f} % of the weight")
for foot in walk.footstep_error():
    print(f"{('left', 'right')[foot.side]} foot {100 * foot.distance:.1f} cm from its place")
assert walk.fell is None and report.fell is None
assert len(report.landings) == 4
assert max(foot.distance for foot in walk.footstep_error()) < 0.05
