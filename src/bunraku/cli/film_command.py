"""`bunraku film FILE.bkr|SCENE`: a film of a recording, or of a scene that is run for it; MP4, WebM or GIF.

The camera goes along by itself where the largest figure travels more than FAR; a scene is run and recorded in a temporary
folder. The file is written whole or not at all. Checked in tests/cli/test_film_command.py.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
import tyro

from bunraku.cli.common import Changes, SceneChanges, idle, progress_bar
from bunraku.errors import InputError
from bunraku.files import ends_in, keep_inputs
from bunraku.kernel.needed import prepare

if TYPE_CHECKING:
    from bunraku.recording.reader import Recording
    from bunraku.scene import Scene

FAR = 3.0  # m: a figure that goes farther is followed
CHUNKS = 100
ENDINGS = (".mp4", ".webm", ".gif")


def main(
    source: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FILE")] = "",
    /,
    *,
    out: Path | None = None,
    fps: float | None = None,
    width: int | None = None,
    height: int | None = None,
    view: str | None = None,
    views: str = "",
    title: str = "",
    follow: Literal["auto", "yes", "no"] = "auto",
    strobe: float = 0.0,
    loop: bool = True,
    changes: SceneChanges = Changes(),  # noqa: B008 - frozen
) -> int:
    """Make a film of a recording, or of a scene.

    Args:
        source: a recording (.bkr), or a scene: a TOML file, or the name of a built-in one (see `bunraku run --list`).
        out: the film to write, its kind by its ending (.mp4, .webm, .gif); FILE.mp4 by default, FILE.gif where the extra
            `film` is not installed.
        fps: frames a second; 30 by default, 25 of a GIF.
        width: in pixels; 1280 by default, 640 of a GIF.
        height: in pixels; 720 by default, 360 of a GIF.
        view: where it is taken from: right (or side), left, front, top, oblique; the scene's own by default.
        views: several of them, side by side, e.g. front,side.
        title: words at the upper left.
        follow: whether the camera goes along with the largest figure; auto: where that goes more than 3 m.
        strobe: seconds between earlier instants that are left standing, paler; 0 for none.
        loop: let a GIF begin again at its end.
    """
    if not source:
        raise InputError(
            "no recording or scene given; `bunraku walk` makes a recording, `bunraku run --list` lists scenes."
        )
    if fps is not None and not 1 <= fps <= 120:
        raise InputError(f"--fps {fps:g} is not between 1 and 120.")
    idle("has no effect with --views", view=view is not None and bool(views))
    target = out if out is not None else Path(Path(source).name).with_suffix(usual())
    recorded = Path(source).suffix in (".bkr", ".part")
    given = {name: getattr(changes, name) is not None for name in vars(changes)}
    if recorded:
        idle("has no effect on a recording", **given)
        scene = None
        keep_inputs([source], [target])
    else:
        scene = changes.scene(source)
        keep_inputs(scene.files, [target])
    ends_in(target, *ENDINGS, what="a film")
    idle(f"has no effect on {target.suffix}", no_loop=not loop and target.suffix.lower() != ".gif")
    shown = tuple(name.strip() for name in views.split(",") if name.strip()) or ((view,) if view else ())
    check_first(shown, target, width, height, strobe)
    from bunraku.motion import Recording

    with tempfile.TemporaryDirectory(prefix="bunraku-film-") as folder:
        path = Path(source) if scene is None else recording_of(scene, Path(folder) / "run.bkr")
        with Recording.open(path) as recording, progress_bar(100, f"drawing {target.name}") as update:
            prepare("film")  # after what is read was found good
            from bunraku.draw.film import film

            film(
                recording, target, fps=fps, views=shown, width=width, height=height, title=title, strobe=strobe, loop=loop,
                follow=goes_far(recording) if follow == "auto" else follow == "yes",
                progress=lambda done, of: update(100 * done // of),
            )  # fmt: skip
            seconds = recording.duration
    print(f"{target}: {seconds:.1f} s, {target.stat().st_size / 1e6:.2f} MB")
    return 0


def usual() -> str:
    """The ending of a film that nobody named: what can be written here."""
    from importlib.util import find_spec

    return ".mp4" if find_spec("imageio_ffmpeg") else ".gif"


def check_first(views: tuple[str, ...], target: Path, width: int | None, height: int | None, strobe: float) -> None:
    """Refuse what cannot be drawn or written before anything is run."""
    from bunraku.draw.film import SIZES
    from bunraku.draw.film_files import CODECS, encoder
    from bunraku.draw.film_frames import Shot, check

    kind = target.suffix.lower()
    size = SIZES[kind][0] if width is None else width, SIZES[kind][1] if height is None else height
    shot = Shot(views or ("oblique",), *size, strobe=strobe)
    if kind in CODECS:
        check(shot.views[0], *size, even=True)
        encoder()


def recording_of(scene: Scene, path: Path) -> Path:
    """Run a scene and record it."""
    with progress_bar(CHUNKS, f"running {scene.name}") as update:
        world = scene.build()
        prepare("film", world.contact)
        steps = max(1, round(scene.seconds / world.dt))
        every = max(1, int(1.0 / (200.0 * world.dt)))
        with world.record(path, every, title=scene.name, meta={"scene": scene.name, "view": scene.view}):
            done = 0
            for k in range(CHUNKS):
                world.step(steps * (k + 1) // CHUNKS - done)
                done = steps * (k + 1) // CHUNKS
                update(k + 1)
    return path


def goes_far(recording: Recording) -> bool:
    """Whether the largest figure travels more than FAR."""
    from bunraku.draw.film_frames import way

    return float(np.ptp(way(recording)[:, :2], axis=0).max()) > FAR
