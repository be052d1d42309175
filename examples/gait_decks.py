"""The 1988 walking program from cards alone: GAIT and BIDYN find the walk, MOMA takes its start from a deck of its own.

Writes flat.gait, flat.bidyn and flat.moma, as the report JAERI-M 88-080 has them (section 5.1), into a folder, and reads
them back.
"""

import tempfile
from pathlib import Path

import numpy as np

from bunraku.gait1988.cards import (
    from_gait,
    moma_deck,
    read_dynamics_cards,
    read_gait_cards,
    to_gait,
    with_moma,
    write_dynamics_cards,
    write_gait_cards,
)
from bunraku.gait1988.library import flat
from bunraku.gait1988.solved_walk import historical_walk, moma_walk


def main(folder: Path) -> None:
    """All decks in a folder."""
    legs, dynamics = from_gait(flat("V"))
    (folder / "flat.gait").write_text(write_gait_cards(legs))
    (folder / "flat.bidyn").write_text(write_dynamics_cards(dynamics))

    gait = to_gait(
        read_gait_cards((folder / "flat.gait").read_text()), read_dynamics_cards((folder / "flat.bidyn").read_text())
    )
    found = historical_walk(gait)
    print(f"BIDYN: {found.iterations} iterations, start {np.round(found.start, 5)}")

    theta, psi, dtheta, dpsi = found.start.tolist()
    (folder / "flat.moma").write_text(write_dynamics_cards(moma_deck(gait, (theta, psi, dtheta, dpsi))))
    cards = read_dynamics_cards((folder / "flat.moma").read_text(), one_start=True)
    moments = moma_walk(with_moma(gait, cards))
    knee = np.abs(moments.moments[:, 1]).max()
    print(f"MOMA: largest moment at the left knee {knee:.1f} N m")

    assert np.allclose(moments.bodies, found.bodies, atol=1e-6)  # the deck's start has eight decimals
    assert np.allclose(found.start, [0.00083247, 0.03079999, 0.70261312, 2.12083340], atol=4e-4)  # Fig. 5.3


with tempfile.TemporaryDirectory() as place:
    main(Path(place))
    print((Path(place) / "flat.moma").read_text(), end="")
