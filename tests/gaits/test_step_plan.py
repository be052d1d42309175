"""When edges stand, and what people do at a speed."""

import numpy as np
import pytest

from bunraku.errors import InputError
from bunraku.gaits.make_gait import plan_of
from bunraku.gaits.step_plan import StepPlan


def test_edges_stand_one_after_the_other():
    p = StepPlan(1.3, 0.68)
    assert "".join(dict.fromkeys(p.leading)) == "hft" and "".join(dict.fromkeys(p.trailing)) == "t-"
    assert p.seconds == pytest.approx(0.68 / 1.3)
    lifts = [p.lift(k) for k in range(p.nodes)]
    assert max(lifts) == pytest.approx(p.clearance) and lifts[0] == 0 and lifts[-1] < 0.2 * p.clearance


@pytest.mark.parametrize("speed", [0.3, 0.8, 1.3, 1.7])
def test_the_froude_number_is_what_counts(speed):
    tall, small = plan_of(speed, 1.7), plan_of(speed * np.sqrt(1.2 / 1.7), 1.2)
    assert small.length == pytest.approx(tall.length * 1.2 / 1.7) and small.both == pytest.approx(tall.both)


@pytest.mark.parametrize(
    ("speed", "height", "length"), [(0.1, 1.7, None), (2.5, 1.7, None), (1.3, 1.7, 1.5), (1.3, 0.5, None)]
)
def test_what_is_no_walk_is_refused(speed, height, length):
    with pytest.raises(InputError, match="gaits:"):
        plan_of(speed, height, length)
