"""A human figure's forward and inverse dynamics, a hand's Jacobian, inverse kinematics; each is checked at the end."""

import numpy as np

import bunraku as bk

fig = bk.human(height=1.7, mass=69)
rng = np.random.default_rng(0)
q, v, tau = bk.random_configuration(fig, rng), rng.normal(size=fig.nv), rng.normal(size=fig.nv)

a = bk.aba(fig, q, v, tau)
print("acceleration of the pelvis:", np.round(a[:3], 3), "m/s^2")
assert np.allclose(bk.rnea(fig, q, v, a), tau)

J = bk.frame_jacobian(fig, q, "left_hand")
assert np.allclose(J @ v, bk.kinematics(fig, q, v).velocity("left_hand"))

many = bk.aba(fig, np.tile(q, (1000, 1)), np.tile(v, (1000, 1)), rng.normal(size=(1000, fig.nv)))
print("a thousand states at once:", many.shape)

pose = bk.inverse_kinematics(fig, bk.Target("left_hand", (0.4, 0.3, 1.2)), fixed=["root"])
print("left hand reached its target:", pose.reached, f"({pose.iterations} iterations)")
assert pose.reached and not bk.joints_beyond_limits(fig, pose.q, 1e-9)
