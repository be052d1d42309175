"""The lists of kernels that commands need: every name exists; what a command loads is in its list, at once."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from bunraku.kernel import build_all, needed
from bunraku.kernel.compile import JIT

LOADED = """
import os, signal, sys, threading, time
from bunraku.kernel import entry
own, times = entry._load, []
def noted(kernels):
    if kernels:
        times.append(kernels)
        print("LOADED", *(k.function.__module__[8:] + "." + k.function.__name__ for k in kernels), file=sys.stderr)
    return own(kernels)
entry._load = noted
from bunraku.cli import main, page_options
def served(view):
    "The page is up: a step or two, then Ctrl-C."
    view.wait(1.0)
    view.close()
    return 0
for name in ("view_command", "play_command", "stage_command"):
    __import__("bunraku.cli." + name)
    setattr(sys.modules["bunraku.cli." + name], "stay", served)
status = main(sys.argv[1:])
print("NUMBA", "numba" in sys.modules, file=sys.stderr)
sys.exit(status)
"""
SCORE = """format = "bunraku score"
version = 1
seconds = 0.1
"""
README = {  # commands as README shows them, and what they are given; later ones read what earlier ones wrote
    "walk": ["walk --footsteps 'two steps' --out walk", "walk --footsteps 'two steps' --speed 0.8 --out natural"],
    "run": ["run slope --seconds 0.1", "run slope --seconds 0.1 --out slope"],
    "record": ["record slope --seconds 0.1 --out slope.bkr"],
    "stage": ["stage --no-browser"],
    "view": ["view stand --no-browser", "view human --no-browser"],
    "play": ["play slope.bkr --no-browser"],
    "export": [
        *(f"export slope.bkr --to {kind}" for kind in ("csv", "gif", "html")),
        "export walk/walk.bkr --to bvh --out walk.bvh",
    ],
    "film": ["film slope.bkr --out slope.gif"],
    "dance": ["dance score.toml"],
    "filter": ["filter walk.bvh --follow followed.bkr --seconds 0.1"],
    "forces": ["forces walk.bvh --plates walk/walk.bkr"],
    "retarget": ["retarget walk.bvh"],
    "gait": ["gait run --out gait", "gait solve --mode historical", "gait moments"],
}


def test_every_name_is_a_kernel():
    known = {f"{k.function.__module__[8:]}.{k.__name__}" for k in build_all.all_kernels()}
    assert set(needed.of_sets(*needed._SETS)) <= known
    assert set(needed.installed()) < known
    assert all(needed.named(name).__name__ == name.rpartition(".")[2] for name in needed.installed())


def run(words: str, folder: Path) -> tuple[list[list[str]], str]:
    """(kernels that a command loaded, in groups as they were asked for; all it said)."""
    env = {**os.environ, "NUMBA_DISABLE_JIT": "0", "BUNRAKU_KERNELS": ""}
    command = [sys.executable, "-c", LOADED, *shlex.split(words)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, f"{words}: {done.stderr}"
    assert "NUMBA False" in done.stderr, words
    return [line.split()[1:] for line in done.stderr.splitlines() if line.startswith("LOADED")], done.stderr


@pytest.mark.slow
@pytest.mark.skipif(not JIT, reason="kernels run as plain Python")
def test_no_command_of_readme_needs_a_kernel_that_is_not_installed(tmp_path):
    """Each as a process of its own. What it needs usually is asked for at once, where there is one bar over it all."""
    (tmp_path / "score.toml").write_text(SCORE)
    installed = set(needed.installed())
    assert set(README) == set(needed.COMMANDS)
    for name, commands in README.items():
        for k, words in enumerate(commands):
            groups, said = run(words, tmp_path)
            loaded = {kernel for group in groups for kernel in group}
            assert loaded <= installed, f"{words}: {sorted(loaded - installed)}"
            if k == 0 and name not in ("export", "retarget"):  # few, one by one
                usual = set(needed.of_sets(*needed.COMMANDS[name]))
                at_once = set().union(*groups[:3])  # checks of the input may need one or two before
                assert usual <= at_once and loaded <= usual, f"{words}: {sorted(loaded ^ usual)}\n{said[-500:]}"
