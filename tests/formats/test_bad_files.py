"""A table of bad files: each gives one clear sentence and exit code 2, at once, and nothing is half-loaded."""

from __future__ import annotations

import os
import random
import re
from pathlib import Path

import numpy as np
import pytest

import bunraku as bk
import bunraku.cli
from bunraku.errors import BunrakuError, FormatError, ModelError
from bunraku.formats import load, xmlsafe
from draws import fresh_rng
from robots import robot

INERTIAL = '<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>'
LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'


def link(name: str, inside: str = INERTIAL) -> str:
    return f'<link name="{name}">{inside}</link>'


def joint(name: str, parent: str, child: str, inside: str = LIMIT, kind: str = "revolute") -> str:
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


def robot_text(*lines: str) -> str:
    """A URDF file, one part a line, the first on line 2."""
    return "\n".join(['<robot name="r">', *lines, "</robot>", ""])


def pair(inside: str = LIMIT, kind: str = "revolute", second: str = INERTIAL, more: str = "") -> str:
    """Links a and b; their joint j is on line 4."""
    return robot_text(link("a"), link("b", second), joint("j", "a", "b", inside, kind), more)


def inertial(
    mass: str = "1", ixx: str = "1", iyy: str = "1", izz: str = "1", ixy: str = "0", com: str = "0 0 0"
) -> str:
    return (
        f'<inertial><origin xyz="{com}"/><mass value="{mass}"/>'
        f'<inertia ixx="{ixx}" iyy="{iyy}" izz="{izz}" ixy="{ixy}" ixz="0" iyz="0"/></inertial>'
    )


def mujoco_text(body: str = "", more: str = "") -> str:
    """An MJCF file; the body's content is on line 3."""
    return f'<mujoco>\n<worldbody><body name="a">\n{body}\n</body></worldbody>\n{more}</mujoco>\n'


def shape(geometry: str) -> str:
    return INERTIAL + f"<collision><geometry>{geometry}</geometry></collision>"


LAUGHS = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10 if i else "ha"}">' for i in range(12))
THIRD = link("c") + joint("k", "b", "c", LIMIT)
FINGERS = robot_text(link("a"), link("b", ""), joint("j", "a", "b"))
GEARED = (
    link("c", "")
    + joint("k", "b", "c", LIMIT + '<mimic joint="m"/>')
    + link("d", "")
    + joint("m", "a", "d", '<axis xyz="0 1 0"/>' + LIMIT)
)
SPHERE = '<joint/><geom size="0.1"/>'

