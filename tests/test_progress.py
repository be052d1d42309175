"""Bars on a terminal (a pty): one display, whatever is inside what; nothing where nobody watches."""

import os
import pty
import re
import select
import subprocess
import sys

import pytest

from bunraku.kernel.compile import JIT

ONE_DISPLAY = """
import time
from bunraku import progress
with progress.patience("at work"):
    with progress.progress_bar(10, "outer") as outer:
        outer(3, "outer goes on")
        with progress.progress_bar(4, "inner") as inner:
            inner(2)
            shown = progress.DISPLAY.rich
            assert [t.description for t in shown.tasks] == ["outer goes on", "inner"]
            shown.refresh()
            print("printed while bars are open, in one line however long it is: " + "x" * 120)
        assert progress.DISPLAY.rich is shown and len(shown.tasks) == 1
    assert progress.DISPLAY.rich is None
    print("the end")
"""
PATIENCE = """
import time
from bunraku import progress
progress.MOMENT = 0.01
with progress.patience("bunraku is at work"):
    while progress.DISPLAY.rich is None:
        time.sleep(0.01)
    progress.DISPLAY.rich.refresh()
    if LEAVE:
        progress.leave()
        assert progress.DISPLAY.rich is None
    with progress.progress_bar(None, "a bar in its stead"):
        assert [t.description for t in progress.DISPLAY.rich.tasks] == ["a bar in its stead"]
        progress.DISPLAY.rich.refresh()
    print(progress.DISPLAY.rich is None, "result")
"""


def on_a_terminal(*command: str, **env: str) -> tuple[int, str]:
    """(exit code, all that a terminal of 200 columns was sent)."""
    master, slave = pty.openpty()
    full = {**os.environ, "BUNRAKU_QUIET": "0", "TERM": "xterm", "COLUMNS": "200", **env}
    child = subprocess.Popen([sys.executable, *command], stdin=slave, stdout=slave, stderr=slave, env=full)
    os.close(slave)
    sent = b""
    while True:
        ready, _, _ = select.select([master], [], [], 120)
        try:
            data = os.read(master, 65536) if ready else b""
        except OSError:  # its other end is closed
            data = b""
        if not data:
            break
        sent += data
    os.close(master)
    return child.wait(), re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", sent.decode())


def test_bars_inside_bars_share_a_display():
    code, sent = on_a_terminal("-c", ONE_DISPLAY)
    assert code == 0, sent
    assert "outer goes on" in sent and "inner" in sent
    assert "in one line however long it is: " + "x" * 120 + "\r\n" in sent and sent.rstrip().endswith("the end")


@pytest.mark.parametrize("leaves", [False, True])
def test_nothing_is_silent_for_long(leaves):
    code, sent = on_a_terminal("-c", PATIENCE.replace("LEAVE", str(leaves)))
    assert code == 0, sent
    assert "bunraku is at work" in sent and "a bar in its stead" in sent
    assert f"{leaves} result" in sent and "at work" not in sent.split("result")[1]


NOBODY = """
from bunraku import progress
progress.MOMENT = 0.0
with progress.patience("at work"), progress.progress_bar(10, "outer") as update:
    update(3, "outer goes on")
    assert progress.DISPLAY.rich is None
"""


def test_nobody_watches():
    """Neither in a pipe nor where the user wants it quiet."""
    env = {**os.environ, "BUNRAKU_QUIET": "0"}
    done = subprocess.run([sys.executable, "-c", NOBODY], capture_output=True, text=True, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert on_a_terminal("-c", NOBODY, BUNRAKU_QUIET="1") == (0, "")


COMPILING = """
import sys
from pathlib import Path
from bunraku import progress
from bunraku.kernel import native, workers
from bunraku.kernel.needed import named
small = [named("linalg.sparse_pattern.pattern_one"), named("recording.sums.add_words")]
with progress.progress_bar(3, "loading"):
    assert workers.compile_all(small, Path(sys.argv[1]), native.host()) == {}
"""


@pytest.mark.slow
@pytest.mark.skipif(not JIT, reason="kernels run as plain Python")
def test_one_bar_over_all_that_is_compiled_below_what_waits_for_it(tmp_path):
    code, sent = on_a_terminal("-c", COMPILING, str(tmp_path))
    assert code == 0, sent
    assert re.search(r"preparing 1 of 2, about \d+ s \(first use only\)", sent) and "preparing 2 of 2" in sent
    frames = [f for f in re.split(r"\r(?!\n)", sent) if "preparing" in f]
    assert any("loading" in f for f in frames) and len(list(tmp_path.glob("*.o"))) == 2


@pytest.mark.slow
def test_a_command_on_a_terminal(tmp_path):
    """Its bar, then its result, untouched."""
    code, sent = on_a_terminal("-m", "bunraku", "record", "slope", "--seconds", "0.2", "--out", str(tmp_path / "a.bkr"))
    assert code == 0 and "loading" in sent
    assert sent.rstrip().endswith("MB") and "a.bkr: 201 frames, 0.2 s of slope" in sent
