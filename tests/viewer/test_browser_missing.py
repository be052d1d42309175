"""Where no browser is installed the tests of the page are skipped with a reason; in CI they fail."""

import shutil

import pytest

from viewer_browser import find_chromium


@pytest.mark.parametrize(
    ("ci", "outcome"), [(None, pytest.skip), ("false", pytest.skip), ("true", pytest.fail), ("1", pytest.fail)]
)
def test_a_missing_browser(ci, outcome, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.delenv("CI", raising=False)
    if ci is not None:
        monkeypatch.setenv("CI", ci)
    with pytest.raises(outcome.Exception, match="apt-get install -y chromium"):
        find_chromium()
