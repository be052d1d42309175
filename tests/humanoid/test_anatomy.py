"""Persons found in trees of points: whatever the axis that is up, the size, twist bones and fingers; a dog, two people and
what is no person are told."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.formats.bvh_motion import to_motion
from bunraku.humanoid.anatomy import anatomy
from bunraku.motion.person_points import Points
from bunraku.motion.retarget import retarget
from draws import fresh_seed
from motion_data import UNIT, own_clip, strange_walk, t_posed
from skeleton_styles import KINDS, rewritten
from strange_clips import dog, two_people


def seen(bvh, **options):
    source = to_motion(bvh)
    points = Points.of(source.model, source.q)
    return points, anatomy(points.parents, points.place, **options)


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_joints_whatever_the_style(kind):
    """Places of the twelve joints of the limbs are those of the skeleton they were rewritten from, left and right."""
    src = t_posed(strange_walk(), UNIT)
    points, a = seen(src)
    other, b = seen(rewritten(src, seed=fresh_seed(), kind=kind))
    scale = np.linalg.norm(other.place[0, b.legs[0].top] - other.place[0, b.legs[0].middle])
    scale /= np.linalg.norm(points.place[0, a.legs[0].top] - points.place[0, a.legs[0].middle])
    pairs = [(x, y) for p, q in ((a.legs, b.legs), (a.arms, b.arms)) for x, y in zip(p, q)]
    mine = np.array([points.place[:, k] for x, _ in pairs for k in (x.top, x.middle, x.end)])
    theirs = np.array([other.place[:, k] for _, y in pairs for k in (y.top, y.middle, y.end)]) / scale
    for one in range(12):  # distances between all twelve, frame by frame, know neither world nor unit
        d = [np.linalg.norm(x - x[one], axis=2) for x in (mine, theirs)]
        assert np.abs(d[0] - d[1]).max() < 1e-6 * d[0].max()
    assert b.certain and b.people == 1 and not b.on_all_fours


def test_a_mirrored_file_gives_a_person_with_exchanged_sides():
    source = to_motion(t_posed(strange_walk(), UNIT))
    points = Points.of(source.model, source.q)
    a, b = anatomy(points.parents, points.place), anatomy(points.parents, points.place * [1.0, -1.0, 1.0])
    assert (a.legs[0].top, a.arms[1].middle) == (b.legs[1].top, b.arms[0].middle)


def test_up_can_be_given():
    source = to_motion(t_posed(strange_walk(), UNIT))
    points = Points.of(source.model, source.q)
    a = anatomy(points.parents, points.place, up=np.array([0.0, 0.0, 1.0]))
    assert np.array_equal(a.up, [0, 0, 1]) and a.up_margin == np.inf


def test_who_is_no_single_person_is_told_in_one_sentence(tmp_path):
    from bunraku.errors import InputError

    for file, sentence in ((dog(), "four legs|is no person"), (two_people(), "two people")):
        with pytest.raises(InputError, match=sentence) as error:
            retarget(to_motion(file), bk.human())
        assert "\n" not in str(error.value)
    path = own_clip(tmp_path / "clip.bvh")
    assert len(retarget(bk.load_bvh(path), bk.human())) > 100
