"""`bunraku export run.bkr --to csv|npz|bvh|html|png|gif|mp4`: what other programs, and people, can look at.

csv, npz: numbers (bunraku.formats.csvfile, .npz); bvh: the motion of one figure for animation programs; html: a page
that plays by itself in a browser; png: a strobe picture; gif, mp4: films. Every file is written whole or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import tyro

from bunraku.cli.common import progress_bar
from bunraku.errors import InputError
from bunraku.files import keep_inputs, write_bytes

if TYPE_CHECKING:
    from bunraku.motion import Recording

Format = Literal["csv", "bvh", "npz", "html", "gif", "mp4", "png"]
FPS = {"bvh": 60.0, "html": 30.0, "gif": 20.0, "mp4": 30.0}
Update = Callable[..., None]


def main(
    recording: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="RECORDING")] = "",
    /,
    *,
    to: Format | None = None,
    out: Path | None = None,
    fps: float | None = None,
    figure: str | None = None,
    view: str | None = None,
    width: int = 640,
    height: int = 480,
    scale: float = 0.01,
) -> int:
    """Write a recording as another kind of file.

    Args:
        recording: a file that `bunraku record` or world.record wrote; also one left unfinished (.part).
        to: what to write; the ending of --out by default.
        out: the file to write; the recording's name with another ending by default.
        fps: frames a second (bvh 60, html and mp4 30, gif 20; csv: every frame).
        figure: the figure of a bvh; the one with the most joints by default.
        view: where a picture is taken from: right, left, front, top, oblique; the scene's own by default.
        width: of pictures, in pixels.
        height: of pictures, in pixels.
        scale: metres a unit of a bvh: 0.01 writes centimetres.
    """
    if not recording:
        raise InputError("no recording given; `bunraku record SCENE --out run.bkr` makes one.")
    kind = to or (out.suffix[1:].lower() if out is not None else "")
    if kind not in WRITERS:
        raise InputError(f"--to is missing; choose one of {', '.join(WRITERS)}.")
    if fps is not None and not 0 < fps <= 10_000:
        raise InputError(f"--fps {fps:g} is not between 0 and 10000.")
    from bunraku.motion import Recording

    path = Path(recording)
    target = (
        out if out is not None else path.with_name(path.name.removesuffix(".part").removesuffix(".bkr") + f".{kind}")
    )
    keep_inputs([path], [target])
    with Recording.open(path) as r:
        seen = view or str(r.meta.get("view", "oblique"))
        options = {"fps": fps or FPS.get(kind), "figure": figure, "view": seen, "size": (width, height), "scale": scale}
        with progress_bar(100, f"writing {target.name}") as update:
            WRITERS[kind](r, target, options, update)
    print(f"{target}: {target.stat().st_size / 1e6:.2f} MB")
    return 0


def to_csv(r: Recording, target: Path, options: dict[str, Any], update: Update) -> None:
    """Numbers as text."""
    from bunraku.formats import csvfile

    table = csvfile.from_recording(r, options["fps"], lambda done, of: update(50 * done // of))
    csvfile.write(table, target)


def to_npz(r: Recording, target: Path, options: dict[str, Any], update: Update) -> None:
    """Numbers for NumPy."""
    from bunraku.formats import npz

    npz.write(r, target)


def to_bvh(r: Recording, target: Path, options: dict[str, Any], update: Update) -> None:
    """The motion of one figure."""
    from bunraku.formats import bvh
    from bunraku.formats.bvh_motion import from_motion

    bvh.write(from_motion(r.motion(options["figure"]), fps=options["fps"], scale=options["scale"]), target)


def to_html(r: Recording, target: Path, options: dict[str, Any], update: Update) -> None:
    """A page that plays by itself."""
    from bunraku.recording.motion import even_times
    from bunraku.viewer.messages import scene_message
    from bunraku.viewer.one_file import export_html
    from bunraku.viewer.recorded import RecordedFrames

    shown: Any = r  # it has all that `viewer.recorded.Recorded` asks for, some of it computed when first read
    wanted, source = even_times(r.times, options["fps"]), RecordedFrames(shown)
    numbers = sorted({r.frame_at(float(t)) for t in wanted})
    frames = (source.frame(k) for k in numbers)
    export_html(scene_message(shown, r.title), frames, target, progress=lambda done: update(100 * done // len(numbers)))


def to_png(r: Recording, target: Path, options: dict[str, Any], update: Update) -> None:
    """A strobe picture."""
    from bunraku.draw.film import picture
    from bunraku.draw.picture import png_bytes

    width, height = options["size"]
    write_bytes(target, png_bytes(picture(r, view=options["view"], width=width, height=height)))


def to_gif(r: Recording, target: Path, options: dict[str, Any], update: Update) -> None:
    """A film for any page."""
    from bunraku.draw.picture import gif_bytes

    write_bytes(target, gif_bytes(drawn(r, options, update), 1.0 / options["fps"]))


def to_mp4(r: Recording, target: Path, options: dict[str, Any], update: Update) -> None:
    """A film."""
    from bunraku.draw.film import encoder, write_mp4

    encoder()
    write_mp4(drawn(r, options, update), target, options["fps"], *options["size"])


def drawn(r: Recording, options: dict[str, Any], update: Update) -> Iterable[Any]:
    """The pictures of a film, telling how far they are."""
    from bunraku.draw.film import count, frames

    width, height = options["size"]
    pictures, n = frames(r, options["fps"], view=options["view"], width=width, height=height), count(r, options["fps"])

    def told() -> Iterator[Any]:
        for k, image in enumerate(pictures, 1):
            update(100 * k // n)
            yield image

    return told()


WRITERS: dict[str, Callable[[Any, Path, dict[str, Any], Update], None]] = {
    "csv": to_csv, "bvh": to_bvh, "npz": to_npz, "html": to_html, "gif": to_gif, "mp4": to_mp4, "png": to_png,
}  # fmt: skip
