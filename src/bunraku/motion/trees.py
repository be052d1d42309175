"""What a motion is of: one figure, or all figures and things of a world as one model, the trees of which stand side by
side (bunraku.model.forest), with names such as "ann.left_hand".

The one equation does not care how many trees there are: every free joint is without a motor, and contacts join what they
like. What does care is here: names, the centre of mass of one tree, the rows of v without a motor tree by tree.
Checked in
tests/motion/test_several_trees.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bunraku.dynamics.functions import centroidal, momentum_matrix
from bunraku.errors import InputError, UnknownName, closest
from bunraku.model.forest import Part, combine
from bunraku.model.model import Model
from bunraku.world.world import World


@dataclass(frozen=True, eq=False)
class Trees:
    """One model and its parts. `alone`: one figure, whose names stand without its own in front."""

    model: Model
    parts: tuple[Part, ...]
    alone: bool

    @classmethod
    def of(cls, what: Model | World) -> Trees:
        """Of a figure, or of all that is in a world."""
        if isinstance(what, World):
            if not what.figures:
                raise InputError("generate: the world is empty; add figures first.")
            return cls.joined([(f.name, f.model) for f in what.figures], what.gravity)
        return cls(what, (Part(what.name, what, 0, 0, 0),), True)

    @classmethod
    def joined(cls, figures: Sequence[tuple[str, Model]], gravity: Sequence[float]) -> Trees:
        """Of named figures and things."""
        model, parts = combine(figures, gravity)
        return cls(model, tuple(parts), False)

    @property
    def figures(self) -> tuple[tuple[str, Model], ...]:
        """(name, model) of every part."""
        return tuple((p.name, p.model) for p in self.parts)

    @cached_property
    def frame_names(self) -> list[str]:
        """Of links and frames."""
        return [f.name for f in self.model.frames]

    @cached_property
    def coms(self) -> dict[str, Part]:
        """ "com", or "ann.com": the parts that have a free base."""
        free = [p for p in self.parts if p.model.joints and p.model.joints[0].kind == "free"]
        return {"com" if self.alone else f"{p.name}.com": p for p in free}

    @cached_property
    def roots(self) -> dict[str, str]:
        """Name of a figure or thing -> its first link."""
        return {} if self.alone else {p.name: f"{p.name}.{p.model.links[0].name}" for p in self.parts}

    def frame(self, name: str, what: str) -> str:
        """A link or frame; a figure's name alone stands for its first link."""
        name = self.roots.get(name, name)
        if name not in self.frame_names:
            whole = f"figure {self.model.name!r} has" if self.alone else "there is"
            raise UnknownName(
                f"{what}: {whole} no link or frame {name!r}.{closest(name, [*self.roots, *self.frame_names])}"
            )
        return name

    def link_of(self, frame: str) -> str:
        """The link that carries a frame."""
        info = self.model.frame(frame)
        if info.is_link:
            return frame
        part = next(p for p in self.parts if self.alone or frame.startswith(f"{p.name}."))
        head = "" if self.alone else f"{part.name}."
        return next(head + f.link for f in part.model.description.frames if head + f.name == frame)

    def centre(self, part: Part, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(place, velocity, Jacobian over all of v) of the centre of mass of one tree."""
        found = centroidal(part.model, q[part.q], v[part.v])
        J = np.zeros((3, self.model.nv))
        J[:, part.v] = momentum_matrix(part.model, q[part.q])[:3] / part.model.mass
        return found.com, found.com_velocity, J

    def bias(self, part: Part, b: np.ndarray) -> np.ndarray:
        """Acceleration of that centre of mass that is not J a: from b, the bias torques with gravity."""
        return b[part.iv : part.iv + 3] / part.model.mass + self.model.gravity
