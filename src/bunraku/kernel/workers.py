"""Kernels compiled by other processes, one a core, with one bar over all of them.

`compile_all(kernels)` sends kernels to the workers that are free: to each what it has been through already for the most
part, as a helper goes through the compiler's front end once a worker; among equals the largest. Workers stay for a
minute (bunraku.kernel.build_worker), as a kernel seldom comes alone. What is going on stands on stderr: a bar with the
number of kernels and the time it may still take on a terminal, a line a kernel elsewhere; `BUNRAKU_QUIET=1` silences
both. Checked in tests/kernel/test_workers.py.
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from bunraku.kernel.native import Target
from bunraku.progress import progress_bar, quiet, watched

START = (
    "import sys; sys.path[:] = {path!r}; from bunraku.kernel.build_worker import serve; serve({cpu!r}, {features!r})"
)
SECONDS_A_FUNCTION = 0.12  # a first guess of what a kernel's functions take to compile


class Worker:
    """One process that compiles, and what it is at."""

    def __init__(self, target: Target) -> None:
        self.target = target
        code = START.format(path=sys.path, cpu=target.cpu, features=target.features)
        env = {**os.environ, "NUMBA_DISABLE_JIT": "0", "BUNRAKU_QUIET": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, env=env,
            process_group=0,  # Ctrl-C is for us
        )  # fmt: skip
        self.kernel: Any = None
        self.known: set[Any] = set()  # functions that it has been through

    def ask(self, kernel: Any, folder: Path) -> None:
        """Let it compile a kernel. BrokenPipeError where it has just ended."""
        self.kernel = kernel
        self.known.update(kernel.dependencies.functions)
        name = f"{kernel.function.__module__}.{kernel.function.__name__}"
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"kernel": name, "digest": kernel.digest, "folder": str(folder)}) + "\n")

    def answer(self) -> dict[str, Any]:
        """What it says of the kernel."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        return json.loads(line) if line else {"error": f"the compiler ended with status {self.process.wait()}"}

    def alive(self) -> bool:
        return self.process.poll() is None

    def end(self) -> None:
        """Let it go."""
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()
        self.process.terminate()
        self.process.wait()


_workers: list[Worker] = []
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_workers.clear)  # they are the parent's


def compile_all(kernels: list[Any], folder: Path, target: Target) -> dict[Any, str]:
    """Compile kernels into a folder. Returns the reason for each that could not be."""
    queue = list(kernels)
    failed: dict[Any, str] = {}
    with _bar(queue) as bar, selectors.DefaultSelector() as ears:
        free = _some(min(len(queue), os.cpu_count() or 1), target)
        try:
            while queue or ears.get_map():
                while queue and free:
                    worker = free.pop()
                    kernel = max(queue, key=partial(_suits, worker))
                    queue.remove(kernel)
                    worker = _asked(worker, kernel, folder)
                    ears.register(worker.process.stdout, selectors.EVENT_READ, worker)  # type: ignore[arg-type]
                    bar.begun(worker.kernel)
                for key, _ in ears.select(timeout=0.2):
                    worker = key.data
                    answer = worker.answer()
                    ears.unregister(key.fileobj)
                    if "seconds" not in answer:
                        failed[worker.kernel] = answer.get("error", "its source was edited meanwhile")
                    bar.done(worker.kernel)
                    if worker.alive() and "edited" not in answer:
                        free.append(worker)
                    else:
                        _workers.remove(worker)
                        worker.end()
                        if queue and not free and not ears.get_map():
                            free = _some(1, target)
                bar.tick()
        except BaseException:  # Ctrl-C: what is under way is left
            for key in list(ears.get_map().values()):
                _workers.remove(key.data)
                key.data.end()
            raise
    return failed


def _asked(worker: Worker, kernel: Any, folder: Path) -> Worker:
    """The worker, or another in its place, at work."""
    try:
        worker.ask(kernel, folder)
    except BrokenPipeError:  # nobody had asked for a minute
        _workers.remove(worker)
        worker = Worker(worker.target)
        _workers.append(worker)
        worker.ask(kernel, folder)
    return worker


def _suits(worker: Worker, kernel: Any) -> tuple[float, int]:
    """How well a kernel suits a worker: what it knows of it, less what another does; and its size."""
    functions = set(kernel.dependencies.functions)
    others = max((len(functions & w.known) for w in _workers if w is not worker), default=0)
    return (len(functions & worker.known) - others) / len(functions), len(functions)


def size(kernel: Any) -> int:
    """How much there is to compile."""
    return len(kernel.dependencies.functions)


def _some(count: int, target: Target) -> list[Worker]:
    for worker in [w for w in _workers if not w.alive() or w.target != target]:
        _workers.remove(worker)
        worker.end()
    while len(_workers) < count:
        _workers.append(Worker(target))
    return _workers[:count]


# ---- what one sees -------------------------------------------------------------------------------------------------


class _Quiet:
    """Says nothing."""

    def begun(self, kernel: Any) -> None:
        pass

    def done(self, kernel: Any) -> None:
        pass

    def tick(self) -> None:
        pass


class _Lines(_Quiet):
    """A line a kernel."""

    def __init__(self, kernels: list[Any]) -> None:
        self.count, self.total = 0, len(kernels)

    def begun(self, kernel: Any) -> None:
        self.count += 1
        words = (
            f"bunraku: preparing kernel {kernel.function.__name__}, {self.count} of {self.total} (first use only) ..."
        )
        print(words, file=sys.stderr, flush=True)


class _Bar(_Quiet):
    """A bar that runs with the kernels' sizes, and the time that is left."""

    def __init__(self, kernels: list[Any], update: Any) -> None:
        self.update, self.total, self.count = update, len(kernels), 0
        self.left = self.whole = sum(map(size, kernels))
        self.begin = time.perf_counter()
        self.tick()

    def done(self, kernel: Any) -> None:
        self.count += 1
        self.left -= size(kernel)

    def tick(self) -> None:
        gone, made = time.perf_counter() - self.begin, self.whole - self.left
        rate = gone / made if made else SECONDS_A_FUNCTION / (os.cpu_count() or 1)
        left = max(rate * self.whole - gone, 1.0)
        words = f"preparing {min(self.count + 1, self.total)} of {self.total}, about {left:.0f} s (first use only)"
        self.update(made, words)


@contextmanager
def _bar(kernels: list[Any]) -> Iterator[Any]:
    if quiet():
        yield _Quiet()
    elif not watched():
        yield _Lines(kernels)
    else:
        with progress_bar(sum(map(size, kernels)), "preparing") as update:
            yield _Bar(kernels, update)
