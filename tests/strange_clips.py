"""Clips of others than one person: a dog, two people below one root."""

import numpy as np

from bunraku.formats.bvh import Bvh, BvhJoint
from bunraku.formats.bvh_motion import from_motion
from motion_data import strange_walk

ROT = ("Zrotation", "Yrotation", "Xrotation")


def dog():
    """A dog that trots on the spot: four legs of two bones and a paw, a tail, a long head."""
    joints = [BvhJoint("Root", -1, (0, 0, 0), ("Xposition", "Yposition", "Zposition", *ROT))]

    def add(name, parent, offset, ends=()):
        joints.append(BvhJoint(name, parent, offset, ROT, ends))
        return len(joints) - 1

    spine = add("b1", 0, (0, 2, 25))
    chest = add("b2", spine, (0, 0, 25))
    add("n", chest, (0, 12, 12), ((0, 4, 22),))
    add("t", 0, (0, 4, -10), ((0, 8, -15),))
    for k, (parent, z, x) in enumerate(((0, 0, 6), (0, 0, -6), (chest, 3, 7), (chest, 3, -7))):
        up = add(f"u{k}", parent, (x, -4, z))
        long = 1.0 if parent == 0 else 0.85
        low = add(f"l{k}", up, (0, -20 * long, 4))
        add(f"p{k}", low, (0, -19 * long, -5), ((0, -4, 6),))
    n = 60
    t = np.linspace(0, 4 * np.pi, n)
    file = Bvh(joints, np.zeros((n, 6 + 3 * (len(joints) - 1))), 1 / 30)
    file.values[:, 1] = 50 + np.sin(2 * t)
    for k, j in enumerate(joints):
        if j.name[0] in "ul":
            phase = 0.0 if j.name[1] in "03" else np.pi
            file.values[:, file.columns(k).start + 2] = 20 * np.sin(t + phase) * (1 if j.name[0] == "u" else -1)
    return file


def two_people():
    """Two walkers below one root."""
    one = from_motion(strange_walk())
    joints = [BvhJoint("Scene", -1, (0, 0, 0), ())]
    for who, away in (("a", 0.0), ("b", 120.0)):
        first = len(joints)
        for j in one.joints:
            up = 0 if j.parent < 0 else first + j.parent
            joints.append(
                BvhJoint(
                    f"{who} {j.name}",
                    up,
                    (j.offset[0] + (away if j.parent < 0 else 0), *j.offset[1:]),
                    j.channels,
                    j.ends,
                )
            )
    values = np.hstack([one.values, one.values])
    values[:, one.values.shape[1]] += 120.0
    return Bvh(joints, values, one.frame_time)