# name: (file name, content, words of the message)
BAD: dict[str, tuple[str, str | bytes | None, str]] = {
    # --- files
    "missing file": ("none.urdf", None, "no such file"),
    "empty file": ("a.urdf", "", "empty"),
    "blank file": ("a.xml", " \n\t\n", "empty"),
    "latin-1": ("a.urdf", b'<robot name="\xe9"/>', "UTF-8"),
    "binary": ("a.stl", bytes(range(128, 256)) * 9, "UTF-8"),
    "utf-16": ("a.urdf", '<robot name="r"/>'.encode("utf-16"), "UTF-8"),
    "plain text": ("a.txt", "a walking figure\n", "ending '.txt'"),
    "json": ("a.urdf", '{"robot": 1}', "does not start like XML"),
    "null bytes": ("a.urdf", '<robot name="\0"/>', "broken XML"),
    # --- XML
    "unclosed": ("a.urdf", '<robot name="r">\n<link name="a">', "broken XML"),
    "mismatched": ("a.urdf", '<robot name="r">\n<link name="a"></joint></robot>', "a.urdf:2: broken XML"),
    "two roots": ("a.urdf", '<robot name="r"/><robot name="s"/>', "broken XML"),
    "attribute twice": ("a.urdf", '<robot name="r" name="s"/>', "duplicate attribute"),
    "undefined entity": ("a.urdf", '<robot name="r">&pelvis;</robot>', "undefined entity"),
    "billion laughs": ("a.urdf", f"<!DOCTYPE robot [{LAUGHS}]><robot name='r'>&e11;</robot>", "DOCTYPE"),
    "external entity": (
        "a.urdf",
        '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/hostname">]><robot>&x;</robot>',
        "DOCTYPE",
    ),
    "external grammar": ("a.urdf", '<!DOCTYPE robot SYSTEM "http://localhost:1/r.dtd"><robot name="r"/>', "DOCTYPE"),
    "laughing MJCF": ("a.xml", f"<!DOCTYPE mujoco [{LAUGHS}]><mujoco>&e11;</mujoco>", "DOCTYPE"),
    "deep URDF": ("a.urdf", "<robot>" + "<link>" * 300_000, "nested deeper"),
    "deep MJCF": ("a.xml", "<mujoco><worldbody>" + "<body>" * 300_000, "nested deeper"),
    "unknown root": ("a.urdf", '<kml version="1.9"/>', "root element <kml>"),
    "include part": ("a.xml", "<mujocoinclude/>", "include"),
    "xacro": ("a.urdf", '<robot xmlns:xacro="x"><xacro:leg side="left"/></robot>', "run xacro"),
    # --- URDF: names and tree
    "no links": ("a.urdf", robot_text(), "no links"),
    "link without name": ("a.urdf", robot_text("<link/>"), "a.urdf:2: <link> has no name"),
    "duplicate link": ("a.urdf", robot_text(link("a"), link("a")), "a.urdf:3: duplicate link name 'a'"),
    "duplicate joint": ("a.urdf", pair(more=link("c") + joint("j", "b", "c")), "duplicate joint name 'j'"),
    "joint without name": ("a.urdf", pair().replace('name="j" ', ""), "a.urdf:4: <joint> has no name"),
    "joint without type": ("a.urdf", pair().replace('type="revolute"', ""), "has no type"),
    "unknown type": ("a.urdf", pair(kind="ball"), "unknown type 'ball'"),
    "no parent": ("a.urdf", pair().replace('<parent link="a"/>', ""), "has no parent"),
    "no child": ("a.urdf", pair().replace('<child link="b"/>', ""), "has no child"),
    "unknown parent": ("a.urdf", pair().replace('<parent link="a"/>', '<parent link="A"/>'), "no parent link 'A'"),
    "unknown child": ("a.urdf", pair().replace('<child link="b"/>', '<child link="bb"/>'), "no child link 'bb'"),
    "own parent": ("a.urdf", pair().replace('<child link="b"/>', '<child link="a"/>'), "to itself"),
    "loop": ("a.urdf", pair(more=joint("k", "b", "a")), "loop"),
    "loop beside the tree": (
        "a.urdf",
        robot_text(link("a"), link("b"), link("c"), joint("j", "b", "c"), joint("k", "c", "b")),
        "loop",
    ),
    "two parents": ("a.urdf", pair(more=link("c") + joint("k", "a", "c") + joint("m", "c", "b")), "already the child"),
    "two trees": ("a.urdf", robot_text(link("a"), link("b")), "lack a parent"),
    # --- URDF: numbers
    "zero axis": ("a.urdf", pair('<axis xyz="0 0 0"/>' + LIMIT), "a.urdf:4: joint 'j' axis (0, 0, 0) has no direction"),
    "zero planar axis": ("a.urdf", pair('<axis xyz="0 0 0"/>', "planar"), "no direction"),
    "axis of two": ("a.urdf", pair('<axis xyz="0 1"/>' + LIMIT), "3 numbers wanted"),
    "axis in words": ("a.urdf", pair('<axis xyz="x y z"/>' + LIMIT), "not a number"),
    "axis nan": ("a.urdf", pair('<axis xyz="0 nan 1"/>' + LIMIT), "finite"),
    "origin inf": ("a.urdf", pair('<origin xyz="inf 0 0"/>' + LIMIT), "finite"),
    "origin overflow": ("a.urdf", pair('<origin xyz="1e999 0 0"/>' + LIMIT), "finite"),
    "origin absurd": ("a.urdf", pair('<origin xyz="1e200 0 0"/>' + LIMIT), "absurd"),
    "rpy nan": ("a.urdf", pair('<origin rpy="0 0 NaN"/>' + LIMIT), "finite"),
    "unexpanded number": ("a.urdf", pair('<origin xyz="${hip} 0 0"/>' + LIMIT), "xacro"),
    "lower above upper": (
        "a.urdf",
        pair('<limit lower="1" upper="-1"/>'),
        "a.urdf:4: joint 'j': the lower limit 1.0 is above",
    ),
    "limit nan": ("a.urdf", pair('<limit lower="nan" upper="1"/>'), "finite"),
    "limit inf": ("a.urdf", pair('<limit lower="-inf" upper="inf"/>'), "finite"),
    "negative effort": ("a.urdf", pair('<limit lower="-1" upper="1" effort="-3"/>'), "negative effort"),
    "negative velocity": ("a.urdf", pair('<limit lower="-1" upper="1" velocity="-3"/>'), "negative velocity"),
    "negative damping": ("a.urdf", pair(LIMIT + '<dynamics damping="-1"/>'), "negative damping"),
    "negative friction": ("a.urdf", pair(LIMIT + '<dynamics friction="-1"/>'), "negative friction"),
    "free in the tree": (
        "a.urdf",
        pair(kind="floating", more=THIRD + joint("n", "a", "b2") + link("b2")),
        "free joint",
    ),
    # --- URDF: inertias and shapes
    "negative mass": ("a.urdf", pair(second=inertial(mass="-1")), "a.urdf:3: link 'b' has the negative mass"),
    "mass nan": ("a.urdf", pair(second=inertial(mass="nan")), "finite"),
    "mass inf": ("a.urdf", pair(second=inertial(mass="inf")), "finite"),
    "mass absurd": ("a.urdf", pair(second=inertial(mass="1e30")), "absurd"),
    "inertia without ixx": ("a.urdf", pair(second=inertial().replace('ixx="1"', "")), "no ixx"),
    "products too large": ("a.urdf", pair(second=inertial(ixy="1.1")), "not positive semi-definite"),
    "inertia nan": ("a.urdf", pair(second=inertial(ixx="nan")), "finite"),
    "centre nan": ("a.urdf", pair(second=inertial(com="0 nan 0")), "finite"),
    "negative radius": ("a.urdf", pair(second=shape('<sphere radius="-1"/>')), "not positive"),
    "cylinder without length": ("a.urdf", pair(second=shape('<cylinder radius="1"/>')), "no length"),
    "empty geometry": ("a.urdf", pair(second=shape("")), "<geometry> is empty"),
    "no geometry": ("a.urdf", pair(second=INERTIAL + "<visual/>"), "no <geometry>"),
    "mesh without file": ("a.urdf", pair(second=shape("<mesh/>")), "no filename"),
    "colour of three": (
        "a.urdf",
        '<robot name="r"><material name="m"><color rgba="1 1 1"/></material><link name="a"/></robot>',
        "4 numbers",
    ),
    # --- URDF: mimic
    "mimic without joint": ("a.urdf", pair(LIMIT + "<mimic/>"), "no joint"),
    "mimic of itself": ("a.urdf", pair(LIMIT + '<mimic joint="j"/>'), "cannot follow itself"),
    "mimic by zero": (
        "a.urdf",
        pair(more=link("c") + joint("k", "b", "c", LIMIT + '<mimic joint="j" multiplier="0"/>')),
        "ratio is 0",
    ),
    "mimic nan": (
        "a.urdf",
        pair(more=link("c") + joint("k", "b", "c", LIMIT + '<mimic joint="j" multiplier="nan"/>')),
        "finite",
    ),
    "mimic in a circle": (
        "a.urdf",
        pair(LIMIT + '<mimic joint="k"/>', more=link("c") + joint("k", "b", "c", LIMIT + '<mimic joint="j"/>')),
        "cycle",
    ),
    "mimic of a plane": (
        "a.urdf",
        pair("", "planar", more=link("c") + joint("k", "b", "c", LIMIT + '<mimic joint="j"/>')),
        "not of one DoF",
    ),
    # --- MJCF
    "empty MJCF": ("a.xml", "<mujoco/>", "a.xml:1: the model has no bodies"),
    "MJCF unknown element": ("a.xml", mujoco_text("<wheel/>"), "a.xml:3: MuJoCo refuses it"),
    "MJCF unknown attribute": ("a.xml", mujoco_text('<joint hinge="1"/><geom size="1"/>'), "MuJoCo refuses it"),
    "MJCF zero axis": (
        "a.xml",
        mujoco_text('<joint axis="0 0 0"/><geom size="0.1"/>'),
        "a.xml:3: MuJoCo refuses it: axis",
    ),
    "MJCF nan": ("a.xml", mujoco_text('<joint/><geom size="nan"/>'), "a.xml:3: <geom size='nan'> is not finite"),
    "MJCF inf": ("a.xml", mujoco_text('<joint damping="inf"/><geom size="1"/>'), "not finite"),
    "MJCF overflow": ("a.xml", mujoco_text('<joint damping="1e999"/><geom size="1"/>'), "not finite"),
    "MJCF absurd": ("a.xml", mujoco_text('<joint damping="1e200"/><geom size="0.1"/>'), "absurd"),
    "MJCF duplicate": ("a.xml", mujoco_text(SPHERE + f'<body name="a">{SPHERE}</body>'), "repeated name 'a'"),
    "MJCF no mass": ("a.xml", mujoco_text("<joint/>"), "mass and inertia"),
    "MJCF limits": ("a.xml", mujoco_text('<joint range="1 -1" limited="true"/><geom size="0.1"/>'), "range"),
    "MJCF negative damping": ("a.xml", mujoco_text('<joint damping="-1"/><geom size="0.1"/>'), "negative damping"),
    "MJCF negative size": ("a.xml", mujoco_text('<joint/><geom size="-1"/>'), "positive"),
    "MJCF free inside": ("a.xml", mujoco_text(SPHERE + f"<body><freejoint/>{SPHERE}</body>"), "MuJoCo refuses it"),
    "MJCF missing include": ("a.xml", '<mujoco><include file="none.xml"/></mujoco>', "none.xml"),
    "MJCF missing mesh": ("a.xml", mujoco_text(SPHERE, '<asset><mesh file="none.stl"/></asset>'), "none.stl"),
    "MJCF gear in a circle": (
        "a.xml",
        mujoco_text(
            '<joint name="p"/><joint name="q" axis="1 0 0"/><geom size="0.1"/>',
            '<equality><joint joint1="p" joint2="q"/><joint joint1="q" joint2="p"/></equality>',
        ),
        "cycle",
    ),
    "MJCF replicated": (
        "a.xml",
        mujoco_text(f'<replicate count="1000000000">{SPHERE}</replicate>'),
        "beyond the limit",
    ),
    "MJCF replicated twice": (
        "a.xml",
        mujoco_text('<replicate count="999"><replicate count="999"><geom size="1"/></replicate></replicate>'),
        "beyond the limit",
    ),
    "MJCF huge texture": (
        "a.xml",
        mujoco_text(SPHERE, '<asset><texture name="t" builtin="flat" width="99999" height="99999"/></asset>'),
        "beyond the limit",
    ),
    "MJCF huge keyframes": ("a.xml", mujoco_text(SPHERE, '<size nkey="1000000000"/>'), "beyond the limit"),
}

