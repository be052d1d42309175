"""Scene files: a world written down in TOML, built, run and recorded. See docs/scenes.md."""

from bunraku.scene.build import Scene, built_in, load
from bunraku.scene.record import Recording

__all__ = ["Recording", "Scene", "built_in", "load"]
