"""Forces by inverse dynamics beside those of a physical walk, which are known, with and without noise; closed forms."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import InputError
from bunraku.formats.bvh_motion import from_motion, to_motion
from bunraku.formats.plates import read_plates
from bunraku.gaits.natural_walk import Leg, NaturalWalk
from bunraku.motion import Motion
from bunraku.motion.ground_forces import Plates, ground_forces, nearest
from bunraku.motion.lowpass import lowpass
from bunraku.motion.retarget import retarget
from draws import fresh_rng
from motion_data import shaken

G = 9.80665


def walked(speed, path):
    """(recording, motion at 120 frames a second, plates) of a physical walk."""
    walk = NaturalWalk(legs=[Leg(speed, metres=2.5)])
    with walk.world.record(path, every=1):
        walk.run()
    assert walk.fell is None
    with bk.Recording.open(path) as recording:
        torques = recording.times.copy(), recording.torques.copy()
        return recording.motion(recording.figures[0].name).resampled(120.0), torques, read_plates(path)


@pytest.mark.slow
def test_forces_of_walks_whose_forces_are_known(tmp_path):
    """Speeds from 0.8 to 1.5 m/s and noise drawn anew; all low-passed at 6 Hz. Root mean squares."""
    rng = fresh_rng()
    for speed in rng.uniform(0.8, 1.5, 2):
        motion, (times, torques), plates = walked(float(speed), tmp_path / "walk.bkr")
        file = from_motion(motion)
        clean = ground_forces(retarget(to_motion(file), motion.model, cutoff=None))
        off = clean.beside(plates)
        assert off.force_rms.max() < 0.01 and off.zmp_rms.max() < 0.005, speed
        assert clean.force[12:-12, 2].mean() / clean.weight == pytest.approx(1.0, abs=0.01)
        # joints above the legs do not see how two feet share: theirs are those of the world
        arm = motion.model.joint("left_elbow").iv
        there = np.interp(clean.times, times, lowpass(torques[:, arm], 1000.0, 6.0))
        assert np.sqrt(np.mean((clean.torques[12:-12, arm] - there[12:-12]) ** 2)) < 1.0  # N m
        shaken(file, 0.3, 0.2, seed=int(rng.integers(1 << 30)))
        noisy = ground_forces(retarget(to_motion(file), motion.model, cutoff=None)).beside(plates)
        assert noisy.force_rms[:2].max() < 0.03 and noisy.force_rms[2] < 0.045 and noisy.zmp_rms.max() < 0.03, speed


def swaying(frequency=0.8, size=0.03):
    """(motion, c''): a stiff figure that stands, its base going to and fro ahead and up and down, as sines say."""
    model, t = bk.human(), np.arange(361) / 120.0
    q, w = np.tile(bk.stand(model), (361, 1)), 2 * np.pi * frequency
    q[:, 0] += size * np.sin(w * t)
    q[:, 2] += 0.3 * size * np.cos(w * t)
    acc = np.column_stack([-size * w**2 * np.sin(w * t), 0 * t, -0.3 * size * w**2 * np.cos(w * t)])
    return Motion(model, t, q), acc


def test_a_sine_of_the_whole_body_is_newtons_law():
    """F = m (c'' - g), nothing turns: the zero-moment point is where the line of force through c meets the floor."""
    motion, acc = swaying()
    found, inner = ground_forces(motion), slice(24, -24)
    model = motion.model
    force = model.mass * (acc + np.array([0.0, 0.0, G]))
    assert np.abs(found.force - force)[inner].max() < 0.003 * found.weight
    com = bk.centroidal(model, motion.q).com
    zmp = com[:, :2] - com[:, 2:] * force[:, :2] / force[:, 2:]
    assert np.abs(found.zmp - zmp)[inner].max() < 0.003
    assert found.powers.shape == found.torques.shape and np.all(found.torques[:, :6] == 0.0)
    plates = Plates(motion.times, force, zmp)
    off = found.beside(plates)
    assert off.force_most.max() < 0.005 and off.zmp_most.max() < 0.005
    moved = found.beside(Plates(motion.times, force, zmp + np.array([0.02, 0.0])))
    assert moved.zmp_rms[0] == pytest.approx(0.02, abs=0.003) and moved.as_dict()["zmp_mm"]["rms"][0] > 15.0


def test_joint_moments_hold_a_figure_that_stands():
    """At rest: gravity's torques less the floor's at the ankles; both feet carry half; the base is left with nothing."""
    model = bk.human()
    motion = Motion(model, np.arange(120) / 120.0, np.tile(bk.stand(model), (120, 1)))
    found = ground_forces(motion)
    assert np.allclose(found.force_on[60, :, 2], 0.5 * found.weight, rtol=0.02) and not found.air.any()
    ankles = found.torques[60][[model.joint(f"{s}_ankle").iv + 1 for s in ("left", "right")]]
    lever = found.zmp[60, 0] - bk.kinematics(model, motion.q[60]).pose("left_foot")[0][0]
    assert abs(ankles).max() == pytest.approx(0.5 * found.weight * abs(lever), abs=1.0)  # N m, a foot's own weight
    assert np.abs(found.torques[60] - found.torques[30]).max() < 1e-6 and np.abs(found.powers).max() < 1e-6


def test_the_nearest_point_of_a_sole():
    sole = np.array([(0.0, 0.0), (0.0, 1.0), (2.0, 0.0), (2.0, 1.0)])
    assert np.allclose(nearest(sole, np.array([1.0, 0.5])), (1.0, 0.5))
    assert np.allclose(nearest(sole, np.array([3.0, -1.0])), (2.0, 0.0))
    assert np.allclose(nearest(sole[:2], np.array([3.0, 0.4])), (0.0, 0.4))
    assert np.allclose(nearest(sole[:1], np.array([3.0, 0.4])), (0.0, 0.0))


def test_mistakes_are_told():
    motion, _ = swaying()
    with pytest.raises(InputError, match="cutoff"):
        ground_forces(motion, 60.0)
    late = Plates(np.arange(100) / 100 + 50.0, np.ones((100, 3)), np.zeros((100, 2)))
    with pytest.raises(InputError, match="same time"):
        ground_forces(motion).beside(late)
    with pytest.raises(InputError, match="frames a second"):
        ground_forces(motion).beside(Plates(np.arange(30) / 10.0, np.ones((30, 3)), np.zeros((30, 2))))
