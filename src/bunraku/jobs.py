"""Many jobs in a few processes, each done once: what a folder of clips or a table of parameters needs.

    jobs = [Job("walk", {"clip": "walk.bvh"}, digest), …]
    for job, answer in run_jobs("bunraku.cli.filter_folder:filter_clip", jobs, folder, workers=2):
        answer                                     # what filter_clip({"clip": "walk.bvh"}) returned

A job is a name, what it is given (JSON) and a digest of all that its answer depends on. Its answer (JSON) is kept in
`folder/.jobs/NAME.json` as soon as it is known, written beside and renamed: a run that was killed goes on where it
stood, and a job whose digest has changed is done again. Answers come in the order of the jobs, not of who was first, and
every process computes with one thread: the same bytes for any number of workers.

A mistake of the user (BunrakuError) is an answer: {"refused": its sentence}. A job that crashed, or whose process ended
under it, answers {"crashed": why} and is tried again by the next run; the others go on. Workers are processes of this
interpreter that read and write lines of JSON: nothing is pickled. Checked in tests/test_jobs.py.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import selectors
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bunraku.errors import BunrakuError, InputError
from bunraku.files import write_text

KEPT = ".jobs"
START = "import sys; sys.path[:] = {path!r}; from bunraku.jobs import serve; serve()"
Answer = dict[str, Any]


@dataclass(frozen=True)
class Job:
    """One job: its name, which is a file's; what it is given; a digest of all that its answer depends on."""

    name: str
    given: dict[str, Any]
    digest: str


def digest_of(*parts: Any) -> str:
    """Of anything that JSON can hold, and of bytes."""
    found = hashlib.sha256()
    for x in parts:
        data = x if isinstance(x, bytes) else json.dumps(x, sort_keys=True).encode()
        found.update(len(data).to_bytes(8, "little") + data)
    return found.hexdigest()


def run_jobs(
    function: str,
    jobs: Sequence[Job],
    folder: Path,
    *,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[tuple[Job, Answer]]:
    """Do all jobs that are not done, then give each with its answer, in order. function: "module:name", called with what
    a job is given; progress(done, all) is told of each that is done."""
    if workers < 1:
        raise InputError(f"{workers} workers cannot do anything; at least 1 is needed.")
    names = [j.name for j in jobs]
    twice = next((x for x in names if names.count(x) > 1), None)
    if twice is not None:
        raise InputError(f"two jobs are called {twice!r}.")
    answers = {j.name: kept for j in jobs if (kept := _kept(folder, j)) is not None}
    missing = [j for j in jobs if j.name not in answers]
    if progress is not None:
        progress(len(answers), len(jobs))
    for job, answer in _done(function, missing, min(workers, max(1, len(missing)))):
        answers[job.name] = answer
        if "crashed" not in answer:
            text = json.dumps({"digest": job.digest, "answer": answer}, sort_keys=True)
            write_text(_place(folder, job), text + "\n")
        if progress is not None:
            progress(len(answers), len(jobs))
    yield from ((j, answers[j.name]) for j in jobs)


def _place(folder: Path, job: Job) -> Path:
    return folder / KEPT / f"{job.name}.json"


def _kept(folder: Path, job: Job) -> Answer | None:
    """The answer that an earlier run found to the same job."""
    try:
        found = json.loads(_place(folder, job).read_text(encoding="utf-8"))
        return found["answer"] if found["digest"] == job.digest else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _done(function: str, jobs: Sequence[Job], workers: int) -> Iterator[tuple[Job, Answer]]:
    """Every job with its answer, as they come."""
    waiting, busy = list(reversed(jobs)), 0
    with selectors.DefaultSelector() as ready:
        pool = [_Worker(function) for _ in range(workers if jobs else 0)]
        try:
            for worker in pool:
                ready.register(worker.answers, selectors.EVENT_READ, worker)
                busy += worker.begin(waiting)
            while busy:
                for key, _ in ready.select():
                    worker = key.data
                    job, answer, alive = worker.answer()
                    if not alive:
                        ready.unregister(key.fileobj)
                        worker.restart()
                        ready.register(worker.answers, selectors.EVENT_READ, worker)
                    busy -= 1
                    busy += worker.begin(waiting)
                    yield job, answer
        finally:
            for worker in pool:
                worker.end()


class _Worker:
    """A process, and the job it is at."""

    def __init__(self, function: str) -> None:
        self.function = function
        self.restart()

    def restart(self) -> None:
        """A new process."""
        one = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        self.process = subprocess.Popen(
            [sys.executable, "-c", START.format(path=sys.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            bufsize=1, env={**os.environ, **one, "BUNRAKU_QUIET": "1"}, process_group=0,  # Ctrl-C is for us
        )  # fmt: skip
        assert self.process.stdin is not None and self.process.stdout is not None
        self.questions, self.answers = self.process.stdin, self.process.stdout
        self.job: Job | None = None

    def begin(self, waiting: list[Job]) -> int:
        """Take the next job, if there is one; how many were taken."""
        if not waiting:
            return 0
        self.job = waiting.pop()
        with suppress(BrokenPipeError):  # it has ended: `answer` sees that
            self.questions.write(json.dumps({"function": self.function, "given": self.job.given}) + "\n")
        return 1

    def answer(self) -> tuple[Job, Answer, bool]:
        """(the job, what is known of it now, whether the process goes on)."""
        assert self.job is not None
        line = self.answers.readline()
        if line:
            return self.job, json.loads(line), True
        return self.job, {"crashed": f"its process ended with status {self.process.wait()}"}, False

    def end(self) -> None:
        """End the process, whatever it is at."""
        for stream in (self.questions, self.answers):
            with suppress(BrokenPipeError):
                stream.close()
        if self.job is not None and self.process.poll() is None:
            self.process.terminate()
        self.process.wait()


def serve() -> None:
    """What a worker does: answer lines of JSON on stdin with lines on stdout. What jobs print goes to stderr."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    out = sys.stdout
    with redirect_stdout(sys.stderr):
        for line in sys.stdin:
            asked = json.loads(line)
            out.write(json.dumps(_answered(asked["function"], asked["given"])) + "\n")
            out.flush()


def _answered(function: str, given: dict[str, Any]) -> Answer:
    module, _, name = function.partition(":")
    try:
        return getattr(importlib.import_module(module), name)(given)
    except BunrakuError as error:
        return {"refused": str(error)}
    except Exception as error:
        traceback.print_exc()
        return {"crashed": f"{type(error).__name__}: {error}"}
