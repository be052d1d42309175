"""A box falls on the floor, another hangs on a connection that breaks when it is pulled too hard; ends with a check of
the forces."""

import numpy as np

import bunraku as bk

world = bk.World(dt=0.001)
world.add_ground(friction=0.6)
lying = world.add(bk.box((0.3, 0.2, 0.1), mass=2.0), at=(0, 0, 0.2), name="lying")
hanging = world.add(bk.box((0.1, 0.1, 0.1), mass=1.0), at=(1, 0, 1), name="hanging")
grip = world.connect(hanging, at=(1, 0, 1), axes="x y z", break_force=15.0)

world.run(seconds=1.0)
(patch,) = world.contacts
print(f"the floor carries {patch.force[2]:.3f} N, the grip {np.linalg.norm(grip.force):.3f} N")
assert np.isclose(patch.force[2], 2.0 * 9.80665) and np.isclose(np.linalg.norm(grip.force), 9.80665)

world.push(hanging["box"], force=(0, 0, -10), seconds=0.01)
world.run(seconds=1.0)
print("pulled down with 10 N more, the grip broke:", grip.broken, "| residual", world.report.residual)
assert grip.broken and hanging.q[2] < 0.06 and world.report.residual <= 1e-6
