"""The parts of Yamane & Nakamura 2002, in its order. Each file beside this one has the parts of one subject."""

from __future__ import annotations

from bunraku_reproduce.experiment import Part
from bunraku_reproduce.yamane_nakamura_2002.constraints_2002 import constraints, priorities
from bunraku_reproduce.yamane_nakamura_2002.end_links_2002 import end_links, use_of_relation
from bunraku_reproduce.yamane_nakamura_2002.figure2_2002 import hand_down
from bunraku_reproduce.yamane_nakamura_2002.running_2002 import balance, interactive, real_time

PARTS: tuple[Part, ...] = (
    end_links,
    use_of_relation,
    constraints,
    priorities,
    hand_down,
    real_time,
    balance,
    interactive,
)
