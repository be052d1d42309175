"""Loads a built-in scene, runs it, and reads what the feet feel: the contact patches, their forces and centres of
pressure."""

import numpy as np

import bunraku as bk

scene = bk.load_scene("toe_edge")  # or the path of your own TOML file
world = scene.build()
lift = []
for _ in range(1000):
    world.step()
    lift.append(sum(patch.force[2] for patch in world.contacts))

for patch in world.contacts:
    place = ", ".join(f"{x:.3f}" for x in patch.cop)
    print(f"{patch.a} on {patch.b}: {patch.state}, {patch.force[2]:.0f} N upward, centre of pressure at ({place}) m")
print(f"mean lift of the last half second: {np.mean(lift[500:]):.1f} N")
assert np.isclose(np.mean(lift[500:]), 69 * 9.80665, rtol=0.01)
assert all(patch.cop[0] > 0.005 - 1e-6 for patch in world.contacts)  # the block ends at x = 0.005 m
