"""`bunraku retarget FILE.bvh --out x.bkr`: a captured motion on a figure of ours, by joint names, scaled by leg length,
smoothed, set on the floor.

The result is a recording without forces, to look at (`bunraku play`), to export, or for `bunraku filter`. See
docs/motion-generation.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import tyro

from bunraku.cli.common import figure, print_json
from bunraku.errors import InputError
from bunraku.files import ends_in, keep_inputs, parse_toml, read_text


def main(
    file: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FILE")] = "",
    /,
    *,
    out: Path | None = None,
    model: str = "human",
    mapping: Path | None = None,
    cutoff: float = 6.0,
    reference: Literal["auto", "first", "rest"] = "auto",
    json: bool = False,
) -> int:
    """Put the motion of a BVH file onto a figure.

    Args:
        file: a BVH file with the joint names of the CMU collection, or one that `bunraku export --to bvh` wrote.
        out: the recording to write; FILE.bkr in this folder by default.
        model: the figure: human, or a URDF or MJCF file whose links have the same names.
        mapping: a TOML file that says which joints of FILE move which links, where their names are others: left_thigh = "LeftLeg",
            or with the joint where the bone ends, left_thigh = ["LeftLeg", "LeftShin"].
        cutoff: of the smoothing [Hz]; 0 for none.
        reference: the pose that both skeletons have in common: the first frame (a T-pose), or the file's zero pose.
        json: print the summary as JSON.
    """
    if not file:
        raise InputError("no file given; name a BVH file.")
    if not 0 <= cutoff < float("inf"):
        raise InputError(f"--cutoff {cutoff} is not a frequency of 0 Hz or more.")
    from bunraku.formats.bvh_motion import load_bvh
    from bunraku.motion.retarget import retarget
    from bunraku.motion.solved import without_forces

    target = out if out is not None else Path(f"{Path(file).stem}.bkr")
    keep_inputs([file, model, mapping], [target])
    ends_in(target, ".bkr", what="a recording")
    names = bones(mapping)
    motion = retarget(load_bvh(file), figure(model), mapping=names, cutoff=cutoff or None, reference=reference)
    without_forces(motion).save(target, title=Path(file).stem)
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
    for name, x in m["clipped_rad"].items():
        print(f"  {name} was beyond its limits by up to {x:.2g} rad")
    return 0


def bones(mapping: Path | None) -> dict[str, str | list[str]] | None:
    """The links and joints of a mapping file."""
    if mapping is None:
        return None
    out = parse_toml(read_text(mapping), mapping.name)
    if not out:
        raise InputError(f'{mapping}: it names no link; write e.g. left_thigh = "LeftUpLeg".')
    for link, x in out.items():
        if not isinstance(x, str) and not (isinstance(x, list) and all(isinstance(word, str) for word in x)):
            raise InputError(f"{mapping}: {link} needs the name of a joint, or of two in a list, got {x!r:.40}.")
    return out
