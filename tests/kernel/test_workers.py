"""Kernels compiled by other processes: all of them, the reason for one that cannot be, and what is said meanwhile."""

import os
import signal
from types import SimpleNamespace

import pytest

from bunraku.kernel import native, workers
from bunraku.kernel.build_all import all_kernels
from bunraku.kernel.compile import JIT
from bunraku.kernel.entry import Entry

pytestmark = pytest.mark.skipif(not JIT, reason="kernels run as plain Python")


@pytest.fixture
def small():
    """Two small kernels of the package, as if nobody had used them."""
    named = {k.__name__: k for k in all_kernels()}
    return [named["pattern_one"], named["add_words"]]


def test_each_is_made_and_told(small, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("BUNRAKU_QUIET", "0")
    assert workers.compile_all(small, tmp_path, native.host()) == {}
    assert {p.name for p in tmp_path.glob("*.o")} == {native.file_name(k) for k in small}
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2 and all("of 2 (first use only)" in line for line in said)


def test_a_reason_for_each_that_is_not(small, tmp_path):
    other = Entry(small[0].function, small[0].signature)  # as a process that has another source would ask
    other.__dict__["digest"] = "0" * 24
    failed = workers.compile_all([other, small[1]], tmp_path, native.host())
    assert failed == {other: "its source was edited meanwhile"}
    assert [p.name for p in tmp_path.glob("*.o")] == [native.file_name(small[1])]


def test_a_killed_worker_is_told_and_another_serves(small, tmp_path, monkeypatch):
    ask = workers.Worker.ask

    def ask_and_kill(worker, kernel, folder):
        ask(worker, kernel, folder)
        os.kill(worker.process.pid, signal.SIGKILL)

    monkeypatch.setattr(workers.Worker, "ask", ask_and_kill)
    assert workers.compile_all(small[:1], tmp_path, native.host()) == {small[0]: "the compiler ended with status -9"}
    monkeypatch.undo()
    assert workers.compile_all(small[:1], tmp_path, native.host()) == {}


def test_workers_get_what_they_know(small, monkeypatch):
    one, other = (SimpleNamespace(known=set(k.dependencies.functions)) for k in small)
    monkeypatch.setattr(workers, "_workers", [one, other])
    for worker, kernel in ((one, small[0]), (other, small[1])):
        assert max(small, key=lambda k: workers._suits(worker, k)) is kernel
