"""The parts of Nakaoka et al. 2007, in its order. Each file beside this one has the parts of one subject."""

from __future__ import annotations

from bunraku_reproduce.experiment import Part
from bunraku_reproduce.nakaoka_2007.constraints_2007 import conditions, relation, vectors
from bunraku_reproduce.nakaoka_2007.iteration_2007 import iteration, settings, slip_direction
from bunraku_reproduce.nakaoka_2007.stepping_2007 import boxes, loop, rubber, stepping
from bunraku_reproduce.nakaoka_2007.walks_2007 import computing_time, nineteen

PARTS: tuple[Part, ...] = (
    vectors,
    relation,
    conditions,
    iteration,
    slip_direction,
    settings,
    boxes,
    loop,
    stepping,
    rubber,
    nineteen,
    computing_time,
)
