"""`bunraku forces CLIP`: ground reaction, zero-moment point, joint moments and powers of a captured motion by inverse
dynamics, of a figure of the subject's size, beside measured plates where there are any.

The figure is made from the clip (`bunraku human --like`), with its mass; a recording keeps its own figure. See
docs/motion-generation.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro

from bunraku.cli.common import idle, print_json, progress_bar
from bunraku.cli.retarget_command import mapped, trimmed, walker
from bunraku.errors import InputError
from bunraku.files import ends_in, keep_inputs
from bunraku.kernel.needed import prepare
from bunraku.model.model import Model
from bunraku.recording.motion import Motion

BODY = "1996"  # the shares of segments: de Leva 1996, as `bunraku walk` has them


def main(
    file: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FILE")] = "",
    /,
    *,
    plates: Path | None = None,
    out: Path | None = None,
    model: str | None = None,
    mass: float | None = None,
    mapping: Path | None = None,
    cutoff: float = 6.0,
    begin: Annotated[float | None, tyro.conf.arg(name="from")] = None,
    end: Annotated[float | None, tyro.conf.arg(name="to")] = None,
    json: bool = False,
) -> int:
    """Work out the forces of a captured motion by inverse dynamics.

    Args:
        file: a captured clip (BVH, or .npz of AMASS), a recording, or a CSV file with the coordinates of a figure.
        plates: what was measured: ground forces (.mot, .sto) or a recording (.bkr), in the axes and the time of FILE.
        out: a table of force, zero-moment point, torques and powers to write (.sto, .mot).
        model: the figure: human, a file of `bunraku human`, or a URDF or MJCF file; by default one of the clip's size, with segments of de Leva 1996.
        mass: of the person who was captured [kg].
        mapping: a TOML file for what geometry cannot tell of the clip (`bunraku retarget --help`).
        cutoff: the highest frequency of forces that is kept [Hz], of plates alike.
        begin: where to begin [s of FILE].
        end: where to end [s of FILE].
        json: print the summary as JSON.
    """
    if not file:
        raise InputError("no file given; name a BVH file or a recording.")
    if not 0 < cutoff < float("inf"):
        raise InputError(f"--cutoff {cutoff} is not a frequency above 0 Hz.")
    if mass is not None and not 0 < mass < float("inf"):
        raise InputError(f"--mass {mass} is not a mass above 0 kg.")
    if model is not None:
        idle(f"has no effect on {model}, which has its own", mass=mass is not None)
    from bunraku.motion.ground_forces import ground_forces

    keep_inputs([file, model, mapping, plates], [out])
    ends_in(out, ".sto", ".mot", what="a table")
    ends_in(plates, ".mot", ".sto", ".bkr", what="measured forces")
    measured = None
    if plates is not None:
        from bunraku.formats.plates import read_plates

        measured = read_plates(plates)
    with progress_bar(100, "reading") as update:
        motion = trimmed(motion_of(file, model, mass, mapping), begin, end)
        update(50, "inverse dynamics")
        prepare("forces")
        found = ground_forces(motion, cutoff)
    data: dict[str, Any] = {"file": file, "cutoff_Hz": cutoff, **found.as_dict()}
    if measured is not None:
        data["beside_plates"] = found.beside(measured, cutoff).as_dict()
    if out is not None:
        from bunraku.formats.opensim import Table, write_table

        write_table(Table(*rows_of(found), name=Path(file).stem), out)
        data["table"] = str(out)
    if json:
        print_json(data)
        return 0
    load = data["vertical_of_weight"]
    print(
        f"{file}: {data['seconds']:.3g} s, {data['mass_kg']:.3g} kg; the ground carries {load['min']:.2f} to {load['max']:.2f} "
        f"of the weight, {load['mean']:.3f} on average, and pushes level by {data['level_of_weight']:.2f} at most"
    )
    for name, x in sorted(data["joints"].items(), key=lambda x: -x[1]["torque_Nm"])[:8]:
        low, high = x["power_W"]
        print(f"  {name:<16} {x['torque_Nm']:6.0f} N m at most, {low:6.0f} to {high:5.0f} W")
    if measured is not None:
        x = data["beside_plates"]
        rms, most = (", ".join(f"{v:.1f}" for v in x["force_percent_of_weight"][k]) for k in ("rms", "max"))
        print(f"beside {plates}: force off by {rms} % of the weight rms (ahead, left, up), {most} % at most")
        rms, most = (", ".join(f"{v:.0f}" for v in x["zmp_mm"][k]) for k in ("rms", "max"))
        print(f"  zero-moment point off by {rms} mm rms (ahead, left), {most} mm at most")
    if out is not None:
        print(out)
    return 0


def motion_of(file: str, model: str | None, mass: float | None, mapping: Path | None) -> Motion:
    """The motion of a file, not smoothed; a clip on a figure of its own size unless another is given."""
    from bunraku.cli.filter_command import read
    from bunraku.formats.clips import kind_of, load_clip

    if not Path(file).is_file() or not kind_of(file):
        idle("has no effect on a motion that has its own figure", mass=mass is not None)
        return read(file, model or "human", mapping, None)
    from bunraku.motion.retarget import retarget

    clip, (names, robot) = load_clip(file), mapped(mapping)
    given = None if model is None else walker(model)
    prepare("forces")
    return retarget(
        clip, subject(clip, mass, names) if given is None else given, mapping=names, cutoff=None, robot=robot
    )


def subject(clip: Motion, mass: float | None, names: Any) -> Model:
    """A figure as large and as heavy as who was captured; the standard one where the clip is its own."""
    from bunraku.formats.person import human
    from bunraku.motion.retarget import name_set, same_zero_pose

    usual = human(mass=mass, body=BODY)
    if names is None and name_set(clip.model) == "bunraku" and same_zero_pose(clip, usual):
        return usual
    return human(mass=mass, like=clip, body=BODY, mapping=names)


def rows_of(found: Any) -> tuple[tuple[str, ...], np.ndarray]:
    """Names and values of the table: time, force, zero-moment point, then every joint's torques and power; our axes."""
    names, columns = ["time"], [found.times]
    for k, axis in enumerate("xyz"):
        names.append(f"ground_force_{axis}")
        columns.append(found.force[:, k])
    for k, axis in enumerate("xy"):
        names.append(f"zero_moment_point_{axis}")
        columns.append(found.zmp[:, k])
    for j in (j for j in found.model.joints if j.nv and j.kind != "free"):
        for k in range(j.nv):
            names.append(f"{j.name}_moment" if j.nv == 1 else f"{j.name}_moment_{'xyz'[k]}")
            columns.append(found.torques[:, j.v][:, k])
        names.append(f"{j.name}_power")
        columns.append(found.powers[:, j.v].sum(axis=1))
    return tuple(names), np.column_stack(columns)
