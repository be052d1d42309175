"""A bevel differential, four joints coupled by a matrix: two side gears, the carrier between them, a planet gear on it.

The side gears lead. The carrier turns with their mean rate, the planet on it with their difference:
    carrier = (left + right) / 2,    planet = (R / r) (left - right) / 2
so the four hinges have two rates, and a torque on the carrier reaches both wheels in equal parts, however they are
braked. Ends with checks against the closed forms of mass matrix, torques and motion.
"""

import numpy as np

import bunraku as bk

R, r = 0.04, 0.02  # radii of the side gears and of the planet [m]
WHEEL, CARRIER, PLANET, SPIN = (
    0.03,
    0.02,
    0.0005,
    0.0008,
)  # moments of inertia [kg m^2]; SPIN: of the planet about its own

d = bk.Description("differential")
for name, y in (("left", 0.1), ("right", -0.1)):
    d.add(name, None, bk.hinge(name, (0, 1, 0)), at=(0, y, 0), mass=2.0, moments=(WHEEL, WHEEL, WHEEL))
d.add("carrier", None, bk.hinge("carrier", (0, 1, 0)), mass=1.0, moments=(CARRIER, CARRIER, CARRIER))
d.add("planet", "carrier", bk.hinge("planet", (1, 0, 0)), mass=0.2, moments=(SPIN, PLANET, PLANET))
d.couple(["carrier", "planet"], ["left", "right"], [[0.5, 0.5], [0.5 * R / r, -0.5 * R / r]])
model = d.build()
print(model, "| rates:", ", ".join(model.dof_names))

# both move the carrier and the planet that it carries; M is the same in every pose
mean, turn = np.array([0.5, 0.5]), np.array([0.5, -0.5]) * R / r
wanted = WHEEL * np.eye(2) + (CARRIER + PLANET) * np.outer(mean, mean) + SPIN * np.outer(turn, turn)
M = bk.crba(model, bk.random_configuration(model, 1))
print("mass matrix\n", M)
assert np.abs(M - wanted).max() < 1e-14

# a torque of 1 N m on the carrier alone is half a newton metre at each wheel
push = np.zeros((model.nb, 6))
push[model.body("carrier"), 4] = 1.0
q, v = model.neutral(), np.zeros(model.nv)
driven = bk.aba(model, q, v, np.zeros(2), push)
assert np.abs(driven - bk.aba(model, q, v, np.array([0.5, 0.5]))).max() < 1e-12

# the left wheel is held fast by friction: the right one turns twice as fast as the carrier
d.links[0].joints[0].friction = 50.0
world = bk.World(dt=0.001)
gears = world.add(d.build())
world.push(gears["carrier"], force=(0, 0, 0), torque=(0, 1, 0), seconds=0.5)
world.run(seconds=0.5)
carrier, planet = (gears.model.joint(n) for n in ("carrier", "planet"))
rates = carrier.matrix @ gears.v, planet.matrix @ gears.v
print(f"left {gears.v[0]:.6f}, right {gears.v[1]:.3f}, carrier {rates[0][0]:.3f}, planet {rates[1][0]:.3f} rad/s")
assert abs(gears.v[0]) < 1e-9 and np.isclose(gears.v[1], 0.5 * 0.5 / wanted[1, 1])  # torque 1/2 for 1/2 s
left, right = (gears.q[gears.model.joint(n).iq] for n in ("left", "right"))
assert np.isclose(gears.q[carrier.iq], (left + right) / 2) and np.isclose(
    gears.q[planet.iq], R / r * (left - right) / 2
)
