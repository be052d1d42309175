"""Loose things: a box, a ball, an ellipsoid, a capsule, a cylinder, a cone, each one free rigid body of uniform density."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bunraku.errors import InputError
from bunraku.model.description import Description, Shape, free
from bunraku.model.model import Model


def _positive(what: str, **values: float) -> None:
    for name, x in values.items():
        if not (math.isfinite(x) and x > 0):
            raise InputError(f"{what}: {name} must be a positive number, got {x}.")


def _thing(name: str, mass: float, moments: tuple[float, float, float], shape: Shape, com: float = 0.0) -> Model:
    """com: height of the centre of mass above the middle of the shape, along z [m]."""
    fig = Description(name=name)
    fig.add(name, None, free("root"), mass=mass, com=(0.0, 0.0, com), moments=moments, shapes=[shape])
    return fig.build()


def box(size: Sequence[float], mass: float = 1.0, name: str = "box") -> Model:
    """A loose box with full edge lengths `size` [m] and a mass [kg]."""
    if len(size) != 3:
        raise InputError(f"box: size needs three edge lengths, got {len(size)}.")
    x, y, z = (float(s) for s in size)
    _positive("box", mass=mass, x=x, y=y, z=z)
    k = mass / 12.0
    return _thing(name, mass, (k * (y * y + z * z), k * (x * x + z * z), k * (x * x + y * y)), Shape("box", (x / 2, y / 2, z / 2)))  # fmt: skip


def sphere(radius: float, mass: float = 1.0, name: str = "sphere") -> Model:
    """A loose solid ball of a radius [m] and a mass [kg], I = 2/5 m r^2."""
    _positive("sphere", mass=mass, radius=radius)
    i = 0.4 * mass * radius * radius
    return _thing(name, mass, (i, i, i), Shape("sphere", (float(radius),)))


def ellipsoid(size: Sequence[float], mass: float = 1.0, name: str = "ellipsoid") -> Model:
    """A loose solid ellipsoid with full lengths `size` along its axes [m] and a mass [kg]."""
    if len(size) != 3:
        raise InputError(f"ellipsoid: size needs three lengths, got {len(size)}.")
    x, y, z = (float(s) / 2 for s in size)
    _positive("ellipsoid", mass=mass, x=x, y=y, z=z)
    k = mass / 5.0
    return _thing(name, mass, (k * (y * y + z * z), k * (x * x + z * z), k * (x * x + y * y)), Shape("ellipsoid", (x, y, z)))  # fmt: skip


def cone(radius: float, length: float, mass: float = 1.0, name: str = "cone") -> Model:
    """A loose solid cone along z, its tip above: radius of its base and length [m], mass [kg]. Its origin is halfway
    between base and tip, its centre of mass a quarter of the length lower."""
    _positive("cone", mass=mass, radius=radius, length=length)
    i = 3 / 80 * mass * (4 * radius**2 + length**2)
    return _thing(name, mass, (i, i, 0.3 * mass * radius**2), Shape("cone", (float(radius), length / 2)), -length / 4)


def cylinder(radius: float, length: float, mass: float = 1.0, name: str = "cylinder") -> Model:
    """A loose solid cylinder along z: radius and length [m], mass [kg]."""
    _positive("cylinder", mass=mass, radius=radius, length=length)
    i = mass * (3 * radius**2 + length**2) / 12
    return _thing(name, mass, (i, i, mass * radius**2 / 2), Shape("cylinder", (float(radius), length / 2)))


def capsule(radius: float, length: float, mass: float = 1.0, name: str = "capsule") -> Model:
    """A loose solid capsule along z: radius [m], mass [kg]; `length` [m] is that of its cylindrical part."""
    _positive("capsule", mass=mass, radius=radius, length=length)
    tube, ends = radius**2 * length, 4 / 3 * radius**3  # volumes over pi
    mt, me = mass * tube / (tube + ends), mass * ends / (tube + ends)
    # cylinder, plus two half balls whose centres of mass lie 3/8 r beyond the rims
    across = mt * (3 * radius**2 + length**2) / 12 + me * (0.4 * radius**2 + length**2 / 4 + 3 / 8 * length * radius)
    along = mt * radius**2 / 2 + me * 0.4 * radius**2
    return _thing(name, mass, (across, across, along), Shape("capsule", (float(radius), length / 2)))