# what other programs read: mended and told, refused with strict=True
MENDED: dict[str, tuple[str, str, str]] = {
    "no mass": ("a.urdf", pair(second='<inertial><inertia ixx="1" iyy="1" izz="1"/></inertial>'), "no mass"),
    "no inertia": ("a.urdf", pair(second='<inertial><mass value="1"/></inertial>'), "no inertia"),
    "negative moment": ("a.urdf", pair(second=inertial(izz="-1e-6")), "not positive semi-definite"),
    "flat box": ("a.urdf", pair(second=shape('<box size="1 1 0"/>')), "not positive"),
    "massless finger": ("a.urdf", FINGERS, "inertia"),
    "massless geared fingers": ("a.urdf", robot_text(link("a"), link("b"), joint("j", "a", "b"), GEARED), "inertia"),
    "massless free root": ("a.urdf", robot_text(link("a", "")), "inertia"),
    "point mass on its axis": ("a.urdf", pair(second=inertial(ixx="0", iyy="0", izz="0")), "inertia"),
    "mimic of nothing": ("a.urdf", pair(LIMIT + '<mimic joint="knee"/>'), "unknown joint 'knee'"),
}
TOLD = {
    "no mass": "<inertial> without <mass>: it is taken as 0 ('b')",
    "no inertia": "<inertial> without <inertia>: it is taken as 0 ('b')",
    "negative moment": "link 'b': its principal moment -1e-06 kg m^2 is taken as 0",
    "flat box": "link 'b': its box has the size 0 and is left out",
    "massless finger": "joint 'j' of 'r' moves no mass",
    "massless geared fingers": "move no mass",
    "massless free root": "joint 'root' of 'r' moves no mass",
    "point mass on its axis": "joint 'j' of 'r' moves no inertia",
    "mimic of nothing": "<mimic> of the unknown joint 'knee' is not used ('j')",
}


