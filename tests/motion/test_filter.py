"""The dynamics filter: what comes out obeys mechanics from the saved file alone, its ground reaction fits its steps, it
stays near what went in."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import InputError
from bunraku.formats.bvh_motion import load_bvh
from bunraku.humanoid.foot_loads import runs
from bunraku.motion import Motion, Recording, consistency, dynamics_filter, overlaps, replay, retarget
from motion_data import captured, hop, jog, noised, noisy, own_clip, walk
from robots import robot


def check(filtered, path):
    """What every filtered walk must show; from the saved file."""
    with Recording.open(filtered.solved.save(path)) as saved:
        found = consistency(saved)
        load = saved.forces[1:, 0, 2] / (saved.figures[0].model.mass * 9.80665)
        touched = {name: np.zeros(len(saved), dtype=bool) for name in ("left_foot", "right_foot")}
        frame = np.repeat(np.arange(len(saved)), saved.frames.patch_count)
        for k, pair, force in zip(frame, saved.frames.pair, saved.frames.force):
            touched[saved.shape_owner(int(pair[0]))[1]][k] |= force[2] > 1.0
        times = saved.times
    assert found.base < 1e-6 and found.joints < 1e-6  # of the weight
    assert found.pull == 0.0 and found.cone < 1e-9
    assert found.gap < 2e-3 and found.slip < 0.1
    assert load.min() > 0.4 and load.max() < 1.8
    for name, stances in filtered.stances().items():
        inside = np.zeros(len(times), dtype=bool)
        for a, b in stances:
            now = (times > a - 0.01) & (times < b + 0.01)
            inside |= now
            assert touched[name][now].mean() > 0.5 or b - a < 0.1, (
                f"{name} hardly carries between {a:.2f} and {b:.2f} s"
            )
        assert not np.any(touched[name] & ~inside), f"{name} is pushed in the air"
    assert filtered.lost is None
    effort = filtered.solved.model.effort[6:]
    assert (np.abs(filtered.solved.torques[:, 6:]) / effort).max() < 1.02  # limits give way by a penalty
    return found


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    path = noisy(tmp_path_factory.mktemp("own") / "own.bvh")
    return dynamics_filter(retarget(load_bvh(path), bk.human()), dt=0.0025)


@pytest.mark.slow
def test_a_noisy_walk_of_our_own(own, tmp_path):
    check(own, tmp_path / "own.bkr")
    assert [len(x) for x in own.stances().values()] == [3, 2]
    clean = walk()
    back = own.solved.motion.at(clean.times[clean.times <= own.solved.times[-1]])
    off = np.linalg.norm(
        bk.centroidal(clean.model, back).com - bk.centroidal(clean.model, clean.q[: len(back)]).com, axis=1
    )
    assert off.max() < 0.05 and own.moved.com[1] < 0.05 and own.moved.base[0] < 0.03
    assert max(rms for rms, _ in own.moved.joints.values()) < np.radians(10)
    assert "left_knee" in own.text() and "stands" in own.text()


@pytest.mark.slow
@pytest.mark.parametrize("contact", ["pgs", "virtual_link", "penalty"])
def test_the_world_walks_it_with_pd(own, contact):
    led = replay(own.solved, contact=contact, stiffness=800.0, damping=40.0)
    assert led.error.max() < 0.06 and led.base.max() < 0.04 and led.share < 0.2


@pytest.mark.slow
def test_the_captured_walk(tmp_path):
    filtered = dynamics_filter(retarget(load_bvh(captured("02_01")), bk.human()))
    check(filtered, tmp_path / "walk.bkr")
    assert [len(x) for x in filtered.stances().values()] == [3, 4]
    assert filtered.moved.com[1] < 0.04 and filtered.moved.base[1] < 0.06
    assert overlaps(bk.human(), filtered.solved.q[::5]) == {}
    on = np.array([f.touches for f in filtered.feet])
    assert 0.08 < np.median([b - a for a, b in runs(on.all(axis=0))[1:-1]]) / 120 < 0.2  # both feet stand in every step


@pytest.mark.slow
def test_a_clip_of_our_own(tmp_path):
    """The same way as the captured walk's, from a file like those of the collection: another figure's proportions,
    names, unit and T-pose."""
    filtered = dynamics_filter(retarget(load_bvh(own_clip(tmp_path / "own.bvh")), bk.human()), dt=0.0025)
    check(filtered, tmp_path / "own.bkr")
    assert [len(x) for x in filtered.stances().values()] == [3, 3]
    assert filtered.moved.com[1] < 0.04 and filtered.moved.base[1] < 0.06
    assert overlaps(bk.human(), filtered.solved.q[::5]) == {}
    led = replay(filtered.solved, stiffness=800.0, damping=40.0)
    assert led.error.max() < 0.06 and led.base.max() < 0.04 and led.share < 0.2


def check_flying(filtered, path, air):
    """What every motion with flights must show, from the saved file: physically consistent, and in the air nothing
    touches."""
    with Recording.open(filtered.solved.save(path)) as saved:
        found = consistency(saved)
        load = saved.forces[1:, 0, 2] / (saved.figures[0].model.mass * 9.80665)
    assert found.base < 1e-6 and found.joints < 1e-6  # of the weight
    assert found.pull == 0.0 and found.cone < 1e-9 and found.gap < 5e-3
    assert filtered.lost is None and load.max() < 3.5
    assert air[0] < np.mean(load < 1e-9) < air[1]


@pytest.mark.slow
def test_a_noisy_hop_of_our_own(tmp_path):
    motion = retarget(load_bvh(noised(hop(), tmp_path / "hop.bvh")), bk.human())
    filtered = dynamics_filter(motion, dt=0.004)
    check_flying(filtered, tmp_path / "hop.bkr", (0.06, 0.15))  # 0.2 of 1.8 s
    assert [len(x) for x in filtered.stances().values()] == [2, 2]
    assert filtered.moved.com[0] < 0.04 and filtered.moved.turn[0] < 0.1


@pytest.mark.slow
def test_a_noisy_jog_of_our_own(tmp_path):
    motion = retarget(load_bvh(noised(jog(), tmp_path / "jog.bvh")), bk.human())
    filtered = dynamics_filter(motion, dt=0.004)
    check_flying(filtered, tmp_path / "jog.bkr", (0.15, 0.4))  # 0.65 of 1.97 s
    assert [len(x) for x in filtered.stances().values()] == [3, 3]
    gone = filtered.solved.com[-1] - filtered.solved.com[0]
    assert abs(gone[0] - 1.97 * 0.9 / 0.35) < 0.3  # it keeps its speed


@pytest.mark.slow
def test_the_captured_run(tmp_path):
    filtered = dynamics_filter(retarget(load_bvh(captured("09_01")), bk.human()), dt=0.004)
    check_flying(filtered, tmp_path / "run.bkr", (0.2, 0.45))
    assert [len(x) for x in filtered.stances().values()] == [2, 2]
    assert filtered.moved.com[0] < 0.12 and np.ptp(filtered.solved.com[:, 0]) > 4.0


@pytest.mark.slow
def test_a_jump_and_a_turn_of_the_captured_dance(tmp_path):
    whole = retarget(load_bvh(captured("05_13")), bk.human())
    rows = slice(350, 640)
    filtered = dynamics_filter(Motion(whole.model, whole.times[rows], whole.q[rows]), dt=0.004)
    check_flying(filtered, tmp_path / "dance.bkr", (0.01, 0.2))
    assert any(f.pivot.any() for f in filtered.feet)


@pytest.mark.slow
def test_a_fall_is_told_and_ends_the_motion():
    """Too weak to carry itself."""
    motion = walk()
    still = Motion(motion.model, motion.times[:60], np.tile(motion.q[0], (60, 1)))
    filtered = dynamics_filter(still, dt=0.002, strength=0.02)
    assert filtered.lost is not None and "fell" in filtered.text()
    found = consistency(filtered.solved)
    assert found.base < 1e-6 and found.pull == 0.0  # also a fall obeys mechanics


def test_standing_still_stays_standing_still(tmp_path):
    motion = walk()
    still = Motion(motion.model, motion.times[:30], np.tile(motion.q[0], (30, 1)))
    filtered = dynamics_filter(still, dt=0.005)
    assert consistency(filtered.solved).base < 1e-9 and np.abs(filtered.load - 1.0).max() < 0.1
    assert filtered.moved.com[1] < 0.01 and filtered.lost is None


def test_mistakes():
    motion = walk()
    with pytest.raises(InputError, match="free base"):
        arm = bk.Description(name="arm")
        arm.add("upper", None, bk.hinge("shoulder", (0, 1, 0)), mass=2.0, moments=(0.02, 0.02, 0.01))
        model = arm.build()
        dynamics_filter(Motion(model, np.arange(20) * 0.01, np.zeros((20, 1))))
    with pytest.raises(InputError, match="dt"):
        dynamics_filter(motion, dt=0.5)
    with pytest.raises(InputError, match="strength"):
        dynamics_filter(motion, strength=0.0)
    with pytest.raises(InputError, match="too few"):
        dynamics_filter(Motion(motion.model, motion.times[::20], motion.q[::20]))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["g1", "simple_humanoid"])
def test_a_walk_of_ours_on_a_robot_as_it_comes(name, tmp_path):
    """No mapping: soles, trunk, arms are found; the whole body moves."""
    model = bk.load(robot(name), meshes=False, root="free")
    motion = retarget(load_bvh(noisy(tmp_path / "own.bvh", degrees=0.3, millimetres=2.0)), model)
    rows = (motion.times > 0.5) & (motion.times < 2.0)
    filtered = dynamics_filter(Motion(motion.model, motion.times[rows], motion.q[rows]), dt=0.005)
    found = consistency(filtered.solved)
    assert filtered.lost is None and found.base < 1e-6 and found.pull == 0.0 and found.cone < 1e-9
    assert filtered.load.min() > 0.4 and filtered.load.max() < 1.8
    assert all(on for on in filtered.stances().values()) and filtered.moved.com[1] < 0.12
