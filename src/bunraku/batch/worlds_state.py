"""What worlds of a batch are and have: live arrays with a row a world."""

from __future__ import annotations

import numpy as np

from bunraku.batch.crew import Crew
from bunraku.batch.seats import Seats
from bunraku.model.description import Note
from bunraku.model.model import Model
from bunraku.step.step_arrays import Info, Numbers
from bunraku.world.figure import Figure
from bunraku.world.world import World


class WorldsState:
    """The part of Worlds that is read, and written into by whoever leads them."""

    n: int
    _world: World  # the scene
    _crew: Crew
    _seats: Seats
    _wanted: dict[str, np.ndarray]
    _begun: float  # s: when the scene was taken
    _now: np.ndarray  # steps since then
    _said: tuple[Note, ...]
    _sensors: int

    @property
    def dt(self) -> float:
        """A step [s]."""
        return self._world.dt

    @property
    def threads(self) -> int:
        """How many threads share the work."""
        return self._crew.threads

    @property
    def model(self) -> Model:
        """All figures of a world as one Model: what q and v are."""
        return self._world.model

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The figures of the scene; `figure.part.q` and `.v` are their columns."""
        return self._world.figures

    @property
    def q(self) -> np.ndarray:
        """(n, nq) coordinates: live, writable."""
        return self._seats.bank["q"]

    @property
    def v(self) -> np.ndarray:
        """(n, nv) rates: live, writable."""
        return self._seats.bank["v"]

    @property
    def tau(self) -> np.ndarray:
        """(n, nv) torques of motors [N m or N]: live, writable, kept until changed."""
        return self._wanted["tau"]

    @property
    def target_q(self) -> np.ndarray:
        """(n, nq) where servos lead: live, writable."""
        return self._wanted["target_q"]

    @property
    def target_v(self) -> np.ndarray:
        """(n, nv) rates that servos follow: live, writable."""
        return self._wanted["target_v"]

    @property
    def applied(self) -> np.ndarray:
        """(n, nv) torques that all drives gave in the last step [N m or N]: live."""
        return self._seats.bank["applied"]

    @property
    def time(self) -> np.ndarray:
        """(n,) of each world [s]."""
        return self._begun + self._now * self.dt

    @property
    def steps_done(self) -> np.ndarray:
        """(n,) steps since each world's start."""
        return self._now.copy()

    @property
    def residual(self) -> np.ndarray:
        """(n,) worst relative residual of the contact problem since each world's start: live."""
        return self._seats.bank["numbers"].reshape(self.n, -1)[:, Numbers.layout.fields["worst_residual"].offset]

    @property
    def contacts(self) -> np.ndarray:
        """(n,) contacts seen in the last step: live."""
        return self._seats.bank["info"].reshape(self.n, -1)[:, Info.layout.fields["contacts"].offset]

    @property
    def track_at(self) -> np.ndarray:
        """(n,) which row of the scene's track (`figure.follow`) each world does next: live, writable."""
        return self._seats.bank["info"].reshape(self.n, -1)[:, Info.layout.fields["track_at"].offset]

    @property
    def notes(self) -> tuple[Note, ...]:
        """What stands for meshes in collisions, and what worlds of a batch do otherwise than a World, in words."""
        more = []
        if self._sensors:
            said = (
                f"{self._sensors} sensors are not part of worlds of a batch; add them to worlds[i] and read them there."
            )
            more.append(Note("ignored", said))
        return (*self._said, *more)
