"""`bunraku info MODEL`: the tree of a figure, its degrees of freedom, masses, gears, limits and warnings.

Needs no kernel.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
import tyro

from bunraku.cli.common import figure, print_json
from bunraku.model import layout as at
from bunraku.model.model import JointInfo, Model


def main(
    model: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="MODEL")],
    json: bool = False,
    strict: bool = False,
    root: Literal["auto", "free", "fixed"] = "auto",
    package_dirs: tuple[str, ...] = (),
) -> int:
    """Show a figure: its tree, degrees of freedom, masses, gears, limits and warnings.

    Args:
        model: "human", or the path of a URDF or MJCF file, or of one that `bunraku human` wrote.
        json: Print JSON instead of a table.
        strict: Refuse doubtful inertias instead of warning about them.
        root: Whether the root link of a URDF file is free or fixed in the world; auto: free, unless it is called "world".
        package_dirs: Further folders in which package:// addresses of meshes are looked up.
    """
    m = figure(model, strict=strict, root=root, package_dirs=package_dirs)
    if json:
        print_json(as_dict(m))
    else:
        show(m)
    return 0


def as_dict(m: Model) -> dict[str, Any]:
    """Everything that `info` tells, as plain data."""
    return {
        "name": m.name,
        "source": m.source,
        "nq": m.nq,
        "nv": m.nv,
        "mass": m.mass,
        "bodies": [
            {
                "name": m.body_names[i],
                "parent": m.body_names[m.ints[i, at.PARENT]],
                "mass": m.reals[i, at.MASS],
                "com": centre(m, i),
            }
            for i in range(1, m.nb)
        ],
        "joints": [joint_dict(m, j) for j in m.joints],
        "frames": [f.name for f in m.frames],
        "gears": [vars(g) for g in m.gears],
        "shapes": len(m.shapes),
        "notes": [{"kind": n.kind, "where": n.where, "text": n.text} for n in m.notes],
        "massless": list(m.massless),
        "ignored": [{"element": element, "count": count} for element, count in ignored(m)],
    }


def ignored(m: Model) -> list[tuple[str, int]]:
    """What of its file is not used, by element, with how often it occurs."""
    counts: dict[str, int] = {}
    for note in m.notes:
        if note.kind == "ignored" and note.element:
            counts[note.element] = counts.get(note.element, 0) + note.count
    return sorted(counts.items())


def joint_dict(m: Model, j: JointInfo) -> dict[str, Any]:
    """One joint as plain data."""
    d = {"name": j.name, "kind": j.kind, "link": j.link, "q": [j.iq, j.nq], "v": [j.iv, j.nv]}
    if j.traits.turns and j.slide:
        d["pitch"] = 2 * np.pi * j.slide
    if j.leader:
        return d | {"leader": j.leader, "ratio": j.ratio, "offset": j.offset}
    if j.matrix is not None:
        return d | {"matrix": j.matrix.tolist(), "rates": [j.iv, j.matrix.shape[1]]}
    for key in ("lower", "upper", "effort", "velocity", "damping", "friction", "stiffness", "armature"):
        d[key] = getattr(m, key)[j.v]
    return d | ({"swing": j.swing, "twist": j.twist} if j.kind == "ball" else {})


def centre(m: Model, i: int) -> np.ndarray:
    """Centre of mass of body i in its own frame."""
    mass = m.reals[i, at.MASS]
    return m.reals[i, at.FIRST : at.FIRST + 3] / mass if mass > 0 else np.zeros(3)


def kind(j: JointInfo) -> str:
    """The kind of a joint in words; of a screw, how far a turn takes it."""
    return f"{j.kind}, {2e3 * np.pi * j.slide:.4g} mm a turn" if j.traits.turns and j.slide else j.kind


def limits(m: Model, j: JointInfo) -> str:
    """The range of a joint in words: degrees, or metres."""
    if j.kind == "free":
        return ""
    if j.kind == "ball":
        swing = "" if np.isinf(j.swing) else f"swing {np.degrees(j.swing):.0f}°"
        twist = "" if np.isinf(j.twist[1]) else f"twist {np.degrees(j.twist[0]):.0f}…{np.degrees(j.twist[1]):.0f}°"
        return ", ".join(x for x in (swing, twist) if x)
    unit, k = (" m", 1.0) if j.unit == "m" else ("°", 180 / np.pi)
    spans = [
        f"{lo * k:.4g}…{up * k:.4g}{unit}" for lo, up in zip(j.lower, j.upper) if np.isfinite(lo) or np.isfinite(up)
    ]
    return ", ".join(spans)


def show(m: Model) -> None:
    """Print with rich."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table
    from rich.tree import Tree

    console = Console()
    kinds = [j.kind for j in m.joints if j.nv]
    counted = ", ".join(f"{kinds.count(k)} {k}" for k in dict.fromkeys(kinds))
    console.print(
        f"[bold]{escape(m.name)}[/bold]: {m.nb - 1} bodies, {len(m.links)} links, nq {m.nq}, nv {m.nv} ({counted}), "
        f"{m.mass:.4g} kg"
    )
    nodes = {0: Tree("world")}
    for i in range(1, m.nb):
        label = f"{escape(m.body_names[i])} [dim]{m.reals[i, at.MASS]:.4g} kg[/dim]"
        nodes[i] = nodes[int(m.ints[i, at.PARENT])].add(label)
    console.print(nodes[0])
    table = Table("joint", "kind", "q", "v", "limits", "effort", "passive")
    for j in m.joints:
        if j.leader:
            table.add_row(
                escape(j.name), kind(j), "", "", f"= {j.ratio:g} {escape(j.leader)} {j.offset:+g}", "", "gear"
            )
            continue
        passive = [
            f"{name} {getattr(m, name)[j.iv]:.3g}"
            for name in ("damping", "friction", "stiffness", "armature")
            if j.nv and getattr(m, name)[j.iv]
        ]
        effort = m.effort[j.iv] if j.nv else np.inf
        q = f"{j.iq}" if j.nq == 1 else f"{j.iq}–{j.iq + j.nq - 1}"
        v = f"{j.iv}" if j.nv == 1 else f"{j.iv}–{j.iv + j.nv - 1}"
        if j.matrix is not None:
            rows, columns = j.matrix.shape
            text = f"rates = {rows} x {columns} matrix @ v {j.iv}–{j.iv + columns - 1}"
            table.add_row(escape(j.name), kind(j), q, "", text, "", "coupled")
            continue
        table.add_row(
            escape(j.name), kind(j), q, v, limits(m, j), "" if np.isinf(effort) else f"{effort:.4g}", ", ".join(passive)
        )
    console.print(table)
    kept = [f"{g.follower} = {g.ratio:g} {g.leader} {g.offset:+g}" for g in m.kept_gears]
    if kept:
        console.print("[yellow]kept as constraints:[/yellow] " + escape("; ".join(kept)))
    if unused := ignored(m):
        table = Table("not used of the file", "times")
        for element, count in unused:
            table.add_row(escape(element), str(count))
        console.print(table)
    for n in m.notes:
        colour = {"warning": "yellow", "ignored": "cyan"}.get(n.kind, "white")
        console.print(f"[{colour}]{n.kind}[/{colour}] ", end="")
        console.print(str(n), markup=False, highlight=False)
