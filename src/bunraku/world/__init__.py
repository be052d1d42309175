"""The world: figures and things stepped together, with contacts, limits and connections."""

from bunraku.world.diverged import StepDiverged
from bunraku.world.figure import Figure
from bunraku.world.sensors import IMU, ForceTorque, JointSensor, Sensor, SoleForce
from bunraku.world.snapshot import Snapshot
from bunraku.world.ties import Connection
from bunraku.world.views import ContactInfo, Report
from bunraku.world.world import World

__all__ = [
    "IMU",
    "Connection",
    "ContactInfo",
    "Figure",
    "ForceTorque",
    "JointSensor",
    "Report",
    "Sensor",
    "Snapshot",
    "SoleForce",
    "StepDiverged",
    "World",
]
