"""Modules of version 0.1 under their old names: still there, with a warning that names the new place."""

import importlib
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import bunraku as bk
from bunraku.moved import MOVED, PACKAGES, OldNames

# all that README, documents and examples of version 0.1 imported or named, and what is now elsewhere
SHOWN = {
    "bunraku.constraint.contact.link_layout": "Buffers",
    "bunraku.constraint.contact.pgs": "solve",
    "bunraku.constraint.contact.sparse": "solve",
    "bunraku.constraint.contact.sparse_pattern": "pattern",
    "bunraku.constraint.contact.virtual_link": "forces",
    "bunraku.constraint.link_memory": "link_state",
    "bunraku.draw.world": "world_scene",
    "bunraku.gait.footsteps": "footsteps",
    "bunraku.gait.humanoid": "humanoid",
    "bunraku.gait.library": "flat",
    "bunraku.gait.mapping": "mapping_of",
    "bunraku.gait.nineteen_steps": "nineteen_steps",
    "bunraku.gait.pace": "pace_of",
    "bunraku.gait.terrain": "stairs",
    "bunraku.gait.walk": "solve_walk",
    "bunraku.gait.walker": "Walker",
    "bunraku.gait.walking_pattern": "walking_pattern",
    "bunraku.motion.foot_loads": "soles_in",
    "bunraku.motion.walk_report": "walk_report",
    "bunraku.viewer.build": "build",
    "bunraku.viewer.export": "export_html",
    "bunraku.world.sums": "digest",
}


def test_all_that_was_shown_is_listed():
    assert set(SHOWN) == set(MOVED)
    changes = (Path(__file__).parent.parent / "CHANGELOG.md").read_text(encoding="utf-8")
    assert [old for old in SHOWN if f"`{old}`" not in changes] == []


@pytest.mark.parametrize("old", MOVED)
def test_an_old_name_gives_the_new_module_and_a_warning(old, monkeypatch):
    monkeypatch.delitem(sys.modules, old, raising=False)
    new, instead = MOVED[old]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        module = importlib.import_module(old)
    assert module is importlib.import_module(new) and hasattr(module, SHOWN[old])
    said = [str(w.message) for w in told if w.category is DeprecationWarning and old in str(w.message)]
    assert len(said) == 1 and f"{old} is now {new}" in said[0] and instead in said[0]


@pytest.mark.parametrize("instead", sorted({instead for _, instead in MOVED.values() if instead}))
def test_what_to_write_instead_exists(instead):
    thing = bk
    for part in instead.split(".")[1:]:
        thing = getattr(thing, part)


def test_old_packages_lead_to_their_modules():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        assert bk.gait.walk.solve_walk is bk.gait1988.solved_walk.solve_walk
        assert bk.constraint.contact.pgs.solve is importlib.import_module("bunraku.contact.pgs").solve
    with pytest.raises(AttributeError, match="no attribute 'walkker'"):
        bk.gait.walkker  # noqa: B018
    assert all(sys.modules[name].__path__ == [] for name in PACKAGES if name in sys.modules)


def test_the_warning_is_shown_at_the_users_line(tmp_path):
    script = tmp_path / "mine.py"
    script.write_text("import bunraku as bk\n\nfrom bunraku.gait.pace import pace_of\nbk.gait.library.flat\n")
    out = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True).stderr
    assert f"{script}:3: DeprecationWarning: bunraku.gait.pace is now bunraku.walking.pace." in out
    assert f"{script}:4: DeprecationWarning: bunraku.gait.library is now bunraku.gait1988.library." in out


def test_nothing_else_is_found_and_one_finder_is_enough():
    for wrong in ("bunraku.gait.nobody", "bunraku.nobody", "bunraku.constraint.nobody"):
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module(wrong)
    assert sum(isinstance(finder, OldNames) for finder in sys.meta_path) == 1


def test_an_old_public_name_leads_on_with_a_warning():
    with pytest.warns(DeprecationWarning, match="bunraku.within_limits is now bunraku.joints_beyond_limits"):
        assert bk.within_limits is bk.joints_beyond_limits  # type: ignore[attr-defined]
    assert "within_limits" not in dir(bk)
