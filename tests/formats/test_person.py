"""Files of persons: there and back bit for bit, taken wherever a figure is; every mistake is one sentence with its place."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import FormatError, InputError
from bunraku.formats.bvh_motion import to_motion
from bunraku.formats.person import Person, person
from bunraku.model.body_lengths import Measures, standard
from motion_data import UNIT, strange_walk, t_posed


def somebody(seed):
    """A person of random measures."""
    draw = np.random.default_rng(seed)
    usual = standard(draw.uniform(1.2, 2.0))

    def shaken(x):
        return tuple(shaken(y) for y in x) if isinstance(x, tuple) else float(x * draw.uniform(0.9, 1.1))

    values = {name: shaken(x) for name, x in vars(usual).items()}
    return Person(Measures(**values), None if seed % 4 == 3 else float(draw.uniform(40, 120)), f'no. {seed} "x" \\ ü\n')


def same(a, b):
    return np.array_equal(a.reals, b.reals) and np.array_equal(a.effort, b.effort) and a.body_names == b.body_names


@pytest.mark.parametrize("seed", range(8))
def test_there_and_back(seed, tmp_path):
    one, path = somebody(seed), tmp_path / "p.toml"
    path.write_text(one.text(), encoding="utf-8")
    two = bk.load(path)
    assert same(one.describe().build(), two) and two.source == str(path)
    assert two.mass == pytest.approx(69.0 if one.mass is None else one.mass, rel=1e-12)
    assert all(np.array_equal(a.size, b.size) for a, b in zip(one.describe().build().shapes, two.shapes))


def test_a_measured_person_there_and_back(tmp_path):
    clip = to_motion(t_posed(strange_walk(), UNIT), scale=UNIT)
    path = tmp_path / "p.toml"
    path.write_text(person(like=clip, mass=77.0).text())
    assert same(bk.human(like=clip, mass=77.0), bk.load(path))


def test_without_lengths_it_is_the_standard_figure(tmp_path):
    path = tmp_path / "p.toml"
    path.write_text('format = "bunraku person"\nversion = 1\nheight = 1.62\nmass = 55\n')
    assert same(bk.load(path), bk.human(1.62, 55.0))
    path.write_text("format = 'bunraku person'\nversion = 1\nbody = '2000'\n")
    assert same(bk.load(path), bk.human())


def test_a_scene_takes_it(tmp_path):
    (tmp_path / "p.toml").write_text(person(1.5, 50.0).text())
    (tmp_path / "s.toml").write_text('[[figure]]\nmodel = "p.toml"\nname = "she"\n')
    from bunraku.scene import load

    assert load(tmp_path / "s.toml").build()["she"].model.mass == pytest.approx(50.0)


GOOD = person(1.7, 69.0).text()
BAD = [
    ("version = 1", "version = 2", "version = 2 is unknown; this Bunraku reads 1"),
    ("height = 1.7", "height = 17.0", "height 17.0 is not a number between 0.3 and 3.0"),
    ("height = 1.7", 'height = "tall"', "height = 'tall' should be a number"),
    ("mass = 69.0", "mass = true", "mass = True should be a number"),
    ("mass = 69.0", "mas = 69.0", "there is no key 'mas'. Closest: 'mass'"),
    ("mass = 69.0", "", "write either mass = …, in kg, or body"),
    ("mass = 69.0", 'mass = 69.0\nbody = "2000"', "write either mass = …, in kg, or body"),
    ("mass = 69.0", 'body = "1999"', "there is no body '1999'"),
    ("thigh = ", "tigh = ", "[lengths]: there is no key 'tigh'. Closest: 'thigh'"),
    ("ankle = ", "#", "[lengths]: 'ankle' is missing"),
    ("ankle = ", "ankle = -", "[lengths]: ankle = -0.0663 should be a number, in metres"),
    ("thigh = [", "thigh = [1, ", "[lengths]: thigh = [1, 0.4165000000000001, 0.4165000000000001] should be two numbers, left and right"),
    ("waist = [", "waist = [nan, ", "[lengths]: waist = [nan, 0.0, 0.0, 0.11899999999999991] should be a place [x, y, z]"),
    ("heel = ", "heel = 1e9 #", "[lengths]: heel = 1000000000.0 should be a number, in metres"),
    ("hip = [[0.0, ", "hip = [[0.0, -", "the left hip and shoulder must be left (y) of the right ones"),
    ("[lengths]", "[[lengths]]", "write [lengths] as the head of a table"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "sentence"), BAD)
def test_mistakes(old, new, sentence, tmp_path):
    assert old in GOOD
    path = tmp_path / "p.toml"
    path.write_text(GOOD.replace(old, new))
    with pytest.raises(FormatError) as error:
        bk.load(path)
    assert str(error.value).startswith("p.toml: ") and sentence in str(error.value) and "\n" not in str(error.value)


def test_options_that_contradict():
    with pytest.raises(InputError, match="has the masses of its table, 69 kg together; leave mass out"):
        bk.human(mass=70.0, body="2000")
    with pytest.raises(InputError, match="there is no body '1988'"):
        bk.human(body="1988")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="a mapping names the joints of a skeleton"):
        bk.human(mapping={"pelvis": "Hips"})
    with pytest.raises(InputError, match="root='fixed' is an option for URDF"):
        bk.load(written(), root="fixed")


def written():
    import tempfile
    from pathlib import Path

    path = Path(tempfile.mkdtemp()) / "p.toml"
    path.write_text(GOOD)
    return path


def test_a_mapping_names_the_joints(tmp_path):
    clip = t_posed(strange_walk(), UNIT)
    plain = to_motion(clip, scale=UNIT)
    table = {b.link: (b.joint, b.end) if b.end else b.joint for b in bones(plain)}
    for j in clip.joints:
        j.name = f"x{j.name}"
    strange = to_motion(clip, scale=UNIT)
    with pytest.raises(InputError, match=r"human: the joints of .* are neither"):
        bk.human(like=strange)
    names = {link: [f"x{y}" for y in ([x] if isinstance(x, str) else x)] for link, x in table.items()}
    assert same(bk.human(like=strange, mapping=names), bk.human(like=plain))


def bones(motion):
    from bunraku.humanoid.skeletons import bones_of

    return bones_of(bk.human(), motion.model)[1]


def test_segments_of_1996_through_a_file(tmp_path):
    """Masses of de Leva (1996) add up to the given one, and the file gives the same figure."""
    from bunraku.formats.person import parse, person

    kept = person(1.8, 73.0, body="1996")
    direct, again = kept.describe().build(), parse(kept.text(), "person.toml").describe().build()
    assert direct.mass == pytest.approx(73.0, rel=1e-3)
    assert np.array_equal(direct.reals, again.reals)
    assert direct.mass == bk.human(1.8, 73.0, body="1996").mass
    assert not np.array_equal(direct.reals, bk.human(1.8, 73.0).reals)
