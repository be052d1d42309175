"""The process that compiles: it reads which kernels are wanted, a line of JSON each, and writes their objects.

    {"kernel": "bunraku.dynamics.aba_kernel.aba_one", "digest": "…", "folder": "…"}  ->  {"seconds": 4.1}

A kernel whose digest is another here than for who asks is not made: its source was edited meanwhile. Helpers that
several kernels share go through the front end once, so one worker serves many requests; it ends with its standard input,
or when nobody asked for a minute. Started by bunraku.kernel.workers.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import sys
import time
from pathlib import Path
from typing import Any

IDLE_SECONDS = 60.0


def serve(cpu: str, features: str) -> None:
    """Answer requests until there are none."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # nothing but answers goes back
    gc.set_threshold(100_000, 50, 50)  # a fifth less time; a few hundred MB more
    builder = None
    for line in _lines():
        asked = json.loads(line)
        begun = time.perf_counter()
        try:
            if builder is None:
                from bunraku.kernel.build_numba import Builder

                builder = Builder(cpu, features)
            answer = make(builder, **asked) or {"seconds": time.perf_counter() - begun}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {str(error).strip() or 'no reason given'}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def make(builder: Any, kernel: str, digest: str, folder: str) -> dict[str, Any] | None:
    """Make one object; an answer where there is a reason not to."""
    from bunraku.kernel import native

    module, _, name = kernel.rpartition(".")
    wanted = getattr(importlib.import_module(module), name)
    if wanted.digest != digest:
        return {"edited": True}
    made = builder.build(wanted.function, wanted.signature, wanted.nogil, native.symbol_of(wanted), wanted.dependencies)
    native.write(Path(folder) / native.file_name(wanted), made)
    return None


def _lines() -> Any:
    """Lines of standard input, while they come."""
    while select.select([sys.stdin], [], [], IDLE_SECONDS)[0]:
        line = sys.stdin.readline()
        if not line:
            return
        yield line
