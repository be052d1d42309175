"""[[walk]] of a scene: planned, walked by the stabiliser, saved and gone on with; mistakes in one sentence."""

import numpy as np
import pytest

from bunraku.errors import BunrakuError
from bunraku.scene import load

PERSON = '[[ground]]\n[[figure]]\nname = "person"\nmodel = "human"\n'


def scene(tmp_path, text):
    (tmp_path / "test.toml").write_text(text)
    return load(tmp_path / "test.toml")


def test_walks_where_its_footsteps_lead(tmp_path):
    """Two steps of 0.2 m beside each other end 0.2 m ahead, upright."""
    s = scene(
        tmp_path,
        "[world]\nseconds = 4.5\n" + PERSON + '[[walk]]\nfigure = "person"\nfootsteps = "two steps of 0.2 m"\n',
    )
    r = s.run()
    f = r.world["person"]
    places = np.array([f.pose(n)[0] for n in ("left_foot", "right_foot")])
    start = np.array([s.build()["person"].pose(n)[0] for n in ("left_foot", "right_foot")])
    assert np.allclose(places - start, [0.2, 0.0, 0.0], atol=0.005)
    assert f.pose("trunk")[1][2, 2] > 0.99


def test_a_saved_walk_goes_on_bit_for_bit(tmp_path):
    s = scene(tmp_path, PERSON + '[[walk]]\nfigure = "person"\nfootsteps = "two steps"\npace = "slowly"\n')
    world = s.build()
    world.run(1.0)
    again = s.resume(world.save(tmp_path / "state.npz"))
    assert again.time == world.time and np.array_equal(again.q, world.q)
    for w in (world, again):
        w.run(0.7)
    assert np.array_equal(again.q, world.q) and np.array_equal(again.v, world.v)


BAD = [
    ('[[walk]]\nfigure = "persn"\nfootsteps = "walk 1 m"\n', r"\[\[walk\]\] 1: there is no figure 'persn'. Closest: 'person'"),
    ('[[walk]]\nfootsteps = "walk 1 m"\n', "'figure' is missing"),
    ('[[walk]]\nfigure = "person"\nfootsteps = "hop"\n', "'hop' is not understood"),
    ('[[walk]]\nfigure = "person"\nterrain = "ladder"\n', "terrain 'ladder' is not understood"),
    ('[[walk]]\nfigure = "person"\nterrain = "building"\npace = "slowly"\n', "at its own pace"),
    ('[[walk]]\nfigure = "person"\nfootsteps = "steps.toml"\n', "should be words"),
    ('[[walk]]\nfigure = "person"\npace = "quick"\n', "one of 'slowly', 'usual', 'briskly'"),
    ('at = [1, 0, 1]\n[[walk]]\nfigure = "person"\n', r"\('person'\): 'at' has no effect: it stands where \[\[walk\]\] 1 begins"),
    ('[[walk]]\nfigure = "person"\n[[walk]]\nfigure = "person"\n', r"\[\[walk\]\] 2: figure 'person' has a walk already"),
    ('[[figure]]\nname = "crate"\nmodel = "box"\nsize = [1, 1, 1]\n[[walk]]\nfigure = "crate"\n', r"\[\[walk\]\] 1: "),
]  # fmt: skip


@pytest.mark.parametrize("text, sentence", BAD, ids=[t for t, _ in BAD])
def test_mistakes_are_one_sentence(tmp_path, text, sentence):
    with pytest.raises(BunrakuError, match=sentence):
        scene(tmp_path, PERSON + text).build()
