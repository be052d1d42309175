"""Files of meshes as surfaces: every format, colours, simplification, the cache on disk, broken files."""

import numpy as np
import pytest
import trimesh

from bunraku.draw import visual_mesh as module
from bunraku.draw.visual_mesh import MANY, say_once, visual_mesh
from bunraku.model.description import Note


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("BUNRAKU_CACHE_DIR", str(tmp_path / "cache"))
    module._of_file.cache_clear()
    yield
    module._of_file.cache_clear()


def volume(part):
    a, b, c = part.vertices[part.triangles].transpose(1, 0, 2)
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


@pytest.mark.parametrize("ending", ["stl", "obj", "ply", "off", "glb", "gltf", "dae"])
def test_every_format_gives_the_same_form(tmp_path, ending):
    """A box of 0.2 x 0.4 x 0.6 m, scaled by 1, 2, -1: mirrored, and still its outside is outside."""
    box = trimesh.creation.box((0.2, 0.4, 0.6))
    path = tmp_path / f"box.{ending}"
    box.export(path)
    mesh, note = visual_mesh(str(path), (1.0, 2.0, -1.0), "box")
    assert mesh is not None and note is None
    (part,) = mesh.parts
    assert np.allclose(np.ptp(part.vertices, axis=0), [0.2, 0.8, 0.6], atol=1e-6)
    assert volume(part) == pytest.approx(0.2 * 0.8 * 0.6, rel=1e-5)
    assert part.normals is not None and (np.einsum("ij,ij->i", part.normals, part.vertices) > 0).all()


def test_kept_on_disk_and_read_back_equal(tmp_path, monkeypatch):
    path = tmp_path / "ball.stl"
    trimesh.creation.icosphere(subdivisions=2).export(path)
    first, _ = visual_mesh(str(path), (1, 1, 1), "ball")
    module._of_file.cache_clear()
    monkeypatch.setattr(module, "_made", None)  # not made again
    again, _ = visual_mesh(str(path), (1, 1, 1), "ball")
    assert first is not None and again is not None and first.key == again.key
    assert np.allclose(first.parts[0].vertices, again.parts[0].vertices, atol=1e-6)
    assert np.array_equal(first.parts[0].triangles, again.parts[0].triangles)


def test_colours_of_materials_and_vertices(tmp_path):
    red, blue = trimesh.creation.box((0.1, 0.1, 0.1)), trimesh.creation.icosphere(subdivisions=1, radius=0.2)
    for mesh, color in ((red, (200, 10, 10, 255)), (blue, (10, 10, 200, 255))):
        mesh.visual = trimesh.visual.TextureVisuals(material=trimesh.visual.material.PBRMaterial(baseColorFactor=color))
    trimesh.Scene([red, blue]).export(tmp_path / "two.glb")
    mesh, _ = visual_mesh(str(tmp_path / "two.glb"), (1, 1, 1), "two")
    assert mesh is not None and mesh.colored
    assert sorted(tuple(p.colors.tolist()) for p in mesh.parts) == [(10, 10, 200), (200, 10, 10)]
    assert mesh.painted((0, 1, 0, 1)) == list(mesh.parts)  # several colours of its own say more than one
    plain = trimesh.creation.box((0.1, 0.1, 0.1))
    plain.export(tmp_path / "plain.stl")
    grey, _ = visual_mesh(str(tmp_path / "plain.stl"), (1, 1, 1), "plain")
    assert grey is not None and not grey.colored
    assert grey.painted((0, 1, 0, 1))[0].colors.tolist() == [0, 255, 0]
    many = trimesh.creation.icosphere(subdivisions=2)
    many.visual.vertex_colors = np.random.default_rng(3).integers(0, 255, (len(many.vertices), 4), dtype=np.uint8)
    many.export(tmp_path / "many.ply")
    painted, _ = visual_mesh(str(tmp_path / "many.ply"), (1, 1, 1), "many")
    assert painted is not None and painted.parts[0].colors.ndim == 2
    place = {tuple(np.round(v, 4)): tuple(c[:3]) for v, c in zip(many.vertices, many.visual.vertex_colors)}
    got = zip(np.round(painted.parts[0].vertices, 4), painted.parts[0].colors)
    assert all(place[tuple(v)] == tuple(c) for v, c in got)


@pytest.mark.slow
def test_a_million_triangles_are_simplified_and_told(tmp_path):
    """A ball of 1.3 million triangles: its simplified form is still a ball, within 0.2 % of its radius."""
    ball = trimesh.creation.icosphere(subdivisions=8)
    assert len(ball.faces) > 1_000_000
    ball.export(tmp_path / "huge.stl")
    mesh, note = visual_mesh(str(tmp_path / "huge.stl"), (1, 1, 1), "huge")
    assert mesh is not None and note is not None and str(len(ball.faces)) in note.text
    (part,) = mesh.parts
    assert len(part.triangles) <= 1.1 * module.BUDGET < MANY
    assert np.abs(np.linalg.norm(part.vertices, axis=1) - 1).max() < 2e-3
    assert volume(part) == pytest.approx(4 / 3 * np.pi, rel=2e-3)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("empty.stl", b""),
        ("cut.stl", b"\0" * 80 + (1000).to_bytes(4, "little") + b"\1" * 60),
        ("text.obj", b"f 1 2 3\nv nothing"),
        ("nan.obj", b"v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
        ("flat.obj", b"v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n"),
        ("far.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n"),
        ("packed.stl", b"PK\3\4rest"),
        ("odd.dae", b"<COLLADA>"),
        ("odd.glb", b"glTF" + b"\2" * 40),
        ("what.xyz3", b"1 2 3"),
    ],
)
def test_broken_files_are_named(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    mesh, note = visual_mesh(str(tmp_path / name), (1, 1, 1), "thing")
    assert mesh is None and note is not None and "thing" in note.text and "\n" not in note.text
    mesh, note = visual_mesh(str(tmp_path / "nowhere.stl"), (1, 1, 1), "gone")
    assert mesh is None and note is not None and "is not there" in note.text


def test_said_once(capsys):
    notes = [Note("ignored", f"a mesh of this test, number {k}") for k in range(6)]
    say_once([None, *notes])
    say_once(notes)
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 4 and "3 other meshes" in said[-1]


def test_sheets_side_by_side_keep_more_triangles(tmp_path):
    """Twenty thousand triangles of a ball are simplified to the budget; as single sheets that touch they stay as they are."""
    ball = trimesh.creation.icosphere(subdivisions=5)
    assert 20_000 < len(ball.faces) < module.SHEETS * module.BUDGET
    ball.export(tmp_path / "ball.ply")
    whole, _ = visual_mesh(str(tmp_path / "ball.ply"), (1, 1, 1), "ball")
    assert whole is not None and module.open_edges(ball.faces) == 0.0
    assert len(whole.parts[0].triangles) <= module.BUDGET
    corners = ball.triangles.reshape(-1, 16, 3, 3)  # patches of sixteen, pulled a little apart
    spread = corners + 1e-4 * corners.mean(axis=(1, 2), keepdims=True)
    sheets = trimesh.Trimesh(spread.reshape(-1, 3), np.arange(3 * len(ball.faces)).reshape(-1, 3), process=False)
    sheets.merge_vertices()
    assert module.open_edges(sheets.faces) > module.OPEN
    sheets.export(tmp_path / "sheets.ply")
    kept, _ = visual_mesh(str(tmp_path / "sheets.ply"), (1, 1, 1), "sheets")
    assert kept is not None and len(kept.parts[0].triangles) == len(ball.faces)
