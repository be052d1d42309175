"""Bad rows: single frames and stretches that jump are found, named and bridged; the rest of the clip stays as it was."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import InputError
from bunraku.formats.bvh import Bvh
from bunraku.formats.bvh_motion import load_bvh, to_motion
from bunraku.motion.retarget import retarget
from motion_data import UNIT, captured, strange_walk, t_posed


def clip(change=None):
    """Our walk after a T-pose, 120 rows a second; change: a function of its values."""
    file = t_posed(strange_walk(), UNIT)
    values = file.values.copy()
    if change is not None:
        values = change(values)
    return to_motion(Bvh(file.joints, values, file.frame_time), scale=UNIT)


def jumped(values, rows, by=40.0):
    values[rows, 2] += by  # units of 56 mm: more than 2 m
    return values


def test_a_jump_is_bridged_and_named():
    good = retarget(clip(), bk.human(), cutoff=None)
    out = retarget(clip(lambda v: jumped(v, slice(300, 312))), bk.human(), cutoff=None)
    assert len(out) == len(good) and np.allclose(out.meta["bad_s"], [[300 / 120, 311 / 120]])
    apart = np.abs(bk.difference(good.model, good.q, out.q))
    assert max(apart[:290].max(), apart[320:].max()) < 2e-5  # lengths are medians over the rows, of nine places
    assert apart[:, :3].max() < 0.05  # the bridge is straight, the person walks


def test_an_arm_that_jumps():
    def flipped(values):
        values[400, -6:] += 170.0
        values[200, 20:30] -= 120.0
        return values

    out = retarget(clip(flipped), bk.human(), cutoff=None)
    assert [round(120 * a) for a, _ in out.meta["bad_s"]] in ([200, 400], [200], [400])
    speed = np.abs(np.diff(out.q[:, 7:], axis=0)).max() * 120
    assert speed < 40.0


def test_bad_rows_at_the_ends_are_left_out():
    good = retarget(clip(), bk.human(), cutoff=None)
    out = retarget(clip(lambda v: jumped(jumped(v, slice(1, 4)), slice(-5, None))), bk.human(), cutoff=None)
    assert len(out) == len(good) - 8 and len(out.meta["bad_s"]) == 2 and out.times[0] == 0.0
    assert np.abs(bk.difference(good.model, good.q[3:-5], out.q)[:, 6:]).max() < 1e-6


def test_a_person_that_goes_on_elsewhere_is_refused():
    with pytest.raises(InputError, match=r"jumps by 2\.\d m between 2\.\d\d and 2\.\d\d s, and does not come back"):
        retarget(clip(lambda v: jumped(v, slice(300, None))), bk.human())
    rng = np.random.default_rng(3)
    with pytest.raises(InputError, match="jumps from frame to frame"):
        retarget(clip(lambda v: v + 60 * rng.normal(size=v.shape)), bk.human())


def test_the_captured_clip_with_a_second_t_pose():
    out = retarget(load_bvh(captured("07_12"), scale=UNIT), bk.human())
    assert len(out.meta["bad_s"]) == 1 and np.abs(np.diff(out.q[:, :3], axis=0)).max() < 0.1
