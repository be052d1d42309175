"""`describe` and `load`: the format is recognised by content, and real robots become models."""

from __future__ import annotations

import subprocess
import sys

import mujoco
import numpy as np
import pinocchio as pin
import pytest

from bunraku.errors import InputError, ModelError
from bunraku.formats import describe, load
from bunraku.model.description import Description
from robots import GOOD, humanoid_mjcf, robot

# degrees of freedom with a free base, gears eliminated
NV = {
    "simple_humanoid": 35,
    "talos_reduced": 38,
    "talos_full": 38,
    "romeo_small": 37,
    "icub": 38,
    "g1": 35,
    "human": 42,
}


@pytest.mark.parametrize("name", GOOD)
def test_real_robots_load(name):
    model = load(robot(name))
    peer = pin.buildModelFromUrdf(str(robot(name)), pin.JointModelFreeFlyer())
    assert model.nv == NV[name]
    assert model.mass == pytest.approx(sum(i.mass for i in peer.inertias), rel=1e-12)
    names = {joint.name for joint in model.joints}
    assert names == set(peer.names[2:]) | {"root"}
    for joint in model.joints:
        if joint.kind in ("hinge", "slider") and peer.joints[peer.getJointId(joint.name)].nq == 1:
            k = peer.joints[peer.getJointId(joint.name)].idx_q
            assert joint.lower == (peer.lowerPositionLimit[k],) and joint.upper == (peer.upperPositionLimit[k],)
    frames = {frame.name for frame in peer.frames if frame.type == pin.FrameType.BODY}
    assert {frame.name for frame in model.links} == frames


def test_talos_full_has_its_gears():
    model = load(robot("talos_full"))
    assert len(model.gears) == 12 and model.kept_gears == ()
    assert model.nv + len(model.gears) == 50


def test_the_humanoid_of_mujoco_loads():
    model, peer = load(humanoid_mjcf()), mujoco.MjModel.from_xml_path(str(humanoid_mjcf()))
    assert (model.nq, model.nv) == (peer.nq, peer.nv)
    assert model.mass == pytest.approx(peer.body_mass.sum(), rel=1e-14)
    assert [joint.name for joint in model.joints] == [peer.joint(j).name for j in range(peer.njnt)]
    np.testing.assert_allclose(model.neutral(), peer.qpos0, atol=1e-15)
    for key in ("damping", "armature"):
        np.testing.assert_array_equal(getattr(model, key), getattr(peer, f"dof_{key}"))


def test_the_root_may_be_fixed():
    assert load(robot("icub"), root="fixed").nv == NV["icub"] - 6
    with pytest.raises(InputError, match="MJCF and says itself"):
        load(humanoid_mjcf(), root="fixed")


def test_strict_refuses_what_is_only_warned_about():
    assert len(load(robot("romeo_small")).warnings) == 2
    with pytest.raises(ModelError, match=r"^romeo_small.urdf:\d+: link .*strict=True refuses it"):
        load(robot("romeo_small"), strict=True)


def test_recognised_by_content_not_by_ending(tmp_path):
    (tmp_path / "a.xml").write_text(
        '<?xml version="1.0"?>\n<!-- a remark -->\n<robot name="u"><link name="a"/></robot>'
    )
    (tmp_path / "b").write_text('<mujoco model="m"><worldbody><geom size="1"/></worldbody></mujoco>')
    assert describe(tmp_path / "a.xml").name == "u"
    figure = describe(str(tmp_path / "b"))
    assert isinstance(figure, Description) and figure.name == "m"


def test_reading_urdf_does_not_import_mujoco_or_numba():
    code = (
        "import sys; from bunraku.formats import describe; describe(sys.argv[1]);"
        "print([name for name in ('mujoco', 'numba', 'pinocchio') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code, str(robot("icub"))], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
