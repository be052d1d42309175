"""One contact step is easy to follow: how many files it passes, traced by docs/trace_step.py."""

import os
import re
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "docs" / "trace_step.py"


def test_files_of_one_contact_step():
    done = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True, env=dict(os.environ))
    assert done.returncode == 0, done.stderr
    found = re.search(r"(\d+) files, \d+ lines, (\d+) changes of folder", done.stdout)
    assert found is not None and "step/euler.py" in done.stdout, done.stdout
    files, changes = map(int, found.groups())
    assert files <= 20 and changes <= 8, done.stdout
