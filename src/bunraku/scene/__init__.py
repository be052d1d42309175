"""Scene files: a world written down in TOML, built, run and recorded. See docs/scenes.md."""

from bunraku.scene.run import Recording
from bunraku.scene.scene import Scene, built_in
from bunraku.scene.scene import load_scene as load

__all__ = ["Recording", "Scene", "built_in", "load"]
