"""A verdict names what is wrong, and nothing where nothing is: poses, forces, torques and overlaps put wrong one by one."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.motion import Motion
from bunraku.motion.solved import Touch, assemble
from bunraku.motion.verdict import DEEP, LEAN, LOAD, STRAIN, flaws

N, DT = 21, 0.01


@pytest.fixture(scope="module")
def human():
    return bk.human()


def standing(model, *, q=None, torques=None, weights=1.0, meta=None):
    """(recorded, solved): standing still; q, torques of what is solved; the floor carries so many weights."""
    pose = bk.stand(model)
    recorded = Motion(model, DT * np.arange(N), np.tile(pose, (N, 1)))
    push = np.array([[0.0, 0.0, weights * model.mass * 9.80665]])
    touches = [[], *[[Touch("left_foot", np.zeros((1, 3)), push)] for _ in range(N - 1)]]
    q = recorded.q if q is None else q
    torques = np.zeros((N, model.nv)) if torques is None else torques
    still = np.zeros((N, model.nv))
    return recorded, assemble(model, DT, q, still, torques, touches, start=0.0, friction=0.8, meta=meta or {})


def test_nothing_is_wrong_with_what_stands(human):
    assert flaws(*standing(human), None) == ()


def test_a_fall_a_lean_a_load_and_a_torque_are_named(human):
    [fell] = flaws(*standing(human), 0.1)
    assert fell.kind == "fell" and fell.time == 0.1 and "0.10 s" in fell.text()
    tilted, angle = np.tile(bk.stand(human), (N, 1)), LEAN + 0.1  # the stand's own trunk is upright but for 0.2 mrad
    tilted[12:, 3:7] = [np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0]
    [leans] = flaws(*standing(human, q=tilted), None)
    assert (
        leans.kind == "leans" and leans.size == pytest.approx(angle, abs=5e-4) and leans.time == pytest.approx(12 * DT)
    )
    assert f"{np.degrees(angle):.0f}°" in leans.text()
    [presses] = flaws(*standing(human, weights=LOAD + 0.5), None)
    assert presses.kind == "presses" and presses.size == pytest.approx(LOAD + 0.5)
    knee = human.joint("left_knee").iv
    torques = np.zeros((N, human.nv))
    torques[7, knee] = -2.0 * STRAIN * human.effort[knee]
    [strains] = flaws(*standing(human, torques=torques), None)
    assert (strains.kind, strains.where) == ("strains", "left_knee") and strains.size == pytest.approx(2.0 * STRAIN)
    assert strains.time == pytest.approx(7 * DT) and strains.as_dict()["where"] == "left_knee"
    assert flaws(*standing(human, torques=torques, meta={"strength": 3.0}), None) == ()  # it is as strong as that
    assert len(flaws(*standing(human, torques=torques), 0.05)) == 1  # after the fall nothing counts


def test_links_inside_each_other_are_named(human):
    q = np.tile(bk.stand(human), (N, 1))
    for side, sign in (("left", -1.0), ("right", 1.0)):  # the legs turned inwards until they are in one place
        q[10:, human.joint(f"{side}_hip").q] = [np.cos(0.05), sign * np.sin(0.05), 0.0, 0.0]
    found = flaws(*standing(human, q=q), None)
    assert [x.kind for x in found] == ["overlaps"] and found[0].size > DEEP
    assert "left" in found[0].where and "right" in found[0].where and found[0].time == pytest.approx(10 * DT, abs=0.021)
