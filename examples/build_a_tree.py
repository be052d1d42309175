"""A tree of one's own, from Python: a desk lamp with a screw clamp, a parallelogram of gears, a neck of balls and a
ball at the shade; ends with checks of what couplings keep and of energy."""

import numpy as np

import bunraku as bk

d = bk.Description("lamp")
rod = {"mass": 0.4, "com": (0, 0, 0.2), "moments": (0.006, 0.006, 0.0002)}
d.add("clamp", None, bk.helical("screw", (0, 0, 1), pitch=0.004, friction=0.05), mass=0.5, moments=(1e-3, 1e-3, 1e-3))
d.add("foot", None, bk.hinge("swivel", (0, 0, 1), damping=0.02), mass=1.0, moments=(4e-3, 4e-3, 4e-3))
d.add("lower", "foot", bk.hinge("lean", (0, 1, 0), lower=-0.2, upper=1.2, damping=0.02), at=(0, 0, 0.05), **rod)
d.add("upper", "lower", bk.hinge("bend", (0, 1, 0)), at=(0, 0, 0.4), **rod)
d.gear("bend", "lean", ratio=-2.0, offset=0.3)  # belts: the upper rod leans back as the lower one leans forward
up = "upper"
for k in range(3):  # a neck: three balls that turn alike
    limits = {"swing": 0.5, "twist": (-0.6, 0.6), "damping": 0.002} if k == 0 else {}
    d.add(f"neck{k}", up, bk.ball(f"neck{k}", **limits), at=(0, 0, 0.4 if k == 0 else 0.04), mass=0.05, com=(0, 0, 0.02),
          moments=(5e-5, 5e-5, 2e-5))  # fmt: skip
    up = f"neck{k}"
d.couple(["neck1", "neck2"], "neck0", np.vstack([np.eye(3), np.eye(3)]))
shade = bk.Shape("cylinder", (0.08, 0.05), position=(0, 0, 0.06))
d.add("shade", "neck2", bk.universal("gimbal", (1, 0, 0), (0, 1, 0), damping=0.005), at=(0, 0, 0.04), mass=0.3,
      com=(0, 0, 0.06), moments=(1e-3, 1e-3, 1e-3), shapes=[shade])  # fmt: skip
d.frame("bulb", "shade", at=(0, 0, 0.08))

lamp = d.build()
print(lamp, "|", ", ".join(lamp.dof_names))
assert lamp.nv == 1 + 1 + 1 + 3 + 2  # screw, swivel, lean (bend follows), one neck for three, gimbal

world = bk.World(dt=0.0005)
figure = world.add(lamp)
figure.v[lamp.joint("neck0").v] = 0.0, 2.0, 1.0
before = bk.energy(lamp, figure.q, figure.v)
world.run(seconds=1.0)
q = figure.q
first = q[lamp.joint("neck0").q]
print(f"the bulb is at {np.round(bk.kinematics(lamp, q).pose('bulb')[0], 3)}; the neck turned to {np.round(first, 3)}")
assert bk.energy(lamp, figure.q, figure.v) < before  # damping only takes
assert all(np.allclose(q[lamp.joint(f"neck{k}").q], first, atol=1e-12) for k in (1, 2))
assert bk.joints_beyond_limits(lamp, q, tolerance=1e-3) == {}
