"""Skins: closed, round in every pose, of any height, with a front and a back."""

from dataclasses import replace

import numpy as np
import pytest

import bunraku as bk
from bunraku.draw import skin as skins
from bunraku.draw.camera import fit
from bunraku.draw.render import render
from bunraku.draw.skin import BODIES, made, measures_of, mesh_of, poses_of, skin_of
from bunraku.draw.skin_body import Build, bind, build_of
from bunraku.draw.skin_bones import matrices
from bunraku.draw.skin_looks import LOOKS, PALETTE
from bunraku.draw.skin_mesh import closed
from bunraku.draw.solid_scene import Scene
from bunraku.dynamics.functions import kinematics
from bunraku.errors import UnknownName
from bunraku.model.body_lengths import standard
from bunraku.model.description import hinge
from bunraku.model.human import describe_human
from bunraku.model.rotations import exponential
from draws import fresh_rng

POSES = {
    "rest": {},
    "squat": {"hip": (0, -1.9, 0), "knee": 2.2, "ankle": (0, -0.5, 0), "shoulder": (0, -1.4, 0), "waist": (0, 0.5, 0)},
    "kick": {"left_hip": (0, -1.7, 0), "left_knee": 0.1, "elbow": 1.5, "left_shoulder": (0.6, 0.5, 0)},
    "bow": {"waist": (0, 0.9, 0), "hip": (0, -0.6, 0), "neck": (0, 0.5, 0)},
    "arm overhead": {"left_shoulder": (2.8, 0, 0), "right_shoulder": (0, -2.8, 0)},
    "forearm turned": {"elbow": 1.57, "left_shoulder": (0, 0, 1.57), "right_shoulder": (0, 0, -1.57)},
}
HEIGHTS = {"child": (1.0, 24.0), "1.0 m": (1.0, 69.0), "1.5 m": (1.5, 55.0), "1.7 m": (1.7, 69.0), "2.0 m": (2.0, 95.0)}


def skin_for(model, look="clothes"):
    """The skin of a figure that has one."""
    skin = skin_of(model, look)
    assert skin is not None
    return skin


def at_pose(model, pose):
    """Poses (nb, 7) of the bodies; "hip" means both hips."""
    q = model.neutral()
    for name, value in pose.items():
        for joint in [j for j in model.joints if j.name in (name, f"left_{name}", f"right_{name}")]:
            q[joint.q] = exponential(np.array(value, dtype=float)) if joint.kind == "ball" else value
    k = kinematics(model, q)
    return poses_of(k.rotation, k.position)


def merged(mesh):
    """Triangles of places: vertices of seams are there twice."""
    numbers = np.unique(mesh.vertices, axis=0, return_inverse=True)[1].ravel()
    return numbers[mesh.triangles]


@pytest.mark.parametrize("name", HEIGHTS)
@pytest.mark.parametrize("look", ["clothes"])
def test_closed_surface_of_one_piece(name, look):
    mesh = skin_for(bk.human(*HEIGHTS[name]), look).mesh
    triangles = merged(mesh)
    assert closed(triangles)
    n = len(np.unique(triangles))
    assert n - len(triangles) // 2 == 2  # Euler's characteristic of a sphere: V - E + F with 2 E = 3 F
    a, b, c = (mesh.vertices[mesh.triangles[:, k]].astype(float) for k in range(3))
    volume = float(np.einsum("ni,ni->n", a, np.cross(b, c)).sum()) / 6
    L = HEIGHTS[name][0] / 1.7
    assert 0.035 * L**3 < volume < 0.11 * L**3  # outward; of 69 kg as water 0.069 m^3
    outward = np.einsum("ni,ni->n", np.cross(b - a, c - a), mesh.normals[mesh.triangles[:, 0]])
    assert np.mean(outward > 0) > 0.995


@pytest.mark.parametrize("look", LOOKS)
def test_two_figures_leave_room_for_marks(look):
    most = max(len(skin_for(bk.human(h, 69 * (h / 1.7) ** 2), look).mesh.triangles) for h in (1.0, 1.7))
    assert most <= 28_000  # of 60,000 for two figures, shadows' casters are the same ones


