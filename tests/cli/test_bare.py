"""A bare `bunraku`: the stage with a terminal and a display, help without either."""

import sys

import pytest

import bunraku.cli
from bunraku.cli import bare, main


class Terminal:
    """A stream that may be a terminal."""

    def __init__(self, stream, there):
        self.stream, self.there = stream, there

    def isatty(self):
        return self.there

    def __getattr__(self, name):
        return getattr(self.stream, name)


@pytest.mark.parametrize("display", [False, True])
@pytest.mark.parametrize("inwards", [False, True])
@pytest.mark.parametrize("outwards", [False, True])
def test_the_stage_or_help(monkeypatch, capsys, display, inwards, outwards):
    called = []
    monkeypatch.setattr(bunraku.cli, "dispatch", lambda name, args: called.append((name, args)) or 0)
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    if display:
        monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(sys, "stdin", Terminal(sys.stdin, inwards))
    monkeypatch.setattr(sys, "stdout", Terminal(sys.stdout, outwards))
    assert main([]) == 0
    out, err = capsys.readouterr()
    if display and inwards and outwards:
        assert called == [("stage", [])] and "bunraku --help" in err
    else:
        assert not called and out.startswith("usage: bunraku") and "`bunraku` alone" in out


def test_without_streams_there_is_no_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    assert not bare.opens_stage()


@pytest.mark.parametrize(
    ("environment", "platform", "there"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ""}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "freebsd14", True),
        ({"BROWSER": "w3m"}, "linux", True),
        ({}, "darwin", True),
        ({}, "win32", True),
        ({"SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"}, "darwin", False),
        ({"SSH_TTY": "/dev/ttys001"}, "win32", False),
        ({"SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22", "DISPLAY": "localhost:10.0"}, "linux", True),
    ],
)
def test_displays(environment, platform, there):
    assert bare.has_display(environment, platform) is there
