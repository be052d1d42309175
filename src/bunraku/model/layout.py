"""Where things stand in the two arrays that kernels read, and in the scratch they write.

A Model reaches kernels as `ints` (nb, NI) and `reals` (nb, NF), a row a body; few arrays keep the cost of a call low. Row 0 is the
fixed world, so that every body has a parent; its placement columns hold gravity. Bodies are numbered parents first, and
the members of a gear group stand side by side.

Body frames: origin at the joint's centre; z along the axis of a hinge or slider; link axes for ball and free joints.
Scratch is `work` (nb * NW + 2 nq,) or, for lanes, (…, LANES); body i's slots begin at i * NW, and the sines and cosines of
all of q stand behind. In scratch everything is in world
axes; spatial quantities of a body are taken at its own origin, angular part first.
"""

from __future__ import annotations

# kinds of joint that kernels know; universal joints are two hinges, fixed joints are merged away
WORLD, HINGE, SLIDER, BALL, FREE = range(5)

# columns of `ints`
PARENT = 0  # body index of the parent
KIND = 1  # one of the above
IQ = 2  # first index into q (of the leader, for a follower)
IV = 3  # first index into v
LEAD = 4  # first body of this body's gear group (itself, without gears)
COUNT = 5  # size of the group, at its first body; 0 at the others
OUTER = 6  # the one body outside the group that carries it
DOF = 7  # 1, 3 or 6
FOLLOWS = 8  # 1 where the joint's value is RATIO q + SHIFT, 0 where it is q
NI = 9

# columns of `reals`
PLACE = 0  # 3: origin in the parent's body frame at q = 0 (row 0: gravity)
TURN = 3  # 9: rotation parent <- body at q = 0, row by row
MASS = 12
FIRST = 13  # 3: mass times centre of mass, body frame
SECOND = 16  # 6: inertia about the origin (xx, xy, xz, yy, yz, zz), body frame
RATIO = 22  # this joint's rate per rate of its q
SHIFT = 23  # this joint's value at q = 0
ROTOR = 24  # armature
NF = 25

# slots of `work`
ROT = 0  # 9: world <- body
POS = 9  # 3: origin in the world
ARM = 12  # 3: from the parent's origin to this one
OMEGA = 15  # 3: angular velocity
ALPHA = 18  # 3: angular acceleration with v' = 0
ACC = 21  # 3: classical acceleration of the origin with v' = 0, gravity counted as upward acceleration of the world
IA = 24  # 21: articulated or composite inertia: 6 (s3, angular), 9 (m3, mixed), 6 (s3, linear)
WRENCH = 45  # 6: moment about the origin, force
U = 51  # 6: inertia times the joint's motion (group leader: at the outer body's origin)
DINV = 57  # 1, or 6 for a ball
RHS = 63  # 1, or 3 for a ball
DA = 66  # 6: acceleration caused by v'
VEL = 72  # 3: velocity of the origin
G = 75  # 6: motion of a gear's member per rate of the group's q
NW = 81
