"""Shared set-up of the tests."""

import importlib
import os

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("BUNRAKU_QUIET", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # each core has a process; threads of small products only wait
if os.environ.get("CI") == "true":  # the test extra installs every peer: one that is missing there must fail, not skip
    pytest.importorskip = lambda name, *_, **__: importlib.import_module(name)
settings.register_profile(
    "bunraku", deadline=None, derandomize=True, max_examples=30, suppress_health_check=list(HealthCheck)
)
settings.load_profile("bunraku")
LONG = """
    test_stage_in_browser test_page test_page_live test_every_row test_world_in_browser test_needed test_documents
    test_dance_command test_accessibility test_response test_sample test_narrow test_public_face test_visual_mesh
    test_filter test_make_gait test_walk test_grid test_blockfile test_live test_again_in_browser test_camera_in_browser
    test_native test_walk_plots test_bad_inputs test_follow test_rest test_gait_commands test_generation test_births
    test_skin test_skin_in_browser test_examples test_bench_commands test_virtual_link_world test_server_security
    test_sparse_order test_architecture test_stage test_by_keys test_scene test_docstrings
    test_worlds test_bench_worlds test_modes
"""
# files that take 5 s and more begin first, the longest before all others, so that no core waits for another at the end
FEW = 2  # files that are tested sooner in one process than others have started


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """How many processes `-n logical` starts: none where only a file or two are named, else (None) one for each core."""
    files = {str(arg).split("::")[0] for arg in config.args}
    return 0 if len(files) <= FEW and all(f.endswith(".py") for f in files) else None


@pytest.hookimpl(tryfirst=True)  # before marks are looked at
def pytest_collection_modifyitems(items):
    """The files of LONG first, the others as they were found. What needs a browser is slow: seconds a page."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)
    place = {name: k for k, name in enumerate(LONG.split())}
    items.sort(key=lambda item: place.get(item.path.stem, len(place)))
