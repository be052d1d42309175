"""Mutants of what figures do: humanoid, walking, motion, gait1988."""

from tests.mutants.mutant import COMPILED, mutants

FIGURES = mutants(
    # ---- humanoid
    ("margins have the other sign", "humanoid/foot_loads.py", "distance = (edge[..., 0] * to[..., 1] - edge[..., 1] * to[..., 0])",
     "distance = (edge[..., 1] * to[..., 0] - edge[..., 0] * to[..., 1])", "humanoid/test_foot_loads.py::test_margins_in_closed_form"),
    ("left and right of a skeleton exchanged", "humanoid/skeletons.py", '{"left": "Left", "right": "Right"}', '{"left": "Right", "right": "Left"}',
     "motion/test_retarget.py::test_a_skeleton_of_another_size_and_other_names_gives_the_same_pose", COMPILED),
    ("a sole as wide as its widest end", "humanoid/sole_shape.py", "max(e[:, 1].min() for e in ends), min(e[:, 1].max() for e in ends)",
     "min(e[:, 1].min() for e in ends), max(e[:, 1].max() for e in ends)", "humanoid/test_sole_shape.py"),
    # ---- walking
    ("rising and falling costs nothing", "walking/com_preview.py", "k = height / (gravity + up) / dt**2", "k = height / gravity / dt**2",
     "walking/test_com_preview.py::test_equation_with_a_height_that_changes"),
    ("the swinging foot carries", "walking/zmp_reference.py", "carry = feet[1 - s.side]", "carry = feet[s.side]",
     "walking/test_zmp_reference.py::test_the_foot_that_stands_carries"),
    ("the base's moment has the other sign", "walking/whole_zmp.py", "(n[:, 1] + arm * f[:, 0])", "(arm * f[:, 0] - n[:, 1])",
     "walking/test_whole_zmp.py::test_a_box_that_is_pushed_and_turned"),
    ("feet roll about their heels", "walking/foot_paths.py", "toe * (1.0 - c), np.zeros(len(angle)), toe * s", "toe * (c - 1.0), np.zeros(len(angle)), -toe * s",
     "walking/test_foot_paths.py::test_a_heel_rises_about_the_toes_before_a_foot_leaves_a_higher_stair"),
    ("feet cross on a turn", "walking/footsteps.py", "x - half * float(np.sin(yaw))", "x + half * float(np.sin(yaw))",
     "walking/test_footsteps.py::test_words", COMPILED),
    # ---- motion
    ("angular momentum in the plan, along", "motion/com_plan.py", "-one * rate[:, 1]", "one * rate[:, 1]", "motion/test_com_plan.py"),
    ("angular momentum in the plan, across", "motion/com_plan.py", ", one * rate[:, 0]", ", -one * rate[:, 0]", "motion/test_com_plan.py"),
    ("one height for the whole plan", "motion/com_plan.py", "diags(z * c.mass * one)", "diags(z.mean() * c.mass * one)", "motion/test_com_plan.py"),
    ("flights turn", "motion/com_plan.py", "limits += [most, -sign * rate[free, a] / weight]", "limits += [most, sign * rate[free, a] / weight]",
     "motion/test_com_plan.py::test_nothing_turns_a_figure_in_the_air"),
    ("bones that point the opposite way", "motion/retarget.py", "return 2.0 * np.outer(u, u) - np.eye(3)", "return np.diag([1.0, -1.0, -1.0])",
     "motion/test_retarget.py::test_a_link_is_laid_along_its_bone_by_the_smallest_turn"),
    ("ends hang on one frame", "motion/lowpass.py", "2.0 * end.reshape(x.shape[1:]) - x[1 : pad + 1]", "2.0 * x[0] - x[1 : pad + 1]",
     "motion/test_lowpass.py::test_the_ends_do_not_hang_on_one_frame"),
    ("flights are where the body rises", "motion/contact_times.py", "gain = (-fall[a:b] - 0.5 * gravity) * dt", "gain = (fall[a:b] - 0.5 * gravity) * dt",
     "motion/test_contact_times.py::test_a_flight_is_where_the_centre_of_mass_falls"),
    # ---- gait1988
    ("a curve's velocity is not its derivative", "gait1988/smooth.py", "np.array([1, 2, 1]) / 4.0", "np.array([1, 4, 1]) / 6.0",
     "gait1988/test_smooth.py::test_exact_curve_is_what_it_says"),
    ("the new ZMP holds at the switch", "gait1988/zmp.py", "if t <= end + 1e-9:", "if t < end - 1e-9:",
     "gait1988/test_pattern.py::test_old_zmp_holds_at_the_switch"),
    ("the roll drives take what they give", "gait1988/servo.py", "torque = -n[:, joint, 0]", "torque = n[:, joint, 0]",
     "gait1988/test_servo.py::test_powers_add_up_to_the_change_of_energy", COMPILED),
    ("digits are cut, not rounded", "gait1988/smooth.py", "(1.0 + 1e-9) + 0.5)", "(1.0 + 1e-9))", "gait1988/test_smooth.py::test_significant_digits"),
)  # fmt: skip
