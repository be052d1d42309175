"""Readings: many sensors read at once by one kernel, for controllers that read them every few steps.

    readings = Readings(world, [imu, encoders, left, right])
    readings.read()                      (n,) all channels behind one another: `parts` says which stand where
    readings.parts[0]["gyro"]            slice of the first sensor's angular velocity

They are what the sensors' own `read` gives – the same equations (bunraku.world.sensors), the same noise and bias, drawn
in the order of the sensors and of the channels here – in a tenth of the time: a figure with an IMU, two force sensors
and its encoders takes 8 us. An IMU gives gyro and orientation, a force sensor force and torque, encoders position and
velocity. Checked in tests/world/test_readings.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bunraku.dynamics.work import scratch_size
from bunraku.errors import InputError
from bunraku.kernel.record import handle, load, put, zeros
from bunraku.world.laststep import LastStep
from bunraku.world.readings_kernel import CARRIES, MOVES, TURNS, Reading, ReadingArrays, measure_all
from bunraku.world.sensors import IMU, Encoders, ForceTorque, MountedSensor, Sensor

if TYPE_CHECKING:
    from bunraku.world.world import World


class Readings:
    """See the module text. `values` (n,) is filled in place by `read` and may be put into other tables."""

    def __init__(self, world: World, sensors: Sequence[Sensor]) -> None:
        self.world, self.sensors = world, tuple(sensors)
        self.parts: list[dict[str, slice]] = []
        size = 0
        for s in self.sensors:
            found: dict[str, slice] = {}
            for name, n in channels_of(s):
                found[name] = slice(size, size + n)
                size += n
            self.parts.append(found)
        self.values = np.zeros(size)
        self.clean = all(s._clean for s in self.sensors)
        self._arrays: ReadingArrays | None = None
        self._of: LastStep | None = None  # of the scene that the arrays were made for

    def read(self) -> np.ndarray:
        """All channels now, with noise and bias: `values`."""
        w = self.world
        w._prepare()
        if self._arrays is None or self._of is not w._last:
            self._arrays, self._of = self._made(), w._last
        measure_all.call(handle(w._step), handle(w._last.ready(w)), handle(self._arrays))
        if not self.clean:
            for sensor, parts in zip(self.sensors, self.parts):
                for name, part in parts.items():
                    self.values[part] = sensor._disturbed(name, self.values[part])
        return self.values

    def _made(self) -> ReadingArrays:
        """The kernel's arrays."""
        m, index = self.world.model, []
        arrays = put(ReadingArrays(), readings=zeros(Reading, len(self.sensors)), values=self.values)
        for one, s, parts in zip(arrays.readings, self.sensors, self.parts):
            one.to = next(iter(parts.values())).start
            if isinstance(s, MountedSensor):
                one.kind, one.body = MOVES if isinstance(s, IMU) else CARRIES, s.body
                load(one, {"position": s.frame.position, "rotation": s.frame.rotation.ravel()})
            elif isinstance(s, Encoders):
                one.kind, one.first, one.nq, one.nv = TURNS, len(index), len(s.iq), len(s.iv)
                index += [*(s.figure.part.q.start + s.iq), *(s.figure.part.v.start + s.iv)]
        return put(arrays, index=np.array(index, dtype=np.int64), work=np.zeros(scratch_size(m)))


def channels_of(sensor: Sensor) -> tuple[tuple[str, int], ...]:
    """(channel, numbers) that are read of a sensor."""
    if isinstance(sensor, IMU):
        return ("gyro", 3), ("orientation", 4)
    if isinstance(sensor, ForceTorque):
        return ("force", 3), ("torque", 3)
    if isinstance(sensor, Encoders):
        return ("position", len(sensor.iq)), ("velocity", len(sensor.iv))
    raise InputError(
        f"readings: a {type(sensor).__name__} is not read this way; give an IMU, force_torque sensors or encoders."
    )