@pytest.mark.parametrize("case", MENDED)
def test_what_others_read_is_mended_and_told(case, tmp_path):
    name, content, words = MENDED[case]
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(BunrakuError, match=re.escape(words)) as caught:
        load(path, strict=True)
    assert str(path.name) in str(caught.value) and str(caught.value).endswith(".")
    model = load(path)
    assert any(TOLD[case] in str(note) for note in model.notes), [str(n) for n in model.notes]
    if model.massless:  # kinematics works, forward dynamics says which joint
        assert np.all(np.isfinite(bk.kinematics(model, model.neutral()).rotation))
        for refused in (
            lambda: bk.aba(model, model.neutral(), np.zeros(model.nv), np.zeros(model.nv)),
            lambda: bk.World().add(model),
        ):
            with pytest.raises(ModelError, match=repr(model.massless[0])):
                refused()
    else:
        assert np.linalg.eigvalsh(bk.crba(model, model.neutral()))[0] > 0


@pytest.fixture(params=BAD)
def bad(request, tmp_path) -> tuple[Path, str]:
    name, content, words = BAD[request.param]
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path, words


def test_the_table_is_long_enough():
    assert len(BAD) >= 45


def test_bad_file_gives_one_sentence(bad):
    path, words = bad
    with pytest.raises(BunrakuError) as caught:
        load(path)
    text = str(caught.value)
    assert words in text
    assert "\n" not in text and len(text) < 400 and text.isprintable()
    assert text[-1] in ".)" and path.name in text  # a whole sentence that says where
    assert isinstance(caught.value, (FormatError, ModelError))


