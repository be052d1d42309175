"""Section 3.2: motions from given trajectories and known quantities, by (11), (22) and (23)."""

from __future__ import annotations

import numpy as np

import bunraku as bk
from bunraku_reproduce.experiment import Experiment, part

REACH = np.array([0.25, 0.05, 0.35])  # m


@part(
    "Generation of motions",
    section="3.2",
    how="bunraku generate FILE.toml; bk.generate(model, seconds=…, contacts=…, trajectories=…, known=…)",
    printed="Trajectories of N_P end links and up to N_J - N_P accelerations are given; (23), solved by a "
    "weighted pseudo-inverse, gives all other accelerations, "
    "torques and contact forces. Forward dynamics need not be run again.",
)
def generation(e: Experiment) -> None:
    human = bk.human()
    q = bk.stand(human)
    com, hand = bk.centre_of_mass(human, q), bk.kinematics(human, q).pose("left_hand")[0]
    upright = [bk.Trajectory(link, rotation=lambda t: np.eye(3)) for link in ("pelvis", "trunk")]
    path = bk.waypoints([(0.0, hand), (0.8, hand + REACH)])
    motion = bk.generate(
        human,
        seconds=1.0,
        dt=0.002,
        start=q,
        contacts=[bk.Contact("left_sole"), bk.Contact("right_sole")],
        trajectories=[bk.Trajectory("left_hand", path), bk.Trajectory("com", lambda t: com), *upright],
        known={"torque": {"right_elbow": 0.0}},
    )
    end = bk.kinematics(human, motion.q[-1]).pose("left_hand")[0]
    e.zero(
        "eq-22",
        "(22)",
        "a hand is asked along a path: how far its end is from what was asked",
        float(np.linalg.norm(end - hand - REACH)),
        tolerance=1e-3,
        unit="m",
    )
    found = bk.consistency(motion)
    e.zero(
        "eq-23",
        "(11), (23)",
        "rows of the base, from the saved motion alone, of the weight",
        found.base,
        tolerance=1e-9,
    )
    elbow = motion.torques[1:, human.joint("right_elbow").iv]
    e.zero(
        "eq-23-known",
        "3.2",
        "a torque that was given comes out as given",
        np.abs(elbow).max(),
        tolerance=1e-9,
        unit="N m",
    )
    soles = bk.kinematics(human, motion.q).pose("left_sole")[0]
    e.zero(
        "eq-23-soles",
        "(8), (23)",
        "and the soles stay where they stand",
        np.abs(soles - soles[0]).max(),
        tolerance=1e-4,
        unit="m",
    )
    e.holds(
        "admissible",
        "3.2, (24), (25)",
        "floor forces of the reach are ones that a floor can give",
        f"{int(motion.admissible.sum())} of {len(motion)} frames",
        bool(np.all(motion.admissible)),
    )
    again = bk.replay(motion, seconds=0.3)
    e.zero(
        "no-second-run",
        "3.2",
        "its torques played in a World: joint angles after 0.3 s, nothing corrected",
        again.within(0.3),
        tolerance=2e-3,
        unit="rad",
    )
    e.holds(
        "n-p",
        "3.2",
        "trajectories and known quantities together do not exceed N_J = 28",
        f"{motion.meta['given']} given of N_J = {motion.meta['N_J']}",
        motion.meta["N_J"] == 28,
    )
    far = bk.generate(
        human,
        seconds=0.6,
        dt=0.002,
        start=q,
        contacts=[bk.Contact("left_sole"), bk.Contact("right_sole")],
        trajectories=[bk.Trajectory("com", bk.waypoints([(0.0, com), (0.5, com + 0.25 * np.eye(3)[0])])), *upright],
    )
    bad = int(far.flags["sole"].sum() + far.flags["pull"].sum())
    e.holds(
        "inadmissible",
        "3.2, (24)",
        "(23) knows no inequalities: what a floor cannot give is generated all the same",
        f"a lean of 25 cm has {bad} frames whose pressure is outside of the soles or pulls; they are flagged",
        bad > 0,
    )
