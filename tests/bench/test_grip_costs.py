"""What grips cost: scenes that hold what they say, and a table of them."""

from bunraku_bench.grip_costs import SCENES, full_stage, grip_lines, hand_in_hand, held_box, measure_grips


def test_scenes_hold_what_they_say():
    assert [(g.link, g.other) for g in held_box().grips] == [("left_hand", "box")]
    assert [(g.link, g.other) for g in hand_in_hand().grips] == [("left_hand", "bob.right_hand")]
    stage = full_stage()
    assert len(stage.dancers) == 2 and len(stage.world.figures) == 5


def test_all_take_turns_and_stand():
    found = measure_grips(0.2)["grips"]
    assert list(found) == list(SCENES) and all(x["state"] == "standing" for x in found.values())
    assert found["alone"]["times_alone"] == 1.0 and found["hand_in_hand"]["times_alone"] > 1.2
    assert len(grip_lines(found)) == len(SCENES) + 1
