"""`bunraku export run.bkr --to csv|npz|bvh|html|glb|png|gif|mp4|…`: what other programs, and people, can look at.

csv, npz: numbers (bunraku.formats.csvfile, .npz); bvh: the motion of one figure for animation programs; unitree-csv,
beyondmimic-npz, gmr-npz, mujoco-npz: of one robot, for trackers (bunraku.formats.trackers); mot, sto, trc: OpenSim's
(bunraku.formats.opensim); html: a page that plays by
itself in a browser; glb: glTF, animated, for Blender and other programs (bunraku.draw.gltf_scene); png: a strobe
picture; gif, mp4: films. Every file is written whole or not at all.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import tyro

from bunraku.cli.common import idle, progress_bar
from bunraku.errors import InputError
from bunraku.files import ends_in, keep_inputs, read_text

if TYPE_CHECKING:
    from bunraku.motion import Recording

Format = Literal[
    "csv",
    "bvh",
    "npz",
    "html",
    "glb",
    "gif",
    "mp4",
    "png",
    "unitree-csv",
    "beyondmimic-npz",
    "gmr-npz",
    "mujoco-npz",
    "mot",
    "sto",
    "trc",
]
OPENSIM = ("mot", "sto", "trc")
TRACKERS = ("unitree-csv", "beyondmimic-npz", "gmr-npz", "mujoco-npz")
FPS = {"bvh": 60.0, "html": 30.0, "gif": 20.0, "mp4": 30.0}
PICTURES = ("png", "gif", "mp4")
USED = {
    "fps": ("csv", "glb", *FPS, *TRACKERS, *OPENSIM),
    "figure": ("bvh", *TRACKERS, *OPENSIM),
    "order": ("unitree-csv", "beyondmimic-npz", "gmr-npz"),
    "view": PICTURES,
    "width": PICTURES,
    "height": PICTURES,
    "scale": ("bvh",),
    "loop": ("html",),
    "no_play": ("html",),
    "look": ("glb",),
}
"""The formats that an option has an effect on."""


def main(
    recording: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="RECORDING")] = "",
    /,
    *,
    to: Format | None = None,
    out: Path | None = None,
    fps: float | None = None,
    figure: str | None = None,
    view: str | None = None,
    width: int | None = None,
    height: int | None = None,
    scale: float | None = None,
    loop: bool = False,
    play: bool = True,
    look: Literal["clothes", "wood", "plain"] | None = None,
    order: str | None = None,
) -> int:
    """Write a recording as another kind of file.

    Args:
        recording: a file that `bunraku record` or world.record wrote; also one left unfinished (.part).
        to: what to write; the ending of --out by default.
        out: the file to write; the recording's name with another ending by default.
        fps: frames a second (bvh 60, html and mp4 30, gif 20, unitree-csv and gmr-npz 30, beyondmimic-npz 50; csv, glb, mujoco-npz,
            mot, sto and trc: every frame).
        figure: the figure of a bvh, a tracker's or OpenSim's file; the one with the most joints by default.
        view: where a picture is taken from: right, left, front, top, oblique; the scene's own by default.
        width: of pictures, in pixels; 640 by default.
        height: of pictures, in pixels; 480 by default.
        scale: metres a unit of a bvh; 0.01, which writes centimetres, by default.
        loop: a page plays again and again.
        play: a page plays by itself when it is opened; --no-play waits for its button.
        look: of human figures in a glb; clothes by default.
        order: of the joints in a tracker's file: isaac (breadth first), mjcf (depth first), or a text file with their names.
    """
    if not recording:
        raise InputError("no recording given; `bunraku record SCENE --out run.bkr` makes one.")
    kind = to or (out.suffix[1:].lower() if out is not None else "")
    if kind not in get_args(Format):
        raise InputError(f"--to is missing; choose one of {', '.join(get_args(Format))}.")
    given = {
        "fps": fps,
        "figure": figure,
        "view": view,
        "width": width,
        "height": height,
        "scale": scale,
        "look": look,
        "order": order,
    }
    given |= {"loop": loop or None, "no_play": None if play else True}
    idle(f"has no effect on {kind}", **{name: x is not None and kind not in USED[name] for name, x in given.items()})
    if scale is not None and not 0 < scale < float("inf"):
        raise InputError(f"--scale {scale} is not a number above 0.")
    size = 640 if width is None else width, 480 if height is None else height
    if kind in PICTURES:
        from bunraku.draw.film_frames import check

        check(view or "oblique", *size, even=kind == "mp4")
    if fps is not None and not 0 < fps <= 10_000:
        raise InputError(f"--fps {fps:g} is not between 0 and 10000.")
    from bunraku.motion import Recording

    path = Path(recording)
    target = (
        out if out is not None else path.with_name(path.name.removesuffix(".part").removesuffix(".bkr") + ending(kind))
    )
    names = None if order in (None, "isaac", "mjcf") else Path(order)
    keep_inputs([path, names], [target])
    ends_in(target, ending(kind), what=f"a {kind} file")
    with Recording.open(path) as r:
        seen = view or str(r.meta.get("view", "oblique"))
        options = {
            "fps": fps or FPS.get(kind),
            "figure": figure,
            "view": seen,
            "size": size,
            "scale": scale,
            "look": look,
            "order": order if names is None else read_text(names).split(),
        }
        options |= {"loop": loop, "play": play}
        with progress_bar(100, f"writing {target.name}") as update:
            write(kind, r, target, options, update)
    print(f"{target}: {target.stat().st_size / 1e6:.2f} MB")
    return 0


def ending(kind: str) -> str:
    """Of the file's name."""
    return "." + kind.rsplit("-", 1)[-1]


def write(kind: str, r: Recording, target: Path, options: dict[str, Any], update: Callable[..., None]) -> None:
    """Write the file."""
    fps, view, (width, height) = options["fps"], options["view"], options["size"]

    def told(done: int, of: int) -> None:
        update(100 * done // of)

    if kind == "csv":
        from bunraku.formats import csvfile

        csvfile.write(csvfile.from_recording(r, fps, lambda done, of: update(50 * done // of)), target)
    elif kind == "npz":
        from bunraku.formats import npz

        npz.write(r, target)
    elif kind == "bvh":
        from bunraku.formats.bvh_motion import save_bvh

        scale = {} if options["scale"] is None else {"scale": options["scale"]}
        save_bvh(r.motion(options["figure"]), target, fps=fps, **scale)
    elif kind in OPENSIM:
        from bunraku.formats.opensim import save_opensim

        save_opensim(r.motion(options["figure"]), target, fps=fps)
    elif kind in TRACKERS:
        from bunraku.formats.trackers import save_tracker

        save_tracker(r.motion(options["figure"]), target, kind, fps=fps, order=options["order"])
    elif kind == "html":
        from bunraku.viewer.recording_page import page

        page(r, target, fps=fps, progress=told, loop=options["loop"], play=options["play"])
    elif kind == "glb":
        from bunraku.draw.gltf_scene import write_glb

        write_glb(r, target, fps=fps, look=options["look"], progress=told)
    elif kind == "png":
        from bunraku.draw.film import picture

        picture(r, target, view=view, width=width, height=height)
    else:
        from bunraku.draw.film import film

        film(r, target, fps=fps, view=view, width=width, height=height, progress=told)
