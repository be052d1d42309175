"""`bunraku generate FILE --out x.bkr`: a motion from contacts, known quantities and trajectories that a file writes down,
with its torques and forces.

See docs/motion-generation.md.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro

from bunraku.cli.common import figure, idle, print_json, progress_bar, two_columns
from bunraku.errors import InputError
from bunraku.files import ends_in, keep_inputs


def main(
    file: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FILE")] = "",
    /,
    *,
    out: Path | None = None,
    model: str | None = None,
    json: bool = False,
    list: bool = False,
) -> int:
    """Generate a motion with its torques and forces from a file of contacts, known quantities and trajectories.

    Args:
        file: a TOML file (docs/motion-generation.md), a scene with a [motion], or the name of a built-in one: reach,
            squat, step, swing; hand-in-hand, lift, plank, trapeze, valve.
        out: the recording to write (.bkr): `bunraku play`, `export` and `view` take it.
        model: the figure, instead of the file's own: human, a file of `bunraku human`, or a URDF or MJCF file.
        json: print the summary as JSON.
        list: list the built-in files and end.
    """
    from bunraku.scene.generation import about_of, built_in, find, is_scene, load_generation, model_of
    from bunraku.scene.scene import load_scene

    if list:
        idle("has no effect with --list", out=out is not None, model=model is not None)
        if file:
            raise InputError("--list lists the built-in files; leave FILE out.")
        rows = [(name, about_of(path)) for name, path in built_in().items()]
        print_json(dict(rows)) if json else print("\n".join(two_columns(rows)))
        return 0
    if not file:
        raise InputError("no file given; name a TOML file or a built-in one, which `bunraku generate --list` lists.")
    path = find(file)
    if is_scene(path):
        if model is not None:
            raise InputError(f"--model: {path.name} is a scene and names its own figures.")
        scene = load_scene(path)
        keep_inputs(scene.files, [out])
        ends_in(out, ".bkr", what="a recording")
        given = scene.generation
        if given is None:
            raise InputError(f"{path.name} is a scene without a [motion]; `bunraku run` runs it.")
    else:
        own = model_of(path) if model is None else model
        beside = str(path.parent / own) if model is None and (path.parent / own).is_file() else own
        keep_inputs([path, beside], [out])
        ends_in(out, ".bkr", what="a recording")
        given = load_generation(path, figure(beside))
    began = time.perf_counter()
    with progress_bar(100, "generating") as update:
        motion = given.run(lambda done, of: update(100 * done // of, "generating"))
    wall = time.perf_counter() - began
    if out is not None:
        motion.save(out, title=given.about or path.stem)
    m, torques = motion.model, np.abs(motion.torques).max(axis=0)  # zero for free bases
    most = int(torques.argmax())
    joint = next(j.name for j in m.joints if j.nv and j.iv <= most < j.iv + j.nv)
    largest = float(torques[most])
    flagged = {name: int(rows.sum()) for name, rows in motion.flags.items()}
    bad = int(np.count_nonzero(~motion.admissible))
    if json:
        print_json(
            {"file": None if out is None else str(out), "frames": len(motion), "seconds": float(motion.times[-1]), "dt_s": motion.dt,
             "inadmissible": bad, "flagged": flagged, "largest_torque_Nm": largest, "largest_torque_joint": joint, "wall_s": wall}
        )  # fmt: skip
        return 0
    why = ", ".join(f"{name} {n}" for name, n in flagged.items() if n)
    rows = [
        ("motion", f"{given.about or path.stem}, {', '.join(name for name, _ in motion.figures) or m.name}"),
        ("frames", f"{len(motion)}, {motion.times[-1]:.3g} s in steps of {1000 * motion.dt:g} ms"),
        ("inadmissible frames", f"{bad} ({why})" if bad else "none"),
        ("largest torque", f"{largest:.0f} N m ({joint.replace('_', ' ')})"),
    ]
    print("\n".join([*two_columns(rows), *([] if out is None else ["", str(out)])]))
    return 0