def sections(skin, m, surface, limb, levels):
    """Areas of the closed lines that run around a limb as meshed at these places along it, in a pose."""
    frames, L = bind(m), m.height / 1.7
    place, turn = frames[limb]
    p = skin.mesh.vertices.astype(float) - place
    u = -p @ turn[:, 2]
    near = np.linalg.norm(p + np.outer(u, turn[:, 2]), axis=1) < 0.115 * L
    triangles = skin.mesh.triangles[near[skin.mesh.triangles].all(axis=1)]
    out = []
    for level in levels:
        above = u > level
        rows = triangles[above[triangles].any(axis=1) & ~above[triangles].all(axis=1)]
        ends = [[], []]
        for k in range(3):
            i, j = rows[:, k], rows[:, (k + 1) % 3]
            share = ((level - u[i]) / np.where(u[j] == u[i], 1.0, u[j] - u[i]))[:, None]
            cross = (1 - share) * surface.vertices[i] + share * surface.vertices[j]
            for into, way in ((0, above[i] & ~above[j]), (1, ~above[i] & above[j])):
                ends[into].append(np.where(way[:, None], cross, 0.0))
        start, end = np.sum(ends[0], axis=0), np.sum(ends[1], axis=0)
        middle = start.mean(axis=0)
        out.append(0.5 * np.linalg.norm(np.cross(start - middle, end - middle).sum(axis=0)))
    return np.array(out)


def limbs(m):
    L = m.height / 1.7
    for side, k in (("left_", 0), ("right_", 1)):
        yield side + "thigh", np.linspace(0.16 * L, m.thigh[k] + m.shank[k] - 0.05 * L, 60)
        yield side + "upper_arm", np.linspace(0.045 * L, m.upper_arm[k] + m.lower_arm[k] - 0.02 * L, 60)


@pytest.mark.parametrize("pose", [p for p in POSES if p != "rest"])
@pytest.mark.parametrize("name", ["child", "1.7 m"])
def test_limbs_stay_round(pose, name):
    model = bk.human(*HEIGHTS[name])
    skin, m = skin_for(model), measures_of(model)
    rest, now = (skin.posed(at_pose(model, POSES[x])) for x in ("rest", pose))
    worst = min(np.min(sections(skin, m, now, *limb) / sections(skin, m, rest, *limb)) for limb in limbs(m))
    assert worst >= 0.85


def test_two_bones_alone_would_wrap_a_candy():
    """What the bones between are for: with whole bodies as bones a forearm turned by half a turn collapses."""

    from bunraku.draw.skin_bones import BONES

    model = bk.human()
    skin, m = skin_for(model), measures_of(model)
    share = np.array([s for _, _, s in BONES])[skin.mesh.bones]
    a, b = (np.array(x)[skin.mesh.bones] for x in list(zip(*BONES))[:2])
    weights = np.concatenate([skin.mesh.weights * (1 - share), skin.mesh.weights * share], axis=1).astype(np.float32)
    mesh = replace(skin.mesh, bones=np.concatenate([a, b], axis=1).astype(np.uint8), weights=weights)
    poses = [at_pose(model, {"shoulder": (0, 0, t)}) for t in (0.0, 2.9)]
    levels = np.linspace(0.02, 0.07, 12)
    for way, least, most in ((skin, 0.85, 1.1), (replace(skin, mesh=mesh), 0.0, 0.5)):
        rest, now = (sections(skin, m, way.posed(p), "left_upper_arm", levels) for p in poses)
        assert least <= np.min(now / rest) <= most


def test_parts_away_from_joints_move_with_their_link():
    model = bk.human()
    skin = skin_for(model)
    poses = at_pose(model, POSES["kick"])
    surface = skin.posed(poses)
    rigid = np.flatnonzero(skin.mesh.weights.max(axis=1) > 1 - 1e-6)
    bone = skin.mesh.bones[rigid, np.argmax(skin.mesh.weights[rigid], axis=1)]
    assert set(bone) >= set(range(len(BODIES)))
    from bunraku.draw.skin_bones import bone_poses
    from bunraku.model.rotations import matrix, multiply

    rows = poses[skin.bodies]
    now = bone_poses(rows[:, :3], multiply(rows[:, 3:], skin.turns))
    for k in range(len(BODIES)):
        mine = rigid[bone == k]
        local = (skin.mesh.vertices[mine] - skin.rest[0][k]) @ matrix(skin.rest[1][k])
        assert np.allclose(surface.vertices[mine], now[0][k] + local @ matrix(now[1][k]).T, atol=2e-6)


