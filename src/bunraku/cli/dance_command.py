"""`bunraku dance SCORE.toml --out DIR`: perform a score without a display: pins, drags, poses and releases by time.

Into the folder go dance.bkr (the recording, float64), summary.json, score.toml (as performed) and strobe.png. The same
score gives the same motion.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from bunraku.cli.common import (
    ContactName,
    PriorityName,
    check_seed,
    check_sweeps,
    figure,
    idle,
    print_json,
    progress_bar,
    write_json,
)
from bunraku.errors import InputError
from bunraku.files import keep_inputs, keep_results, note_results, write_bytes
from bunraku.kernel.needed import prepare

if TYPE_CHECKING:
    from bunraku.choreography import Choreography

FILES = ("dance.bkr", "summary.json", "score.toml", "strobe.png")
"""What goes into the folder."""


def main(
    score: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="SCORE")] = "",
    /,
    *,
    out: Path | None = None,
    force: bool = False,
    model: str | None = None,
    seconds: float | None = None,
    balance: bool | None = None,
    contact: ContactName | None = None,
    sweeps: int | None = None,
    priority: PriorityName | None = None,
    seed: int | None = None,
    json: bool = False,
    pictures: bool = True,
) -> int:
    """Perform a score: a figure pinned and dragged, moving as dynamics allows.

    Args:
        score: a TOML score (docs/choreography.md).
        out: folder for dance.bkr, summary.json, score.toml and strobe.png.
        force: replace results of another score, or of another command, in that folder.
        model: the figure, instead of the score's own: human, a file of `bunraku human`, or a URDF or MJCF file.
        seconds: how long [s], instead of the score's own length.
        balance: keep the balance or not, instead of the score's own.
        contact: the contact model, instead of the score's own.
        sweeps: the most sweeps in a step with contact pgs_2007; 120 by default.
        priority: weights, or 2002 (strict levels), instead of the score's own.
        seed: start of the random numbers, instead of the score's own.
        json: print the summary as JSON.
        pictures: draw strobe.png into the folder.
    """
    if not score:
        raise InputError("no score given; name a TOML file (docs/choreography.md says how it is written).")
    if seconds is not None and not 0 < seconds <= 86400:
        raise InputError(f"--seconds {seconds} is not a time above 0 and up to a day.")
    check_seed(seed)
    if out is None:
        idle("has no effect without --out", no_pictures=not pictures, force=force)
    from bunraku.choreography import Score
    from bunraku.world import contact_models

    chosen = Score.load(score)
    if seconds is not None:
        chosen.seconds = seconds
    if out is not None:
        keep_inputs([score, chosen.model if model is None else model], [out / name for name in FILES])
        keep_results(out, FILES, f"dance {Path(score).stem}", force)
    kind = contact or str(chosen.options.get("contact", "pgs"))
    check_sweeps(sweeps, kind)
    contact_models.check(kind, str(chosen.options.get("integrator", "euler")))
    given = {"balance": balance, "contact": contact, "sweeps": sweeps, "priority": priority, "seed": seed}
    body = None if model is None and chosen.model == "human" else figure(chosen.model if model is None else model)
    with progress_bar(100, "loading") as update:
        prepare("dance", kind)
        c = chosen.choreography(body, **{k: v for k, v in given.items() if v is not None})
        began = time.perf_counter()

        def show(now: float) -> None:
            update(round(100 * now / max(chosen.length, 1e-9)), f"performing {Path(score).name}")

        if out is None or not c.dynamics:
            chosen.play(c, show)
        else:
            with c.record(out / "dance.bkr", title=Path(score).stem, meta={"score": Path(score).name}):
                chosen.play(c, show)
        wall = time.perf_counter() - began
    data = summary(c, score, wall)
    if out is not None:
        data["folder"] = str(out)
        write(c, data, out, pictures)
    if json:
        print_json(data)
    else:
        off = ", ".join(f"{v['link']} {1e3 * v['metres']:.1f} mm" for v in data["violations"]) or "none"
        print(
            f"{score}: {data['simulated_s']:g} s in {wall:.2f} s, {data['state']}; pins and drags left, and how far "
            f"off: {off}"
        )
        if out is not None:
            print(f"files in {out}/")
    return 0


def summary(c: Choreography, score: str, wall: float) -> dict[str, Any]:
    """What came out."""
    report = c.report
    return {
        "score": str(score),
        "simulated_s": c.time,
        "wall_s": wall,
        "real_time_factor": c.time / wall if wall > 0 else None,
        "state": report.state,
        "com_m": report.com,
        "q": c.figure.q,
        "violations": [{"link": v.item.link, "metres": v.metres, "radians": v.radians} for v in c.violations],
    }


def write(c: Choreography, data: dict[str, Any], out: Path, pictures: bool) -> None:
    """The files."""
    note_results(out, f"dance {Path(data['score']).stem}")
    write_json(out / "summary.json", data)
    c.score.save(out / "score.toml", c.time)
    if pictures and c.dynamics:
        from bunraku.draw.film import picture
        from bunraku.draw.picture import png_bytes
        from bunraku.recording.reader import Recording

        with Recording.open(out / "dance.bkr") as r:
            write_bytes(out / "strobe.png", png_bytes(picture(r)))
