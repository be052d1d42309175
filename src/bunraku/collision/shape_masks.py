"""Which shapes of one figure may touch by what its file says of shapes: MJCF's masks and pairs.

Of two shapes with masks (has, touches) the bits of one must be among those that the other touches (contype and
conaffinity). Masks are a file's own words: they say who of its figure touches whom, its floor among them, and nothing of
other figures and of the world's shapes; but a shape of masks (0, 0) touches nothing else. A pair may touch whatever
masks, neighbours and excludes say. Checked in tests/collision/test_shape_masks.py against MuJoCo.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bunraku.model.model import Model

Masks = tuple[int, int]
NOTHING: Masks = (0, 0)


@dataclass(frozen=True)
class Marks:
    """Of every shape of a scene: its masks, its figure, and its number in the figure's model (-1: of the world's)."""

    masks: tuple[Masks, ...]
    figure: tuple[int, ...]
    number: tuple[int, ...]

    @property
    def alone(self) -> bool:
        """Whether some shape touches nothing but in pairs."""
        return NOTHING in self.masks

    def apart(self) -> Iterator[tuple[list[int], list[int]]]:
        """Groups of shapes that masks keep apart."""
        groups: dict[tuple[int, Masks], list[int]] = {}
        for s, (masks, figure) in enumerate(zip(self.masks, self.figure)):
            groups.setdefault((figure, masks), []).append(s)
        keys = list(groups)
        for i, (figure, one) in enumerate(keys):
            for other, two in keys[i:]:
                if NOTHING in (one, two) or (figure == other >= 0 and not touch(one, two)):
                    yield groups[figure, one], groups[other, two]

    def pairs(self, models: Sequence[Model]) -> Iterator[tuple[int, int]]:
        """The pairs of all figures, by number in the scene."""
        at = {(f, k): s for s, (f, k) in enumerate(zip(self.figure, self.number))}
        for figure, model in enumerate(models):
            for a, b, _ in model.collide_pairs:
                if (figure, a) in at and (figure, b) in at:
                    yield at[figure, a], at[figure, b]


def touch(one: Masks, two: Masks) -> bool:
    """Whether shapes of such masks may touch."""
    return bool((one[0] & two[1]) | (two[0] & one[1]))