def test_bad_file_through_the_command(bad, capsys):
    path, words = bad
    assert bunraku.cli.main(["info", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == "", "nothing half-loaded is shown"
    assert words in err and err.count("\n") == 1 and err.startswith("bunraku info: ") and "Traceback" not in err


def test_bad_file_leaves_nothing_behind(bad, monkeypatch):
    path, _ = bad
    monkeypatch.chdir(path.parent)
    before = sorted(os.listdir(path.parent))
    with pytest.raises(BunrakuError):
        load(path)
    assert sorted(os.listdir(path.parent)) == before


def test_romeo_with_its_massless_fingers(capsys):
    """A real file: the fingers have no inertia at all. It is shown, its hands are reached; it cannot be simulated."""
    with pytest.raises(ModelError, match="inertia") as caught:
        load(robot("romeo"), strict=True)
    assert "'LHand'" in str(caught.value) and "'RHand'" in str(caught.value)  # which lead all the fingers' gears
    model = load(robot("romeo"))
    assert set(model.massless) == {"LHand", "RHand"}
    rng = fresh_rng()
    goal = bk.kinematics(model, bk.random_configuration(model, rng)).pose("l_wrist")[0]
    solved = bk.inverse_kinematics(model, [bk.Target("l_wrist", goal)])
    assert np.linalg.norm(bk.kinematics(model, solved.q).pose("l_wrist")[0] - goal) < 1e-4
    with pytest.raises(ModelError, match="'LHand', 'RHand'"):
        bk.World().add(model)
    assert bunraku.cli.main(["info", str(robot("romeo"))]) == 0
    assert "'LHand', 'RHand'" in " ".join(capsys.readouterr().out.split())


def spoil(text: str, rng: random.Random) -> str:
    """Exchange a value or a character, drop an element, or put one in the wrong place."""
    values, elements = list(re.finditer(r'"([^"]*)"', text)), list(re.finditer(r"<[^<>]+/>", text))
    how, k = rng.randrange(5), rng.randrange(len(text))
    value, element = rng.choice(values), rng.choice(elements)
    if how == 0:
        odd = rng.choice(["", "nan", "-1", "0", "1e13", "1e300", "x", "1 2", "0 0 0", "9" * 400, "é"])
        return text[: value.start(1)] + odd + text[value.end(1) :]
    if how == 1:
        return text[: value.start(1)] + rng.choice(values)[1] + text[value.end(1) :]
    if how == 2:
        return text[:k] + chr(rng.randrange(256)) + text[k + 1 :]
    if how == 3:
        return text[: element.start()] + text[element.end() :]
    return text[: element.start()] + rng.choice(elements)[0] + text[element.start() :]


def test_a_good_file_spoiled_anywhere_loads_or_gives_a_sentence(tmp_path):
    rng, refused = random.Random(2), 0
    text = robot("simple_humanoid").read_text(encoding="utf-8")
    path = tmp_path / "a.urdf"
    for _ in range(150):
        path.write_text(spoil(text, rng), encoding="utf-8")
        try:
            load(path, meshes=False)
        except BunrakuError as error:  # no other kind of error may come
            refused += 1
            assert "\n" not in str(error) and len(str(error)) < 400
    assert 30 < refused < 150


def test_a_folder_and_an_unreadable_file(tmp_path):
    with pytest.raises(FormatError, match="folder"):
        load(tmp_path)
    path = tmp_path / "a.urdf"
    path.write_text("<robot/>")
    path.chmod(0)
    if not os.access(path, os.R_OK):  # an administrator reads it all the same
        with pytest.raises(FormatError, match="cannot be read"):
            load(path)


def test_a_huge_file_is_refused_before_it_is_read_whole(tmp_path):
    path = tmp_path / "a.urdf"
    with path.open("wb") as stream:
        stream.truncate(100 * xmlsafe.MAX_BYTES)  # sparse: takes no room
    with pytest.raises(FormatError, match="larger than"):
        load(path)


def test_the_smallest_good_file_loads(tmp_path):
    """The table's template itself is good, so that each row fails for its own reason."""
    for name, text in {"a.urdf": pair(), "b.urdf": pair(more=THIRD), "c.xml": mujoco_text(SPHERE)}.items():
        path = tmp_path / name
        path.write_text(text)
        assert load(path).nv >= 1
