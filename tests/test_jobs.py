"""Jobs: answers in order whoever is first; kept, taken up again, done again where they changed; crashes stay alone."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bunraku.errors import InputError
from bunraku.jobs import KEPT, Job, digest_of, run_jobs

HERE = "tests_jobs_functions"
CODE = """
import os, time
from pathlib import Path
from bunraku.errors import InputError

def square(given):
    Path(given["log"]).open("a").write(f"{given['x']}\\n")
    time.sleep(given.get("wait", 0.0))
    if given.get("how") == "refuse":
        raise InputError(f"{given['x']} is refused.")
    if given.get("how") == "crash":
        raise ValueError("it broke")
    if given.get("how") == "die":
        os.kill(os.getpid(), 9)
    print("said aside")
    return {"square": given["x"] ** 2, "threads": os.environ["OPENBLAS_NUM_THREADS"]}
"""


@pytest.fixture
def square(tmp_path, monkeypatch):
    (tmp_path / f"{HERE}.py").write_text(CODE)
    monkeypatch.syspath_prepend(str(tmp_path))
    return f"{HERE}:square"


def jobs(tmp_path, n=5, **more):
    """n jobs; the first takes longest."""
    given = [{"x": x, "log": str(tmp_path / "log"), "wait": 0.2 * (x == 0), **more.get(f"x{x}", {})} for x in range(n)]
    return [Job(f"job{g['x']}", g, digest_of(g)) for g in given]


def done(tmp_path):
    """Which jobs were begun, in order."""
    log = tmp_path / "log"
    return [int(x) for x in log.read_text().split()] if log.exists() else []


@pytest.mark.parametrize("workers", [1, 3])
def test_answers_come_in_order_and_are_kept(square, tmp_path, workers):
    seen = []
    found = list(run_jobs(square, jobs(tmp_path), tmp_path, workers=workers, progress=lambda *x: seen.append(x)))
    assert [(j.name, a["square"]) for j, a in found] == [(f"job{x}", x * x) for x in range(5)]
    assert all(a["threads"] == "1" for _, a in found) and seen[0] == (0, 5) and seen[-1] == (5, 5)
    assert sorted(done(tmp_path)) == [0, 1, 2, 3, 4]
    again = list(run_jobs(square, jobs(tmp_path, x3={"more": 1}), tmp_path, workers=workers))
    assert [a for _, a in again] == [a for _, a in found]
    assert sorted(done(tmp_path)) == [0, 1, 2, 3, 3, 4]  # only what changed was done again


def test_kept_files_are_the_same_for_any_number_of_workers(square, tmp_path):
    for workers in (1, 2):
        list(run_jobs(square, jobs(tmp_path), tmp_path / str(workers), workers=workers))
    one, two = (sorted((tmp_path / w / KEPT).iterdir()) for w in "12")
    assert [x.name for x in one] == [x.name for x in two] and len(one) == 5
    assert [x.read_bytes() for x in one] == [x.read_bytes() for x in two]


def test_refusals_are_answers_and_crashes_are_tried_again(square, tmp_path):
    bad = {"x1": {"how": "refuse"}, "x2": {"how": "crash"}, "x3": {"how": "die"}}
    answers = [a for _, a in run_jobs(square, jobs(tmp_path, **bad), tmp_path, workers=2)]
    assert answers[0]["square"] == 0 and answers[4]["square"] == 16  # nothing else was lost
    assert answers[1] == {"refused": "1 is refused."} and "it broke" in answers[2]["crashed"]
    assert "-9" in answers[3]["crashed"]
    list(run_jobs(square, jobs(tmp_path, **bad), tmp_path))
    assert sorted(done(tmp_path)) == [0, 1, 2, 2, 3, 3, 4]


def test_a_killed_run_goes_on_where_it_stood(square, tmp_path):
    slow = {f"x{x}": {"wait": 0.0 if x < 2 else 20.0} for x in range(4)}
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from pathlib import Path; from bunraku.jobs import *\n"
        f"jobs = [Job(*x) for x in {[(j.name, j.given, j.digest) for j in jobs(tmp_path, 4, **slow)]!r}]\n"
        f"list(run_jobs({square!r}, jobs, Path({str(tmp_path)!r})))"
    )
    process = subprocess.Popen([sys.executable, "-c", code])
    until = time.monotonic() + 120.0
    while 2 not in done(tmp_path) and time.monotonic() < until:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    kept = {x.name for x in (Path(tmp_path) / KEPT).iterdir()}
    assert kept == {"job0.json", "job1.json"}
    quick = [Job(j.name, {**j.given, "wait": 0.0}, j.digest) for j in jobs(tmp_path, 4, **slow)]
    assert [a["square"] for _, a in run_jobs(square, quick, tmp_path)] == [0, 1, 4, 9]
    assert done(tmp_path).count(0) == 1 and done(tmp_path).count(1) == 1


def test_a_damaged_answer_is_found_again_and_mistakes_are_told(square, tmp_path):
    list(run_jobs(square, jobs(tmp_path, 1), tmp_path))
    [kept] = (tmp_path / KEPT).iterdir()
    kept.write_text(json.dumps({"digest": 3})[:5])
    [(_, answer)] = run_jobs(square, jobs(tmp_path, 1), tmp_path)
    assert answer["square"] == 0 and done(tmp_path) == [0, 0]
    with pytest.raises(InputError, match="at least 1"):
        list(run_jobs(square, [], tmp_path, workers=0))
    with pytest.raises(InputError, match="two jobs"):
        list(run_jobs(square, jobs(tmp_path, 1) * 2, tmp_path))
    assert list(run_jobs(square, [], tmp_path)) == []
