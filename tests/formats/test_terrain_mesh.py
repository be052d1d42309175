"""Ground from files: meshes, MuJoCo's height fields, URDF's concave links, scenes."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import FormatError

OBJ = "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv 1 1 0.5\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n"


@pytest.fixture
def hill(tmp_path):
    file = tmp_path / "hill.obj"
    file.write_text(OBJ)
    return file


def test_a_file(hill):
    shape = bk.terrain_mesh(hill, scale=(1, 1, 2))
    assert np.isclose(shape.relief.height(1, 1), 1.0) and len(shape.relief.triangles) == 4


@pytest.mark.parametrize(
    "content", [b"", b"solid", b"PK\x03\x04", b"v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", b"v 0 0 0\n"]
)
def test_broken_files_are_told(tmp_path, content):
    file = tmp_path / "x.obj"
    file.write_bytes(content)
    with pytest.raises((FormatError, bk.ModelError), match=r"\.$"):
        bk.terrain_mesh(file)


def test_the_height_field_of_an_mjcf(tmp_path):
    """A ball comes to rest in the hollow where MuJoCo's does."""
    mujoco = pytest.importorskip("mujoco")
    z = np.array([[4, 4, 4, 4], [4, 1, 1, 4], [4, 1, 1, 4], [4, 4, 4, 4]])
    numbers = " ".join(str(x) for x in z.ravel())
    file = tmp_path / "h.xml"
    file.write_text(
        f"""<mujoco><asset><hfield name="h" nrow="4" ncol="4" size="1.5 1.5 0.4 0.1" elevation="{numbers}"/></asset>
        <worldbody><geom type="hfield" hfield="h" pos="0 0 0.2"/>
        <body pos="0.2 -0.1 0.6"><freejoint/><geom type="sphere" size="0.1"/></body></worldbody></mujoco>"""
    )
    world = bk.World(dt=0.002)
    figure = world.add(bk.load(file))
    world.run(seconds=1.0)
    m = mujoco.MjModel.from_xml_path(str(file))
    d = mujoco.MjData(m)
    for _ in range(500):
        mujoco.mj_step(m, d)
    assert np.allclose(figure.q[2], d.qpos[2], atol=2e-3) and np.isclose(figure.q[2], 0.3, atol=2e-4)


def test_what_a_moving_height_field_becomes(tmp_path):
    pytest.importorskip("mujoco")
    file = tmp_path / "m.xml"
    file.write_text(
        """<mujoco><asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset><worldbody>
        <body name="b"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom type="hfield" hfield="h"/>
        </body></worldbody></mujoco>"""
    )
    model = bk.load(file)
    assert not model.shapes and any("hfield" in str(n) for n in model.notes)


def test_the_concave_link_of_a_urdf(hill, tmp_path):
    """PyBullet's word: the mesh of a link that stands still is terrain, of one that moves a hull, and that is told."""
    file = tmp_path / "r.urdf"
    link = (
        '<link name="{}" {}><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
        '<collision><geometry><mesh filename="hill.obj"/></geometry></collision></link>'
    )
    file.write_text(
        f"""<robot name="r">{link.format("world", 'concave="yes"')}{link.format("arm", 'concave="yes"')}
        <joint name="j" type="revolute"><parent link="world"/><child link="arm"/><axis xyz="0 0 1"/>
        <limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
    )
    model = bk.load(file)
    assert [s.kind for s in model.shapes] == ["terrain", "mesh"]
    assert any("convex hulls" in str(n) for n in model.notes) and not any(
        "concave" in str(n).split(":")[-1] for n in model.notes if "attributes" in str(n)
    )


def test_scenes_with_ground(hill, tmp_path):
    np.savetxt(tmp_path / "z.csv", np.zeros((11, 11)), delimiter=",")
    scene = tmp_path / "s.toml"
    scene.write_text(
        """[[fixed]]
        shape = "height_field"
        file = "z.csv"
        spacing = 0.2
        position = [-1, -1, 0]
        [[fixed]]
        shape = "terrain_mesh"
        file = "hill.obj"
        scale = 0.5
        position = [1, 0, 0]
        [[figure]]
        model = "sphere"
        radius = 0.1
        at = [0, 0, 0.2]
        """
    )
    made = bk.load_scene(scene)
    world = made.build()
    world.run(seconds=0.5)
    assert np.isclose(next(iter(world.figures)).q[2], 0.1, atol=1e-5)
    assert {f.name for f in made.files} == {"s.toml", "sphere", "z.csv", "hill.obj"} - {"sphere"}
    text = scene.read_text()
    for broken, said in (
        (text.replace('file = "z.csv"', ""), "needs 'file'"),
        (text.replace("z.csv", "no.csv"), "no.csv"),
        (text.replace("spacing", "scale", 1), "does not describe"),
        (text.replace("hill.obj", "z.csv"), "z.csv"),
    ):
        scene.write_text(broken)
        with pytest.raises(bk.BunrakuError, match=said):
            bk.load_scene(scene).build()


def test_saved_recorded_and_drawn(hill, tmp_path):
    """Terrain goes through saved worlds, recordings, pictures, the page and glTF."""
    world = bk.World()
    world.add_fixed(bk.terrain_mesh(hill, at=(-1, -1, 0)))
    world.add_fixed(bk.height_field(np.random.default_rng(0).uniform(0, 0.1, (9, 9)), 0.3, at=(1.2, -1, 0)))
    world.add(bk.sphere(0.1), at=(0.2, 0.1, 0.7))
    world.run(seconds=0.1)
    again = bk.World.load(world.save(tmp_path / "w.npz"))
    with world.record(tmp_path / "r.bkr"):
        world.run(seconds=0.2)
    again.run(seconds=0.2)
    assert np.array_equal(again.q, world.q)
    recording = bk.Recording.open(tmp_path / "r.bkr")
    bk.picture(recording, tmp_path / "p.png", width=320, height=200)
    bk.page(recording, tmp_path / "p.html")
    assert (tmp_path / "p.png").stat().st_size > 3000 and '"mesh"' in (tmp_path / "p.html").read_text()
