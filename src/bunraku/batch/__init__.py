"""Many worlds of one scene, stepped together on all cores. See docs/worlds.md."""

from bunraku.batch.worlds import Worlds

__all__ = ["Worlds"]
