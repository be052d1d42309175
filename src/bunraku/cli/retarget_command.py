"""`bunraku retarget FILE --out x.bkr`: a captured motion on a figure of ours or on a robot, whatever the skeleton,
scaled by leg length, smoothed, set on the floor.

The result is a recording without forces, to look at (`bunraku play`), to export, or for `bunraku filter`. See
docs/motion-generation.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import tyro

from bunraku.cli.common import figure, print_json, progress_bar
from bunraku.errors import InputError
from bunraku.files import ends_in, keep_inputs, parse_toml, read_text
from bunraku.model.model import Model
from bunraku.recording.motion import Motion

FAR = 10.0  # deg: what is told


def main(
    file: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FILE")] = "",
    /,
    *,
    out: Path | None = None,
    model: str = "human",
    mapping: Path | None = None,
    cutoff: float = 6.0,
    reference: Literal["auto", "first", "rest"] = "auto",
    up: Literal["auto", "x", "y", "z", "-x", "-y", "-z"] = "auto",
    begin: Annotated[float | None, tyro.conf.arg(name="from")] = None,
    end: Annotated[float | None, tyro.conf.arg(name="to")] = None,
    show: Path | None = None,
    json: bool = False,
) -> int:
    """Put the motion of a captured clip onto a figure.

    Args:
        file: a BVH file of a person, whose skeleton is understood by its geometry, or an .npz file of AMASS.
        out: the recording to write; FILE.bkr in this folder by default.
        model: the figure: human, a file of `bunraku human`, or a URDF or MJCF file of a humanoid.
        mapping: a TOML file for what geometry cannot tell: joints of FILE by parts of a person, left_thigh = "LeftLeg", or with
            the joint where the bone ends, left_thigh = ["LeftLeg", "LeftShin"], or by the figure's own links; feet, trunk and
            hands of a robot in a table [robot].
        cutoff: highest frequency that smoothing leaves [Hz]; 0 for none.
        reference: the pose in which the person is upright: the first frame (a T-pose), or the file's zero pose.
        up: the axis of FILE that is up, where it is not told by the motion.
        begin: where to begin [s of FILE].
        end: where to end [s of FILE].
        show: a picture (PNG) or a film (GIF, MP4, WebM) of the clip beside the figure.
        json: print the summary as JSON.
    """
    if not file:
        raise InputError("no file given; name a BVH file, or an .npz file of AMASS.")
    if not 0 <= cutoff < float("inf"):
        raise InputError(f"--cutoff {cutoff} is not a frequency of 0 Hz or more.")
    from bunraku.formats.clips import load_clip
    from bunraku.motion.retarget import retarget
    from bunraku.motion.solved import without_forces

    target = out if out is not None else Path(f"{Path(file).stem}.bkr")
    keep_inputs([file, model, mapping], [target, show])
    ends_in(target, ".bkr", what="a recording")
    if show is not None:
        from bunraku.draw.side_by_side import KINDS, side_by_side

        ends_in(show, *KINDS, what="a picture or a film")
    names, robot = mapped(mapping)
    clip = load_clip(file)
    motion = retarget(
        clip, walker(model), mapping=names, cutoff=cutoff or None, reference=reference, robot=robot,
        up=None if up == "auto" else up,
    )  # fmt: skip
    motion = trimmed(motion, begin, end)
    without_forces(motion).save(target, title=Path(file).stem)
    if show is not None:
        with progress_bar(100, f"writing {show.name}") as update:
            side_by_side(clip, motion, show, begin=begin or 0.0, progress=lambda done, of: update(100 * done // of))
    data = {"file": str(target), "frames": len(motion), "seconds": motion.duration, **motion.meta}
    if json:
        print_json(data)
        return 0
    m = motion.meta
    low, high = (1000 * x for x in m["floor_m"])
    print(
        f"{target}: {len(motion)} frames, {motion.duration:.3g} s; lengths times {m['scale']:.4g}, floor {low:.0f} to "
        f"{high:.0f} mm"
    )
    for first, last in m.get("bad_s", ()):
        print(f"  rows from {first:.3f} to {last:.3f} s jump; they were bridged, or left out at the ends")
    for name, x in m["clipped_rad"].items():
        print(f"  {name} was beyond its limits by up to {x:.2g} rad")
    for name, x in m.get("off_deg", {}).items():
        if x > FAR:
            print(f"  {name} is off the source's direction by {x:.0f} degrees")
    return 0


def walker(model: str) -> Model:
    """The figure of a name or a file, free to move; a URDF file does not say that its base is."""
    found = figure(model)
    if found.joints and found.joints[0].kind == "free":
        return found
    return figure(model, root="free")


def trimmed(motion: Motion, begin: float | None, end: float | None) -> Motion:
    """The part of a motion between two times."""
    if begin is None and end is None:
        return motion
    low, high = -np.inf if begin is None else begin, np.inf if end is None else end
    if not low < high:
        raise InputError(f"--from {low:g} is not before --to {high:g}.")
    rows = (motion.times >= low - 1e-9) & (motion.times <= high + 1e-9)
    if np.count_nonzero(rows) < 2:
        raise InputError(
            f"the part from {max(low, motion.times[0]):g} to {min(high, motion.times[-1]):g} s leaves "
            f"{np.count_nonzero(rows)} frames of {motion.duration:.3g} s; two are needed."
        )
    times = motion.times[rows]
    return Motion(motion.model, times - times[0], motion.q[rows], motion.meta)


def mapped(mapping: Path | None) -> tuple[dict[str, str | list[str]] | None, dict[str, Any] | None]:
    """(joints by part or link, what is said of the robot) of a mapping file."""
    if mapping is None:
        return None, None
    out = parse_toml(read_text(mapping), mapping.name)
    robot = out.pop("robot", None)
    if robot is not None and not isinstance(robot, dict):
        raise InputError(f"{mapping}: robot must be a table, written [robot].")
    if not out and robot is None:
        raise InputError(f'{mapping}: it names no link; write e.g. left_thigh = "LeftUpLeg".')
    for link, x in out.items():
        if not isinstance(x, str) and not (isinstance(x, list) and all(isinstance(word, str) for word in x)):
            raise InputError(f"{mapping}: {link} needs the name of a joint, or of two in a list, got {x!r:.40}.")
    return out or None, robot
