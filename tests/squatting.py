"""A human that squats on its soles, recorded: what tests of walk reports read."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import bunraku as bk
from bunraku.motion import Recording, stand


def record_squat(path: Path, *, servos: bool = True, seconds: float = 0.7) -> Recording:
    """Down by 4 cm in half a second, pushed a little to the left from 0.2 s to 0.25 s; without servos it collapses."""
    model = bk.human()
    high, low = stand(model, 0.03), stand(model, 0.07)
    share = 0.5 - 0.5 * np.cos(np.pi * np.minimum(np.arange(1, 701) / 500, 1.0))
    rate = 0.5 * np.pi / 0.5 * np.sin(np.pi * np.minimum(np.arange(1, 701) / 500, 1.0))
    way = bk.difference(model, high, low)
    world = bk.World(dt=0.001)
    world.add_ground(friction=0.8)
    figure = world.add(model)
    figure.q[:] = high
    if servos:
        figure.servo(1e4, 200.0, effort=np.inf)
        figure.follow(np.array([bk.integrate(model, high, way * s) for s in share]), np.outer(rate, way))
    with world.record(path, precise=True):
        world.run(seconds=min(0.2, seconds))
        if servos:
            world.push(figure["trunk"], force=(0.0, 40.0, 0.0), seconds=0.05)
        world.run(seconds=seconds - 0.2)
    return Recording.open(path)