def test_soles_and_top_are_where_the_figure_has_them():
    for height in (1.0, 1.5, 2.0):
        model = bk.human(height)
        surface = skin_for(model).posed(at_pose(model, {}))
        assert abs(surface.vertices[:, 2].min()) < 0.002 * height
        assert abs(surface.vertices[:, 2].max() - height) < 0.012 * height


def test_front_and_back_differ_at_100_pixels():
    """Seen from ahead a head is mostly skin, from behind mostly hair: pixels of 1/100 of the height."""
    model = bk.human()
    for look in LOOKS:
        surface = skin_for(model, look).posed(at_pose(model, {}))
        v, head = surface.vertices, surface.vertices[:, 2] > 0.88 * 1.7
        pictures = []
        for way in (1.0, -1.0):
            depth: dict[tuple[int, int], tuple[float, np.ndarray]] = {}
            for i in np.flatnonzero(head):
                pixel = (int(v[i, 1] / 0.017), int(v[i, 2] / 0.017))
                if pixel not in depth or way * v[i, 0] > depth[pixel][0]:
                    depth[pixel] = (way * v[i, 0], surface.colors[i].astype(float))
            pictures.append({k: c for k, (_, c) in depth.items()})
        both = [k for k in pictures[0] if k in pictures[1]]
        far = np.array([np.abs(pictures[0][k] - pictures[1][k]).max() for k in both])
        assert len(both) > 50 and np.mean(far > 30) > 0.3


def test_figures_of_people_and_changed_figures():
    m, s = measures_of(bk.human(1.62)), standard(1.62)
    for name, value in vars(s).items():
        assert np.allclose(np.ravel(getattr(m, name)), np.ravel(value), atol=1e-5), name
    description = describe_human(1.62)
    description.add("sword", "right_lower_arm", hinge("grip", (0, 0, 1)), mass=1.0, moments=(0.1, 0.1, 0.1))
    assert measures_of(description.build()) == m  # what is added keeps shapes of its own
    description = describe_human(1.62)
    description.links[3].position = (0.0, 0.1, 0.5)  # a hip above the waist
    assert skin_of(description.build()) is None or measures_of(description.build()) is not None


@pytest.mark.parametrize("pose", POSES)
def test_the_kernel_bends_as_the_equation_says(pose):
    """x' = sum_k w_k (R_k x + p_k) of every vertex, written out by NumPy."""
    model = bk.human(1.5, 55.0)
    skin, poses = skin_for(model), at_pose(model, POSES[pose])
    surface, mesh = skin.posed(poses), skin.mesh
    each, weights = matrices(*skin.bone_poses(poses), skin.rest)[mesh.bones], mesh.weights.astype(float)
    turn = np.einsum("nk,nkij->nij", weights, each[..., :3])
    wanted = np.einsum("nij,nj->ni", turn, mesh.vertices) + np.einsum("nk,nki->ni", weights, each[..., 3])
    assert np.abs(surface.vertices - wanted).max() < 1e-12
    normals = np.einsum("nij,nj->ni", turn, mesh.normals)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    assert surface.normals is not None and np.abs(surface.normals - normals).max() < 1e-12


@pytest.mark.parametrize("name", HEIGHTS)
def test_a_hand_is_carried_by_the_forearm_alone(name):
    """All of it, and its thumb: what lies behind the wrist, within a hand's length of the arm's axis."""
    model = bk.human(*HEIGHTS[name])
    skin, m = skin_for(model), measures_of(model)
    for k, side in enumerate(("left_", "right_")):
        elbow, turn = bind(m)[side + "lower_arm"]
        p = (skin.mesh.vertices - elbow) @ turn
        hand = (p[:, 2] < -m.lower_arm[k]) & (np.hypot(p[:, 0], p[:, 1]) < 0.2)
        mine = skin.mesh.bones[hand] == BODIES.index(side + "lower_arm")
        assert hand.sum() > 100
        assert (skin.mesh.weights[hand] * mine).sum(axis=1).min() > 1 - 1e-6


