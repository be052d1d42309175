"""Chapters 3 and 7: walking phases, the path over many steps, pictures in the report's line style."""

from __future__ import annotations

import numpy as np
from scipy.optimize import least_squares

from bunraku.draw.picture import png_bytes
from bunraku.gait1988.checks import progress
from bunraku.gait1988.library import usual
from bunraku.gait1988.report_integrator import ReportProgram
from bunraku.gait1988.steps import posture, walk_on
from bunraku.gait1988.walker_solids import Look, shots, strobe, times_of
from bunraku_reproduce.experiment import Experiment, part
from bunraku_reproduce.jaeri_1988.printed import BETA3, FIG_7_5
from bunraku_reproduce.jaeri_1988.walks_1988 import exact, historical

QUARTERS = times_of(0.0, 2.0, 0.25)


@part(
    "Four steps",
    section="3.1, 7.1",
    figure="3.1, 7.2, 7.3",
    how="bunraku gait moments flat --mode historical --steps 4 --out path.csv; footmarks.png of bunraku gait run",
    printed="Phases of carrying and swinging over four steps; mass centres of the feet and the ZMP; a subroutine that maps a step to many.",
)
def four_steps(e: Experiment) -> None:
    walk = historical()
    path = walk_on(walk, 4)
    carries = [bool(path.left_carries[path.step == k][0]) for k in range(4)]
    e.holds(
        "fig-3.1/phases",
        "Fig. 3.1(a)",
        "left and right foot carry in turn, a second each",
        "left, right, left, right",
        carries == [True, False, True, False],
    )
    stands = [np.ptp(path.bodies[path.step == k][:, 11 if k % 2 == 0 else 10, 0]) for k in range(4)]
    e.zero("fig-3.1/stands", "Fig. 3.1(b)", "the foot that carries stands still (m)", max(stands), tolerance=1e-9)
    step = progress(walk)
    e.equal("fig-7.3/step", "Fig. 7.3, 6.2", "length l of a step", 0.2766, step, tolerance=1e-4, unit="m")
    under = path.zmp[:, 0] - np.array(
        [path.bodies[k, 11 if path.left_carries[k] else 10, 0] for k in range(len(path.time))]
    )
    e.table(
        "fig-7.3/zmp",
        "Fig. 7.3",
        "the ZMP from the centre of the foot that carries, over four steps",
        walk.zmp[path.row],
        under,
        tolerance=1e-9,
        unit="m",
    )
    claim = "the listing's displacements, body by body, are the path of a walk that fits at the change of feet (usual gait, m)"
    e.zero("fig-7.2", "Fig. 7.2", claim, mapped_apart("usual"), tolerance=1e-3)
    reason = "Their foot ends 4.9 mm above where it stands next; the listing shifts the figure by that in every step, ours steps down."
    e.zero(
        "fig-7.2/flat", "Fig. 7.2", "the same of the flat gait (m)", mapped_apart("flat"), tolerance=1e-3, reason=reason
    )
    at = int(np.argmin(np.abs(walk.time - 0.2)))
    e.equal("fig-7.2/t1", "Fig. 7.2", "the carrying foot at exactly T1 = 0.2 s, from where it was before", 0.02,
            float(np.diff(path.bodies[at - 1 : at + 1, 11, 0])[0]), tolerance=1e-4, unit="m",
            reason="The listing adds BE2 at t >= T1 while BIDYN's row at T1 still has the old ZMP; so the report's picture there "
            "jumps by 20 mm. Ours does not.")  # fmt: skip


def mapped_apart(name: str) -> float:
    """How far the mapping of Fig. 7.2 is from ours over four steps, m."""
    walk = exact(name)
    return float(np.abs(walk_on(walk, 4, report=True).bodies - walk_on(walk, 4).bodies).max())


def explained() -> tuple[np.ndarray, np.ndarray]:
    """Coordinates (12, 3) of the report's figure for the six angles that fit Fig. 7.5 best, and the angles, rad."""

    def bodies(x: np.ndarray) -> np.ndarray:
        table = np.zeros((41, 6, 3))
        table[0, :, 0] = [*x[2:4], BETA3[0], *x[4:6], BETA3[1]]
        return ReportProgram(usual("I"), table=table).at(0, np.array([x[0], x[1], 0.0, 0.0])).bodies[0, :, :, 0]

    fit = least_squares(lambda x: (bodies(x) - FIG_7_5).ravel(), np.zeros(6), x_scale=0.1)
    return bodies(fit.x), fit.x


