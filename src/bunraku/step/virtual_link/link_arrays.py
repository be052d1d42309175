"""Records of contact by virtual links in a world: what a patch is made from, beside what the solver knows of it
(bunraku.step.virtual_link.link_layout)."""

from __future__ import annotations

import numpy as np

from bunraku.kernel.record import Record, inner, many, put, reals, vec3, whole, wholes, zeros
from bunraku.step.step_arrays import Step
from bunraku.step.virtual_link.link_layout import VERTICES, Links, put_links

# kind of block: the six rows of a patch; it stands at the first of its two packs, the second has no block
PATCH = np.int64(3)


class Touch(Record):
    """Where a patch comes from, all contacts of one pair of shapes, and what is wanted of it."""

    first_contact = whole()
    contacts = whole()
    first_pack = whole()  # or -1
    vertex_of = wholes(VERTICES)  # contact of every vertex of the region
    origin = vec3()  # m, in the world
    now = reals(6)  # rates of its six rows,
    free = reals(6)  # those without impulses
    goal = reals(6)  # wanted,
    goal_p = reals(6)  # and wanted for positions
    share = reals(VERTICES)  # of the pressure, vertex by vertex
    corner = reals(VERTICES)  # scratch


class LinkStep(Record, after=Links.layout.slots):
    """The arrays of virtual links in the table of a step."""

    links = inner(Links)  # patches of the step; the problem of one island
    touches = many(Touch)  # of the same patches


def put_link_room(step: Step, rows: int) -> None:
    """Arrays for `rows` rows in all, put into the table of a step that has its K."""
    K = step.island.K
    put_links(Links(step), rows, len(K) + 6, K)
    put(LinkStep(step), touches=zeros(Touch, rows))
