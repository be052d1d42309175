"""Where things stand in the two arrays that kernels read, and in the scratch they write.

A Model reaches kernels as `ints` (nb, NI) and `reals` (nb, NF), a row a body; few arrays keep the cost of a call low.
Row 0 is the fixed world, so that every body has a parent; its placement columns hold gravity. Bodies are numbered level
by level, parents first; the members of a gear group stand side by side.

Body frames: origin at the joint's centre; the link's own axes where the joint's axis is one of them (so
that most rotations between neighbours at q = 0 are the identity), else turned so that the joint's axis is z. Scratch is
`work` (nb * NW + 2 nq,) or, for lanes, (…, LANES); body i's slots begin at i * NW, and the sines and cosines of all of
q stand behind, then the numbers of groups coupled by a matrix (bunraku.model.matrix_gears), whose columns are further
rows of `reals`. In scratch everything is in world axes; spatial quantities of a body are taken at its own origin,
angular part first.
"""

from __future__ import annotations

from bunraku.model.joint_kinds import BALL, COUPLED, FREE, WORLD  # noqa: F401 - other kernels know them from here

# columns of `ints`
PARENT = 0  # body index of the parent
KIND = (
    1  # of bunraku.model.joint_kinds; universal joints are two hinges, fixed joints are merged away; COUPLED times the
)
#           kind by which q places it: a follower by a matrix
IQ = 2  # first index into q (of the leader, for a follower)
IV = 3  # first index into v (of the group, for a follower)
LEAD = 4  # first body of this body's gear group (itself, without gears)
COUNT = 5  # size of the group, at its first body; 0 at the others
OUTER = 6  # the one body outside the group that carries it
DOF = 7  # 1, 3 or 6; of a follower by a matrix as many as its group has rates
FOLLOWS = 8  # not 0 where the joint has no rates of its own: its value is RATIO q + SHIFT. By a matrix: its first row of `reals`
STARTS = 9  # 1 at the body (or group) whose inertia is the first to reach the body that carries it, inwards
LEAF = 10  # 1 where nothing reaches a body from further out
SAME = 11  # 1 where a hinge or ball has its origin at its parent's: half of a humanoid's joints, and much cheaper
COLUMN = 12  # first row of this joint among all elementary degrees of freedom, followers included, in the order of q
AXIS = 13  # 0, 1, 2: which axis of the body frame a joint with one axis has
STRAIGHT = 14  # 1 where TURN is the identity
SLOT = 15  # of a member of a group coupled by a matrix: where its numbers begin in the scratch; 0 of others (row 0: whether
#            there are such groups); six numbers a rate, then those of the next member
NI = 16

# columns of `reals`
PLACE = 0  # 3: origin in the parent's body frame at q = 0 (row 0: gravity)
TURN = 3  # 9: rotation parent <- body at q = 0, row by row
MASS = 12
FIRST = 13  # 3: mass times centre of mass, body frame
SECOND = 16  # 6: inertia about the origin (xx, xy, xz, yy, yz, zz), body frame
RATIO = 22  # this joint's rate per rate of its q
SHIFT = 23  # this joint's value at q = 0
ROTOR = 24  # armature
SLIDE = 25  # metres along the axis per unit of this joint's value: 0 of a hinge, 1 of a slider
NF = 26

# columns of the rows of `reals` behind the bodies, one a follower by a matrix and rate
TURNS = 0  # 3: angular motion of the body, in its own axes, per unit of the rate
MOVES = 3  # 3: linear motion
TURN_ROTOR = 6  # armature, where the joint turns
MOVE_ROTOR = 7  # armature, where it only slides

# slots of `work`
ROT = 0  # 9: world <- body
POS = 9  # 3: origin in the world
ARM = 12  # 3: from the parent's origin to this one
OMEGA = 15  # 3: angular velocity
ALPHA = 18  # 3: angular acceleration with v' = 0
ACC = 21  # 3: classical acceleration of the origin with v' = 0, gravity counted as upward acceleration of the world
IA = 24  # 21: inertia that reaches the body from further out: 6 (s3, angular), 9 (m3, mixed), 6 (s3, linear)
WRENCH = 45  # 6: moment about the origin, force
RIGID = 51  # 9: first moment and inertia about the origin of the body alone (composite: 10 from here, mass last)
U = 61  # 6: inertia times the joint's motion (group leader: at the outer body's origin)
DINV = 67  # 1, or 6 for a ball
RHS = 73  # 1, or 3 for a ball
DA = 76  # 6: acceleration caused by v'
VEL = 82  # 3: velocity of the origin
G = 85  # 6: motion of a gear's member per rate of the group's q
NW = 91
