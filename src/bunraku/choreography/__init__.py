"""Pin and drag a figure whose motion obeys dynamics (Yamane & Nakamura 2002). See docs/choreography.md."""

from __future__ import annotations

import importlib
from typing import Any

_HOME = {
    "engine": "Choreography",
    "pins": "Drag Pin Violation",
    "relations": "Relations end_link_relations",
    "score": "Score",
}
_WHERE = {name: module for module, names in _HOME.items() for name in names.split()}
__all__ = [  # pyright: ignore[reportUnsupportedDunderAll]
    *("Choreography", "Drag", "Pin", "Relations", "Score", "Violation", "end_link_relations")
]


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        return getattr(importlib.import_module(f"bunraku.choreography.{_WHERE[name]}"), name)
    raise AttributeError(f"module 'bunraku.choreography' has no attribute {name!r}")
