"""The world: figures and things stepped together, with contacts, limits and connections."""

from bunraku.world.errors import StepDiverged
from bunraku.world.ties import Connection
from bunraku.world.views import ContactInfo, Report
from bunraku.world.world import Figure, Snapshot, World

__all__ = ["Connection", "ContactInfo", "Figure", "Report", "Snapshot", "StepDiverged", "World"]
