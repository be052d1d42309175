"""Build hook of hatchling: the wheel gets the viewer's page and the compiled kernels; an editable install the page alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BuildHook(BuildHookInterface):
    """Runs `bunraku.kernel.build_all` and `bunraku.viewer.build_page` side by side. A page that cannot be built ends the
    build with its sentence; kernels that cannot be are made at their first use, but where
    BUNRAKU_BUILD_KERNELS asks for them."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        source = str(Path(self.root) / "src")
        kernels = None
        if version != "editable" and os.environ.get("BUNRAKU_BUILD_CPU", "") != "none":
            env = {**os.environ, "PYTHONPATH": os.pathsep.join([source, *filter(None, sys.path)])}
            kernels = subprocess.Popen([sys.executable, "-m", "bunraku.kernel.build_all"], env=env)
            build_data["pure_python"], build_data["infer_tag"] = False, True
        sys.path.insert(0, source)
        try:
            from bunraku.errors import BunrakuError
            from bunraku.viewer.build_page import build

            build()
        except BunrakuError as error:
            if kernels is not None:
                kernels.kill()
            raise SystemExit(f"bunraku: {error}") from None
        finally:
            sys.path.pop(0)
        if kernels is not None and kernels.wait() != 0:
            if os.environ.get("BUNRAKU_BUILD_KERNELS"):
                raise SystemExit("bunraku: the kernels that BUNRAKU_BUILD_KERNELS asks for were not compiled.")
            self.app.display_warning("bunraku: no kernels were compiled; each will be at its first use.")
