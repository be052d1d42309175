"""Mutants of what brings figures in and out: recording, formats, scene, draw, viewer, cli."""

from tests.mutants.mutant import mutants

AROUND = mutants(
    # ---- recording
    ("damaged blocks are believed", "recording/blockfile.py", "if not good or check !=", "if not good and check !=",
     "recording/test_blockfile.py::test_every_flipped_bit_is_noticed_or_harmless"),
    ("a file has its name before it is whole", "recording/blockfile.py", 'self.path.name + ".part"', "self.path.name",
     "recording/test_blockfile.py::test_an_old_file_stays_until_the_new_one_is_whole"),
    ("rates look ahead only", "recording/motion.py", "0.5 * (rates[:-1] + rates[1:])", "rates[1:]",
     "recording/test_motion.py::test_rates_inside_are_central"),
    ("the last even frame is lost", "recording/motion.py", "* fps + 1e-6) + 1)", "* fps + 1e-6))",
     "recording/test_motion.py::test_rates_and_even_frames"),
    ("recordings of newer versions are read", "recording/reader.py", 'if int(head["version"]) > VERSION:', "if False:",
     "recording/test_reader.py::test_forged_headers"),
    # ---- formats
    ("documents may define entities", "formats/xmlsafe.py", "parser.StartDoctypeDeclHandler = doctype", "pass",
     "formats/test_xmlsafe.py::test_broken_and_forbidden formats/test_xmlsafe.py::test_billion_laughs_is_refused_before_it_is_expanded"),
    ("numbers that are not finite", "formats/xmlsafe.py", "if not math.isfinite(number):", "if False:",
     "formats/test_xmlsafe.py::test_numbers_must_be_finite"),
    ("an inertia turned the other way", "formats/urdf_link.py", "rotation @ result.matrix() @ rotation.T", "rotation.T @ result.matrix() @ rotation",
     "formats/test_urdf.py::test_inertia_of_a_turned_origin"),
    ("boxes twice as large", "formats/urdf_link.py", "tuple(0.5 * side for side", "tuple(side for side",
     "formats/test_urdf.py::test_primitive_shapes_have_half_sizes"),
    ("degrees as radians", "formats/bvh_motion.py", "about(axis, np.radians(x))", "about(axis, x)",
     "formats/test_bvh.py::test_any_channels_in_any_order"),
    ("rotation channels from the outside in", "formats/bvh_motion.py", "multiply(turn, about(axis, np.radians(x)))",
     "multiply(about(axis, np.radians(x)), turn)", "formats/test_bvh.py::test_any_channels_in_any_order"),
    # ---- scene
    ("angles of a scene in radians", "scene/values.py", "rpy_matrix(*np.radians(out))", "rpy_matrix(*out)",
     "scene/test_scene.py::test_everything_once"),
    ("shares beyond one", "scene/values.py", "and 0 <= x <= 1:", "and 0 <= x:", "scene/test_scene.py::test_mistakes_get_one_sentence"),
    # ---- draw
    ("pictures upside down", "draw/camera.py", "0.5 * height - 0.5 * height * y", "0.5 * height + 0.5 * height * y",
     "draw/test_camera.py::test_views_look_the_right_way"),
    ("rays meet the far side of a sphere", "draw/raycast.py", "t = -b - math.sqrt(disc)", "t = -b + math.sqrt(disc)",
     "draw/test_render.py::test_hits_agree_with_sphere_tracing"),
    ("capsules have no ends", "draw/raycast.py", "h = min(max(lz, -p[SIZE + 1]), p[SIZE + 1])", "h = lz",
     "draw/test_render.py::test_hits_agree_with_sphere_tracing"),
    # ---- viewer
    ("any host may be named", "viewer/guard.py", "if at_port != port:", "if at_port == port:\n        return True\n    if at_port != port:",
     "viewer/test_server_security.py::test_wrong_host"),
    ("any page may connect", "viewer/guard.py", "return len(given) == 1 and given[0]", "return True or given[0]",
     "viewer/test_server_security.py::test_foreign_origin"),
    ("no token is needed", "viewer/guard.py", "return PROTOCOL in words and right == [True]", "return PROTOCOL in words",
     "viewer/test_server_security.py::test_missing_or_wrong_token"),
    ("other machines may connect unasked", "viewer/guard.py", "if not is_loopback(host) and not allow_remote:", "if False:",
     "viewer/test_server_security.py::test_other_machines_only_when_asked_for"),
    ("messages of any size", "viewer/server.py", "max_size=MOST_BYTES", "max_size=None", "viewer/test_server_security.py::test_oversized_message"),
    ("a frame's numbers in the other order", "viewer/messages.py", 'values.astype("<f4")', 'values.astype(">f4")',
     "viewer/test_messages.py::test_a_frame_survives"),
    # ---- cli
    ("infinities in JSON", "cli/common.py", "if isinstance(x, float) and not math.isfinite(x):", "if False:",
     "cli/test_main.py::test_json_has_no_infinities"),
    ("mistakes end with success", "cli/__init__.py", 'print(f"bunraku {name}: {error}", file=sys.stderr)\n        return 2',
     'print(f"bunraku {name}: {error}", file=sys.stderr)\n        return 0', "cli/test_main.py::test_info_of_what_is_not_there"),
    ("unknown commands end with success", "cli/__init__.py", "{closest(name, COMMANDS)}\", file=sys.stderr)\n        return 2",
     "{closest(name, COMMANDS)}\", file=sys.stderr)\n        return 0", "cli/test_main.py::test_unknown_command"),
)  # fmt: skip
