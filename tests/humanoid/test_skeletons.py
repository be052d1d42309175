"""Names of skeletons: each link is turned by the joint of its own side."""

import bunraku as bk
from bunraku.formats.bvh_motion import to_motion
from bunraku.humanoid.skeletons import bones_of
from motion_data import strange_walk, t_posed


def test_left_is_left():
    source = to_motion(t_posed(strange_walk(), 1.0)).model
    _, bones = bones_of(bk.human(), source)
    found = {b.link: b for b in bones}
    for side in ("left", "right"):
        for part in ("thigh", "shank", "foot", "upper_arm", "lower_arm"):
            assert found[f"{side}_{part}"].joint.startswith(side.capitalize())
