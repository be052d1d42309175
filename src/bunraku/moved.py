"""Modules that version 0.1 showed in its README, documents and examples, and where they are now.

They work in version 0.2, with a DeprecationWarning that names the new place; then they go. `install` puts a finder
behind Python's own, so it is asked only for modules that are not there. An old name gives the very module of the new
name, imported once. Checked in tests/test_moved.py.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Sequence
from functools import partial
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType

# old module -> (new module, what to write instead)
MOVED = {
    "bunraku.constraint.contact.link_layout": ("bunraku.step.virtual_link.link_layout", ""),
    "bunraku.constraint.contact.pgs": ("bunraku.contact.pgs", ""),
    "bunraku.constraint.contact.sparse": ("bunraku.contact.sparse", ""),
    "bunraku.constraint.contact.sparse_pattern": ("bunraku.linalg.sparse_pattern", ""),
    "bunraku.constraint.contact.virtual_link": ("bunraku.step.virtual_link.link_hypotheses", ""),
    "bunraku.constraint.link_memory": ("bunraku.step.virtual_link.link_memory", ""),
    "bunraku.draw.world": ("bunraku.draw.world_pictures", "bunraku.picture"),
    "bunraku.gait.footsteps": ("bunraku.walking.footsteps", "bunraku.footsteps"),
    "bunraku.gait.humanoid": ("bunraku.humanoid.parts", "bunraku.Humanoid.of"),
    "bunraku.gait.library": ("bunraku.gait1988.library", "bunraku.gait1988.library"),
    "bunraku.gait.mapping": ("bunraku.humanoid.mapping", ""),
    "bunraku.gait.nineteen_steps": ("bunraku.walking.nineteen_steps", ""),
    "bunraku.gait.pace": ("bunraku.walking.pace", ""),
    "bunraku.gait.terrain": ("bunraku.walking.terrain", "bunraku.terrain"),
    "bunraku.gait.walk": ("bunraku.gait1988.solved_walk", "bunraku.gait1988.solved_walk"),
    "bunraku.gait.walker": ("bunraku.walking.walker", "bunraku.Walker"),
    "bunraku.gait.walking_pattern": ("bunraku.walking.walking_pattern", "bunraku.walking_pattern"),
    "bunraku.motion.foot_loads": ("bunraku.humanoid.foot_loads", "bunraku.walk_report"),
    "bunraku.motion.walk_report": ("bunraku.walking.walk_report", "bunraku.walk_report"),
    "bunraku.viewer.build": ("bunraku.viewer.build_page", ""),
    "bunraku.viewer.export": ("bunraku.viewer.one_file", "bunraku.page"),
    "bunraku.world.sums": ("bunraku.recording.sums", ""),
}
PACKAGES = ("bunraku.constraint", "bunraku.constraint.contact", "bunraku.gait")
# old module -> {old name in it: where it is now}
RENAMED = {"bunraku.motion.foot_loads": {"soles_in": "bunraku.humanoid.foot.feet_in"}}
# old public name -> the new one
NAMES = {"within_limits": "joints_beyond_limits"}
LAST = "0.3"  # the version without the old names


class OldNames:
    """Finds and loads the modules of MOVED under their old names."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        """Python's question for a module that it has not found."""
        if name in MOVED or name in PACKAGES:
            return ModuleSpec(name, self, is_package=name in PACKAGES)  # type: ignore[arg-type]
        return None

    def create_module(self, spec: ModuleSpec) -> None:
        """An empty module, which `exec_module` fills or replaces."""

    def exec_module(self, module: ModuleType) -> None:
        """Put the module of the new name in place, and say so; a package only leads to its modules."""
        old = module.__name__
        if old in PACKAGES:
            module.__dict__["__getattr__"] = partial(submodule, old)
            return
        new, instead = MOVED[old]
        tell(old, new, instead)
        sys.modules[old] = found = importlib.import_module(new)
        for name, home in RENAMED.get(old, {}).items():
            place, _, now = home.rpartition(".")
            setattr(found, name, getattr(importlib.import_module(place), now))

    def get_code(self, name: str) -> CodeType:
        """The code of `python -m` with an old name."""
        new, instead = MOVED[name]
        tell(name, new, instead)
        return compile(f"import runpy\nrunpy.run_module({new!r}, run_name='__main__', alter_sys=True)", name, "exec")


def submodule(package: str, name: str) -> ModuleType:
    """A module of an old package, as an attribute of it."""
    if f"{package}.{name}" in (*MOVED, *PACKAGES):
        return importlib.import_module(f"{package}.{name}")
    raise AttributeError(f"module {package!r} has no attribute {name!r}")


def tell(old: str, new: str, instead: str) -> None:
    """Warn at the line that asks for an old name, past Python's import and this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in ("bunraku", "importlib"):
        frame = frame.f_back
    hint = f"; write {instead}" if instead and instead != new else ""
    warnings.warn_explicit(
        f"{old} is now {new}{hint}. The old name ends with version {LAST}.",
        DeprecationWarning,
        frame.f_code.co_filename,
        frame.f_lineno,
        frame.f_globals.get("__name__", "?"),
    )


def renamed(name: str) -> str:
    """The present name of a public one, with a warning where it is another."""
    if name in NAMES:
        tell(f"bunraku.{name}", f"bunraku.{NAMES[name]}", "")
    return NAMES.get(name, name)


def install() -> None:
    """Let Python ask for old names, once."""
    if not any(isinstance(finder, OldNames) for finder in sys.meta_path):
        sys.meta_path.append(OldNames())  # type: ignore[arg-type]
