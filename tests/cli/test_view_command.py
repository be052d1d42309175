"""`bunraku view` and `bunraku play`: the address, Ctrl-C, scenes and models, mistakes with exit code 2 and one
sentence."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import bunraku
from bunraku.cli import main
from bunraku.cli.view_command import world_of
from bunraku.viewer import view as module
from viewer_client import PAGE, PATIENCE, hear, page, say

START = "import sys; from bunraku.viewer import view; view.page_html = lambda: {page!r}; from bunraku.cli import main; sys.exit(main(sys.argv[1:]))"
SOURCE = str(Path(bunraku.__file__).parent.parent)


def start(*args):
    """The command in a process of its own, with a small page."""
    env = {**os.environ, "PYTHONPATH": SOURCE, "BUNRAKU_QUIET": "1"}
    code = START.format(page=PAGE)
    return subprocess.Popen(
        [sys.executable, "-c", code, *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=env,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background job would ignore Ctrl-C
    )


@pytest.mark.parametrize(
    "what", [("view", "spin"), ("view", "human"), ("walk", "--view", "--footsteps", "two steps")], ids=" ".join
)
def test_it_prints_its_address_serves_and_ends_with_ctrl_c(what):
    process = start(*what, "--no-browser")
    try:
        url, hint = process.stdout.readline().strip(), process.stdout.readline()
        assert url.startswith("http://127.0.0.1:") and "/#token=" in url
        with page(url) as p:
            assert hear(p, "status")["waiting"] and "begins when the page is there" in hint
            say(p, "ready")
            assert hear(p, "frame", lambda f: f.time > 0.01)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert process.returncode == 0 and err == "" and "Ctrl-C" in hint


def test_a_port_in_use(monkeypatch, capsys):
    monkeypatch.setattr(module, "page_html", lambda: PAGE)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["view", "spin", "--no-browser", "--port", str(port)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and f"port {port} of 127.0.0.1 is in use" in err


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["view", "humn"], "Closest: 'human'"),
        (["view", "slop"], "'slope'"),
        (["view", "missing.urdf"], "missing.urdf"),
        (["view", "missing.toml"], "no such file"),
        (["view", "spin", "--host", "0.0.0.0"], "--allow-remote"),
        (["view", "spin", "--port", "-1"], "port -1"),
        (["view", "spin", "--speed", "0"], "speed"),
        (["view", "missing.bkr"], "missing.bkr"),
        (["play", "missing.bkr"], "missing.bkr"),
    ],
)
def test_mistakes(monkeypatch, capsys, args, words):
    monkeypatch.setattr(module, "page_html", lambda: PAGE)
    assert main([*args, "--no-browser"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and words in err and "Traceback" not in err


def test_a_model_stands_on_the_ground():
    world, title = world_of("human")
    world.step(200)
    fig = world.figures[0]
    assert title == "human" and abs(fig.ground_reaction[2] / (fig.model.mass * 9.80665) - 1) < 1e-3
    assert abs(fig.com[2] - world_of("human")[0].figures[0].com[2]) < 1e-3


def test_links_that_pass_through_each_other():
    assert world_of("human")[0]._self_collision["human"] and not world_of("human", False)[0]._self_collision["human"]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["view", "spin", "--no-self-collision"], "--no-self-collision has no effect on scenes"),
        (["view", "run.bkr", "--no-self-collision"], "--no-self-collision has no effect on recordings"),
        (["view", "human", "--loop"], "--loop has no effect on worlds"),
        (["export", "run.bkr", "--to", "gif", "--loop"], "--loop has no effect on gif"),
        (["export", "run.bkr", "--to", "csv", "--no-play"], "--no-play has no effect on csv"),
    ],
)
def test_options_without_effect(capsys, args, words):
    assert main(args) == 2
    assert words in capsys.readouterr().err
