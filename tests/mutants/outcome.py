"""Runs pytest and writes how it ended to a file, as JSON: `python -m tests.mutants.outcome FILE ID …`.

Warnings of NumPy are no failures: kernels that run as plain Python divide by zero as compiled ones do.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest


class Outcome:
    """A plugin that counts what passed and keeps the first failure."""

    def __init__(self) -> None:
        self.passed = 0
        self.failed: dict[str, str] | None = None
        self.broken: str | None = None  # outside a test: in a fixture, or on import

    def pytest_runtest_logreport(self, report: Any) -> None:
        """After each part of a test."""
        if report.failed and report.when == "call" and self.failed is None:
            self.failed = {"test": report.nodeid, "why": reason(report)}
        elif report.failed and self.broken is None:
            self.broken = f"{report.nodeid}: {reason(report)}"
        elif report.passed and report.when == "call":
            self.passed += 1

    def pytest_collectreport(self, report: Any) -> None:
        """After a file was imported."""
        if report.failed:
            self.broken = f"{report.nodeid}: {str(report.longrepr).strip().splitlines()[-1]}"


def reason(report: Any) -> str:
    """The first line of what went wrong."""
    crash = getattr(report.longrepr, "reprcrash", None)
    text = str(crash.message if crash is not None else report.longrepr)
    return text.strip().splitlines()[0] if text.strip() else "?"


def main() -> int:
    """See the module text."""
    file, *ids = sys.argv[1:]
    outcome = Outcome()
    plain = ["-q", "-x", "--no-header", "-p", "no:cacheprovider", "-n", "0", "-W", "ignore::RuntimeWarning"]
    code = pytest.main([*plain, *ids], plugins=[outcome])
    ended = {"code": int(code), "seconds": time.process_time(), **vars(outcome)}
    Path(file).write_text(json.dumps(ended), encoding="utf-8")
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
