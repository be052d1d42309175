"""Scene files: what they can say, what is refused and how, events at their times, saving and going on."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.draw.camera import VIEWS as DRAWN
from bunraku.scene import load
from bunraku.scene.file import VIEWS

G = 9.80665
BOX = '[[figure]]\nname = "box"\nmodel = "box"\nsize = [0.2, 0.2, 0.2]\nat = [0, 0, 1]\n'
HUMAN = '[[figure]]\nname = "dancer"\nmodel = "human"\n'


def scene(tmp_path, text, name="test.toml"):
    path = tmp_path / name
    path.write_text(text)
    return load(path)


def test_everything_once(tmp_path):
    """A file that uses every table; the world is what it says."""
    text = """
[world]
dt = 0.002
contact = "pgs"
integrator = "euler"
gravity = [0, 0, -5]
seconds = 0.1
tolerance = 1e-7
[[ground]]
height = -0.5
friction = 0.3
[[fixed]]
shape = "capsule"
radius = 0.1
length = 1.0
position = [3, 0, 0]
rotation = [0.7071, 0, 0.7071, 0]
[[fixed]]
shape = "plane"
rotation = [0, 5, 0]
position = [0, 0, -3]
[[figure]]
model = "human"
name = "dancer"
height = 1.8
mass = 80
at = [0, 0, 1]
rotation = [0, 0, 90]
pose = { left_knee = 90, left_hip = [0, -45, 0] }
velocity = [1, 2, 3]
spin = [0, 0, 2]
servo = { stiffness = 100, damping = 5, target = { left_knee = 45 } }
[[figure]]
model = "sphere"
radius = 0.2
name = "ball"
count = 3
at = [2, 0, 1]
spacing = [0, 0.5, 0]
restitution = 0.5
[[figure]]
model = "capsule"
radius = 0.1
length = 0.3
at = [4, 0, 1]
[[connection]]
a = "dancer.left_hand"
b = "ball1"
axes = "x y z"
break_force = 100
from = 0.02
until = 0.05
[[push]]
on = "ball2"
force = [1, 0, 0]
from = 0.01
seconds = 0.02
[[controller]]
kind = "hold"
figure = "dancer"
joints = ["neck", "waist"]
[[spring]]
a = "ball3"
at_a = [2, 1, 1.2]
at_b = [2, 1, 2]
stiffness = 50
damping = 1
rest = 0.5
"""
    s = scene(tmp_path, text)
    world = s.build()
    assert world.dt == 0.002 and world.gravity == (0, 0, -5) and s.seconds == 0.1
    assert [f.name for f in world.figures] == ["dancer", "ball1", "ball2", "ball3", "capsule"]
    dancer = world["dancer"]
    assert dancer.model.mass == pytest.approx(80) and world["ball3"].q[1] == 1.0
    assert dancer.q[dancer.model.joint("left_knee").iq] == pytest.approx(np.pi / 2)
    assert np.allclose(dancer.pose("pelvis")[1] @ [1, 0, 0], [0, 1, 0])
    assert np.allclose(dancer.velocity("pelvis"), [1, 2, 3, 0, 0, 2])
    world.run(0.1)
    assert world.time == pytest.approx(0.1) and np.all(np.isfinite(world.q))


def test_push_has_its_impulse(tmp_path):
    """m dv = F T, whatever the step, as long as T is whole steps."""
    s = scene(
        tmp_path,
        "[world]\ngravity = [0, 0, 0]\nseconds = 0.1\n"
        + BOX
        + '[[push]]\non = "box"\nforce = [3, 0, 0]\nfrom = 0.02\nseconds = 0.05',
    )
    r = s.run()
    assert r.world["box"].v[0] == pytest.approx(3 * 0.05, rel=1e-9)


def test_connection_is_made_and_cut_in_time(tmp_path):
    """Free fall for 0.1 s, held for 0.1 s, free fall for 0.1 s."""
    s = scene(tmp_path, "[world]\nseconds = 0.3\n" + BOX + '[[connection]]\na = "box"\nfrom = 0.1\nuntil = 0.2')
    world, speeds = s.build(), []
    for _ in range(300):
        world.step()
        speeds.append(world["box"].v[2])
    assert speeds[99] == pytest.approx(-0.1 * G, rel=1e-9)
    assert np.abs(speeds[100:200]).max() < world.tolerance * 0.1 * G  # the solver's relative residual
    assert speeds[299] == pytest.approx(-0.1 * G, rel=world.tolerance)


def test_spring_swings_with_its_period(tmp_path):
    """A mass on a spring, no gravity: T = 2 pi sqrt(m / k), within the step."""
    spring = '[[spring]]\na = "box"\nat_a = [0, 0, 1]\nat_b = [0, 0, 3]\nstiffness = 100\nrest = 1.9\n'
    world = scene(tmp_path, "[world]\ngravity = [0, 0, 0]\n" + BOX + spring).build()
    crossings, last = [], 0.0
    for _ in range(2000):
        world.step()
        if last < 0 <= world["box"].v[2]:
            crossings.append(world.time)
        last = world["box"].v[2]
    assert np.diff(crossings).mean() == pytest.approx(2 * np.pi / 10, abs=0.001)
    assert world["box"].q[2] < 1.21  # never farther than it began


def test_servo_reaches_its_target(tmp_path):
    s = scene(
        tmp_path,
        "[world]\ngravity = [0, 0, 0]\nseconds = 1.5\n"
        + HUMAN
        + "servo = { stiffness = 300, damping = 30, target = { left_elbow = 60 } }",
    )
    r = s.run()
    elbow = r.world["dancer"].model.joint("left_elbow")
    assert np.degrees(r.world["dancer"].q[elbow.iq]) == pytest.approx(60, abs=0.5)


def test_servos_are_switched_on_and_off(tmp_path):
    """A hold that ends lets the elbow fall; one that begins later holds what it finds."""
    text = HUMAN + "pose = { left_elbow = 90 }\n[[connection]]\na = 'dancer.trunk'\naxes = 'x y z rx ry rz'\n"
    hold = "[[controller]]\nkind = 'hold'\nfigure = 'dancer'\n"
    world = scene(tmp_path, text + hold + "until = 0.1\n" + hold + "from = 0.2").build()
    elbow, angles = world["dancer"].model.joint("left_elbow").iq, []
    for _ in range(400):
        world.step()
        angles.append(world["dancer"].q[elbow])
    held, limp, held_again = abs(angles[99] - np.pi / 2), abs(angles[199] - angles[99]), np.ptp(angles[300:])
    assert held < 2e-3 and limp > 20 * held and held_again < limp / 20


def test_light_limbs_stay_quiet_under_stiff_gains(tmp_path):
    """Damping 60 on free feet of 0.02 kg m^2 would diverge at dt = 1 ms if it were explicit; the figure falls as one."""
    world = scene(
        tmp_path, HUMAN + 'at = [0, 0, 3]\npose = { left_knee = 40 }\n[[controller]]\nkind = "hold"\nfigure = "dancer"'
    ).build()
    world.run(0.3)
    assert np.abs(world["dancer"].v[3:]).max() < 1e-6


def test_saved_scenes_go_on_bit_for_bit(tmp_path):
    for name in ("bar", "slope"):
        s = load(name)
        world = s.build()
        world.step(400)  # the bar's grips break 16 steps later
        path = world.save(tmp_path / "state.npz")
        again = s.resume(path)
        for w in (world, again):
            w.step(60)
        assert np.array_equal(world.q, again.q) and np.array_equal(world.v, again.v)


def test_urdf_beside_the_scene(tmp_path):
    (tmp_path / "arm.urdf").write_text((bk.scene.file.built_in_folder() / "linkage.urdf").read_text())
    s = scene(tmp_path, '[[figure]]\nmodel = "arm.urdf"\nroot = "fixed"\npose = { crank_joint = 30 }')
    assert s.build()["arm"].q[0] == pytest.approx(np.radians(30))


def test_views_are_those_that_can_be_drawn():
    assert set(VIEWS) == set(DRAWN)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[world\n", r"not TOML.*line 1"),
        ("", r"no \[\[figure\]\]"),
        ("[worl]\ndt = 1", r"no table \[worl\]. Closest: 'world'"),
        ("[[world]]\ndt = 1", r"write \[world\]"),
        ("[figure]\nmodel = 'box'", r"write \[\[figure\]\]"),
        ("figure = 3", r"write \[\[figure\]\]"),
        ("figure = [1]", r"\[\[figure\]\] 1: not a table"),
        ("[world]\ndtt = 0.1\n" + BOX, r"\[world\]: there is no key 'dtt'. Closest: 'dt'"),
        ("[world]\ndt = 'fast'\n" + BOX, r"dt = 'fast' should be a number above 0"),
        ("[world]\ndt = true\n" + BOX, r"dt = True should be"),
        ("[world]\ndt = 3\n" + BOX, r"\[world\]: World: dt 3"),
        ("[world]\ncontact = 'magic'\n" + BOX, r"\[world\].*contact model 'magic'"),
        ("[world]\nintegrator = 'magic'\n" + BOX, r"\[world\].*integrator 'magic'"),
        ("[world]\ngravity = [0, 1]\n" + BOX, r"three numbers"),
        ("[world]\ngravity = [0, nan, 1]\n" + BOX, r"three numbers"),
        ("[world]\nview = 'inside'\n" + BOX, r"one of 'right'"),
        ("[[figure]]\nname = 'x'", r"\[\[figure\]\] 1 \('x'\): 'model' is missing"),
        ("[[figure]]\nmodel = 'humann'", r"no model 'humann'. Closest: 'human'"),
        ("[[figure]]\nmodel = 'no.urdf'", r"no such file"),
        ("[[figure]]\nmodel = 'box'", r"a box needs 'size'"),
        ("[[figure]]\nmodel = 'human'\nradius = 1", r"'radius' does not describe a 'human'"),
        ("[[figure]]\nmodel = 'human'\nheight = 99", r"height 99"),
        ("[[figure]]\nmodel = 'box'\nsize = [1, 1, 0]", r"three lengths above 0"),
        (HUMAN + "pose = { left_kne = 3 }", r"no joint 'left_kne'. Closest: 'left_knee'"),
        (HUMAN + "pose = { left_knee = [1, 2] }", r"'left_knee' needs 1 value"),
        (HUMAN + "pose = { left_knee = -30 }", r"left_knee = -30 is beyond 0"),
        (HUMAN + "pose = { left_shoulder = [0, 180, 0] }", r"swings by 180 .* it can by 166"),
        (HUMAN + "pose = { left_hip = 3 }", r"ball joint and needs a rotation"),
        (HUMAN + "pose = { left_hip = 'up' }", r"should be a number or a list"),
        (HUMAN + "servo = { stifness = 3 }", r"should be a table with stiffness"),
        (HUMAN + HUMAN, r"already a figure 'dancer'"),
        (BOX + "name2 = 3", r"no key 'name2'"),
        (BOX + "friction = -1", r"friction = -1 should be a number of 0 or more"),
        (BOX + "restitution = 2", r"restitution = 2 should be a number between 0 and 1"),
        (BOX + "rotation = [0, 0, 0, 0]", r"quaternion with a direction"),
        (BOX + "count = 0", r"count = 0"),
        (BOX + "[[connection]]\na = 'bax'", r"\[\[connection\]\] 1: there is no figure 'bax'. Closest: 'box'"),
        (HUMAN + "[[connection]]\na = 'dancer.left_hnd'", r"no link or frame 'left_hnd'. Closest: 'left_hand'"),
        (BOX + "[[connection]]\na = 'box'\nb = 'box'", r"same body"),
        (BOX + "[[connection]]\na = 'box'\naxes = 'q'", r"axes 'q'"),
        (
            BOX + "[[connection]]\na = 'box'\nrotation = [1, 2]",
            r"rotation = \[1, 2\] should be roll, pitch and yaw in degrees, or a quat",
        ),
        (BOX + "[[connection]]\na = 'box'\nrotation = [0, 0, 0, 0]", r"a quaternion with a direction"),
        (
            BOX + "[[connection]]\na = 'box'\nrestitution = 2",
            r"restitution = 2 should be a number between 0 and 1, or a table",
        ),
        (
            BOX + "[[connection]]\na = 'box'\nrestitution = { x = -1 }",
            r"should be a number between 0 and 1, or a table",
        ),
        (BOX + "[[connection]]\na = 'box'\nrestitution = { rx = 0.5 }", r"axis 'rx', which is not tied"),
        (BOX + "[[connection]]\na = 'box'\nvelocity_axes = 'w'", r"axes 'w'"),
        (BOX + "[[connection]]\na = 'box'\naxes = 'x'\nvelocity_axes = 'x'", r"'x' is in axes and in velocity_axes"),
        (BOX + "[[connection]]\na = 'box'\nradius = 0.1", r"radius is of what rolls"),
        (BOX + "[[connection]]\na = 'box'\nradius = 0", r"radius = 0 should be a number above 0"),
        (BOX + "[[connection]]\na = 'world'", r"same body"),
        (BOX + "[[spring]]\na = 'world'\nstiffness = 1", r"there is no figure 'world'"),
        (BOX + "[[connection]]\na = 'box'\nfrom = 2\nuntil = 1", r"until = 1 is not after from = 2"),
        (BOX + "[[push]]\non = 'box'", r"'seconds' is missing"),
        (BOX + "[[controller]]\nkind = 'dance'\nfigure = 'box'", r"one of 'hold'"),
        (HUMAN + "[[controller]]\nkind = 'hold'\nfigure = 'dancer'\njoints = ['elbow']", r"no joint 'elbow' to drive"),
        (HUMAN + "[[controller]]\nkind = 'hold'\nfigure = 'dancer'\ntarget = { neck = [0, 0, 1] }", r"takes no target"),
        (BOX + "[[fixed]]\nshape = 'box'", r"\[\[fixed\]\] 1: a box needs 'size'"),
        (BOX + "[[fixed]]\nshape = 'plane'\nradius = 1", r"'radius' does not describe a plane"),
    ],
)
def test_mistakes_get_one_sentence(tmp_path, text, words):
    with pytest.raises(bk.BunrakuError, match=words) as caught:
        scene(tmp_path, text).build()
    assert str(caught.value).startswith("test.toml: ") and "\n" not in str(caught.value)


def test_scenes_that_are_not_there(tmp_path):
    with pytest.raises(bk.InputError, match="Closest: 'slope'"):
        load("slop")
    with pytest.raises(bk.InputError, match="no such file"):
        load(tmp_path / "none.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(bk.InputError, match="not a text file"):
        load(tmp_path / "binary.toml")


def test_random_damage_never_crashes(tmp_path):
    """Characters changed at random in our own scenes: they load and build, or one BunrakuError."""
    rng = np.random.default_rng(2)
    texts = [p.read_text() for p in sorted(bk.scene.file.built_in_folder().glob("*.toml"))]
    for k in range(200):
        text = list(texts[k % len(texts)])
        for _ in range(3):
            text[rng.integers(len(text))] = chr(rng.integers(32, 127))
        try:
            scene(tmp_path, "".join(text)).build()
        except bk.BunrakuError as error:
            assert "\n" not in str(error)


def test_cones_and_ellipsoids(tmp_path):
    """As figures and as fixed shapes; an ellipsoid comes to rest on its flat side."""
    text = """
        [[ground]]
        [[fixed]]
        shape = "ellipsoid"
        size = [0.4, 0.4, 0.2]
        position = [2, 0, 0]
        [[fixed]]
        shape = "cone"
        radius = 0.2
        length = 0.5
        position = [-2, 0, 0.25]
        [[figure]]
        model = "ellipsoid"
        size = [0.3, 0.2, 0.1]
        mass = 2.0
        at = [0, 0, 0.05]
        [[figure]]
        model = "cone"
        radius = 0.1
        length = 0.3
        at = [1, 0, 0.15]
        """
    world = scene(tmp_path, text).build()
    world.run(0.1)
    assert np.allclose([f.q[2] for f in world.figures], [0.05, 0.15], atol=1e-9) and len(world.contacts) == 2
    with pytest.raises(bk.BunrakuError, match="a cone needs 'length'"):
        scene(tmp_path, '[[figure]]\nmodel = "cone"\nradius = 0.1\n').build()
