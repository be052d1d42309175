"""Records of a batch of worlds: where each world's arrays are, how far it is, what pushes it, what reaches its drives
late."""

from __future__ import annotations

from bunraku.kernel.record import Record, block, int_matrix, int_vector, many, matrix, vec3, whole


class Push(Record):
    """A force on a body of one world."""

    body = whole()
    until = whole()  # it acts in steps before this one, counted from the world's start
    force = vec3()  # N, world axes
    torque = vec3()  # N m
    place = vec3()  # m: where it acts, in the body's frame


class Batch(Record):
    """See the module text; a row a world (n)."""

    slots = int_vector()  # which arrays of a step are a world's own,
    rows = int_matrix()  # and where they are (bunraku.batch.seats)
    left = int_vector()  # steps that are still to be done
    status = int_vector()  # 0, or why a world stands still: that of its last step
    now = int_vector()  # steps done since its start
    pushes = many(Push)  # as many for each world
    delays = int_vector()  # steps that commands are late,
    ring = block()  # (n, longest + 1, nq + 2 nv) commands of the last steps; no rows: none is late
    wanted_q = matrix()  # what is asked for now: targets
    wanted_v = matrix()
    wanted_tau = matrix()  # and torques
