"""Build hook of hatchling: the wheel (and an editable install) gets the viewer's page, built from its sources."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PageHook(BuildHookInterface):
    """Runs `bunraku.viewer.build_page`; a page that cannot be built ends the build with its sentence."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        sys.path.insert(0, str(Path(self.root) / "src"))
        try:
            from bunraku.errors import BunrakuError
            from bunraku.viewer.build_page import build

            build()
        except BunrakuError as error:
            raise SystemExit(f"bunraku: {error}") from None
        finally:
            sys.path.pop(0)
