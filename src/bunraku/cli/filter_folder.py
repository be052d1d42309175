"""`bunraku filter FOLDER --out FOLDER`: every clip of a folder filtered, each into a recording, with a table and a page.

    OUT/walks/slow.bkr      what became of FOLDER/walks/slow.bvh;  OUT/walks/slow.png its picture
    OUT/clips.csv           a row a clip: verdict, seconds, how far it moved, loads, torques, what is wrong
    OUT/index.html          the same with pictures, for a browser

What is done is kept and not done again (bunraku.jobs), unless the clip, an option or the version changed. All files are
the same bytes for any number of workers. Checked in tests/cli/test_filter_folder.py.
"""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bunraku.errors import InputError
from bunraku.files import cannot_be_read, write_text
from bunraku.jobs import Job, digest_of, run_jobs
from bunraku.version import __version__

ENDINGS = (".bvh", ".npz", ".bkr")
COLUMNS: tuple[str, ...] = (
    "clip", "verdict", "seconds", "done_s", "slowed_times", "com_moved_rms_mm", "com_moved_most_mm", "least_load_weights",
    "most_load_weights", "torque_of_limit", "followed", "recording", "picture", "says",
)  # fmt: skip
SIZE = (480, 300)  # of a picture, pixels
Row = dict[str, Any]


def filter_folder(
    folder: Path, out: Path, options: dict[str, Any], workers: int, progress: Callable[[int, int], None] | None = None
) -> list[Row]:
    """Filter all clips of a folder into another; the rows of the table. options: model, mapping, cutoff, dt, friction,
    strength, slow, begin, end, follow (whether each is followed, too)."""
    jobs = list(jobs_of(folder, out, clips_of(folder, out), options))
    rows = []
    for job, answer in run_jobs("bunraku.cli.filter_folder:filter_clip", jobs, out, workers=workers, progress=progress):
        wrong = next((kind for kind in ("refused", "crashed") if kind in answer), None)
        rows.append(answer if wrong is None else {"clip": job.name, "verdict": wrong, "says": answer[wrong]})
    write_text(out / "clips.csv", table(rows))
    write_text(out / "index.html", page(folder.resolve().name, rows))
    return rows


def clips_of(folder: Path, out: Path) -> list[Path]:
    """The clips below a folder, in order; not those below `out`, nor AMASS's files of shapes and stages."""
    try:
        found = sorted(p for p in folder.rglob("*") if p.suffix.lower() in ENDINGS and p.is_file())
    except OSError as error:
        raise cannot_be_read(folder, error) from None
    hidden = [any(part.startswith(".") for part in p.relative_to(folder).parts) for p in found]
    beside = [p.name == "shape.npz" or p.name.endswith("stagei.npz") for p in found]
    mine = [p.resolve().is_relative_to(out.resolve()) for p in found]
    clips = [p for p, *none in zip(found, hidden, beside, mine) if not any(none)]
    if not clips:
        raise InputError(f"{folder} holds no clip: no file that ends in {', '.join(ENDINGS)}.")
    return clips


def jobs_of(folder: Path, out: Path, clips: Sequence[Path], options: dict[str, Any]) -> Iterator[Job]:
    """A job a clip. Where two differ in their endings only, their results keep these."""
    stems = [p.with_suffix("") for p in clips]
    read = [Path(x).read_bytes() for x in (options.get("model"), options.get("mapping")) if x and Path(x).is_file()]
    for clip, stem in zip(clips, stems):
        name = clip.relative_to(folder).as_posix()
        target = (stem if stems.count(stem) == 1 else clip).relative_to(folder).as_posix()
        given = {"clip": str(clip), "name": name, "out": str(out), "target": target, "options": options}
        yield Job(name, given, digest_of(__version__, name, target, options, clip.read_bytes(), *read))


