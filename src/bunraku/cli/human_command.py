"""`bunraku human --like clip.bvh --out person.toml`: the figure of the person who moves in a clip, its links as long as
theirs, as a small file that every command takes where it takes a figure.

See docs/motion-generation.md.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Literal

from bunraku.cli.common import print_json, two_columns
from bunraku.files import ends_in, keep_inputs, write_text
from bunraku.motion.measure import READ_AS

MILLIMETRES = {
    "thigh": "thigh", "shank": "shank", "upper_arm": "upper arm", "lower_arm": "forearm",
}  # fmt: skip


def main(
    *,
    like: Path | None = None,
    height: float | None = None,
    mass: float | None = None,
    body: Literal["1996", "2000"] | None = None,
    mapping: Path | None = None,
    out: Path | None = None,
    json: bool = False,
) -> int:
    """Measure a person on a captured motion, and write the figure as a file.

    Args:
        like: a BVH file: links are as long as those of the skeleton in it, and its motion fits the figure without scaling.
        height: how tall the person is [m]; all lengths are scaled to it. By default the unit of FILE is guessed, and 1.7 m without FILE.
        mass: the person's weight [kg]; by default 69 kg at 1.7 m, and with the square of the height else.
        body: 1996 for masses and moments of the segments after de Leva (1996); 2000 for the masses and inertias of
            Nakamura & Yamane 2000 and their sole of 19 x 12 cm, whatever the lengths.
        mapping: a TOML file that says which joints of FILE move which links, where their names are unknown (`bunraku retarget --help`).
        out: the file to write, person.toml say; every command takes it where it takes a model: `bunraku walk --model person.toml`.
        json: print the measures as JSON.
    """
    from bunraku.cli.retarget_command import mapped
    from bunraku.formats.person import person

    keep_inputs([like, mapping], [out])
    ends_in(out, ".toml", what="a figure of a person")
    found = person(height, mass, like=like, body=body, mapping=mapped(mapping)[0])
    figure = found.describe().build()
    if out is not None:
        write_text(out, found.text())
    m, scale = found.measures, None if found.found is None else found.found.scale * READ_AS
    if json:
        data = {
            "file": None if out is None else str(out),
            "like": found.like or None,
            "unit_m": scale,
            "mass": figure.mass,
        }
        print_json({**data, "body": body, **asdict(m)})
        return 0
    of = f", lengths of {found.like} (a unit of the file is {scale:.5g} m)" if scale is not None else ""
    print(f"{'' if out is None else f'{out}: '}{m.height:.3f} m, {figure.mass:.1f} kg{of}")
    rows = [(name, [1000 * x for x in getattr(m, key)]) for key, name in MILLIMETRES.items()]
    text = [(name, f"{left:.0f} mm left, {right:.0f} mm right") for name, (left, right) in rows]
    text += [
        ("hips", f"{1000 * (m.hip[0][1] - m.hip[1][1]):.0f} mm apart"),
        ("shoulders", f"{1000 * (m.shoulder[0][1] - m.shoulder[1][1]):.0f} mm apart"),
        ("trunk", f"{1000 * m.waist[2]:.0f} mm from hips to waist, {1000 * m.neck[2]:.0f} mm to the neck"),
        ("head", f"{1000 * m.head[2]:.0f} mm with the neck"),
        ("sole", f"{1000 * m.sole[0]:.0f} x {1000 * m.sole[1]:.0f} mm, {1000 * m.ankle:.0f} mm below the ankle"),
    ]
    print("\n".join(f"  {line}" for line in two_columns(text)))
    return 0
