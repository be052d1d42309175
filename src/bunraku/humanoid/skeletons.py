"""Names of skeletons: which joint of a motion-capture skeleton moves which link of a figure.

A `Bone` says, for a link of ours, which source joint turns it, and between which two source joints it lies (hip and
knee for a thigh). Four name sets are known: that of the CMU collection as converted to BVH (Hips, LeftUpLeg, …), which
many programs have; our own links, as `bunraku export --to bvh` writes them; that of Biovision (LeftHip, LeftKnee, …);
and that of upper and lower legs and arms (LeftUpperLeg, LeftLowerLeg, …). A prefix such as "mixamorig:" is ignored.
Others are given as a dict {link: (joint, end)}. Checked in tests/humanoid/test_skeletons.py and
tests/motion/test_measure.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bunraku.errors import InputError
from bunraku.model.model import Model


@dataclass(frozen=True)
class Bone:
    """A link of the figure, the source joint that turns it, and the joint at its far end ("" where its direction is not
    asked for)."""

    link: str
    joint: str
    end: str = ""


Ends = tuple[tuple[str, ...], tuple[str, ...]]


def _sides(names: Mapping[str, tuple[str, str]], sides: Mapping[str, str]) -> dict[str, Ends]:
    """names: link -> (joints, ends), several with a stroke between them."""
    out: dict[str, Ends] = {}
    for ours, theirs in sides.items():
        for link, (joint, end) in names.items():
            ends = tuple(theirs + x for x in end.split("|")) if end else ()
            out[f"{ours}_{link}"] = (tuple(theirs + x for x in joint.split("|")), ends)
    return out


THEIRS = {"left": "Left", "right": "Right"}
# link -> (joints that may turn it, joints that may end it), the first that exists counts
CMU = {
    "pelvis": (("Hips",), ()),
    "trunk": (("Spine1", "Spine2", "Spine", "Chest"), ()),
    "head": (("Head",), ()),
    **_sides(
        {
            "thigh": ("UpLeg", "Leg"), "shank": ("Leg", "Foot"), "foot": ("Foot", "ToeBase"),
            "upper_arm": ("Arm", "ForeArm"), "lower_arm": ("ForeArm", "Hand"),
        },
        THEIRS,
    ),
}  # fmt: skip
OURS = {
    "pelvis": (("pelvis",), ()),
    "trunk": (("trunk",), ()),
    "head": (("head",), ()),
    **_sides(
        {
            "thigh": ("_thigh", "_shank"), "shank": ("_shank", "_foot"), "foot": ("_foot", ""),
            "upper_arm": ("_upper_arm", "_lower_arm"), "lower_arm": ("_lower_arm", "_lower_arm end"),
        },
        {"left": "left", "right": "right"},
    ),
}  # fmt: skip
BIOVISION = {
    "pelvis": (("Hips",), ()),
    "trunk": (("Chest4", "Chest3", "Chest2", "Chest"), ()),
    "head": (("Head",), ()),
    **_sides(
        {
            "thigh": ("Hip", "Knee"), "shank": ("Knee", "Ankle"), "foot": ("Ankle", "Toe"),
            "upper_arm": ("Shoulder", "Elbow"), "lower_arm": ("Elbow", "Wrist"),
        },
        THEIRS,
    ),
}  # fmt: skip
UPPER_LOWER = {
    "pelvis": (("Hips", "Pelvis"), ()),
    "trunk": (("UpperChest", "Chest", "T8", "Spine"), ()),
    "head": (("Head",), ()),
    **_sides(
        {
            "thigh": ("UpperLeg", "LowerLeg"), "shank": ("LowerLeg", "Foot"), "foot": ("Foot", "Toes|Toe|ToeBase"),
            "upper_arm": ("UpperArm", "LowerArm|ForeArm"), "lower_arm": ("LowerArm|ForeArm", "Hand"),
        },
        THEIRS,
    ),
}  # fmt: skip
SETS: tuple[tuple[str, Mapping[str, Ends]], ...] = (
    ("cmu", CMU), ("bunraku", OURS), ("biovision", BIOVISION), ("upper and lower", UPPER_LOWER),
)  # fmt: skip
NEEDED = ("pelvis", "left_thigh", "left_shank", "left_foot", "right_thigh", "right_shank", "right_foot")


def bones_of(
    model: Model, source: Model, mapping: Mapping[str, str | Sequence[str]] | None = None, who: str = "retarget"
) -> tuple[str, list[Bone]]:
    """(name of the set, bones) that lead from a source skeleton to a figure; InputError where the names are unknown, which
    begins with `who`."""
    frames = {f.name: f.name for f in source.frames}
    if mapping is not None:
        return "given", [given(model, frames, link, x, who) for link, x in mapping.items()]
    plain = {name.rsplit(":", 1)[-1]: name for name in frames}
    links = {f.name for f in model.links}
    for name, table in SETS:
        found = []
        for link, (joints, ends) in table.items():
            joint = next((plain[j] for j in joints if j in plain), "")
            end = next((plain[j] for j in ends if j in plain), "")
            if joint and link in links:
                found.append(Bone(link, joint, end))
        if {b.link for b in found} >= set(NEEDED):
            return name, found
    raise InputError(
        f"{who}: the joints of {source.name!r} ({', '.join(list(frames)[:6])} …) are neither those of the CMU collection nor ours; "
        "say by --mapping (mapping=) which joints move which links: {link: (joint, end joint)}."
    )


def given(model: Model, frames: Mapping[str, str], link: str, x: str | Sequence[str], who: str) -> Bone:
    """A bone of a mapping, checked."""
    model.frame(link)
    words = [x] if isinstance(x, str) else list(x)
    if not 1 <= len(words) <= 2 or any(w not in frames for w in words):
        raise InputError(f"{who}: mapping of {link!r}: {x!r} is no joint of the source, nor a pair (joint, end joint).")
    return Bone(link, *words)
