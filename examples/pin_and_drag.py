"""Pin and drag with dynamics: a hand is dragged, the other held; the figure keeps its balance, and what was done is
saved and performed again."""

import tempfile
from pathlib import Path

import numpy as np

import bunraku as bk

c = bk.Choreography()  # human() on the floor, 1 ms steps
pin = c.pin("right_hand")
drag = c.drag("left_hand")
start = drag.target.copy()
for k in range(30):  # as a mouse would, once a frame
    drag.to(start + np.array([0.25, 0.10, 0.35]) * (k + 1) / 30)
    c.run(1 / 60)
c.run(0.5)
for v in c.violations:
    print(f"{v.item.kind} of {v.item.link}: {1e3 * v.metres:.1f} mm off")
assert all(v.metres < 0.02 for v in c.violations) and c.report.state == "standing"

drag.release()
c.run(1.0)
print("after the release:", c.report.state, "centre of mass", np.round(c.report.com, 3))
assert c.report.state == "standing"

with tempfile.TemporaryDirectory() as folder:
    path = c.score.save(Path(folder) / "reach.toml", c.time)
    again = bk.Choreography.perform(bk.Score.load(path))
print("performed again:", round(again.time, 3), "s")
assert np.array_equal(again.figure.q, c.figure.q)
