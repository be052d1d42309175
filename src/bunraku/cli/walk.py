"""`bunraku walk`: the quickest way to a walking figure; at present the same as `bunraku gait run`."""

from __future__ import annotations

from bunraku.cli.gait_run import run as main

__all__ = ["main"]
