"""Collision detection: shapes of a scene, contacts between them, contact regions. See docs/collision.md."""

from bunraku.collision.geometry import Contacts, Fixed, Geometry, Placed
from bunraku.collision.hull import Hull, convex_hull
from bunraku.collision.regions import Nearest, Region, polygon, region, regions

__all__ = [
    "Contacts",
    "Fixed",
    "Geometry",
    "Hull",
    "Nearest",
    "Placed",
    "Region",
    "convex_hull",
    "polygon",
    "region",
    "regions",
]