def filter_clip(given: dict[str, Any]) -> Row:
    """One clip: its recording, its picture, and its row of the table."""
    from bunraku.cli.filter_command import read
    from bunraku.cli.retarget_command import trimmed
    from bunraku.draw.film import picture
    from bunraku.kernel.needed import prepare
    from bunraku.motion.filter import dynamics_filter
    from bunraku.recording.reader import Recording

    o, out, target = given["options"], Path(given["out"]), given["target"]
    mapping = Path(o["mapping"]) if o["mapping"] else None
    motion = trimmed(read(given["clip"], o["model"], mapping, o["cutoff"]), o["begin"], o["end"])
    prepare("filter")
    filtered = dynamics_filter(motion, dt=o["dt"], friction=o["friction"], strength=o["strength"], slow=o["slow"])
    solved, flaws = filtered.solved, filtered.flaws
    path = solved.save(out / f"{target}.bkr", title=f"{Path(target).name}, filtered")
    with Recording.open(path) as recording:
        picture(recording, out / f"{target}.png", width=SIZE[0], height=SIZE[1], most=5)
    says = [x.text() for x in flaws]
    followed = ""
    if o["follow"] and filtered.lost is None:
        from bunraku.motion.follow import follow

        walked = follow(filtered)
        followed = "upright" if walked.fell is None else "falls"
        says += [] if walked.fell is None else [f"followed, it falls at {walked.fell:.2f} s"]
    effort = solved.model.effort * float(solved.meta.get("strength", 1.0))
    return {
        "clip": given["name"],
        "verdict": "flawed" if flaws else "done",
        "seconds": round(motion.duration, 3),
        "done_s": round(float(solved.times[-1] - solved.times[0] if filtered.lost is None else filtered.lost), 3),
        "slowed_times": round(float(filtered.pace.max()), 3),
        "com_moved_rms_mm": round(1000 * filtered.moved.com[0], 1),
        "com_moved_most_mm": round(1000 * filtered.moved.com[1], 1),
        "least_load_weights": round(float(filtered.load.min()), 3),
        "most_load_weights": round(float(filtered.load.max()), 3),
        "torque_of_limit": round(float((np.abs(solved.torques) / np.maximum(effort, 1e-9))[:, 6:].max()), 3),
        "followed": followed,
        "recording": f"{target}.bkr",
        "picture": f"{target}.png",
        "says": "; ".join(says),
    }


def table(rows: Sequence[Row]) -> str:
    """The rows as CSV, RFC 4180."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, restval="", lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


STYLE = """
:root { color-scheme: light dark; font: 15px/1.4 system-ui, sans-serif; }
body { margin: 1.5rem auto; max-width: 84rem; padding: 0 1rem; }
ul { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(19rem, 1fr)); list-style: none; padding: 0; }
li { border: 1px solid light-dark(#ccc, #555); border-radius: 6px; overflow: hidden; }
img { aspect-ratio: 8 / 5; display: block; width: 100%; }
div { padding: .6rem .8rem; } h2 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; } p { margin: .3rem 0 0; }
.done { color: light-dark(#14642f, #7bd897); } .flawed { color: light-dark(#8a5a00, #f0c060); }
.refused, .crashed { color: light-dark(#a01818, #ff9a90); }
"""


def page(title: str, rows: Sequence[Row]) -> str:
    """The overview: a card a clip."""
    counts = ", ".join(f"{n} {kind}" for kind in ("done", "flawed", "refused", "crashed") if (n := _count(rows, kind)))
    heading = html.escape(f"{title}: {len(rows)} clips, {counts}")
    cards = "\n".join(_card(row) for row in rows)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{heading}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>\n'
        f'<body><h1>{heading}</h1><p><a href="clips.csv">The table</a></p>\n<ul>\n{cards}\n</ul></body></html>\n'
    )


def _count(rows: Sequence[Row], verdict: str) -> int:
    return sum(row["verdict"] == verdict for row in rows)


def _card(row: Row) -> str:
    name, verdict = html.escape(row["clip"]), row["verdict"]
    lines = [f'<strong class="{verdict}">{verdict}</strong>']
    if row.get("recording"):
        slowed = f", slowed up to {row['slowed_times']:g} times" if row["slowed_times"] > 1.0 else ""
        lines[0] += f" {row['done_s']:g} s of {row['seconds']:g} s{slowed}"
        lines.append(
            f"centre of mass moved by {row['com_moved_rms_mm']:g} mm rms, load {row['least_load_weights']:g} to "
            f"{row['most_load_weights']:g} weights, torques up to {row['torque_of_limit']:g} of their limits"
        )
        lines += [f"followed: {row['followed']}"] if row["followed"] else []
    lines += [html.escape(row["says"])] if row["says"] else []
    image = ""
    if row.get("picture"):
        image = f'<img loading="lazy" src="{html.escape(_quoted(row["picture"]))}" alt="{name}, filtered">'
    return f"<li>{image}<div><h2>{name}</h2>" + "".join(f"<p>{x}</p>" for x in lines) + "</div></li>"


def _quoted(path: str) -> str:
    from urllib.parse import quote

    return quote(path)
