"""`bunraku run SCENE`: build a scene, run it, print a short table; with --out also write its state, a picture and a
plot.

SCENE is a TOML file (docs/scenes.md) or the name of a built-in scene; `--list` names those. A
bar on stderr shows the progress while that is a terminal.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from bunraku.cli.common import Changes, SceneChanges, idle, print_json, progress_bar, two_columns, write_json
from bunraku.errors import InputError
from bunraku.files import keep_inputs, keep_results, note_results, write_bytes

if TYPE_CHECKING:
    from bunraku.scene import Recording

FILES = ("summary.json", "state.npz", "strobe.png", "plot.png")
"""What goes into the folder."""


def main(
    scene: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="SCENE")] = "",
    /,
    *,
    changes: SceneChanges = Changes(),  # noqa: B008 - frozen
    out: Path | None = None,
    force: bool = False,
    json: bool = False,
    pictures: bool = True,
    list: bool = False,
) -> int:
    """Run a scene: figures and things with rigid contact, connections, pushes and servos.

    Args:
        scene: a TOML scene file, or the name of a built-in scene (see --list).
        out: folder for summary.json, state.npz, strobe.png and plot.png.
        force: replace results of another scene, or of another command, in that folder.
        json: print the summary as JSON.
        pictures: draw strobe.png and plot.png into the folder.
        list: list the built-in scenes and end.
    """
    if list:
        named = {**vars(changes), "out": out}
        idle("has no effect with --list", **{name: x is not None for name, x in named.items()})
        if scene:
            raise InputError(f"--list names the built-in scenes and does not run {scene!r}; leave one of them out.")
        return show_list(json)
    if out is None:
        idle("has no effect without --out", no_pictures=not pictures, force=force)
    chosen = changes.scene(scene)
    if out is not None:
        keep_inputs(chosen.files, [out / name for name in FILES])
        keep_results(out, FILES, f"run {chosen.name}", force)
    with progress_bar(100, "loading") as update:
        record = chosen.run(lambda done, steps: update(100 * done // steps, f"running {chosen.name}"))
    data = record.summary()
    if out is not None:
        data["folder"] = str(out)
        write(record, data, out, pictures)
    if json:
        print_json(data)
    else:
        print(summary_text(data))
    return 0


def show_list(json: bool) -> int:
    """The built-in scenes."""
    from bunraku.scene import built_in

    scenes = built_in()
    if json:
        print_json(scenes)
    else:
        print("\n".join(two_columns(scenes.items())))
    return 0


def write(record: Recording, data: dict[str, Any], out: Path, pictures: bool) -> None:
    """The files of a run."""
    note_results(out, f"run {record.scene.name}")
    record.world.save(out / "state.npz")
    write_json(out / "summary.json", data)
    if pictures:
        from bunraku.draw.picture import png_bytes
        from bunraku.draw.world_pictures import plot, strobe

        write_bytes(out / "strobe.png", png_bytes(strobe(record)))
        write_bytes(out / "plot.png", plot(record))


def summary_text(data: dict[str, Any]) -> str:
    """The short table."""
    factor = data["real_time_factor"]
    broken = ", ".join(f"{b['connection']} at {b['time_s']:.4f} s" for b in data["broken"]) or "none"
    rows = [
        ("scene", f"{data['scene']} ({data['contact']}, dt {data['dt_s']:g} s, seed {data['seed']})"),
        ("time simulated", f"{data['simulated_s']:.4g} s, {data['steps']} steps"),
        ("real-time factor", "-" if factor is None else f"{factor:.2f} ({data['wall_s']:.2f} s of stepping)"),
        ("largest penetration", f"{1e3 * data['largest_penetration_m']:.4f} mm"),
        ("worst residual", f"{data['worst_residual']:.1e}"),
        ("most solver sweeps", f"{data['most_sweeps']} in a step"),
        ("steps unsolved", str(data["steps_unsolved"])),
        ("most solves", f"{data['most_solves']} in a step, {data['steps_with_fallback']} steps with a fallback"),
        ("connections broken", broken),
        ("final energy", f"{data['energy_J']:.3f} J"),
    ]
    if "servo_share" in data:
        rows.append(("torque by servos", f"{100 * data['servo_share']:.2g} % of all, beside the motion's own"))
    rows += [
        (name, "centre of mass at (" + ", ".join(f"{x:.3f}" for x in f["com_m"]) + ") m")
        for name, f in data["figures"].items()
    ]
    return "\n".join([*two_columns(rows), *([f"\nfiles in {data['folder']}/"] if "folder" in data else [])])
