"""The records of a step: every array of the table has one name, and what files hold has the places it always had."""

import numpy as np

from bunraku.collision.shape_layout import Contact, ContactId
from bunraku.kernel.record import Record
from bunraku.step.rk4 import RungeKutta
from bunraku.step.step_arrays import (
    EXTRA,
    EXTRA_COUNT,
    ContactMemory,
    Drive,
    Info,
    Numbers,
    Step,
    Tie,
    TieKind,
)
from bunraku.step.step_log import StepLog
from bunraku.step.virtual_link.link_arrays import LinkStep


def slots(of: type[Record]) -> dict[int, str]:
    """The arrays of a record by their numbers, those of the records inside as well; none has two names."""
    out: dict[int, str] = {}
    for name, f in of.layout.fields.items():
        for slot, full in (slots(f.of) if f.kind == "record" else {f.slot: f"{of.__name__}.{name}"}).items():
            assert out.setdefault(slot, full) == full
    return out


def test_no_array_has_two_names():
    assert max(slots(Step)) < EXTRA
    for own in (slots(RungeKutta), slots(LinkStep)):
        assert min(own) >= EXTRA and max(own) < EXTRA + EXTRA_COUNT <= min(slots(StepLog))


def test_what_files_hold_has_its_old_places():
    """Numbers of the arrays of a saved world, by version 0.1; connections have grown at their end."""
    sizes = {Numbers: 8, Info: 24, Drive: 8, ContactId: 4, Contact: 7, ContactMemory: 10, TieKind: 6, Tie: 42}
    assert {of: of.layout.words for of in sizes} == sizes
    for of in (Info, ContactId, TieKind):
        assert of.layout.dtype == np.int64
    assert Info.layout.fields["fixed_pairs"].offset == 8 and Info.layout.fields["track_at"].offset == 11
    assert Numbers.layout.fields["damping"].offset == 5 and Drive.layout.fields["held"].offset == 7
    assert TieKind.layout.fields["rates"].offset == 5 and Tie.layout.fields["radius"].offset == 29
    assert Tie.layout.fields["stiff"].offset == 24 and ContactMemory.layout.fields["linked_pv"].offset == 8
