"""What `bunraku walk` prints and writes: the short table, summary.json, plots, strobe picture, film and page.

The film goes along with the figure at 20 frames a second; the page holds 30 frames a second of the recording.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bunraku.cli.common import two_columns, write_json
from bunraku.errors import BunrakuError
from bunraku.files import write_bytes

if TYPE_CHECKING:
    from bunraku.formats.measured import Measured
    from bunraku.gaits.walk_ways import NaturalWalked
    from bunraku.recording.reader import Recording
    from bunraku.walking.walk import Walk
    from bunraku.walking.walk_report import WalkReport

FPS, FILM = 20.0, (360, 450)
PLOTS = ("forces", "zmp", "footprints", "torques")
FILES = ("walk.bkr", "summary.json", *(f"{name}.png" for name in PLOTS), "strobe.png", "walk.gif", "walk.html")
"""What goes into the folder."""
HIGH, FIGURES, APART = 560, 9, 0.36  # strobe picture: pixels, how many instants at the most, m between them at least


@dataclass(frozen=True)
class Looks:
    """Whether pictures are drawn, and what was measured and lies over them."""

    pictures: bool
    measured: Measured | None = None


def summary_of(walk: Walk | NaturalWalked) -> dict[str, Any]:
    """The report's summary with what the walker and the clock know."""
    load = getattr(walk, "load", None)
    known = {"planned_steps": walk.planned_steps, "real_time_factor": walk.real_time_factor}
    return {**walk.report.summary(), **known, **({} if load is None else {"load": load})}


def text(data: dict[str, Any]) -> list[str]:
    """The short table."""
    feet = "rubber feet" if data["bushes"] else "rigid feet"
    how = data.get("gait") or "stabiliser" if data["stabiliser"] else f"{data['servo']} servos"
    off, margin = data["final_error_m"], data["zmp_margin_m"]
    rows = [
        ("figure", f"{data['figure']}, {feet}, {how}, {data['contact']}"),
        ("steps", f"{data['steps']} of {data['planned_steps']}"),
        ("distance", f"{data['distance_m']:.2f} m" + (f" of {data['planned_m']:.2f} m" if "planned_m" in data else "")),
        ("speed", f"{data['speed_m_s']:.2f} m/s"),
        ("falls", "none" if data["fell_s"] is None else f"at {data['fell_s']:.2f} s"),
        ("feet off their plan", "–" if off is None else f"{100 * off:.1f} cm, {data['final_error_deg']:.1f} degrees"),
        ("ZMP margin on one foot", f"{mm(margin['single_mean'])} mean, {mm(margin['single_least'])} least"),
        *([("load", load_in_words(data["load"]))] if "load" in data else []),
        *([("not as planned", missed_in_words(data["missed_steps"]))] if data["missed_steps"] else []),
        ("landings", landings_in_words(data["landings"])),
        ("cost of transport", "none" if data["distance_m"] < 1e-3 else f"{data['cost_of_transport']:.2f}"),
        (
            "largest torque",
            f"{data['peak_torque']['value']:.0f} N m ({data['peak_torque']['joint'].replace('_', ' ')})",
        ),
        ("real-time factor", f"{data['real_time_factor']:.1f}"),
    ]
    return two_columns(rows)


def load_in_words(load: dict[str, Any]) -> str:
    """What was carried, how far it moved the zero-moment point, what it asks of the joints, and what the grips bore."""
    ahead, left = load["zmp_moved_m"]["ahead"], load["zmp_moved_m"]["left"]
    ways = [(ahead, "ahead" if ahead > 0 else "back"), (left, "to the left" if left > 0 else "to the right")]
    shifts = [f"{mm(abs(x))} {way}" for x, way in ways if abs(x) >= 5e-4]
    more = {name: (x["rms"] or x["planned"]) - x["without"] for name, x in load["torques_N_m"].items()}
    joint = max(more, key=lambda name: more[name])
    before = load["torques_N_m"][joint]["without"]
    pull = max(x["most_N"] for x in load["grips"].values())
    zmp = f"ZMP moved by {' and '.join(shifts)}" if shifts else "ZMP not moved"
    asks = f"{joint.replace('_', ' ')} {before + more[joint]:.0f} instead of {before:.0f} N m"
    return f"{load['words']}: {zmp}, {asks}, grips at most {pull:.0f} N"


