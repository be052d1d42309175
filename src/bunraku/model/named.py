"""Figures by name: what may stand where a Model is wanted, and the sentence for what may not. Checked in
tests/test_slips.py."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from bunraku.errors import InputError, closest
from bunraku.model.human import human
from bunraku.model.model import Model

FIGURES: dict[str, Callable[[], Model]] = {"human": human}


def as_model(what: Any, where: str) -> Model:
    """A Model as it is; a new one for the name of a figure of Bunraku. where: who asks, for the sentence."""
    if isinstance(what, Model):
        return what
    if isinstance(what, str) and what in FIGURES:
        return FIGURES[what]()
    if isinstance(what, os.PathLike) or (isinstance(what, str) and any(c in what for c in "./\\")):
        raise InputError(f"{where}: {os.fspath(what)!r} is a file's name; write bk.load({os.fspath(what)!r}).")
    if isinstance(what, str):
        words = f"{where}: there is no figure {what!r}.{closest(what, FIGURES)}"
        raise InputError(f"{words} bk.load(path) reads a URDF or MJCF file.")
    if isinstance(getattr(what, "model", None), Model):
        raise InputError(f"{where}: {what!r} is no Model; it has one, so add .model to it.")
    raise InputError(f"{where}: {what!r} is no Model; write bk.human(), bk.box(…), or bk.load(path).")
