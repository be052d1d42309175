"""What a choreography says of its first figure: it stands for the others of the cast wherever no name is given."""

from __future__ import annotations

from collections.abc import Sequence

from bunraku.choreography.dancer import Dancer
from bunraku.choreography.report import DanceReport
from bunraku.model import Model
from bunraku.world.figure import Figure


class FirstFigure:
    """The part of Choreography that is about its first figure, `dancers[0]`."""

    dancers: list[Dancer]

    @property
    def figure(self) -> Figure:
        """The first figure, in the world."""
        return self.dancers[0].figure

    @property
    def model(self) -> Model:
        """Its model, as it is on stage."""
        return self.dancers[0].model

    @property
    def balance(self) -> bool:
        """Whether the first figure keeps its balance; settable at any time."""
        return self.dancers[0].balance

    @balance.setter
    def balance(self, on: bool) -> None:
        self.dancers[0].balance = on

    @property
    def steps(self) -> bool:
        """Whether the first figure steps when it is pushed or dragged beyond what it can hold and reach; settable at any
        time. False for figures without two feet."""
        return self.dancers[0].steps

    @steps.setter
    def steps(self, on: bool) -> None:
        self.dancers[0].steps = on

    @property
    def rises(self) -> bool:
        """Whether the first figure gets up by itself when it has fallen and nothing drags it; settable at any time.
        False for figures without a person's joints."""
        return self.dancers[0].rises

    @rises.setter
    def rises(self, on: bool) -> None:
        self.dancers[0].rises = on

    def get_up(self) -> None:
        """Get up now, where it lies: along the stages of choreography.rising. Nothing happens while it stands."""
        self.dancers[0].get_up()

    def walk_to(self, place: Sequence[float], yaw: float | None = None) -> int:
        """Walk to a place (x, y) [m] on the floor, around what stands there, up and down stairs, and turn to the heading
        `yaw` [rad] (None: as it arrives); returns how many steps it will take. It goes while the choreography runs; a
        new one takes the place of the last. InputError where no way leads there."""
        return self.dancers[0].walk_to(place, yaw)

    @property
    def walking(self) -> bool:
        """Whether steps of `walk_to` are still to come."""
        return self.dancers[0].walking

    @property
    def rising(self) -> bool:
        """Whether it is getting up."""
        return self.dancers[0].rising

    @property
    def report(self) -> DanceReport:
        """What the last step found of the first figure: see bunraku.choreography.report; c["bob"].report of another."""
        return self.dancers[0].report