def missed_in_words(found: list[dict[str, Any]]) -> str:
    """How many steps went elsewhere, and the first of them."""
    from bunraku.walking.missed_steps import MissedStep

    one = found[0]
    first = MissedStep(
        one["step"], one["time_s"], ("left", "right").index(one["side"]), tuple(one["off_m"]), tuple(one["limits"])
    )
    return f"{len(found)} step{'' if len(found) == 1 else 's'}; the first: {first}"


def landings_in_words(found: list[dict[str, Any]]) -> str:
    """Touches before them, and the largest force of one, in weights."""
    if not found:
        return "none"
    touches = sum(len(x["touches"]) for x in found)
    worst = max(found, key=lambda x: x["mean_peak"])
    said = f"{len(found)}, {touches or 'no'} touch{'' if touches == 1 else 'es'} before them, at most"
    return f"{said} {worst['mean_peak']:.2f} weights over 5 ms, {max(x['peak'] for x in found):.2f} in a step"


def mm(x: float | None) -> str:
    """Metres as millimetres in words."""
    return "–" if x is None else f"{round(1e3 * x) + 0} mm"


def write(
    data: dict[str, Any],
    report: WalkReport,
    recording: Recording,
    out: Path,
    looks: Looks,
    seconds: dict[str, float],
    update: Any,
) -> list[str]:
    """Write all files; returns lines to print."""
    from bunraku.cli.walk_command import timed

    notes = []
    if looks.measured is not None:
        from bunraku.draw.walk_plots import differences

        data["measured"] = differences(report, looks.measured)
        notes += [compared(name, x) for name, x in data["measured"].items()]
    write_json(out / "summary.json", data)
    if looks.pictures:
        from bunraku.draw.film import film, picture
        from bunraku.draw.walk_plots import walk_plots

        update(52, "plots")
        with timed(seconds, "plots"):
            for name, image in walk_plots(report, looks.measured).items():
                write_bytes(out / f"{name}.png", image)
        update(60, "strobe picture")
        with timed(seconds, "strobe"):
            wide = round(min(1500.0, 480.0 + 260.0 * data["distance_m"]))
            picture(recording, out / "strobe.png", most=FIGURES, apart=spacing(data), width=wide, height=HIGH)
        with timed(seconds, "film"):
            told = lambda done, of: update(63 + 30 * done // of, "film")  # noqa: E731
            width, height = FILM
            film(recording, out / "walk.gif", fps=FPS, width=width, height=height, follow=True, progress=told)
        update(95, "page")
        with timed(seconds, "page"):
            notes += page(recording, out / "walk.html")
        update(100, "done")
    names = ", ".join(sorted(p.name for p in out.iterdir() if not p.name.startswith(".")))
    return [*notes, "", f"{out}/: {names}"]


def compared(name: str, x: dict[str, Any]) -> str:
    """How far a measured series is from the simulated one, in words."""
    if not x["seconds"] > 0:
        return f"{name}: measured at other times than the walk's; time 0 is its start."
    unit = {"power": "W", "torque": "N m", "zmp": "m", "com": "m"}.get(name.partition(" ")[0], "N")
    return f"{name}: {x['rms_difference']:.4g} {unit} rms from what was measured ({x['rms']:.4g} {unit} rms)"


def spacing(data: dict[str, Any]) -> float:
    """Metres between the figures of the strobe picture: an odd number of quarter steps, so that each shows another
    phase."""
    quarter = data["distance_m"] / max(data["steps"], 1) / 4
    if quarter < 0.01:
        return APART
    n = 1
    while n * quarter < APART:
        n += 2
    return n * quarter


def page(recording: Recording, path: Path) -> list[str]:
    """The page that plays by itself; a line to print where the package came without the viewer's page."""
    from bunraku.viewer import recording_page

    try:
        recording_page.page(recording, path)
    except BunrakuError as error:
        return ["", f"no walk.html: {error}"]
    return []
