"""The token of a page's address never stands in the list of processes; a browser that blocks holds up nothing; what was
made for it is removed."""

import os
import signal
import subprocess
import sys
import threading
import time
import webbrowser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from bunraku.viewer import own_browser
from viewer_client import PATIENCE, poll

URL = "http://127.0.0.1:1234/#token=secret-Token_0123456789"
RECORDING = Path(__file__).parent.parent / "data" / "recording-0.1.bkr"


@pytest.fixture
def opened(monkeypatch, tmp_path):
    """What the browser was given: address, file, its text and modes."""
    found = []

    def browser(address):
        path = Path(unquote(urlsplit(address).path))
        if not path.is_file():
            found.append((address, path, "", []))
            return True
        modes = [oct(p.stat().st_mode & 0o777) for p in (path, path.parent)]
        found.append((address, path, path.read_text(), modes))
        return True

    monkeypatch.setattr(webbrowser, "open", browser)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return found


def test_the_browser_gets_a_private_file_that_leads_on(opened, tmp_path):
    come = threading.Event()
    thread = own_browser.open_browser(URL, come.is_set, threading.Event().wait)
    address, path, text, modes = poll(lambda: opened and opened[0], "the browser")
    assert address.startswith("file:///") and "token" not in address and "secret" not in address
    assert f'location.replace("{URL}")' in text and f'href="{URL}"' in text and 'content="no-referrer"' in text
    assert modes == ["0o600", "0o700"] or sys.platform == "win32"
    assert path.exists()
    come.set()
    thread.join(PATIENCE)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("how", ["closed", "too late"])
def test_the_file_goes_when_nobody_comes(how, opened, tmp_path, monkeypatch):
    monkeypatch.setattr(own_browser, "PATIENCE", 0.4 if how == "too late" else PATIENCE)
    ended = threading.Event()
    thread = own_browser.open_browser(URL, lambda: False, ended.wait)
    poll(lambda: opened, "the browser")
    if how == "closed":
        ended.set()
    thread.join(PATIENCE)
    assert list(tmp_path.iterdir()) == []


def test_no_markup_gets_out(opened):
    own_browser.open_browser('http://x/"><script>', lambda: True, threading.Event().wait).join(PATIENCE)
    text = opened[0][2]
    assert text.count("<script>") == 1 and text.count("</script>") == 1 and "\\u003cscript" in text


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="needs /proc")
def test_a_browser_that_blocks_and_the_end_by_a_signal(tmp_path):
    """In version 0.1 the address was printed when the browser had ended, its token stood in the list of processes, and
    SIGTERM left temporary folders."""
    script, seen, temporary = tmp_path / "browser", tmp_path / "seen", tmp_path / "tmp"
    temporary.mkdir()
    script.write_text(f'#!/bin/sh\necho "$@" > {seen}.new && mv {seen}.new {seen}\nexec sleep 600\n')
    script.chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, "-m", "bunraku", "play", str(RECORDING)], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "BROWSER": f"{script} %s", "TMPDIR": str(temporary)},
    )  # fmt: skip
    browser = None
    try:
        url = process.stdout.readline().strip()
        token = url.split("#token=")[1]
        poll(seen.exists, "the browser")
        assert token not in seen.read_text() and seen.read_text().startswith("file:///")
        # the script becomes it
        browser = poll(lambda: child(process.pid, b"sleep\x00600\x00"), "the browser's process")
        lines = [p.read_bytes() for p in Path("/proc").glob("[0-9]*/cmdline") if readable(p)]
        assert all(token.encode() not in line for line in lines)
        assert [p.name.startswith("bunraku-page-") for p in temporary.iterdir()] == [True]
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 128 + signal.SIGTERM
        assert list(temporary.iterdir()) == []
    finally:
        process.kill()
        if browser is not None:
            os.kill(browser, signal.SIGKILL)


def child(pid, line):
    """The process of `pid` that has that command line; 0 without one."""
    found = (p for p in Path("/proc").glob("[0-9]*/cmdline") if readable(p) and parent(p.parent.name) == pid)
    return next((int(p.parent.name) for p in found if readable(p) and p.read_bytes() == line), 0)


def readable(path):
    try:
        return bool(path.read_bytes())
    except OSError:
        return False


def parent(pid):
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    except OSError:
        return -1


def test_it_does_not_wait(monkeypatch):
    monkeypatch.setattr(webbrowser, "open", lambda _: time.sleep(1.0))
    began = time.monotonic()
    thread = own_browser.open_browser(URL, lambda: True, threading.Event().wait)
    assert time.monotonic() - began < 0.9
    thread.join(PATIENCE)
