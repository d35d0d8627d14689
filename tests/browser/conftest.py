"""A browser for the tests of a file, and pages that must have nothing to complain of.

It is the system's Chromium. Where there is none the tests are skipped, and say so. CI must not
leave them out: with EVERY_BROWSER in the environment, as `.ci/run` sets it, they fail instead.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Final

import pytest

from browser.looking import Look

if TYPE_CHECKING:
    from playwright.sync_api import Browser

WANTED: Final = "EVERY_BROWSER"
PROGRAMS: Final = ("chromium", "chromium-browser", "google-chrome")

Opening = Callable[..., Look]


# While Playwright runs an event loop does, and whatever else wants to run one in this thread fails:
# so the browser does not outlast the file.
@pytest.fixture(scope="module")
def chromium() -> Generator[Browser]:
    """The browser."""
    program = next((found for name in PROGRAMS if (found := shutil.which(name))), None)
    if program is None:
        if os.environ.get(WANTED):
            pytest.fail(f"expected Chromium on this machine, since {WANTED} is set, got none")
        pytest.skip("there is no Chromium on this machine")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        # Chromium's own sandbox is not for root, and pages here are ours.
        flags = ["--disable-dev-shm-usage", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
        browser = playwright.chromium.launch(executable_path=program, args=flags)
        yield browser
        browser.close()


@pytest.fixture
def look(chromium: Browser) -> Generator[Opening]:
    """Opens windows of that browser: *width*, *height*, *scheme* (light or dark), *calm*.

    None of their pages may have said anything on the console by the end of the test.
    """
    looks: list[Look] = []

    def opened(
        width: int = 1280, height: int = 900, scheme: str = "light", *, calm: bool = False
    ) -> Look:
        window = Look(chromium, width, height, scheme, calm=calm)
        looks.append(window)
        return window

    yield opened
    problems = [problem for window in looks for problem in window.close()]
    assert problems == []