@pytest.mark.parametrize("pose", POSES)
def test_what_faces_away_is_never_seen(pose):
    """A skin drawn without what faces away is the same picture, shadow too: no fold turns its inside out."""
    model = bk.human(1.5, 55.0)
    surface = skin_for(model).posed(at_pose(model, POSES[pose]))
    assert surface.closed
    for azimuth in (0.0, 70.0, 160.0, 250.0):
        camera = fit("front", surface.vertices, 0.75, azimuth=azimuth)
        images = []
        for closed_ in (True, False):
            scene = Scene(floor=float(surface.vertices[:, 2].min()))
            scene.surface(replace(surface, closed=closed_))
            images.append(render(scene, camera, 180, 240).astype(int))
        assert (np.abs(images[0] - images[1]).max(axis=2) > 8).mean() < 5e-5
        assert (np.ptp(images[0], axis=2) > 24).mean() > 0.02  # somebody is there


def test_random_people_have_skins():
    rng = fresh_rng()
    for _ in range(1):
        m = standard(float(rng.uniform(0.9, 2.1)))
        values = {
            name: tuple(float(x * rng.uniform(0.9, 1.1)) for x in getattr(m, name))
            for name in ("thigh", "shank", "upper_arm", "lower_arm")
        }
        person = type(m)(**{**vars(m), **values})
        mesh = made(person, build_of(m.height, float(rng.uniform(15, 30)) * m.height**2), "plain")
        assert mesh is not None and closed(merged(mesh)), person


def test_no_human_no_skin():
    assert skin_of(bk.box(size=(0.1, 0.1, 0.1), mass=1.0)) is None
    with pytest.raises(UnknownName, match="clothes"):
        skin_of(bk.human(), "cloths")


def test_kept_on_disk_and_made_anew_where_damaged(tmp_path, monkeypatch):
    monkeypatch.setattr(skins, "cache_folder", lambda name: tmp_path)
    mesh, calls = skin_for(bk.human()).mesh, []
    monkeypatch.setattr(skins, "made", lambda *a: calls.append(a) or mesh)
    for look, times in (("plain", 1), ("plain", 1), ("wood", 2)):
        again = mesh_of(standard(1.3), Build(), look)
        assert len(calls) == times
        for name in skins.ARRAYS:
            assert np.array_equal(getattr(mesh, name), getattr(again, name))
    for path in tmp_path.glob("*.npz"):
        path.write_bytes(path.read_bytes()[:1000])
    assert mesh_of(standard(1.3), Build(), "plain") is not None and len(calls) == 3


@pytest.mark.parametrize("height", [1.0, 1.5, 1.7, 2.0])
def test_the_shirt_has_one_opening_for_the_neck(height):
    """Bare skin of the trunk is near the neck, not in the hollow of the back."""
    human = bk.human(height)
    skin = skin_of(human, "clothes")
    assert skin is not None
    mesh = skin.mesh
    bare = (mesh.colors == np.array(PALETTE["clothes"][0])).all(axis=1)
    between = np.abs(mesh.vertices[:, 1]) < 0.06 * height  # the arms are to the sides
    low, high = mesh.vertices[:, 2].min(), mesh.vertices[:, 2].max()
    share = (mesh.vertices[bare & between, 2] - low) / (high - low)
    assert share.min() > 0.72 and len(share) > 100


def test_rubber_feet_have_the_same_skin():
    """Links between the shank and the foot change nothing of the mesh; a foot that hangs on something else has none."""
    human = bk.human(1.75)
    rubber = bk.bushes(human, ("left_foot", "right_foot")).build()
    plain, soft = skin_of(human), skin_of(rubber)
    assert plain is not None and soft is not None
    assert np.array_equal(plain.mesh.vertices, soft.mesh.vertices) and rubber.nb == human.nb + 6
    poses = []
    for model, skin in ((human, plain), (rubber, soft)):
        pose = kinematics(model, model.neutral())
        poses.append(skin.posed(poses_of(pose.rotation, pose.position)).vertices)
    np.testing.assert_allclose(poses[0], poses[1], atol=1e-12)
