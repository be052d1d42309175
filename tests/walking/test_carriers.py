"""Two walkers with one plank."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import InputError
from bunraku.walking.carriers import Carrier, Carriers, abreast

G = 9.80665


def test_two_carry_a_plank_for_two_steps():
    two = abreast([bk.human(), bk.human()], 20.0, "two steps of 0.2 m")
    at = two.thing.q[:3].copy()
    two.run()
    assert two.fell is None and len(two.world.figures) == 3
    assert two.thing.q[:3] - at == pytest.approx([0.2, 0, 0], abs=0.01)
    assert abs(two.thing.q[3]) > 0.999  # level as it was
    grips = [g for w in two.walkers for g in w.grips]
    assert [np.linalg.norm(g.force) for g in grips] == pytest.approx([5.0 * G] * 4, rel=0.05)
    for w in two.walkers:
        assert w.humanoid.model.mass == pytest.approx(79.0)  # each knows its half
        assert max(e.distance for e in w.footstep_error()) < 0.01
        assert w.pulled.max() < 0.5 * 20.0 * G


@pytest.mark.slow
def test_five_metres():
    two = abreast([bk.human(), bk.human()], 20.0, "walk 5 m")
    at = two.thing.q[:3].copy()
    two.run()
    assert two.fell is None and two.thing.q[:3] - at == pytest.approx([5.0, 0, 0], abs=0.02)
    assert np.concatenate([w.pulled for w in two.walkers]).max() < 100.0


def test_what_carriers_cannot_do():
    one = Carrier("human", (0.0, 0.0), {"left_hand": (0, 0, 0)})
    with pytest.raises(InputError, match="alone"):
        Carriers([one], bk.box((0.1, 0.1, 0.1)), (0.3, 0, 1))
    with pytest.raises(InputError, match="straight"):
        abreast([bk.human(), bk.human()], 20.0, "walk 1 m, turn 90 degrees")
    with pytest.raises(InputError, match="mass"):
        abreast([bk.human(), bk.human()], -1.0)