@part(
    "Coordinates of the drawing program",
    section="7.2",
    figure="7.4, 7.5, 7.6, 7.7",
    how="bunraku gait run; bunraku gait draw --separate; bunraku_reproduce.jaeri_1988.pictures_1988.explained",
    printed="Dialogues of the commands GAIT, GAITGRA and GAITGRA2, and twelve coordinates of the usual gait at time 0.",
)
def coordinates(e: Experiment) -> None:
    ours, angles = explained()
    for axis, name in enumerate("xyz"):
        e.table(
            f"fig-7.5/{name}",
            "Fig. 7.5",
            f"{name} of the twelve bodies, by six angles",
            FIG_7_5[:, axis],
            ours[:, axis],
            tolerance=4e-4,
            unit="m",
        )
    e.equal("fig-7.5/beta3", "Fig. 7.5", "the left foot's angle", 3.701, np.degrees(BETA3[0]), tolerance=5e-4, unit="degrees",
            reason="Printed with the other sign: X(12), Z(12) below it follow from -3.701 degrees, toes up.")  # fmt: skip
    lean = float(np.degrees(np.abs(angles[:2]).max()))
    e.holds(
        "fig-7.5/angles",
        "Fig. 7.5",
        "the six angles are those of a walk",
        f"trunk leans by {lean:.0f} degrees",
        lean < 30.0,
    )
    one = list(shots(exact("usual"), np.array([0.0, 0.5, 1.0]), Look("right", -70.0, "stick", 160, 120)))
    e.equal("fig-7.6/pages", "Fig. 7.6", "MONO: pages for 0, 0.5 and 1 s", 3, len(one), tolerance=0)
    linked = strobe(exact("usual"), np.array([0.0, 0.5, 1.0]), Look("right", -70.0, "stick", 160, 120))
    e.equal("fig-7.7/pages", "Fig. 7.7", "LINK: the same on one page", 1, int(linked.ndim == 3), tolerance=0)


@part(
    "Pictures",
    section="7.3",
    figure="7.1, 7.8, 7.9, 7.10",
    how="bunraku gait draw usual --style stick --view right --azimuth -70 --end 2 --interval 0.25 --out fig79.png",
    printed="Nine figures, 0.25 s apart, over two steps: flat gait from the side and from ahead, usual gait 20 degrees off the side; shot by shot.",
)
def pictures(e: Experiment) -> None:
    e.equal("fig-7.8/shots", "Fig. 7.8", "figures from 0 to 2 s every 0.25 s", 9, len(QUARTERS), tolerance=0)
    for name in ("flat", "usual"):
        walk = exact(name)
        first, last = posture(walk, 0.0), posture(walk, 2.0)
        on = np.array([2.0 * progress(walk), 0.0, 0.0])
        off = np.abs(last.centres - on - first.centres).max()
        claim = f"at 2 s the posture of 0 s has come back, {name} gait (m)"
        reason = "The swinging foot of the report's gait begins 4.9 mm below the floor and ends 4.9 mm above it."
        e.zero(f"posture/{name}", "7.3", claim, off, tolerance=1e-3, reason=reason if name == "flat" else "")
    flat = historical()
    side = strobe(flat, QUARTERS, Look("right", None, "stick", 1100, 640))
    e.picture(
        png_bytes(side),
        "Printed (Fig. 7.8(a)): flat gait, two steps, from the side, lines of all figures over each other. Ours: the same, earlier figures fainter.",
    )
    ahead = strobe(flat, QUARTERS, Look("front", None, "stick", 560, 640))
    e.picture(png_bytes(ahead), "Printed (Fig. 7.8(b)): the same from ahead. Ours: the same.")
    oblique = strobe(exact("usual"), QUARTERS, Look("right", -70.0, "stick", 1100, 640))
    e.picture(
        png_bytes(oblique),
        "Printed (Fig. 7.9): usual gait, data (8), 20 degrees off the side to the front. Ours: our usual gait, case I; its steps are longer.",
    )
    sheet = np.concatenate(
        [
            np.concatenate(row, axis=1)
            for row in thirds(list(shots(exact("usual"), QUARTERS, Look("right", -70.0, "stick", 360, 300))))
        ],
        axis=0,
    )
    e.picture(
        png_bytes(np.ascontiguousarray(sheet)),
        "Printed (Fig. 7.10): the same shot by shot. Ours: nine shots, the camera stands still, as theirs did.",
    )
    heads = {name: drawn_head(name) for name in ("flat", "usual")}
    e.holds(
        "fig-7.1/solids",
        "7.1",
        "head a sphere, joints cubes, the rest square prisms",
        f"{heads['flat']} sphere, {heads['usual']} sphere",
        set(heads.values()) == {1},
    )
    solid = strobe(exact("usual"), QUARTERS[:1], Look(width=80, height=60))
    claim = "surfaces and colours are wanted, which the modeller of 1988 had not"
    colours = bool(np.any(solid[..., 0] != solid[..., 2]))
    e.holds("solver", "7.4", claim, "the solid style has both: bunraku gait draw", colours)


def drawn_head(name: str) -> int:
    """Spheres of the line drawing."""
    from bunraku.gait1988.line_figure import blocks

    return sum(b.turn is None for b in blocks(exact(name), 0.25))


def thirds(pictures: list[np.ndarray]) -> list[list[np.ndarray]]:
    """Nine pictures in rows of three."""
    return [pictures[k : k + 3] for k in range(0, len(pictures), 3)]
