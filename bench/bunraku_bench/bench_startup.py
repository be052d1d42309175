"""`bunraku bench startup`: how long a user waits for an import, for a cheap command, for the first kernel and the first
step; with --fresh, for the whole installation and the first command in a new environment with an empty cache."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bunraku.cli.common import print_json, progress_bar
from bunraku.errors import InputError

ABA = "import numpy as np, bunraku as bk; m = bk.human(); z = np.zeros(m.nv); bk.aba(m, m.neutral(), z, z)"
STEP = "import bunraku as bk; w = bk.World(); w.add_ground(); w.add(bk.human(), at=(0, 0, 1)); w.step()"
CALLS = {
    "python": "pass",
    "import_bunraku": "import bunraku",
    "info_human": "import sys; from bunraku.cli import main; sys.exit(main(['info', 'human']))",
    "first_aba": ABA,
    "first_step": STEP,
}
IMPORT = "import time; t = time.perf_counter(); import bunraku; print(time.perf_counter() - t)"
# commands that must find their kernels compiled; those that serve a page are ended as Ctrl-C does, once it is up
README = {
    "walk": ["walk"],
    "slope": ["run", "slope", "--out", "slope"],
    "gait": ["gait", "run", "--out", "gait"],
    "dance": ["stage", "--no-browser"],
    "view": ["view", "stand", "--no-browser"],
}
SERVED = ("dance", "view")
INSIDE = """
import os, signal, sys, threading, time
from bunraku.cli import main
if {served}:
    def later():
        time.sleep(8.0)
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=later, daemon=True).start()
try:
    status = main({command!r})
except KeyboardInterrupt:
    status = 0
print("numba" in sys.modules, status, file=sys.stderr)
"""


def startup(json: bool = False, repeats: int = 5, fresh: Path | None = None) -> int:
    """Measure start-up in fresh processes, with a warm cache: the minimum of some repeats, in seconds.

    Args:
        json: Print JSON.
        repeats: How often each is run.
        fresh: A checkout of Bunraku: install it into a new virtual environment, with an empty cache, and time that too.
    """
    report = measure_fresh(fresh) if fresh is not None else {}
    run(ABA)  # fills the cache
    run(STEP)
    with progress_bar(len(CALLS) + 1, "bench startup") as update:
        for done, (name, code) in enumerate(CALLS.items()):
            update(done, name)
            report[f"{name}_s"] = min(run(code) for _ in range(repeats))
        update(len(CALLS), "import")
        inside = [subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True) for _ in range(repeats)]  # fmt: skip
        report["import_alone_s"] = min(float(r.stdout) for r in inside)
        report["info_imports_numba"] = "True" in inside_of(["info", "human"], sys.executable, Path.cwd()).stderr
    if json:
        print_json(report)
    else:
        for name, value in report.items():
            print(f"{name:24} {value:.3f}" if isinstance(value, float) else f"{name:24} {value}")
    return 0


def measure_fresh(checkout: Path) -> dict[str, Any]:
    """What a newcomer waits for: `pip install .`, then each command of README."""
    if not (checkout / "pyproject.toml").is_file():
        raise InputError(f"--fresh {checkout}: wanted a checkout of Bunraku, a folder with pyproject.toml.")
    report: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, progress_bar(2 + len(README), "a new environment") as update:
        home = Path(folder)
        subprocess.run([sys.executable, "-m", "venv", home / "env"], check=True)
        python = str(home / "env" / "bin" / "python")
        env = {**os.environ, "BUNRAKU_CACHE_DIR": str(home / "kernels"), "PYTHONPATH": ""}
        update(1, "pip install .")
        begun = time.perf_counter()
        source = home / "source"  # as it is in git: nothing that an earlier build left
        subprocess.run(["git", "clone", "-q", str(checkout.resolve()), str(source)], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "."], cwd=source, check=True, env=env)
        report["install_s"] = time.perf_counter() - begun
        for done, (name, command) in enumerate(README.items()):
            update(2 + done, " ".join(command))
            begun = time.perf_counter()
            said = inside_of(command, python, home, name in SERVED, env).stderr
            report[f"fresh_{name}_s"] = time.perf_counter() - begun
            report[f"fresh_{name}_imports_numba"] = "True" in said
            report[f"fresh_{name}_compiles"] = "preparing" in said or "compiling" in said
        report["install_and_walk_s"] = report["install_s"] + report["fresh_walk_s"]
    return report


def inside_of(
    command: list[str], python: str, folder: Path, served: bool = False, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """A command in a fresh process; the last line of stderr tells whether it imported Numba."""
    code = INSIDE.format(served=served, command=command)
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, cwd=folder, env=env)
    if not done.stderr.strip().endswith(" 0"):
        raise InputError(f"bunraku {' '.join(command)} failed: {done.stderr.strip()[-400:]}")
    return done


def run(code: str) -> float:
    """Seconds of a fresh Python process."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    return time.perf_counter() - start
