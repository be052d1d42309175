"""`bunraku stage`: the address, Ctrl-C, options, mistakes with exit code 2 and one sentence."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import bunraku
from bunraku.cli import main
from viewer_client import PAGE, PATIENCE, hear, page, say

START = "import sys; from bunraku.viewer import view; view.page_html = lambda: {page!r}; from bunraku.cli import main; sys.exit(main(sys.argv[1:]))"


def test_it_prints_its_address_takes_pins_and_ends_with_ctrl_c(tmp_path):
    env = {**os.environ, "PYTHONPATH": str(Path(bunraku.__file__).parent.parent), "BUNRAKU_QUIET": "1"}
    score = tmp_path / "mine.toml"
    process = subprocess.Popen(
        [sys.executable, "-c", START.format(page=PAGE), "stage", "--no-browser", "--no-balance", "--score", str(score)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=env,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background job would ignore Ctrl-C
    )
    try:
        url = process.stdout.readline().strip()
        with page(url) as p:
            assert hear(p, "scene")["stage"]["figure"] == "human"
            say(p, "pin", link="left_foot", point=[0, 0, 0], pose=True)
            assert hear(p, "stage", lambda m: m["items"])["balance"] is False
            say(p, "save")
            assert str(score) in hear(p, "status", lambda m: m["error"])["error"]
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert process.returncode == 0 and err == "" and "[[pin]]" in score.read_text()


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["humn"], "Closest: 'human'"),
        (["missing.urdf"], "missing.urdf"),
        (["--host", "0.0.0.0"], "--allow-remote"),
        (["--port", "-1"], "port -1"),
        (["--speed", "0"], "speed"),
        (["--friction", "-1"], "--friction"),
        (["--score", "/no/such/folder/x.toml"], "--score"),
        (["--dt", "0"], "dt"),
        (["--contact", "glue"], "Available: 'pgs'"),
    ],
)
def test_mistakes(args, words, capsys):
    assert main(["stage", "--no-browser", *args]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and words in err
