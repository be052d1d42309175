"""What a choreography's grips are to the kernels: one end for each figure that takes part, in the world's table.

A grip is a connection of the world (bunraku.world.ties); its row there says whether it still holds. World axes, SI
units. Used by bunraku.choreography.grip_loads.
"""

from __future__ import annotations

from bunraku.kernel.record import Record, vec3, whole

MOST_GRIPS = 32  # ends


class GripEnd(Record):
    """Whose hand, on what."""

    used = whole()  # 1: this row is a grip's
    tie = whole()  # its row among the world's connections
    ours = whole()  # the body that grips, of the world
    other = whole()  # the body that is held, of the world
    first = whole()  # 1: ours is the connection's first body
    loose = whole()  # 1: `other` is a thing, one free body that its holders carry
    seen = whole()  # 1: it has been held for a step


class GripFelt(Record):
    """What an end felt."""

    rate = vec3()  # m/s: of the thing's centre of mass, in the step before
    spin = vec3()  # rad/s: of the thing
    force = vec3()  # N on `ours`, besides that of what is carried
    moment = vec3()  # N m about the origin of `ours`
