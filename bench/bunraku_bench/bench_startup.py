"""`bunraku bench startup`: how long a user waits for an import, for a cheap command, and for the first kernel from a
warm cache."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

from bunraku.cli.common import print_json, progress_bar

CALLS = {
    "python": "pass",
    "import_bunraku": "import bunraku",
    "info_human": "import sys; from bunraku.cli import main; sys.exit(main(['info', 'human']))",
    "first_aba": (
        "import numpy as np, bunraku as bk; m = bk.human(); z = np.zeros(m.nv); bk.aba(m, m.neutral(), z, z)"
    ),
}
IMPORT = "import time; t = time.perf_counter(); import bunraku; print(time.perf_counter() - t)"
LAZY = "import sys; from bunraku.cli import main; main(['info', 'human']); sys.exit('numba' in sys.modules)"


def startup(json: bool = False, repeats: int = 5) -> int:
    """Measure start-up in fresh processes, with a warm cache: the minimum of some repeats, in seconds.

    Args:
        json: Print JSON.
        repeats: How often each is run.
    """
    run(CALLS["first_aba"])  # fills the cache
    report: dict[str, Any] = {}
    with progress_bar(len(CALLS) + 1, "bench startup") as update:
        for done, (name, code) in enumerate(CALLS.items()):
            update(done, name)
            report[f"{name}_s"] = min(run(code) for _ in range(repeats))
        update(len(CALLS), "import")
        inside = [subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True) for _ in range(repeats)]  # fmt: skip
        report["import_alone_s"] = min(float(r.stdout) for r in inside)
        report["info_imports_numba"] = subprocess.run([sys.executable, "-c", LAZY], capture_output=True).returncode != 0
    if json:
        print_json(report)
    else:
        for name, value in report.items():
            print(f"{name:20} {value:.3f}" if isinstance(value, float) else f"{name:20} {value}")
    return 0


def run(code: str) -> float:
    """Seconds of a fresh Python process."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    return time.perf_counter() - start
