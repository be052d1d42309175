"""Which kernels the commands need: those that `pip install .` compiles (bunraku.kernel.build_all), and those that a
command makes ready together, with one bar, before its work begins (`prepare`).

All others are in wheels, or compiled at their first use. That the lists are whole is tested where commands are run:
tests/kernel/test_needed.py.
"""

from __future__ import annotations

import importlib
from typing import Any

from bunraku.kernel.compile import JIT
from bunraku.kernel.entry import ready

_SETS = {
    "step": """collision.detect.detect_once step.euler.free_motion step.euler.touching step.euler.rigid_rows step.euler.pgs step.euler.move
        step.euler.steps step.island.no_large step.push_apart.push_apart""",
    "record": "recording.sums.add_words step.step_log.ahead step.step_log.behind",
    "read": "recording.sums.add_words",
    "places": "dynamics.kinematics_kernel.kinematics_many dynamics.kinematics_kernel.centroidal_many",
    "plan": """dynamics.jacobian_kernel.frame_one dynamics.jacobian_kernel.frame_many
        dynamics.kinematics_kernel.momentum_matrix_many dynamics.rnea_kernel.rnea_many""",
    "balance": "control.balance_law.balance world.readings_kernel.measure_all",
    "natural": "gaits.tracker_law.follow world.readings_kernel.measure_all",
    "picture": "draw.raycast.cast draw.rasterise.shadow_map draw.skin_kernel.bend",
    "film": "viewer.frame_kernel.body_rows viewer.frame_kernel.curve_rows viewer.frame_kernel.figure_rows",
    "live": "viewer.frame_kernel.contact_rows viewer.frame_kernel.zero_moment_rows",
    "choreography": """choreography.dance_step.choreograph choreography.dance_step.composing
        choreography.kinematic_step.kinematic_motion choreography.kinematic_step.nothing""",
    "whole body": """control.strict_levels.whole_body_once collision.detect.detect_once
        dynamics.crba_kernel.crba_one dynamics.rnea_kernel.rnea_one dynamics.rnea_kernel.rnea_one_pushed
        dynamics.rnea_kernel.rnea_many_pushed step.step_log.behind_precise""",
    "patches": "collision.region_kernel.region_once collision.region_kernel.measure_once",
    "1988": """gait1988.flow.advance gait1988.flow.advance_part gait1988.flow.state_rate gait1988.rigid_model.move""",
    "1988, historical": "gait1988.report_integrator.integrate",
    "dynamics": """dynamics.aba_kernel.aba_one dynamics.rnea_kernel.rnea_one dynamics.crba_kernel.crba_one
        dynamics.jacobian_kernel.columns_one""",
    "gaits": """dynamics.derivative_kernel.derivatives_many dynamics.crba_kernel.crba_many
        dynamics.jacobian_kernel.columns_many dynamics.rnea_kernel.rnea_many_pushed""",
    "virtual_link": "step.virtual_link.step_link.link_rows step.virtual_link.step_link.link_impulses",
    "penalty": "step.euler.springy_rows step.euler.penalty",
}
COMMANDS = {
    "walk": ("step", "record", "places", "plan", "balance", "natural", "picture", "film"),
    "run": ("step", "places"),
    "record": ("step", "record"),
    "export": ("read", "places"),
    "film": ("step", "record", "places", "picture"),
    "dance": ("step", "record", "places", "plan", "choreography"),
    "stage": ("step", "places", "plan", "film", "live", "choreography"),
    "view": ("step", "places", "film", "live"),
    "play": ("read", "places", "film"),
    "retarget": ("step", "read", "places"),
    "filter": ("step", "record", "places", "plan", "whole body"),
    "forces": ("read", "places", "plan"),
    "gait": ("1988", "picture"),
}
# what a command needs later, or with other options than usual; the first lines of Python in README
LATER = ("patches", "1988, historical", "dynamics", "gaits")


def of_sets(*names: str) -> list[str]:
    """The kernels of sets, by module and name, each once."""
    return list(dict.fromkeys(kernel for name in names for kernel in _SETS[name].split()))


def installed() -> list[str]:
    """The kernels that `pip install .` compiles."""
    return of_sets(*(name for sets in COMMANDS.values() for name in sets), *LATER)


def prepare(command: str, contact: str = "pgs") -> None:
    """Make ready what a command needs, with a contact model, before its work begins."""
    if JIT:
        names = of_sets(*COMMANDS[command], *((contact,) if contact in _SETS else ()))
        ready([named(name) for name in names])


def named(name: str) -> Any:
    """The kernel of a name."""
    module, _, function = name.rpartition(".")
    return getattr(importlib.import_module(f"bunraku.{module}"), function)
