"""The parts of JAERI-M 88-080, in its order. Each file beside this one has the parts of one subject."""

from __future__ import annotations

from bunraku_reproduce.experiment import Part
from bunraku_reproduce.jaeri_1988.decks_1988 import cases, decks, patterns
from bunraku_reproduce.jaeri_1988.figure_1988 import errors, figure, zero_moment
from bunraku_reproduce.jaeri_1988.listings_1988 import gait, iterations, moma, symmetry, walk
from bunraku_reproduce.jaeri_1988.pictures_1988 import coordinates, four_steps, pictures
from bunraku_reproduce.jaeri_1988.surveyed_1988 import cost, formulas
from bunraku_reproduce.jaeri_1988.wishes_1988 import servo, wishes

PARTS: tuple[Part, ...] = (
    cost,
    figure,
    zero_moment,
    errors,
    formulas,
    servo,
    decks,
    patterns,
    cases,
    gait,
    iterations,
    walk,
    moma,
    symmetry,
    four_steps,
    coordinates,
    pictures,
    wishes,
)
